"""The GitHub action's script, with the runner's variables and files simulated."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.schemas import published_schema

ROOT = Path(__file__).resolve().parents[2]
FOUND = """\
def pick(model, x, ids):
    logits = model(x).logits
    wide = logits.float()
    return wide.gather(-1, ids.unsqueeze(-1))
"""


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
            [sys.executable, str(ROOT / "action" / "check.py")],
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
    assert "new.py:3" in step.summary
    assert "old.py" not in step.summary


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


def test_findings_need_not_fail_the_step(checkout: Path) -> None:
    assert Step(checkout, UPCAST_LINT_FAIL="false").code == 0


def test_a_mistake_fails_the_step(checkout: Path) -> None:
    step = Step(checkout, UPCAST_LINT_PATHS="missing", UPCAST_LINT_FAIL="false")
    assert step.code == 2
    assert "no such file" in step.stderr


def test_sarif_is_written_where_asked_or_for_the_upload(checkout: Path) -> None:
    step = Step(checkout, UPCAST_LINT_SARIF="out.sarif")
    document = json.loads((checkout / step.outputs["sarif-file"]).read_text())
    assert len(document["runs"][0]["results"]) == 2
    step = Step(checkout, UPCAST_LINT_UPLOAD="true")
    assert Path(step.outputs["sarif-file"]).is_file()


def test_names_cannot_write_the_summary(checkout: Path) -> None:
    (checkout / "a|<b>&@x[y](z).py").write_text(FOUND)
    step = Step(checkout)
    row = next(line for line in step.summary.splitlines() if "a&#124;" in line)
    assert "a&#124;&#60;b&#62;&#38;&#64;x&#91;y&#93;(z).py:3" in row
    assert row.count("|") == 6


def test_the_action_is_what_github_takes() -> None:
    yaml = pytest.importorskip("yaml")
    action: Any = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    schema = published_schema("creating-actions/metadata-syntax-for-github-actions")
    jsonschema.Draft7Validator(schema).validate(action)
    scripts = [step.get("run", "") for step in action["runs"]["steps"]]
    assert not any("${{" in script for script in scripts)  # nothing to inject into


@pytest.mark.parametrize(
    ("version", "package"), [("", "/the/action"), ("1.2", "upcast-lint==1.2")]
)
def test_what_the_action_installs(tmp_path: Path, version: str, package: str) -> None:
    yaml = pytest.importorskip("yaml")
    action: Any = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    script = action["runs"]["steps"][0]["run"]
    bin = tmp_path / "upcast-lint" / "bin"
    bin.mkdir(parents=True)
    for name in (bin / "pip", tmp_path / "python3"):
        name.write_text('#!/bin/sh\necho "$@"\n')
        name.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "RUNNER_TEMP": str(tmp_path),
        "UPCAST_LINT_VERSION": version,
        "UPCAST_LINT_ACTION": "/the/action",
    }
    done = subprocess.run(
        ["bash", "-e", "-c", script], env=environment, capture_output=True, check=True
    )
    assert done.stdout.decode().split()[-1] == package


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
        (
            "n.ipynb:cell 3:5:1: UPC001 [!] y",
            ("n.ipynb:cell 3", "5", "1", "UPC001", "y"),
        ),
    ],
)
def test_the_problem_matcher_reads_concise_lines(
    line: str, groups: tuple[str, ...]
) -> None:
    matcher = json.loads((ROOT / "problem-matcher.json").read_text())
    (pattern,) = matcher["problemMatcher"][0]["pattern"]
    match = re.match(pattern["regexp"], line)
    assert match is not None
    assert match.groups() == groups
