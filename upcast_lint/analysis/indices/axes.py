"""How an axis of an expression came from the axes of what it is made from.

Terms
-----
rank
    The number of axes. An expression has a set of *possible ranks*; all that is
    said of an axis is said under the assumption of one of them, so that positive and
    negative dimensions compare exactly.
line
    The elements along one axis, all other coordinates fixed.
origin
    Where the lines of an axis come from: the axis is *new* and has the size one, or
    its lines are those of an axis of an operand, or parts of them.

Limits: ranks above 12 are not considered. A dimension counts where it is a literal.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import ops
from ..facts import Facts
from ..ops import Axes, Gives, Operation, Role
from ..ops.types import INDEX_TYPES
from ..shape_reads import size_of
from ..tensor_calls import TensorCall
from ..values import integer
from .items import is_one, plain_items
from .receivers import operation

MOST_AXES = 12
ANY_RANK = frozenset(range(MOST_AXES + 1))


@dataclass(frozen=True, slots=True)
class Line:
    """The lines of one axis, counted from 0, of an expression of an assumed rank."""

    node: ast.expr
    axis: int
    rank: int


Origin = tuple[Line, ...] | None
"""Lines of which one is the origin; none if the axis is new; None if not known."""

NEW: tuple[Line, ...] = ()
Ranks = Callable[[ast.expr], frozenset[int]]


def normal(dim: int | None, rank: int) -> int | None:
    """A dimension counted from 0, or None if it is unknown or beyond the rank."""
    if dim is None:
        return None
    axis = dim + rank if dim < 0 else dim
    return axis if 0 <= axis < rank else None


def origin(line: Line, ranks: Ranks, facts: Facts) -> Origin:
    """Where the lines of an axis come from. `ranks` gives an operand's possible ranks.

    Names are not followed.
    """
    match line.node:
        case ast.Subscript(value=base, slice=index):
            return _subscript(line, base, index, facts)
        case ast.Attribute(value=base, attr=name):
            attribute = ops.attribute(name)
            turned = None if attribute is None else turn(attribute, None, line.rank)
            return None if turned is None else _at(base, turned[line.axis], line.rank)
        case ast.Call():
            call = operation(line.node, facts)
            return None if call is None else _call(line, call, ranks, facts)
        case _:
            return None


def _call(line: Line, call: TensorCall, ranks: Ranks, facts: Facts) -> Origin:
    tensor, axis, rank = call.tensor, line.axis, line.rank
    match call.operation.axes:
        case Axes.INSERT:
            new = normal(call.number("dim"), rank)
            if new is None or new == axis:
                return None if new is None else NEW
            return _at(tensor, axis - (axis > new), rank - 1)
        case Axes.DROP:
            return _squeezed(line, tensor, call.number("dim"), ranks)
        case Axes.SIZES:
            return _viewed(line, call, ranks, facts)
        case Axes.FLATTEN:
            return _flattened(line, tensor, *flattened_axes(call), ranks)
        case Axes.UNFLATTEN:
            return _unflattened(line, call)
        case Axes.EXPAND | Axes.REPEAT:
            return _expanded(line, call, ranks)
        case _ if keeps_lines(call, facts):
            turned = turn(call.operation, call, rank)
            return None if turned is None else _at(tensor, turned[axis], rank)
        case _:
            return None


def keeps_lines(call: TensorCall, facts: Facts) -> bool:
    """Whether the lines of the result are lines of the tensor, as sets of integers."""
    operation = call.operation
    if operation.role is Role.CAST:
        return operation.gives in _INDEX_CASTS and keeps_integers(call, facts)
    is_kept = operation.passes_on or operation.role is Role.COPY
    return (is_kept and not operation.writes) or operation.axes is Axes.FLIP


_INDEX_CASTS = (Gives.INT64, Gives.INT32, Gives.ASKED)


def turn(
    operation: Operation, call: TensorCall | None, rank: int
) -> tuple[int, ...] | None:
    """The axis of the tensor that each axis of the result is, where all stay whole.

    `call` is None for an attribute. None where they do not, or it is not known.
    """
    order = list(range(rank))
    match operation.axes:
        case Axes.SAME | Axes.FLIP:
            return tuple(order)
        case Axes.REVERSE:
            return tuple(reversed(order))
        case Axes.SWAP_FIRST if rank <= 2:
            return tuple(reversed(order))
        case Axes.SWAP_LAST:
            return _swap(order, -2, -1)
        case Axes.SWAP if call is not None:
            return _swap(order, call.number("dim0"), call.number("dim1"))
        case Axes.PERMUTE if call is not None:
            dims = [normal(integer(size), rank) for size in call.sizes()]
            known = tuple(dim for dim in dims if dim is not None)
            return known if sorted(known) == order and len(dims) == rank else None
        case Axes.MOVE if call is not None:
            return _moved(rank, call)
        case _:
            return None


def _swap(order: list[int], a: int | None, b: int | None) -> tuple[int, ...] | None:
    first, second = normal(a, len(order)), normal(b, len(order))
    if first is None or second is None:
        return None
    order[first], order[second] = order[second], order[first]
    return tuple(order)


def _moved(rank: int, call: TensorCall) -> tuple[int, ...] | None:
    source = _dimensions(call.given("source"), rank)
    destination = _dimensions(call.given("destination"), rank)
    if source is None or destination is None or len(source) != len(destination):
        return None
    at = dict(zip(destination, source, strict=True))
    rest = (axis for axis in range(rank) if axis not in source)
    return tuple(at[axis] if axis in at else next(rest) for axis in range(rank))


def _dimensions(node: ast.expr | None, rank: int) -> list[int] | None:
    """The different axes that an argument names, one or several of them."""
    each = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    found = [normal(integer(dim), rank) for dim in each]
    known = [axis for axis in found if axis is not None]
    return known if len(set(known)) == len(found) else None


def flattened_axes(call: TensorCall) -> tuple[int | None, int | None]:
    """The first and the last axis that `flatten` or `ravel` makes one."""
    if not call.others:
        return 0, -1
    return call.number("start_dim"), call.number("end_dim")


def _at(node: ast.expr, axis: int, rank: int) -> Origin:
    return (Line(node, axis, rank),)


def _squeezed(line: Line, base: ast.expr, dim: int | None, ranks: Ranks) -> Origin:
    """Both the case that the axis had the size one and went, and that it stayed."""
    if dim is None:
        return None
    lines: list[Line] = []
    possible = ranks(base)
    if line.rank in possible and normal(dim, line.rank) is not None:
        lines.append(Line(base, line.axis, line.rank))
    gone = normal(dim, line.rank + 1)
    if line.rank + 1 in possible and gone is not None:
        axis = line.axis + (line.axis >= gone)
        lines.append(Line(base, axis, line.rank + 1))
    return tuple(lines) or None


def _size_at(sizes: Sequence[ast.expr], axis: int, rank: int) -> ast.expr | None:
    """The size given for an axis, where starred sizes stand for any number."""
    starred = [n for n, each in enumerate(sizes) if isinstance(each, ast.Starred)]
    if not starred:
        return sizes[axis] if len(sizes) == rank else None
    if axis < starred[0]:
        return sizes[axis]
    from_end = axis - rank + len(sizes)
    return sizes[from_end] if from_end > starred[-1] else None


def _viewed(line: Line, call: TensorCall, ranks: Ranks, facts: Facts) -> Origin:
    sizes = call.sizes()
    size = _size_at(sizes, line.axis, line.rank)
    if size is None:
        return None
    if integer(size) == 1:
        return NEW
    possible = ranks(call.tensor)
    others = [each for each in sizes if integer(each) != 1]
    is_column = len(others) == 1 and (len(sizes) > 1 or integer(size) == -1)
    if is_column and possible == {1}:
        return _at(call.tensor, 0, 1)
    if line.axis == line.rank - 1 and _is_last_size(size, call.tensor, facts):
        return tuple(Line(call.tensor, r - 1, r) for r in possible if r) or None
    return None


def _is_last_size(size: ast.expr, tensor: ast.expr, facts: Facts) -> bool:
    """Whether a size is that of the last axis of this very tensor."""
    found = None if isinstance(size, ast.Name) else size_of(size, facts)
    if found is None or not isinstance(found.tensor, ast.Name):
        return False
    return found.axis == -1 and ast.dump(found.tensor) == ast.dump(tensor)


def _flattened(
    line: Line, base: ast.expr, start: int | None, end: int | None, ranks: Ranks
) -> Origin:
    lines: list[Line] = []
    for rank in ranks(base):
        first, last = normal(start, rank), normal(end, rank)
        if first is None or last is None or rank - (last - first) != line.rank:
            continue
        if line.axis == first and last > first:
            return None
        axis = line.axis if line.axis <= first else line.axis + last - first
        lines.append(Line(base, axis, rank))
    return tuple(lines) or None


def _unflattened(line: Line, call: TensorCall) -> Origin:
    """Of the axes that one was taken apart into, only one of size one is known."""
    sizes = call.given("sizes")
    if not isinstance(sizes, ast.Tuple | ast.List) or len(sizes.elts) > line.rank:
        return None
    rank = line.rank - len(sizes.elts) + 1
    first = normal(call.number("dim"), rank)
    if first is None:
        return None
    inner = line.axis - first
    if 0 <= inner < len(sizes.elts):
        return NEW if integer(sizes.elts[inner]) == 1 else None
    axis = line.axis if inner < 0 else line.axis - len(sizes.elts) + 1
    return _at(call.tensor, axis, rank)


def _expanded(line: Line, call: TensorCall, ranks: Ranks) -> Origin:
    """`expand` keeps an axis where its size is -1, `repeat` where it is 1."""
    size = integer(_size_at(call.sizes(), line.axis, line.rank))
    is_repeat = call.operation.axes is Axes.REPEAT
    if size == 1 and not is_repeat:
        return NEW
    if size != (1 if is_repeat else -1):
        return None
    lines: list[Line] = []
    for rank in ranks(call.tensor):
        axis = line.axis - (line.rank - rank)
        if rank <= line.rank and axis >= 0:
            lines.append(Line(call.tensor, axis, rank))
    return tuple(lines) if lines or is_repeat else None


def _subscript(line: Line, base: ast.expr, index: ast.expr, facts: Facts) -> Origin:
    items = plain_items(index, facts)
    if items is None:
        return None
    rank = line.rank - items.added + items.dropped
    out, source = 0, 0
    for item in items.filled(rank):
        match item:
            case None:
                if out == line.axis:
                    return NEW
                out += 1
            case ast.Slice():
                if out == line.axis:
                    return NEW if is_one(item) else _at(base, source, rank)
                out, source = out + 1, source + 1
            case _:
                source += 1
    return None


def keeps_integers(call: TensorCall, facts: Facts) -> bool:
    """Whether a cast gives no type that makes different integers equal."""
    if call.operation.gives is not Gives.ASKED:
        return True
    keywords = dict(call.keywords)
    keywords.pop("non_blocking", None)
    keywords.pop("copy", None)
    return all(
        facts.resolve(each) in INDEX_TYPES or is_device(each, facts)
        for each in (*call.positional, *keywords.values())
    )


def is_device(node: ast.expr, facts: Facts) -> bool:
    """Whether an argument of `to` is evidently no type."""
    match node:
        case ast.Constant():
            return True
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name == "device" or name.endswith("_device")
        case ast.Call(func=function):
            return facts.resolve(function) == "torch.device"
        case _:
            return False
