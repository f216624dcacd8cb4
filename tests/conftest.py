"""Fixtures for what is around the engine: a stand-in for it, and a command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import fake_engine
from upcast_lint import linter

ROOT = Path(__file__).resolve().parent.parent

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


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
