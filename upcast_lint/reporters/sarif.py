"""SARIF 2.1.0, as GitHub's code scanning takes it.

GitHub takes at most 25,000 results, of which it shows 5,000, and 10 MB compressed. What
it would not take is left out, smallest savings first, or noted.
"""

from __future__ import annotations

from typing import Any

from .. import __version__
from ..finding import Fix, Range
from ..links import HOME, rule_url
from ..report import Placed, Report
from ..run_rules import UNREADABLE
from ..selection import Documented, known_rules
from .fingerprints import with_fingerprints
from .harmless_json import dumps
from .message import message_with_condition
from .uri import is_relative, relative_path, uri

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "PROJECTROOT"
_FINGERPRINT = "upcastLint/v1"
_MAX_RESULTS = 25_000
_SHOWN_RESULTS = 5_000
_MAX_COMPRESSED = 10_000_000


def render(report: Report) -> str:
    rules = known_rules()
    indexes = {rule.code: index for index, rule in enumerate(rules)}
    results = [
        _result(placed, name, indexes, report)
        for placed, name in _most_worthwhile(report)
    ]
    run = {
        "tool": {
            "driver": {
                "name": "upcast-lint",
                "informationUri": HOME,
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": uri(f"{report.root}/")}},
        "results": results,
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    text = dumps(document)
    _note_limits(len(results), text, report)
    return text


def _note_limits(count: int, text: str, report: Report) -> None:
    if count > _SHOWN_RESULTS:
        report.notes.append(f"SARIF: GitHub shows {_SHOWN_RESULTS} of {count} findings")
    if len(text) <= _MAX_COMPRESSED:
        return  # spares the compression for the many that are small
    import zlib

    compressed = len(zlib.compress(text.encode()))
    if compressed > _MAX_COMPRESSED:
        size = f"{compressed / 1e6:.1f} MB compressed"
        report.notes.append(f"SARIF: {size}; GitHub refuses more than 10 MB")


def _most_worthwhile(report: Report) -> list[tuple[Placed, str]]:
    found = list(with_fingerprints(report))
    if len(found) <= _MAX_RESULTS:
        return found
    report.notes.append(
        f"SARIF: {len(found) - _MAX_RESULTS} findings over GitHub's limit left out"
    )
    rank = {id(placed.finding): at for at, placed in enumerate(report.by_saving())}
    return sorted(found, key=lambda pair: rank[id(pair[0].finding)])[:_MAX_RESULTS]


def _rule(rule: Documented) -> dict[str, Any]:
    doc = rule.doc()
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": doc, "markdown": doc},
        "helpUri": rule_url(rule.name),
        "defaultConfiguration": {
            "level": "error" if rule.code == UNREADABLE else "warning"
        },
        "properties": {"tags": ["performance", "memory"], "precision": "high"},
    }


def _result(
    placed: Placed, fingerprint: str, indexes: dict[str, int], report: Report
) -> dict[str, Any]:
    finding = placed.finding
    artifact = _artifact(placed.absolute, report)
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": indexes[finding.code],
        "level": "error" if finding.code == UNREADABLE else "warning",
        "message": {"text": message_with_condition(finding)},
        "locations": [_location(artifact, finding.cell, finding.range)],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
    }
    others = (*finding.reads, *finding.related)
    if others:
        result["relatedLocations"] = [
            {
                **(
                    _location(artifact, finding.cell, read.range)
                    if read.path is None
                    else _location(_artifact(read.path, report), None, read.range)
                ),
                "id": number,
                "message": {"text": read.label},
            }
            for number, read in enumerate(others, 1)
        ]
    # Rows of a notebook's cell are not rows of the file, so no fix could be placed.
    if finding.fix is not None and finding.cell is None:
        result["fixes"] = [_fix(finding.fix, artifact)]
    return result


def _artifact(absolute: str, report: Report) -> dict[str, str]:
    path = relative_path(absolute, report)
    base = {"uriBaseId": _ROOT} if is_relative(path) else {}
    return {"uri": uri(path), **base}


def _location(
    artifact: dict[str, str], cell: int | None, range: Range
) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if cell is None:
        physical["region"] = _region(range)
    else:
        physical["region"] = {"startLine": 1}  # GitHub demands one
    return {"physicalLocation": physical}


def _region(range: Range) -> dict[str, int]:
    return {
        "startLine": range.start.row,
        "startColumn": range.start.column,
        "endLine": range.end.row,
        "endColumn": range.end.column,
    }


def _fix(fix: Fix, artifact: dict[str, str]) -> dict[str, Any]:
    """One fix with all of its changes, since some of them alone would be wrong."""
    replacements = [
        {
            "deletedRegion": _region(edit.range),
            "insertedContent": {"text": edit.content},
        }
        for edit in fix.edits
    ]
    return {
        "description": {"text": f"{fix.message} ({fix.safety.value})"},
        "artifactChanges": [
            {"artifactLocation": artifact, "replacements": replacements}
        ],
    }
