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
from .case import Case
from .hazard import Words, blocker, condition

_SHARING = (Memory.VIEW, Memory.EITHER, Memory.HOLDS, Memory.UNKNOWN)


@condition("`{}` gives the same bits for a dense tensor as for a strided view")
def strided(case: Case) -> Iterator[Words]:
    for _, handed in case.views:
        if handed.sensitive is not None:
            yield (handed.sensitive,)


@blocker("`{}` tells a view of the copy from a cast")
def told_from_view(case: Case) -> Iterator[Words]:
    for each in case.taken:
        for value in each.values:
            name = view_test_of(value, case.facts)
            if name is not None:
                yield (name,)


@condition(
    "nothing writes to `{}` or to what `contiguous` makes of it, which shared no memory"
)
def made_dense(case: Case) -> Iterator[Words]:
    for each, handed in case.views:
        if handed.is_made_dense and (handed.is_kept or handed.written):
            yield (each.selection.label,)


@condition("`{}` writes to nothing it is given")
def passed_to_writer(case: Case) -> Iterator[Words]:
    for value in case.written:
        call = case.facts.tree.parents[value]
        if isinstance(call, ast.Call):
            yield (case.facts.shown(call.func),)


@condition("nothing writes to what the selection gives")
def written_to(case: Case) -> Iterator[Words]:
    for value in case.written:
        if not isinstance(case.facts.tree.parents[value], ast.Call):
            yield ()


@condition("{} writes to nothing that another part of the copy shows")
def shown_by_part(case: Case) -> Iterator[Words]:
    for each, handed in case.views:
        if handed.written is not None and any(
            case.may_meet(each.read, other) for other in case.overlapping(each.read)
        ):
            yield (handed.written,)


@condition("nothing writes to `{}` or to the copy, which shared memory")
def shared_with_copy(case: Case) -> Iterator[Words]:
    for each, handed in case.views:
        if handed.may_be_kept and any(
            _keeps(read, case.facts) and case.may_meet(each.read, read)
            for read in case.flow.full_reads()
        ):
            yield (each.selection.label,)


@condition("nothing writes to `{}` or `{}`, which shared memory")
def shared_by_parts(case: Case) -> Iterator[Words]:
    kept = [each for each, handed in case.views if handed.may_be_kept]
    for a, b in combinations(kept, 2):
        if not keep_disjoint_parts(a.read, b.read) and case.may_meet(a.read, b.read):
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
