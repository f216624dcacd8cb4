"""The flow graph of a scope: what may run after what. All questions of order ask it.

Terms
-----
step
    What runs at once: an expression that has been evaluated, a name that is bound, a
    statement that is done, the next element of a loop that is asked for. Steps are
    numbered as they are lowered: where a graph has no circle, what runs first has the
    lower number.
block
    Steps that run one after the other, entered at the first and left after the last.
edge
    Leads from the end of a block to the start of one that may run next.
rare edge
    Leads there from anywhere in the block. It is taken where a loop has no round, and
    where something in a `try` raises: always possible, and no reason for a finding.

An example, with its blocks on the right; `╌▶` is the rare edge::

    def f(x, n):
        y = x.float()       0: y = x.float(), while n ──▶ 1, 6
        while n:
            if n > 9:       1: if n > 9 ──▶ 2, 4
                break       2: break ──▶ 8
            n -= 1          4: n -= 1 ──▶ 5
                            5: while n ──▶ 1, 7
                            6: (no round) ╌▶ 7
                            7: (the `else` of the loop) ──▶ 8
        return y[0]         8: return y[0] ──▶ out

Block 3, behind the `break`, is one that control cannot arrive at. The test of a loop
is there twice, for a first round and for the others; and what a `finally` holds, once
for each way in: a node may have several steps.

So `y = …` dominates `y[0]` (no path to it goes around), `n -= 1` may run between the
two, and of `n` two definitions reach block 8: the parameter and `n -= 1`.

What is asked is in modules of their own: `chains` has reaching definitions, `order` has
what may run between, what dominates and what always follows, `paths` has what each path
demands. `lowering` makes the graph of statements, `expressions` of what is in them;
`ends` knows which ends a statement has.

Limits: conditions are not correlated; only what stands in a `try` or in a `with` is
taken to raise; what a generator does is placed where the generator is made.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..names import Definition
from ..parents import Parents
from ..syntax import FUNCTIONS, ScopeNode
from ..work import Work

_BITS_IN_A_STEP = 512
"""Blocks of a set that are copied at the cost of a step."""


@dataclass(frozen=True, slots=True)
class Begin:
    """The point just before anything of a node runs."""

    node: ast.AST


Point = ast.AST | Definition | Begin
"""A node stands for the moment when it is done."""

Entry = ast.AST | Definition | None
"""A step. None is the beginning of a statement."""


@dataclass(slots=True, eq=False)
class Graph:
    """The blocks of one scope, by number; block 0 is the entry."""

    scope: ScopeNode
    steps: list[Entry] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    """The first step of each block, which ends where the next begins."""
    edges: list[list[int]] = field(default_factory=list)
    rare: list[list[int]] = field(default_factory=list)
    is_live: list[bool] = field(default_factory=list)
    """Whether control may arrive at a block."""
    exits: set[int] = field(default_factory=set)
    """The blocks behind which the scope is left, exceptions aside."""
    rounds: dict[int, range] = field(default_factory=dict)
    """The last blocks of a round of `while True`, with the blocks of the loop."""
    begins: dict[ast.stmt, list[int]] = field(default_factory=dict)
    """The steps at which each statement begins."""
    arms: dict[ast.stmt, range] = field(default_factory=dict)
    """The blocks in an `if` or a `match`, and last the one that follows it."""
    _steps_of: dict[Point, Sequence[int]] = field(default_factory=dict)
    _reached: list[int] | None = None
    _earliest: list[int] | None = None
    _leaves: list[bool] | None = None
    _back: tuple[list[list[int]], list[list[int]]] | None = None

    def block_of(self, step: int) -> int:
        return bisect_right(self.firsts, step) - 1

    def end_of(self, block: int) -> int:
        """The step behind the last of a block."""
        following = block + 1
        return (
            self.firsts[following] if following < len(self.firsts) else len(self.steps)
        )

    def steps_of(self, point: Point, parents: Parents) -> Sequence[int]:
        """The steps of a point; none if it runs in another scope.

        What has no step of its own, such as a constant, runs with what it is part of.
        """
        if point in self._steps_of:
            return self._steps_of[point]
        known = self._steps_of
        if not known:
            known.update(_places(self.steps))
            known.setdefault(self.scope, ())
            return self.steps_of(point, parents)
        found: Sequence[int]
        match point:
            case Begin(node):
                found = self._begin(node, parents)
            case Definition(node=node):
                found = []
            case ast.stmt() if point in self.begins:
                found = self.begins[point]
            case _:
                found = self._of_what_holds(point, parents)
        known[point] = found
        return found

    def _of_what_holds(self, node: ast.AST, parents: Parents) -> Sequence[int]:
        holder = parents.get(node)
        if holder is None or isinstance(holder, (*FUNCTIONS, ast.ClassDef)):
            return ()
        return self.steps_of(holder, parents)

    def _begin(self, node: ast.AST, parents: Parents) -> Sequence[int]:
        if isinstance(node, ast.stmt):
            return self.begins.get(node, ())
        inside = {step for n in ast.walk(node) for step in self._steps_of.get(n, ())}
        found, done = [], -1
        for step in self.steps_of(node, parents):  # one for each copy of it
            found.append(min((s for s in inside if done < s <= step), default=step))
            done = step
        return found

    @property
    def reached(self) -> list[int]:
        """The blocks that may be run after each block, as bits."""
        if self._reached is None:
            count = len(self.firsts)
            Work().spend(count * (1 + count // _BITS_IN_A_STEP))
            found = [0] * count
            is_settled = False
            while not is_settled:  # a round for each depth of loops
                is_settled = True
                for block in reversed(range(count)):
                    after = found[block]
                    for each in (*self.edges[block], *self.rare[block]):
                        after |= found[each] | 1 << each
                    if after != found[block]:
                        found[block] = after
                        is_settled = False
            self._reached = found
        return self._reached

    @property
    def earliest(self) -> list[int]:
        """The least block that is run from each block on.

        What stands before all of these is behind a path: it has no more to meet there.
        """
        if self._earliest is None:
            self._earliest = [
                min(block, (after & -after).bit_length() - 1) if after else block
                for block, after in enumerate(self.reached)
            ]
        return self._earliest

    @property
    def leaves(self) -> list[bool]:
        """Whether an exit may follow each block, by edges that are not rare."""
        if self._leaves is None:
            found = [False] * len(self.firsts)
            pending = list(self.exits)
            while pending:
                block = pending.pop()
                if not found[block]:
                    found[block] = True
                    pending += self.back[0][block]
            self._leaves = found
        return self._leaves

    @property
    def back(self) -> tuple[list[list[int]], list[list[int]]]:
        """From where edges, and from where rare edges, lead to each block."""
        if self._back is None:
            self._back = (_turned(self.edges), _turned(self.rare))
        return self._back


def _places(steps: Iterable[Entry]) -> dict[Point, list[int]]:
    """The numbers of the steps of each node and definition."""
    found: dict[Point, list[int]] = {}
    for step, entry in enumerate(steps):
        if entry is not None:
            found.setdefault(entry, []).append(step)
    return found


def _turned(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in edges]
    for block, following in enumerate(edges):
        for each in following:
            found[each].append(block)
    return found
