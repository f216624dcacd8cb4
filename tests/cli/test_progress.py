from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

from upcast_lint.cli import progress

ROOT = Path(__file__).resolve().parents[2]


def on_a_terminal(project: Path, *options: str, columns: int = 0) -> bytes:
    """What a run over many files writes to a terminal on stderr."""
    parent, child = pty.openpty()
    termios.tcsetwinsize(child, (24, columns))
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


@pytest.mark.parametrize(("columns", "width"), [(0, 79), (20, 19), (200, 199)])
def test_a_line_fits_the_terminal_also_where_that_reports_no_width(
    project: Path, columns: int, width: int
) -> None:
    for number in range(120):
        (project / f"{'long' * 50}{number}.py").write_text("x = 1\n")
    lines = on_a_terminal(project, columns=columns).split(b"\r\x1b[K")
    assert {len(line) for line in lines if line} == {width}


def test_a_terminal_that_does_not_answer_is_of_the_usual_width(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(descriptor: int) -> os.terminal_size:
        raise OSError(25, "Inappropriate ioctl for device")

    monkeypatch.setattr("upcast_lint.cli.progress.os.get_terminal_size", refuse)
    assert progress._width() == 80


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
