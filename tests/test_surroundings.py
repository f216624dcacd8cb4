"""The tests hold however pytest was started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run(*tests: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=ROOT,
        env=os.environ | environment,
        preexec_fn=ignore_interrupts,
        capture_output=True,
        text=True,
        check=False,
    )


def test_in_the_background_where_interrupts_are_ignored() -> None:
    done = run("tests/test_interrupts.py", "tests/cli/test_interrupted.py")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_from_a_hook_of_git_on_a_runner_of_github(tmp_path: Path) -> None:
    done = run(
        "tests/integration/test_action.py::test_without_a_pull_request_everything_is_checked",
        "tests/cli/test_git.py::test_an_untracked_file_is_new_as_a_whole",
        "tests/cli/test_check.py::test_a_finding_exits_1",
        GIT_DIR=str(tmp_path),
        GIT_INDEX_FILE=str(tmp_path / "index"),
        GITHUB_BASE_REF="main",
        GITHUB_STEP_SUMMARY=str(tmp_path / "summary"),
        FORCE_COLOR="1",
        UPCAST_LINT_PATHS="nowhere",
    )
    assert done.returncode == 0, done.stdout
    assert list(tmp_path.iterdir()) == []
