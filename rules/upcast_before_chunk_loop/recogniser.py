"""UPC005: a loop that reads the copy piece by piece."""

from __future__ import annotations

import ast

from upcast_lint.analysis.indices import Proof
from upcast_lint.analysis.pieces.cuts import basic_cuts, kept_of
from upcast_lint.analysis.pieces.levels import (
    Iteration,
    element_name,
    elements_of,
    iterating,
    levels_of,
)
from upcast_lint.analysis.pieces.partitions import is_part_narrow, partition_of
from upcast_lint.analysis.pieces.rounds import is_read_by_round, judge_rounds
from upcast_lint.analysis.pieces.small_pieces import are_collected, is_small, is_vector
from upcast_lint.analysis.pieces.subscripts import label_of
from upcast_lint.analysis.reads import Form, Gradient, Result, Selection, Use

_EACH_ONCE = Proof("each round of the loop takes another piece")


def recognise(use: Use) -> Selection | None:
    if use.form is Form.ITERATION:
        assert not isinstance(use.node, ast.expr)
        label = f"for {use.facts.text(use.node.target)} in …"
        return _iteration(use.node, label, not is_vector(use), use)
    partition = partition_of(use)
    if partition is not None:
        assert isinstance(use.node, ast.Call)
        loop = iterating(use.node, use.facts)
        if loop is None:
            return None
        is_narrow = is_part_narrow(partition, use) and not is_vector(use)
        return _iteration(loop, use.name, is_narrow, use)
    return _piece(use)


def _iteration(
    loop: Iteration,
    label: str,
    is_narrow: bool,
    use: Use,
) -> Selection | None:
    """One part after another, bound by the loop itself."""
    if any(level.node is not loop for level in levels_of(loop, use)):
        is_narrow = False
    over = use.operand if use.form is Form.ITERATION else use.node
    assert isinstance(over, ast.expr)
    element = element_name(loop.target, loop.iter, over)
    if are_collected(elements_of(loop, element, use.facts), use.facts):
        is_narrow = False
    return Selection(
        node=loop,
        label=label,
        narrow="one part in each round" if is_narrow else None,
        result=Result.ELEMENTS,
        is_view=True,
        element=element,
        disjoint_rounds=_EACH_ONCE,
    )


def _piece(use: Use) -> Selection | None:
    """A slice or an element that moves with the rounds."""
    cuts = basic_cuts(use)
    if not cuts or not is_read_by_round(cuts, use):
        return None
    assert isinstance(use.node, ast.expr)
    rounds = judge_rounds(cuts, use)
    unsure = next((cut.index for cut in cuts if not cut.is_certain), None)
    is_narrow = rounds.is_piecewise and not is_small(cuts, use)
    return Selection(
        node=use.node,
        label=label_of(use.node, use.facts),
        narrow="one piece in each round" if is_narrow else None,
        axis=cuts[0].axis,
        kept=kept_of(cuts[0], use.facts),
        gradient=Gradient.EXACT if unsure is None else Gradient.REPEATS,
        index=unsure,
        is_view=True,
        disjoint_rounds=rounds.disjoint,
    )
