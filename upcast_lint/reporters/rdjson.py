"""Reviewdog's diagnostic format, with the safe fixes as suggestions.

A reviewer accepts one suggestion at a time, so each finding has one, over the whole
span of its edits. An unsafe fix is not offered with a button; the message says on what
it depends. Columns count bytes of UTF-8, unlike all of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..finding import Edit, Position, Range, Safety
from ..lines import lines_of
from ..links import HOME, rule_url
from ..report import Placed, Report
from ..source import Source, apply_edits
from .harmless_json import dumps
from .message import message_with_condition
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
    path = relative_path(placed.absolute, report)
    diagnostic: dict[str, Any] = {
        "message": message_with_condition(finding),
        "code": code,
        "location": {"path": path},
    }
    if finding.cell is not None:  # its rows are not rows of the file
        return diagnostic
    lines = lines_of(placed.text or "")
    diagnostic["location"]["range"] = _range(finding.range, lines)
    fix = finding.fix
    if fix is not None and fix.safety is Safety.SAFE and placed.text is not None:
        span, content = _merged(fix.edits, placed.text)
        diagnostic["suggestions"] = [{"range": _range(span, lines), "text": content}]
    return diagnostic


def _merged(edits: Sequence[Edit], text: str) -> tuple[Range, str]:
    """The span of all edits, and what stands there when they are made."""
    source = _source(text)
    start = min(edit.range.start for edit in edits)
    end = max(edit.range.end for edit in edits)
    mended = apply_edits(source, list(edits))
    behind = len(text) - source.offset(end)
    return Range(start, end), mended[source.offset(start) : len(mended) - behind]


@lru_cache(maxsize=1)
def _source(text: str) -> Source:
    """Of the file whose findings come one after the other."""
    return Source("", b"", text, "utf-8", False)


def _range(range: Range, lines: Sequence[str]) -> dict[str, Any]:
    return {"start": _position(range.start, lines), "end": _position(range.end, lines)}


def _position(position: Position, lines: Sequence[str]) -> dict[str, int]:
    line = lines[position.row - 1] if position.row <= len(lines) else ""
    before = line[: position.column - 1].encode(errors="replace")
    return {"line": position.row, "column": len(before) + 1}
