"""Which findings of a file a run is about: those on new lines, those not known yet.

A finding is known again by its identity: its code and the statement that it points
at, without white space and line numbers. Equal statements of one file share an
identity; what is counted is then how many there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .finding import Finding, Range
from .lines import lines_of
from .run_rules import UNREADABLE
from .writer import digest

Rows = tuple[tuple[int, int], ...]
"""First and last row of each stretch of lines."""


class Focus(NamedTuple):
    """`rows` of None takes every row; `known` says how many of an identity to hide."""

    rows: Rows | None = None
    known: tuple[tuple[str, int], ...] = ()

    def chooses(
        self, findings: Sequence[Finding], texts: Mapping[int, str]
    ) -> list[bool]:
        """Whether each finding, placed as in the file, is one that the run is about."""
        left = Counter(dict(self.known))
        chosen = []
        for finding in findings:
            is_chosen = self.rows is None or _touches(finding, self.rows)
            if is_chosen and left:
                name = identity(finding, texts)
                is_chosen = left[name] <= 0
                left[name] -= 1
            chosen.append(is_chosen)
        return chosen


EVERYTHING = Focus()


def identity(finding: Finding, texts: Mapping[int, str]) -> str:
    """The same for the same finding after lines above it came, went or moved."""
    text = texts.get(finding.cell or 0)
    if text is None or finding.code == UNREADABLE:
        return digest(f"{finding.code} {finding.message}".encode(errors="replace"))
    at = finding.range
    rows = lines_of(text)[at.start.row - 1 : at.end.row]
    statement = "".join("".join(rows).split())
    return digest(f"{finding.code} {statement}".encode(errors="replace"))


def _touches(finding: Finding, rows: Rows) -> bool:
    """Whether the cast, a read or the statement reported is on one of the rows.

    A file that cannot be read is always spoken of, since its rows mean nothing.
    """
    ranges: list[Range] = [finding.range, *(read.range for read in finding.reads)]
    if finding.cast is not None:
        ranges.append(finding.cast)
    return finding.code == UNREADABLE or any(
        each.start.row <= last and first <= each.end.row
        for each in ranges
        for first, last in rows
    )
