"""The lines of a chain of calls, such as the one that the cast has for itself here.

    picked = (
        logits
        # single precision
        .float()  # for the sums
        .gather(-1, ids)  # the labels
        .neg()
    )

The comment behind a link is about that link, though libcst has it in the space before
the next one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import libcst as cst

from ..analysis.syntax import Tree
from .comments import comments_in, speaks_of_cast
from .refusals import Unfixable
from .statements import Statements

_Space = cst.ParenthesizedWhitespace
"""A space with a line end."""


class CastLine:
    """The line of the cast `call`, a method's.

    `target` is the link that it goes behind, if it stays in the chain.
    """

    def __init__(
        self,
        call: ast.Call,
        target: ast.expr | None,
        statements: Statements,
        tree: Tree,
    ) -> None:
        self.call = call
        self.target = target
        self.statements = statements
        self.tree = tree
        self.dot: cst.Dot | None = statements.node(call).func.dot
        """What is written before the cast in its statement; None for a mere dot."""

    def close(self, leaves: bool) -> list[str]:
        """Join what stands around the cast; the comments that leave with it.

        The cast itself has been replaced by its source.
        """
        assert self.dot is not None
        before, behind = self.dot.whitespace_before, self._behind(self.call)
        if not isinstance(before, _Space):
            return []
        if behind is None:
            if comments_in(before):
                raise Unfixable("comments stand above the cast")
            return []
        if not isinstance(behind, _Space):
            self.dot = None
            self._change_behind(self.call, lambda _: before)
            return []
        if self.target is not None and isinstance(self._behind(self.target), _Space):
            self._move_line(before, behind)
            return []
        self.dot = None
        return self._dissolve_line(before, behind, leaves)

    def _move_line(self, before: _Space, behind: _Space) -> None:
        """Let the whole line follow the target's."""
        assert self.target is not None and self.dot is not None
        rest = self._behind(self.target)
        assert isinstance(rest, _Space)
        above = before.with_changes(first_line=rest.first_line)
        self.dot = self.dot.with_changes(whitespace_before=above)
        self._change_behind(
            self.call, lambda space: space.with_changes(first_line=before.first_line)
        )
        self._change_behind(
            self.target, lambda space: space.with_changes(first_line=behind.first_line)
        )

    def _dissolve_line(self, before: _Space, behind: _Space, leaves: bool) -> list[str]:
        """Leave the comments on lines of their own, or let them go with the cast."""
        lines, comment = [*before.empty_lines], behind.first_line.comment
        if comment is not None:
            lines.append(cst.EmptyLine(before.indent, before.last_line, comment))
        taken: list[str] = []
        if leaves and (comment is None or speaks_of_cast(comment.value)):
            taken, lines = comments_in(*lines), []
        self._change_behind(
            self.call,
            lambda space: space.with_changes(
                first_line=before.first_line, empty_lines=[*lines, *space.empty_lines]
            ),
        )
        return taken

    def _behind(self, node: ast.expr) -> cst.BaseParenthesizableWhitespace | None:
        """What stands before the next link or before a parenthesis, if one does."""
        written = self.statements.node(node)
        parent = self.tree.parents[node]
        if written.rpar:
            found = written.rpar[0].whitespace_before
        elif isinstance(parent, ast.Attribute):
            found = self.statements.node(parent).dot.whitespace_before
        else:
            return None
        assert isinstance(found, cst.BaseParenthesizableWhitespace)
        return found

    def _change_behind(self, node: ast.expr, change: Callable[[Any], Any]) -> None:
        if self.statements.node(node).rpar:
            self.statements.change(node, lambda each: _before_parenthesis(each, change))
            return
        parent = self.tree.parents[node]
        assert isinstance(parent, ast.Attribute)
        self.statements.change(parent, lambda each: _before_dot(each, change))


def _before_parenthesis(node: Any, change: Callable[[Any], Any]) -> Any:
    first, *others = node.rpar
    first = first.with_changes(whitespace_before=change(first.whitespace_before))
    return node.with_changes(rpar=[first, *others])


def _before_dot(node: Any, change: Callable[[Any], Any]) -> Any:
    space = change(node.dot.whitespace_before)
    return node.with_changes(dot=node.dot.with_changes(whitespace_before=space))
