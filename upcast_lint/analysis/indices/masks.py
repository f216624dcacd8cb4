"""Whether an index is a boolean mask, by how it is made. A name tells nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from .. import ops
from ..definition_guard import Guard
from ..facts import Facts
from ..names import Binding, Definition
from ..ops import Axes, Gives, Operation, Role
from ..ops.types import INDEX_TYPES
from ..tensor_calls import TensorCall, is_builtin, torch_function
from .receivers import compares_tensors, operation
from .results import gives_several, picked, picked_by

_MASK_TYPES = ("BoolTensor", "Bool[")
_INTEGER_ANNOTATIONS = ("LongTensor", "IntTensor", "Int[", "Int64[", "Int32[")


def is_mask(index: ast.expr, facts: Facts) -> bool | None:
    """True for an evident mask, False for evident integers, None if neither shows.

    A result that must be an index, such as a sum, counts as integers: only these and
    masks index.
    """
    return _Masks(facts).of(index)


@dataclass(slots=True)
class _Masks:
    facts: Facts
    _guard: Guard = field(default_factory=Guard)

    def of(self, node: ast.expr) -> bool | None:
        match node:
            case ast.Compare(ops=ops):
                plain = (ast.In, ast.NotIn, ast.Is, ast.IsNot)
                if any(isinstance(op, plain) for op in ops):
                    return None
                return True if compares_tensors(node, self.facts) else None
            case ast.Constant(value=value):
                return isinstance(value, bool) if isinstance(value, int) else None
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self.of(operand)
            case ast.UnaryOp(op=ast.USub()):
                return False
            case ast.BinOp(op=operator, left=left, right=right):
                return self._arithmetic(operator, self.of(left), self.of(right))
            case ast.IfExp(body=body, orelse=orelse):
                return _agreed((self.of(body), self.of(orelse)))
            case ast.List(elts=[_, *_] as elements):
                return _agreed(self.of(element) for element in elements)
            case ast.Name():
                return self._name(node)
            case ast.Attribute() | ast.Subscript():
                return self._part(node)
            case ast.Call():
                return self._call(node)
            case _:
                return None

    def _arithmetic(
        self, operator: ast.operator, left: bool | None, right: bool | None
    ) -> bool | None:
        match operator:
            case ast.BitAnd() | ast.BitOr() | ast.BitXor():
                if left is False or right is False:
                    return False
                return True if left and right else None
            case ast.Sub() | ast.FloorDiv() | ast.Mod():
                return False
            case ast.Add() | ast.Mult():
                return False if left is False or right is False else None
            case _:
                return None

    def _name(self, node: ast.Name) -> bool | None:
        reaching = self.facts.names.of(node)
        return _agreed(
            self._guard.within(each, self._bound, None)
            for each in reaching
            if not self._guard.holds(each)
        )

    def _bound(self, definition: Definition) -> bool | None:
        node, value = definition.node, definition.value
        match definition.binding:
            case Binding.ASSIGNED if value is not None:
                return self.of(value)
            case Binding.UNPACKED:
                pick = picked_by(definition, self.facts)
                is_index = pick is not None and _gives_index(pick.call, pick.position)
                return False if is_index else None
            case Binding.AUGMENTED if isinstance(node, ast.AugAssign):
                # In place, where the target is a tensor: its type stays.
                target = node.target
                return self._name(target) if isinstance(target, ast.Name) else None
            case Binding.ITERATED if isinstance(value, ast.Call):
                is_count = is_builtin(value.func, "range", self.facts)
                return False if is_count else None
            case Binding.PARAMETER if isinstance(node, ast.arg):
                return _annotated(node.annotation)
            case _:
                return None

    def _part(self, node: ast.Attribute | ast.Subscript) -> bool | None:
        pick = picked(node, self.facts)
        if pick is not None:
            return False if _gives_index(pick.call, pick.position) else None
        if isinstance(node, ast.Subscript) or ops.is_view(node.attr):
            return self.of(node.value)
        return None

    def _call(self, node: ast.Call) -> bool | None:
        dotted = torch_function(node, self.facts)
        made = None if dotted is None else ops.function(dotted)
        if made is not None and _is_maker(made):
            return self._made(node, made)
        call = operation(node, self.facts)
        if call is None or gives_several(call):
            return None
        match call.operation.gives:
            case Gives.BOOL:
                return True
            case gives if gives in _INTEGERS:
                return False
            case Gives.ASKED:
                return self._converted(call)
            case Gives.OTHERS:
                other = call.given("other")
                return None if other is None else self.of(other)
            case Gives.PROMOTED if call.name == "where":
                first = call.given("self") or call.tensor
                second = call.given("other")
                return _agreed([self.of(each) for each in (first, second) if each])
            case Gives.SAME:
                return self.of(call.tensor)
            case _:
                return None

    def _made(self, node: ast.Call, made: Operation) -> bool | None:
        """What a function makes that is given numbers or another tensor."""
        if made.gives is Gives.BOOL:
            return True
        if made.gives in _INTEGERS:
            return False
        for keyword in node.keywords:
            if keyword.arg == "dtype":
                return self._type(keyword.value)
        is_literal = bool(node.args) and isinstance(node.args[0], ast.List)
        return self.of(node.args[0]) if is_literal else None

    def _converted(self, call: TensorCall) -> bool | None:
        given = [*call.positional, *call.keywords.values()]
        types = [kind for each in given if (kind := self._type(each)) is not None]
        if types:
            return types[0]
        return self._moved(call) if call.positional or call.keywords else None

    def _moved(self, call: TensorCall) -> bool | None:
        """`to` with nothing but a device keeps the type."""
        is_device = all(
            isinstance(each, ast.Attribute | ast.Name | ast.Constant)
            and "device" in ast.unparse(each)
            for each in call.positional
        )
        is_device = is_device and "dtype" not in call.keywords
        return self.of(call.tensor) if is_device else None

    def _type(self, node: ast.expr) -> bool | None:
        if is_builtin(node, "bool", self.facts):
            return True
        dotted = self.facts.resolve(node)
        if dotted == "torch.bool":
            return True
        return False if dotted in INDEX_TYPES else None


_INTEGERS = (Gives.INT64, Gives.INT32, Gives.COUNTED, Gives.SUMMED)
"""Of a result that is an index: what is not a mask, then."""


def _is_maker(operation: Operation) -> bool:
    return operation.role in (Role.FACTORY, Role.LIKE) or operation.axes is Axes.LITERAL


def _gives_index(call: TensorCall, position: int) -> bool:
    if call.name in ("nonzero", "where"):
        return True
    return position == 1


def _annotated(annotation: ast.expr | None) -> bool | None:
    if annotation is None:
        return None
    text = ast.unparse(annotation)
    if any(each in text for each in _MASK_TYPES):
        return True
    return False if any(each in text for each in _INTEGER_ANNOTATIONS) else None


def _agreed(kinds: Iterable[bool | None]) -> bool | None:
    found = set(kinds)
    return found.pop() if len(found) == 1 else None
