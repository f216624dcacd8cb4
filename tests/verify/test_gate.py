"""A user's function, rewritten in memory, run by a child process under limits."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from upcast_lint.finding import Edit, Finding, Fix, Position, Range, Safety
from upcast_lint.linter import Mended, Options
from upcast_lint.source import Source, apply_edits
from upcast_lint.verify import gate
from upcast_lint.verify.exchange import Verdict
from upcast_lint.verify.gate import GateError, Rewriting, run_both
from upcast_lint.verify.plan import Plan, Subject

MODULE = """\
import torch
from helpers import columns


class Picker:
    @staticmethod
    def pick(logits, idx):
        return logits.float().gather(-1, columns(idx))


def last(logits):
    return logits.float()[:, -1:]
"""
PICKED = MODULE.replace(
    ".float().gather(-1, columns(idx))", ".gather(-1, columns(idx)).float()"
)
INPUTS = "logits=bf16[2,8,64] grad; idx=i64[2,8,4]<64 "


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "helpers.py").write_text("def columns(idx):\n    return idx\n")
    module = tmp_path / "loss.py"
    module.write_text(MODULE)
    return module


def run(path: Path, body: str, inputs: str = "x=1", seconds: float = 60) -> Verdict:
    """The same text of a function `f` twice."""
    text = f"import torch\ndef f(x):\n    {body}\n"
    return run_both(Rewriting(text, text, ()), Subject(path, "f", inputs, seconds))


def test_equal_outputs_and_gradients_pass(path: Path) -> None:
    subject = Subject(path, "Picker.pick", INPUTS + "distinct")
    verdict = run_both(Rewriting(MODULE, PICKED, ()), subject)
    assert verdict.passes and verdict.peak_after < verdict.peak_before


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        ("import os; os._exit(0)", "the code ended the process"),
        ("import os; os._exit(3)", "exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "signal 9"),
        ("import os; os.kill(os.getppid(), 9)", "ended what watches it"),
    ],
)
def test_code_that_ends_badly(path: Path, body: str, failure: str) -> None:
    verdict = run(path, body)
    assert not verdict.passes
    assert verdict.failure is not None
    assert failure in verdict.failure


@pytest.mark.parametrize(
    "body", ["import time; time.sleep(600)", "while True: pass"], ids=("waits", "works")
)
def test_code_that_does_not_end(path: Path, body: str) -> None:
    began = time.monotonic()
    verdict = run(path, body, seconds=4)
    assert verdict.failure == "took longer than 4 s"
    assert time.monotonic() - began < 30


@pytest.mark.skipif(sys.platform != "linux", reason="needs an enforced RLIMIT_AS")
def test_code_that_takes_too_much_memory(path: Path) -> None:
    verdict = run(path, "return torch.ones(2**33)")
    assert verdict.failure is not None and "memory" in verdict.failure


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_children_that_take_too_much_memory_together(path: Path) -> None:
    body = (
        "import subprocess, sys; "
        "hog = 'x = bytearray(700 * 2**20); import time; time.sleep(600)'; "
        "many = [subprocess.Popen([sys.executable, '-c', hog]) for _ in range(3)]; "
        "many[0].wait(); return x"
    )
    text = f"import torch\ndef f(x):\n    {body}\n"
    subject = Subject(path, "f", "x=1", 60, memory=2**29)
    verdict = run_both(Rewriting(text, text, ()), subject)
    assert verdict.failure == "took more than 1.5 GiB of memory"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("ends", [True, False], ids=("ends", "hangs"))
def test_a_process_that_the_code_starts_does_not_outlive_it(
    path: Path, ends: bool
) -> None:
    """Not in a session of its own with nobody as parent, either."""
    note = path.with_name("started")
    inner = f"open({str(note)!r}, 'a').write(f'{{os.getpid()}} '); time.sleep(600)"
    daemon = (
        "import os, time\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid()\n"
        "if os.fork(): os._exit(0)\n" + inner
    )
    rest = "return x" if ends else "time.sleep(600)"
    body = (
        f"import subprocess, sys, time; "
        f"subprocess.run([sys.executable, '-c', {daemon!r}]); time.sleep(0.2); {rest}"
    )
    text = f"import torch\ndef f(x):\n    {body}\n"
    subject = Subject(path, "f", "x=1", 60 if ends else 12)
    verdict = run_both(Rewriting(text, text, ()), subject)
    assert verdict.passes is ends
    started = [int(number) for number in note.read_text().split()]
    assert started
    assert not any(Path(f"/proc/{number}").exists() for number in started)


def test_what_the_code_prints_disturbs_nothing(path: Path) -> None:
    body = "import sys; print('{}' * 100000); print('x' * 10**6, file=sys.stderr); "
    assert run(path, body + "return x", "x=bf16[4]").passes


TELL = """\
import glob, json, os, sys
import torch
def f(x):
    folder = sys.argv[2]
    told = {"peak": 0, "seconds": None, "failure": None, "passes": True}
    for text in (json.dumps(told), "passes"):
        for name in ("verdict", "measured.json", "0"):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
    for number in range(3, 20):
        try: os.write(number, b"exit code 0")
        except OSError: pass
    print("exit code 0", flush=True)
    END
"""


@pytest.mark.parametrize("end", ["return x + DIFFERENT", "os._exit(0)"])
def test_code_cannot_tell_the_verdict(path: Path, end: str) -> None:
    text = TELL.replace("END", end)
    before, after = (text.replace("DIFFERENT", number) for number in "01")
    subject = Subject(path, "f", "x=bf16[4]")
    assert not run_both(Rewriting(before, after, ()), subject).passes


def finding(row: int, old: str, new: str) -> Finding:
    """A finding that replaces `old` by `new` on a row of MODULE."""
    column = MODULE.splitlines()[row - 1].index(old) + 1
    place = Range(Position(row, column), Position(row, column + len(old)))
    fix = Fix(Safety.UNSAFE, "", (Edit(place, new),))
    return Finding("UPC001", "upcast-before-gather", "", place, fix=fix)


RIGHT = finding(
    8, ".float().gather(-1, columns(idx))", ".gather(-1, columns(idx)).float()"
)
WRONG = finding(12, ".float()[:, -1:]", "[:, :1].float()")


@pytest.fixture
def made_up_linter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A linter with one right fix in `Picker.pick` and one wrong one in `last`."""

    def lint(source: Source, options: Options) -> tuple[Finding, ...]:
        return (RIGHT, WRONG)

    def mend(source: Source, options: Options, findings: tuple[Finding, ...]) -> Mended:
        edits = [edit for each in findings if each.fix for edit in each.fix.edits]
        return Mended(apply_edits(source, edits), findings)

    monkeypatch.setattr(gate, "lint", lint)
    monkeypatch.setattr(gate, "mend", mend)


def read(path: Path) -> Source:
    return Source.from_bytes(path.read_bytes(), str(path))


@pytest.mark.usefixtures("made_up_linter")
def test_only_the_named_function_is_rewritten(path: Path) -> None:
    rewriting = gate.rewrite_function(read(path), "Picker.pick", Options())
    assert rewriting.findings == (RIGHT,)
    assert rewriting.after == PICKED


@pytest.mark.usefixtures("made_up_linter")
def test_a_function_that_is_not_there(path: Path) -> None:
    with pytest.raises(GateError, match="no function `pick`"):
        gate.rewrite_function(read(path), "pick", Options())


@pytest.fixture
def wrong_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that finds a difference where the wrong fix was made."""

    def run_both(rewriting: Rewriting, subject: Subject) -> Verdict:
        is_wrong = "[:, :1]" in rewriting.after
        return Verdict(1, outputs=("result: differs",) if is_wrong else ())

    monkeypatch.setattr(gate, "run_both", run_both)


@pytest.mark.usefixtures("made_up_linter", "wrong_fails")
def test_only_rewrites_that_passed_are_kept(path: Path) -> None:
    inputs = "logits=bf16[2,8,64]"
    plan = Plan((Subject(path, "Picker.pick", inputs), Subject(path, "last", inputs)))
    gated = gate.keep_verified(read(path), Options(), (RIGHT, WRONG), plan)
    assert gated.kept == (RIGHT,)
    assert gated.rejected == (gate.Rejection(WRONG, "result: differs"),)


@pytest.mark.usefixtures("made_up_linter", "wrong_fails")
def test_of_two_rewrites_in_a_function_the_passing_one_is_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "enclosing_function", lambda tree, finding: "last")
    plan = Plan((Subject(path, "last", "logits=bf16[2,8,64]"),))
    gated = gate.keep_verified(read(path), Options(), (WRONG, RIGHT), plan)
    assert gated.kept == (RIGHT,)
    assert gated.rejected == (gate.Rejection(WRONG, "result: differs"),)


@pytest.mark.usefixtures("made_up_linter")
def test_what_the_plan_does_not_name_is_not_kept(path: Path) -> None:
    gated = gate.keep_verified(read(path), Options(), (RIGHT, WRONG), Plan(()))
    assert gated.kept == ()
    assert [each.reason for each in gated.rejected] == [
        "the plan has no entry for Picker.pick",
        "the plan has no entry for last",
    ]
