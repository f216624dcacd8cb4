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

import libcst as cst

from ..analysis.syntax import Tree
from .comments import comments_in, speaks_of_cast
from .statements import Parsed

_Joint = cst.Dot | cst.RightParen
"""What holds the space behind a link: the dot of the next one, or a parenthesis."""
_Break = cst.ParenthesizedWhitespace
"""A space with a line end."""


class CastLine:
    """Where the cast `call` of a method stands.

    `target` is the link that it goes behind, if it stays in its statement.
    """

    def __init__(
        self,
        call: ast.Call,
        target: ast.expr | None,
        statements: Parsed,
        tree: Tree,
    ) -> None:
        self.statements = statements
        self.tree = tree
        self.dot: cst.Dot | None = statements.node(call).func.dot
        """What is written before the cast in its statement; None for a mere dot."""
        self._next = self._joint_behind(call)
        self._last = None if target is None else self._joint_behind(target)

    def close(self, leaves: bool) -> list[str]:
        """Join what stands around the cast; the comments that leave with it, if so."""
        dot, joint, last = self.dot, self._next, self._last
        assert dot is not None
        before = dot.whitespace_before
        if not isinstance(before, _Break) or joint is None:
            return []
        behind = joint.whitespace_before
        rest = None if last is None else last.whitespace_before
        self.dot = None
        if not isinstance(behind, _Break):
            self._put(joint, before)
        elif last is None or not isinstance(rest, _Break):
            return self._dissolve(before, joint, behind, leaves)
        else:
            above = before.with_changes(first_line=rest.first_line)
            self.dot = dot.with_changes(whitespace_before=above)
            self._put(joint, behind.with_changes(first_line=before.first_line))
            self._put(last, rest.with_changes(first_line=behind.first_line))
        return []

    def _dissolve(
        self, before: _Break, joint: _Joint, behind: _Break, leaves: bool
    ) -> list[str]:
        """Leave the comments on lines of their own, or let them go with the cast."""
        lines, comment = [*before.empty_lines], behind.first_line.comment
        if comment is not None:
            lines.append(cst.EmptyLine(before.indent, before.last_line, comment))
        taken: list[str] = []
        if leaves and (comment is None or speaks_of_cast(comment.value)):
            taken, lines = comments_in(*lines), []
        lines += behind.empty_lines
        joined = behind.with_changes(first_line=before.first_line, empty_lines=lines)
        self._put(joint, joined)
        return taken

    def _joint_behind(self, node: ast.expr) -> _Joint | None:
        parent = self.tree.parents[node]
        found: _Joint | None = None
        if self.statements.node(node).rpar:
            found = self.statements.node(node).rpar[0]
        elif isinstance(parent, ast.Attribute):
            found = self.statements.node(parent).dot
        return found

    def _put(self, joint: _Joint, space: cst.BaseParenthesizableWhitespace) -> None:
        self.statements.change_part(
            joint, lambda each: each.with_changes(whitespace_before=space)
        )
