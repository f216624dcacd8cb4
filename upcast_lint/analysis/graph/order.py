"""What may run between two points, what dominates one, and what always follows it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ..facts import Facts
from . import Begin, Entry, Graph, Point

SUSPENSIONS = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
"""What lets other code run in the middle of a function."""

_Region = dict[int, list[range]]
"""Steps, by block."""


def may_run_between(first: Point, middle: Point, last: Point, facts: Facts) -> bool:
    """Whether `middle` may run after `first` and before `last`, on some path.

    The path begins when `first` has run the last time before `last`.
    """
    return Between(first, [last], facts).holds(middle)


def may_follow(first: Point, other: Point, facts: Facts) -> bool:
    """Whether `other` may run after `first`, perhaps in a later round."""
    graph = facts.graph
    for step in facts.steps_of(first):
        block = graph.block_of(step)
        for later in facts.steps_of(other):
            home = graph.block_of(later)
            if (home == block and later > step) or graph.reached[block] >> home & 1:
                return True
    return False


def is_repeated(node: ast.AST, loop: ast.stmt, facts: Facts) -> bool:
    """Whether a loop that runs a node may go on to another round."""
    after = _ahead(node, Begin(loop), facts.steps_of(loop), facts)
    return _holds(after, loop, facts)


def meet(origin: Point, one: Point, other: Point, facts: Facts) -> bool:
    """Whether both may run after the origin, before the origin runs again."""
    return any(
        Between(origin, [b], facts).holds(a) for a, b in ((one, other), (other, one))
    )


def dominates(one: Point, other: Point, facts: Facts) -> bool:
    """Whether every path to `other` passes `one`."""
    return bool(facts.steps_of(one)) and not _holds(
        _ahead(None, one, facts.steps_of(other), facts), other, facts
    )


def always_follows(one: Point, other: Point, facts: Facts) -> bool:
    """Whether every path from `one` to an exit passes `other`."""
    graph = facts.graph
    around = _ahead(one, other, (), facts)
    return bool(facts.steps_of(other)) and not any(
        part.stop == graph.end_of(block)
        for block in graph.exits
        for part in around.get(block, ())
    )


class Between:
    """What may run after `first` and before any of `lasts`, and `first` not again."""

    def __init__(self, first: Point, lasts: Sequence[Point], facts: Facts) -> None:
        self._first = first
        self._lasts = lasts
        self._facts = facts
        self._graph = facts.graph
        self._parents = facts.tree.parents

    def holds(self, point: Point) -> bool:
        first, last = self._reach
        for step in self._graph.steps_of(point, self._parents):
            if first <= step < last and _has(self._region, step, self._graph):
                return True
        return False

    def entries(self) -> Iterator[Entry]:
        """All that may."""
        for parts in self._region.values():
            for part in parts:
                yield from self._graph.steps[part.start : part.stop]

    @cached_property
    def _reach(self) -> tuple[int, int]:
        """All steps are from the first of these on and before the second."""
        parts = [part for parts in self._region.values() for part in parts]
        return (
            min((part.start for part in parts), default=0),
            max((part.stop for part in parts), default=0),
        )

    @cached_property
    def _region(self) -> _Region:
        facts = self._facts
        lasts = {step for last in self._lasts for step in facts.steps_of(last)}
        if not lasts:
            return {}
        ahead = _ahead(self._first, self._first, lasts, facts)
        walls = facts.steps_of(self._first)
        behind = _backwards(self._graph, lasts, walls, ahead)
        facts.tree.work.spend(len(lasts))
        return {
            block: [
                range(max(a.start, b.start), min(a.stop, b.stop))
                for a in ahead[block]
                for b in parts
                if max(a.start, b.start) < min(a.stop, b.stop)
            ]
            for block, parts in behind.items()
            if block in ahead
        }


def _ahead(
    first: Point | None, wall: Point | None, lasts: Iterable[int], facts: Facts
) -> _Region:
    """What may run after a point, or at all, by paths that do not pass another.

    What is behind all of the steps `lasts` may be left out.
    """
    graph = facts.graph
    latest = max(map(graph.block_of, lasts), default=len(graph.firsts))
    key = (first, wall, latest)
    found = facts.floods.get(key)
    if found is None:
        origins = [-1] if first is None else facts.steps_of(first)
        walls = () if wall is None else facts.steps_of(wall)
        found = facts.floods[key] = _flood(graph, origins, walls, latest)
        facts.tree.work.spend(1 + len(found))
    return found


def _holds(region: _Region, point: Point, facts: Facts) -> bool:
    return any(_has(region, step, facts.graph) for step in facts.steps_of(point))


def _has(region: _Region, step: int, graph: Graph) -> bool:
    return any(step in part for part in region.get(graph.block_of(step), ()))


def _flood(
    graph: Graph, origins: Sequence[int], walls: Iterable[int], latest: int
) -> _Region:
    """What may run after some steps, by paths that pass no wall.

    The origin -1 is the entry. What runs only blocks behind the `latest` is left out.
    """
    earliest = graph.earliest
    stops = _by_block(graph, walls)
    found: _Region = {}
    pending: list[int] = []

    def follow(block: int, start: int) -> None:
        end = graph.end_of(block)
        stop = min((w for w in stops.get(block, ()) if w >= start), default=end)
        found.setdefault(block, []).append(range(start, stop))
        if stop == end:
            pending.extend(graph.edges[block])
        pending.extend(graph.rare[block])

    for origin in origins:
        follow(graph.block_of(origin) if origin >= 0 else 0, origin + 1)
    entered = {0} if -1 in origins else set()
    while pending:
        block = pending.pop()
        if block not in entered and earliest[block] <= latest:
            entered.add(block)
            follow(block, graph.firsts[block])
    return found


def _backwards(
    graph: Graph, lasts: Iterable[int], walls: Iterable[int], within: _Region
) -> _Region:
    """What may run before some steps, by paths that pass no wall, in a region."""
    edges, rare = graph.back
    starts = _by_block(graph, walls)
    found: _Region = {}
    pending: list[tuple[int, bool]] = []

    def precede(block: int, stop: int) -> None:
        first = graph.firsts[block]
        start = max((w for w in starts.get(block, ()) if w < stop), default=first - 1)
        found.setdefault(block, []).append(range(start + 1, stop))
        if start < first:
            enter(block)

    def enter(block: int) -> None:
        pending.extend((each, False) for each in edges[block])
        pending.extend((each, True) for each in rare[block])

    for last in lasts:
        precede(graph.block_of(last), last)
    seen: set[tuple[int, bool]] = set()
    while pending:
        block, is_rare = pending.pop()
        if (block, is_rare) in seen or block not in within:
            continue
        seen.add((block, is_rare))
        end = graph.end_of(block)
        if is_rare:  # from anywhere in it, walls or not
            found.setdefault(block, []).append(range(graph.firsts[block], end))
            enter(block)
        else:
            precede(block, end)
    return found


def _by_block(graph: Graph, steps: Iterable[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for step in steps:
        found.setdefault(graph.block_of(step), []).append(step)
    return found
