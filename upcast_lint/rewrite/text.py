"""Surgery on source text: edits by offset, and expressions rebuilt from their parts.

Every text comes from the source itself, so that quotes, spacing and comments stay.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from itertools import pairwise

from ..analysis.casts import Cast
from ..finding import Edit
from ..source import Source


class Unfixable(Exception):
    """The rewrite is known, but the text has a shape that is not safe to edit."""


class NothingSaved(Unfixable):
    """Whatever is moved, every path casts as much as before."""


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """Replace the text between two offsets."""

    start: int
    end: int
    content: str


class Text:
    """The changes to one source, which must not overlap."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.changes: list[Change] = []

    def replace(self, start: int, end: int, content: str) -> None:
        self.changes.append(Change(start, end, content))

    def insert(self, offset: int, content: str) -> None:
        self.replace(offset, offset, content)

    def discard_within(self, start: int, end: int) -> None:
        """Forget the changes of a span that is replaced whole."""
        self.changes = [
            c for c in self.changes if not (start <= c.start and c.end <= end)
        ]

    def between(self, start: int, end: int) -> str:
        """The text of a span with the changes inside it made."""
        out: list[str] = []
        done = start
        for change in sorted(self.changes):
            if start <= change.start and change.end <= end:
                out += (self.source.text[done : change.start], change.content)
                done = change.end
        out.append(self.source.text[done:end])
        return "".join(out)

    def node(self, node: ast.expr) -> str:
        return self.between(self.source.node_start(node), self.source.node_end(node))

    def spliced(self, node: ast.expr, operand: ast.expr, content: str) -> str:
        """The text of `node` with the text of `operand`, which it holds, replaced."""
        source = self.source
        start, end = self.parenthesised(operand, node)
        return (
            self.between(source.node_start(node), start)
            + content
            + self.between(end, source.node_end(node))
        )

    def parenthesised(self, operand: ast.expr, node: ast.expr) -> tuple[int, int]:
        """The span of an operand with the parentheses that are only around it."""
        source = self.source
        start, end = source.node_start(operand), source.node_end(operand)
        if isinstance(node, ast.Call) and node.func is not operand:
            inner = [*node.args, *(k.value for k in node.keywords)]
            if operand in inner:
                return start, end
        low, high = source.node_start(node), source.node_end(node)
        while True:
            before = source.text[low:start].rstrip()
            after = source.text[end:high]
            stripped = after.lstrip()
            if not (before.endswith("(") and stripped.startswith(")")):
                return start, end
            start = low + len(before) - 1
            end = end + len(after) - len(stripped) + 1

    def edits(self) -> tuple[Edit, ...]:
        """The changes as edits, in order. Raises Unfixable where they overlap."""
        ordered = sorted(self.changes)
        for left, right in pairwise(ordered):
            if right.start < left.end:
                raise Unfixable("changes overlap")
        return tuple(
            Edit(self.source.range(c.start, c.end), c.content) for c in ordered
        )


def suffix_span(cast: Cast, source: Source) -> tuple[int, int]:
    """Where `.float()` stands in `x.float()`."""
    function = cast.call.func
    assert isinstance(function, ast.Attribute)
    name_start = source.node_end(function) - len(function.attr)
    receiver_end = source.node_end(cast.source)
    dot = source.text.rfind(".", receiver_end, name_start)
    if dot < 0 or source.text[dot + 1 : name_start].strip():
        raise Unfixable("the cast is spelled over several lines")
    if "\\" in source.text[receiver_end:dot]:
        raise Unfixable("the cast follows a continued line")
    end = source.node_end(cast.call)
    spelled = source.text[dot:end]
    if "#" in spelled and ("\n" in spelled or "\r" in spelled):
        raise Unfixable("a comment stands inside the cast")
    return dot, end


def cast_text(cast: Cast, inner: str, source: Source) -> str:
    """The cast, spelled as in the source, of another expression."""
    if not cast.is_method:
        start, end = source.node_start(cast.call), source.node_end(cast.call)
        return (
            source.text[start : source.node_start(cast.source)]
            + inner
            + source.text[source.node_end(cast.source) : end]
        )
    start, end = suffix_span(cast, source)
    spelled = source.text[start:end]
    if "\n" in spelled or "\r" in spelled:
        spelled = _on_one_line(cast.call)
    return inner + spelled


def _on_one_line(call: ast.Call) -> str:
    function = call.func
    assert isinstance(function, ast.Attribute)
    arguments = [ast.unparse(a) for a in call.args]
    arguments += [f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords]
    return f".{function.attr}({', '.join(arguments)})"


def drop_cast(cast: Cast, text: Text) -> list[str] | None:
    """Leave the source where the cast stood.

    If `.float()` had a line of its own, the comments on the lines just above it and at
    its end, which go with it; else None.
    """
    source = text.source
    if not cast.is_method:
        start, end = source.node_start(cast.call), source.node_end(cast.call)
        inner = source.segment(cast.source)
        text.replace(start, end, inner if is_primary(cast.source) else f"({inner})")
        return None
    start, end = suffix_span(cast, source)
    row = source.position(start).row
    first = source.line_starts[row - 1]
    rest, rest_end = rest_of_line(source, end)
    if source.text[first:start].strip() or not is_blank_or_comment(rest):
        text.replace(start, end, "")
        return None
    comment = rest.strip()
    if comment and (is_directive(comment) or not speaks_of_cast(comment)):
        text.replace(start, end + len(rest) - len(rest.lstrip()), "")
        return []
    top = row
    while source.line_starts[top - 2] > source.node_end(cast.source) and source.line(
        top - 1
    ).lstrip().startswith("#"):
        top -= 1
    text.replace(source.line_starts[top - 1], rest_end, "")
    above = [source.line(each).strip() for each in range(top, row)]
    return [*above, comment] if comment else above


def speaks_of_cast(comment: str) -> bool:
    """Whether a comment is about the cast beside it; those of ours are not."""
    return not is_directive(comment) and _CAST_WORDS.search(comment) is not None


_CAST_WORDS = re.compile(
    r"float|fp32|fp64|double|upcast|up-cast|\bcast|precision|stab|numeric|dtype", re.I
)


def is_blank_or_comment(rest: str) -> bool:
    return not rest.strip() or rest.lstrip().startswith("#")


def comments_in(fragment: str) -> list[str]:
    """The comments of a statement's text, in order. Raises Unfixable if it is odd."""
    if "#" not in fragment:
        return []
    try:
        return [
            token.string
            for token in tokenize.generate_tokens(io.StringIO(fragment).readline)
            if token.type == tokenize.COMMENT
        ]
    except (tokenize.TokenError, SyntaxError) as error:
        raise Unfixable("the comments of the cast cannot be told apart") from error


def is_directive(comment: str) -> bool:
    """Whether a comment speaks to a tool about the line that it stands on."""
    return comment.lstrip("# ").lower().startswith(_DIRECTIVES)


_DIRECTIVES = (
    "noqa",
    "nosec",
    "type:",
    "fmt:",
    "yapf:",
    "isort:",
    "mypy:",
    "ruff:",
    "flake8:",
    "pylint:",
    "pyright:",
    "pyre-",
    "pragma",
    "upcast-lint",
)


def is_elif(statement: ast.stmt, source: Source) -> bool:
    """Whether an `if` is spelled as a further arm of the one before it."""
    return isinstance(statement, ast.If) and source.text.startswith(
        "elif", source.node_start(statement)
    )


def rest_of_line(source: Source, offset: int) -> tuple[str, int]:
    """What follows on the line of an offset, and where the next line starts."""
    row = source.position(offset).row
    starts = source.line_starts
    end = starts[row] if row < len(starts) else len(source.text)
    return source.text[offset:end].rstrip("\r\n"), end


def is_primary(node: ast.expr) -> bool:
    """Whether a method can be called on the text of a node as it stands."""
    return isinstance(
        node,
        ast.Name
        | ast.Attribute
        | ast.Call
        | ast.Subscript
        | ast.List
        | ast.Dict
        | ast.ListComp,
    )


def indentation(source: Source, row: int) -> str:
    line = source.line(row)
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def line_end(source: Source, row: int) -> str:
    """The line end that a row has, or the source's first where it has none."""
    for candidate in (row, 1):
        start = source.line_starts[candidate - 1]
        stop = (
            source.line_starts[candidate]
            if candidate < len(source.line_starts)
            else len(source.text)
        )
        line = source.text[start:stop]
        ending = line[len(line.rstrip("\r\n")) :]
        if ending:
            return ending
    return "\n"
