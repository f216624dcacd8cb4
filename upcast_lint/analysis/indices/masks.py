"""Whether an index is a boolean mask, by how it is made. A name tells nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..definition_guard import Guard
from ..facts import Facts
from ..names import Binding, Definition
from ..operators import (
    words,
)
from ..tensor_calls import (
    TensorCall,
    is_builtin,
    torch_function,
)
from .receivers import compares_tensors, operation
from .results import picked, picked_by

_TO_MASK = words(
    """
    bool eq ne lt le gt ge logical_and logical_or logical_xor logical_not isin isnan
    isinf isfinite isposinf isneginf isclose any all signbit
    """
)
_TO_INTEGERS = words(
    """
    long int argmax argmin argsort nonzero argwhere multinomial searchsorted bucketize
    bincount cumsum sum floor_divide remainder count_nonzero
    """
)
_KEEP_TYPE = words(
    """
    view reshape flatten ravel unsqueeze squeeze expand expand_as transpose permute t
    contiguous clone detach cpu cuda flip roll tril triu masked_fill repeat gather
    index_select narrow select swapaxes where repeat_interleave clamp clamp_min
    clamp_max diagonal unfold take take_along_dim
    """
)
_INTEGER_FACTORIES = words("torch.arange torch.randperm torch.LongTensor")
_FACTORIES = words(
    """
    torch.zeros torch.ones torch.full torch.empty torch.tensor torch.as_tensor
    torch.zeros_like torch.ones_like torch.full_like torch.empty_like
    """
)
_INTEGER_TYPES = words("torch.int64 torch.long torch.int32 torch.int")
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
            self._definition(each) for each in reaching if not self._guard.holds(each)
        )

    def _definition(self, definition: Definition) -> bool | None:
        if not self._guard.enter(definition):
            return None
        try:
            return self._bound(definition)
        finally:
            self._guard.leave(definition)

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
        if isinstance(node, ast.Subscript) or node.attr in ("T", "mT"):
            return self.of(node.value)
        return None

    def _call(self, node: ast.Call) -> bool | None:
        dotted = torch_function(node, self.facts)
        if dotted == "torch.BoolTensor":
            return True
        if dotted in _INTEGER_FACTORIES:
            return False
        if dotted in _FACTORIES:
            return self._made(node)
        call = operation(node, self.facts)
        if call is None:
            return None
        match call.name:
            case name if name in _TO_MASK:
                return True
            case name if name in _TO_INTEGERS:
                return False
            case "to" | "type":
                return self._converted(call)
            case "where":
                return _agreed(self.of(each) for each in call.positional[:2])
            case name if name in _KEEP_TYPE:
                return self.of(call.tensor)
            case _:
                return None

    def _made(self, node: ast.Call) -> bool | None:
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
        return None if call.name == "type" else self._moved(call)

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
        return False if dotted in _INTEGER_TYPES else None


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
