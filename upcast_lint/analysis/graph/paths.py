"""What each path from a cast to the exits of its scope demands of the copy.

A path is summed up by the set of demands met on it, as bits: `NARROW` for a selection,
`FULL` for a read of the whole copy. The question is whether a path exists that meets
NARROW and not FULL.

A path ends where the scope is left, and where it comes back to the cast, which makes
another copy: then it counts if the loop that it comes back by has no other end.

Limits, all on the side of fewer findings: rare edges are not taken, so that a loop runs
at least once and an exception arises before the first or after the last statement of a
`try` body; and a path that ends in an exception is not counted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush

from ..facts import Facts
from . import Begin, Point

NARROW = 1
FULL = 2

Demands = frozenset[int]
"""The sums of demands over several paths."""

_NONE: Demands = frozenset((0,))
_NO_PATH: Demands = frozenset()


class Paths:
    """The paths from `origin` to the exits of its scope.

    `demands` says which points make which demand, as a set of bits.
    """

    def __init__(
        self, origin: Point, demands: Mapping[Point, int], facts: Facts
    ) -> None:
        self.demands = demands
        self._facts = facts
        self._graph = facts.graph
        self._origins = facts.steps_of(origin)
        self._made: dict[int, list[tuple[int, int]]] = {}
        """The steps of each block that make a demand, in order."""
        for point, demand in demands.items():
            for step in facts.steps_of(point):
                block = self._graph.block_of(step)
                self._made.setdefault(block, []).append((step, demand))
        for made in self._made.values():
            made.sort()
        facts.tree.work.spend(len(demands))
        self._found: Demands | None = None

    def from_origin(self) -> Demands:
        """The demands of every path from the origin to an exit of the scope."""
        if self._found is None:
            found = _NO_PATH
            graph = self._graph
            home = {graph.block_of(step) for step in self._origins}
            latest = max([*home, *self._made])
            for block, live in self._walk(self._origins, latest=latest):
                rounds = graph.rounds.get(block)
                if (
                    block in graph.exits
                    or (rounds is not None and not home.isdisjoint(rounds))
                    or (graph.earliest[block] > latest and graph.leaves[block])
                ):
                    found |= live
            self._found = found
        return self._found

    def needs_full_on_every_path(self, statement: ast.stmt) -> bool:
        """Whether each path through an `if` or a `match` reads the whole copy."""
        ways = [live for _, live in self._through(statement)]
        found = _NO_PATH.union(*ways)
        return bool(found) and all(demand & FULL for demand in found)

    def reads_whole_and_goes_on(self, statement: ast.stmt) -> bool:
        """Whether a path reads the whole copy in one of these and goes on behind it."""
        after = self._graph.arms[statement][-1]
        return any(
            demand & FULL
            for target, live in self._through(statement)
            if target == after
            for demand in live
        )

    def _through(self, statement: ast.stmt) -> Iterator[tuple[int | None, Demands]]:
        """Where paths through a statement go, None where they leave the scope."""
        graph = self._graph
        begin = self._facts.steps_of(Begin(statement))[0]
        inside = set(graph.arms[statement][:-1])
        inside.update(range(graph.block_of(begin), graph.arms[statement][0]))
        for block, live in self._walk([begin], inside):
            if block in graph.exits:
                yield None, live
            for target in graph.edges[block]:
                if target not in inside:
                    yield target, live

    def _walk(
        self,
        origins: Iterable[int],
        inside: set[int] | None = None,
        latest: int | None = None,
    ) -> Iterator[tuple[int, Demands]]:
        """Blocks that paths get to the end of, with the demands by then.

        A block comes again where there are more. Blocks that are not `inside` a
        statement are not entered, and none is left that runs only what is behind
        block `latest`.
        """
        graph, work = self._graph, self._facts.tree.work
        starts: dict[int, Demands] = {}
        pending: list[int] = []

        def go_on(block: int, live: Demands) -> None:
            if latest is not None and graph.earliest[block] > latest:
                return
            for target in graph.edges[block]:
                if inside is not None and target not in inside:
                    continue
                before = starts.get(target, _NO_PATH)
                joined = self._joined(before, live)
                if joined != before:
                    starts[target] = joined
                    heappush(pending, target)

        for origin in origins:
            block = graph.block_of(origin)
            live = self._at_end(block, origin + 1, _NONE)
            if live:
                yield block, live
                go_on(block, live)
        while pending:
            block = heappop(pending)
            if pending and pending[0] == block:
                continue
            work.spend(1 + len(starts[block]))
            live = self._at_end(block, graph.firsts[block], starts[block])
            if live:
                yield block, live
                go_on(block, live)

    def _at_end(self, block: int, start: int, live: Demands) -> Demands:
        """The demands at the end of a block; no path where the origin comes before."""
        end = self._graph.end_of(block)
        if any(start <= origin < end for origin in self._origins):
            return _NO_PATH
        for step, demand in self._made.get(block, ()):
            if step >= start:
                live = self.also(live, demand)
        return live

    def also(self, demands: Demands, demand: int) -> Demands:
        """Demands of paths that go on to meet another."""
        return frozenset(each | demand for each in demands)

    def _joined(self, some: Demands, others: Demands) -> Demands:
        return some | others


class Merged(Paths):
    """Paths of which only the union is told, for those with FULL and for the others.

    A demand of a bit for each read then tells, at the cost of one walk, which of them
    stand on some path that never reads the whole.
    """

    def also(self, demands: Demands, demand: int) -> Demands:
        return _sums(super().also(demands, demand))

    def _joined(self, some: Demands, others: Demands) -> Demands:
        return _sums(some | others)


def _sums(demands: Iterable[int]) -> Demands:
    sums: dict[int, int] = {}
    for each in demands:
        sums[each & FULL] = sums.get(each & FULL, 0) | each
    return frozenset(sums.values())
