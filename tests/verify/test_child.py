"""What the child process finds, called in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from upcast_lint.verify import child
from upcast_lint.verify.child import examine
from upcast_lint.verify.exchange import Request, Verdict

GATHER = "import torch\ndef f(x, i): return x.float().gather(-1, i)\n"
GATHER_FIRST = GATHER.replace("float().gather(-1, i)", "gather(-1, i).float()")
INDEXED = "x=bf16[2,8,64] grad; i=i64[2,8,4]<64 "


@pytest.fixture(autouse=True)
def _own_imports() -> Iterator[None]:
    """The code under test imports for the length of a test."""
    path, modules = list(sys.path), dict(sys.modules)
    yield
    sys.path[:] = path
    for name in sys.modules.keys() - modules.keys():
        if not name.startswith("torch"):
            del sys.modules[name]


def run_texts(path: Path, before: str, after: str, inputs: str) -> Verdict:
    return examine(Request(str(path), "f", before, after, inputs, memory=0))


def run(folder: Path, body: str, inputs: str = "x=1", after: str = "") -> Verdict:
    """Both versions of a function `f`; `after` is the same unless it is given."""
    before = f"import torch\ndef f(x):\n    {body}\n"
    changed = f"import torch\ndef f(x):\n    {after or body}\n"
    return run_texts(folder / "loss.py", before, changed, inputs)


def test_equal_outputs_and_gradients_pass(tmp_path: Path) -> None:
    inputs = INDEXED + "distinct"
    verdict = run_texts(tmp_path / "loss.py", GATHER, GATHER_FIRST, inputs)
    assert verdict.passes and verdict.comparisons > 25
    assert verdict.peak_after < verdict.peak_before
    assert verdict.seconds is None


def test_time_is_measured_on_large_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "TIMED_FROM", 2**16)
    waits = "import time; time.sleep(0.02); return x", "x=bf16[256,256]", "return x"
    seconds = run(tmp_path, *waits).seconds
    assert seconds and seconds[0] > 0.02 > seconds[1]


def test_a_verdict_survives_the_way_to_the_parent() -> None:
    for verdict in (Verdict(3, seconds=(0.5, 0.25)), Verdict(outputs=("a", "b"))):
        assert Verdict.from_json(verdict.to_json()) == verdict


def test_unequal_gradients_do_not_and_are_sized(tmp_path: Path) -> None:
    inputs = INDEXED + "repeated"
    verdict = run_texts(tmp_path / "loss.py", GATHER, GATHER_FIRST, inputs)
    assert not verdict.passes and not verdict.outputs
    assert verdict.largest_gradient and verdict.largest_gradient < 0.1
    assert "of the gradient differ" in verdict.gradients[0]


def test_unequal_outputs_are_sized(tmp_path: Path) -> None:
    third = "return x.float() / 3", "x=bf16[4]", "return (x / 3).float()"
    verdict = run(tmp_path, *third)
    assert not verdict.passes and verdict.largest_output


def test_low_goes_through_every_dtype(tmp_path: Path) -> None:
    one = run(tmp_path, "return x.float()", "x=bf16[4]")
    three = run(tmp_path, "return x.float()", "x=low[4]")
    assert three.comparisons == 3 * one.comparisons


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        ("raise ValueError('no luck')", "f raises ValueError on the inputs given: no"),
        ("1 +", "cannot load: SyntaxError"),
    ],
)
def test_code_that_raises(tmp_path: Path, body: str, failure: str) -> None:
    verdict = run(tmp_path, body)
    assert not verdict.passes
    assert verdict.failure is not None and failure in verdict.failure


def test_inputs_on_which_both_raise_are_counted(tmp_path: Path) -> None:
    verdict = run(tmp_path, "return x.view(-1).float()", "x=bf16[4,6]")
    assert verdict.passes and 0 < verdict.raised < verdict.comparisons


def test_an_input_that_the_function_does_not_take(tmp_path: Path) -> None:
    assert run(tmp_path, "return x", "x=1; y=2").failure == "f takes no y"


def test_generators_run_and_arrays_and_enums_compare(tmp_path: Path) -> None:
    body = "import enum; E = enum.Enum('E', 'A B'); return {!r}, {}.numpy(), E.A, ({})"
    same = body.format("text", "x.float()[:1]", "y for y in x.float()[:1]")
    moved = body.format("text", "x[:1].float()", "y for y in x[:1].float()")
    assert run(tmp_path, same, "x=bf16[4]", moved).passes
    wrong = body.format("text", "x[:1].float()", "y for y in x[1:2].float()")
    assert "result[3][0]" in run(tmp_path, same, "x=bf16[4]", wrong).outputs[0]


def test_a_closure_cannot_be_compared(tmp_path: Path) -> None:
    verdict = run(tmp_path, "return lambda: x", "x=bf16[4]")
    assert verdict.outputs == ("result: a function cannot be compared",)


def test_dropout_repeats(tmp_path: Path) -> None:
    body = "return torch.nn.functional.dropout(x.float())[:2]"
    assert run(tmp_path, body, "x=bf16[64]").passes


def test_a_module_inside_a_package(tmp_path: Path) -> None:
    package = tmp_path / "project" / "losses"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .common import SCALE\n")
    (package / "common.py").write_text("SCALE = 2.0\n")
    module = package / "loss.py"
    text = "from .common import SCALE\ndef f(x):\n    return x.float()[:1] * SCALE\n"
    module.write_text(text)
    after = text.replace("x.float()[:1]", "x[:1].float()")
    verdict = run_texts(module, text, after, "x=bf16[4]")
    assert verdict.passes, verdict
