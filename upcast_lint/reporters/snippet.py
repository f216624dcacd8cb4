"""Source lines with markers under what a finding speaks of.

```
   |
42 |     logits = logits.float()
   |              ^^^^^^^^^^^^^^ cast of [B, S, V]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..escape import visible
from ..finding import Range
from ..lines import lines_of
from .paint import Color, paint

_TAB_WIDTH = 4
# A generated line can be megabytes long; a reader needs what is around the marker.
_MAX_WIDTH = 160
_LEAD = 40


@dataclass(frozen=True, slots=True)
class Mark:
    """`sign` is drawn under all of the range's first line; `label` follows it."""

    range: Range
    label: str
    sign: str


def snippet(text: str, marks: list[Mark], has_color: bool) -> Iterator[str]:
    lines = lines_of(text)
    rows = sorted({mark.range.start.row for mark in marks})
    gutter = len(str(rows[-1])) if rows else 1
    bar = paint(" " * gutter + " |", Color.BLUE, has_color)
    for row in rows:
        if row > len(lines):
            continue
        here = [mark for mark in marks if mark.range.start.row == row]
        first = min(mark.range.start.column for mark in here) - 1
        line = lines[row - 1]
        cut = max(0, first - _LEAD) if len(line) > _MAX_WIDTH else 0
        shown, clipped = line[cut : cut + _MAX_WIDTH], "…" if cut else ""
        yield bar
        number = paint(f"{row:>{gutter}} |", Color.BLUE, has_color)
        yield f"{number} {clipped}{_display(shown)}".rstrip()
        for mark in here:
            start = mark.range.start.column - 1 - cut
            end = mark.range.end
            stop = end.column - 1 - cut if end.row == row else len(shown.rstrip())
            pad = len(clipped) + _width(shown[:start])
            length = max(1, _width(shown[start:stop]))
            color = Color.RED if mark.sign == "^" else Color.CYAN
            drawn = paint(
                f"{mark.sign * length} {mark.label}".rstrip(), color, has_color
            )
            yield f"{bar} {' ' * pad}{drawn}"


def _display(text: str) -> str:
    return visible(text.replace("\t", " " * _TAB_WIDTH))


def _width(text: str) -> int:
    """Columns of a terminal that the displayed text takes."""
    shown = _display(text)
    if shown.isascii():
        return len(shown)
    import unicodedata

    def columns(character: str) -> int:
        if unicodedata.combining(character):
            return 0
        return 2 if unicodedata.east_asian_width(character) in "WF" else 1

    return sum(map(columns, shown))
