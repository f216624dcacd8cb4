"""A list of findings with ruff's fields and ours; the schema is in json.schema.json."""

from __future__ import annotations

from typing import Any

from ..finding import Finding, Fix, Grounds, Position, Range
from ..links import rule_url
from ..report import Placed, Report
from .harmless_json import dumps


def render(report: Report) -> str:
    rows = [finding_as_json(placed, report) for placed in report.findings()]
    return dumps(rows)


def finding_as_json(placed: Placed, report: Report) -> dict[str, Any]:
    finding = placed.finding
    rows = finding.suppression_rows
    return {
        "cell": finding.cell,
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "filename": placed.absolute,
        **_range(finding.range),
        "fix": _fix(finding.fix) if finding.fix else None,
        "noqa_row": rows[0] if rows else None,
        "url": rule_url(finding.name),
        "cast": _range(finding.cast) if finding.cast else None,
        "reads": [
            {**_range(read.range), "label": read.label} for read in finding.reads
        ],
        "related": [
            {
                **_range(other.range),
                "filename": other.path or placed.absolute,
                "label": other.label,
            }
            for other in finding.related
        ],
        **_grounds(finding.grounds),
        "condition": finding.condition if finding.condition else None,
        "notes": [note for note in finding.notes],
        "estimate": _estimate(finding, report),
    }


def _grounds(grounds: Grounds | None) -> dict[str, Any]:
    if grounds is None:
        return {"confidence": None, "evidence": [], "because": []}
    return {
        "confidence": grounds.confidence.value,
        "evidence": [{"weight": w, "text": text} for w, text in grounds.evidence],
        "because": list(grounds.because),
    }


def _estimate(finding: Finding, report: Report) -> dict[str, Any] | None:
    estimate = finding.estimate
    if estimate is None:
        return None
    sizes = report.sizes
    return {
        "expression": estimate.expression,
        "bytes": estimate.bytes_at(sizes),
        "assumed": {n: sizes[n] for n in sorted(estimate.names) if n in sizes},
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "applicability": fix.safety.value,
        "message": fix.message,
        "edits": [
            {"content": edit.content, **_range(edit.range)} for edit in fix.edits
        ],
    }


def _range(range: Range) -> dict[str, Any]:
    return {
        "location": _position(range.start),
        "end_location": _position(range.end),
    }


def _position(position: Position) -> dict[str, int]:
    return {"row": position.row, "column": position.column}
