"""Whether a selection takes no element twice, by its kind of index.

Terms
-----
distinct
    `gather` takes an element twice exactly where a line of its index repeats;
    indexing takes one twice where two of its combined indices are the same.

Unknown is None. Rows under an `arange` (`x[arange(n), labels]`) pair with one label
each where `labels` has one axis: with `[m, n]` labels each row is taken `m` times.

Limits: an `arange` over the rows is taken to be as long as the indices that it is
paired with; one of length one would be expanded to them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..directives import Directives
from ..facts import Facts
from .axes import Line, normal
from .items import plain_items
from .masks import is_mask
from .once import Proof, joint
from .pairs import Pairs
from .permutations import permutation
from .proofs import Prover
from .ranks import known_rank
from .receivers import operation
from .results import gives_several, picked

__all__ = [
    "Proof",
    "distinct_along",
    "distinct_pairs",
    "distinct_rows",
    "is_mask",
    "known_rank",
    "permutation",
]


def distinct_along(
    index: ast.expr,
    dim: int | None,
    facts: Facts,
    directives: Directives,
    *at: ast.AST,
    rank: int | None = None,
    broadcasts: bool = False,
) -> Proof | None:
    """The proof that no line of `index` along `dim` repeats.

    `at` are the nodes (cast, read) of which a directive may speak; the read is the
    last. `rank` is that of the tensor read, if known. `broadcasts`: the tensor read
    may be expanded to the index, as `take_along_dim` does; then one index along the
    dimension is no proof, for an expanded element is taken for each copy.
    """
    prover = Prover(facts, directives=directives, at=at)
    if directives.states_distinct(index, at, facts):
        return prover.stated(index)
    if dim is None or broadcasts:
        return None
    ranks = prover.shapes.ranks(index)
    if rank is not None:
        ranks &= {rank}
    lines = [
        Line(index, axis, each)
        for each in sorted(ranks)
        if (axis := normal(dim, each)) is not None
    ]
    return joint(map(prover.distinct, lines))


def distinct_rows(
    index: ast.expr,
    facts: Facts,
    directives: Directives,
    *at: ast.AST,
    vector: bool = False,
) -> Proof | None:
    """The proof that no two elements of `index` are the same row.

    `vector`: the read takes nothing but a vector of indices that are not negative, as
    `index_select` does.
    """
    prover = Prover(facts, directives=directives, at=at, wraps=not vector)
    if directives.states_distinct(index, at, facts):
        return prover.stated(index)
    if _is_every_coordinate(index, facts):
        return Proof("coordinates of `nonzero`")
    ranks = prover.shapes.ranks(index)
    if ranks == {0}:
        return Proof("one index")
    ranks = ranks & {1} if vector else ranks - {0}
    return joint(prover.injective(index, rank) for rank in sorted(ranks))


def distinct_pairs(
    items: Sequence[ast.expr],
    facts: Facts,
    directives: Directives,
    *at: ast.AST,
) -> Proof | None:
    """The proof that a subscript of several items takes no element twice.

    Each axis of what the index tensors broadcast to must be told apart by one of
    them, such as an `arange` of rows.
    """
    tensors = [item for item in items if not _is_plain(item, facts)]
    if not tensors:
        return Proof("slices and integers")
    for tensor in tensors:
        if directives.states_distinct(tensor, at, facts):
            return Prover(facts, directives=directives, at=at).stated(tensor)
    if len(tensors) == 1 and is_mask(tensors[0], facts) is not True:
        return distinct_rows(tensors[0], facts, directives, *at)
    if _are_every_coordinate(tensors, facts):
        return Proof("coordinates of `nonzero`")
    return Pairs(
        Prover(facts, directives=directives, at=at, wraps=True), tensors
    ).proof()


def _is_plain(item: ast.expr, facts: Facts) -> bool:
    items = plain_items(item, facts)
    return items is not None and not isinstance(item, ast.Tuple)


def _is_every_coordinate(index: ast.expr, facts: Facts) -> bool:
    """Whether an index is the whole tuple that `where` or `nonzero` gives."""
    call = operation(facts.value(index), facts)
    return (
        call is not None and call.name in ("where", "nonzero") and gives_several(call)
    )


def _are_every_coordinate(tensors: list[ast.expr], facts: Facts) -> bool:
    """Whether indices are all the results of one unpacked `where` or `nonzero`."""
    picks = [picked(each, facts) for each in tensors]
    first = picks[0]
    if first is None or first.call.name not in ("where", "nonzero"):
        return False
    return all(
        pick is not None and pick.unpacking is first.unpacking is not None
        for pick in picks
    ) and {pick.position for pick in picks if pick} == set(range(first.count or 0))
