"""What the selection shares memory with, and how it lies in it.

A view of the copy is strided, and shares memory with it; what a cast makes of a view of
the source is dense, and a tensor of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from ..analysis.calls import known_call
from ..analysis.coverage import keep_disjoint_parts
from ..analysis.facts import Facts
from ..analysis.flow import Read
from ..analysis.ops import Memory
from ..analysis.shown import view_test_of
from .hazard import Words, blocker, condition
from .situation import Situation

_SHARING = (Memory.VIEW, Memory.EITHER, Memory.HOLDS, Memory.UNKNOWN)


@condition("`{}` gives the same bits for a dense tensor as for a strided view")
def strided(here: Situation) -> Iterator[Words]:
    for _, handed in here.views:
        if handed.sensitive is not None:
            yield (handed.sensitive,)


@blocker("`{}` tells a view of the copy from a cast")
def told_from_view(here: Situation) -> Iterator[Words]:
    for each in here.taken:
        for value in each.values:
            name = view_test_of(value, here.facts)
            if name is not None:
                yield (name,)


@condition("nothing writes to `{}` or to what `{}` makes of it, which shared no memory")
def made_dense(here: Situation) -> Iterator[Words]:
    for each, handed in here.views:
        if handed.packed and (handed.is_kept or handed.written):
            yield each.selection.label, handed.packed


@condition("`{}` writes to nothing it is given")
def passed_to_writer(here: Situation) -> Iterator[Words]:
    for value in here.written:
        call = here.facts.tree.parents[value]
        if isinstance(call, ast.Call):
            yield (here.facts.shown(call.func),)


@condition("nothing writes to what the selection gives")
def written_to(here: Situation) -> Iterator[Words]:
    for value in here.written:
        if not isinstance(here.facts.tree.parents[value], ast.Call):
            yield ()


@condition("{} writes to nothing that another part of the copy shows")
def shown_by_part(here: Situation) -> Iterator[Words]:
    for each, handed in here.views:
        if handed.written is not None and any(
            here.may_meet(each.read, other) for other in here.overlapping(each.read)
        ):
            yield (handed.written,)


@condition("nothing writes to `{}` or to the copy, which shared memory")
def shared_with_copy(here: Situation) -> Iterator[Words]:
    for each, handed in here.views:
        if handed.may_be_kept and any(
            _keeps(read, here.facts) and here.may_meet(each.read, read)
            for read in here.flow.full_reads()
        ):
            yield (each.selection.label,)


@condition("nothing writes to `{}` or `{}`, which shared memory")
def shared_by_parts(here: Situation) -> Iterator[Words]:
    kept = [each for each, handed in here.views if handed.may_be_kept]
    for a, b in combinations(kept, 2):
        if not keep_disjoint_parts(a.read, b.read) and here.may_meet(a.read, b.read):
            yield a.selection.label, b.selection.label


def _keeps(read: Read, facts: Facts) -> bool:
    """Whether a view of the whole copy may outlive a read of it, and be written to."""
    match read.node:
        case ast.BinOp() | ast.Compare():
            return False
        case ast.Call() as call:
            known = known_call(call, facts)
            return known is None or known.operation.memory in _SHARING
        case _:
            return True
