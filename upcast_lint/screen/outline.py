"""The outermost functions of a text, found by indentation, without parsing.

What is cut out is parsed afterwards. A cut in the wrong place leaves a bracket or a
string open, so it does not parse, and the caller takes the whole text instead. Only
inside strings could a wrong beginning go unnoticed; `may_be_in_string` asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_TOP = ("class ", "def ", "async def ")
_FIRST_METHOD = re.compile(r"\n([ \t]+)(?:async[ \t]+)?def[ \t]")


class Span(NamedTuple):
    """`text[start:end]` is a function, with the indentation of its first line."""

    start: int
    end: int
    indent: str


class _Heads:
    """The lines of a text that begin with some words. Ascending offsets are fast."""

    def __init__(self, text: str, words: tuple[str, ...], start: int) -> None:
        self._text = text
        self._words = [f"\n{word}" for word in words]
        self._start = start
        self._asked = start
        self._found = -1

    def last_before(self, offset: int) -> int:
        """Where the last of them starts whose line feed is before an offset; or -1."""
        if offset < self._asked:
            self._asked, self._found = self._start, -1
        for word in self._words:
            first, end = max(self._asked, self._found), offset + len(word) - 2
            later = self._text.rfind(word, first, end)
            if later >= 0:
                self._found = later + 1
        self._asked = max(offset - 1, self._start)
        return self._found


class Outline:
    """Of one text, whose lines end at a line feed. Ascending offsets are fast."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._last: Span | None = None
        self._tops = _Heads(text, _TOP, 0)
        self._methods: dict[int, _Heads] = {}
        """By the start of the class, as the next."""
        self._indents: dict[int, str | None] = {}
        self._ends: dict[int, int] = {}
        self._gap = (0, -1)
        self._quotes = (0, 0, 0)

    def function_at(self, offset: int) -> Span | None:
        """The outermost function, decorators left out, that holds an offset.

        None where there is none, or where more than a glance is needed to see it.
        """
        if self._last is not None and self._last.start <= offset < self._last.end:
            return self._last
        start = self._top_before(offset)
        if start is None:
            return None
        indent = ""
        if self.text.startswith("class", start):
            found = self._method(start, offset)
            if found is None:
                return None
            start, indent = found
        end = self._end_of_block(start, indent)
        if offset >= end:
            return None
        self._last = Span(start, end, indent)
        return self._last

    def holder_of(self, span: Span) -> str:
        """The first line of the class that a function is a method of."""
        start = self._top_before(span.start + 1)
        if start is None or start == span.start:
            return ""
        return self.text[start : self.text.find("\n", start) + 1]

    def is_in_class(self, offset: int) -> bool:
        """Whether an offset stands in an outermost class, or in a function of it."""
        start = self._top_before(offset)
        return (
            start is not None
            and self.text.startswith("class", start)
            and offset < self._end_of_block(start, "")
        )

    def may_be_in_string(self, offset: int) -> bool:
        """Whether an offset may stand in a string of several lines."""
        last, double, single = self._quotes
        if offset < last:
            last = double = single = 0
        double += self.text.count('"""', last, offset)
        single += self.text.count("'''", last, offset)
        self._quotes = (offset, double, single)
        return double % 2 == 1 or single % 2 == 1

    def above_comments(self, start: int) -> int:
        """Where the comments begin that stand right above the line at `start`."""
        while True:
            above = self.text.rfind("\n", 0, max(start - 1, 0)) + 1
            if not self.text[above:start].lstrip().startswith("#"):
                return start
            start = above

    def gap_at(self, offset: int) -> tuple[int, int]:
        """From the last function or class before an offset to the next."""
        start, end = self._top_before(offset) or 0, self._gap[1]
        if start != self._gap[0] or offset > end:
            end = len(self.text)
            for word in _TOP:
                found = self.text.find(f"\n{word}", max(offset - 1, 0), end)
                if found >= 0:
                    end = found + 1
            self._gap = (start, end)
        return self._gap

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Where the outermost functions and classes begin and end."""
        starts = [0] if self.text.startswith(_TOP) else []
        for word in _TOP:
            found = self.text.find(f"\n{word}")
            while found >= 0:
                starts.append(found + 1)
                found = self.text.find(f"\n{word}", found + 1)
        for start in sorted(starts):
            yield start, self._end_of_block(start, "")

    def methods(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where the methods of the outermost class at `start` begin and end.

        None of them where more than a glance is needed to see it.
        """
        indent = self._indent_of_methods(start)
        if indent is None:
            return
        head = re.compile(rf"\n{indent}(?:async )?def ")
        match = head.search(self.text, start, end)
        while match is not None:
            first = match.start() + 1
            last = self._end_of_block(first, indent)
            yield first, last
            match = head.search(self.text, last - 1, end)

    def _top_before(self, offset: int) -> int | None:
        """Where the last outermost function or class before an offset starts."""
        found = self._tops.last_before(offset)
        if found < 0 and offset > 0 and self.text.startswith(_TOP):
            return 0
        return None if found < 0 else found

    def _end_of_block(self, start: int, indent: str) -> int:
        if start not in self._ends:
            match = _block_end(indent).search(self.text, start)
            self._ends[start] = len(self.text) if match is None else match.start() + 1
        return self._ends[start]

    def _method(self, start: int, offset: int) -> tuple[int, str] | None:
        """The last method before an offset of the class that starts at `start`."""
        if start not in self._indents:
            self._indents[start] = self._indent_of_methods(start)
        indent = self._indents[start]
        if indent is None:
            return None
        if start not in self._methods:
            words = (f"{indent}def ", f"{indent}async def ")
            self._methods[start] = _Heads(self.text, words, start)
        found = self._methods[start].last_before(offset)
        return None if found < 0 else (found, indent)

    def _indent_of_methods(self, start: int) -> str | None:
        """None where the first function of the class is not one of its own methods."""
        end = self._end_of_block(start, "")
        match = _FIRST_METHOD.search(self.text, start, end)
        if match is None:
            return None
        indent = match[1]
        if "\t" in indent:
            return indent if indent == "\t" else None
        if len(indent) > 1 and _shallower(len(indent)).search(self.text, start, end):
            return None
        return indent


@cache
def _shallower(indent: int) -> re.Pattern[str]:
    """The head of a function that is less far in, but not outermost."""
    return re.compile(rf"\n {{1,{indent - 1}}}(?:async )?def ")


@cache
def _block_end(indent: str) -> re.Pattern[str]:
    """The line end before a line that is no further in, comments and brackets aside.

    Code is indented by blanks or by tabs; a line of the other kind is in a string.
    """
    blank = "\t" if "\t" in indent else " "
    return re.compile(rf"\n{blank}{{0,{len(indent)}}}(?=[^\s#)\]}}])")
