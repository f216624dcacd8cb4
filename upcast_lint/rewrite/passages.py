"""One statement of a text: where it stands, how libcst reads it, what it becomes.

A passage begins with the comments right above the statement and ends with the comment
behind it, where no other statement shares the lines. Of a compound statement it is the
header, which is read with `pass` for a body; of one on a line with others, no more than
the statement.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, CodeSpan, MetadataWrapper

from ..analysis.parents import children, first_row
from ..analysis.syntax import Tree
from ..finding import Edit
from ..source import Source
from .comments import comments_in, is_directive, nodes_in, speaks_of_cast
from .expressions import code_of
from .refusals import Unfixable
from .sink import is_elif

Line = str | cst.BaseStatement
"""What is put before a statement: a comment, or another statement."""

_DEEPEST = 1000
"""Levels of `ast` in a statement; at far more of them, parsers die."""


class Passage:
    """The text from `top` to `end`; `is_whole` takes a compound statement whole."""

    def __init__(
        self, statement: ast.stmt, source: Source, tree: Tree, is_whole: bool = False
    ) -> None:
        self.source = source
        self.tree = tree
        self.statement = statement
        self.before: list[Line] = []
        """What is put before the statement and its comments."""
        self.behind: list[cst.BaseStatement] = []
        self.row = first_row(statement)
        self.start = _start(statement, source)
        self.begins_line = self.start == first_of_line(source, self.row)
        self.top = self._top(self.start)
        self.end, self._stand_in = self._cut(is_whole)
        self.rest = rest_of_line(source, self.end).strip()
        """What follows on the line; no comment."""
        self._keeps_above = self._keeps_behind = True

    @property
    def has_lines(self) -> bool:
        """Whether it shares its lines with no other statement."""
        return self.begins_line and not self.rest

    def _top(self, start: int) -> int:
        """Where the comments right above a statement begin, or where it does."""
        source, row = self.source, self.source.position(start).row
        if first_of_line(source, row) < start:
            return start
        pad = indentation(source, row)
        while self._is_comment(row - 1) and indentation(source, row - 1) == pad:
            row -= 1
        return first_of_line(source, row)

    def _is_comment(self, row: int) -> bool:
        """Whether a row holds a comment and nothing else, not even part of a string."""
        if row < 1 or not self.source.line(row).lstrip().startswith("#"):
            return False
        return row not in self.tree.once(self.tree.module, _rows_in_strings)

    def _cut(self, is_whole: bool) -> tuple[int, str]:
        """Where the passage ends, and what stands in for the rest of the statement."""
        source, statement = self.source, self.statement
        body = getattr(statement, "body", [])
        cases = getattr(statement, "cases", [])
        if is_whole or not (body or cases):
            end = source.node_end(statement)
            rest = rest_of_line(source, end)
            is_free = not rest.strip() or rest.lstrip().startswith("#")
            return end + (len(rest) if is_free else 0), ""
        stand_in = "pass" if body else "case _: pass"
        if isinstance(statement, ast.Try | ast.TryStar):
            stand_in += f"{line_end(source, self.row)}{self._pad}finally: pass"
        if body:
            below = self._top(_start(body[0], source))
        else:
            row = cases[0].pattern.lineno
            while not source.line(row).lstrip().startswith("case"):
                row -= 1
            below = self._top(first_of_line(source, row))
        header = source.text[self.top : below]
        end = self.top + len(header.rstrip())
        return end, source.text[end:below].replace("\f", "") + stand_in

    # As libcst reads it

    @cached_property
    def _head(self) -> str:
        """What is put before the text so that it stands alone as deep as it does."""
        ending = line_end(self.source, self.row)
        pad = self._pad if self.begins_line else ""
        head = f"if 1:{ending}{pad}" if pad else f"pass{ending}"
        if is_elif(self.statement, self.source):
            head += f"if 1: pass{ending}{pad}"
        return head

    @property
    def _pad(self) -> str:
        return indentation(self.source, self.row).replace("\f", "")

    @cached_property
    def module(self) -> cst.Module:
        if _depth(self.statement) > _DEEPEST:
            raise Unfixable("the statement is nested too deeply")
        text = self._head + self.source.text[self.top : self.end] + self._stand_in
        if "\n" not in text:
            text = text.replace("\r", "\n")
        try:
            module = cst.parse_module(text)
        except cst.ParserSyntaxError as error:
            raise Unfixable("libcst cannot read the statement") from error
        if module.code != text:
            raise Unfixable("libcst reads the statement otherwise")
        return module

    @cached_property
    def node(self) -> Any:
        """The statement; where it shares a line, as if on one of its own."""
        module: Any = self.module
        is_inner = len(module.body) == 1
        last = module.body[0].body.body[-1] if is_inner else module.body[-1]
        return last.orelse if is_elif(self.statement, self.source) else last

    @cached_property
    def _spans(self) -> Mapping[cst.CSTNode, CodeSpan]:
        wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        return wrapper.resolve(ByteSpanPositionProvider)

    @cached_property
    def _expressions(self) -> dict[tuple[int, int], cst.BaseExpression | cst.Slice]:
        """The expressions and slices by where their bytes stand behind `top`."""
        first = len(self._head)
        return {
            (span.start - first, span.start - first + span.length): node
            for node, span in self._spans.items()
            if isinstance(node, cst.BaseExpression | cst.Slice)
        }

    @cached_property
    def _fields(self) -> list[cst.FormattedStringExpression]:
        kind = cst.FormattedStringExpression
        return [node for node in self._spans if isinstance(node, kind)]

    def at(self, node: ast.expr) -> cst.BaseExpression | cst.Slice:
        """What `ast` has at the same place."""
        start, end = self.source.node_start(node), self.source.node_end(node)
        text = self.source.text
        before = len(text[self.top : start].encode())
        found = self._expressions.get((before, before + len(text[start:end].encode())))
        if found is None or (self._fields and not _is_same(found, node)):
            raise Unfixable("the place of an expression is not known")
        return found

    def is_printed(self, node: cst.CSTNode) -> bool:
        """Whether a field such as `f"{x=}"` prints the text of an expression."""
        return any(
            node in nodes_in(field, type(node))
            for field in self._fields
            if field.equal is not None
        )

    # Its comments

    def comments(self) -> list[str]:
        """Those in the statement and behind it."""
        return comments_in(self.node.with_changes(leading_lines=()))

    def above(self) -> list[str]:
        """The comments right above it, where they speak of a cast."""
        lines = comments_in(*self.node.leading_lines) if self.begins_line else []
        if any(map(speaks_of_cast, lines)) and not any(map(is_directive, lines)):
            return lines
        return []

    def take_comments(self) -> list[str]:
        """Take those that speak of a cast away from the statement."""
        taken = self.above()
        self._keeps_above = not taken
        if self.has_lines and isinstance(self.node, cst.SimpleStatementLine):
            comment = self.node.trailing_whitespace.comment
            parts = comment.value.split("#") if comment is not None else []
            if comment is not None and speaks_of_cast(comment.value):
                self._keeps_behind = any(map(is_directive, parts))
                taken += [] if self._keeps_behind else [comment.value]
        return taken

    # What it becomes

    def edits(self, module: cst.Module) -> list[Edit]:
        """At most one, given what `module` has become."""
        source = self.source
        old = source.text[self.top : self.end]
        new = module.code[len(self._head) :]
        if "\n" not in self._head + old:
            new = new.replace("\n", "\r")
        new = new.removesuffix(self._stand_in)
        if old == new:
            return []
        start, end = self.top, self.end
        kept = source.text[self.top : self.start]
        if new.endswith(old):
            end, new = start, new.removesuffix(old)
        elif new.startswith(old):
            start, new = end, new.removeprefix(old)
        elif new.startswith(kept):
            start, new = self.start, new.removeprefix(kept)
        return [Edit(source.range(start, end), new)]

    def surrounded(self, node: Any) -> Any:
        """The changed statement with what is put around it, as a change of `node`."""
        if not self._keeps_above:
            node = node.with_changes(leading_lines=())
        if not self._keeps_behind:
            space = node.trailing_whitespace
            bare = space.with_changes(whitespace=cst.SimpleWhitespace(""), comment=None)
            node = node.with_changes(trailing_whitespace=bare)
        body = [*_with_comments([*self.before, node]), *self.behind]
        return body[0] if len(body) == 1 else cst.FlattenSentinel(body)

    def removal(self, above: int, closes_gap: bool = True) -> Edit:
        """The edit that deletes its lines, with so many comments `above`.

        It may close the gap that is left between two blank lines.
        """
        source = self.source
        first, last = self.row - above, self.statement.end_lineno or self.row
        rows = len(source.line_starts)
        is_gap = (
            first > 1
            and last < rows
            and not (source.line(first - 1).strip() or source.line(last + 1).strip())
        )
        if closes_gap and is_gap and last + 1 < rows:
            last += 1
        end = source.line_starts[last] if last < rows else len(source.text)
        return Edit(source.range(source.line_starts[first - 1], end), "")


def _start(statement: ast.stmt, source: Source) -> int:
    """Where a statement begins, or its first decorator."""
    if getattr(statement, "decorator_list", []):
        return first_of_line(source, first_row(statement))
    return source.node_start(statement)


def _with_comments(lines: list[Any]) -> list[Any]:
    """Statements with the comments that stand before each."""
    found: list[Any] = []
    comments: list[cst.EmptyLine] = []
    for line in lines:
        if isinstance(line, str):
            comments.append(cst.EmptyLine(comment=cst.Comment(line)))
            continue
        leading = [*comments, *line.leading_lines]
        found.append(line.with_changes(leading_lines=leading) if comments else line)
        comments = []
    return found


def _is_same(found: cst.CSTNode, node: ast.expr) -> bool:
    """Whether libcst and `ast` have the same: the places in f-strings may be wrong."""
    if isinstance(node, ast.Name):
        return isinstance(found, cst.Name) and found.value == node.id
    read = ast.parse(f"({code_of(found)}\n)", mode="eval")
    return ast.dump(read.body) == ast.dump(node)


def _depth(statement: ast.stmt) -> int:
    """How deep the expressions of a statement are nested."""
    depth, level = 0, children(statement)
    while level:
        depth += 1
        level = [
            each
            for node in level
            for each in children(node)
            if not isinstance(each, ast.stmt)
        ]
    return depth


def _rows_in_strings(module: ast.Module) -> set[int]:
    """The rows, the first of each aside, of the strings of several."""
    return {
        row
        for node in ast.walk(module)
        if isinstance(node, ast.Constant | ast.JoinedStr)
        for row in range(node.lineno + 1, (node.end_lineno or 0) + 1)
    }


# Lines


def rest_of_line(source: Source, offset: int) -> str:
    """What follows on the line of an offset, without its end."""
    row = source.position(offset).row
    return source.text[offset : source.line_starts[row - 1] + len(source.line(row))]


def indentation(source: Source, row: int) -> str:
    line = source.line(row)
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def first_of_line(source: Source, row: int) -> int:
    """Where the text of a row begins."""
    return source.line_starts[row - 1] + len(indentation(source, row))


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
