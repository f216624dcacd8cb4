"""Where a text may spell a widening cast: found without parsing.

Terms
-----
call
    `.float` or `.double`, called.
type
    `.float32`, `.float64`, or `.float` or `.double` not called, where a conversion may
    be given it, or where it may be given a name that a conversion takes.
conversion
    `.to(`, `.type(`, `as_tensor(`, or an operation that casts inside, `softmax(`.

Limits: a comment between a dot and the name after it, blanks other than one space
between `to` and its parenthesis or between `from` and `torch`, and identifiers in
compatibility characters (`ﬂoat`) are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, digits
from typing import NamedTuple

_WIDE = frozenset(("float", "double", "float32", "float64"))
_BLANK = " \t\f\r\n\\"
_IN_NAME = f"{ascii_letters}{digits}_."
_QUOTES = ('"', "'")
_COMPARISONS = ("==", "!=", "<=", ">=")
_DOT = r"\.[ \t\f\r\n\\]*"
_SPELLING = re.compile(
    _DOT + r"((?:float|double)(32|64)?)(?!\w)(?:[ \t\f\r\n\\]*([(#]))?"
)
_CONVERSION = re.compile(_DOT + r"((?:to|type) ?\()")
_GIVEN = re.compile(r"float(?<![\w:.]float)(?<!: float)(?=[ \t\f\r\n\\]*[,)#])")
"""Python's `float`, where it may be the type that a conversion is given."""
_INSIDE = re.compile(r"(?:softmax|cumsum)$")
_FUNCTION = re.compile(r"(?<!\w)(?:as_tensor|(?:log_)?softmax|cumsum)\(")
"""Beside `as_tensor`, what casts its operand where it is given a type."""
_CAST_AGAIN = re.compile(r"[\s,\\]*\)\.(?:to\([\w.]+\.dtype\)|type_as\()")
_STRING = re.compile(r"'[^'\\]*'|\"[^\"\\]*\"")
_COMMENT = re.compile(r"#[^\n]*")
_NEAR = 400
"""How far the bracket can be that a type on a line of its own stands in."""

_TORCH_IMPORT = re.compile(
    r"from torch[\w.]*[\s\\]+import[\s\\]*"
    r"(\((?:[\w\s,\\]++|#[^\n]*+)*+\)|(?:\\\r?\n|[\w \t\f,])*)"
)


class Spots(NamedTuple):
    """Offsets in the text."""

    calls: list[int]
    types: list[int]
    imports_type: bool
    """A type is imported by its own name, and has no spot where it is used."""


def find_spots(text: str) -> Spots:
    calls: list[int] = []
    types: list[tuple[int, int]] = []
    for match in _SPELLING.finditer(text):
        _, size, following = match.groups()
        if following and not size:
            calls.append(match.start(1))
        if size or following != "(":
            types.append(match.span(1))
    if "torch" not in text or next(find_conversions(text), None) is None:
        return Spots(calls, [], False)  # the types are those of numpy and others
    types += (match.span() for match in _GIVEN.finditer(text))
    taken = [start for start, end in types if _may_be_taken(text, start, end)]
    is_imported = not _WIDE.isdisjoint(torch_names(text).values())
    return Spots(calls, taken, is_imported)


def find_conversions(
    text: str, start: int = 0, end: int | None = None
) -> Iterator[int]:
    end = len(text) if end is None else end
    for match in _CONVERSION.finditer(text, start, end):
        yield match.start(1)
    for match in _FUNCTION.finditer(text, start, end):
        yield match.start()


def torch_names(text: str) -> dict[str, str]:
    """What the text imports from torch, in any scope: the names by what they become."""
    found: dict[str, str] = {}
    start = text.find("from torch")
    while start >= 0:
        end = start + 1
        match = _TORCH_IMPORT.match(text, start)
        if match is not None:
            end = match.end()
            for part in _COMMENT.sub("", match[1]).strip("()").split(","):
                words = part.replace("\\", " ").split()
                if len(words) == 3 and words[1] == "as":
                    found[words[2]] = words[0]
                elif words:
                    found[words[0]] = words[0]
        start = text.find("from torch", end)
    return found


def is_word(character: str) -> bool:
    return character == "_" or character.isalnum()


def _may_be_taken(text: str, start: int, end: int) -> bool:
    """Whether a type may be given to a conversion, or be bound to a name.

    Most are not: they stand in a comparison, in a table, or are given to a `softmax`
    whose result is cast back at once. What the text around does not tell may be so.
    """
    nearest = max(0, start - _NEAR)
    start = _start_of_name(text, start, nearest)
    first = text.rfind("\n", nearest, start) + 1
    if start == nearest or not first:
        return True
    line = _STRING.sub(_blank, text[first:start]).rstrip()
    following = text[end : end + 2].strip()[:1]
    opened = _opened(line)
    if line.endswith(":="):
        return True
    if line.endswith(_COMPARISONS):
        return False
    if opened >= 0 and line[-1] in "=(,[":
        return _takes(line[:opened], following, text, end)
    if line and line[-1] not in "=,":
        return line.endswith(("import", "as", "\\"))
    if not line and following == ":":
        return False
    before = text[max(0, first - _NEAR) : start]
    opened = _opened(before)
    inside = before[opened:]
    if opened < 0 or '"' in inside or "'" in inside:
        return True
    if "#" in before[before.rfind("\n", 0, opened) + 1 :]:
        return True
    return _takes(before[:opened], following, text, end)


def _blank(match: re.Match[str]) -> str:
    return "_" * len(match[0])


def _start_of_name(text: str, start: int, least: int) -> int:
    """Where a dotted name begins of which a part starts at `start`."""
    while start > least:
        if is_word(text[start - 1]) or text[start - 1] == ".":
            start = min(start - 1, least + len(text[least:start].rstrip(_IN_NAME)))
            continue
        index = least + len(text[least:start].rstrip(_BLANK))
        is_broken = text[start] == "." or text[index - 1 : index] == "."
        if index == start or not is_broken:
            break
        start = index
    return start


def _takes(before: str, following: str, text: str, end: int) -> bool:
    """Whether what opens after a text is a conversion, or bound to a name as it is.

    The type in it ends at `end`.
    """
    before = before.rstrip()
    if _INSIDE.search(before):
        return _CAST_AGAIN.match(text, end) is None
    if before.endswith("="):
        target = before[before.rfind("\n") + 1 : -1]
        return following != "," or not {",", ")", "]"}.isdisjoint(target)
    return (
        before.endswith(("to", "type", "as_tensor", "(", ",", "\\", ":")) or not before
    )


def _opened(text: str) -> int:
    """Where the innermost bracket opens that is still open at the end; or -1."""
    depth = 0
    for index in range(len(text) - 1, -1, -1):
        if text[index] in ")]}":
            depth += 1
        elif text[index] in "([{":
            if not depth:
                return index
            depth -= 1
    return -1
