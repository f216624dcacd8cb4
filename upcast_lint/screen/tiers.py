"""Which functions of a text may hold a finding: the tiers of the screen."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ..analysis.casting import casting_functions
from ..analysis.width.bound import may_be_vocab_wide
from ..project import Project
from ..registry import rules_of
from .outline import Outline, Span
from .reach import Known, Reach
from .spots import Spots, find_conversions, find_spots
from .statements import Unclear

Rows = tuple[int, int]
"""The first row and the last."""


def suspects(
    text: str,
    any_width: bool,
    spots: Spots | None = None,
    codes: frozenset[str] | None = None,
    project: Project | None = None,
) -> list[Rows] | None:
    """The outermost functions that may hold a finding; None where all of the file may.

    A text that does not parse may come out as either. `spots` are the text's, where
    the caller knows them; `codes` are the rules that run, None for the usual ones;
    `project` is what the file can import from.
    """
    spots = spots or find_spots(text)
    if not any(spots):
        return []
    try:
        return _suspects(text, spots, any_width, _selections(codes), project)
    except (RecursionError, MemoryError, Unclear):
        return None


def _suspects(
    text: str,
    spots: Spots,
    any_width: bool,
    selections: frozenset[str],
    project: Project | None,
) -> list[Rows] | None:
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return None  # rows are not what line feeds tell
    if "\f" in text and any(map(_has_page_break, text.split("\n"))):
        return None  # a form feed hides how far in a line is
    return _Screen(
        text, spots, any_width, Known(Outline(text), selections, project)
    ).suspects()


def _has_page_break(line: str) -> bool:
    """Whether a line has a form feed and something else."""
    return "\f" in line and bool(line.strip())


_NEAR = 200
"""How far the sign of a walrus can be from the type that it gives a name."""


_RETURNS_AT_ONCE = re.compile(
    r'def[ \t]+\w+.{0,300}?:\s*(?:"""[^"]*+(?:"(?!"")[^"]*+)*+"""\s*)?return\b',
    re.DOTALL,
)
"""A function that returns what its first statement makes; and some others."""


class _Part(NamedTuple):
    """What may make a function hold a cast: offsets of calls, and whether of types."""

    calls: list[int]
    types: list[int]


class _Screen:
    def __init__(self, text: str, spots: Spots, any_width: bool, known: Known) -> None:
        self.text = text
        self.any_width = any_width
        self.outline = known.outline
        self.known = known
        self.parts: dict[Span, _Part] = {}
        self.is_outside = False
        """Whether a cast may stand outside of every function."""
        self.known.names_a_type = spots.imports_type
        self._place(spots)
        self._place_calls(self._casting())

    def _place(self, spots: Spots) -> None:
        """Note the functions in which casts may stand."""
        for offset in spots.calls:
            span = self.outline.function_at(offset)
            if span is None:
                self.is_outside = True
            else:
                self._part(span).calls.append(offset)
        last = (0, 0)
        for offset in spots.types:
            span = self.outline.function_at(offset)
            if span is not None:
                self._part(span).types.append(offset)
                # One in a default binds a name around the function.
                near = max(0, offset - _NEAR)
                self.known.names_a_type |= self.text.find(":=", near, offset) >= 0
                continue
            gap = self.outline.gap_at(offset)
            if gap != last and any(find_conversions(self.text, *gap)):
                self.is_outside = True
            last = gap
            # What a class binds is not seen from its functions.
            self.known.names_a_type |= not self.outline.is_in_class(offset)
        if self.known.names_a_type:
            for offset in find_conversions(self.text):
                span = self.outline.function_at(offset)
                if span is None:
                    self.is_outside = True
                else:
                    self._part(span).types.append(offset)

    def _casting(self) -> set[Span]:
        """The functions that may do no more than to cast; their names are told."""
        found: set[Span] = set()
        for span in self.parts:
            text = self.text[span.start : span.end]
            if span.indent or not _RETURNS_AT_ONCE.match(text):
                continue
            try:
                names = casting_functions(ast.parse(text))
            except (SyntaxError, ValueError):
                continue
            if names:
                found.add(span)
                self.known.casting.update(names)
        return found

    def _place_calls(self, functions: set[Span]) -> None:
        """Note the functions that call those that cast."""
        self.casting = functions
        for name in self.known.casting:
            for offset in self.known.places_of(name):
                span = self.outline.function_at(offset)
                if span is None:
                    self.is_outside = True
                elif span not in functions:
                    self._part(span).calls.append(offset)

    def _part(self, span: Span) -> _Part:
        return self.parts.setdefault(span, _Part([], []))

    def suspects(self) -> list[Rows] | None:
        if self.is_outside:
            return self._of_the_whole()
        found: set[Span] = set()
        for span, part in sorted(self.parts.items()):
            offsets = list(part.calls)
            if part.types:
                offsets += find_conversions(self.text, span.start, span.end)
            if not offsets or not self._may_be_wide(span):
                continue
            if self.outline.may_be_in_string(span.start):
                return self._of_the_whole()
            reach = Reach(self.text[span.start : span.end], self.known)
            if reach.is_narrow(sorted(offset - span.start for offset in offsets)):
                found |= {span, *reach.takers}
        return list(self._rows(sorted(found | self.casting if found else found)))

    def _rows(self, spans: list[Span]) -> Iterator[Rows]:
        row, counted = 1, 0
        for span in spans:
            row += self.text.count("\n", counted, span.start)
            counted = span.start
            yield row, row + self.text.count("\n", span.start, span.end - 1)

    def _may_be_wide(self, span: Span) -> bool:
        return self.any_width or self._has_words(telling_text(self.outline, span))

    def _has_words(self, text: str) -> bool:
        renamed = [
            f"{was}(" for name, was in self.known.imported.items() if name != was
        ]
        text = " ".join([text, *renamed]) if renamed else text
        return may_be_vocab_wide(text, self.text)

    def _of_the_whole(self) -> list[Rows] | None:
        if not (self.any_width or self._has_words(self.text)):
            return []
        offsets = [*find_spots(self.text).calls, *find_conversions(self.text)]
        reach = Reach(self.text, self.known)
        return None if reach.is_narrow(sorted(offsets)) else []


def telling_text(outline: Outline, span: Span) -> str:
    """What the width of a function's tensors is judged by: its text and what is above.

    Comments there may speak of what the function's first line binds.
    """
    start = outline.above_comments(span.start)
    return outline.holder_of(span) + outline.text[start : span.end]


@cache
def _selections(codes: frozenset[str] | None) -> frozenset[str]:
    return frozenset(name for rule in rules_of(codes) for name in rule.reads())
