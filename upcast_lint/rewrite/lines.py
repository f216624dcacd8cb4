"""Whole lines: statements that go, lines that come, and the comments around them."""

from __future__ import annotations

import ast

from ..analysis.facts import Facts
from ..analysis.parents import first_row
from .text import (
    Text,
    Unfixable,
    comments_in,
    indentation,
    is_directive,
    line_end,
    rest_of_line,
    speaks_of_cast,
)


class Lines:
    """Changes of whole lines to `text`; what is inserted is written by `flush`."""

    def __init__(self, text: Text, facts: Facts) -> None:
        self.text = text
        self.facts = facts
        self.source = facts.source
        self._inserted: dict[int, list[str]] = {}
        self._dropped: set[ast.stmt] = set()

    def drop(self, statement: ast.stmt) -> list[str]:
        """Delete a statement; give the comments at it that go with the cast."""
        source = self.source
        is_last = self._is_last(statement)
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        start, end = source.node_start(statement), source.node_end(statement)
        before = source.text[source.line_starts[first - 1] : start]
        rest, next_line = rest_of_line(source, end)
        comment = rest.strip()
        if before.strip() or (comment and not comment.startswith("#")):
            if is_last and not comment.startswith(";"):
                self.text.replace(start, end, "pass")
                return []
            raise Unfixable("the cast shares its line with another statement")
        if is_last:
            self.text.replace(start, end, "pass")
            return []
        comments = [*comments_in(source.text[start:end]), comment]
        comments = [line for line in comments if line]
        if any(map(is_directive, comments)):
            raise Unfixable("a comment speaks to a tool about the line of the cast")
        lines = self._above(statement)
        if lines:
            comments = [*lines, *comments]
            first -= len(lines)
        blank_above = first > 1 and not source.line(first - 1).strip()
        blank_below = last < len(source.line_starts) and not (
            source.line(last + 1).strip()
        )
        if blank_above and blank_below and last + 1 < len(source.line_starts):
            next_line = source.line_starts[last + 1]
        self.text.discard_within(source.line_starts[first - 1], next_line)
        self.text.replace(source.line_starts[first - 1], next_line, "")
        return comments

    def take_comments(self, statement: ast.stmt) -> list[str]:
        """Take the comments that speak of a cast from a statement that loses it."""
        source = self.source
        lines = self._above(statement)
        if lines:
            top = source.line_starts[statement.lineno - 1 - len(lines)]
            self.text.replace(top, source.line_starts[statement.lineno - 1], "")
        end = source.node_end(statement)
        rest, _ = rest_of_line(source, end)
        comment = rest.strip()
        if comment.startswith("#") and speaks_of_cast(comment):
            if is_directive(comment) or any(map(is_directive, comment.split("#"))):
                return lines
            self.text.replace(end, end + len(rest), "")
            lines.append(comment)
        return lines

    def _above(self, statement: ast.stmt) -> list[str]:
        """The comments right above a statement, where they speak of a cast."""
        source, first = self.source, statement.lineno
        pad = source.text[source.line_starts[first - 1] : source.node_start(statement)]
        above = first - 1
        while self._is_comment(above) and indentation(source, above) == pad:
            above -= 1
        lines = [source.line(row).strip() for row in range(above + 1, first)]
        if any(map(speaks_of_cast, lines)) and not any(map(is_directive, lines)):
            return lines
        return []

    def drop_plainly(self, statement: ast.stmt) -> None:
        """Delete a statement that takes no comments with it."""
        source = self.source
        is_last = self._is_last(statement)
        start, end = source.node_start(statement), source.node_end(statement)
        first = source.line_starts[statement.lineno - 1]
        rest, next_line = rest_of_line(source, end)
        if is_last or source.text[first:start].strip() or rest.strip():
            self.text.replace(start, end, "pass")
        else:
            self.text.replace(first, next_line, "")

    def forget(self, statement: ast.Delete, load: ast.Name) -> None:
        """Take a name out of a `del`."""
        if load not in statement.targets:
            raise Unfixable("the copy is deleted in a display")
        if len(statement.targets) == 1:
            self.drop_plainly(statement)
            return
        index = next(i for i, t in enumerate(statement.targets) if t is load)
        source = self.source
        if index == 0:
            start = source.node_start(load)
            end = source.node_start(statement.targets[1])
        else:
            start = source.node_end(statement.targets[index - 1])
            end = source.node_end(load)
        self.text.replace(start, end, "")

    def insert_before(self, statement: ast.stmt, line: str) -> None:
        """Put a line, indented as the statement, before it and its comments."""
        source = self.source
        row = first_row(statement)
        start = source.line_starts[row - 1]
        is_decorated = bool(getattr(statement, "decorator_list", []))
        above = source.text[start : source.node_start(statement)]
        if above.strip() and not is_decorated:
            raise Unfixable("the statement has no line of its own")
        pad = indentation(source, row)
        while self._is_comment(row - 1) and indentation(source, row - 1) == pad:
            row -= 1
        start = source.line_starts[row - 1]
        self._inserted.setdefault(start, []).append(pad + line + line_end(source, row))

    def insert_after(self, statement: ast.stmt, line: str) -> None:
        """Put a line, indented as the statement, after it."""
        source = self.source
        end = source.node_end(statement)
        first = source.line_starts[statement.lineno - 1]
        rest, next_line = rest_of_line(source, end)
        if source.text[first : source.node_start(statement)].strip() or (
            rest.strip() and not rest.lstrip().startswith("#")
        ):
            raise Unfixable("the statement has no line of its own")
        pad = indentation(source, statement.lineno)
        ending = line_end(source, statement.lineno)
        if next_line == len(source.text) and not source.text.endswith(("\n", "\r")):
            self._inserted.setdefault(next_line, []).append(ending + pad + line)
        else:
            self._inserted.setdefault(next_line, []).append(pad + line + ending)

    def flush(self) -> None:
        """Write the inserted lines to the text."""
        for offset, lines in sorted(self._inserted.items()):
            self.text.insert(offset, "".join(lines))

    def _is_last(self, statement: ast.stmt) -> bool:
        """Whether nothing is left of a suite when a statement goes, too."""
        self._dropped.add(statement)
        return self._dropped.issuperset(self.facts.tree.place(statement).suite)

    def _is_comment(self, row: int) -> bool:
        """Whether a row holds a comment and nothing else, not even part of a string."""
        if row < 1 or not self.source.line(row).lstrip().startswith("#"):
            return False
        tree = self.facts.tree
        return row not in tree.once(tree.module, _rows_in_strings)


def _rows_in_strings(module: ast.Module) -> set[int]:
    """The rows, the first of each aside, of the strings of several."""
    return {
        row
        for node in ast.walk(module)
        if isinstance(node, ast.Constant | ast.JoinedStr)
        for row in range(node.lineno + 1, (node.end_lineno or 0) + 1)
    }
