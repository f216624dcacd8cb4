"""A block for each finding, and the summary."""

from __future__ import annotations

from ..report import Report
from .summary import summary


def render(report: Report) -> str:
    blocks = []
    for placed in report.findings():
        from .block import block  # most runs find nothing

        blocks.append(block(placed, report))
    if not report.is_quiet:
        blocks.append(summary(report))
    return "\n\n".join(blocks) + "\n" if blocks else ""
