"""GitLab's code quality report."""

from __future__ import annotations

from typing import Any

from ..finding import Safety
from ..report import Placed, Report
from ..run_rules import UNREADABLE, UNUSED
from .fingerprints import with_fingerprints
from .harmless_json import dumps
from .uri import relative_path


def render(report: Report) -> str:
    rows = [
        {
            "description": f"{placed.finding.code}: {placed.finding.message}",
            "check_name": placed.finding.name,
            "fingerprint": name,
            "severity": _severity(placed),
            "location": _location(placed, report),
        }
        for placed, name in with_fingerprints(report)
    ]
    return dumps(rows)


def _severity(placed: Placed) -> str:
    """Unreadable files hide findings; a proved waste is major, a likely one minor."""
    code = placed.finding.code
    if code == UNREADABLE:
        return "critical"
    if code == UNUSED:
        return "info"
    return "major" if placed.finding.safety is Safety.SAFE else "minor"


def _location(placed: Placed, report: Report) -> dict[str, Any]:
    at = placed.finding.range
    # A notebook's rows count within its cells, which GitLab does not know.
    first, last = (at.start.row, at.end.row) if placed.finding.cell is None else (1, 1)
    return {
        "path": relative_path(placed.absolute, report),
        "lines": {"begin": first, "end": last},
    }
