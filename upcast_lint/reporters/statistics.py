"""The table of `--statistics`: findings by rule and tier."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass

from ..finding import Finding, Safety
from ..report import Report, in_binary_units
from .harmless_json import dumps
from .summary import count_fixable


@dataclass(frozen=True, slots=True)
class _Row:
    """The findings of one rule, by tier, and the bytes that they spare."""

    code: str
    name: str
    count: int
    safe: int
    unsafe: int
    bytes: int | None
    """None where no size is known."""


def _rows(report: Report) -> list[_Row]:
    """Most frequent rule first."""
    by_rule: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for placed in report.findings():
        by_rule[placed.finding.code, placed.finding.name].append(placed.finding)
    rows = [
        _Row(
            code,
            name,
            len(found),
            count_fixable(found, Safety.SAFE),
            count_fixable(found, Safety.UNSAFE),
            sum(map(report.bytes_of, found)) or None,
        )
        for (code, name), found in by_rule.items()
    ]
    return sorted(rows, key=lambda row: (-row.count, row.code))


def statistics(report: Report) -> str:
    """A table of findings by rule and tier, with their estimated bytes."""
    cells: list[tuple[str, ...]] = [
        (
            str(row.count),
            row.code,
            row.name,
            str(row.safe),
            str(row.unsafe),
            str(row.count - row.safe - row.unsafe),
            in_binary_units(row.bytes) if row.bytes else "-",
        )
        for row in _rows(report)
    ]
    head = ("count", "code", "rule", "safe", "unsafe", "display", "about")
    return _table([head, *cells]) if cells else ""


def statistics_as_json(report: Report) -> str:
    return dumps([asdict(row) for row in _rows(report)])


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if at in (1, 2) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)
