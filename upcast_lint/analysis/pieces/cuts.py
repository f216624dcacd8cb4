"""How much of a dimension a slice, an integer, `narrow` or `select` keeps.

Terms
-----
cut
    What one basic index keeps of one dimension.
narrow
    A cut that keeps one element, so many from either end, a stretch between two
    bounds, or every n-th element: at most half, as far as the code tells.

Not narrow, for they may keep nearly everything: a slice that runs to the end from a
bound that is not counted from the end (`[1:]`, `[n:]`), one that stops a little before
the end (`[:-1]`, `[:-k]`, `[:x.size(1) - 1]`), one that only drops padding
(`[..., :vocab_size]`) or ends where the same dimension of some tensor does, one
element of a dimension that evidently has no more, and the first element of the first
dimension, `[0]`, which in a batch of one is all of it.
Where the code states the size of the dimension, at most half of it is narrow.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from .. import ops
from ..facts import Facts
from ..indices.axes import NEW, Line, normal, origin
from ..indices.extent import may_expand
from ..indices.ranks import Shapes, known_rank
from ..ops import Axes, Role
from ..reads import Form, Piece, Use
from ..scalars import exact_constant
from ..shape_reads import size_of
from ..tensor_calls import is_steady, tensor_call
from ..values import integer
from ..words import words
from .sizes import known_sizes, length_of
from .subscripts import ADVANCED, Item, ItemKind, subscript_items


@dataclass(frozen=True, slots=True)
class Cut:
    """`index` for one element; else a slice, of which `upper` or `length` is given."""

    axis: int | None
    index: ast.expr | None = None
    lower: ast.expr | None = None
    upper: ast.expr | None = None
    length: ast.expr | None = None
    step: ast.expr | None = None
    is_certain: bool = True
    """False where `index` is only likely an integer, and may be a tensor."""

    @property
    def start(self) -> ast.expr | None:
        return self.lower if self.index is None else self.index

    @property
    def end(self) -> ast.expr | None:
        return self.upper if self.length is None else self.length


def basic_cuts(use: Use) -> tuple[Cut, ...]:
    """The cuts of a basic subscript, `narrow` or `select`; none for anything else."""
    if use.form is Form.SUBSCRIPT:
        assert isinstance(use.node, ast.Subscript)
        items = subscript_items(use.node, use.facts)
        if items is None or any(item.kind in ADVANCED for item in items):
            return ()
        return cuts_of(items)
    if use.operation is None or use.operation.role is not Role.PART:
        return ()
    bound = use.bind()
    if bound is None or "dim" not in bound:
        return ()
    axis = integer(bound["dim"])
    if use.operation.axes is Axes.REMOVE:
        return (Cut(axis, index=bound["index"]),)
    return (Cut(axis, lower=bound["start"], length=bound["length"]),)


def cuts_of(items: Sequence[Item]) -> tuple[Cut, ...]:
    """The cuts that the slices and integers among some items make."""
    found: list[Cut] = []
    for item in items:
        if item.is_integer:
            certain = item.kind is ItemKind.INTEGER
            found.append(Cut(item.axis, index=item.node, is_certain=certain))
        elif isinstance(item.node, ast.Slice) and item.kind is ItemKind.SLICE:
            node = item.node
            found.append(
                Cut(item.axis, lower=node.lower, upper=node.upper, step=node.step)
            )
    return tuple(found)


# How much is kept


def is_narrow(cut: Cut, use: Use) -> bool:
    facts = use.facts
    stated = _stated_share(cut, use)
    if stated is not None:
        return stated
    if _is_first(cut) and _may_be_whole_batch(cut.axis, use):
        return False
    if cut.index is not None:
        if not cut.is_certain and may_expand(cut.index, use.cast.source, facts):
            return False
        return not has_one_element(cut.axis, use)
    if cut.step is not None:
        step = integer(cut.step)
        return step is not None and step > 1
    if _counts_from_end(cut.lower, cut.axis, facts):
        return True
    if cut.end is None or _counts_from_end(cut.end, cut.axis, facts):
        return False
    if _is_whole_size(cut.end, cut.axis, facts) or _names_vocabulary(cut.end):
        return False
    return not has_one_element(cut.axis, use)


def _stated_share(cut: Cut, use: Use) -> bool | None:
    """Whether a cut keeps half at most of a dimension whose size the code states."""
    sizes = None if cut.axis is None else known_sizes(use.operand, use.facts)
    if sizes is None or not -len(sizes) <= (cut.axis or 0) < len(sizes):
        return None
    size = sizes[cut.axis or 0]
    if size is None:
        return None
    if cut.index is not None:
        return size > 1
    if cut.length is not None:
        length = exact_constant(cut.length, use.facts)
        return None if length is None else 2 * length <= size
    item = ast.Slice(cut.lower, cut.upper, cut.step)
    length = length_of(item, size, use.facts)
    return None if length is None else 2 * length <= size


def _is_first(cut: Cut) -> bool:
    """`[0]` or `[:1]`."""
    if cut.index is not None:
        return integer(cut.index) == 0
    starts = cut.lower is None or integer(cut.lower) == 0
    return starts and integer(cut.end) == 1 and cut.step is None


def _may_be_whole_batch(axis: int | None, use: Use) -> bool:
    """Whether the first element of the first dimension may be all that it has.

    `logits[0]` drops the batch of one that generation has, and `scale[0]` the axis of a
    single scale. It has more where the scope reads another of its elements, too.
    """
    if axis is None or axis < 0:
        rank = known_rank(use.operand, use.facts)
        if axis is None or rank is None or rank + axis != 0:
            return False
    elif axis > 0:
        return False
    return not _is_read_elsewhere(use)


def _is_read_elsewhere(use: Use) -> bool:
    """Whether the scope takes more than the first element of the first axis."""
    facts = use.facts
    if not isinstance(use.operand, ast.Name):
        return False
    mine = facts.names.of(use.operand)
    for node in facts.nodes(ast.Subscript):
        if not (isinstance(node.value, ast.Name) and facts.names.of(node.value) & mine):
            continue
        index = node.slice
        first = index.elts[0] if isinstance(index, ast.Tuple) else index
        match first:
            case ast.Constant(value=value):
                is_other = type(value) is int and value != 0
            case ast.Slice(lower=lower, upper=upper):
                is_other = lower is not None and upper is not None
            case _:
                is_other = not isinstance(first, ast.Starred)
        if is_other:
            return True
    return False


def kept_of(cut: Cut, facts: Facts) -> str:
    """How much of the dimension is left, as a shape would say it; empty: none of it."""
    if cut.index is not None:
        return ""
    lower, upper = integer(cut.lower), integer(cut.end)
    if cut.step is None and cut.length is not None:
        return _short(cut.length, facts)
    if cut.step is None and cut.upper is None and cut.lower is not None:
        if lower is not None:
            return str(-lower)
        if isinstance(cut.lower, ast.UnaryOp):
            return _short(cut.lower.operand, facts)
    if cut.step is None and cut.upper is not None and cut.lower is None:
        return _short(cut.upper, facts)
    if lower is not None and upper is not None and cut.step is None:
        return str(upper - lower)
    return "K"


def _short(node: ast.expr, facts: Facts) -> str:
    text = facts.text(node)
    return text if text.isidentifier() or text.isdecimal() else "K"


def _counts_from_end(node: ast.expr | None, axis: int | None, facts: Facts) -> bool:
    """Whether a bound is counted from the end: `-k`, `-k - 1`, `x.size(1) - k`."""
    match node:
        case ast.UnaryOp(op=ast.USub()):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op):
            if isinstance(op, ast.Sub) and (
                size_of(left, facts) or _is_length_less(node)
            ):
                return True
            return _counts_from_end(left, axis, facts)
        case ast.Name():
            value = facts.value(node)
            return value is not node and _counts_from_end(value, axis, facts)
        case _:
            return False


_LENGTH_WORDS = words("length len seqlen size width")


def _is_length_less(node: ast.BinOp) -> bool:
    """`length - 1`, by the name."""
    match node.left:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            is_length = name.lower().rpartition("_")[2] in _LENGTH_WORDS
            return is_length and integer(node.right) is not None
        case _:
            return False


def _is_whole_size(node: ast.expr, axis: int | None, facts: Facts) -> bool:
    """Whether a bound is the size of the same dimension, of whatever tensor."""
    found = size_of(node, facts)
    if found is None or found.axis is None or axis is None:
        return False
    if found.axis == axis:
        return True
    rank = found.rank
    return rank is not None and found.axis % rank == axis % rank


def _names_vocabulary(node: ast.expr) -> bool:
    """Whether a bound is the size of the vocabulary: only padding is dropped."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return "vocab" in name.lower() or name == "V" or name.startswith("V_")
        case ast.Call(func=ast.Name(id="len"), args=[argument]):
            return "tokenizer" in ast.unparse(argument).lower()
        case _:
            return False


def has_one_element(axis: int | None, use: Use) -> bool:
    """Whether a dimension evidently has the size one, so that nothing is dropped."""
    return axis is not None and _is_new_axis(use.operand, axis, use, 6)


def _is_new_axis(node: ast.expr, axis: int, use: Use, depth: int) -> bool:
    """Whether an axis was added with the size one, by whatever rank the code allows."""
    facts = use.facts
    if depth == 0:
        return False
    node = _made(node, facts)
    if isinstance(node, ast.Name):
        return _made_with_one_row(node, axis, facts)
    if (rows := _stacked(node, facts)) is not None:
        return _is_new_axis(rows, axis, use, depth - 1)
    shapes = Shapes(facts)
    found: list[bool] = []
    for rank in shapes.ranks(node):
        at = normal(axis, rank)
        if at is None:
            continue
        lines = origin(Line(node, at, rank), shapes.ranks, facts)
        if lines == NEW:
            found.append(True)
        else:
            found.append(
                bool(lines)
                and all(
                    line.node is not node
                    and _is_new_axis(
                        line.node,
                        line.axis if axis >= 0 else line.axis - line.rank,
                        use,
                        depth - 1,
                    )
                    for line in lines or ()
                )
            )
    return bool(found) and all(found)


def _made(node: ast.expr, facts: Facts) -> ast.expr:
    """How a value is made, conversions and moves at the end left out."""
    node = facts.value(node)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        known = ops.method(node.func.attr)
        if known is None or known.role not in (Role.CAST, Role.MOVE):
            break
        node = facts.value(node.func.value)
    return node


def _stacked(node: ast.expr, facts: Facts) -> ast.expr | None:
    """`rows` in `torch.stack([f(row) for row in rows])`: later axes stay in place."""
    if not (isinstance(node, ast.Call) and node.args):
        return None
    if facts.resolve(node.func) != "torch.stack":
        return None
    match facts.value(node.args[0]):
        case ast.ListComp(generators=[ast.comprehension(iter=rows)]):
            return rows
        case _:
            return None


def _made_with_one_row(name: ast.Name, axis: int, facts: Facts) -> bool:
    """Whether a function of this file makes the name with one row."""
    definition = facts.definition(name)
    if definition is None or not isinstance(definition.value, ast.Call) or axis:
        return False
    function = definition.value.func
    if not isinstance(function, ast.Name):
        return False
    for node in facts.tree.module.body:
        if isinstance(node, ast.FunctionDef) and node.name == function.id:
            return all(
                _has_one_row(_part(each.value, definition.index))
                for each in ast.walk(node)
                if isinstance(each, ast.Return)
            )
    return False


def _part(value: ast.expr | None, index: int | None) -> ast.expr | None:
    if index is None or not isinstance(value, ast.Tuple):
        return value
    return value.elts[index] if index < len(value.elts) else None


def _has_one_row(node: ast.expr | None) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *rest]):
            known = ops.method(name)
            axes = None if known is None else known.axes
            if axes is Axes.INSERT:
                return integer(first) == 0
            return axes is Axes.SIZES and bool(rest) and integer(first) == 1
        case _:
            return False


# Pieces


def piece_of(cuts: Sequence[Cut], use: Use) -> Piece | None:
    """The piece that the only cut of a read keeps."""
    if len(cuts) != 1 or cuts[0].axis is None:
        return None
    facts, cut = use.facts, cuts[0]
    size = _stated_size(use.operand, cuts[0].axis, facts)
    if cut.index is not None:
        return _single(cuts[0].axis, cut.index, size, facts)
    lower, end = _spelled(cut.lower, facts), _spelled(cut.end, facts)
    step = _spelled(cut.step, facts)
    if lower is _OPAQUE or end is _OPAQUE or step is _OPAQUE:
        return None
    if cut.length is not None:
        end = _sum(cut.lower, cut.length, facts)
    return Piece(
        cuts[0].axis,
        None if lower == "0" else lower,
        None if size is not None and end == str(size) else end,
        step,
    )


def _single(axis: int, index: ast.expr, size: int | None, facts: Facts) -> Piece | None:
    """The piece of one element. By name it may be the last, so its end is open."""
    number = integer(index)
    if number is None:
        text = _spelled(index, facts)
        return None if text is None or text is _OPAQUE else Piece(axis, text, None)
    if number < 0 and size is not None:
        number += size
    return Piece(
        axis,
        str(number) if number else None,
        None if number in (-1, (size or 0) - 1) else str(number + 1),
    )


def _stated_size(node: ast.expr, axis: int, facts: Facts) -> int | None:
    """The size of a dimension, where a `view` or `reshape` writes it out."""
    call = tensor_call(_made(node, facts), facts)
    if call is None or call.operation.axes is not Axes.SIZES:
        return None
    sizes = call.sizes()
    before = sizes[:axis] if axis >= 0 else sizes[axis % len(sizes) :]
    if len(sizes) < (axis + 1 if axis >= 0 else -axis) or any(
        isinstance(size, ast.Starred) for size in before
    ):
        return None
    size = integer(sizes[axis])
    return None if size is None or size < 0 else size


def _sum(lower: ast.expr | None, length: ast.expr, facts: Facts) -> str:
    start, count = integer(lower), integer(length)
    if start is not None and count is not None:
        return str(start + count)
    if start == 0:
        return _spelled(length, facts) or ""
    return f"{_spelled(lower, facts)} + {_spelled(length, facts)}"


_OPAQUE = "an expression that need not mean the same twice"


def _spelled(node: ast.expr | None, facts: Facts) -> str | None:
    """The text of a bound, such that bounds of equal text are equal.

    A name that is bound more than once is told apart by the bindings in reach.
    """
    if node is None:
        return None
    marks: list[str] = []
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name):
                if len(facts.names.named(name)) > 1:
                    marks.append(f"{name}@{facts.names.numbers(part)}")
            case ast.Call() if is_steady(part, facts):
                pass
            case ast.NamedExpr() | ast.Await() | ast.Call():
                return _OPAQUE
            case _:
                pass
    return " ".join([ast.unparse(node), *marks])
