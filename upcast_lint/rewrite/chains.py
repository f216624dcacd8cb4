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
        self, call: ast.Call, target: ast.expr | None, statements: Statements, tree: Tree
    ) -> None:
        self.statements = statements
        self.tree = tree
        self.dot: cst.Dot | None = statements.node(call).func.dot
        """What is written before the cast in its statement; None for a mere dot."""
        self._before = self.dot.whitespace_before
        self._next = self._joint_behind(call)
        self._last = self._joint_behind(target) if target is not None else None

    def close(self, leaves: bool) -> list[str]:
        """Join what stands around the cast; the comments that leave with it."""
        before, joint = self._before, self._next
        if not isinstance(before, _Space):
            return []
        if joint is None:
            if comments_in(before):
                raise Unfixable("comments stand above the cast")
            return []
        behind = joint.whitespace_before
        if not isinstance(behind, _Space):
            self.dot = None
            self._put(joint, lambda _: before)
            return []
        last = self._last.whitespace_before if self._last is not None else None
        if isinstance(last, _Space):
            above = before.with_changes(first_line=last.first_line)
            self.dot = self.dot.with_changes(whitespace_before=above)
            self._put(joint, lambda s: s.with_changes(first_line=before.first_line))
            self._put(self._last, lambda s: s.with_changes(first_line=behind.first_line))
            return []
        self.dot = None
        return self._dissolve(before, behind, leaves)

    def _dissolve(self, before: _Space, behind: _Space, leaves: bool) -> list[str]:
        """Leave the comments on lines of their own, or let them go with the cast."""
        lines, comment = [*before.empty_lines], behind.first_line.comment
        if comment is not None:
            lines.append(cst.EmptyLine(before.indent, before.last_line, comment))
        taken: list[str] = []
        if leaves and (comment is None or speaks_of_cast(comment.value)):
            taken, lines = comments_in(*lines), []
        joined = behind.with_changes(
            first_line=before.first_line, empty_lines=[*lines, *behind.empty_lines]
        )
        self._put(self._next, lambda _: joined)
        return taken

    def _joint_behind(self, node: ast.expr) -> cst.Dot | cst.RightParen | None:
        """What holds the space behind a link: the next dot, or a parenthesis."""
        written = self.statements.node(node)
        if written.rpar:
            return written.rpar[0]
        parent = self.tree.parents[node]
        if isinstance(parent, ast.Attribute):
            return self.statements.node(parent).dot
        return None

    def _put(self, joint, change) -> None:
        self.statements.change_part(
            joint, lambda each: each.with_changes(whitespace_before=change(each.whitespace_before)))
