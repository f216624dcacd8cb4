"""Files that are not what they seem, or do not stay so, under the real command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from upcast_lint import runner
from upcast_lint.checker import Job
from upcast_lint.config import Config, ConfigFinder, Settings
from upcast_lint.discovery import Discovery, Exclusion
from upcast_lint.runner import Task, check_file
from upcast_lint.writer import digest, write

from .support import COMMAND, FUNCTION, environment, run_check

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits memory by address")


@pytest.fixture
def task(tmp_path: Path) -> Task:
    path = tmp_path / "x.py"
    path.write_text(FUNCTION)
    return Task("x.py", str(path), path.stat(), Job())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "Permission denied"), "Permission denied"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (MemoryError(), "larger than the memory"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    task: Task, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(runner.os, "open", fail)
    outcome = check_file(task)
    assert (outcome.unread, outcome.failure) == (words, None)
    assert outcome.checked.findings == ()


def test_a_pipe_in_the_files_place_is_not_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.py")
    with pytest.raises(OSError, match="not a regular file"):
        write(str(tmp_path / "x.py"), b"new", digest(b"old"))


def test_a_pipe_as_an_ignore_file_is_passed_by(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "x.py").write_text(FUNCTION)
    finder = ConfigFinder(Config(Settings(), str(tmp_path)))
    found = Discovery(finder, Exclusion()).find([str(tmp_path)])
    assert [Path(each.path).name for each in found] == ["x.py"]


@LINUX
def test_a_file_that_needs_more_memory_than_there_is_is_named(tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text(FUNCTION + "x = [" + "[]," * 1_000_000 + "]\n")
    (tmp_path / "good.py").write_text(FUNCTION)
    limited = "import resource, runpy, sys; size = 300 << 20;"
    limited += "resource.setrlimit(resource.RLIMIT_AS, (size, size));"
    limited += "sys.argv[0] = 'x'; runpy.run_module('upcast_lint', run_name='__main__')"
    command = (sys.executable, "-c", limited, *COMMAND[3:])
    _, found, stderr = run_check(tmp_path, "-j", "2", "--width", "any", command=command)
    assert found.pop("good.py") == {"UPC001"}
    assert found == {"large.py": {"UPC900"}} or "error: large.py: " in stderr


@LINUX
def test_when_only_the_parent_is_killed_its_workers_end(tmp_path: Path) -> None:
    for number in range(400):
        (tmp_path / f"f{number}.py").write_text(FUNCTION * 20)
    process = subprocess.Popen(
        [*COMMAND, "-j", "2", "--width", "any"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + 30
    while len(children.read_text().split()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)  # ends once no worker holds the pipe any more
