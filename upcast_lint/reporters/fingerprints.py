"""Names for findings that stay when lines move, distinct within a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..focus import identity
from ..report import Placed, Report
from ..writer import digest


def with_fingerprints(report: Report) -> Iterator[tuple[Placed, str]]:
    """The path, the identity and, among equal ones, the occurrence make the name."""
    seen: Counter[tuple[str, str]] = Counter()
    for placed in report.findings():
        texts = {} if placed.text is None else {placed.finding.cell or 0: placed.text}
        name = identity(placed.finding, texts)
        occurrence = seen[placed.path, name]
        seen[placed.path, name] += 1
        key = f"{placed.path}\0{name}\0{occurrence}"
        yield placed, digest(key.encode("utf-8", "surrogateescape"))
