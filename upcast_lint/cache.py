"""Results of earlier runs, one compact file for each set of rules and settings.

An entry holds while the file has the size and modification time that it had when it
was read; where those differ, a hash of the content decides. Everything else that a
result depends on is in the cache's key, which its name is a checksum of: our version
and code, Python's version, and the job. The format is JSON, because a cache can come
with a checkout from a stranger.

A run that finds nothing new is mostly spent here and in the walk: what it needs is
short, and what it does not need is imported elsewhere.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from zlib import crc32

from . import __version__
from .checker import Job
from .files import Status, read_regular
from .finding import Finding
from .replay import FOLDER
from .runner import Stamp

_OURS = re.compile(r"[0-9a-f]{8}\.(?:json|replay)(?:\.\d+)?")
_KEEP_SECONDS = 30 * 24 * 3600


class Cache:
    """`warnings` says why an earlier cache, or this one, is of no use."""

    def __init__(self, folder: str, key: str) -> None:
        self.folder = folder
        self.name = f"{crc32(key.encode(errors='replace')):08x}.json"
        self.warnings: list[str] = []
        self._key = key
        self._jobs: list[str] = []
        self._numbers: dict[int, tuple[Job, int]] = {}
        self._entries: dict[str, _Entry] = {}
        self.is_changed = False

    @classmethod
    def open(cls, root: str, job: Job) -> Cache:
        """The cache below `root` for runs with `job`, empty if there is none."""
        cache = cls(os.path.join(root, FOLDER), _key(job))
        cache._load()
        return cache

    def is_clean(self, path: str, job: Job, status: Status) -> bool:
        """Whether the content with this size and time is known to hold no finding."""
        entry = self._entries.get(path)
        return entry is not None and entry == [
            status.st_size,
            status.st_mtime_ns,
            self._number(job),
            entry[3],
            [],
            [],
        ]

    def stamp(self, path: str, job: Job) -> Stamp | None:
        """What was known of the content that the entry for `path` is about."""
        entry = self._entries.get(path)
        if entry is None or entry[2] != self._number(job):
            return None
        size, mtime_ns, _, content, _, others = entry
        return Stamp(size, mtime_ns, content, tuple((p, d) for p, d in others))

    def findings(self, path: str) -> tuple[Finding, ...]:
        """Those of an entry that was looked up. Raises ValueError if damaged."""
        encoded = self._entries[path][4]
        if encoded == []:
            return ()
        from .codec import decode_findings

        return decode_findings(encoded)

    def others(self, path: str) -> Iterator[str]:
        """The files around that an entry rests on."""
        entry = self._entries.get(path)
        return (other for other, _ in entry[5]) if entry else iter(())

    def store(
        self, path: str, job: Job, stamp: Stamp, findings: tuple[Finding, ...]
    ) -> None:
        encoded: object = []
        if findings:
            from .codec import encode

            encoded = encode(findings)
        number = self._number(job)
        others = [list(each) for each in stamp.others]
        entry = [stamp.size, stamp.mtime_ns, number, stamp.digest, encoded, others]
        if self._entries.get(path) != entry:
            self._entries[path] = entry
            self.is_changed = True

    def save(self) -> None:
        """Write what changed."""
        if self.is_changed:
            import json

            content = {"key": self._key, "jobs": self._jobs, "files": self._entries}
            data = json.dumps(content, separators=(",", ":"))
            self.write(self.name, data.encode("ascii"))

    def write(self, name: str, data: bytes) -> None:
        """Put a file into the folder; where that cannot be done is a warning."""
        temporary = os.path.join(self.folder, f"{name}.{os.getpid()}")
        try:
            if os.path.islink(self.folder):  # it could lead to anything of the user's
                raise OSError(f"{self.folder} is a symbolic link")
            os.makedirs(self.folder, exist_ok=True)
            for beside, text in _FOLDER_FILES.items():
                path = os.path.join(self.folder, beside)
                with (
                    suppress(FileExistsError),
                    open(path, "x", encoding="ascii") as new,
                ):
                    new.write(text)
            with open(temporary, "wb") as file:
                file.write(data)
            os.replace(temporary, os.path.join(self.folder, name))
            self._prune()
        except OSError as error:
            self.warnings.append(f"cache not written: {error}")
            with suppress(OSError):
                os.unlink(temporary)

    def _load(self) -> None:
        path = os.path.join(self.folder, self.name)
        try:
            data, _ = read_regular(path)
        except FileNotFoundError:
            return
        except OSError as error:
            self.warnings.append(f"cache not read: {error}")
            return
        import json

        try:
            self._take(json.loads(data))
        except (ValueError, RecursionError):
            self.warnings.append(f"cache ignored, because it is damaged: {path}")

    def _take(self, content: object) -> None:
        """Raises ValueError where it is not what `save` writes."""
        match content:
            case {"key": str(key), "jobs": list(jobs), "files": dict(entries)}:
                if not all(map(_is_entry, entries.values())):
                    raise ValueError("an entry of another form")
                if key == self._key:
                    self._jobs, self._entries = jobs, entries
            case _:
                raise ValueError("another form")

    def _number(self, job: Job) -> int:
        """The job's place among those that entries are about."""
        known = self._numbers.get(id(job))
        if known is None or known[0] is not job:
            text = _job_text(job)
            if text not in self._jobs:
                self._jobs.append(text)
            known = self._numbers[id(job)] = (job, self._jobs.index(text))
        return known[1]

    def _prune(self) -> None:
        """Remove what other versions and settings left behind long ago."""
        limit = time.time() - _KEEP_SECONDS
        for entry in os.scandir(self.folder):
            with suppress(FileNotFoundError):  # another run may remove them, too
                if _OURS.fullmatch(entry.name) and entry.stat().st_mtime < limit:
                    os.unlink(entry.path)


_FOLDER_FILES = {
    ".gitignore": "*\n",
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
}
_NOT_CODE = ("__pycache__", "fixtures", "verify")


_Entry = list[Any]
"""A stamp's size and time, number of the job, digest, findings as `codec` has them,
other files with their digests."""


def _is_entry(value: object) -> bool:
    return isinstance(value, list) and len(value) == 6 and _are_pairs(value[5])


def _are_pairs(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(map(_is_text, pair))
        for pair in value
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _job_text(job: Job) -> str:
    """All of the job but the fix mode, which findings do not depend on."""
    options = job.options
    return repr(
        (
            _codes_text(options.codes),
            options.least.value,
            options.vocab_names,
            options.not_vocab_names,
            options.inference,
            options.root,
            options.parses_always,
            _codes_text(job.codes),
            job.ignore_suppressions,
        )
    )


def _codes_text(codes: frozenset[str] | None) -> str:
    return "ALL" if codes is None else " ".join(sorted(codes))


def _key(job: Job) -> str:
    """Names our code as it is installed, so that a changed rule is a changed tool."""
    parts = [__version__, sys.version, _job_text(job)]
    parts += sorted(_code_stamp(each) for each in own_code() if each.endswith(".py"))
    return "\n".join(parts)


def own_code() -> Iterator[str]:
    """The files and folders of our code, as far as a run depends on them."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [here]
    if not os.path.isdir(os.path.join(here, "rules")):
        folders.append(os.path.join(os.path.dirname(here), "rules"))
    for folder in folders:  # which grows meanwhile
        yield folder
        for entry in os.scandir(folder):
            if entry.name.endswith(".py"):
                yield entry.path
            elif entry.is_dir() and entry.name not in _NOT_CODE:
                folders.append(entry.path)


def _code_stamp(path: str) -> str:
    status = os.stat(path)
    return f"{path} {status.st_size} {status.st_mtime_ns}"
