"""UPC004: slices and integers, narrow, select, diagonal, one part of split or chunk."""

from __future__ import annotations

import ast

from upcast_lint.analysis.ops import Axes
from upcast_lint.analysis.pieces.cuts import basic_cuts, is_narrow, kept_of, piece_of
from upcast_lint.analysis.pieces.partitions import (
    Partition,
    is_part_narrow,
    part_piece,
    partition_of,
    used_parts,
)
from upcast_lint.analysis.pieces.rounds import is_read_by_round, iterating
from upcast_lint.analysis.pieces.subscripts import label_of
from upcast_lint.analysis.reads import Form, Gradient, Result, Selection, Use
from upcast_lint.analysis.values import integer


def recognise(use: Use) -> Selection | None:
    if use.operation is not None and use.operation.axes is Axes.DIAGONAL:
        return _diagonal(use)
    partition = partition_of(use)
    if partition is not None:
        return _part(partition, use)
    return _cut(use)


def _cut(use: Use) -> Selection | None:
    cuts = basic_cuts(use)
    if not cuts or is_read_by_round(cuts, use):
        return None
    assert isinstance(use.node, ast.expr)
    label = label_of(use.node, use.facts)
    narrow = [cut for cut in cuts if is_narrow(cut, use)]
    unsure = next((cut.index for cut in cuts if not cut.is_certain), None)
    chosen = (narrow or cuts)[0]
    return Selection(
        node=use.node,
        label=label,
        narrow=f"the part `{label}`" if narrow else None,
        axis=chosen.axis,
        kept=kept_of(chosen, use.facts),
        gradient=Gradient.EXACT if unsure is None else Gradient.REPEATS,
        index=unsure,
        is_view=True,
        rows=_rows(use),
        piece=piece_of(cuts, use),
    )


def _rows(use: Use) -> ast.expr | None:
    """The only slice, where it acts on dimension 0."""
    match use.node:
        case ast.Subscript(slice=ast.Slice() as rows) if use.form is Form.SUBSCRIPT:
            return rows
        case _:
            return None


def _part(partition: Partition, use: Use) -> Selection | None:
    """One part, taken out by a number right where the tensor is taken apart."""
    assert isinstance(use.node, ast.Call)
    node = use.facts.tree.parents[use.node]
    if not (isinstance(node, ast.Subscript) and node.value is use.node):
        return _several_parts(partition, use.node, use)
    number = integer(node.slice)
    if number is None or not isinstance(node.ctx, ast.Load):
        return None
    label = f"{use.name}(…)[{number}]"
    return Selection(
        node=node,
        label=label,
        narrow=(
            f"the part `{label}`" if is_part_narrow(partition, use, number) else None
        ),
        axis=partition.axis,
        kept="" if partition.operation.axes is Axes.REMOVE else "K",
        is_view=True,
        piece=part_piece(partition, number, use),
    )


def _several_parts(partition: Partition, call: ast.Call, use: Use) -> Selection | None:
    """The parts that are used, of a tuple that is unpacked or kept by name."""
    used, count = used_parts(call, use.facts)
    if used is None or iterating(call, use.facts) is not None:
        return None
    whole = count if count is not None else partition.count
    is_narrow = is_part_narrow(partition, use) and (
        len(used) < whole if whole is not None else len(used) == 1
    )
    return Selection(
        node=call,
        label=use.name,
        narrow=_listed(used) if is_narrow else None,
        axis=partition.axis,
        result=Result.PARTS,
        is_view=True,
    )


def _listed(numbers: set[int]) -> str:
    noun = "part" if len(numbers) == 1 else "parts"
    return f"{noun} {', '.join(map(str, sorted(numbers)))}"


def _diagonal(use: Use) -> Selection | None:
    bound = use.bind()
    if bound is None or not isinstance(use.node, ast.expr):
        return None
    return Selection(node=use.node, label=use.name, narrow="the diagonal", is_view=True)
