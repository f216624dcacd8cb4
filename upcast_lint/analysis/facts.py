"""What is known of one scope: the bundle that every judgement starts from."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ..source import Source
from .imports import Imports, scope_chain
from .names import Binding, Definition, Names, reaching_definitions
from .syntax import ScopeNode, Tree


@dataclass(slots=True)
class Facts:
    """One scope of one source."""

    source: Source
    tree: Tree
    scope: ScopeNode
    names: Names
    imports: Imports
    memo: dict[type, object] = field(default_factory=dict, repr=False)
    """Analyses of the scope that are made when first asked for."""

    def nested(self, scope: ScopeNode) -> Facts:
        """The facts of a scope that stands directly in this one."""
        names = reaching_definitions(scope)
        imports = Imports(self.tree, names, [self.names, *self.imports.outer])
        return Facts(self.source, self.tree, scope, names, imports)

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
        text = self.source.text
        return ("global" in text or "nonlocal" in text) and any(
            isinstance(node, ast.Global | ast.Nonlocal) and name in node.names
            for node in self.tree.below(self.tree.module)
        )

    def value(self, node: ast.expr) -> ast.expr:
        """The expression that a name was last assigned, followed through names.

        `node` itself where it is no name, or where more than one definition or
        something else than an assignment may reach it.
        """
        seen: set[int] = set()
        while isinstance(node, ast.Name) and id(node) not in seen:
            seen.add(id(node))
            definition = self.names.only(node)
            if (
                definition is None
                or definition.binding is not Binding.ASSIGNED
                or definition.value is None
            ):
                break
            node = definition.value
        return node


@dataclass(slots=True)
class Module:
    """A parsed source, from which the facts of each scope are made when asked for."""

    source: Source
    tree: Tree
    _names: dict[ScopeNode, Names] = field(default_factory=dict, repr=False)

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
        found = self._names.get(scope)
        if found is None:
            found = self._names[scope] = reaching_definitions(scope)
        return found
