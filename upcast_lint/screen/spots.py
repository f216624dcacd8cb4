"""Where a text may spell a widening cast: found by `find`, without parsing.

Terms
-----
call
    `.float` or `.double`, called.
type
    `float32`, `float64`, or `.float` or `.double` not called: what a conversion of
    the same function may be given, or of another function where the module gives the
    type a name.
conversion
    `.to(` or `.type(`.

Limits: a comment between a dot and the name after it, blanks other than one space
between `to` and its parenthesis or between `from` and `torch`, and identifiers in
compatibility characters (`ﬂoat`) are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_WORDS = ("float", "double")
_SIZES = ("32", "64")
_BLANK = " \t\f\r\n\\"
_QUOTES = ('"', "'")
_CONVERSIONS = ("to(", "type(", "to (", "type (")

_TORCH_IMPORT = re.compile(
    r"from torch[\w.]*[\s\\]+import[\s\\]*(\([^)]*\)|(?:\\\r?\n|[^\n\\])*)"
)


class Spots(NamedTuple):
    """Offsets in the text."""

    calls: list[int]
    types: list[int]


def may_spell_cast(text: str) -> bool:
    return "float" in text or "double" in text


def find_spots(text: str) -> Spots:
    calls: list[int] = []
    types: list[int] = []
    for word in _WORDS:
        start = text.find(word)
        while start >= 0:
            end = start + len(word)
            before, after = text[start - 1 : start], text[end : end + 2]
            if after in _SIZES:
                if not (
                    is_word(before)
                    or before in _QUOTES
                    or is_word(text[end + 2 : end + 3])
                ):
                    types.append(start)
            elif is_word(after[:1]):
                pass
            elif before == "." or (before in _BLANK and _follows_dot(text, start)):
                is_called = after[:1] == "(" or _is_called(text, end)
                (calls if is_called else types).append(start)
                if is_called is None:
                    calls.append(start)
            start = text.find(word, end)
    # A type is one of torch's, which must be imported.
    return Spots(calls, types if "torch" in text else [])


def find_conversions(
    text: str, start: int = 0, end: int | None = None
) -> Iterator[int]:
    end = len(text) if end is None else end
    for word in _CONVERSIONS:
        found = text.find(word, start, end)
        while found >= 0:
            if text[found - 1 : found] == "." or _follows_dot(text, found):
                yield found
            found = text.find(word, found + 1, end)


def torch_names(text: str) -> dict[str, str]:
    """What the text imports from torch, in any scope: the names by what they become."""
    found: dict[str, str] = {}
    start = text.find("from torch")
    while start >= 0:
        match = _TORCH_IMPORT.match(text, start)
        if match is not None:
            for part in match[1].strip("()").split(","):
                words = part.partition("#")[0].replace("\\", " ").split()
                if len(words) == 3 and words[1] == "as":
                    found[words[2]] = words[0]
                elif words:
                    found[words[0]] = words[0]
        start = text.find("from torch", start + 10)
    return found


def may_be_given_a_name(text: str, offset: int) -> bool:
    """Whether a type at module level may be what a name is bound to."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    head = re.sub(r"[\w.]*\Z", "", line).rstrip()
    return not head.endswith((":", *_QUOTES))


def is_word(character: str) -> bool:
    return character == "_" or character.isalnum()


def _follows_dot(text: str, start: int) -> bool:
    """Whether a dot and blanks come before, as where a chain breaks after its dot."""
    index = start - 1
    if index < 0 or text[index] not in _BLANK:
        return False
    while index >= 0 and text[index] in _BLANK:
        index -= 1
    return index >= 0 and text[index] == "."


def _is_called(text: str, end: int) -> bool | None:
    """Whether a parenthesis follows; None where a comment is in the way."""
    while end < len(text) and text[end] in _BLANK:
        end += 1
    following = text[end : end + 1]
    return None if following == "#" else following == "("
