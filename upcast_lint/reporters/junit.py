"""JUnit XML: a suite for each file with findings, a failed case for each finding."""

from __future__ import annotations

from itertools import groupby

from ..escape import visible
from ..report import Placed, Report


def render(report: Report) -> str:
    found = list(report.findings())
    head = '<?xml version="1.0" encoding="utf-8"?>'
    if not found:
        # Readers take a report without any case for a failure to run.
        case = '<testcase name="no findings" classname="upcast-lint"/>'
        suite = (
            f'<testsuite name="upcast-lint" tests="1" failures="0">{case}</testsuite>'
        )
        return f'{head}\n<testsuites name="upcast-lint">{suite}</testsuites>\n'
    count = f'tests="{len(found)}" failures="{len(found)}" errors="0"'
    lines = [head, f'<testsuites name="upcast-lint" {count}>']
    for path, group in groupby(found, key=lambda placed: placed.path):
        cases = list(group)
        total = f'tests="{len(cases)}" failures="{len(cases)}" errors="0"'
        lines.append(f'  <testsuite name="{_escaped(path)}" {total}>')
        lines += map(_case, cases)
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _case(placed: Placed) -> str:
    finding = placed.finding
    start = finding.range.start
    cell = f"cell {finding.cell}, " if finding.cell is not None else ""
    where = f"{cell}line {start.row}, column {start.column}"
    file = _escaped(placed.path)
    message = _escaped(finding.message)
    return (
        f'    <testcase name="{finding.code} at {where}" classname="{file}"'
        f' file="{file}" line="{start.row}">\n'
        f'      <failure type="{finding.name}" message="{message}">'
        f"{where}: {message}</failure>\n"
        "    </testcase>"
    )


def _escaped(text: str) -> str:
    """For content and attributes; XML has no way to write control characters."""
    for character, entity in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ('"', "&quot;"),
    ):
        text = text.replace(character, entity)
    return visible(text)
