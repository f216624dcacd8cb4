"""The outermost statements that edits change, before and after.

A change is a few lines of what may be a large file. Outermost statements are parsed,
use names and hold comments each for itself, so that of those that stay as they are
there is nothing to compare. What `from __future__` imports tells how to read all
others, and goes with the changes.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..analysis.parents import first_row
from ..finding import Edit
from ..source import Source, line_starts


@dataclass(frozen=True, slots=True)
class Change:
    """Whole lines of both texts; those of the new one hold `statements`, whole."""

    row: int
    """Of the first line of `before` in its text."""
    before: str
    after: str
    statements: list[ast.stmt]


@dataclass(frozen=True, slots=True)
class _Span:
    """What is between two places of the new text is not as it was."""

    start: int
    end: int
    shift: int
    """From the places of the old text to those of the new, behind the span."""


def changes_of(
    source: Source, text: str, edits: Sequence[Edit], after: ast.Module
) -> list[Change] | None:
    """What edits change to make `text`, of which `after` is the tree, of a source.

    None where the edits do not account for all that is different.
    """
    starts = line_starts(text)
    numbers = list(_first_on_their_lines(after.body))
    bounds = [starts[first_row(after.body[number]) - 1] for number in numbers]
    if not bounds:
        return None
    bounds[0] = 0
    found: list[Change] = []
    shift = done = done_before = 0
    spans = deque(_spans(source, edits))
    if started := head(after):
        spans.appendleft(_Span(0, starts[started[-1].lineno - 1], 0))
    while spans:
        index = bisect_right(bounds, spans[0].start) - 1
        low = high = bounds[index]
        low_before = low - shift
        behind = index
        while spans and (behind == index or spans[0].start < high):
            span = spans.popleft()
            behind = max(behind, bisect_right(bounds, span.end))
            high = bounds[behind] if behind < len(bounds) else len(text) + 1
            shift = span.shift
        high = min(high, len(text))
        if source.text[done_before:low_before] != text[done:low]:
            return None
        place = source.position(low_before)
        if place.column != 1:
            return None
        done, done_before = high, high - shift
        until = numbers[behind] if behind < len(bounds) else len(after.body)
        found.append(
            Change(
                place.row,
                source.text[low_before:done_before],
                text[low:high],
                after.body[numbers[index] : until],
            )
        )
    return found if source.text[done_before:] == text[done:] else None


def head(module: ast.Module) -> list[ast.stmt]:
    """The statements up to the last import from `__future__`."""
    last = 0
    for number, statement in enumerate(module.body, 1):
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            last = number
    return module.body[:last]


def _first_on_their_lines(body: Sequence[ast.stmt]) -> Iterator[int]:
    """The numbers of the statements before which no other stands on the line."""
    last = 0
    for number, statement in enumerate(body):
        if first_row(statement) > last:
            yield number
        last = statement.end_lineno or last


def _spans(source: Source, edits: Sequence[Edit]) -> Iterator[_Span]:
    shift = 0
    places = [
        (source.offset(edit.range.start), source.offset(edit.range.end), edit.content)
        for edit in edits
    ]
    for start, end, content in sorted(places):
        before = shift
        shift += len(content) - (end - start)
        yield _Span(start + before, end + shift, shift)
