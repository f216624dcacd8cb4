"""What a run said, said again where nothing that it rests on has changed since.

A run to which every result was known leaves a record: what it printed, its exit code,
and a stamp of each file and folder that it looked at or would have, of settings, of
patterns of git and of our own code, too. While the stamps are the same, so is the
answer, and it is given in less time than it takes to import the command. For that
nothing is imported here that Python has not imported itself.

A record is made only where all that it rests on is older than the run. One of another
command line, folder, terminal, version or Python is none; nor is one that is damaged.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterable
from zlib import crc32

from . import __version__
from .files import read_regular

FOLDER = ".upcast_lint_cache"
# A file changed twice within the clock's grain can keep its time.
CLOCK_GRAIN_NS = 2_000_000_000


class _TooNew(ValueError):
    """What was changed just now may change again and look the same."""


def replay() -> int | None:
    """Print what the last such run printed; its exit code, or None without a record."""
    start = time.perf_counter()
    try:
        key = _key()
        data, _ = read_regular(os.path.join(FOLDER, _name(key)))
        checksum, _, body = data.partition(b"\0")
        if checksum != _checksum(body):
            return None
        known, code, before, after, *stamps = body.split(b"\0")
        if known != key:
            return None
        for path, stamp in zip(stamps[::2], stamps[1::2], strict=True):
            if stamp != _stamp(path, None):
                return None
        took = took_text(time.perf_counter() - start).encode() if after else b""
        if sys.stdout is not None:
            os.write(sys.stdout.fileno(), before + took + after)
        return int(code)
    except (OSError, ValueError):  # what is wrong is said by a run
        return None


def record(
    started_ns: int, paths: Iterable[str], printed: tuple[str, str], code: int
) -> tuple[str, bytes] | None:
    """The record of a run that looked at `paths`, and its name; None if there is none.

    It printed two parts, between which the time stands that it took, or the first.
    """
    key = _key()
    fields = [key, b"%d" % code, *(each.encode() for each in printed)]
    try:
        for path in map(os.fsencode, dict.fromkeys(paths)):
            fields += (path, _stamp(path, started_ns - CLOCK_GRAIN_NS))
    except (OSError, _TooNew):
        return None
    body = b"\0".join(fields)
    return _name(key), _checksum(body) + b"\0" + body


def took_text(seconds: float) -> str:
    """How a report says how long a run took."""
    return f"in {seconds:.1f} s"


def _key() -> bytes:
    has_terminal = sys.stdout is not None and sys.stdout.isatty()
    colors = (os.environ.get(name) for name in ("NO_COLOR", "FORCE_COLOR"))
    here = os.path.dirname(os.path.abspath(__file__))
    about = (__version__, sys.version, here, os.getcwd(), has_terminal, *colors)
    return repr((*about, *sys.argv[1:])).encode("ascii", "backslashreplace")


def _name(key: bytes) -> str:
    return f"{crc32(key):08x}.replay"


def _checksum(body: bytes) -> bytes:
    return b"%08x" % crc32(body)


def _stamp(path: bytes, limit_ns: int | None) -> bytes:
    """What is different after each change; raises _TooNew for one since the limit."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return b"-"
    names: list[bytes] = []
    if stat.S_ISDIR(status.st_mode):
        if path.endswith(b"/.git"):
            return b"+"  # it changes all the time, and no more of it matters
        names = sorted(os.listdir(path))
    times = status.st_mtime_ns, status.st_ctime_ns
    if limit_ns is not None and max(times) > limit_ns:
        raise _TooNew
    return b"%d %d %d/%b" % (status.st_size, *times, b"/".join(names))
