"""`check --fix --verify-with`: fixes that were tried, and what becomes of the rest."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from upcast_lint.cli.root import root
from upcast_lint.verify import admission, gate
from upcast_lint.verify.exchange import Verdict
from upcast_lint.verify.gate import GateError, Rewriting
from upcast_lint.verify.plan import Subject

FIRST = "def first(logits, i):\n    return logits.float().gather(1, i)\n"
SECOND = FIRST.replace("first", "second")
WRONG = "def wrong(logits, i):\n    return logits.float().gather(1, i)  # wrong\n"
FIRST_MENDED = FIRST.replace(".float().gather(1, i)", ".gather(1, i).float()")
COMMENTED = "x = 1  # noqa: UPC001\n"


def plan(*names: str) -> str:
    inputs = "logits=bf16[2,64]; i=i64[2,4]<64"
    return "".join(
        f'[[function]]\nfile = "x.py"\nname = "{name}"\ninputs = "{inputs}"\n'
        for name in names
    )


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, toy_engine: None) -> list[str]:
    """A stand-in for the child, to which the last fix is wrong; what it was given."""
    given: list[str] = []

    def run_both(rewriting: Rewriting, subject: Subject) -> Verdict:
        given.append(subject.function)
        is_wrong = ".float()  # wrong" in rewriting.after
        return Verdict(1, outputs=("result: 3 of 8 differ",) if is_wrong else ())

    monkeypatch.setattr(admission, "require_torch", lambda: None)
    monkeypatch.setattr(gate, "require_torch", lambda: None)
    monkeypatch.setattr(gate, "run_both", run_both)
    from tests import fake_engine

    monkeypatch.setattr(gate, "mend", fake_engine.mend)
    return given


def check(*arguments: str) -> Result:
    return CliRunner().invoke(root, ["check", *arguments], prog_name="upcast-lint")


def fix(*arguments: str) -> Result:
    return check("--fix", "--verify-with", "plan.toml", *arguments)


def write(project: Path, text: str, *names: str) -> Path:
    (project / "plan.toml").write_text(plan(*names or ("elsewhere",)))
    path = project / "x.py"
    path.write_text(text)
    return path


# What cannot be asked for.


def test_without_a_fix_nothing_is_run(project: Path, runs: list[str]) -> None:
    write(project, FIRST, "first")
    done = check("--verify-with", "plan.toml")
    assert done.exit_code == 2 and not runs
    assert "--verify-with goes with --fix" in done.stderr


def test_standard_input_is_not_run(project: Path, runs: list[str]) -> None:
    write(project, FIRST, "first")
    done = fix("-", "--stdin-filename", "x.py")
    assert done.exit_code == 2 and not runs
    assert "--verify-with needs files" in done.stderr


def test_a_plan_that_is_missing(project: Path, runs: list[str]) -> None:
    path = project / "x.py"
    path.write_text(FIRST)
    done = fix()
    assert done.exit_code == 2 and "plan.toml" in done.stderr
    assert path.read_text() == FIRST


def test_a_plan_with_an_unknown_key(project: Path, runs: list[str]) -> None:
    path = write(project, FIRST, "first")
    (project / "plan.toml").write_text(plan("first") + "speed = 1\n")
    done = fix()
    assert done.exit_code == 2 and "unknown key 'speed'" in done.stderr
    assert path.read_text() == FIRST


def test_without_torch(
    project: Path, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def require_torch() -> None:
        raise GateError("verifying needs torch")

    monkeypatch.setattr(admission, "require_torch", require_torch)
    path = write(project, FIRST, "first")
    done = fix()
    assert done.exit_code == 2 and "error: verifying needs torch" in done.stderr
    assert path.read_text() == FIRST


def test_a_fix_without_the_option_imports_nothing_that_runs_code(
    project: Path,
) -> None:
    (project / "x.py").write_text(FIRST)
    code = (
        "import sys; from tests import fake_engine; fake_engine.install()\n"
        "from upcast_lint.cli.root import root\n"
        "root(['check', '--fix'], standalone_mode=False)\n"
    )
    seen = (
        "import atexit, sys\n"
        "names = ('torch', 'subprocess', 'upcast_lint.verify')\n"
        "atexit.register(lambda: print(*set(names) & set(sys.modules), 'seen'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", seen + code],
        env={"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1].split() == ["seen"], done.stderr
    assert (project / "x.py").read_text() == FIRST_MENDED


# What is kept, and what is not.


def test_a_function_that_the_plan_does_not_name_is_not_fixed(
    project: Path, runs: list[str]
) -> None:
    path = write(project, FIRST + SECOND, "first")
    done = fix()
    assert done.exit_code == 1 and runs == ["first"]
    assert path.read_text() == FIRST_MENDED + SECOND
    reason = "not verified: the plan has no entry for second"
    assert f"warning: x.py:4:12: not fixed, {reason}" in done.stderr
    assert f"= no fix: {reason}" in done.stdout
    assert "fixable" not in done.stdout and "[*]" not in done.stdout


def test_a_fix_that_did_not_pass_is_reported_with_the_reason(
    project: Path, runs: list[str]
) -> None:
    path = write(project, WRONG, "wrong")
    done = fix("--output-format", "json")
    assert done.exit_code == 1
    assert path.read_text() == WRONG
    (found,) = json.loads(done.stdout)
    assert found["fix"] is None
    assert found["condition"] == "not verified: result: 3 of 8 differ"


def test_sarif_does_not_call_a_refused_fix_unsafe(
    project: Path, runs: list[str]
) -> None:
    write(project, WRONG, "wrong")
    done = fix("--output-format", "sarif")
    (found,) = json.loads(done.stdout)["runs"][0]["results"]
    assert "; there is no fix: not verified: result" in found["message"]["text"]


def test_an_unsafe_fix_needs_its_option_as_well(project: Path, runs: list[str]) -> None:
    text = FIRST.replace("logits", "risky_x")
    path = write(project, text, "first")
    assert fix().exit_code == 1 and not runs
    assert path.read_text() == text
    assert fix("--unsafe-fixes").exit_code == 0 and runs == ["first"]
    assert path.read_text() == FIRST_MENDED.replace("logits", "risky_x")


def test_a_diff_shows_only_what_passed(project: Path, runs: list[str]) -> None:
    path = write(project, FIRST + WRONG, "first", "wrong")
    done = check("--diff", "--verify-with", "plan.toml")
    assert done.exit_code == 1
    assert "+    return logits.gather(1, i).float()\n" in done.stdout
    assert ".float()  # wrong" not in done.stdout
    assert path.read_text() == FIRST + WRONG


def test_a_comment_needs_no_run(project: Path, runs: list[str]) -> None:
    path = write(project, COMMENTED)
    assert fix().exit_code == 0 and not runs
    assert path.read_text() == "x = 1\n"


def test_what_runs_is_said_even_when_quiet(project: Path, runs: list[str]) -> None:
    write(project, FIRST, "first")
    done = fix("-q")
    assert "note: the functions in plan.toml are run, in child" in done.stderr
    assert done.stdout == ""


def test_what_was_refused_once_is_not_remembered(
    project: Path, runs: list[str]
) -> None:
    for number in range(20):  # enough for the cache to be used
        (project / f"y{number}.py").write_text(FIRST)
    write(project, "x = 1\n")
    assert fix().exit_code == 1
    found = json.loads(check("--output-format", "json").stdout)
    assert len(found) == 20 and all(each["fix"] for each in found)


def test_several_processes_are_told_of_the_plan(project: Path, runs: list[str]) -> None:
    for number in range(4):
        (project / f"y{number}.py").write_text(FIRST)
    write(project, "x = 1\n", "first")
    done = fix("-j", "2", "--output-format", "concise")
    assert done.stderr.count("the plan has no entry for first") == 4


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="runs what it fixes"
)
def test_a_fix_that_really_ran(project: Path, toy: Any) -> None:
    ties = WRONG.replace("# wrong", "# fine").replace("wrong", "other")
    path = write(project, FIRST + ties, "first", "other")
    (project / "plan.toml").write_text(
        plan("first") + plan("other").replace("logits=", "missing=")
    )
    done = toy("check", "--fix", "--verify-with", "plan.toml")
    assert path.read_text() == FIRST_MENDED + ties
    assert b"x.py:4:12: not fixed, not verified: other takes no missing" in done.stderr
