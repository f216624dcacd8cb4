"""Replace a file's content so that it is the old or the new one, whole, at any time.

The new content goes to a temporary file in the same folder, which then takes the
place of the old. A file with several hard links is written in place instead, since
replacing it would split it from the others; so is one whose owner could not be kept.
There the old content is put back if anything goes wrong.
"""

from __future__ import annotations

import os
import stat

from .files import read_regular


class Changed(Exception):
    """The file is not the one that was read."""


def reason(error: Changed | OSError) -> str:
    """Why nothing was written, without the number of an error."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def digest(data: bytes) -> str:
    """A hash that tells contents apart."""
    from hashlib import blake2b  # loads OpenSSL, which most small runs can spare

    return blake2b(data, digest_size=16).hexdigest()


def write(path: str, data: bytes, read_digest: str) -> None:
    """Make `data` the content of `path`, where `read_digest` was read before.

    A symbolic link is kept and the file that it leads to is written. Raises Changed,
    or OSError; the file is then as it was.
    """
    path = os.path.realpath(path)
    old, status = read_regular(path)
    if digest(old) != read_digest:
        raise Changed("changed since it was read")
    if not os.access(path, os.W_OK):  # the folder alone would let it be replaced
        raise PermissionError("is read-only")
    if status.st_nlink > 1 or not _replace(path, data, status):
        _overwrite(path, data, old)


def put(path: str, data: bytes) -> None:
    """Make `data` the content of `path`, which may be new. Raises as `write` does."""
    try:
        old, _ = read_regular(path)
    except FileNotFoundError:
        with open(path, "wb") as file:
            file.write(data)
    else:
        write(path, data, digest(old))


def _replace(path: str, data: bytes, status: os.stat_result) -> bool:
    """False, with nothing done, where the new file could not have the old's owner."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name[:100]}.{os.getpid()}.upcast-lint")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o600)
    try:
        with open(descriptor, "wb") as file:
            if not _keep_owner(descriptor, status):
                os.unlink(temporary)
                return False
            file.write(data)
        os.chmod(temporary, stat.S_IMODE(status.st_mode))
        os.replace(temporary, path)
    except BaseException:  # an interrupt, too, must not leave the temporary file
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    return True


def _keep_owner(descriptor: int, status: os.stat_result) -> bool:
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) == (status.st_uid, status.st_gid):
        return True
    try:
        os.chown(descriptor, status.st_uid, status.st_gid)
    except PermissionError:
        return False
    return True


def _overwrite(path: str, data: bytes, old: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    try:
        _put(descriptor, data)
    except BaseException:
        # The blocks of the old content are still the file's, so it fits again.
        _put(descriptor, old)
        raise
    finally:
        os.close(descriptor)


def _put(descriptor: int, data: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.ftruncate(descriptor, len(data))
