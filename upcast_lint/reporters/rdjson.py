"""Reviewdog's diagnostic format, with the fixes as suggestions.

Its columns count bytes of UTF-8, unlike all of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..finding import Position, Range
from ..lines import lines_of
from ..links import HOME, rule_url
from ..report import Placed, Report
from .harmless_json import dumps
from .uri import relative_path


def render(report: Report) -> str:
    document = {
        "source": {"name": "upcast-lint", "url": HOME},
        "severity": "WARNING",
        "diagnostics": [_diagnostic(placed, report) for placed in report.findings()],
    }
    return dumps(document)


def _diagnostic(placed: Placed, report: Report) -> dict[str, Any]:
    finding = placed.finding
    code = {"value": finding.code, "url": rule_url(finding.name)}
    path = relative_path(placed, report)
    diagnostic: dict[str, Any] = {
        "message": finding.message,
        "code": code,
        "location": {"path": path},
    }
    if finding.cell is not None:  # its rows are not rows of the file
        return diagnostic
    lines = lines_of(placed.text or "")
    diagnostic["location"]["range"] = _range(finding.range, lines)
    if finding.fix is not None:
        diagnostic["suggestions"] = [
            {
                "range": _range(edit.range, lines),
                "text": edit.content,
            }
            for edit in finding.fix.edits
        ]
    return diagnostic


def _range(range: Range, lines: Sequence[str]) -> dict[str, Any]:
    return {"start": _position(range.start, lines), "end": _position(range.end, lines)}


def _position(position: Position, lines: Sequence[str]) -> dict[str, int]:
    line = lines[position.row - 1] if position.row <= len(lines) else ""
    before = line[: position.column - 1].encode(errors="replace")
    return {"line": position.row, "column": len(before) + 1}
