"""One finding with its source lines, its reasons, its saving and its fix."""

from __future__ import annotations

from collections.abc import Iterator

from ..diffs import preview
from ..escape import visible
from ..finding import Finding, Grounds, Safety
from ..report import Placed, Report, in_binary_units
from .concise import headline
from .paint import Color, paint
from .snippet import Mark, snippet
from .uri import relative_path

_DTYPES = {4: "float32", 8: "float64"}


def block(placed: Placed, report: Report) -> str:
    return "\n".join(_lines(placed, report))


def _lines(placed: Placed, report: Report) -> Iterator[str]:
    finding, has_color = placed.finding, report.has_color
    yield headline(placed, has_color)
    marks = _marks(finding)
    if placed.text is not None:
        yield from snippet(placed.text, marks, has_color)
    facts = list(_facts(finding, report))
    gutter = " " * len(str(max(mark.range.start.row for mark in marks)))
    bar = paint(f"{gutter} |", Color.BLUE, has_color)
    if facts:
        yield bar
    for topic, fact in facts:
        yield f"{gutter} = {paint(topic, Color.BOLD, has_color)}: {visible(fact)}"
    if placed.text is not None and finding.fix is not None:
        for line in preview(placed.text, finding.fix):
            color = {"+": Color.GREEN, "-": Color.RED}.get(line[0], Color.FAINT)
            is_blank = not line.strip()
            yield bar if is_blank else f"{bar} {paint(visible(line), color, has_color)}"


def _marks(finding: Finding) -> list[Mark]:
    if finding.cast is None:
        return [Mark(finding.range, "", "^")]
    cast = Mark(finding.cast, visible(finding.cast_label), "^")
    reads = [Mark(each.range, visible(each.label), "-") for each in finding.reads]
    return [cast, *reads]


def _reasons(grounds: Grounds) -> str:
    """For and against, with the confidence that follows."""
    found = "; ".join(grounds.because) or "`--width any` reports every width"
    if grounds.against:
        found += f", against {'; '.join(grounds.against)}"
    return f"{found} ({grounds.confidence.value} confidence)"


def _facts(finding: Finding, report: Report) -> Iterator[tuple[str, str]]:
    if finding.estimate is not None:
        spared = report.bytes_of(finding)
        size = ""
        if spared:
            assumed = report.assumed([finding])
            size = f": {in_binary_units(spared)}"
            if assumed:
                size += f" at {assumed} (assumed)"
        copy = f"the {_DTYPES.get(finding.estimate.itemsize, '')} copy"
        if finding.estimate.tensors > 1:
            copy += " and what is made of it"
        yield "saves", f"{finding.estimate.expression} bytes of {copy}{size}"
    if finding.grounds is not None:
        yield "wide because", _reasons(finding.grounds)
    if finding.fix is not None:
        why = finding.condition if finding.fix.safety is not Safety.SAFE else None
        yield f"fix ({finding.fix.safety.value})", why or finding.fix.message
    elif finding.condition:
        yield "no fix", finding.condition
    for other in finding.related:
        path = other.path and relative_path(other.path, report)
        where = f"{path}:" if path else "line "
        yield "elsewhere", f"{where}{other.range.start.row}: {other.label}"
    for note in finding.notes:
        yield "note", note
