"""Operations of tensors, where the file has no method of the name for something else.

`ids.eq(pad)` is a mask where `ids` is a tensor. A class of the file that defines `eq`
may make an index of it, so there the receiver has to be one by evidence.
"""

from __future__ import annotations

import ast

from ..classes import method_names
from ..facts import Facts
from ..scalars import Operand, classify_operand
from ..tensor_calls import TensorCall, tensor_call, torch_function

_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("__eq__",),
    ast.NotEq: ("__ne__",),
    ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"),
}
"""The methods that answer a comparison, of its left or of its right side."""

_ANY_NAME = frozenset(("__getattr__", "__getattribute__"))


def operation(node: ast.expr, facts: Facts) -> TensorCall | None:
    """The operation on a tensor that an expression calls, as `tensor_call` has it."""
    call = tensor_call(node, facts)
    if call is None or not isinstance(node, ast.Call):
        return None
    if facts.resolve(node.func) is not None:  # a function of torch
        return call
    return call if _is_tensors(call.name, call.tensor, facts) else None


def compares_tensors(node: ast.Compare, facts: Facts) -> bool:
    """Whether no class of the file answers a comparison in its own way."""
    names = {name for op in node.ops for name in _COMPARISONS.get(type(op), ())}
    operands = (node.left, *node.comparators)
    return all(
        any(_is_tensors(name, each, facts) for each in operands) for name in names
    )


def _is_tensors(method: str, receiver: ast.expr, facts: Facts) -> bool:
    """Whether a method is a tensor's, since no other is known or by its receiver."""
    known = facts.tree.once_with(facts.tree.module, method_names)
    is_special = method.startswith("__")
    if method not in known and (is_special or known.isdisjoint(_ANY_NAME)):
        return True
    value = facts.value(receiver)
    if torch_function(value, facts) is not None:
        return True
    return _is_evident(value, facts)


def _is_evident(value: ast.expr, facts: Facts) -> bool:
    match value:
        case ast.BinOp():
            return classify_operand(value, facts) is Operand.TENSOR
        case ast.Name():
            (*reaching,) = facts.names.of(value)
            return bool(reaching) and all(
                isinstance(each.node, ast.arg)
                and each.annotation is not None
                and "Tensor" in ast.unparse(each.annotation)
                for each in reaching
            )
        case _:
            return False
