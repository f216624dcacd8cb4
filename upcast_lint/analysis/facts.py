"""What is known of one scope: the bundle that every judgement starts from."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from ..source import Source
from .graph import Graph, Point
from .graph.chains import Names, names_of
from .imports import Imports, scope_chain
from .names import Definition
from .syntax import ScopeNode, Tree, walk_scope

_Node = TypeVar("_Node", bound=ast.AST)
_Told = TypeVar("_Told")


@dataclass(slots=True)
class Facts:
    """One scope of one source."""

    source: Source
    tree: Tree
    scope: ScopeNode
    names: Names
    imports: Imports
    _told: dict[Callable[[Facts], object], object] = field(
        default_factory=dict, repr=False
    )
    _told_at: dict[tuple[ast.AST, Callable[[Any, Facts], object]], object] = field(
        default_factory=dict, repr=False
    )
    floods: dict[object, dict[int, list[range]]] = field(
        default_factory=dict, repr=False
    )
    """What `graph.order` has found to run after a point."""
    _nodes: dict[type[ast.AST], list[ast.AST]] = field(default_factory=dict, repr=False)

    def nested(self, scope: ScopeNode) -> Facts:
        """The facts of a scope that stands directly in this one."""
        names = names_of(scope, self.tree)
        imports = Imports(self.tree, names, [self.names, *self.imports.outer])
        return Facts(self.source, self.tree, scope, names, imports)

    @property
    def graph(self) -> Graph:
        return self.names.graph

    def steps_of(self, point: Point) -> Sequence[int]:
        """The steps of a point; none if it runs in another scope."""
        return self.graph.steps_of(point, self.tree.parents)

    def first_step(self, point: Point) -> int:
        """The first step of a point: of two on one path, that of the earlier is less.

        -1 where it runs in another scope.
        """
        return min(self.steps_of(point), default=-1)

    def once(self, tell: Callable[[Facts], _Told]) -> _Told:
        """What a function tells of the scope; it runs when first asked for.

        Whatever does not depend on one cast is held here: of casts there may be many.
        """
        if tell not in self._told:
            self._told[tell] = tell(self)
        return cast(_Told, self._told[tell])

    def once_at(self, node: _Node, tell: Callable[[_Node, Facts], _Told]) -> _Told:
        """What a function tells of a node in the scope; it runs when first asked."""
        key = (node, tell)
        if key not in self._told_at:
            self._told_at[key] = tell(node, self)
        return cast(_Told, self._told_at[key])

    def nodes(self, kind: type[_Node]) -> list[_Node]:
        """The nodes of one class that the scope evaluates, as `walk_scope` has them."""
        if not self._nodes:
            for node in walk_scope(self.scope):
                self._nodes.setdefault(type(node), []).append(node)
        return cast(list[_Node], self._nodes.get(kind, []))

    def text(self, node: ast.expr | ast.stmt) -> str:
        return self.source.segment(node)

    def shown(self, node: ast.expr) -> str:
        """The text of an expression for a message: on one line, and cut where long."""
        text = " ".join(self.text(node).split())
        return text if len(text) <= 60 else f"{text[:57]}..."

    def resolve(self, node: ast.expr) -> str | None:
        """The dotted name, such as `torch.float32`, that an expression stands for."""
        return self.imports.resolve(node)

    def definition(self, node: ast.expr) -> Definition | None:
        """The one definition that reaches a name, if there is just one."""
        return self.names.only(node) if isinstance(node, ast.Name) else None

    def is_declared(self, name: str) -> bool:
        """Whether some `global` or `nonlocal` of the file names it."""
        return any(map(self.source.has, ("global", "nonlocal"))) and (
            name in self.tree.once(self.tree.module, _declared_names)
        )

    def outer(self, name: str) -> Definition | None:
        """What the nearest scope around that binds a name binds it to.

        None where it does so more than once, or a function may bind the name anew.
        """
        for names in self.imports.outer:
            found = names.named(name)
            if found and not isinstance(names.scope, ast.ClassDef):
                is_only = len(found) == 1 and not self.is_declared(name)
                return found[0] if is_only else None
        return None

    def value(self, node: ast.expr) -> ast.expr:
        """The expression that a name was last assigned, followed through names.

        `node` itself where it is no name, or where more than one definition or
        something else than an assignment may reach it.
        """
        seen: set[int] = set()
        while isinstance(node, ast.Name) and id(node) not in seen:
            seen.add(id(node))
            definition = self.names.only(node)
            if definition is None or definition.assigned is None:
                break
            node = definition.assigned
        return node

    def place(self, node: ast.expr | ast.stmt | ast.arg) -> str:
        """The line on which it begins, as a reader counts; see `Source.line_name`."""
        return self.source.line_name(node.lineno)


@dataclass(slots=True)
class Module:
    """A parsed source, from which the facts of each scope are made when asked for."""

    source: Source
    tree: Tree

    @classmethod
    def parse(cls, source: Source) -> Module:
        """Raises SyntaxError, as `ast.parse` does."""
        return cls(source, Tree.of(ast.parse(source.text, source.path)))

    def facts(self, scope: ScopeNode) -> Facts:
        names = self.names(scope)
        outer = [self.names(each) for each in scope_chain(self.tree, scope)]
        imports = Imports(self.tree, names, outer)
        return Facts(self.source, self.tree, scope, names, imports)

    def names(self, scope: ScopeNode) -> Names:
        return names_of(scope, self.tree)


def _declared_names(module: ast.Module) -> set[str]:
    """The names of all `global` and `nonlocal` statements."""
    return {
        name
        for node in ast.walk(module)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }
