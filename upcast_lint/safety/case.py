"""A plan that is judged, with what several hazards ask about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..analysis.coverage import keep_disjoint_parts
from ..analysis.directives import Directives
from ..analysis.effects import Write, effects_of
from ..analysis.elements import Elements, ElementType
from ..analysis.facts import Facts
from ..analysis.flow import Read
from ..analysis.gradients import no_gradient
from ..analysis.graph import Begin, Point
from ..analysis.graph.order import Between, meet
from ..analysis.handed import Handed, ways_of
from ..analysis.indices import Proof
from ..analysis.reads import Kind, Selection, Step
from ..analysis.scalars.steadiness import changes_between
from ..rewrite.plan import Moved, Plan

_HARMLESS = (Kind.METADATA, Kind.DTYPE, Kind.DELETE)


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A selection that comes before the cast, and the expressions that hold it."""

    moved: Moved
    read: Read
    selection: Selection
    values: list[ast.expr]


class Case:
    def __init__(
        self,
        plan: Plan,
        facts: Facts,
        directives: Directives,
        element_type: ElementType,
        inference: bool,
        in_place: bool,
    ) -> None:
        self.plan = plan
        self.facts = facts
        self.directives = directives
        self.is_float = element_type.elements is Elements.FLOAT
        self.inference = inference
        self.in_place = in_place
        self.flow = plan.flow
        self.cast = plan.flow.cast
        self.effects = effects_of(facts)
        self.taken = [_taken(moved, facts) for moved in plan.moved]
        self.reads = [moved.read for moved in plan.moved]
        self.places = [placement.statement for placement in plan.placements]
        """Where the whole is cast, on the paths that read all of it."""
        self.source = facts.shown(self.cast.source)
        """As it is written."""

    @cached_property
    def lifts(self) -> list[tuple[Read, Step]]:
        """The selections with each step of the arithmetic that they are lifted over."""
        return [(read, step) for read in self.reads for step in read.lifts]

    @cached_property
    def changes(self) -> list[tuple[str, Write]]:
        """What may change, before it is read, of what the selections and casts read."""
        return [] if self.in_place else list(self._changes())

    def _changes(self) -> Iterator[tuple[str, Write]]:
        facts, source = self.facts, self.cast.source
        writes = self.effects.writes_to(source)
        for write in self._before(writes, self.reads, self.places):
            yield self.source, write
        known = {write.node for write in writes}
        for read in self.reads:
            if read.load is not None:
                others = [
                    write
                    for write in self.effects.writes_to(read.load)
                    if write.node not in known
                ]
                for write in self._before(others, [read], ()):
                    yield facts.shown(read.load), write
        for read, step in self.lifts:
            for operand, write in changes_between(
                step.node, step.operand, read.node, facts
            ):
                yield facts.shown(operand), write

    def _before(
        self, writes: Sequence[Write], reads: Sequence[Read], places: Sequence[ast.stmt]
    ) -> list[Write]:
        """The writes that may come before one of the selections or casts."""
        lasts = [
            point for each in self.taken if each.read in reads for point in _ends(each)
        ]
        lasts += map(Begin, places)
        between = Between(self.flow.start, lasts, self.facts)
        return [write for write in writes if between.holds(write.node)]

    @cached_property
    def views(self) -> list[tuple[Taken, Handed]]:
        """The selections that may be views, and where these go."""
        return [
            (each, ways_of(each.values, self.facts))
            for each in self.taken
            if each.selection.is_view or each.selection.may_be_view
        ]

    @cached_property
    def data(self) -> list[Read]:
        """The reads that see the data of the copy."""
        return [read for read in self.flow.reads if read.kind not in _HARMLESS]

    def overlapping(self, read: Read) -> list[Read]:
        """The other reads of data that may see an element that a selection takes."""
        self.facts.tree.work.spend(len(self.data))
        return [
            other
            for other in self.data
            if other is not read and not keep_disjoint_parts(read, other)
        ]

    @cached_property
    def written(self) -> list[ast.expr]:
        """The views that may be written to, where others see the same elements."""
        return [
            value
            for each in self.taken
            if each.selection.is_view and self.overlapping(each.read)
            for value in each.values
            if self.effects.written_through(value) is not None
        ]

    def may_meet(self, a: Read, b: Read) -> bool:
        """Whether one run may make both reads."""
        return a.node is b.node or meet(self.flow.start, a.node, b.node, self.facts)

    @cached_property
    def no_gradient(self) -> Proof | None:
        """The proof that no gradient comes back."""
        read = [*self.reads, *(self.flow.full_reads() if self.places else ())]
        return no_gradient(
            self.cast.call,
            self.cast.source,
            [each.node for each in read],
            self.facts,
            self.directives,
            self.inference,
        )

    @cached_property
    def flowing(self) -> list[Taken]:
        """The selections through which a gradient may come back."""
        return [t for t in self.taken if t.moved.sites and self.no_gradient is None]

    @cached_property
    def flowing_places(self) -> list[ast.stmt]:
        """The casts of the whole through which one may."""
        return self.places if self.no_gradient is None else []


def _taken(moved: Moved, facts: Facts) -> Taken:
    assert moved.read.selection is not None
    return Taken(moved, moved.read, moved.read.selection, values_of(moved, facts))


def _ends(taken: Taken) -> list[Point]:
    """Where a selection takes its elements: a view does until it is cast."""
    points: list[Point] = [taken.read.node]
    for site in taken.moved.sites if taken.selection.is_view else ():
        points += [each for each in (site.node, site.statement) if each is not None]
    return points


def values_of(moved: Moved, facts: Facts) -> list[ast.expr]:
    """The expressions that hold what a selection gives, or the loads of its name."""
    found: list[ast.expr] = []
    for site in moved.sites:
        if site.node is not None:
            found.append(site.node)
            continue
        assert site.statement is not None
        for definition in facts.names.made_by(site.statement):
            if definition.name == site.name:
                found += facts.names.uses(definition)
    return found
