"""Evidence that an index keeps (nearly) everything and only reorders it.

This only lowers: a permutation is not narrow. So names are evidence enough.
"""

from __future__ import annotations

import ast

from ..facts import Facts
from ..ops import Axes, Operation, Role
from ..shape_reads import size_of
from ..tensor_calls import tensor_call, torch_function
from ..values import integer, is_whole, items_of
from ..words import words
from .results import picked

_WORDS = words(
    """
    perm perms permutation permutations permute inverse inv restore restored unsort
    unsorted shuffle shuffled unshuffle reorder reordered reordering reverse reversed
    """
)
_MOST_STEPS = 20


def permutation(index: ast.expr, facts: Facts) -> str | None:
    """Why an index seems to be a permutation; None if nothing says so, or it is cut."""
    found: str | None = None
    node = index
    for _ in range(_MOST_STEPS):
        if picked(node, facts) is None and _is_cut(node):
            return None
        found = found or _evidence(node, facts)
        inner = _inner(node, facts)
        if inner is None:
            return found
        node = inner
    return None


def _evidence(node: ast.expr, facts: Facts) -> str | None:
    pick = picked(node, facts)
    if pick is not None and pick.call.name == "sort" and pick.position == 1:
        return "the indices of a whole `sort`"
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if _names_order(name):
            return f"`{name}` names a permutation"
    call = tensor_call(node, facts)
    if call is not None and call.name == "argsort":
        return "a whole `argsort`"
    match torch_function(node, facts):
        case "torch.randperm":
            return "a whole `randperm`"
        case "torch.arange" if isinstance(node, ast.Call) and _is_full(node, facts):
            return "an `arange` over a whole dimension"
        case _:
            return None


def _inner(node: ast.expr, facts: Facts) -> ast.expr | None:
    """What an index is another guise of, with all of its elements."""
    if picked(node, facts) is not None:
        return None
    match node:
        case ast.Name():
            value = facts.value(node)
            return None if value is node else value
        case ast.Subscript(value=base):
            return base
        case ast.Call():
            call = tensor_call(node, facts)
            if call is None or not _is_guise(call.operation):
                return None
            return call.tensor
        case _:
            return None


def _is_guise(operation: Operation) -> bool:
    """Whether an operation gives all elements of its tensor, and no others."""
    return (
        operation.passes_on
        or operation.role in (Role.COPY, Role.EXPAND)
        or operation.axes is Axes.FLIP
    ) and operation.role not in (Role.PART, Role.PARTS)


def _names_order(identifier: str) -> bool:
    return any(word in _WORDS for word in identifier.lower().split("_"))


def _is_cut(node: ast.expr) -> bool:
    """Whether a subscript takes a part that may be small, or one element."""
    if not isinstance(node, ast.Subscript):
        return False
    return not all(map(_is_nearly_whole, items_of(node.slice)))


def _is_nearly_whole(item: ast.expr) -> bool:
    match item:
        case ast.Slice(lower=lower, upper=upper, step=None):
            starts = lower is None or integer(lower) in (0, 1)
            return starts and (upper is None or integer(upper) == -1)
        case _:
            return is_whole(item)


def _is_full(node: ast.Call, facts: Facts) -> bool:
    """Whether an `arange` runs over a size, forwards or backwards."""
    match node.args:
        case [end] | [ast.Constant(value=0), end]:
            return size_of(end, facts) is not None
        case [ast.BinOp(left=start, op=ast.Sub(), right=one), end, step]:
            is_back = integer(one) == 1 and integer(end) == integer(step) == -1
            return is_back and size_of(start, facts) is not None
        case _:
            return False
