"""GitHub's workflow commands, which annotate a pull request.

GitHub shows ten annotations a step and drops the rest unseen, so the ten with the
largest saving come first and a last line says how many more there are.
"""

from __future__ import annotations

from ..escape import visible
from ..finding import Finding
from ..report import Placed, Report, in_binary_units, plural
from .uri import relative_path

_SHOWN = 10


def render(report: Report) -> str:
    found = report.by_saving()
    lines = [_command(placed, report) for placed in found[:_SHOWN]]
    rest = len(found) - _SHOWN
    if rest > 0:
        lines.append(f"::notice::{plural(rest, 'more finding')} not annotated")
    return "".join(f"{line}\n" for line in lines)


def _command(placed: Placed, report: Report) -> str:
    finding = placed.finding
    properties = {"file": _property(relative_path(placed.absolute, report))}
    if finding.cell is None:  # rows of a cell are not rows of the file
        properties |= _rows(finding)
    properties["title"] = _property(f"{finding.code} {finding.name}")
    fields = ",".join(f"{key}={value}" for key, value in properties.items())
    return f"::error {fields}::{_data(_message(placed, report))}"


def _rows(finding: Finding) -> dict[str, str]:
    start, end = finding.range.start, finding.range.end
    rows = {"line": start.row, "endLine": end.row, "col": start.column}
    if end.row == start.row:  # GitHub takes columns for a single line only
        rows["endColumn"] = end.column
    return {key: str(value) for key, value in rows.items()}


def _message(placed: Placed, report: Report) -> str:
    finding = placed.finding
    where = f"cell {finding.cell}: " if finding.cell is not None else ""
    lines = [f"{where}{visible(finding.message)}"]
    spared = report.bytes_of(finding)
    if spared:
        lines.append(f"saves about {in_binary_units(spared)}")
    if finding.fix is not None:
        why = f": {visible(finding.condition)}" if finding.condition else ""
        lines.append(f"fix ({finding.fix.safety.value}){why}")
    else:
        lines += map(visible, finding.notes)
    return "\n".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Line ends stay what they are, encoded; all else unsafe is made visible."""
    kept = "".join(each if each in "\r\n" else visible(each) for each in text)
    return _data(kept).replace(":", "%3A").replace(",", "%2C")
