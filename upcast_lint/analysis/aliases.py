"""Which paths may share memory, by how their values are made.

Terms
-----
path
    A name or a chain of attributes from a name, such as `self.logits`. Subscripts
    count as what they are taken from.

Limits: assignments count in any order; two parameters are taken not to share memory.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable

from . import operators
from .casts import recognise_cast
from .facts import Facts
from .tensor_calls import is_builtin


class Sharing(enum.Enum):
    """How far to follow a tensor through the expressions that are made from it."""

    VIEW = enum.auto()
    """Through views, containers and attributes."""
    EVIDENT = enum.auto()
    """Also through casts, which give their source back if it has the type."""
    POSSIBLE = enum.auto()
    """Also through unknown calls, which may return what they are given."""


class Aliases:
    """What may share memory: each path with what it is made from."""

    def __init__(self) -> None:
        self._origins: dict[str, set[str]] = {}
        self._derived: dict[str, set[str]] = {}

    def join(self, path: str, origin: str) -> None:
        """`path` is made from `origin`."""
        self._origins.setdefault(path, set()).add(origin)
        self.hold(path, origin)

    def hold(self, path: str, origin: str) -> None:
        """`path` comes to hold `origin`, among other things."""
        self._derived.setdefault(origin, set()).add(path)

    def of(self, paths: set[str]) -> set[str]:
        """What the paths are made from, and all that is made from any of it."""
        return _closure(_closure(paths, self._origins), self._derived)


def _closure(start: set[str], edges: dict[str, set[str]]) -> set[str]:
    found = set(start)
    pending = list(start)
    while pending:
        for path in edges.get(pending.pop(), ()):
            if path not in found:
                found.add(path)
                pending.append(path)
    return found


def shared_paths(
    node: ast.expr, facts: Facts, sharing: Sharing = Sharing.EVIDENT
) -> set[str]:
    """Paths whose tensors the value of an expression may share memory with."""

    def inner(part: ast.expr) -> set[str]:
        return shared_paths(part, facts, sharing)

    def union(parts: Iterable[ast.expr]) -> set[str]:
        return set().union(*map(inner, parts))

    match node:
        case ast.Name():
            return {node.id}
        case ast.Attribute():
            if node.attr in operators.METADATA_ATTRIBUTES or node.attr == "dtype":
                return set()
            if node.attr in operators.VIEW_ATTRIBUTES:
                return inner(node.value)
            chain = path_of(node)
            return {chain} if chain else inner(node.value)
        case ast.Subscript() | ast.Starred() | ast.Await() | ast.NamedExpr():
            return inner(node.value)
        case ast.IfExp():
            return union((node.body, node.orelse))
        case ast.BoolOp():
            return union(node.values)
        case ast.Tuple() | ast.List() | ast.Set():
            return union(node.elts)
        case ast.Dict():
            return union(node.values)
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
            return union([node.elt, *(g.iter for g in node.generators)])
        case ast.Call():
            return union(_shared_operands(node, facts, sharing))
        case _:
            return set()


_SHARING_METHODS = operators.VIEWS | operators.words(
    """
    narrow select split chunk unbind tensor_split expand expand_as diagonal unfold to
    type type_as float double half bfloat16 cpu cuda numpy get items values keys
    requires_grad_ long int bool
    """
)
"""Known methods whose result may share memory with what they are called on."""

_FRESH_METHODS = (operators.KNOWN_PURE_METHODS - _SHARING_METHODS) | operators.words(
    "neg negative abs absolute"
)


def _shared_operands(call: ast.Call, facts: Facts, sharing: Sharing) -> list[ast.expr]:
    """The operands that a call's result may share memory with."""
    function = call.func
    given = [*call.args, *(k.value for k in call.keywords)]
    unknown = given if sharing is Sharing.POSSIBLE else []
    dotted = facts.resolve(function)
    if dotted is not None:
        name = dotted.rpartition(".")[2]
        if dotted.startswith("torch.") and name in _FRESH_METHODS:
            return []
        if dotted.startswith("torch.") and name in _SHARING_METHODS:
            return given
        return unknown
    if isinstance(function, ast.Attribute):
        cast = recognise_cast(call, facts)
        if cast is not None and (cast.copies or sharing is Sharing.VIEW):
            return []
        if function.attr in _FRESH_METHODS:
            return []
        if function.attr in operators.KNOWN_PURE_METHODS:
            return [function.value]
        return [function.value, *given] if sharing is Sharing.POSSIBLE else []
    if (
        isinstance(function, ast.Name)
        and function.id in operators.PURE_BUILTINS
        and is_builtin(function, function.id, facts)
    ):
        return given if function.id in _KEEPING_BUILTINS else []
    return unknown


_KEEPING_BUILTINS = operators.words(
    "list tuple dict zip enumerate iter reversed sorted next"
)
"""Built-in functions whose result holds what they are given."""


def path_of(node: ast.expr) -> str | None:
    """The path that an expression is, or None if it is no chain of names."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            head = path_of(node.value)
            return None if head is None else f"{head}.{node.attr}"
        case _:
            return None


def holders_of(path: str) -> set[str]:
    """The objects that hold a path, itself included."""
    parts = path.split(".")
    return {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
