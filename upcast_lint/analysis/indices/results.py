"""Results of operations that give several: `topk(…).indices`, `_, idx = x.sort()`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..facts import Facts
from ..names import Binding, Definition
from ..shape_reads import unpacked_into
from ..tensor_calls import TensorCall
from ..values import integer, truth
from .receivers import operation

_FIELDS = {"values": 0, "indices": 1}


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """Element `position` of what a call gives."""

    call: TensorCall
    position: int
    through: tuple[ast.Name, ...]
    """Names that hold the results on the way."""
    count: int | None = None
    """How many results there are, where an unpacking shows it."""
    unpacking: ast.AST | None = None
    """The statement that unpacks the results."""


def picked(node: ast.expr, facts: Facts) -> Picked | None:
    """The result of an operation with several results that an expression picks."""
    match node:
        case ast.Attribute(value=base, attr="values" | "indices" as name):
            return _of(base, _FIELDS[name], facts)
        case ast.Subscript(value=base, slice=index):
            position = integer(index)
            return None if position is None else _of(base, position, facts)
        case ast.Name():
            definition = facts.definition(node)
            return None if definition is None else picked_by(definition, facts)
        case _:
            return None


def picked_by(definition: Definition, facts: Facts) -> Picked | None:
    """The result that `_, name = …` binds."""
    if definition.value is None or definition.index is None:
        return None
    if definition.binding is not Binding.UNPACKED:
        return None
    count = unpacked_into(definition.node)
    return _of(definition.value, definition.index, facts, count, definition.node)


def _of(
    base: ast.expr,
    position: int,
    facts: Facts,
    count: int | None = None,
    unpacking: ast.AST | None = None,
) -> Picked | None:
    through = (base,) if isinstance(base, ast.Name) else ()
    call = operation(facts.value(base), facts)
    if call is None or not gives_several(call) or position < 0:
        return None
    return Picked(call, position, through, count, unpacking)


def gives_several(call: TensorCall) -> bool:
    """Whether an operation gives a tuple of tensors."""
    if call.operation.gives_pair:
        return not call.operation.pairs_along or call.number("dim") is not None
    match call.name:
        case "nonzero":
            return truth(call.given("as_tuple")) is True
        case "where":
            return not call.others
        case "unique":
            flags = (call.given("return_inverse"), call.given("return_counts"))
            return any(flag is not None and truth(flag) is not False for flag in flags)
        case _:
            return False
