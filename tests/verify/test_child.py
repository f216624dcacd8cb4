"""What the child process finds, called in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from upcast_lint.verify import child
from upcast_lint.verify.child import examine
from upcast_lint.verify.exchange import Measured, Request, Verdict
from upcast_lint.verify.outcomes import conditions_of, judge_outcomes

GATHER = "import torch\ndef f(x, i): return x.float().gather(-1, i)\n"
GATHER_FIRST = GATHER.replace("float().gather(-1, i)", "gather(-1, i).float()")
INDEXED = "x=bf16[2,8,64] grad; i=i64[2,8,4]<64 "


@pytest.fixture(autouse=True)
def _own_imports() -> Iterator[None]:
    """The code under test imports for the length of a test."""
    path, modules, finders = list(sys.path), dict(sys.modules), list(sys.meta_path)
    yield
    sys.path[:], sys.meta_path[:] = path, finders
    for name in sys.modules.keys() - modules.keys():
        if not name.startswith("torch"):
            del sys.modules[name]


def run_texts(
    path: Path, before: str, after: str, inputs: str, function: str = "f", **more: str
) -> Verdict:
    """What the parent makes of two children that run in this process."""
    folders = []
    for version, text in (("before", before), ("after", after)):
        folders.append(path.parent / "results" / version)
        folders[-1].mkdir(parents=True, exist_ok=True)
        for name in [name for name in sys.modules if is_own(name, path)]:
            del sys.modules[name]
        request = Request(str(path), function, text, inputs, 0, **more)
        examine(request, folders[-1])
        del sys.meta_path[0]
    conditions = list(conditions_of(inputs, more.get("maker", ""), "cpu"))
    return judge_outcomes(folders[0], folders[1], conditions)


def is_own(name: str, path: Path) -> bool:
    """Whether a module stands below the folder of the code under test."""
    file = getattr(sys.modules[name], "__file__", None) or ""
    return file.startswith(str(path.parent))


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


def test_what_was_measured_survives_the_way_to_the_parent() -> None:
    for measured in (Measured(3, 0.5), Measured(failure="a")):
        assert Measured.from_json(measured.to_json()) == measured


@pytest.mark.parametrize(
    "text", ["", "[]", '{"passes": true}', '{"peak": "low"}', '{"failure": 1}']
)
def test_what_is_not_a_measurement_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Measured.from_json(text)


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
        ("raise ValueError('no luck')", "which proves nothing: ValueError: no luck"),
        ("1 +", "cannot load: SyntaxError"),
    ],
)
def test_code_that_raises(tmp_path: Path, body: str, failure: str) -> None:
    verdict = run(tmp_path, body)
    assert not verdict.passes
    assert verdict.failure is not None and failure in verdict.failure


def test_inputs_on_which_it_raised_before_are_counted(tmp_path: Path) -> None:
    view = "return x.view(-1).float()"
    for after in (view, "return x.reshape(-1).float()"):
        verdict = run(tmp_path, view, "x=bf16[4,6]", after)
        assert verdict.passes and 0 < verdict.raised < verdict.comparisons


def test_to_begin_to_raise_is_a_difference(tmp_path: Path) -> None:
    reshape = "return x.reshape(-1).float()"
    verdict = run(tmp_path, reshape, "x=bf16[4,6]", "return x.view(-1).float()")
    assert "no error before, RuntimeError after" in verdict.outputs[0]


def test_to_raise_on_every_input_proves_nothing(tmp_path: Path) -> None:
    verdict = run(tmp_path, "return x.nothing", "x=bf16[4,6]", "return x.float()")
    assert not verdict.passes and verdict.failure is not None
    assert "raises on every input, which proves nothing: Attr" in verdict.failure


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


ROWS = """\
import torch
from dataclasses import dataclass


class Head(torch.nn.Module):
    def __init__(self, vocab=64):
        super().__init__()
        self.project = torch.nn.Linear(16, vocab, dtype=torch.bfloat16)

    def forward(self, hidden, idx):
        return self.project(hidden).float().gather(-1, idx)

    @classmethod
    def pick(cls, logits, idx):
        return logits.float().gather(-1, idx)

    @staticmethod
    def last(logits):
        return logits.float()[:, -1:]


def make():
    return Head(64)


def wrapper(logits, idx):
    return {"loss": Head.pick(logits, idx).sin().sum()}
"""
FIRST = ROWS.replace(".float().gather(-1, idx)", ".gather(-1, idx).float()")
HIDDEN = "hidden=bf16[2,8,16] grad; idx=i64[2,8,4]<64 "


def run_method(folder: Path, name: str, inputs: str, **more: str) -> Verdict:
    return run_texts(folder / "model.py", ROWS, FIRST, inputs, name, **more)


def test_a_method_of_an_object(tmp_path: Path) -> None:
    for instance in ("Head(vocab=64)", "make()"):
        verdict = run_method(
            tmp_path, "Head.forward", HIDDEN + "distinct", instance=instance
        )
        assert verdict.passes, verdict
        assert verdict.peak_after < verdict.peak_before


def test_the_gradients_of_its_parameters_count(tmp_path: Path) -> None:
    verdict = run_method(
        tmp_path, "Head.forward", HIDDEN + "repeated", instance="make()"
    )
    assert any(each.startswith("self.project.weight:") for each in verdict.gradients)


def test_a_method_without_an_object(tmp_path: Path) -> None:
    failure = run_method(tmp_path, "Head.forward", HIDDEN).failure
    assert failure is not None and "give one by --self, as in --self 'Head(" in failure


def test_an_object_that_cannot_be_made(tmp_path: Path) -> None:
    failure = run_method(tmp_path, "Head.forward", HIDDEN, instance="make(1)").failure
    assert failure is not None and "no inputs: TypeError" in failure


def test_class_and_static_methods_need_no_object(tmp_path: Path) -> None:
    assert run_method(
        tmp_path,
        "Head.pick",
        INDEXED.replace("x=", "logits=").replace("i=", "idx=") + "distinct",
    ).passes
    assert run_method(tmp_path, "Head.last", "logits=bf16[2,8,64] grad").passes


WRAPPED = "logits=bf16[2,8,64] grad; idx=i64[2,8,4]<64 "


def test_a_wrapper_is_run_whole(tmp_path: Path) -> None:
    assert run_method(tmp_path, "wrapper", WRAPPED + "distinct").passes
    assert run_method(tmp_path, "wrapper", WRAPPED + "repeated").gradients


def test_a_wrapper_in_another_file_gets_the_rewritten_module(tmp_path: Path) -> None:
    entry = tmp_path / "train.py"
    entry.write_text("import model\ndef step(**k):\n    return model.wrapper(**k)\n")
    (tmp_path / "model.py").write_text("raise SystemExit('the file itself')\n")
    inputs = WRAPPED + "repeated"
    assert run_method(tmp_path, "step", inputs, entry=str(entry)).gradients


def test_inputs_that_a_file_makes(tmp_path: Path) -> None:
    maker = tmp_path / "inputs.py"
    maker.write_text(
        "import torch\nfrom model import make\n\ndef inputs():\n"
        "    hidden = torch.randn(2, 8, 16).bfloat16().requires_grad_()\n"
        "    idx = torch.zeros(2, 8, 4, dtype=torch.int64)\n"
        "    return {'self': make(), 'hidden': hidden, 'idx': idx}\n"
    )
    verdict = run_method(tmp_path, "Head.forward", "", maker=str(maker))
    assert verdict.comparisons == 6 and not verdict.outputs
    assert any(each.startswith("hidden:") for each in verdict.gradients)


def test_a_package_that_imports_the_module_first(tmp_path: Path) -> None:
    package = tmp_path / "losses"
    package.mkdir()
    (package / "__init__.py").write_text("from .loss import f\n")
    module = package / "loss.py"
    module.write_text("raise SystemExit('the file itself')\n")
    assert run_texts(module, GATHER, GATHER_FIRST, INDEXED + "repeated").gradients


def test_an_object_whose_equality_lies(tmp_path: Path) -> None:
    text = """
class Yes:
    __slots__ = ("value",)
    def __eq__(self, other): return True
    __hash__ = None
def f(x):
    yes = Yes()
    yes.value = {}
    return yes
"""
    before, after = text.replace("{}", "x.float()"), text.replace("{}", "x + 1")
    verdict = run_texts(tmp_path / "loss.py", before, after, "x=bf16[4]")
    assert verdict.outputs == ("result: a Yes cannot be compared",)


def test_an_object_is_what_its_attributes_are(tmp_path: Path) -> None:
    text = """
class Out:
    def __init__(self, value): self.value, self.me = value, self
    def __eq__(self, other): return True
def f(x):
    return Out({})
"""
    right = text.replace("{}", "x[:1].float()")
    path = tmp_path / "loss.py"
    before = text.replace("{}", "x.float()[:1]")
    assert run_texts(path, before, right, "x=bf16[4]").passes
    wrong = text.replace("{}", "x[1:2].float()")
    assert "result.value" in run_texts(path, before, wrong, "x=bf16[4]").outputs[0]


def test_code_that_replaces_what_compares(tmp_path: Path) -> None:
    body = (
        "torch.equal = lambda *_: True; torch.Tensor.__ne__ = lambda *_: False; "
        "return x.float() + {}"
    )
    equal, unequal = torch.equal, torch.Tensor.__ne__
    folders = []
    for version, number in (("before", "0"), ("after", "1")):
        folders.append(tmp_path / version)
        folders[-1].mkdir()
        text = f"import torch\ndef f(x):\n    {body.format(number)}\n"
        examine(Request(str(tmp_path / "l.py"), "f", text, "x=bf16[4]", 0), folders[-1])
        del sys.meta_path[0]
        torch.equal, torch.Tensor.__ne__ = equal, unequal
        sys.modules.pop("l", None)
    conditions = list(conditions_of("x=bf16[4]", "", "cpu"))
    assert judge_outcomes(*folders, conditions).outputs


@pytest.mark.parametrize("content", [b"", b"passes", b"\x80\x04K\x01."])
def test_a_result_that_is_no_outcome(tmp_path: Path, content: bytes) -> None:
    for version in ("before", "after"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "0").write_bytes(content)
        (tmp_path / version / "measured.json").write_text(Measured().to_json())
    conditions = list(conditions_of("x=1", "", "cpu"))
    failure = judge_outcomes(
        tmp_path / "before", tmp_path / "after", conditions
    ).failure
    assert failure is not None and "cannot be read" in failure


def test_runs_that_are_missing_on_one_side(tmp_path: Path) -> None:
    assert run(tmp_path, "return x", "x=bf16[4]").passes
    (tmp_path / "results" / "after" / "3").unlink()
    conditions = list(conditions_of("x=bf16[4]", "", "cpu"))
    folders = tmp_path / "results" / "before", tmp_path / "results" / "after"
    failure = judge_outcomes(*folders, conditions).failure
    assert failure is not None and "cannot be read" in failure
