"""Read files from a tree that a stranger may have made."""

from __future__ import annotations

import errno
import os
import stat
from typing import NamedTuple


class Status(NamedTuple):
    """Of a file what is asked of each one; a whole `os.stat_result` takes 1 KiB."""

    st_size: int
    st_mtime_ns: int


def read_regular(path: str) -> tuple[bytes, os.stat_result]:
    """The content of a file, and its status as it was read.

    Raises OSError, with a `strerror`, also for pipes, devices and folders.
    """
    # Without O_NONBLOCK, opening a pipe that nobody writes to would hang.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        data = os.read(descriptor, status.st_size + 1)
        if len(data) != status.st_size:  # it grows, or comes in parts
            with open(descriptor, "rb", closefd=False) as file:
                data += file.read()
        return data, status
    finally:
        os.close(descriptor)
