"""The statements of a text: told apart by brackets, and parsed one by one.

Of a function with a cast few statements matter, and parsing those takes a fraction of
the time that parsing the function takes.

Terms
-----
statement
    A logical line of Python: one or more simple statements, or the head of a compound
    one, which is parsed as if nothing stood below it.

A text whose brackets and strings do not close raises Unclear, and so does a statement
that does not parse by itself.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator

_LITERAL = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"""|())'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'''|())"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*(?:"|())'
    r"|'[^'\\\n]*(?:\\.[^'\\\n]*)*(?:'|())"
    r"|\#[^\n]*",
    re.DOTALL,
)
"""A string or a comment. A group takes part where the string does not close."""
_CLAUSE = re.compile(r"(?:elif|else|try|finally|except|case|match)\b")
_PAIRS = bytes.maketrans(b"[{]}", b"(())")
_OTHERS = bytes(set(range(256)) - set(b"()[]{}\n"))


class Unclear(Exception):
    """The text does not tell its statements apart."""


class Statements:
    """Of one text, whose lines end at a line feed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.code = _LITERAL.sub(_blank, text)
        self._starts = _starts(self.code)
        self._parsed: dict[int, list[ast.stmt]] = {}

    def number_at(self, offset: int) -> int:
        """Which statement an offset stands in."""
        return bisect_right(self._starts, offset) - 1

    def end_of(self, number: int) -> int:
        return self._starts[number + 1]

    def parsed(self, number: int) -> list[ast.stmt]:
        """The statement, or the several that share its line."""
        known = self._parsed.get(number)
        if known is None:
            start, end = self._starts[number], self._starts[number + 1]
            code = self.text[start:end].strip()
            known = self._parsed[number] = _parse(code, self.code[start:end].strip())
        return known


def _blank(match: re.Match[str]) -> str:
    """As long as what it replaces; the lines of a string become one."""
    if match.lastindex is not None:
        raise Unclear("a string is not closed")
    is_comment = match[0].startswith("#")
    return (" " if is_comment else "_") * (match.end() - match.start())


def _starts(code: str) -> list[int]:
    """Where statements begin, and at last the end."""
    marks = code.encode("ascii", "replace").translate(_PAIRS, _OTHERS)
    starts: list[int] = []
    offset = depth = 0
    is_continued = False
    for line, brackets in zip(code.split("\n"), marks.split(b"\n"), strict=True):
        if not (depth or is_continued):
            starts.append(offset)
        if brackets:
            depth += brackets.count(b"(") - brackets.count(b")")
            if depth < 0:
                raise Unclear("a bracket is not opened")
        is_continued = line.endswith(("\\", "\\\r"))
        offset += len(line) + 1
    if depth or code.endswith(("\\\n", "\\\r\n")):
        raise Unclear("a bracket is not closed, or a line is continued")
    return [*starts, len(code)]


def _parse(code: str, blanked: str) -> list[ast.stmt]:
    """`blanked` is the code without strings and comments."""
    if code.startswith("@"):
        code = code[1:]
    is_head = blanked.endswith(":")
    body = "\n pass" if is_head else ""
    match = _CLAUSE.match(code)
    word = match[0] if match is not None else ""
    if word == "elif":
        code = code[2:]
    elif word in ("else", "try", "finally"):
        code, body = code.partition(":")[2].strip(), ""
    elif word == "except":
        if not is_head:
            raise Unclear("a handler on one line")
        code = body = ""
    elif word == "case" and is_head:
        code = f"match _:\n {code}"
        body = "\n  pass"
    elif word == "match" and is_head:
        body = "\n case _: pass"
    try:
        tree = ast.parse(f"{code}{body}")
    except (SyntaxError, ValueError) as error:
        raise Unclear("a statement does not parse") from error
    return list(_flat(tree.body))


def _flat(suite: list[ast.stmt]) -> Iterator[ast.stmt]:
    """With what stands on the line of a head; a line has no other clause."""
    for statement in suite:
        yield statement
        yield from _flat(getattr(statement, "body", []))
