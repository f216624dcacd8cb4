"""The command line of `verify`: what it prints, writes and exits with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result

from upcast_lint.rule import Rule
from upcast_lint.verify import command, distillation
from upcast_lint.verify.exchange import Verdict

RULES = Path(__file__).resolve().parents[2] / "rules"
FIXTURE = '''
"""The last row alone."""
from upcast_lint.finding import Safety
from upcast_lint.verify.fixture import Case, Fixture
def before(x): return x.float()[-1:]
def after(x): return {after}
FIXTURE = Fixture(Safety.SAFE, (Case("one row", "x=low[4,8] grad"),))
'''


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command.verify, [str(each) for each in arguments])


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two rules, of which the second has the fixture `one_row`; its path."""
    path = tmp_path / "some_rule" / "fixtures" / "one_row.py"
    path.parent.mkdir(parents=True)
    path.write_text(FIXTURE.format(after="x[-1:].float()"))
    found = tuple(
        Rule(str(folder / "__init__.py"), code, name, "")
        for folder, code, name in (
            (RULES / "upcast_before_gather", "UPC001", "upcast-before-gather"),
            (tmp_path / "some_rule", "UPC090", "some-rule"),
        )
    )
    monkeypatch.setattr(command, "all_rules", lambda: found)
    return path


@pytest.fixture
def no_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.mark.usefixtures("no_cuda")
def test_fixtures_that_hold_exit_with_0(rules: Path) -> None:
    result = invoke("--rule", "UPC090")
    assert result.exit_code == 0
    assert "some-rule/one_row (safe)" in result.stdout
    assert "1 case of 1 fixture, 87 comparisons" in result.stdout
    assert "running on the CPU" in result.stderr


@pytest.mark.usefixtures("no_cuda")
def test_a_wrong_fixture_exits_with_1_and_says_how(rules: Path) -> None:
    rules.write_text(FIXTURE.format(after="x[:1].float()"))
    result = invoke("--rule", "some-rule")
    assert result.exit_code == 1
    assert "FAIL cpu  one row" in result.stdout
    assert "outputs differ on bf16 contiguous random seed 0 on cpu" in result.stdout


def test_a_broken_fixture_exits_with_2(rules: Path) -> None:
    rules.write_text("before = after = None")
    result = invoke("--rule", "UPC090", "--device", "cpu")
    assert result.exit_code == 2
    assert f"{rules}: FIXTURE is missing" in result.stderr


def test_an_unknown_rule_exits_with_2_and_names_the_nearest(rules: Path) -> None:
    result = invoke("--rule", "upcast-before-gatherr")
    assert result.exit_code == 2
    assert "did you mean upcast-before-gather?" in result.stderr


@pytest.mark.usefixtures("no_cuda", "rules")
@pytest.mark.parametrize("target", [(), ("loss.py::f", "--inputs", "x=1")])
def test_cuda_without_a_card_is_no_proof(
    tmp_path: Path, target: tuple[str, ...]
) -> None:
    result = invoke(*target, "--device", "cuda", "--report", tmp_path / "out")
    assert result.exit_code == 2
    assert "error: this machine has no CUDA device" in result.stderr
    assert not (tmp_path / "out").exists()
    allowed = invoke(*target, "--device", "cuda", "--allow-no-device")
    assert allowed.exit_code == 0
    assert "Skipped: this machine has no CUDA device" in allowed.stdout


@pytest.mark.usefixtures("rules")
def test_the_report_has_the_environment_every_case_and_the_peaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distillation, "SPECIMEN", "some-rule/one_row")
    monkeypatch.setattr(
        distillation,
        "compute_peaks",
        lambda _: (distillation.PeakRow(2048, 3 * 2**30, 2**30),),
    )
    folder = tmp_path / "out"
    arguments = "--rule", "UPC090", "--device", "cpu", "--report", folder
    assert invoke(*arguments).exit_code == 0
    data = json.loads((folder / "verify.json").read_text())
    assert data["environment"]["torch"] == torch.__version__
    assert data["environment"]["card"] is None
    assert data["cases"][0]["fixture"] == "some-rule/one_row"
    assert data["cases"][0]["failures"] == []
    assert data["peaks"] == [{"positions": 2048, "before": 3 * 2**30, "after": 2**30}]
    document = (folder / "verify.md").read_text()
    assert "| 2048 | 3.00 GiB | 1.00 GiB | computed |" in document
    assert "| some-rule/one_row | one row | safe | cpu | 87 | equal |" in document


@pytest.mark.usefixtures("rules")
def test_a_report_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    result = invoke(
        "--rule", "UPC090", "--device", "cpu", "--report", tmp_path / "out/x"
    )
    assert result.exit_code == 2
    assert "out/x: Not a directory" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("loss.py", "--inputs", "x=1"), "expected FILE::FUNCTION"),
        (("missing.py::f",), "missing.py"),
        (("loss.py::f", "--inputs", "x=bf16["), "neither a tensor"),
        (("loss.py::f", "--inputs", "x=1", "--rule", "UPC001"), "--rule goes without"),
        (("loss.py::f", "--inputs", "x=1", "--inputs-from", __file__), "goes without"),
        (("loss.py::f", "--inputs", "x=1", "--entry", "g"), "expected FILE::FUNCTION"),
        (("loss.py::f", "--all", __file__), "--all goes alone"),
        (("--inputs", "x=1"), "go with FILE::FUNCTION"),
        (("--self", "C()"), "go with FILE::FUNCTION"),
        (("missing.py::f", "--inputs", "x=1"), "missing.py"),
        (("loss.py::f", "--spec", "missing.toml"), "missing.toml"),
    ],
)
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...], complaint: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr


SOURCE = "def pick(logits, idx):\n    return logits.float().gather(-1, idx)\n"


@pytest.fixture
def loss(tmp_path: Path) -> Path:
    """A file with `pick`, which the linter reorders."""
    path = tmp_path / "loss.py"
    path.write_text(SOURCE)
    return path


def test_a_function_that_stays_equal(loss: Path) -> None:
    inputs = "logits=bf16[2,8,64] grad; idx=i64[2,8,4]<64 distinct"
    result = invoke(f"{loss}::pick", "--inputs", inputs)
    assert result.exit_code == 0, result.output
    assert "Running the code of loss.py in child processes" in result.stderr
    assert "outputs equal" in result.stdout and "gradients equal" in result.stdout
    assert "peak memory 11.0 KiB before, 5.1 KiB after" in result.stdout
    assert "time not measured: the inputs are too small" in result.stdout
    assert loss.read_text() == SOURCE


def test_times_are_told_where_they_were_measured(
    loss: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict = Verdict(1, seconds=(0.25, 0.125))
    monkeypatch.setattr(command, "run_both", lambda *_: verdict)
    result = invoke(f"{loss}::pick", "--inputs", "logits=bf16[4]")
    assert "time 250.0 ms before, 125.0 ms after, backward included" in result.stdout


def test_a_function_whose_gradients_differ_by_its_plan(loss: Path) -> None:
    plan = loss.with_name("verify.toml")
    plan.write_text(
        '[[function]]\nfile = "loss.py"\nname = "pick"\n'
        'inputs = "logits=bf16[2,8,64] grad; idx=i64[2,8,4]<64 repeated"\n'
    )
    result = invoke(f"{loss}::pick", "--spec", plan)
    assert result.exit_code == 1
    assert "outputs equal" in result.stdout
    assert "gradients DIFFER, by" in result.stdout


def test_a_function_that_raises_is_not_verified(loss: Path) -> None:
    result = invoke(f"{loss}::pick", "--inputs", "logits=bf16[2,8,64]; idx=3")
    assert result.exit_code == 1
    # Which error it is, and what it says, depends on the version of torch.
    assert "not verified: it raises on every input, which proves" in result.stdout


def test_a_function_without_a_finding_is_not_run(loss: Path) -> None:
    loss.write_text(SOURCE.replace(".gather(-1, idx)", ""))
    result = invoke(f"{loss}::pick", "--inputs", "logits=bf16[2,8,64]; idx=3")
    assert result.exit_code == 0
    assert "nothing to rewrite, nothing was run" in result.stdout


WRAPPED = SOURCE + "\n\ndef loss(logits, idx):\n    return pick(logits, idx).sin()\n"


def test_a_wrapper_is_run_with_the_fixes_of_its_file(loss: Path) -> None:
    loss.write_text(WRAPPED)
    inputs = "logits=bf16[2,8,64] grad; idx=i64[2,8,4]<64 repeated"
    result = invoke(f"{loss}::loss", "--inputs", inputs)
    assert result.exit_code == 1
    assert "it is run with the fixes in pick" in result.stderr
    assert "loss: 29 inputs compared" in result.stdout
    assert "gradients DIFFER" in result.stdout


def test_an_entry_in_another_file_and_the_report(loss: Path, tmp_path: Path) -> None:
    entry = loss.with_name("train.py")
    entry.write_text("import loss\ndef step(**given): return loss.pick(**given)\n")
    inputs = "logits=low[2,8,64] grad; idx=i64[2,8,4]<64 distinct"
    arguments = ("--inputs", inputs, "--entry", f"{entry}::step")
    result = invoke(f"{loss}::pick", *arguments, "--report", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "step: 87 inputs compared" in result.stdout
    document = (tmp_path / "out" / "verify.md").read_text()
    assert f"| loss.py::step | {inputs} | unsafe | cpu | 87 | equal |" in document
    assert "distillation" not in document
    data = json.loads((tmp_path / "out" / "verify.json").read_text())
    assert data["cases"][0]["peak_after"] < data["cases"][0]["peak_before"]
    assert data["environment"]["date"]


METHOD = '''
import torch


class Head(torch.nn.Module):
    def __init__(self, size=16):
        super().__init__()
        self.project = torch.nn.Linear(size, 64, dtype=torch.bfloat16)

    def forward(self, hidden, labels, scale: float = 1.0, *, keep=None):
        """hidden: [B, S, H]"""
        logits = self.project(hidden).float()
        return logits.gather(-1, labels.unsqueeze(-1)) * scale
'''


def test_a_method_by_its_plan(tmp_path: Path) -> None:
    path = tmp_path / "head.py"
    path.write_text(METHOD)
    plan = tmp_path / "verify.toml"
    plan.write_text(
        '[[function]]\nfile = "head.py"\nname = "Head.forward"\nself = "Head()"\n'
        'inputs = "hidden=bf16[2,8,16] grad; labels=i64[2,8]<64"\n'
    )
    result = invoke(f"{path}::Head.forward", "--spec", plan)
    assert result.exit_code == 0, result.output
    assert "Head.forward: 29 inputs compared" in result.stdout


def test_a_template_is_printed_where_there_are_no_inputs(tmp_path: Path) -> None:
    path = tmp_path / "head.py"
    path.write_text(METHOD)
    result = invoke(f"{path}::Head.forward")
    assert result.exit_code == 2
    assert result.stdout == (
        f"upcast-lint verify {path}::Head.forward --self 'Head(...)' "
        "--inputs 'hidden=low[2,8,16] grad; labels=i64[2,8]<64; scale=1.0'\n"
    )
    assert "nothing was verified" in result.stderr
    missed = invoke(f"{path}::forward")
    assert missed.exit_code == 2
    near = "no function `forward`; did you mean `Head.forward`?"
    assert missed.stderr == f"error: {path}: {near}\n"
    assert invoke("none.py::f").stderr == "error: none.py: No such file or directory\n"


def test_what_could_be_verified_is_listed(tmp_path: Path) -> None:
    (tmp_path / "head.py").write_text(METHOD)
    (tmp_path / "loss.py").write_text(SOURCE)
    (tmp_path / "clean.py").write_text("def f(x):\n    return x\n")
    (tmp_path / "broken.py").write_text("def f(x) float()[0]\n")
    result = invoke("--all", tmp_path)
    assert result.exit_code == 0, result.output
    first, second = result.stdout.splitlines()
    assert "head.py::Head.forward --self" in first
    assert second.endswith(
        "loss.py::pick --inputs 'logits=low[2,8,64] grad; idx=i64[2,8,4]<64'"
    )


@pytest.mark.parametrize(
    ("parameter", "item"),
    [
        ("x: Float[Tensor, 'batch seq vocab']", "x=low[2,8,64] grad"),
        ("mask", "mask=bool[2,8]"),
        ("topk_indices: torch.Tensor", "topk_indices=i64[2,8,4]<64"),
        ("temperature: float", "temperature=1.0"),
        ("reduction='mean'", "reduction='mean'"),
        ("config: Config", "config=None"),
        ("other=None", ""),
    ],
)
def test_what_a_template_guesses(tmp_path: Path, parameter: str, item: str) -> None:
    path = tmp_path / "loss.py"
    path.write_text(f"def f({parameter}): return 1\n")
    quote = '"' if "'" in item else "'"
    assert invoke(f"{path}::f").stdout.endswith(f"--inputs {quote}{item}{quote}\n")


def test_a_template_takes_the_shape_that_stands_behind_the_name(tmp_path: Path) -> None:
    path = tmp_path / "loss.py"
    path.write_text(
        "def f(logits, cols, mask, weights):\n"
        '    """logits [B, S, V], cols [B, S, K], mask and weights [B, S]."""\n'
    )
    assert invoke(f"{path}::f").stdout.endswith(
        "--inputs 'logits=low[2,8,64] grad; cols=i64[2,8,4]<64; "
        "mask=bool[2,8]; weights=low[2,8] grad'\n"
    )


def test_the_linter_rewrites_what_is_verified(tmp_path: Path) -> None:
    path = tmp_path / "loss.py"
    path.write_text(SOURCE)
    plan = tmp_path / "verify.toml"
    plan.write_text(
        '[[function]]\nfile = "loss.py"\nname = "pick"\n'
        'inputs = "logits=low[2,8,64] grad; idx=i64[2,8,4]<64 distinct"\n'
    )
    result = invoke(f"{path}::pick", "--spec", plan)
    assert result.exit_code == 0, result.output
    assert "pick: 87 inputs compared" in result.stdout
    assert path.read_text() == SOURCE
