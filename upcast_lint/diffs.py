"""Unified diffs: of whole files for `git apply`, and of one fix for a reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from .finding import Edit, Fix, Position, Range
from .lines import lines_of
from .source import Source, apply_edits

_CONTEXT = 3
_C_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r"}
_BYTE_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_NO_NEWLINE = "\n\\ No newline at end of file\n"


def file_diff(path: str, old: bytes, new: bytes) -> bytes:
    """A diff that `git apply` and `patch -p1` take; `path` is relative, with `/`.

    Lines are what stands between line feeds, as for git; bytes are never decoded.
    """
    # Latin-1 maps each byte to one character, and back.
    before, after = (
        [line.decode("latin-1") for line in _BYTE_LINE.findall(data)]
        for data in (old, new)
    )
    left, right = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    # After a name with a space, a tab tells where it ends.
    tab = "\t" if " " in path else ""
    head = f"diff --git {left} {right}\n--- {left}{tab}\n+++ {right}{tab}\n"
    lines = [head.encode()]
    for header, body in _hunks(before, after, _CONTEXT):
        lines.append(f"{header}\n".encode())
        for line in body:
            end = "" if line.endswith("\n") else _NO_NEWLINE
            lines.append(f"{line}{end}".encode("latin-1"))
    return b"".join(lines)


def preview(text: str, fix: Fix) -> Iterator[str]:
    """The lines that a fix changes and one around them, each after its sign."""
    lines = lines_of(text)
    ranges = [edit.range for edit in fix.edits]
    # The rest of the text is the same, and may be long.
    first = max(1, min(each.start.row for each in ranges) - 1)
    last = max(each.end.row for each in ranges) + 1
    before = lines[first - 1 : last]
    is_at_end = last >= len(lines)  # where a last, empty line is none
    part = "\n".join(before)
    source = Source("", b"", part, "utf-8", False)
    edits = [Edit(_up(edit.range, first - 1), edit.content) for edit in fix.edits]
    after = lines_of(apply_edits(source, edits))
    for at, (_, body) in enumerate(_hunks(before, after, 1)):
        if at:
            yield "…"
        yield from body[:-1] if is_at_end and body[-1] == " " else body


def _up(range: Range, rows: int) -> Range:
    start, end = range.start, range.end
    return Range(
        Position(start.row - rows, start.column), Position(end.row - rows, end.column)
    )


def _hunks(
    before: Sequence[str], after: Sequence[str], context: int
) -> Iterator[tuple[str, list[str]]]:
    """Each hunk's `@@ … @@` and its lines with their signs."""
    for changes in _grouped(_changes(before, after), 2 * context):
        first, last = changes[0], changes[-1]
        start = max(0, first.old - context)
        stop = min(len(before), last.old_end + context)
        body: list[str] = []
        done = start
        for each in changes:
            body += [f" {line}" for line in before[done : each.old]]
            body += [f"-{line}" for line in before[each.old : each.old_end]]
            body += [f"+{line}" for line in after[each.new : each.new_end]]
            done = each.old_end
        body += [f" {line}" for line in before[done:stop]]
        old = _span(start, stop)
        new = _span(start + first.new - first.old, stop + last.new_end - last.old_end)
        yield f"@@ -{old} +{new} @@", body


class _Change(NamedTuple):
    """Lines of the old text from `old` on, and what replaces them in the new."""

    old: int
    old_end: int
    new: int
    new_end: int


def _changes(before: Sequence[str], after: Sequence[str]) -> list[_Change]:
    import difflib

    # Edits are few and close together: what is equal around them need not be compared.
    head = _equal(before, after)
    most = min(len(before), len(after)) - head  # no line is both head and tail
    tail = min(most, _equal(reversed(before), reversed(after)))
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    return [
        _Change(a1 + head, a2 + head, b1 + head, b2 + head)
        for tag, a1, a2, b1, b2 in difflib.SequenceMatcher(None, old, new).get_opcodes()
        if tag != "equal"
    ]


def _grouped(changes: list[_Change], near: int) -> Iterator[list[_Change]]:
    """Changes with at most `near` lines between them share a hunk."""
    group: list[_Change] = []
    for change in changes:
        if group and change.old - group[-1].old_end > near:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _equal(left: Iterable[str], right: Iterable[str]) -> int:
    """How many items the two have in common at their start."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _span(start: int, stop: int) -> str:
    """A range of lines as diffs write it; an empty one names the line before it."""
    length = stop - start
    return f"{start + 1 if length else start},{length}"


def _quoted(name: str) -> str:
    """A name as git's diffs have it: in C's quotes where it is not plain ASCII."""
    data = name.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in data):
        return name
    return f'"{"".join(map(_c_escape, data))}"'


def _c_escape(byte: int) -> str:
    if byte in _C_ESCAPES:
        return "\\" + _C_ESCAPES[byte]
    if byte in b'"\\':
        return "\\" + chr(byte)
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
