"""What is kept of a tensor along one axis, where nothing else of it is read.

A value is followed through names, views and slices, to `gather` and `take_along_dim`
along the axis, `x[rows, labels]` and `nll_loss`. Whatever else reads it may need all.

Limits: a view is taken to leave the axis where it is, and a slice to cut another one.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from . import ops
from .facts import Facts
from .names import Binding
from .ops import Axes, Operation, Role
from .pieces.subscripts import ItemKind, subscript_items
from .tensor_calls import TensorCall, tensor_call

_KEEPING = (Axes.SAME, Axes.SIZES, Axes.FLATTEN, Axes.DROP)
_OF_ROWS = (ItemKind.WHOLE, ItemKind.SLICE, ItemKind.MASK)


@dataclass(frozen=True, slots=True)
class Column:
    """`node` keeps those columns that `index` names."""

    node: ast.expr
    index: ast.expr


def columns_kept(node: ast.expr, axis: int, facts: Facts) -> tuple[Column, ...] | None:
    """What is kept of a value; None where something may read more of it."""
    follower = _Columns(axis, facts)
    return tuple(follower.places) if follower.follow(node) else None


class _Columns:
    def __init__(self, axis: int, facts: Facts) -> None:
        self.axis = axis
        self.facts = facts
        self.places: list[Column] = []
        self._loads: set[ast.Name] = set()

    def follow(self, node: ast.expr) -> bool:
        """Whether a value is read by no more than some columns."""
        parent = self.facts.tree.parents[node]
        match parent:
            case ast.Assign(targets=[ast.Name()]):
                return self._named(parent)
            case ast.UnaryOp(op=ast.USub()):
                return self.follow(parent)
            case ast.Attribute(attr=name):
                call = self.facts.tree.called_by(parent)
                if call is not None:
                    return _answers(ops.method(name)) or self._called(node, call)
                return _answers(ops.attribute(name))
            case ast.Call():
                return self._called(node, parent)
            case ast.Subscript(value=value) if value is node:
                return self._subscript(parent)
            case _:
                return False

    def _named(self, statement: ast.Assign) -> bool:
        names = self.facts.names
        for definition in names.made_by(statement):
            if definition.name in names.captured:
                return False
            for load in names.uses(definition):
                if load in self._loads:
                    continue
                self._loads.add(load)
                is_only = names.only(load) is definition
                if not (is_only and definition.binding is Binding.ASSIGNED):
                    return False
                if not self.follow(load):
                    return False
        return True

    def _called(self, node: ast.expr, call: ast.Call) -> bool:
        operation = tensor_call(call, self.facts)
        if operation is None or operation.tensor is not node:
            return False
        if operation.operation.axes is Axes.INDEX:
            return self._gathered(call, operation)
        if operation.name == "nll_loss":
            return self._keep(call, operation.given("target"))
        known = operation.operation
        is_view = known.role in (Role.VIEW, Role.SIGN) and known.axes in _KEEPING
        return is_view and self.follow(call)

    def _gathered(self, call: ast.Call, operation: TensorCall) -> bool:
        if operation.number("dim") != self.axis:
            return False
        return self._keep(call, operation.given("index") or operation.given("indices"))

    def _keep(self, node: ast.expr, index: ast.expr | None) -> bool:
        if index is None:
            return False
        self.places.append(Column(node, index))
        return True

    def _subscript(self, subscript: ast.Subscript) -> bool:
        """Slices of rows are followed; a tensor of rows and one of columns keep few."""
        items = subscript_items(subscript, self.facts)
        if items is None or not isinstance(subscript.ctx, ast.Load):
            return False
        if all(
            i.kind in (ItemKind.WHOLE, ItemKind.SLICE, ItemKind.MASK) for i in items
        ):
            return self.follow(subscript)
        if len(items) < 2 or any(i.kind is not ItemKind.TENSOR for i in items):
            return False
        return self._keep(subscript, items[-1].node)


def _answers(asked: Operation | None) -> bool:
    """Whether what is asked of a tensor needs neither its elements nor their type."""
    return asked is not None and asked.role is Role.METADATA
