"""Whether a selection takes whole rows of what a row-wise operation gives.

Terms
-----
row
    The elements along the dimension that a row-wise operation works along, such as
    the last one of `log_softmax(x, -1)`, all other coordinates fixed.
whole rows
    What a selection takes that leaves this dimension alone: then the operation gives
    each of them the same, whether or not the others are there.

`x[:, -1]` of logits `[B, S, V]` takes whole rows, of logits `[B, V]` a column. So all
is asked of each possible rank, and of each that a mask may have.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from . import ops
from .facts import Facts
from .indices import is_mask
from .indices.axes import ANY_RANK, normal
from .indices.ranks import Shapes
from .pieces.subscripts import ADVANCED, Item, ItemKind, subscript_items
from .reads import Result, RowWise, Selection, Step
from .values import integer, is_ellipsis

_MOST_AXES = 6
"""Up to so many axes are gone through, of what may have any."""


class Rows(enum.Enum):
    WHOLE = enum.auto()
    LIKELY = enum.auto()
    """Whole rows for some ranks, and these are the usual ones."""
    CUT = enum.auto()
    """Parts of rows, or what is not known."""


def rows_of(selection: Selection, operand: ast.expr, step: Step, facts: Facts) -> Rows:
    """What a selection from `operand` takes of the rows of a row-wise step before."""
    assert step.row is not None
    node = selection.node
    if isinstance(node, ast.Subscript) and node.value is operand:
        return rows_cut(node, step, facts)
    if (
        isinstance(node, ast.Call)
        and selection.result is Result.VALUES
        and _acts_on_one_axis(selection.label)
        and selection.axis is not None
        and not step.row.reduces
        and step.row.dim < 0
    ):
        ranks = Shapes(facts).ranks(step.operand) - {0}
        axes = {(normal(selection.axis, r), normal(step.row.dim, r)) for r in ranks}
        kept = {a < b for a, b in axes if a is not None and b is not None}
        return _judged(kept, selection.axis == 0)
    return Rows.CUT


def _acts_on_one_axis(name: str) -> bool:
    """Whether a method takes, along one axis, the same of each line."""
    operation = ops.tensor(name)
    return operation is not None and (
        operation.role is ops.Role.PART
        or (operation.role is ops.Role.PICK and operation.axes is ops.Axes.ALONG)
    )


def rows_cut(subscript: ast.Subscript, step: Step, facts: Facts) -> Rows:
    """What a subscript takes of the rows of the row-wise step before it."""
    items = subscript_items(subscript, facts)
    row = step.row
    if items is None or row is None or _is_one_number(subscript, facts):
        return Rows.CUT
    shapes = Shapes(facts)
    ranks = shapes.ranks(step.operand)
    known = ranks != ANY_RANK
    found: set[bool] = set()
    for rank in sorted(ranks)[: None if known else _MOST_AXES]:
        for widths in product(*(_widths(item, shapes, facts) for item in items)):
            taken = _Taken(items, widths, row, rank)
            if taken.is_possible():
                found.add(taken.leaves_rows(shapes))
    return _judged(found, all(_is_usual(item, known) for item in items))


def _is_one_number(node: ast.expr, facts: Facts) -> bool:
    """Whether it is made a number of Python at once: no row of several is."""
    match facts.tree.parents[node]:
        case ast.Attribute(attr=name):
            known = ops.method(name)
            return known is not None and known.gives_number
        case _:
            return False


def _judged(found: set[bool], is_usual: bool) -> Rows:
    """What the answers for all ranks come to."""
    if found == {True}:
        return Rows.WHOLE
    return Rows.LIKELY if True in found and is_usual else Rows.CUT


def _widths(item: Item, shapes: Shapes, facts: Facts) -> Sequence[int]:
    """How many axes an item may act on."""
    if item.kind is ItemKind.NEW or is_ellipsis(item.node):
        return (0,)
    if item.kind not in ADVANCED or is_mask(item.node, facts) is False:
        return (1,)
    if isinstance(item.node, ast.List | ast.ListComp):
        return (1,)
    ranks = shapes.ranks(item.node)
    if ranks == ANY_RANK:
        ranks = frozenset(range(_MOST_AXES))
    masks = {rank for rank in ranks if rank}
    return tuple(sorted(masks if item.kind is ItemKind.MASK else masks | {1}))


def _is_usual(item: Item, is_rank_known: bool) -> bool:
    """Whether an item is one that people take rows by, where ranks leave it open.

    The last position, the last few, and what names some along the first dimension;
    `[:, 1]` and `[rows, labels]` as often are columns. Where the rank is known, only
    whether a tensor is a mask is open.
    """
    match item.node:
        case ast.Slice(lower=None, upper=None, step=None):
            return True
        case ast.Slice(lower=ast.UnaryOp(op=ast.USub()), upper=None, step=None):
            return True
        case _ if integer(item.node) is not None:
            return integer(item.node) == -1
        case _:
            return item.axis == 0 or is_rank_known


@dataclass(slots=True)
class _Taken:
    """A subscript of a row-wise result, for one rank and one width of each item."""

    items: Sequence[Item]
    widths: Sequence[int]
    row: RowWise
    rank: int
    """Of the operand of the operation."""

    @property
    def _visible(self) -> int:
        return self.rank - self.row.reduces

    def is_possible(self) -> bool:
        """Whether torch accepts it."""
        along = normal(self.row.dim, self.rank)
        return along is not None and sum(self.widths) <= self._visible

    def leaves_rows(self, shapes: Shapes) -> bool:
        along = normal(self.row.dim, self.rank)
        assert along is not None
        if self.row.reduces and (along != self.rank - 1 or self._has_ellipsis()):
            return False
        if self.row.dim >= 0 and not all(
            self._keeps_axes(item, width, shapes)
            for item, width in zip(self.items, self.widths, strict=True)
        ):
            return False
        return all(
            first + width <= along
            for item, first, width in self._placed()
            if item.kind is not ItemKind.WHOLE
        )

    def _has_ellipsis(self) -> bool:
        return any(is_ellipsis(item.node) for item in self.items)

    def _placed(self) -> Iterator[tuple[Item, int, int]]:
        """The items, each with its first axis and how many it acts on."""
        axis = 0
        for item, width in zip(self.items, self.widths, strict=True):
            if is_ellipsis(item.node):
                axis += self._visible - sum(self.widths)
            yield item, axis, width
            axis += width

    @staticmethod
    def _keeps_axes(item: Item, width: int, shapes: Shapes) -> bool:
        """Whether an item leaves the axes behind it where they are."""
        if item.kind in (ItemKind.WHOLE, ItemKind.SLICE):
            return True
        if item.kind not in ADVANCED or width != 1:
            return False
        if isinstance(item.node, ast.List | ast.ListComp):
            return True
        return shapes.ranks(item.node) == {1}
