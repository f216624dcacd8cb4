"""The closing line of the text formats, and the table of `--statistics`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass

from ..finding import Finding, Safety
from ..report import Report, in_binary_units, plural


def summary(report: Report) -> str:
    """`Found 2 findings in 2 of 214 files in 0.4 s, about …  [*] 1 fixable …`"""
    findings = [placed.finding for placed in report.findings()]
    of = plural(len(report.outcomes), "file")
    took = f"in {report.seconds:.1f} s"
    fixed = sum(len(outcome.checked.fixed) for outcome in report.outcomes)
    done = f"Fixed {plural(fixed, 'finding')}. " if fixed else ""
    if not findings:
        left = "Nothing is left" if fixed else "No findings"
        return f"{done}{left} in {of} {took}."
    files = sum(bool(outcome.checked.findings) for outcome in report.outcomes)
    found = f"Found {plural(len(findings), 'finding')} in {files} of {of} {took}"
    total = report.total_bytes()
    if total:
        assumed = report.assumed(findings)
        # A sum over places is no peak: the copies need not live at the same time.
        in_all = " in all" if len(findings) > 1 else ""
        found += f", about {in_binary_units(total)}{in_all} at {assumed}"
    return f"{done}{found}.{_offer(report, findings)}"


def _offer(report: Report, findings: list[Finding]) -> str:
    safe = _count(findings, Safety.SAFE)
    unsafe = _count(findings, Safety.UNSAFE)
    parts = []
    if safe:
        parts.append(f"  [*] {safe} fixable with --fix.")
    if unsafe and not report.takes_unsafe:
        more = "more " if safe else ""
        parts.append(f"  [!] {unsafe} {more}with --unsafe-fixes.")
    return "".join(parts)


def _count(findings: list[Finding], safety: Safety) -> int:
    return sum(each.fix is not None and each.fix.safety is safety for each in findings)


@dataclass(frozen=True, slots=True)
class _Row:
    """The findings of one rule, by tier, and the bytes that they spare."""

    code: str
    name: str
    count: int
    safe: int
    unsafe: int
    bytes: int


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
            _count(found, Safety.SAFE),
            _count(found, Safety.UNSAFE),
            sum(map(report.bytes_of, found)),
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
    from .harmless_json import dumps

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
