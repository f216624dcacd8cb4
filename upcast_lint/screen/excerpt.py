"""A source of which only suspect functions are left, and what they are judged by.

The judgement of a function reads its own text, what the class around it assigns to
attributes, and the imports and names of the module. Of other functions and classes it
takes no more than the name, unless what stands in them speaks against a finding. So an
excerpt has at least the findings of the whole; most files end there without having
been parsed as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..source import Source
from .outline import Outline
from .tiers import Rows

_HEAD = re.compile(r"([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+(\w+)")
_ASSIGNS = re.compile(r"self[ \t]*\.[ \t]*\w+[ \t]*=(?!=)|register_buffer")


def excerpt(source: Source, suspects: list[Rows]) -> Source | None:
    """The source without the functions, methods and classes that need not be read.

    Each leaves its name and its empty lines, so rows stay what they are. None where it
    cannot be told what to cut, or where a function is so short that the comment above
    it may be about its only line.
    """
    if any(first == last for first, last in suspects):
        return None
    text, starts = source.text, source.line_starts
    kept = [starts[first - 1] for first, _ in suspects]
    parts: list[str] = []
    done = 0
    for start, end in _spare(Outline(text), kept):
        match = _HEAD.match(text, start)
        if match is None or start < done:
            return None
        indent, word, name = match.groups()
        signature = "()" if word == "def" else ""
        lines = "\n" * text.count("\n", start, end)
        parts += (text[done:start], f"{indent}{word} {name}{signature}: pass", lines)
        done = end
    parts.append(text[done:])
    return Source(source.path, b"", "".join(parts), "utf-8", False)


def _spare(outline: Outline, kept: list[int]) -> Iterator[tuple[int, int]]:
    """What is to be cut, in order: all that holds nothing of `kept`."""
    for start, end in outline.blocks():
        inside = [each for each in kept if start <= each < end]
        if not inside:
            yield start, end
        elif start not in inside:
            for first, last in outline.methods(start, end):
                is_suspect = any(first <= each < last for each in inside)
                if not (is_suspect or _ASSIGNS.search(outline.text, first, last)):
                    yield first, last
