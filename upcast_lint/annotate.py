"""Suppression comments for findings that are to stay (`--add-noqa`)."""

from __future__ import annotations

import io
import tokenize
from collections import defaultdict
from collections.abc import Iterable

from .finding import Edit, Finding, Position, Range
from .source import Source, apply_edits
from .suppressions import Suppression, suppressions


def with_suppressions(
    source: Source, findings: Iterable[Finding], reason: str
) -> tuple[str, int]:
    """The text in which comments silence the findings, and how many it silences.

    A finding all of whose rows end inside a string or in a backslash is left.
    """
    rows = _rows_for_comments(source)
    codes: dict[int, set[str]] = defaultdict(set)
    count = 0
    for finding in findings:
        row = next((row for row in finding.suppression_rows if row in rows), None)
        if row is not None:
            codes[row].add(finding.code)
            count += 1
    present = {each.row: each for each in suppressions(source) if _can_grow(each)}
    words = " ".join(reason.split())
    edits = [
        _edit(source, row, sorted(wanted), present.get(row), words)
        for row, wanted in codes.items()
    ]
    return apply_edits(source, edits), count


def _rows_for_comments(source: Source) -> set[int]:
    """Rows whose end is not inside a string or a joined line."""
    lines = io.StringIO(source.text, newline=None)
    return {
        token.start[0]
        for token in tokenize.generate_tokens(lines.readline)
        if token.type in (tokenize.NEWLINE, tokenize.NL)
    }


def _can_grow(each: Suppression) -> bool:
    return each.is_directive and bool(each.entries) and not each.is_for_file


def _edit(
    source: Source,
    row: int,
    codes: list[str],
    present: Suppression | None,
    reason: str,
) -> Edit:
    if present is None:
        column = len(source.line(row).rstrip()) + 1
        content = f"  # upcast-lint: ignore[{', '.join(codes)}] {reason}".rstrip()
    else:
        last = present.entries[-1]
        column = last.start + len(last.text) + 1
        content = "".join(f", {code}" for code in codes)
    at = Position(row, column)
    return Edit(Range(at, at), content)
