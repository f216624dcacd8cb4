from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def on_a_terminal(project: Path, *options: str) -> bytes:
    """What a run over many files writes to a terminal on stderr."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fake_engine", "check", "--no-cache", *options],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TOY_DELAY": "0.005"},
        stdout=subprocess.DEVNULL,
        stderr=child,
    )
    os.close(child)
    written = b""
    while True:
        try:
            data = os.read(parent, 4096)
        except OSError:  # how Linux says that the other end is closed
            break
        if not data:
            break
        written += data
    assert process.wait() == 0
    os.close(parent)
    return written


@pytest.fixture
def many(project: Path) -> Path:
    for number in range(120):
        (project / f"f{number}.py").write_text("x = 1\n")
    (project / "f0\x1b.py").write_text("")
    return project


def test_a_terminal_sees_how_far_the_run_is(many: Path) -> None:
    written = on_a_terminal(many)
    assert b" of 121 files  f" in written
    assert written.endswith(b"\r\x1b[K")
    assert b"f0\x1b" not in written


def test_a_quiet_run_shows_nothing(many: Path) -> None:
    assert on_a_terminal(many, "-q") == b""


def test_a_short_run_shows_nothing(project: Path) -> None:
    (project / "x.py").write_text("x = 1\n")
    assert on_a_terminal(project) == b""


def test_a_pipe_sees_nothing(many: Path, toy: Any) -> None:
    assert toy("check", "--no-cache").stderr == b""


def test_verbose_names_the_slowest_files(many: Path, toy: Any) -> None:
    lines = toy("check", "--no-cache", "-v", TOY_DELAY="0.001").stderr.splitlines()
    assert len([line for line in lines if line.startswith(b"note: f")]) == 5
