"""What a dotted expression refers to: `F.gather`, `tc.float32`, a renamed import.

A name resolves only where every definition that may reach it agrees. Names of
enclosing scopes resolve through all of their bindings there, in any order, for a
function may run at any time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from .names import Binding, Definition, Names
from .ops.types import aliases
from .syntax import ScopeNode, Tree


@dataclass(slots=True)
class Imports:
    """Resolves expressions of one scope to dotted names such as `torch.float32`.

    `outer` are the use-def chains of the scopes around it, innermost first.
    """

    tree: Tree
    names: Names
    outer: list[Names] = field(default_factory=list)
    _busy: set[int] = field(default_factory=set)
    _known: dict[ast.expr, str | None] = field(default_factory=dict)

    def resolve(self, node: ast.expr) -> str | None:
        """The dotted name that an expression stands for, or None if not known."""
        if self._busy:  # on a cycle it may seem not to be known
            return self._resolved(node)
        if node not in self._known:
            self._known[node] = self._resolved(node)
        return self._known[node]

    def _resolved(self, node: ast.expr) -> str | None:
        match node:
            case ast.Attribute():
                head = self.resolve(node.value)
                return None if head is None else _canonical(f"{head}.{node.attr}")
            case ast.Name():
                return self._name(node)
            case _:
                return None

    def _name(self, node: ast.Name) -> str | None:
        found = self.names.of(node)
        if not found:
            return None
        if len(found) == 1 and next(iter(found)).binding is Binding.FREE:
            return self._outer_name(node.id, self.outer)
        return self._agreed(found, self.names)

    def _outer_name(self, name: str, scopes: list[Names]) -> str | None:
        for position, names in enumerate(scopes):
            if isinstance(names.scope, ast.ClassDef):
                continue
            found = names.named(name)
            if found:
                inner = Imports(self.tree, names, scopes[position + 1 :], self._busy)
                return inner._agreed(found, names)
        return None

    def _agreed(self, definitions: Iterable[Definition], names: Names) -> str | None:
        agreed: str | None = None
        for definition in definitions:
            dotted = self._definition(definition, names)
            if dotted is None or agreed not in (None, dotted):
                return None
            agreed = dotted
        return agreed

    def _definition(self, definition: Definition, names: Names) -> str | None:
        node = definition.node
        if definition.binding is Binding.IMPORTED and isinstance(node, ast.alias):
            statement = self.tree.parents[node]
            if isinstance(statement, ast.ImportFrom):
                if statement.level or statement.module is None:
                    return None
                return _canonical(f"{statement.module}.{node.name}")
            return _canonical(node.name if node.asname else definition.name)
        value = definition.value
        if (
            definition.binding is Binding.ASSIGNED
            and isinstance(value, ast.Name | ast.Attribute)
            and id(definition) not in self._busy
        ):
            self._busy.add(id(definition))
            try:
                return Imports(self.tree, names, self.outer, self._busy).resolve(value)
            finally:
                self._busy.discard(id(definition))
        return None

    def name_of_torch(self) -> str | None:
        """A name by which this scope can reach the module `torch`, if any."""
        for names in (self.names, *self.outer):
            for definition in names.definitions:
                if (
                    definition.binding is Binding.IMPORTED
                    and self._definition(definition, names) == "torch"
                    and self._outer_or_own(definition, names)
                ):
                    return definition.name
        return None

    def _outer_or_own(self, definition: Definition, names: Names) -> bool:
        """Whether no other binding hides or replaces an import."""
        inner = (self.names, *self.outer)
        hidden = any(
            each.named(definition.name)
            for each in inner[: inner.index(names)]
            if not isinstance(each.scope, ast.ClassDef)
        )
        return not hidden and self._agreed(names.named(definition.name), names) == (
            "torch"
        )


def _canonical(dotted: str) -> str:
    """One spelling for each thing that torch offers under several."""
    return aliases().get(dotted, dotted)


def scope_chain(tree: Tree, scope: ScopeNode) -> list[ScopeNode]:
    """The scopes around `scope`, innermost first."""
    chain: list[ScopeNode] = []
    node: ast.AST = scope
    while not isinstance(node, ast.Module):
        outer = tree.scope(node)
        chain.append(outer)
        node = outer
    return chain
