"""The GitHub action's script, with the runner's variables and files simulated."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.hostile import FOUND, Trap
from tests.schemas import published_schema

ROOT = Path(__file__).resolve().parents[2]


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    command = ["git", *identity, *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def commit(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", name)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A shallow checkout of a pull request that adds a file beside an old finding."""
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-q", "-b", "main")
    commit(origin, "upcast-lint.toml", "width = 'any'\n")
    commit(origin, "old.py", FOUND)
    git(origin, "checkout", "-q", "-b", "topic")
    commit(origin, "new.py", FOUND)
    commit(origin, "clean.py", "x = 1\n")
    options = ("--depth=1", "--branch=topic", "--single-branch")
    git(tmp_path, "clone", "-q", *options, origin.as_uri(), "checkout")
    return tmp_path / "checkout"


class Step:
    """One run of the script and what it left in the runner's files."""

    def __init__(self, checkout: Path, **variables: str) -> None:
        temporary = checkout.parent / "runner"
        temporary.mkdir(exist_ok=True)
        files = {
            name: str(temporary / name)
            for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")
        }
        done = subprocess.run(
            [sys.executable, "-I", str(ROOT / "action" / "check.py")],
            cwd=checkout,
            env=os.environ | files | {"RUNNER_TEMP": str(temporary)} | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        self.code, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        summary, output = (Path(path) for path in files.values())
        self.summary = summary.read_text(encoding="utf-8") if summary.exists() else ""
        lines = output.read_text().splitlines() if output.exists() else []
        self.outputs = dict(line.split("=", 1) for line in lines)


def test_a_pull_request_is_told_of_what_it_adds(checkout: Path) -> None:
    step = Step(checkout, GITHUB_BASE_REF="main")
    assert step.code == 1, step.stderr
    annotations = re.findall(r"^::error file=(.*?),line=(\d+)", step.stdout, re.M)
    assert annotations == [("new.py", "3")]
    assert step.outputs["findings"] == "1"
    assert "<code>new&#46;py&#58;3</code>" in step.summary
    assert "old&#46;py" not in step.summary


def test_without_a_pull_request_everything_is_checked(checkout: Path) -> None:
    assert Step(checkout).outputs["findings"] == "2"


def test_a_base_of_ones_own(checkout: Path) -> None:
    assert Step(checkout, UPCAST_LINT_BASE="HEAD").outputs["findings"] == "0"


def test_a_clean_change_passes_and_says_so(checkout: Path) -> None:
    step = Step(checkout, UPCAST_LINT_PATHS="clean.py")
    assert (step.code, step.stdout) == (0, "")
    assert "No upcast" in step.summary


def test_several_paths(checkout: Path) -> None:
    step = Step(checkout, UPCAST_LINT_PATHS="clean.py\nnew.py\n")
    assert step.outputs["findings"] == "1"


@pytest.mark.parametrize("text", ["false", "False", "FALSE", "no", "Off", "0"])
def test_findings_need_not_fail_the_step(checkout: Path, text: str) -> None:
    assert Step(checkout, UPCAST_LINT_FAIL_ON_FINDINGS=text).code == 0


@pytest.mark.parametrize("text", ["true", "True", "YES", "on", "1", ""])
def test_findings_fail_the_step(checkout: Path, text: str) -> None:
    assert Step(checkout, UPCAST_LINT_FAIL_ON_FINDINGS=text).code == 1


def test_findings_that_nobody_can_fix_need_not_fail_the_step(checkout: Path) -> None:
    step = Step(checkout, UPCAST_LINT_FAIL_ON="safe")
    assert (step.code, step.outputs["findings"]) == (1, "2")
    (checkout / "new.py").write_text(FOUND.replace("ids.unsqueeze(-1)", "ids"))
    (checkout / "old.py").unlink()
    step = Step(checkout, UPCAST_LINT_FAIL_ON="safe")
    assert (step.code, step.outputs["findings"]) == (0, "1")
    assert "new.py" in step.stdout  # it is annotated all the same
    assert Step(checkout, UPCAST_LINT_FAIL_ON="unsafe").code == 1


def test_inputs_that_become_options(checkout: Path) -> None:
    assert Step(checkout, UPCAST_LINT_SELECT="UPC002,UPC9").outputs["findings"] == "0"
    assert Step(checkout, UPCAST_LINT_WIDTH="vocab").outputs["findings"] == "0"
    (checkout / "ci.toml").write_text("exclude = ['old.py']\nwidth = 'any'\n")
    assert Step(checkout, UPCAST_LINT_CONFIG="ci.toml").outputs["findings"] == "1"
    args = "--extend-exclude 'old.py,a b' --no-cache"
    assert Step(checkout, UPCAST_LINT_ARGS=args).outputs["findings"] == "1"
    command = [sys.executable, "-I", "-m", "upcast_lint", "check", "old.py"]
    subprocess.run([*command, "--write-baseline", "b.json"], cwd=checkout, check=True)
    assert Step(checkout, UPCAST_LINT_BASELINE="b.json").outputs["findings"] == "1"


MISTAKES = [
    ({"PATHS": "missing"}, "no such file: missing"),
    ({"FAIL_ON_FINDINGS": "maybe"}, "`fail-on-findings` is neither true nor false"),
    ({"UPLOAD_SARIF": "si"}, "`upload-sarif` is neither true nor false: si"),
    ({"ARGS": "--exclude 'x"}, "the input `args`: No closing quotation"),
    ({"ARGS": "-- x"}, "the input `args` is for options"),
    ({"ARGS": "--nonsense"}, "no such option: --nonsense"),
    ({"CONFIG": "no.toml"}, "no.toml: No such file or directory"),
    ({"BASELINE": "no.json"}, "no.json: No such file or directory"),
    ({"SELECT": "UPC7"}, "unknown rule `UPC7`"),
    ({"FAIL_ON": "all"}, "'all' is not one of"),
    ({"SARIF_FILE": "no/out.sarif"}, "no/out.sarif: No such file or directory"),
    ({"BASE": "no-such"}, "no such revision: no-such"),
]


@pytest.mark.parametrize(("inputs", "words"), MISTAKES)
def test_a_mistake_is_one_line_and_fails_the_step(
    checkout: Path, inputs: dict[str, str], words: str
) -> None:
    off = {"UPCAST_LINT_FAIL_ON_FINDINGS": "false"}
    named = {f"UPCAST_LINT_{name}": text for name, text in inputs.items()}
    step = Step(checkout, **(off | named))
    assert step.code == 2
    errors = [
        line
        for line in (step.stdout + step.stderr).splitlines()
        if not line.startswith("::error file=")
    ]
    assert len(errors) == 1, errors
    assert errors[0].startswith("::error title=upcast-lint::") and words in errors[0]


def test_a_fetch_that_fails_is_one_line(checkout: Path, tmp_path: Path) -> None:
    step = Step(checkout, GITHUB_BASE_REF="no-such-branch")
    assert (step.code, step.stderr) == (2, "")
    (line,) = step.stdout.splitlines()
    assert line.startswith("::error title=upcast-lint::git fetch failed: couldn't find")
    git(checkout, "remote", "set-url", "origin", str(tmp_path / "gone"))
    (line,) = Step(checkout, GITHUB_BASE_REF="main").stdout.splitlines()
    assert line.startswith("::error title=upcast-lint::git fetch failed: ")
    assert "does not appear to be a git repository" in line


def test_without_a_checkout_there_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    (line,) = Step(folder, GITHUB_BASE_REF="main").stdout.splitlines()
    assert "git rev-parse failed: not a git repository" in line


def test_a_file_that_cannot_be_checked_does_not_hide_the_others(
    checkout: Path,
) -> None:
    (checkout / "bad.py").write_text("def f(:\n")
    step = Step(checkout)
    assert (step.code, step.outputs["findings"]) == (1, "3")


def test_sarif_is_written_where_asked_or_for_the_upload(checkout: Path) -> None:
    step = Step(checkout, UPCAST_LINT_SARIF_FILE="out.sarif")
    document = json.loads((checkout / step.outputs["sarif-file"]).read_text())
    assert len(document["runs"][0]["results"]) == 2
    step = Step(checkout, UPCAST_LINT_UPLOAD_SARIF="True")
    assert Path(step.outputs["sarif-file"]).is_file()
    assert step.outputs["upload-sarif"] == "true"


def test_names_cannot_write_the_summary(checkout: Path) -> None:
    (checkout / "a|<b>&@x[y](z)`.py").write_text(FOUND)
    step = Step(checkout)
    row = next(line for line in step.summary.splitlines() if "a&#124;" in line)
    shown = "a&#124;&#60;b&#62;&#38;&#64;x&#91;y&#93;(z)&#96;&#46;py&#58;3"
    assert f"<code>{shown}</code>" in row
    assert row.count("|") == 6


def test_code_in_a_message_is_shown_as_it_is(checkout: Path) -> None:
    """Entities say what they stand for in an element, and not between backticks."""
    (checkout / "new.py").write_text(FOUND.replace("wide", "wide_*logits*_"[:5]))
    step = Step(checkout)
    assert "<code>logits</code> is upcast to float32 whole" in step.summary
    assert "`" not in step.summary.partition("|---|")[2]


def test_the_summary_says_what_can_be_done_and_where(checkout: Path) -> None:
    step = Step(
        checkout,
        GITHUB_SERVER_URL="https://github.com",
        GITHUB_REPOSITORY="a/b",
        GITHUB_SHA="abc",
    )
    assert "**2 findings**" in step.summary
    assert "2 fixed by `upcast-lint check --fix`, 0 more" in step.summary
    link = '<a href="https://github.com/a/b/blob/abc/new.py#L3"><code>new&#46;py&#58;3'
    assert link in step.summary


def test_the_action_is_what_github_takes() -> None:
    yaml = pytest.importorskip("yaml")
    action: Any = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    schema = published_schema("creating-actions/metadata-syntax-for-github-actions")
    jsonschema.Draft7Validator(schema).validate(action)
    scripts = [step.get("run", "") for step in action["runs"]["steps"]]
    assert not any("${{" in script for script in scripts)  # nothing to inject into


def scripts() -> list[str]:
    yaml = pytest.importorskip("yaml")
    action: Any = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return [step["run"] for step in action["runs"]["steps"] if "run" in step]


def test_the_action_installs_itself_and_nothing_by_name(tmp_path: Path) -> None:
    """A name could be registered by somebody else."""
    bin = tmp_path / "upcast-lint" / "bin"
    bin.mkdir(parents=True)
    for name in (bin / "python", tmp_path / "python3"):
        name.write_text('#!/bin/sh\necho "$PWD" "$@"\n')
        name.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "RUNNER_TEMP": str(tmp_path),
        "UPCAST_LINT_ACTION": "/the/action",
    }
    command = ["bash", "-e", "-c", scripts()[0]]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    lines = done.stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == [str(tmp_path)] * 2
    assert lines[1].split()[-1] == "/the/action"


NO_INDEX = ("No matching distribution", "Could not find a version", "ConnectionError")


@pytest.mark.slow
def test_the_steps_run_nothing_of_a_hostile_pull_request(
    tmp_path: Path, checkout: Path
) -> None:
    """The whole action, as the runner has it, with PYTHONPATH at its worst."""
    trap = Trap(tmp_path / "hostile")
    shutil.copytree(trap.checkout, checkout, dirs_exist_ok=True)
    git(checkout, "add", "-A", "-f")
    git(checkout, "commit", "-q", "-m", "hostile")
    action = tmp_path / "action"
    for part in ("upcast_lint", "rules", "action"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / part, action / part, ignore=ignored)
    for part in ("LICENSE", "README.md", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / part, action)
    runner = tmp_path / "runner"
    runner.mkdir()
    environment = os.environ | {
        "RUNNER_TEMP": str(runner),
        "GITHUB_STEP_SUMMARY": str(runner / "summary"),
        "GITHUB_OUTPUT": str(runner / "output"),
        "GITHUB_BASE_REF": "main",
        "UPCAST_LINT_ACTION": str(action),
        "PYTHONPATH": f":{checkout}",
    }
    ran = []
    for script in scripts():
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
            cwd=checkout,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if any(words in done.stderr for words in NO_INDEX):
            pytest.skip("the package index cannot be reached")
        ran.append(done)
    assert trap.sprung == []
    assert [done.returncode for done in ran] == [0, 1]
    assert ran[1].stderr == ""
    assert "new&#46;py" in (runner / "summary").read_text()


@pytest.mark.parametrize(
    ("line", "groups"),
    [
        (
            "src/a.py:42:5: UPC001 [*] `x` is upcast",
            ("src/a.py", "42", "5", "UPC001", "`x` is upcast"),
        ),
        (
            "C:\\a.py:1:2: UPC900 not checked: x",
            ("C:\\a.py", "1", "2", "UPC900", "not checked: x"),
        ),
    ],
)
def test_the_problem_matcher_reads_concise_lines(
    line: str, groups: tuple[str, ...]
) -> None:
    matches = matched(line)
    assert matches == [("upcast-lint", groups)]


def test_the_problem_matcher_gives_a_cell_no_line_of_the_file() -> None:
    line = "a/n.ipynb:cell 3:5:1: UPC001 [!] y"
    assert matched(line) == [
        ("upcast-lint-notebook", ("a/n.ipynb", "cell 3:5:1: UPC001 [!] y", "UPC001"))
    ]


@pytest.mark.parametrize("line", ["Found 1 finding in 1 of 1 file.", "a: b", ""])
def test_the_problem_matcher_passes_other_lines_by(line: str) -> None:
    assert matched(line) == []


def matched(line: str) -> list[tuple[str, tuple[str, ...]]]:
    """The matchers that take a line, and their groups; as on GitHub, any may."""
    matchers = json.loads((ROOT / "problem-matcher.json").read_text())["problemMatcher"]
    found = []
    for matcher in matchers:
        (pattern,) = matcher["pattern"]
        match = re.match(pattern["regexp"], line)
        if match is not None:
            found.append((matcher["owner"], match.groups()))
    return found
