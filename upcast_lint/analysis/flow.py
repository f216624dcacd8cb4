"""Where a copy goes: the names that carry it and the reads it meets.

Terms
-----
carrier
    A definition whose value is the copy, or a view or lift of it.
flow
    A cast with all of its carriers and reads, in one scope.

A load of a name belongs to the flow where every definition that reaches it is a
carrier. Where other definitions reach it too, the value is not known to be the copy,
and the load counts as a full read; with one exception: in `if c: x = x.float()` the
others are those of the source, and the load holds the copy or the source itself. A
flow with such loads is *partial*.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_

from . import ops
from .casts import Cast, is_guard_for
from .consumers import Consumers, Recogniser
from .directives import Directives
from .facts import Facts
from .graph import Point
from .graph.paths import FULL, NARROW, Merged, Paths
from .names import Binding, Definition
from .ops import Role
from .reads import Consumption, Kind, Selection, Step, StepKind, Waste
from .rows import Rows, rows_cut, rows_of
from .tensor_calls import builtin_called, tensor_call
from .values import integer


@dataclass(frozen=True, slots=True, eq=False)
class Carrier:
    """`steps` lead from the cast to the value; `own` are those of its statement."""

    definition: Definition
    node: ast.expr
    """The expression that is bound."""
    steps: tuple[Step, ...]
    own: tuple[Step, ...]
    load: ast.Name | None
    """The load of another carrier that the value is made from; None at the cast."""


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    kind: Kind
    node: ast.AST
    """The consumer."""
    operand: ast.expr
    steps: tuple[Step, ...]
    """From the cast to the operand, through every carrier."""
    own: tuple[Step, ...]
    """Those since the load (or the cast) in the same expression."""
    load: ast.Name | None
    """The load of a carrier that begins the expression; None at the cast."""
    reason: str = ""
    selection: Selection | None = None
    code: str = ""
    waste: Waste | None = None

    @property
    def lifts(self) -> tuple[Step, ...]:
        return tuple(s for s in self.steps if s.kind is StepKind.LIFT)


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition under which alone the cast runs.

    `holder` is the `if` statement, or the conditional expression `x.float() if … else
    x`. Where `is_redundant`, the cast does nothing if the test is false.
    """

    test: ast.expr
    holder: ast.If | ast.IfExp
    is_redundant: bool


@dataclass(slots=True)
class Flow:
    cast: Cast
    origin: ast.expr
    """The cast, or the conditional expression that guards it; where an operation casts
    inside, what it is given."""
    guard: Guard | None = None
    carriers: dict[Definition, Carrier] = field(default_factory=dict)
    reads: list[Read] = field(default_factory=list)
    loads: set[ast.Name] = field(default_factory=set)
    """The names, where they are read, that give the copy."""
    is_partial: bool = False
    is_guarded: bool = True
    """Where it is partial: every load holds what the guard alone decides."""
    is_mixed: bool = False
    """Some load gets the copy with arithmetic on one path and without on another."""
    scalings: list[Step] = field(default_factory=list)
    """Arithmetic with numbers that is written to the copy, which shares no memory."""
    is_loop_carried: bool = False
    """A later round of a loop around the cast reads this round's copy."""

    @property
    def start(self) -> ast.AST:
        """Where a round of a loop begins anew: at the guard, or else at the cast."""
        if self.guard is not None and isinstance(self.guard.holder, ast.If):
            return self.guard.holder
        return self.origin

    def selections(self) -> list[Read]:
        return [r for r in self.reads if r.kind is Kind.SELECTION]

    def full_reads(self) -> list[Read]:
        return [r for r in self.reads if r.kind is Kind.FULL]

    def of_kind(self, kind: Kind) -> list[Read]:
        return [r for r in self.reads if r.kind is kind]


def paths_of(flow: Flow, facts: Facts) -> Paths:
    """The paths of a flow, with the demands NARROW and FULL."""
    demands: dict[Point, int] = {}
    for read in flow.reads:
        if read.kind is Kind.SELECTION:
            demands[read.node] = demands.get(read.node, 0) | NARROW
        elif read.kind in (Kind.FULL, Kind.WRITE):
            demands[read.node] = demands.get(read.node, 0) | FULL
    return Paths(flow.start, demands, facts)


def narrow_reads(flow: Flow, paths: Paths, facts: Facts) -> list[Read]:
    """The selections on paths that do not read the whole copy."""
    selections = flow.selections()
    if not flow.full_reads():
        return selections
    demands = dict(paths.demands)
    for number, read in enumerate(selections, 2):
        demands[read.node] |= 1 << number
    met = Merged(flow.start, demands, facts).from_origin()
    narrow = reduce(or_, (each for each in met if not each & FULL), 0)
    return [r for n, r in enumerate(selections, 2) if narrow >> n & 1] or selections


def read_whole(read: Read, facts: Facts) -> Step | None:
    """The first step before a read that takes more of it than the step commutes with.

    More than whole rows of what a row-wise operation gives, or of what is expanded
    anything but picks along the last axis.
    """
    first = next((step for step in read.steps if step.row or step.repeats), None)
    if first is None or read.kind is Kind.DELETE:
        return None
    if read.kind is Kind.METADATA:
        return first if first.row is not None and first.row.reduces else None
    selection = read.selection
    if read.kind is not Kind.SELECTION or selection is None:
        return first
    if any(step.repeats for step in read.steps):
        is_pick = _picks_along_last_axis(selection, facts)
        return None if is_pick and not any(step.row for step in read.steps) else first
    rows: list[Step] = []
    for step in read.steps:
        if step.row is not None:
            rows.append(step)
        elif rows and step.kind is StepKind.VIEW:
            node = step.node
            if not isinstance(node, ast.Subscript) or any(
                rows_cut(node, row, facts) is Rows.CUT for row in rows
            ):
                return first
    is_cut = any(
        rows_of(selection, read.operand, row, facts) is Rows.CUT for row in rows
    )
    return first if is_cut else None


def _picks_along_last_axis(selection: Selection, facts: Facts) -> bool:
    """Whether it is a `gather`, which names elements for each position."""
    node = selection.node
    call = tensor_call(node, facts) if isinstance(node, ast.Call) else None
    return (
        call is not None
        and call.operation.axes is ops.Axes.INDEX
        and selection.axis == -1
    )


def wasteful_reads(flow: Flow, facts: Facts) -> list[Read]:
    """The reads that waste what they make, if some path reads nothing else whole."""
    found = [read for read in flow.reads if read.waste is not None]
    if not found:
        return []
    demands: dict[Point, int] = {read.node: NARROW for read in found}
    for read in flow.reads:
        if read.kind in (Kind.FULL, Kind.WRITE) and read.waste is None:
            demands[read.node] = demands.get(read.node, 0) | FULL
    return found if NARROW in Paths(flow.start, demands, facts).from_origin() else []


def follow(
    cast: Cast, facts: Facts, directives: Directives, recognise: Recogniser
) -> Flow:
    """The flow of a cast, with each read judged by `recognise`."""
    follower = _Follower(cast, facts, directives, recognise)
    return follower.run()


class _Follower:
    def __init__(
        self,
        cast: Cast,
        facts: Facts,
        directives: Directives,
        recognise: Recogniser,
    ) -> None:
        self.cast = cast
        self.facts = facts
        self.names = facts.names
        self.consumers = Consumers(cast, facts, directives, recognise)
        self.whole: set[ast.expr] = set()
        """The row-wise operations of which not only whole rows are read."""
        self.source_definitions = (
            self.names.of(cast.source)
            if isinstance(cast.source, ast.Name)
            else frozenset()
        )

    def run(self) -> Flow:
        """Collect carriers as if no load were mixed, then drop what rests on one.

        Row-wise operations are taken to be followed by what takes whole rows; those
        that are not read the copy whole.
        """
        accepted: set[Definition] | None = None
        while True:
            flow = self._pass(accepted)
            whole = {
                step.node
                for read in flow.reads
                if (step := read_whole(read, self.facts)) is not None
            }
            if whole:
                self.whole |= whole
                accepted = None
                continue
            found = set(flow.carriers)
            if found == accepted:
                return flow
            accepted = found

    def _pass(self, accepted: set[Definition] | None) -> Flow:
        origin, guard = self._origin()
        flow = Flow(self.cast, origin, guard)
        self.flow = flow
        self.accepted = accepted
        self.pending: list[tuple[ast.Name, Carrier]] = []
        self.seen: dict[ast.Name, Carrier] = {}
        self._value(origin, (), (), None)
        while self.pending:
            load, carrier = self.pending.pop(0)
            self._load(load, carrier)
        first = self.facts.first_step
        flow.reads.sort(key=lambda r: (first(r.operand), first(r.node)))
        return flow

    def _origin(self) -> tuple[ast.expr, Guard | None]:
        call = self.cast.call
        parent = self.facts.tree.parents[call]
        if self.cast.is_inside:
            return self.cast.source, None  # as if it were cast there
        if isinstance(parent, ast.IfExp) and parent.test is not call:
            other = parent.orelse if parent.body is call else parent.body
            if ast.dump(other) == ast.dump(self.cast.source):
                redundant = parent.body is call and is_guard_for(
                    parent.test, self.cast, self.facts
                )
                return parent, Guard(parent.test, parent, redundant)
        return call, self._statement_guard()

    def _statement_guard(self) -> Guard | None:
        statement = self.facts.tree.statement(self.cast.call)
        owner = self.facts.tree.parents.get(statement)
        if (
            isinstance(owner, ast.If)
            and owner.body == [statement]
            and not owner.orelse
            and isinstance(statement, ast.Assign | ast.AnnAssign)
            and statement.value is self.cast.call
        ):
            return Guard(
                owner.test, owner, is_guard_for(owner.test, self.cast, self.facts)
            )
        return None

    def _value(
        self,
        node: ast.expr,
        steps: tuple[Step, ...],
        own: tuple[Step, ...],
        load: ast.Name | None,
    ) -> None:
        """Follow the value of `node` to whatever takes it."""
        definitions = [
            each for each in self.names.giving(node) if each.binding is Binding.ASSIGNED
        ]
        for definition in definitions:
            self._carry(definition, node, steps, own, load)
        parent = self.facts.tree.parents[node]
        match parent:
            case ast.NamedExpr():
                self._value(parent, steps, own, load)
                return
            case ast.Assign() if definitions and len(definitions) == len(
                parent.targets
            ):
                return
            case ast.AnnAssign() if definitions:
                return
            case ast.Tuple() | ast.List() if definitions and self._only_unpacked(
                parent, definitions
            ):
                return
            case _ if steps and steps[-1].gives_parts:
                self._parts(node, steps, own, load)
                return
            case ast.AugAssign() | ast.Attribute() if self._is_own(steps):
                step = self.consumers.in_place(node)
                if step is not None:
                    self._scaled(node, step, steps, own, load)
                    return
        consumption = self.consumers.of(node)
        step = consumption.step
        if any(s.leaves_torch for s in steps) and not _is_plain(consumption):
            self._full(node, "read outside torch", load)
            return
        if step is not None and step.node in self.whole:
            name = "expand" if step.row is None else step.row.name
            reason = f"read whole by `{name}`"
            self._read(Read(Kind.FULL, step.node, node, steps, own, load, reason))
            return
        if step is not None:
            if step.is_sign and _lifts(steps):
                step = replace(step, kind=StepKind.LIFT)
            self._value(step.node, (*steps, step), (*own, step), load)
            return
        assert consumption.kind is not None and consumption.node is not None
        is_asked = consumption.kind in (Kind.METADATA, Kind.DTYPE)
        if is_asked and _lifts(own) and isinstance(consumption.node, ast.expr):
            self._full(node, "made for its shape or type alone", load)
            return
        holder = self.facts.tree.parents.get(consumption.node)
        if (
            isinstance(consumption.node, ast.comprehension)
            and isinstance(holder, ast.GeneratorExp)
            and not _is_consumed(holder, self.facts)
        ):
            self._full(node, _RUNS_LATER, load)
            return
        self._read(
            Read(
                consumption.kind,
                consumption.node,
                node,
                steps,
                own,
                load,
                consumption.reason,
                consumption.selection,
                consumption.code,
            )
        )

    def _is_own(self, steps: tuple[Step, ...]) -> bool:
        """Whether a tensor is made here, whatever type the source has."""
        match self.cast.source:
            case ast.Call(func=ast.Attribute(attr=name)):
                made = ops.method(name)
                if made is not None and made.role is Role.COPY:
                    return True
            case _:
                pass
        return self.cast.copies or any(
            step.kind is StepKind.LIFT and not step.is_transfer for step in steps
        )

    def _scaled(
        self,
        node: ast.expr,
        step: Step,
        steps: tuple[Step, ...],
        own: tuple[Step, ...],
        load: ast.Name | None,
    ) -> None:
        """Follow a tensor to which arithmetic is written."""
        parents = self.facts.tree.parents
        statement = parents[node]
        if not isinstance(statement, ast.AugAssign):
            if isinstance(node, ast.Name):
                self.flow.scalings.append(step)
                if isinstance(parents[step.node], ast.Expr):
                    return
            self._value(step.node, (*steps, step), (*own, step), load)
            return
        self.flow.scalings.append(step)
        for definition in self.names.made_by(statement):
            self._carry(definition, node, (*steps, step), (*own, step), load)

    def _parts(
        self,
        node: ast.expr,
        steps: tuple[Step, ...],
        own: tuple[Step, ...],
        load: ast.Name | None,
    ) -> None:
        """Follow the parts of a tuple that are unpacked, or taken out by number."""
        parent = self.facts.tree.parents[node]
        match parent:
            case ast.Assign(targets=[ast.Tuple(elts=targets)]) if all(
                isinstance(target, ast.Name) for target in targets
            ):
                for definition in self.names.giving(node):
                    step = Step(StepKind.VIEW, node, node, part=definition.index)
                    self._carry(definition, node, (*steps, step), (*own, step), load)
            case ast.Subscript(value=value, slice=index) if (
                value is node and (number := integer(index)) is not None
            ):
                step = Step(StepKind.VIEW, parent, node, part=number)
                self._value(parent, (*steps, step), (*own, step), load)
            case _:
                self._full(node, "put apart", load)

    def _only_unpacked(
        self, display: ast.Tuple | ast.List, definitions: list[Definition]
    ) -> bool:
        """Whether a display is only unpacked, one name for this element each time."""
        statement = self.facts.tree.parents[display]
        return (
            isinstance(statement, ast.Assign)
            and statement.value is display
            and len(definitions) == len(statement.targets)
        )

    def _read(self, read: Read) -> None:
        code, waste = self.consumers.wastes.get(read.node, ("", None))
        if waste is not None and read.kind is Kind.FULL:
            read = replace(read, code=code, waste=waste)
        self.flow.reads.append(read)

    def _full(self, load: ast.expr, reason: str, name: ast.Name | None) -> None:
        self._read(Read(Kind.FULL, load, load, (), (), name, reason))

    def _carry(
        self,
        definition: Definition,
        node: ast.expr,
        steps: tuple[Step, ...],
        own: tuple[Step, ...],
        load: ast.Name | None,
    ) -> None:
        if definition in self.flow.carriers:
            return
        carrier = Carrier(definition, node, steps, own, load)
        if definition.name in self.names.captured:
            self._full(node, "captured by a nested function", load)
            return
        self.flow.carriers[definition] = carrier
        for use in self.names.uses(definition):
            self.pending.append((use, carrier))

    def _load(self, load: ast.Name, carrier: Carrier) -> None:
        before = self.seen.get(load)
        if before is not None:
            if _lifts(before.steps) != _lifts(carrier.steps):
                self.flow.is_mixed = True
            return
        self.seen[load] = carrier
        if self.accepted is not None:
            others = self.names.of(load) - self.accepted
            if others and not self._is_source(load, others):
                self._full(load, "not on every path the copy", load)
                return
            if others:
                self.flow.is_partial = True
                self.flow.is_guarded &= self._is_guarded(load)
        if self._runs_later(load):
            self._full(load, _RUNS_LATER, load)
            return
        if self._precedes_cast_in_loop(load):
            self.flow.is_loop_carried = True
            return
        self.flow.loads.add(load)
        self._value(load, carrier.steps, (), load)

    def _is_source(self, load: ast.Name, others: frozenset[Definition]) -> bool:
        source = self.cast.source
        return (
            isinstance(source, ast.Name)
            and source.id == load.id
            and others <= self.source_definitions
        )

    def _is_guarded(self, load: ast.Name) -> bool:
        """Whether every path to a load passes the guard, and then reads at once.

        The guard's `if` stands before the load in a suite that holds both, and the
        load gets what the cast gives, or the source: nothing made from either.
        """
        guard, tree = self.flow.guard, self.facts.tree
        if guard is None or not isinstance(guard.holder, ast.If):
            return False
        place = tree.place(guard.holder)
        index = tree.index_in(place.suite, load)
        return (index is not None and index > place.index) and not any(
            definition in self.flow.carriers and self.flow.carriers[definition].steps
            for definition in self.names.of(load)
        )

    def _runs_later(self, load: ast.Name) -> bool:
        """Whether a load stands in a generator that is not consumed on the spot.

        What the first `for` iterates over is evaluated at once, and its parts are read
        later all the same.
        """
        return any(
            isinstance(holder, ast.GeneratorExp)
            and not _is_consumed(holder, self.facts)
            for holder in self.facts.tree.ancestors(load)
        )

    def _precedes_cast_in_loop(self, load: ast.Name) -> bool:
        """Whether a load can only see the copy of an earlier round."""
        return self.facts.first_step(load) < self.facts.first_step(self.cast.call)


def _is_consumed(generator: ast.GeneratorExp, facts: Facts) -> bool:
    """Whether a call runs a generator to its end, and evaluates nothing before."""
    call = facts.tree.parents[generator]
    return (
        isinstance(call, ast.Call)
        and call.args == [generator]
        and all(isinstance(k.value, ast.Constant) for k in call.keywords)
        and (known := builtin_called(call, facts)) is not None
        and known.consumes_all
    )


def _is_plain(consumption: Consumption) -> bool:
    """Whether an array or a list is read as a tensor would be: by a basic slice."""
    if consumption.step is not None:
        return consumption.step.leaves_torch
    selection = consumption.selection
    if selection is None:
        return consumption.kind not in (Kind.WRITE, Kind.DTYPE) and not (
            isinstance(consumption.node, ast.Call)
            and consumption.kind is Kind.METADATA
            and getattr(consumption.node.func, "id", "") != "len"
        )
    return (
        isinstance(selection.node, ast.Subscript)
        and selection.is_view
        and not any(
            isinstance(part, ast.Slice) and part.step is not None
            for part in ast.walk(selection.node.slice)
        )
    )


_RUNS_LATER = "read by a generator that may run later"


def _lifts(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(s for s in steps if s.kind is StepKind.LIFT)
