"""A source of which only suspect functions are left, and what they are judged by.

The judgement of a function reads its own text, the class around it, and the imports
and names of the module. Of other functions and classes it takes no more than the name,
unless what stands in them speaks against a finding. So an excerpt has at least the
findings of the whole; most files end there without having been parsed as a whole.
"""

from __future__ import annotations

import re

from ..source import Source
from .outline import Outline
from .tiers import Rows

_FUNCTION = re.compile(r"(?:async[ \t]+)?def[ \t]+(\w+)")
_CLASS = re.compile(r"class[ \t]+(\w+)")


def excerpt(source: Source, suspects: list[Rows]) -> Source | None:
    """The source with the outermost functions and classes without a suspect cut out.

    Rows stay what they are. None where it cannot be told what to cut, or where a
    function is so short that the comment above it may be about its only line.
    """
    if any(first == last for first, last in suspects):
        return None
    text, starts = source.text, source.line_starts
    kept = sorted(starts[first - 1] for first, _ in suspects)
    parts: list[str] = []
    done = 0
    for start, end in Outline(text).blocks():
        if start < done:
            return None
        if any(start <= each < end for each in kept):
            continue
        match = _CLASS.match(text, start) or _FUNCTION.match(text, start)
        if match is None:
            return None
        word = "class {}: pass" if match.re is _CLASS else "def {}(): pass"
        lines = "\n" * text.count("\n", start, end)
        parts += (text[done:start], word.format(match[1]), lines)
        done = end
    parts.append(text[done:])
    return Source(source.path, b"", "".join(parts), "utf-8", False)
