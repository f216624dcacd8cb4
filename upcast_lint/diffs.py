"""Unified diffs: of whole files for `git apply`, and of one fix for a reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from .finding import Fix
from .source import Source, apply_edits, line_starts

_CONTEXT = 3
_C_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r"}
_BYTE_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_LINE_END = re.compile(r"\r\n|\r|\n")
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
    source = Source("", b"", text, "utf-8", False, line_starts(text))
    before = _LINE_END.split(text)
    after = _LINE_END.split(apply_edits(source, list(fix.edits)))
    for at, (_, body) in enumerate(_hunks(before, after, 1)):
        if at:
            yield "…"
        yield from body


def _hunks(
    before: list[str], after: list[str], context: int
) -> Iterator[tuple[str, list[str]]]:
    """Each hunk's `@@ … @@` and its lines with their signs."""
    import difflib

    # Edits are few and close together: what is equal around them need not be compared.
    skip = max(0, _equal(before, after) - context)
    rest = min(len(before), len(after)) - skip
    tail = min(rest, _equal(reversed(before), reversed(after)))
    tail = max(0, tail - context)
    old, new = before[skip : len(before) - tail], after[skip : len(after) - tail]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(context):
        (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
        body: list[str] = []
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                body += [f" {line}" for line in old[a1:a2]]
                continue
            body += [f"-{line}" for line in old[a1:a2]]
            body += [f"+{line}" for line in new[b1:b2]]
        spans = f"-{_span(i1 + skip, i2 + skip)} +{_span(j1 + skip, j2 + skip)}"
        yield f"@@ {spans} @@", body


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
