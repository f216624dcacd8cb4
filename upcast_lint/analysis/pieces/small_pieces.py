"""Evidence that a cast within a loop gains nothing over the one above it.

The tensor is small: a vector; its elements become Python
numbers, before the loop or in it; its pieces are spread over a larger tensor, as scales
are. Or all pieces are collected as they are, and make up the whole copy.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .. import ops
from ..facts import Facts
from ..indices import permutation
from ..indices.ranks import Shapes
from ..ops import Axes, Role
from ..reads import Use
from ..tensor_calls import is_builtin, tensor_call
from ..values import integer
from .cuts import Cut


def is_vector(use: Use) -> bool:
    """Whether the tensor has one dimension, as far as the code tells."""
    return max(Shapes(use.facts).ranks(use.operand), default=0) <= 1


def is_small(cuts: Sequence[Cut], use: Use) -> bool:
    assert isinstance(use.node, ast.expr)
    if becomes_number(use.node, use.facts):
        return True
    if is_vector(use) and not (
        cuts[0].index is None and _is_flattened(use.operand, use.facts)
    ):
        return True
    if _is_list(use.operand, use.facts):
        return True
    values = _values_of(use.node, use.facts)
    if are_collected(values, use.facts):
        return True
    if any(_keeps_one(cut, use.facts) for cut in cuts) and any(
        _is_factor(each, use.facts) for each in values
    ):
        return True
    return any(_is_spread(each, use.facts, 3) for each in values)


def becomes_number(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor of one element is turned into a Python number."""
    match facts.tree.parents[node]:
        case ast.Attribute(attr="item"):
            return True
        case ast.Call(func=function, args=[argument]) if argument is node:
            return is_builtin(function, "float", facts) or is_builtin(
                function, "int", facts
            )
        case _:
            return False


def _is_list(node: ast.expr, facts: Facts) -> bool:
    """Whether the tensor was turned into a list, which takes one transfer."""
    match facts.value(node):
        case ast.Call(func=ast.Attribute(attr="tolist")):
            return True
        case _:
            return False


def _is_flattened(node: ast.expr, facts: Facts) -> bool:
    """Whether a vector holds what a larger tensor held."""
    value = facts.value(node)
    while isinstance(value, ast.Call):
        call = tensor_call(value, facts)
        if call is None:
            return False
        if call.operation.axes in (Axes.SIZES, Axes.FLATTEN):
            return True
        value = facts.value(call.tensor)
    return False


def _keeps_one(cut: Cut, facts: Facts) -> bool:
    """`[i : i + 1]`: one element whose dimension stays, which only spreading needs."""
    if cut.length is not None:
        return integer(cut.length) == 1
    match cut.upper:
        case ast.BinOp(left=left, op=ast.Add(), right=right) if cut.lower is not None:
            return integer(right) == 1 and ast.dump(left) == ast.dump(cut.lower)
        case _:
            return False


def _is_factor(node: ast.expr, facts: Facts) -> bool:
    """Whether a value goes into arithmetic as it is."""
    parent = facts.tree.parents[node]
    match parent:
        case ast.BinOp() | ast.AugAssign():
            return True
        case ast.Attribute(attr=name):
            return _is_arithmetic(name)
        case ast.Call(func=ast.Attribute(attr=name)):
            return node in parent.args and _is_arithmetic(name)
        case _:
            return False


def _is_arithmetic(name: str) -> bool:
    """Whether an operation computes with the elements of several tensors."""
    known = ops.tensor(name)
    return (
        known is not None
        and known.axes is Axes.BROADCAST
        and (known.role is not Role.TEST)
    )


def _is_view(name: str) -> bool:
    known = ops.tensor(name)
    return known is not None and known.role in (Role.VIEW, Role.SIGN)


def _values_of(node: ast.expr, facts: Facts) -> list[ast.expr]:
    """An expression, and the loads of the name that it is bound to."""
    found = [node]
    for definition in facts.names.giving(node):
        found += facts.names.uses(definition)
    return found


def are_collected(values: Sequence[ast.expr], facts: Facts) -> bool:
    """Whether pieces are put into a container as they are."""
    return any(_is_collected(each, facts) for each in values)


def _is_collected(node: ast.expr, facts: Facts) -> bool:
    parent = facts.tree.parents[node]
    match parent:
        case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element):
            return element is node
        case ast.DictComp(value=value):
            return value is node
        case ast.Tuple() | ast.Dict():
            return _is_collected(parent, facts)
        case ast.Call(func=ast.Attribute(attr="append" | "extend")):
            return node in parent.args
        case ast.Attribute(attr=name) if _is_view(name):
            call = facts.tree.parents[parent]
            return isinstance(call, ast.Call) and _is_collected(call, facts)
        case ast.Subscript(value=value, slice=index) if value is node:
            is_order = "perm" in ast.unparse(index) or permutation(index, facts)
            return bool(is_order) and _is_collected(parent, facts)
        case _:
            return False


def _is_spread(node: ast.expr, facts: Facts, depth: int) -> bool:
    """Whether a value gets a last dimension of size one and meets another tensor."""
    parent = facts.tree.parents[node]
    if depth == 0:
        return False
    match parent:
        case ast.UnaryOp():
            return _is_spread(parent, facts, depth - 1)
        case ast.Attribute(attr="unsqueeze"):
            call = facts.tree.parents[parent]
            return (
                isinstance(call, ast.Call)
                and bool(call.args)
                and integer(call.args[0]) == -1
                and _is_factor(call, facts)
            )
        case ast.Subscript(slice=ast.Tuple(elts=[*_, last])) if parent.value is node:
            is_new = isinstance(last, ast.Constant) and last.value is None
            return is_new and _is_factor(parent, facts)
        case _:
            return False
