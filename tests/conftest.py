"""Fixtures for what is around the engine: a stand-in for it, and a command line.

What a test sees of its surroundings does not depend on who started pytest, so what is
inherited is put aside here, before any test.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import fake_engine
from upcast_lint import linter

ROOT = Path(__file__).resolve().parent.parent

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]

# A git hook, an action's runner, a coloured terminal, and our own settings.
_INHERITED = ("GIT_", "GITHUB_", "RUNNER_", "PRE_COMMIT", "UPCAST_LINT_", "_UPCAST_")
_INHERITED_NAMES = ("NO_COLOR", "FORCE_COLOR")


def pytest_configure() -> None:
    # What is started in the background inherits that interrupts are ignored; children
    # of a process that answers them answer them, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in list(os.environ):
        if name.startswith(_INHERITED) or name in _INHERITED_NAMES:
            del os.environ[name]
    os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture
def toy_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linter, "lint", fake_engine.lint)
    monkeypatch.setattr(linter, "mend", fake_engine.mend)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def toy(project: Path) -> Run:
    """Runs the command line with the stand-in engine, in a process of its own."""

    def run(
        *arguments: str, input: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        clean = {k: v for k, v in os.environ.items() if not k.endswith("_COLOR")}
        return subprocess.run(
            [sys.executable, "-m", "tests.fake_engine", *arguments],
            cwd=project,
            env=clean | {"PYTHONPATH": str(ROOT)} | environment,
            input=input,
            capture_output=True,
            check=False,
            timeout=60,
        )

    return run
