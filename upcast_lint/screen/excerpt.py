"""A source of which only suspect functions are left, and what they are judged by.

The judgement of a function reads its own text, what the class around it assigns to
attributes, and the imports and names of the module. Of other functions and classes it
takes no more than the name, unless what stands in them speaks against a finding. So an
excerpt has at least the findings of the whole (for evidence on width, which the text
of the whole file can give, it keeps that); most files end there without having
been parsed as a whole.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from ..analysis.scalars.evidence import is_tensor_method
from ..source import Source
from .outline import Outline
from .tiers import Rows

_HEAD = re.compile(r"([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+(\w+)")
_BINDING_AROUND = (":=", "global", "nonlocal")
"""What may bind a name of the module: a walrus does where it stands in a default."""
_TELLS = re.compile(
    r"register_|add_module|self[\s\\]*\.[\s\\]*\w+[\s\\)]*"
    r"(?:=(?!=)|:\s*[\w\"']|\[|\.\s*(\w+))"
)
"""What says of an attribute that it is a tensor, and what it is made from."""


def excerpt(source: Source, suspects: list[Rows]) -> Source | None:
    """The source without the functions, methods and classes that need not be read.

    Each leaves its name and its empty lines, so rows stay what they are. None where it
    cannot be told what to cut.
    """
    text, starts = source.text, source.line_starts
    kept = [starts[first - 1] for first, _ in suspects]
    outline = Outline(text)
    parts: list[str] = []
    done = 0
    for start, end in _spare(outline, kept):
        if outline.may_be_in_string(start) or outline.may_be_in_string(end):
            continue
        end = outline.above_comments(end)
        if any(text.find(word, start, end) >= 0 for word in _BINDING_AROUND):
            continue
        match = _HEAD.match(text, start)
        if match is None or start < done:
            return None
        indent, word, name = match.groups()
        # Without a `return` it could return anything.
        rest = "(): return" if word == "def" else ": pass"
        lines = "\n" * text.count("\n", start, end)
        parts += (text[done:start], f"{indent}{word} {name}{rest}", lines)
        done = end
    parts.append(text[done:])
    part = Source(source.path, b"", "".join(parts), "utf-8", False)
    part.whole = source.text
    part.project = source.project
    return part


def _spare(outline: Outline, kept: list[int]) -> Iterator[tuple[int, int]]:
    """What is to be cut, in order: all that holds nothing of `kept`."""
    for start, end in outline.blocks():
        inside = kept[bisect_left(kept, start) : bisect_left(kept, end)]
        if not inside:
            yield start, end
        elif start not in inside:
            for first, last in outline.methods(start, end):
                is_suspect = bisect_left(inside, first) < bisect_left(inside, last)
                if not (is_suspect or _tells(outline.text, first, last)):
                    yield first, last


def _tells(text: str, start: int, end: int) -> bool:
    """Whether a part of a text may say of an attribute that it is a tensor."""
    return any(
        match[1] in (None, "shape") or is_tensor_method(match[1])
        for match in _TELLS.finditer(text, start, end)
    )
