"""Facts that a user states in comments: which indices are distinct, no gradients.

Terms
-----
directive
    `# upcast-lint: distinct(idx)`, `# upcast-lint: distinct(idx, batch.cols)` or
    `# upcast-lint: no-grad`, with any text after it. One comment may hold several,
    each with its own `# upcast-lint:`.
reach
    A directive speaks of a statement on whose rows it stands (of a compound
    statement: the rows of its header), or above which it stands, alone on its line,
    with nothing but such comments between. On or above the `def` line it speaks of
    the whole function.

Limits: comments are found by tokenizing, so text inside strings never counts; a
source that cannot be tokenized states nothing. What is stated is not checked.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..source import Source
from .facts import Facts
from .syntax import Tree

_MARK = b"upcast-lint:"
_DIRECTIVE = re.compile(
    r"(?:^|(?<=\s))#\s*upcast-lint:\s*(?:(?P<distinct>distinct\s*\()|no-grad(?![\w-]))"
)


@dataclass(frozen=True, slots=True)
class Stated:
    """One row's directives. `distinct` are expressions, spelled as `ast.unparse`."""

    row: int
    distinct: frozenset[str]
    no_grad: bool


@dataclass(frozen=True, slots=True)
class Directives:
    """All that one source states."""

    stated: tuple[Stated, ...] = ()
    lone_rows: frozenset[int] = frozenset()
    """Rows that hold nothing but a comment."""

    def states_distinct(
        self, index: ast.expr, nodes: Iterable[ast.AST], facts: Facts
    ) -> bool:
        """Whether a directive in reach of one of `nodes` names `index` distinct."""
        if not any(each.distinct for each in self.stated):
            return False
        spelled = ast.unparse(index)
        return any(spelled in each.distinct for each in self._reaching(nodes, facts))

    def states_no_grad(self, nodes: Iterable[ast.AST], facts: Facts) -> bool:
        """Whether a directive in reach of one of `nodes` says that no gradient flows.

        Give the cast or its reads: the fact is about the path that joins them.
        """
        return any(each.no_grad for each in self._reaching(nodes, facts))

    def _reaching(self, nodes: Iterable[ast.AST], facts: Facts) -> Iterator[Stated]:
        if not self.stated:
            return
        rows = {row for node in nodes for row in self._rows(node, facts)}
        for each in self.stated:
            if each.row in rows:
                yield each

    def _rows(self, node: ast.AST, facts: Facts) -> Iterator[int]:
        tree = facts.tree
        if isinstance(node, ast.comprehension | ast.keyword):
            node = tree.parents[node]
        if not isinstance(node, ast.Module):
            yield from self._around(tree.statement(node), tree)
        for holder in tree.ancestors(node):
            if isinstance(holder, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from self._around(holder, tree)

    def _around(self, statement: ast.stmt, tree: Tree) -> Iterator[int]:
        """The rows of a statement's header, and the lone comments just above it."""
        written, last = tree.once(statement, _header)
        for row in range(statement.lineno, last + 1):
            if row <= written or row not in self.lone_rows:
                yield row
        decorators = getattr(statement, "decorator_list", [])
        for first in (statement.lineno, *(d.lineno for d in decorators[:1])):
            above = first - 1
            while above in self.lone_rows:
                yield above
                above -= 1


def read_directives(source: Source) -> Directives:
    """The directives of a source; cheap where it holds none."""
    if _MARK not in source.data:
        return Directives()
    stated: list[Stated] = []
    lone: set[int] = set()
    lines = io.StringIO(source.text, newline=None)  # a lone CR ends a line, too
    try:
        for token in tokenize.generate_tokens(lines.readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                if not token.line[:column].strip():
                    lone.add(row)
                stated += _in_comment(token.string, row)
    except (tokenize.TokenError, SyntaxError):
        return Directives()
    return Directives(tuple(stated), frozenset(lone))


def _in_comment(comment: str, row: int) -> Iterator[Stated]:
    for match in _DIRECTIVE.finditer(comment):
        if match["distinct"] is None:
            yield Stated(row, frozenset(), no_grad=True)
        elif names := _arguments(comment[match.start("distinct") :]):
            yield Stated(row, names, no_grad=False)


def _arguments(text: str) -> frozenset[str]:
    """The arguments of the call that `text` starts with, as `ast.unparse` has them."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == ")":
            try:
                call = ast.parse(text[: position + 1], mode="eval").body
            except (SyntaxError, ValueError):
                return frozenset()
            arguments = call.args if isinstance(call, ast.Call) else []
            return frozenset(ast.unparse(argument) for argument in arguments)
    return frozenset()


def _header(statement: ast.stmt) -> tuple[int, int]:
    """The last row of an expression of a statement's header, and that of the header.

    Rows between the two hold its closing brackets, or comments on what follows.
    """
    assert statement.end_lineno is not None
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body:
        return statement.end_lineno, statement.end_lineno
    first = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
    decorators = getattr(first, "decorator_list", [])
    start = min(each.lineno for each in (first, *decorators))
    last = max(statement.lineno, start - 1)
    ends = (getattr(node, "end_lineno", 0) for node in ast.walk(statement))
    written = max((end for end in ends if end <= last), default=statement.lineno)
    return max(written, statement.lineno), last
