"""Results of earlier runs, one compact file for each set of rules and settings.

An entry holds while the file has the size and modification time that it had when it
was read; where those differ, a hash of the content decides. Everything else that a
result depends on is in the file's name: our version and code, Python's version, and
the job. The format is JSON, because a cache can come with a checkout from a stranger.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from . import __version__
from .checker import Job
from .files import read_regular
from .finding import Finding
from .runner import Stamp
from .writer import digest

FOLDER = ".upcast_lint_cache"
_OURS = re.compile(r"[0-9a-f]{32}\.json(\.\d+)?")
_KEEP_SECONDS = 30 * 24 * 3600
# A file changed twice within the clock's grain can keep its time; see `store`.
_CLOCK_GRAIN_NS = 2_000_000_000


@dataclass(slots=True)
class Cache:
    """`warnings` says why an earlier cache, or this one, is of no use."""

    folder: str
    name: str
    warnings: list[str] = field(default_factory=list)
    _entries: dict[str, list[object]] = field(default_factory=dict)
    _is_changed: bool = False

    @classmethod
    def open(cls, root: str, job: Job) -> Cache:
        """The cache below `root` for runs with `job`, empty if there is none."""
        cache = cls(os.path.join(root, FOLDER), f"{_fingerprint(job)}.json")
        cache._load()
        return cache

    def lookup(self, path: str, job: Job, status: os.stat_result) -> Stamp | None:
        """The stamp of the entry for `path`, where its size and time still hold."""
        stamp = self._stamp(path, job)
        if stamp is None or stamp.size != status.st_size:
            return None
        return stamp if stamp.mtime_ns == status.st_mtime_ns else None

    def has(self, path: str, job: Job, size: int) -> bool:
        """Whether there is an entry that a hash of the content could confirm."""
        stamp = self._stamp(path, job)
        return stamp is not None and stamp.size == size

    def knows(self, path: str, job: Job, content: str) -> bool:
        """Whether there is an entry for a content with this digest."""
        stamp = self._stamp(path, job)
        return stamp is not None and stamp.digest == content

    def findings(self, path: str) -> tuple[Finding, ...]:
        """Those of an entry that was looked up. Raises ValueError if damaged."""
        encoded = self._entries[path][4]
        if encoded == []:
            return ()
        from .codec import decode_findings

        return decode_findings(encoded)

    def store(
        self, path: str, job: Job, stamp: Stamp, findings: tuple[Finding, ...]
    ) -> None:
        encoded: object = []
        if findings:
            from .codec import encode

            encoded = encode(findings)
        mtime = stamp.mtime_ns
        if time.time_ns() - mtime < _CLOCK_GRAIN_NS:
            mtime = 0  # too fresh to trust; the next run goes by the hash
        entry = [stamp.size, mtime, stamp.digest, _job_key(job), encoded]
        if self._entries.get(path) != entry:
            self._entries[path] = entry
            self._is_changed = True

    def save(self) -> None:
        """Write what changed; a folder that cannot be written is a warning."""
        if not self._is_changed:
            return
        import json

        data = json.dumps(self._entries, separators=(",", ":"))
        temporary = os.path.join(self.folder, f"{self.name}.{os.getpid()}")
        try:
            if os.path.islink(self.folder):  # it could lead to anything of the user's
                raise OSError(f"{self.folder} is a symbolic link")
            os.makedirs(self.folder, exist_ok=True)
            for name, text in _FOLDER_FILES.items():
                path = os.path.join(self.folder, name)
                with (
                    suppress(FileExistsError),
                    open(path, "x", encoding="ascii") as new,
                ):
                    new.write(text)
            with open(temporary, "w", encoding="ascii") as file:
                file.write(data)
            os.replace(temporary, os.path.join(self.folder, self.name))
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
            entries = json.loads(data)
        except (ValueError, RecursionError):
            entries = None
        if isinstance(entries, dict) and all(map(_is_entry, entries.values())):
            self._entries = entries
        else:
            self.warnings.append(f"cache ignored, because it is damaged: {path}")

    def _stamp(self, path: str, job: Job) -> Stamp | None:
        match self._entries.get(path):
            case [int(size), int(mtime_ns), str(content), key, _] if key == _job_key(
                job
            ):
                return Stamp(size, mtime_ns, content)
            case _:
                return None

    def _prune(self) -> None:
        """Remove what other versions and settings left behind long ago."""
        limit = time.time() - _KEEP_SECONDS
        for entry in os.scandir(self.folder):
            if _OURS.fullmatch(entry.name) and entry.stat().st_mtime < limit:
                os.unlink(entry.path)


_FOLDER_FILES = {
    ".gitignore": "*\n",
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
}


def _is_entry(value: object) -> bool:
    return isinstance(value, list) and len(value) == 5


def _job_key(job: Job) -> str:
    known = _JOB_KEYS.get(id(job))
    if known is None or known[0] is not job:
        known = _JOB_KEYS[id(job)] = (job, digest(_job_text(job).encode())[:8])
    return known[1]


_JOB_KEYS: dict[int, tuple[Job, str]] = {}


def _job_text(job: Job) -> str:
    """All of the job but the fix mode, which findings do not depend on."""
    options = job.options
    return repr(
        (
            sorted(options.codes or ["ALL"]),
            options.any_width,
            options.vocab_names,
            options.not_vocab_names,
            options.inference,
            options.parses_always,
            sorted(job.codes or ["ALL"]),
            job.ignore_suppressions,
        )
    )


def _fingerprint(job: Job) -> str:
    """Names our code as it is installed, so that a changed rule is a changed tool."""
    parts = [__version__, sys.version, _job_text(job)]
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [here]
    if not os.path.isdir(os.path.join(here, "rules")):
        folders.append(os.path.join(os.path.dirname(here), "rules"))
    for folder in folders:
        parts += sorted(_code_stamps(folder))
    return digest("\n".join(parts).encode())


def _code_stamps(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.is_dir():
            if entry.name not in ("__pycache__", "fixtures", "verify", "reporters"):
                yield from _code_stamps(entry.path)
        elif entry.name.endswith(".py"):
            status = entry.stat()
            yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"
