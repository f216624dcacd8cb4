"""`path:line:col: CODE [*] message`, a line each, and the summary."""

from __future__ import annotations

from ..escape import visible
from ..report import Placed, Report
from .paint import Color, paint
from .place import place
from .summary import summary

_MARKER_COLORS = {"[*]": Color.GREEN, "[!]": Color.YELLOW}


def render(report: Report) -> str:
    lines = [headline(placed, report.has_color) for placed in report.findings()]
    if not report.is_quiet:
        lines.append(summary(report))
    return "".join(f"{line}\n" for line in lines)


def headline(placed: Placed, has_color: bool) -> str:
    finding = placed.finding
    where, _, position = place(placed).partition(":")
    marker = placed.marker
    if marker:
        marker = paint(marker, _MARKER_COLORS[marker], has_color) + " "
    return (
        f"{paint(where, Color.BOLD, has_color)}:{position}: "
        f"{paint(finding.code, Color.RED, has_color)} "
        f"{marker}{visible(finding.message)}"
    )
