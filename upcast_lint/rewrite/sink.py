"""Where the cast goes for the paths that read the whole copy.

The cast is sunk to the smallest blocks that hold all full reads of their paths, as a
compiler sinks code: into the arms of an `if` that need it, never into a loop, a `try`
or a `with`, and never twice on one path.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ..analysis.facts import Facts
from ..analysis.flow import Carrier, Flow, Read
from ..analysis.graph import Begin, Point
from ..analysis.graph.paths import Paths
from ..analysis.reads import Kind
from ..source import Source
from .refusals import Unfixable


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A cast for the rest of a suite, from `statement` on.

    `loads` are the loads of `name` through which its full reads get the copy.
    """

    statement: ast.stmt
    suite: list[ast.stmt]
    index: int
    name: str
    loads: tuple[ast.Name, ...]
    is_inline: bool
    """The cast is written at its one load, and binds no name."""

    def gives(self, load: ast.Name, facts: Facts) -> bool:
        """Whether a load of the name reads the copy that this cast binds."""
        return not self.is_inline and load.id == self.name and self.covers(load, facts)

    def covers(self, node: ast.AST, facts: Facts) -> bool:
        """Whether `node` runs only after this cast."""
        index = facts.tree.index_in(self.suite, node)
        return index is not None and index >= self.index


def sink_cast(flow: Flow, paths: Paths, facts: Facts) -> list[Placement]:
    """The placements of the cast. Raises Unfixable where one cast a path won't do."""
    full = flow.full_reads()
    if not full:
        return []
    return _Sinker(flow, paths, facts, full).run()


class _Sinker:
    def __init__(
        self, flow: Flow, paths: Paths, facts: Facts, full: list[Read]
    ) -> None:
        self.flow = flow
        self.paths = paths
        self.facts = facts
        self.full = full
        self.placements: list[Placement] = []

    def run(self) -> list[Placement]:
        tree = self.facts.tree
        if isinstance(self.facts.scope, ast.Lambda):
            raise Unfixable("a lambda has no place for a second cast")
        holder = self.flow.guard.holder if self.flow.guard else self.flow.origin
        statement = tree.statement(holder)
        place = tree.place(statement)
        for read in self.full:
            if not self._is_behind(place.suite, place.index + 1, read.operand):
                raise Unfixable("the whole copy is read outside the cast's block")
        self._suite(place.suite, place.index + 1)
        return self.placements

    def _is_behind(self, suite: list[ast.stmt], first: int, node: ast.AST) -> bool:
        """Whether a statement of a suite, from number `first` on, holds a node."""
        index = self.facts.tree.index_in(suite, node)
        return index is not None and index >= first

    def _suite(self, suite: list[ast.stmt], start: int) -> None:
        found = {self.facts.tree.index_in(suite, r.operand) for r in self.full}
        needy = sorted(index for index in found if index is not None)
        needy = [index for index in needy if index >= start]
        while needy:
            first = suite[needy[0]]
            is_last = len(needy) == 1
            if not (self._sinks_into(first) and (is_last or self._leaves(first))):
                self._place(suite, needy[0])
                return
            for arm in _arms(first):
                self._suite(arm, 0)
            del needy[0]

    def _leaves(self, statement: ast.stmt) -> bool:
        """Whether no path reads the whole copy in a statement and goes on behind it."""
        return not self.paths.reads_whole_and_goes_on(statement)

    def _sinks_into(self, statement: ast.stmt) -> bool:
        """Whether the cast should go into the arms of a statement."""
        tree = self.facts.tree
        if not _arms(statement) or not all(
            any(
                tree.contains(each, read.operand)
                for arm in _arms(statement)
                for each in arm
            )
            for read in self.full
            if tree.contains(statement, read.operand)
        ):
            return False
        return is_elif(
            statement, self.facts.source
        ) or not self.paths.needs_full_on_every_path(statement)

    def _place(self, suite: list[ast.stmt], index: int) -> None:
        statement = suite[index]
        if is_elif(statement, self.facts.source):
            raise Unfixable("an `elif` reads the whole copy")
        names: set[str] = set()
        loads: list[ast.Name] = []
        for read in self.full:
            if self._is_behind(suite, index, read.operand):
                load = self._entry(read.load, suite, index)
                names.add(load.id)
                if load not in loads:
                    loads.append(load)
        if len(names) != 1:
            raise Unfixable("the whole copy is read under several names")
        name = names.pop()
        inline = len(loads) == 1 and self._is_only_load(loads[0], suite, index)
        self.placements.append(
            Placement(statement, suite, index, name, tuple(loads), inline)
        )

    def _is_only_load(self, load: ast.Name, suite: list[ast.stmt], index: int) -> bool:
        """Whether the copy is read once, in a simple statement, and first of all."""
        statement = suite[index]
        if not isinstance(
            statement, ast.Assign | ast.AnnAssign | ast.Return | ast.Expr
        ):
            return False
        tree = self.facts.tree
        if tree.enclosing_loops(load) != tree.enclosing_loops(statement):
            return False
        if any(
            other is not load
            and other.id == load.id
            and self._is_behind(suite, index, other)
            for other in self.flow.loads
        ):
            return False
        return not any(
            isinstance(node, ast.Call | ast.Await | ast.Yield | ast.NamedExpr)
            and self.facts.first_step(node) < self.facts.first_step(load)
            for node in ast.walk(statement)
        )

    def _entry(
        self, load: ast.Name | None, suite: list[ast.stmt], index: int
    ) -> ast.Name:
        """The load through which the copy enters the rest of a suite."""
        if load is None:
            raise Unfixable("the whole copy is read where the cast stands")
        carriers: list[Carrier] = [
            self.flow.carriers[d]
            for d in self.facts.names.of(load)
            if d in self.flow.carriers
        ]
        inside = [
            c for c in carriers if self._is_behind(suite, index, c.definition.node)
        ]
        if not inside:
            return load
        if len(inside) != len(carriers):
            raise Unfixable("the whole copy is made in more than one place")
        entries = {self._entry(c.load, suite, index) for c in inside}
        if len(entries) != 1:
            raise Unfixable("the whole copy is made in more than one place")
        return entries.pop()


def _arms(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The suites of a statement of which at most one runs."""
    match statement:
        case ast.If():
            return [statement.body, statement.orelse]
        case ast.Match():
            return [case.body for case in statement.cases]
        case _:
            return []


def is_elif(statement: ast.stmt, source: Source) -> bool:
    """Whether an `if` is spelled as a further arm of the one before it."""
    return isinstance(statement, ast.If) and source.text.startswith(
        "elif", source.node_start(statement)
    )


def casts_twice(flow: Flow, placements: Sequence[Placement], facts: Facts) -> bool:
    """Whether some path from the cast, which made one copy, now makes two."""
    if len(placements) < 2:
        return False
    demands: dict[Point, int] = {}
    for number, placement in enumerate(placements):
        place: Point = Begin(placement.statement)
        if placement.is_inline:
            place = placement.loads[0]
        demands[place] = demands.get(place, 0) | 1 << number
    found = Paths(flow.start, demands, facts).from_origin()
    return any(demand & (demand - 1) for demand in found)


def gains(flow: Flow, placements: Sequence[Placement], facts: Facts) -> bool:
    """Whether some path from the cast now meets a selection and no cast of the whole.

    The statements that carry a placement count as full reads.
    """
    demands: dict[Point, int] = {}
    for read in flow.reads:
        if read.kind is Kind.SELECTION:
            demands[read.node] = 1
    for placement in placements:
        for load in placement.loads:
            demands[load] = demands.get(load, 0) | 2
        demands[Begin(placement.statement)] = 2
    return 1 in Paths(flow.start, demands, facts).from_origin()
