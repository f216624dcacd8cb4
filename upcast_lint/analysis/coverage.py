"""What slices of one copy have in common: nothing, or everything between them."""

from __future__ import annotations

from collections.abc import Sequence

from .facts import Facts
from .flow import Flow, Read
from .graph import Point
from .graph.paths import Paths
from .reads import Piece


def keep_disjoint_parts(a: Read | None, b: Read | None) -> bool:
    """Whether two selections take slices, of one view, that share no element."""
    if a is None or b is None:
        return False
    if a.steps != b.steps:
        return _are_parts_apart(a, b)
    if a.selection is None or b.selection is None:
        return False
    return are_disjoint(a.selection.piece, b.selection.piece)


def _are_parts_apart(a: Read, b: Read) -> bool:
    """Whether two reads go through different parts of one tuple."""
    for one, other in zip(a.steps, b.steps, strict=False):
        if one is not other:
            if one.part is None or other.part is None:
                return False
            return one.part != other.part and (one.part < 0) == (other.part < 0)
    return False


def are_disjoint(a: Piece | None, b: Piece | None) -> bool:
    """Whether two slices of one dimension evidently share no element."""
    if a is None or b is None or a.dimension != b.dimension or a.step or b.step:
        return False
    return _ends_before(a, b) or _ends_before(b, a)


def _ends_before(a: Piece, b: Piece) -> bool:
    if a.upper is None or b.lower is None:
        return False
    if a.upper == b.lower:
        return True
    try:
        upper, lower = int(a.upper), int(b.lower)
    except ValueError:
        return False
    return (upper < 0) == (lower < 0) and upper <= lower


def covers_everything(flow: Flow, facts: Facts) -> bool:
    """Whether selections that keep a part each keep the whole together, on one path."""
    reads = [r for r in flow.selections() if r.selection and r.selection.piece]
    by_dimension: dict[int | None, list[Read]] = {}
    for read in reads:
        by_dimension.setdefault(_dimension(read), []).append(read)
    for first in reads:
        lower, _, step = _bounds(first)
        if lower is not None and step is None:
            continue  # it begins no chain
        others = by_dimension[_dimension(first)]
        facts.tree.work.spend(len(others))
        alike = [read for read in others if read.steps == first.steps]
        for chain in (_chain_from(first, alike), _interleaved(first, alike)):
            if chain and _meet_on_a_path(chain, flow, facts):
                return True
    return False


def _dimension(read: Read) -> int | None:
    piece = read.selection.piece if read.selection else None
    return piece.dimension if piece else None


def _bounds(read: Read) -> tuple[str | None, str | None, str | None]:
    assert read.selection is not None and read.selection.piece is not None
    piece = read.selection.piece
    return piece.lower, piece.upper, piece.step


def _chain_from(first: Read, reads: Sequence[Read]) -> list[Read]:
    """Slices that follow on one another, from an open start to an open end."""
    if _bounds(first)[0] is not None:
        return []
    by_start: dict[str | None, list[Read]] = {}
    for read in reversed(reads):
        by_start.setdefault(_bounds(read)[0], []).append(read)
    chain = [first]
    taken = {first}
    while (upper := _bounds(chain[-1])[1]) is not None:
        following = by_start.get(upper, [])
        while following and following[-1] in taken:
            following.pop()
        if not following:
            return []
        chain.append(following.pop())
        taken.add(chain[-1])
    return chain if len(chain) > 1 else []


def _interleaved(first: Read, reads: Sequence[Read]) -> list[Read]:
    """Slices with one step and different starts, such as `[::2]` and `[1::2]`."""
    lower, _, step = _bounds(first)
    if step is None:
        return []
    others = [r for r in reads if _bounds(r)[2] == step and _bounds(r)[0] != lower]
    return [first, others[0]] if others else []


def _meet_on_a_path(reads: Sequence[Read], flow: Flow, facts: Facts) -> bool:
    demands: dict[Point, int] = {}
    for number, read in enumerate(reads):
        demands[read.node] = demands.get(read.node, 0) | 1 << number
    everything = (1 << len(reads)) - 1
    return everything in Paths(flow.start, demands, facts).from_origin()
