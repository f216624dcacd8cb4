"""A list of findings with ruff's fields and ours; the schema is in json.schema.json."""

from __future__ import annotations

import json
from typing import Any

from ..escape import without_surrogates
from ..finding import Finding, Fix, Position, Range
from ..links import rule_url
from ..report import Placed, Report


def render(report: Report) -> str:
    # ASCII only: what is not would reach terminals and readers as it is.
    rows = [finding_as_json(placed, report) for placed in report.findings()]
    return without_surrogates(json.dumps(rows, indent=2)) + "\n"


def finding_as_json(placed: Placed, report: Report) -> dict[str, Any]:
    finding = placed.finding
    rows = finding.suppression_rows
    return {
        "cell": finding.cell,
        "code": finding.code,
        "name": finding.name,
        "message": _text(finding.message),
        "filename": _text(placed.absolute),
        **_range(finding.range),
        "fix": _fix(finding.fix) if finding.fix else None,
        "noqa_row": rows[0] if rows else None,
        "url": rule_url(finding.name),
        "cast": _range(finding.cast) if finding.cast else None,
        "reads": [
            {**_range(read.range), "label": _text(read.label)} for read in finding.reads
        ],
        "because": [_text(reason) for reason in finding.because],
        "condition": _text(finding.condition) if finding.condition else None,
        "notes": [_text(note) for note in finding.notes],
        "estimate": _estimate(finding, report),
    }


def _estimate(finding: Finding, report: Report) -> dict[str, Any] | None:
    estimate = finding.estimate
    if estimate is None:
        return None
    sizes = report.sizes
    return {
        "expression": estimate.expression,
        "bytes": estimate.bytes_at(sizes),
        "assumed": {n: sizes[n] for n in estimate.dimensions if n in sizes},
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "applicability": fix.safety.value,
        "message": _text(fix.message),
        "edits": [
            {"content": _text(edit.content), **_range(edit.range)} for edit in fix.edits
        ],
    }


def _range(range: Range) -> dict[str, Any]:
    return {
        "location": _position(range.start),
        "end_location": _position(range.end),
    }


def _position(position: Position) -> dict[str, int]:
    return {"row": position.row, "column": position.column}


def _text(text: str) -> str:
    return without_surrogates(text)
