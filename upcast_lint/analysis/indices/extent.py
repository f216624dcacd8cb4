"""Evidence that an index is as long as what it takes from, or longer.

`scales[group_of_column]` gives a scale to every column, `table[relative_position]` a
bias to every pair: what comes out is larger than what went in, and a cast of it costs
more than one before. This only lowers, so names are evidence enough.

Evidence is the name of the index, that it is made by an operation that repeats, the
name of the source, or that the source is a vector, for then an index of unknown length
is seldom the shorter one. A mask and the indices of `topk` and its like are no longer
than what they are of.
"""

from __future__ import annotations

import ast

from ..facts import Facts
from ..ops import Axes, Role
from ..tensor_calls import TensorCall, tensor_call, torch_function
from ..width.words import dotted_words
from ..width.words import words as words_of
from ..words import words
from .masks import is_mask
from .permutations import permutation
from .ranks import Shapes, known_rank
from .results import picked

_SPREADING = words(
    """
    g group groups bucket buckets relative rel segment segments inverse repeat repeats
    repeated expand expanded
    """
)
"""Words of indices with an entry for each of many elements that share a few rows."""

_TABLES = words(
    """
    scale scales zero zeros zp qzeros codebook lut cos sin freqs freq slopes alibi
    """
)
"""Words of sources with a few rows that many elements share."""

_MASKS = words("mask masks keep valid")

_FEW = (Axes.REDUCE, Axes.ALONG, Axes.COORDINATES, Axes.SAMPLES)


def may_expand(index: ast.expr, source: ast.expr, facts: Facts) -> bool:
    """Whether evidence says that an index takes as much as there is, or more."""
    if _is_positions(index, facts):
        return True
    if is_mask(index, facts) or _is_shorter(index, facts):
        return False
    if _is_counted_mask(index, facts) or _is_repeated_list(index, facts):
        return True
    if permutation(index, facts) is not None or _is_spreading(index, facts, 8):
        return True
    if not _TABLES.isdisjoint(words_of(dotted_words(source).rpartition(".")[2])):
        return True
    return max(Shapes(facts).ranks(source), default=0) <= 1


def _is_positions(index: ast.expr, facts: Facts) -> bool:
    """`mask.nonzero()`, which has several numbers for each element, all taken for rows.

    Of a vector it has one, and so it is no evidence where the rank is known to be one.
    """
    call = tensor_call(facts.value(index), facts)
    return (
        call is not None
        and call.name in ("nonzero", "argwhere")
        and "as_tuple" not in call.keywords
        and known_rank(call.tensor, facts) != 1
    )


def _is_repeated_list(index: ast.expr, facts: Facts) -> bool:
    """`[0] * n`."""
    match facts.value(index):
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            return isinstance(left, ast.List) or isinstance(right, ast.List)
        case _:
            return False


def _is_counted_mask(index: ast.expr, facts: Facts) -> bool:
    """Whether an index is a mask made of integers: one entry for each of its bools."""
    call = tensor_call(facts.value(index), facts)
    if call is None or call.operation.role is not Role.CAST:
        return False
    said = words_of(dotted_words(call.tensor).rpartition(".")[2])
    return bool(is_mask(call.tensor, facts)) or not _MASKS.isdisjoint(said)


def _is_shorter(index: ast.expr, facts: Facts) -> bool:
    """Whether an index is made by an operation that picks a few, or cut by hand."""
    pick = picked(index, facts)
    if pick is not None:
        return _picks_few(pick.call)
    node = facts.value(index)
    match node:
        case ast.Subscript(value=base):
            inner = picked(node, facts)
            if inner is not None:
                return _picks_few(inner.call)
            return isinstance(node.slice, ast.Slice) or _is_shorter(base, facts)
        case ast.List():
            return True
        case ast.Call():
            call = tensor_call(node, facts)
            if call is None:
                return torch_function(node, facts) == "torch.tensor"
            if _picks_few(call):
                return True
            return _is_guise(call) and _is_shorter(call.tensor, facts)
        case _:
            return False


def _is_spreading(index: ast.expr, facts: Facts, depth: int) -> bool:
    if depth == 0:
        return False
    match index:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            if not _SPREADING.isdisjoint(words_of(name)):
                return True
        case ast.BinOp(op=ast.FloorDiv() | ast.Mod()):
            return True
        case _:
            pass
    value = facts.value(index)
    if value is not index:
        return _is_spreading(value, facts, depth - 1)
    call = tensor_call(index, facts)
    if call is None:
        return False
    if call.operation.repeats:
        return True
    return _is_guise(call) and _is_spreading(call.tensor, facts, depth - 1)


def _picks_few(call: TensorCall) -> bool:
    """Whether an operation gives the places of some of many elements."""
    operation = call.operation
    if operation.name == "where":
        return True
    return operation.role is Role.ORDER and operation.axes in _FEW


def _is_guise(call: TensorCall) -> bool:
    """Whether an operation gives each element of its tensor once."""
    return call.operation.role in (Role.VIEW, Role.CAST, Role.MOVE)
