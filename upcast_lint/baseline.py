"""Findings that are known and accepted, so that only new ones are reported.

The file counts, for each path, the findings of one identity (see `focus`), so lines
may come and go above them. Paths are relative to the baseline's folder.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from .errors import UsageError
from .files import read_regular
from .focus import identity
from .runner import Outcome

_VERSION = 1


class BaselineError(UsageError):
    """A baseline that cannot be read; `str` names it and says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    code: str
    identity: str
    count: int


@dataclass(frozen=True, slots=True)
class Baseline:
    folder: str
    entries: dict[str, tuple[Entry, ...]]
    """By path, relative to the folder and with `/`."""

    def known(self, real: str) -> tuple[tuple[str, int], ...]:
        entries = self.entries.get(_relative(real, self.folder), ())
        return tuple((entry.identity, entry.count) for entry in entries)

    def stale(self, outcomes: Iterable[Outcome]) -> list[str]:
        """`path: code` of the entries that the checked files no longer need."""
        lines = []
        for outcome in outcomes:
            path = _relative(os.path.realpath(outcome.absolute), self.folder)
            met = Counter(outcome.checked.hidden)
            for entry in self.entries.get(path, ()):
                unmet = entry.count - met[entry.identity]
                if unmet > 0:
                    times = f" ({unmet} times)" if unmet > 1 else ""
                    lines.append(f"{outcome.path}: {entry.code}{times}")
        return lines


def read(path: str) -> Baseline:
    """Raises BaselineError."""
    import json

    try:
        data = json.loads(read_regular(path)[0])
        if data["version"] != _VERSION:
            raise BaselineError(f"{path}: written by another version; write it again")
        entries = {
            str(each["path"]): tuple(
                Entry(str(e["code"]), str(e["identity"]), int(e["count"]))
                for e in each["findings"]
            )
            for each in data["files"]
        }
    except OSError as error:
        raise BaselineError(f"{path}: {error.strerror}") from error
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
        raise BaselineError(f"{path}: not a baseline: {error}") from error
    return Baseline(_folder(path), entries)


def text(path: str, outcomes: Iterable[Outcome]) -> str:
    """The baseline, to be written to `path`, that holds the findings of a run."""
    import json

    counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    folder = _folder(path)
    for outcome in outcomes:
        checked = outcome.checked
        real = _relative(os.path.realpath(outcome.absolute), folder)
        for finding in checked.findings:
            counts[real][finding.code, identity(finding, checked.texts)] += 1
    files = [
        {
            "path": real,
            "findings": [
                {"code": code, "identity": name, "count": count}
                for (code, name), count in sorted(counter.items())
            ],
        }
        for real, counter in sorted(counts.items())
    ]
    return json.dumps({"version": _VERSION, "files": files}, indent=1) + "\n"


def _folder(path: str) -> str:
    return os.path.dirname(os.path.realpath(path))


def _relative(real: str, folder: str) -> str:
    return os.path.relpath(real, folder).replace(os.sep, "/")
