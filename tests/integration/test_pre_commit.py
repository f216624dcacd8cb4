"""Both hooks through the real pre-commit, installed from a copy of this checkout."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import Trap

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("pre_commit") is None, reason="pre-commit is missing"
    ),
]

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "setup.py",
    ".pre-commit-hooks.yaml",
)
FOUND = """\
def pick(model, x, ids):
    logits = model(x).logits
    wide = logits.float()
    return wide.gather(-1, ids.unsqueeze(-1))
"""
MENDED = FOUND.replace("    wide = logits.float()\n", "").replace(
    "wide.gather(-1, ids.unsqueeze(-1))", "logits.gather(-1, ids.unsqueeze(-1)).float()"
)
NO_INDEX = ("No matching distribution", "Could not find a version", "ConnectionError")


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    command = ["git", *identity, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return done.stdout.decode().strip()


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--no-verify", "--allow-empty", "-m", "x")


class Hooks:
    """A pre-commit whose hooks are installed once for all tests here."""

    def __init__(self, folder: Path) -> None:
        self.hooks = folder / "hooks"
        shutil.copytree(
            ROOT / "upcast_lint",
            self.hooks / "upcast_lint",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        shutil.copytree(
            ROOT / "rules",
            self.hooks / "rules",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        for part in PARTS:
            shutil.copy(ROOT / part, self.hooks / part)
        git(self.hooks, "init", "-q")
        commit(self.hooks)
        self.revision = git(self.hooks, "rev-parse", "HEAD")
        self.home = folder / "home"

    def run(
        self, project: Path, *arguments: str, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "pre_commit", *arguments],
            cwd=project,
            env=os.environ
            | {"PRE_COMMIT_HOME": str(self.home), "PRE_COMMIT_COLOR": "never"}
            | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def configure(self, project: Path, *hooks: str, args: str = "[]") -> None:
        (project / ".pre-commit-config.yaml").write_text(
            f"repos:\n- repo: {self.hooks}\n  rev: {self.revision}\n  hooks:\n"
            + "".join(f"  - id: {hook}\n    args: {args}\n" for hook in hooks)
        )


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: Any) -> Iterator[Hooks]:
    folder = tmp_path_factory.mktemp("pre-commit")
    hooks = Hooks(folder)
    project = folder / "cold"
    project.mkdir()
    git(project, "init", "-q")
    hooks.configure(project, "upcast-lint")
    start = time.monotonic()
    done = hooks.run(project, "install-hooks")
    if done.returncode and any(words in done.stdout for words in NO_INDEX):
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stdout + done.stderr
    size = sum(each.stat().st_size for each in hooks.home.rglob("*") if each.is_file())
    print(f"cold install: {time.monotonic() - start:.1f} s, {size / 1e6:.1f} MB")
    yield hooks


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "upcast-lint.toml").write_text("width = 'any'\n")
    return tmp_path


def test_the_hooks_are_small_and_without_torch(hooks: Hooks) -> None:
    packages = next(hooks.home.glob("repo*/py_env-*/lib/python*/site-packages"))
    installed = {each.name for each in packages.iterdir()}
    assert "upcast_lint" in installed
    assert not {"torch", "numpy"} & installed
    ours = packages.glob("upcast_lint*")
    size = sum(f.stat().st_size for d in ours for f in d.rglob("*") if f.is_file())
    assert size < 5e6  # with what the interpreter compiles; libcst has 13 MB


def test_a_clean_file_passes(hooks: Hooks, project: Path) -> None:
    hooks.configure(project, "upcast-lint")
    (project / "x.py").write_text("x = 1\n")
    commit(project)
    done = hooks.run(project, "run", "--all-files")
    assert done.returncode == 0, done.stdout


def test_a_finding_fails_and_is_shown(hooks: Hooks, project: Path) -> None:
    hooks.configure(project, "upcast-lint")
    (project / "x.py").write_text(FOUND)
    commit(project)
    done = hooks.run(project, "run", "--all-files")
    assert done.returncode == 1
    assert "x.py:3:12: UPC001" in done.stdout
    assert (project / "x.py").read_text() == FOUND


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_fixing_hook_fixes_and_fails_once(
    hooks: Hooks, project: Path, end: str
) -> None:
    hooks.configure(project, "upcast-lint-fix")
    git(project, "config", "core.autocrlf", "false")
    (project / "x.py").write_bytes(FOUND.replace("\n", end).encode())
    commit(project)
    done = hooks.run(project, "run", "--all-files")
    assert done.returncode == 1
    assert "files were modified by this hook" in done.stdout
    assert "1 × UPC001 (upcast-before-gather)" in done.stdout
    assert (project / "x.py").read_bytes() == MENDED.replace("\n", end).encode()
    assert hooks.run(project, "run", "--all-files").returncode == 0


def test_an_excluded_file_that_pre_commit_names_is_left_out(
    hooks: Hooks, project: Path
) -> None:
    hooks.configure(project, "upcast-lint-fix")
    (project / "build").mkdir()
    (project / "build" / "x.py").write_text(FOUND)
    commit(project)
    assert hooks.run(project, "run", "--files", "build/x.py").returncode == 0
    assert (project / "build" / "x.py").read_text() == FOUND


def notebook(*cells: str) -> str:
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    whole = [cell | {"source": text.splitlines(keepends=True)} for text in cells]
    return json.dumps({"cells": whole, "metadata": {}, "nbformat": 4}, indent=1)


def test_notebooks_are_checked_and_fixed(hooks: Hooks, project: Path) -> None:
    (project / "n.ipynb").write_text(notebook("x = 1\n", FOUND))
    hooks.configure(project, "upcast-lint")
    commit(project)
    done = hooks.run(project, "run", "--all-files")
    assert done.returncode == 1
    assert "n.ipynb:cell 2:3:12: UPC001" in done.stdout
    hooks.configure(project, "upcast-lint-fix")
    commit(project)
    assert hooks.run(project, "run", "--all-files").returncode == 1
    assert (project / "n.ipynb").read_text() == notebook("x = 1\n", MENDED)


RISKY = FOUND.replace("ids.unsqueeze(-1)", "ids")


def test_both_hooks_say_nothing_twice(hooks: Hooks, project: Path) -> None:
    hooks.configure(project, "upcast-lint-fix", "upcast-lint")
    (project / "x.py").write_text(FOUND)
    (project / "y.py").write_text(RISKY)
    commit(project)
    done = hooks.run(project, "run", "--all-files")
    assert done.returncode == 1
    for words in ("1 × UPC001", "y.py:3:12: UPC001"):
        assert done.stdout.count(words) == 1
    assert "x.py:3" not in done.stdout
    assert (project / "x.py").read_text() == MENDED
    done = hooks.run(project, "run", "--all-files")
    assert done.stdout.count("UPC001") == 1


def test_what_nobody_can_fix_need_not_fail_a_commit(
    hooks: Hooks, project: Path
) -> None:
    hooks.configure(project, "upcast-lint", args="[--fail-on, safe]")
    (project / "y.py").write_text(RISKY)
    commit(project)
    assert hooks.run(project, "run", "--all-files").returncode == 0
    (project / "x.py").write_text(FOUND)
    commit(project)
    assert hooks.run(project, "run", "--all-files").returncode == 1


def test_what_is_staged_is_fixed_and_what_is_not_stays(
    hooks: Hooks, project: Path
) -> None:
    """They are far enough from each other; else pre-commit takes the fix back."""
    hooks.configure(project, "upcast-lint-fix", "upcast-lint")
    pad = "".join(f"x{number} = {number}\n" for number in range(20))
    (project / "x.py").write_text(pad)
    commit(project)
    (project / "x.py").write_text(FOUND + pad)
    git(project, "add", "x.py")
    (project / "x.py").write_text(FOUND + pad + "y = 2\n")
    assert hooks.run(project, "run").returncode == 1
    assert (project / "x.py").read_text() == MENDED + pad + "y = 2\n"
    assert git(project, "show", ":x.py") == (FOUND + pad).strip()


def test_nothing_of_the_project_is_run(
    hooks: Hooks, project: Path, tmp_path_factory: Any
) -> None:
    trap = Trap(tmp_path_factory.mktemp("hostile"))
    for name in ("git", "python", "python3", "pip"):
        (trap.checkout / name).unlink()
    shutil.copytree(trap.checkout, project, dirs_exist_ok=True)
    hooks.configure(project, "upcast-lint-fix", "upcast-lint")
    git(project, "add", "-A", "-f")
    done = hooks.run(project, "run", "--all-files")
    assert "Fixed in new.py" in done.stdout
    assert trap.sprung == []


def test_other_files_are_not_handed_over(hooks: Hooks, project: Path) -> None:
    hooks.configure(project, "upcast-lint")
    (project / "notes.md").write_text(FOUND)
    commit(project)
    assert "no files to check" in hooks.run(project, "run", "--all-files").stdout


def test_a_merge_commit_checks_only_what_it_resolved(
    hooks: Hooks, project: Path
) -> None:
    hooks.configure(project, "upcast-lint")
    (project / "x.py").write_text("x = 1\n")
    (project / "old.py").write_text(FOUND)
    commit(project)
    git(project, "checkout", "-q", "-b", "topic")
    (project / "x.py").write_text("x = 2\n")
    commit(project)
    git(project, "checkout", "-q", "main")
    (project / "x.py").write_text("x = 3\n")
    commit(project)
    assert hooks.run(project, "install").returncode == 0
    with pytest.raises(subprocess.CalledProcessError):
        git(project, "merge", "-q", "topic")
    (project / "x.py").write_text("x = 4\n")
    git(project, "add", "x.py")
    environment = os.environ | {"PRE_COMMIT_HOME": str(hooks.home)}
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    done = subprocess.run(
        ["git", *identity, "commit", "-q", "--no-edit"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
