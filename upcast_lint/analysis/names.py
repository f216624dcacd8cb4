"""How names are bound, and which of them a scope takes from those around it."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass

from .syntax import ScopeNode, parameters, walk_scope


class Binding(enum.Enum):
    """How a name comes by its value."""

    ASSIGNED = enum.auto()
    """`name = value`, `name: T = value`, `(name := value)`."""
    UNPACKED = enum.auto()
    """`a, name = value`: element `index` of `value`."""
    ITERATED = enum.auto()
    """`for name in value`: an element of `value`."""
    AUGMENTED = enum.auto()
    """`name += value`: rebinds, and writes in place where the type does."""
    PARAMETER = enum.auto()
    IMPORTED = enum.auto()
    DELETED = enum.auto()
    FREE = enum.auto()
    """Bound by an enclosing scope or the module, or not bound yet."""
    OTHER = enum.auto()
    """`with`, `except`, `def`, `class`, a pattern, a starred or a nested target.

    `value` then is what the bound value is, or may be a part of.
    """


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """One binding of a name. `node` is the statement, expression or `arg` that binds.

    `value` is the expression that `binding` speaks of, where there is one.
    """

    name: str
    binding: Binding
    node: ast.AST
    value: ast.expr | None = None
    index: int | None = None

    @property
    def assigned(self) -> ast.expr | None:
        """The expression that it is assigned as a whole."""
        return self.value if self.binding is Binding.ASSIGNED else None

    @property
    def annotation(self) -> ast.expr | None:
        """The annotation of the parameter, or of the variable where it is bound."""
        return getattr(self.node, "annotation", None)


Reaching = frozenset[Definition]
"""What a name may be: the definitions that reach a point."""


def free_names(scope: ScopeNode) -> set[str]:
    """Names that `scope` and the scopes in it take from, or bind in, those around."""
    own: set[str] = set()
    taken: set[str] = set()
    outward: set[str] = set()
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        own |= {parameter.arg for parameter in parameters(scope)}
    for node in walk_scope(scope):
        match node:
            case ast.Name(ctx=ast.Load()):
                taken.add(node.id)
            case ast.Name():
                own.add(node.id)
            case ast.Global() | ast.Nonlocal():
                outward |= set(node.names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                own.add(node.name)
                taken |= free_names(node)
            case ast.Lambda():
                taken |= free_names(node)
            case ast.ExceptHandler(name=str(name)):
                own.add(name)
            case ast.alias():
                own.add(node.asname or node.name.partition(".")[0])
            case _:
                pass
    return (taken - own) | outward
