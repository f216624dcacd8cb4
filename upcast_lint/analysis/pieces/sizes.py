"""The sizes of a tensor's dimensions, where the code states them.

Stated are the arguments of factories (`torch.randn(2, 3, 5)`), of `view`, `reshape` and
`expand`, and what views and basic subscripts leave of them. A size that is written as a
name is the number that the name is bound to once; any other is unknown.

Limits: one scope and its constants are read; what a caller passes is not known.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from .. import ops
from ..definition_guard import Guard
from ..facts import Facts
from ..indices.axes import normal, turn
from ..names import Definition
from ..ops import Axes, Operation, Role
from ..scalars import exact_constant
from ..tensor_calls import TensorCall, tensor_call, torch_function
from ..values import is_ellipsis, is_none, items_of

Sizes = tuple[int | None, ...]
"""The size of each dimension, None for one that is not known."""


def known_sizes(node: ast.expr, facts: Facts) -> Sizes | None:
    """The sizes of the dimensions of an expression; None if not even their number."""
    return _Sizes(facts).of(node)


@dataclass(slots=True)
class _Sizes:
    facts: Facts
    _guard: Guard = field(default_factory=Guard)

    def of(self, node: ast.expr) -> Sizes | None:
        match node:
            case ast.Name():
                return self._name(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.of(operand)
            case ast.BinOp(left=left, right=right):
                if exact_constant(right, self.facts) is not None:
                    return self.of(left)
                return None
            case ast.Call():
                return self._call(node)
            case _:
                return None

    def _name(self, node: ast.Name) -> Sizes | None:
        definition = self.facts.names.only(node)
        if definition is None:
            return None
        return self._guard.within(definition, self._bound, None)

    def _bound(self, definition: Definition) -> Sizes | None:
        return None if definition.assigned is None else self.of(definition.assigned)

    def _call(self, node: ast.Call) -> Sizes | None:
        dotted = torch_function(node, self.facts)
        if dotted is not None:
            made = ops.function(dotted)
            if made is not None and made.role is Role.FACTORY:
                return self._made(node, made)
        call = tensor_call(node, self.facts)
        return None if call is None else self._operation(call)

    def _made(self, node: ast.Call, operation: Operation) -> Sizes | None:
        keywords = {k.arg: k.value for k in node.keywords}
        if None in keywords:
            return None
        size = keywords.get("size")
        if operation.name == "randint":
            given = [size] if size is not None else node.args[-1:]
            is_shape = bool(given) and isinstance(given[0], ast.Tuple | ast.List)
            return self._stated(given) if is_shape else None
        if operation.axes is not Axes.GIVEN or operation.takes is None:
            return None
        is_open = operation.takes[0].name.startswith("*")
        given = node.args if is_open else node.args[:1]
        return self._stated(given or ([size] if size is not None else []))

    def _stated(self, sizes: Sequence[ast.expr]) -> Sizes | None:
        match sizes:
            case [ast.Tuple(elts=elements) | ast.List(elts=elements)]:
                sizes = elements
            case _:
                pass
        if not sizes or any(isinstance(size, ast.Starred) for size in sizes):
            return None
        if len(sizes) == 1 and self._number(sizes[0]) is None:
            return None  # perhaps a shape
        return tuple(map(self._number, sizes))

    def _number(self, node: ast.expr) -> int | None:
        found = exact_constant(node, self.facts)
        return found if isinstance(found, int) else None

    def _operation(self, call: TensorCall) -> Sizes | None:
        operation = call.operation
        if operation.axes in (Axes.SIZES, Axes.EXPAND):
            return self._resized(call)
        before = self.of(call.tensor)
        if before is None or operation.keeps_sizes:
            return before
        rank = len(before)
        if operation.axes is Axes.INSERT:
            at = normal(call.number("dim"), rank + 1)
            return None if at is None else (*before[:at], 1, *before[at:])
        if operation.axes is Axes.DROP:
            at = normal(call.number("dim"), rank)
            is_one = at is not None and before[at] == 1
            return (
                (*before[:at], *before[at + 1 :]) if is_one and at is not None else None
            )
        turned = turn(operation, call, rank)
        return None if turned is None else tuple(before[axis] for axis in turned)

    def _resized(self, call: TensorCall) -> Sizes | None:
        stated = self._stated(call.sizes())
        if stated is None or -1 not in stated:
            return stated
        if call.operation.axes is Axes.EXPAND:
            return tuple(None if size == -1 else size for size in stated)
        total = count(self.of(call.tensor))
        others = count(tuple(size for size in stated if size != -1))
        rest = total // others if total is not None and others else None
        return tuple(rest if size == -1 else size for size in stated)

    def _subscript(self, node: ast.Subscript) -> Sizes | None:
        before = self.of(node.value)
        if before is None:
            return None
        return kept_sizes(before, items_of(node.slice), self.facts)


def kept_sizes(before: Sizes, items: Sequence[ast.expr], facts: Facts) -> Sizes | None:
    """What a basic subscript leaves of some sizes; None where it is not basic."""
    named = [item for item in items if not is_none(item)]
    if not any(is_ellipsis(item) for item in named):
        items, named = [*items, ast.Constant(...)], [*named, ast.Constant(...)]
    rest = len(before) - (len(named) - 1)
    if rest < 0:
        return None
    kept: list[int | None] = []
    axis = 0
    for item in items:
        match item:
            case _ if is_ellipsis(item):
                kept += before[axis : axis + rest]
                axis += rest
            case _ if is_none(item):
                kept.append(1)
            case ast.Slice():
                kept.append(length_of(item, before[axis], facts))
                axis += 1
            case _ if isinstance(exact_constant(item, facts), int):
                axis += 1
            case _:
                return None
    return tuple(kept)


def length_of(item: ast.Slice, size: int | None, facts: Facts) -> int | None:
    """How many elements a slice keeps of a dimension, where that is known."""
    bounds: list[int | None] = []
    for part in (item.lower, item.upper, item.step):
        if part is None:
            bounds.append(None)
            continue
        number = exact_constant(part, facts)
        if not isinstance(number, int):
            return None
        bounds.append(number)
    if size is not None:
        return len(range(size)[slice(*bounds)]) if bounds[2] != 0 else None
    return None


def count(sizes: Sizes | None) -> int | None:
    """How many elements a tensor of these sizes has, where all are known."""
    if sizes is None:
        return None
    total = 1
    for size in sizes:
        if size is None:
            return None
        total *= size
    return total
