"""What becomes of the statements that a rewrite touches: one edit for each.

A *change* makes of a node what it becomes, given the node with the changes below it.
Expressions are named by the nodes of `ast`, in whose places libcst's are found.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import libcst as cst

from ..analysis.facts import Facts
from ..finding import Edit
from .comments import comments_in, is_directive
from .expressions import within
from .passages import Line, Passage
from .refusals import Unfixable

Change = Callable[[Any], cst.CSTNode]


class Parsed:
    """The passages of one rewrite and the changes to them."""

    def __init__(self, facts: Facts) -> None:
        self.tree = facts.tree
        self.source = facts.source
        self._passages: dict[ast.stmt, Passage] = {}
        self._changes: dict[cst.CSTNode, list[Change]] = {}
        self._gone: dict[ast.stmt, Edit] = {}
        self._homeless: list[str] = []
        """The comments of statements that are gone."""

    def edits(self) -> tuple[Edit, ...]:
        """One edit for each statement that changes, in order."""
        edits = list(self._gone.values())
        then, now = Counter(self._homeless), Counter[str]()
        for statement, passage in list(self._passages.items()):
            if not self.is_gone(statement):
                self._changes[passage.node] = [passage.surrounded]
                module = passage.module.visit(_Changer(self._changes))
                edits += passage.edits(module)
                then.update(comments_in(passage.module))
                now.update(comments_in(module))
        if then != now:
            raise Unfixable("a comment has no place in the rewrite")
        return tuple(sorted(edits))

    def is_gone(self, node: ast.AST) -> bool:
        return any(self.tree.contains(statement, node) for statement in self._gone)

    # Expressions

    def node(self, node: ast.expr) -> Any:
        """An expression as it is written."""
        return self._passage(node).at(node)

    def changed(self, node: ast.expr) -> Any:
        """An expression with the changes to it and below it."""
        return self.node(node).visit(_Changer(self._changes))

    def rebuilt(
        self, node: ast.expr, content: Mapping[ast.expr, cst.BaseExpression]
    ) -> Any:
        """An expression with the changes below it, and others put into places of it."""
        root = self.node(node)
        places = {self.node(place): each for place, each in content.items()}
        return root.visit(_Changer(self._changes, places, root))

    def change(self, node: ast.expr, change: Change) -> None:
        passage = self._passage(node)
        found = passage.at(node)
        if passage.is_printed(found):
            raise Unfixable("an f-string prints the text of the expression")
        self._changes.setdefault(found, []).append(change)

    def replace(
        self, node: ast.expr, content: Callable[[], cst.BaseExpression]
    ) -> None:
        """Put another expression into the parentheses around one, if there are any."""
        self.change(node, lambda each: within(each, content()))

    def change_part(self, part: cst.CSTNode, change: Change) -> None:
        """The same for what is no expression, such as a dot."""
        self._changes.setdefault(part, []).append(change)

    def _passage(self, node: ast.AST) -> Passage:
        statement = self.tree.statement(node)
        found = self._passages.get(statement)
        if found is None:
            found = Passage(statement, self.source, self.tree)
            self._passages[statement] = found
        return found

    # Statements

    def put_before(self, statement: ast.stmt, line: Line) -> None:
        """Put a line before a statement and the comments right above it."""
        passage = self._passage(statement)
        if not passage.begins_line:
            raise Unfixable("the statement has no line of its own")
        passage.before.append(line)

    def put_behind(self, statement: ast.stmt, line: cst.BaseStatement) -> None:
        passage = self._passage(statement)
        if not passage.has_lines:
            raise Unfixable("the statement has no line of its own")
        passage.behind.append(line)

    def take_comments(self, statement: ast.stmt) -> list[str]:
        """Take what speaks of a cast from a statement that loses it."""
        return self._passage(statement).take_comments()

    def drop(self, statement: ast.stmt) -> list[str]:
        """Delete a statement; give the comments at it that go with the cast."""
        whole = Passage(statement, self.source, self.tree, is_whole=True)
        is_last = self._leave_pass(statement)
        if not whole.has_lines and (not is_last or whole.rest.startswith(";")):
            raise Unfixable("the cast shares its line with another statement")
        if is_last:
            return []
        comments = whole.comments()
        if any(map(is_directive, comments)):
            raise Unfixable("a comment speaks to a tool about the line of the cast")
        above = whole.above()
        self._gone[statement] = whole.removal(len(above))
        self._homeless += [*above, *comments]
        return [*above, *comments]

    def drop_names(self, statement: ast.Delete, names: Sequence[ast.Name]) -> None:
        """Take names out of a `del`, which goes where none is left."""
        if not all(name in statement.targets for name in names):
            raise Unfixable("the copy is deleted in a display")
        passage = self._passage(statement)
        if len(names) < len(statement.targets):
            dropped = {name.id for name in names}
            deletion = passage.node.body[0]
            self._changes[deletion] = [lambda each: _without(dropped, each)]
            return
        is_last = self._leave_pass(statement)
        if not is_last and passage.has_lines and not passage.comments():
            self._gone[statement] = passage.removal(0, closes_gap=False)

    def _leave_pass(self, statement: ast.stmt) -> bool:
        """Leave `pass` for a statement; whether nothing else is left of its suite."""
        start = self.source.node_start(statement)
        end = self.source.node_end(statement)
        self._gone[statement] = Edit(self.source.range(start, end), "pass")
        return self._gone.keys() >= set(self.tree.place(statement).suite)


class _Changer(cst.CSTTransformer):
    """Makes the changes, except at `root`, and puts `content` into its places."""

    def __init__(
        self,
        changes: Mapping[cst.CSTNode, Sequence[Change]],
        content: Mapping[cst.CSTNode, cst.BaseExpression] | None = None,
        root: cst.CSTNode | None = None,
    ) -> None:
        super().__init__()
        self._changes = changes
        self._content = content or {}
        self._root = root

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node not in self._content

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.FlattenSentinel[cst.CSTNode]:
        if original_node in self._content:
            return self._content[original_node]
        if original_node is not self._root:
            for change in self._changes.get(original_node, ()):
                updated_node = change(updated_node)
        return updated_node


def _without(names: set[str], deletion: cst.Del) -> cst.Del:
    """A `del` of several names without some of them."""
    targets = cst.ensure_type(deletion.target, cst.Tuple)
    kept = [
        element
        for element in targets.elements
        if not (isinstance(element.value, cst.Name) and element.value.value in names)
    ]
    if len(kept) == 1:
        return deletion.with_changes(target=kept[0].value)
    last = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return deletion.with_changes(
        target=targets.with_changes(elements=[*kept[:-1], last])
    )
