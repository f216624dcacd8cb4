"""Run a command that is not trusted to end, and see to it that it does.

    python -m upcast_lint.verify.watch SECONDS BYTES COMMAND …

Prints how it ended. What the command starts is killed with it, also what has left its
session: this process adopts whatever loses its parent (`PR_SET_CHILD_SUBREAPER`), and
does not end before the last of them. Memory is what all of them hold together and share
with nobody. Both need Linux; elsewhere the caller kills the session, and memory has the
limit alone that the command sets itself.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_PROCESSES = Path("/proc")
_ROUNDS = 200
_PAUSE = 0.05


def main(arguments: list[str]) -> int:
    seconds, size, *command = arguments
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that `finally` runs
    _adopt_orphans()
    _limit_files(int(size))
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        print(_watched(process, float(seconds), int(size)), flush=True)
    finally:
        _end(process)
    return 0


def _watched(process: subprocess.Popen[bytes], seconds: float, size: int) -> str:
    parent = os.getppid()
    end = time.monotonic() + seconds
    while process.poll() is None:
        if time.monotonic() > end:
            return f"took longer than {seconds:g} s"
        if os.getppid() != parent:
            return "nobody waits for it"
        if sum(map(_own_memory, _descendants())) > size:
            return f"took more than {size / 2**30:.3g} GiB of memory"
        time.sleep(_PAUSE)
    code = process.returncode
    return f"ended by signal {-code}" if code < 0 else f"exit code {code}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the command and all that it started, which may start more meanwhile."""
    with contextlib.suppress(OSError):
        process.kill()
    for _ in range(_ROUNDS):
        left = list(_descendants())
        for number in left:
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not left:
            return
        time.sleep(0.005)


def _adopt_orphans() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _limit_files(size: int) -> None:
    """No file that the command writes may be larger than its memory."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _descendants() -> Iterator[int]:
    """The processes below this one."""
    children: dict[int, list[int]] = {}
    for folder in _PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name of the program, in brackets, may hold anything.
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2]
            children.setdefault(int(fields.split()[1]), []).append(int(folder.name))
    pending = [os.getpid()]
    while pending:
        below = children.get(pending.pop(), [])
        pending += below
        yield from below


def _own_memory(number: int) -> int:
    """Bytes that a process holds and shares with no other."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = (_PROCESSES / str(number) / "statm").read_text().split()
        return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
