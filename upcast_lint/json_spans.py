"""Where the values of a JSON text stand in it, which `json` does not tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from json import decoder

# Typeshed does not list it; the standard library's own scanner is built on it.
_scan_string: Callable[[str, int], tuple[str, int]] = vars(decoder)["scanstring"]
_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}]+")


@dataclass(frozen=True, slots=True)
class Span:
    """A value from `start` to `end`; `items` of an array, `members` of an object."""

    start: int
    end: int
    items: tuple[Span, ...] | None = None
    members: dict[str, Span] | None = None

    def __getitem__(self, key: int | str) -> Span:
        """Raises LookupError where there is no such value."""
        if isinstance(key, str):
            return (self.members or {})[key]
        return (self.items or ())[key]


def parse_spans(text: str) -> Span:
    """`text` must be valid JSON."""
    return _value(text, _skip(text, 0))


def _value(text: str, at: int) -> Span:
    match text[at]:
        case '"':
            return Span(at, _scan_string(text, at + 1)[1])
        case "[":
            return _array(text, at)
        case "{":
            return _object(text, at)
        case _:
            scalar = _SCALAR.match(text, at)
            return Span(at, scalar.end() if scalar else at + 1)


def _array(text: str, start: int) -> Span:
    items: list[Span] = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        items.append(_value(text, at))
        at = _after_comma(text, items[-1].end)
    return Span(start, at + 1, items=tuple(items))


def _object(text: str, start: int) -> Span:
    members: dict[str, Span] = {}
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, at = _scan_string(text, at + 1)
        at = _skip(text, at) + 1  # the colon
        members[key] = _value(text, _skip(text, at))
        at = _after_comma(text, members[key].end)
    return Span(start, at + 1, members=members)


def _after_comma(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
