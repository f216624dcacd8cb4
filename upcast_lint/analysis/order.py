"""Whether one node may run between two others, judged by text, loops and paths."""

from __future__ import annotations

import ast
import enum
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from .facts import Facts
from .paths import Paths
from .syntax import LOOPS, end_of, start_of

SUSPENSIONS = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
"""What lets other code run in the middle of a function."""


def may_run_between(
    first: ast.AST,
    middle: ast.AST,
    last: ast.AST,
    facts: Facts,
    *,
    before_last: bool = False,
) -> bool:
    """Whether `middle` may run after `first` and before `last`, on some path.

    What stands inside `last` counts as before it, unless `before_last` is asked for.
    """
    return may_run_before_any(first, middle, [last], facts, before_last=before_last)


def may_run_before_any(
    first: ast.AST,
    middle: ast.AST,
    lasts: Sequence[ast.AST],
    facts: Facts,
    *,
    before_last: bool = False,
) -> bool:
    """`may_run_between` for any of several nodes, on one walk of the paths.

    A `with` statement that holds `first` runs when it is left.
    """
    if isinstance(middle, ast.With) and facts.tree.contains(middle, first):
        return not all(facts.tree.contains(middle, last) for last in lasts)
    facts.tree.work.spend(len(lasts))
    behind: dict[ast.AST, int] = {}
    for last in lasts:
        order = _order(first, middle, last, facts, before_last)
        if order is _Order.AGAIN:
            return True
        if order is _Order.BETWEEN:
            behind[last] = 2
    if not behind:
        return False
    demands = {**behind, middle: behind.get(middle, 0) | 1}
    return any(demand == 3 for demand in Paths(first, demands, facts).from_origin())


class Line:
    """Nodes in the order of the text."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.nodes = sorted(nodes, key=start_of)
        self.starts = [start_of(node) for node in self.nodes]
        self.last_ends = list(accumulate(map(end_of, self.nodes), max))
        """Where the last one to end ends, of each node and those before it."""


class Stretch:
    """The text outside of which nothing runs between a node and any of others.

    It tells at little cost, of many nodes, which few to ask `may_run_before_any` of.
    """

    def __init__(
        self,
        first: ast.AST,
        lasts: Sequence[ast.AST],
        facts: Facts,
        *,
        before_last: bool = False,
    ) -> None:
        tree = facts.tree
        self._start = end_of(first)
        ends = [start_of(last) if before_last else end_of(last) for last in lasts]
        self._end = max(ends, default=(0, 0))
        self._is_everything = any(
            isinstance(loop, LOOPS) and not tree.contains(loop, first)
            for last in lasts
            for loop in tree.enclosing_loops(last)
        )

    def holds(self, node: ast.AST) -> bool:
        return self._is_everything or (
            self._start <= end_of(node) and start_of(node) <= self._end
        )

    def of(self, line: Line) -> Sequence[ast.AST]:
        """The nodes that it may hold."""
        if self._is_everything:
            return line.nodes
        low = bisect_left(line.last_ends, self._start)
        return line.nodes[low : bisect_right(line.starts, self._end)]


class _Order(enum.Enum):
    AGAIN = enum.auto()
    """A loop runs the middle again between the first and the last."""
    BETWEEN = enum.auto()
    OUTSIDE = enum.auto()


def _order(
    first: ast.AST,
    middle: ast.AST,
    last: ast.AST,
    facts: Facts,
    before_last: bool,
) -> _Order:
    """How three nodes stand to each other in the text and in its loops."""
    tree = facts.tree
    for loop in tree.enclosing_loops(last):
        if (
            isinstance(loop, LOOPS)
            and tree.contains(loop, middle)
            and not tree.contains(loop, first)
        ):
            return _Order.AGAIN
    bound = start_of(last) if before_last else end_of(last)
    if not (end_of(first) <= end_of(middle) and start_of(middle) <= bound):
        return _Order.OUTSIDE
    if tree.contains(middle, last) and not isinstance(middle, SUSPENSIONS):
        return _Order.OUTSIDE  # an operation that takes the read's result follows it
    if _is_target_of(middle, last, facts):
        return _Order.OUTSIDE
    return _Order.BETWEEN


def _is_target_of(target: ast.AST, value: ast.AST, facts: Facts) -> bool:
    """Whether a store waits for a value of its own statement."""
    statement = facts.tree.statement(target)
    return (
        isinstance(statement, ast.Assign)
        and facts.tree.contains(statement.value, value)
        and not facts.tree.contains(statement.value, target)
    )
