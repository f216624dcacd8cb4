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

from . import ops
from .casts import recognise_cast
from .facts import Facts
from .names import Binding
from .ops import Memory, Operation, Role
from .receivers import told_method
from .tensor_calls import is_builtin
from .words import words


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
        self._held: dict[str, set[str]] = {}

    def join(self, path: str, origin: str) -> None:
        """`path` is made from `origin`."""
        self._origins.setdefault(path, set()).add(origin)
        self.hold(path, origin)

    def hold(self, path: str, origin: str) -> None:
        """`path` comes to hold `origin`, among other things."""
        self._derived.setdefault(origin, set()).add(path)
        self._held.setdefault(path, set()).add(origin)

    def made_from(self, paths: set[str]) -> set[str]:
        """All that is made from any of the paths, and these."""
        return _closure(paths, self._derived)

    def of(self, paths: set[str]) -> set[str]:
        """What the paths are made from, and all that is made from any of it."""
        return _closure(_closure(paths, self._origins), self._derived)

    def in_objects(self, objects: set[str]) -> set[str]:
        """What objects hold or were made from, and all that is made from it."""
        return _closure(_closure(objects, self._held), self._derived) - objects


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
    if isinstance(node, ast.Name):
        return {node.id}
    parts = shared_parts(node, facts, sharing)
    if parts is None:
        path = path_of(node)
        return {path} if path else set()
    return set().union(*(shared_paths(part, facts, sharing) for part in parts))


def shared_parts(
    node: ast.expr, facts: Facts, sharing: Sharing
) -> list[ast.expr] | None:
    """The parts of an expression that its value may share memory with.

    None where it is a path of its own.
    """
    match node:
        case ast.Name():
            return None
        case ast.Attribute(value=value, attr=name):
            known = ops.attribute(name)
            if known is not None and known.role in (Role.METADATA, Role.TYPE):
                return []
            is_view = known is not None and known.memory is Memory.VIEW
            is_bound = ops.method(name) is not None or name.endswith("__")
            if is_view or is_bound or name in _WHOLES:
                return [value]
            return None if path_of(node) else [value]
        case ast.Subscript() | ast.Starred() | ast.Await() | ast.NamedExpr():
            return [node.value]
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.BoolOp():
            return node.values
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return [operand]
        case ast.Tuple() | ast.List() | ast.Set():
            return node.elts
        case ast.Dict():
            return node.values
        case ast.DictComp():
            return [node.value, *(g.iter for g in node.generators)]
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
            return [node.elt, *(g.iter for g in node.generators)]
        case ast.BinOp(left=left, right=right) if _joins_containers(node, facts):
            return [left, right]
        case ast.Lambda(args=arguments):
            return [
                each for each in (*arguments.defaults, *arguments.kw_defaults) if each
            ]
        case ast.Call():
            return _shared_operands(node, facts, sharing)
        case _:
            return []


_WHOLES = words("flat base __dict__ _buffers _parameters values indices")
"""What shows a tensor, an array or an object as a whole."""


def _joins_containers(node: ast.BinOp, facts: Facts) -> bool:
    """Whether an operation is of lists or dicts: `[x] + [y]`, `[x] * 2`."""
    if not isinstance(node.op, ast.Add | ast.Mult | ast.BitOr):
        return False
    return is_container(node.left, facts) or is_container(node.right, facts)


def is_container(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is a list, a tuple, a set or a dict that is made here."""
    match facts.value(node):
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
            return True
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            return True
        case ast.Call(func=ast.Name(id="list" | "tuple" | "dict" | "set")):
            return True
        case ast.BinOp() as made:
            return made is not node and _joins_containers(made, facts)
        case _:
            return False


def _shared_operands(call: ast.Call, facts: Facts, sharing: Sharing) -> list[ast.expr]:
    """The operands that a call's result may share memory with."""
    function = call.func
    given = [*call.args, *(k.value for k in call.keywords)]
    is_possible = sharing is Sharing.POSSIBLE
    dotted = facts.resolve(function)
    if dotted is not None:
        return _of_operation(ops.function(dotted), given, is_possible)
    if isinstance(function, ast.Attribute):
        cast = recognise_cast(call, facts)
        if cast is not None and (cast.copies or sharing is Sharing.VIEW):
            return []
        operation = told_method(call, facts)
        if operation is None:
            named = ops.method(function.attr) or ops.container_method(function.attr)
            if named is not None and named.memory in _SHARING:
                return [function.value, *(given if is_possible else [])]
            return [function.value, *given] if is_possible else []
        return [function.value] if operation.memory in _SHARING else []
    if isinstance(function, ast.Name) and is_builtin(function, function.id, facts):
        operation = ops.builtin(function.id)
        if operation is not None:
            return _of_operation(operation, given, is_possible)
    if not is_possible:
        return []
    return [function, *given] if _is_made_here(function, facts) else given


def _is_made_here(function: ast.expr, facts: Facts) -> bool:
    """Whether a callee may be a bound method or a `partial` that holds a tensor."""
    if not isinstance(function, ast.Name):
        return not isinstance(function, ast.Attribute)
    return any(d.binding is Binding.ASSIGNED for d in facts.names.of(function))


def _of_operation(
    operation: Operation | None, given: list[ast.expr], is_possible: bool
) -> list[ast.expr]:
    if operation is None or operation.memory is Memory.UNKNOWN:
        return given if is_possible else []
    return given if operation.memory in _SHARING else []


_SHARING = (Memory.VIEW, Memory.EITHER, Memory.HOLDS)


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
