"""The rewrite of one flow: selection first, then the cast on its result.

A plan says which selections move above the cast, where the cast goes for the paths
that need the whole copy, and which statements and names disappear. `write_plan` turns
it into edits.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ..analysis import ops
from ..analysis.facts import Facts
from ..analysis.flow import Carrier, Flow, Read
from ..analysis.gradients.asked import names_in_gradient
from ..analysis.graph import Begin
from ..analysis.graph.order import may_run_between
from ..analysis.graph.paths import Paths
from ..analysis.names import Definition
from ..analysis.reads import Kind, Result, Selection, StepKind
from ..analysis.stability import is_rebound_between
from ..analysis.syntax import FUNCTIONS, LOOPS
from .evaluation import check_order
from .layout import check_layout
from .refusals import NothingSaved, Unfixable
from .sink import Placement, casts_twice, gains, is_elif, sink_cast


@dataclass(frozen=True, slots=True, eq=False)
class ValueSite:
    """Where selected values need the cast: after `node`, or on `name` after it.

    For a selection that gives values and indices, `node` is the attribute that reads
    the values, or None where `name` is bound by unpacking.
    """

    node: ast.expr | None
    name: str | None = None
    statement: ast.stmt | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A selection that now comes before the cast."""

    read: Read
    sites: tuple[ValueSite, ...]
    uses_indices: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    flow: Flow
    moved: tuple[Moved, ...]
    placements: tuple[Placement, ...]
    dropped: frozenset[Definition]
    """Carriers that disappear, because they would only rename the source."""
    keeps_guard: bool = False
    """The cast of each selection stays under the guard of the original."""


def plan_rewrite(flow: Flow, paths: Paths, facts: Facts) -> Plan:
    """The plan for a flow. Raises Unfixable where there is none."""
    for read in flow.of_kind(Kind.WRITE):
        raise Unfixable(f"the copy is {read.reason}")
    if flow.is_mixed:
        raise Unfixable("arithmetic before the selection runs on some paths only")
    if flow.scalings:
        raise Unfixable("arithmetic is written to the copy before the selection")
    placements = tuple(sink_cast(flow, paths, facts))
    if not gains(flow, placements, facts):
        raise NothingSaved("every path would still cast the whole tensor")
    if casts_twice(flow, placements, facts):
        raise Unfixable("a path would cast the whole tensor twice")
    moved = tuple(
        _moved(read, facts)
        for read in flow.selections()
        if not _stays(read, placements, facts)
    )
    keeps_guard = flow.guard is not None and not flow.guard.is_redundant
    if keeps_guard and (placements or not _guard_can_follow(flow, moved, facts)):
        raise Unfixable("the cast is conditional")
    if flow.is_partial and not flow.is_guarded:
        raise Unfixable("the cast is conditional")
    if keeps_guard and flow.of_kind(Kind.DTYPE):
        raise Unfixable("the type of a copy is read that may not be made")
    for carrier in flow.carriers.values():
        if _only_swaps_names(carrier, flow, facts):
            raise Unfixable("the cast is unpacked together with other values")
    _check_arguments(flow, moved, placements, facts)
    _check_device(flow, moved)
    _check_transfer(flow, moved, facts)
    casts = [m.read for m in moved if m.sites]
    check_layout(flow, casts, bool(placements), facts)
    _check_lifts(flow, placements, facts)
    for each in moved:
        check_order(flow.cast, each.read, facts)
    if any(names_in_gradient(read.operand, facts) for read in flow.full_reads()):
        raise Unfixable("gradients are asked for at the copy")
    dropped = _droppable(flow, placements, facts)
    left = [c for d, c in flow.carriers.items() if d not in dropped]
    if any(step.row is not None for carrier in left for step in carrier.own):
        raise Unfixable("a name of what a row-wise operation gives would stay")
    return Plan(flow, moved, placements, dropped, keeps_guard)


def plan_of_one(flow: Flow, read: Read) -> Plan:
    """The plan of a view that is taken where the cast stands."""
    assert read.selection is not None
    assert isinstance(read.selection.node, ast.expr)
    moved = Moved(read, (ValueSite(read.selection.node),))
    return Plan(flow, (moved,), (), frozenset())


def _stays(read: Read, placements: Sequence[Placement], facts: Facts) -> bool:
    """Whether a selection may go on reading the copy of a placement before it."""
    return any(
        read.load is not None and placement.gives(read.load, facts)
        for placement in placements
    )


def _moved(read: Read, facts: Facts) -> Moved:
    selection = read.selection
    assert selection is not None
    match selection.result:
        case Result.INDICES:
            return Moved(read, (), uses_indices=True)
        case Result.VALUES:
            assert isinstance(selection.node, ast.expr)
            return Moved(read, (ValueSite(selection.node),))
        case Result.PAIR:
            assert isinstance(selection.node, ast.expr)
            return _pair(read, selection.node, facts)
        case Result.ELEMENTS:
            return Moved(read, (_element_site(selection, facts),))
        case Result.PARTS:
            assert isinstance(selection.node, ast.expr)
            return Moved(read, _part_sites(selection.node, facts))


def _pair(read: Read, node: ast.expr, facts: Facts) -> Moved:
    """The sites of a named tuple of values and indices."""
    sites: list[ValueSite] = []
    uses_indices = False
    for result in _results(node, facts):
        parent = facts.tree.parents[result]
        match parent:
            case ast.Attribute(attr="values") if result is parent.value:
                sites.append(ValueSite(parent))
            case ast.Attribute(attr="indices") if result is parent.value:
                uses_indices = True
            case ast.Subscript(slice=ast.Constant(value=0 | 1 as position)) if (
                result is parent.value and isinstance(parent.ctx, ast.Load)
            ):
                if position == 0:
                    sites.append(ValueSite(parent))
                else:
                    uses_indices = True
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name() as values, indices])]
            ) if parent.value is result and values.id != getattr(indices, "id", None):
                if _is_used(values.id, parent, facts):
                    sites.append(ValueSite(None, values.id, parent))
                uses_indices |= not (
                    isinstance(indices, ast.Name)
                    and not _is_used(indices.id, parent, facts)
                )
            case ast.Expr():
                pass
            case _:
                raise Unfixable("values and indices are passed on together")
    return Moved(read, tuple(sites), uses_indices)


def _results(node: ast.expr, facts: Facts) -> list[ast.expr]:
    """The expressions that hold a selection's result: itself, or loads of its name."""
    parent = facts.tree.parents[node]
    if not (
        isinstance(parent, ast.Assign)
        and len(parent.targets) == 1
        and isinstance(parent.targets[0], ast.Name)
    ):
        return [node]
    name = parent.targets[0].id
    if name in facts.names.captured:
        raise Unfixable("the result is captured by a nested function")
    loads: list[ast.expr] = []
    for definition in facts.names.made_by(parent):
        if definition.name == name:
            for load in facts.names.uses(definition):
                if facts.names.only(load) is not definition:
                    raise Unfixable("the result is not the only value of its name")
                loads.append(load)
    return loads


def _is_used(name: str, statement: ast.stmt, facts: Facts) -> bool:
    return name in facts.names.captured or any(
        facts.names.uses(d) for d in facts.names.made_by(statement) if d.name == name
    )


def _element_site(selection: Selection, facts: Facts) -> ValueSite:
    """The name that an iteration binds to each piece, cast at the head of the body."""
    node, element = selection.node, selection.element
    if element is None:
        raise Unfixable("the pieces of an iteration have no name")
    if isinstance(node, ast.For):
        return ValueSite(None, element.id, node)
    loads = [
        load
        for d in facts.names.made_by(node)
        if d.name == element.id
        for load in facts.names.uses(d)
    ]
    if isinstance(node, ast.comprehension) and len(loads) == 1:
        return ValueSite(loads[0])
    raise Unfixable("the pieces of an iteration are read more than once")


def _part_sites(node: ast.expr, facts: Facts) -> tuple[ValueSite, ...]:
    """The sites of the parts that are used, of a tuple unpacked or kept by name."""
    parent = facts.tree.parents[node]
    match parent:
        case ast.Assign(targets=[ast.Tuple(elts=targets)]):
            return tuple(
                ValueSite(None, target.id, parent)
                for target in targets
                if isinstance(target, ast.Name) and _is_used(target.id, parent, facts)
            )
        case _:
            pass
    sites = []
    for result in _results(node, facts):
        part = facts.tree.parents[result]
        if not (isinstance(part, ast.Subscript) and part.value is result):
            raise Unfixable("the parts are passed on together")
        sites.append(ValueSite(part))
    return tuple(sites)


def _guard_can_follow(flow: Flow, moved: Sequence[Moved], facts: Facts) -> bool:
    """Whether each selection is a statement that the guard can be put behind."""
    assert flow.guard is not None
    if any(isinstance(n, ast.Call | ast.Await) for n in ast.walk(flow.guard.test)):
        return False
    holder = flow.guard.holder
    if isinstance(holder, ast.If) and is_elif(holder, facts.source):
        return False
    names = {n.id for n in ast.walk(flow.guard.test) if isinstance(n, ast.Name)}
    source = getattr(flow.cast.source, "id", None)
    for each in moved:
        read = each.read
        if len(each.sites) != 1 or each.sites[0].node is None:
            return False
        statement = facts.tree.parents[each.sites[0].node]
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and statement.value is each.sites[0].node
            and statement.targets[0].id not in names
            and not read.lifts
        ):
            return False
        if any(
            name != source
            and is_rebound_between(name, flow.guard.holder, statement, facts)
            for name in names
        ):
            return False
        if source in names and any(
            may_run_between(flow.guard.holder, each, statement, facts)
            for each in facts.names.named(source)
            if each not in flow.carriers and not isinstance(each.node, ast.arg)
        ):
            return False
        if _reads_state(flow.guard.test, source) and _calls_between(
            flow.guard.holder, statement, facts
        ):
            return False
    return True


def _reads_state(test: ast.expr, source: str | None) -> bool:
    """Whether a test reads attributes or elements, the type of the source aside."""
    return any(
        isinstance(node, ast.Subscript)
        or (
            isinstance(node, ast.Attribute)
            and not (
                node.attr == "dtype"
                and isinstance(node.value, ast.Name)
                and node.value.id == source
            )
            and not (isinstance(node.value, ast.Name) and node.value.id == "torch")
        )
        for node in ast.walk(test)
    )


def _calls_between(first: ast.AST, last: ast.stmt, facts: Facts) -> bool:
    return any(
        not facts.tree.contains(first, node)
        and may_run_between(first, node, Begin(last), facts)
        for kind in (ast.Call, ast.Await, ast.Yield, ast.AugAssign)
        for node in facts.nodes(kind)
    )


def _only_swaps_names(carrier: Carrier, flow: Flow, facts: Facts) -> bool:
    """Whether `a, b = a.float(), b` would be left as `a, b = a, b`."""
    parent = facts.tree.parents[carrier.node]
    return (
        isinstance(parent, ast.Tuple | ast.List)
        and carrier.node is flow.origin
        and isinstance(flow.cast.source, ast.Name)
        and flow.cast.source.id == carrier.definition.name
    )


def _check_arguments(
    flow: Flow,
    moved: Sequence[Moved],
    placements: Sequence[Placement],
    facts: Facts,
) -> None:
    """What the cast is given must mean the same wherever the cast goes."""
    call = flow.cast.call
    given = [a for a in call.args if a is not flow.cast.source]
    given += [k.value for k in call.keywords]
    places: list[ast.AST] = [m.read.node for m in moved if m.sites]
    places += [p.statement for p in placements]
    for node in (part for argument in given for part in ast.walk(argument)):
        match node:
            case ast.Name() if any(
                is_rebound_between(node.id, call, place, facts) for place in places
            ):
                raise Unfixable("an argument of the cast changes before the selection")
            case ast.Call() if facts.resolve(node.func) == "torch.device":
                pass
            case ast.Call() | ast.Await() | ast.NamedExpr() if len(places) != 1 or (
                facts.tree.statement(places[0]) is not facts.tree.statement(call)
            ):
                raise Unfixable("an argument of the cast is computed")
            case _:
                pass


def _check_device(flow: Flow, moved: Sequence[Moved]) -> None:
    """A cast that moves the tensor as well must not leave its reads behind."""
    moves = flow.cast.device is not None
    for read in [*flow.of_kind(Kind.METADATA), *flow.of_kind(Kind.DTYPE)]:
        match read.node:
            case ast.Attribute(attr=name):
                known = ops.attribute(name)
                is_asked = known is not None and known.tells_device
            case ast.Call(func=function) as made:
                name = getattr(function, "attr", getattr(function, "id", ""))
                known = ops.tensor(name)
                is_asked = known is not None and known.tells_device
                if is_asked and flow.cast.lays_out:
                    raise Unfixable("a tensor is laid out like the copy")
                is_asked &= all(keyword.arg != "device" for keyword in made.keywords)
            case _:
                is_asked = False
        if is_asked and (moves or any(step.is_transfer for step in read.steps)):
            raise Unfixable("the device of the copy is read")
    if moves and any(each.uses_indices for each in moved):
        raise Unfixable("the cast also moves the tensor to another device")


def _check_transfer(flow: Flow, moved: Sequence[Moved], facts: Facts) -> None:
    """What moves to another device once must not do so in every round of a loop."""
    for each in moved:
        read = each.read
        if flow.cast.device is None and not any(s.is_transfer for s in read.steps):
            continue
        loops: list[ast.AST] = []
        if isinstance(read.node, (*LOOPS, ast.comprehension)):
            loops.append(read.node)
        loops += facts.tree.enclosing_loops(read.node)
        if any(not facts.tree.contains(loop, flow.cast.call) for loop in loops):
            raise Unfixable("the cast also moves the tensor to another device, once")


def _check_lifts(flow: Flow, placements: Sequence[Placement], facts: Facts) -> None:
    """A carrier with arithmetic in it can only go where all its reads are narrow."""
    lifted = {
        d
        for d, c in flow.carriers.items()
        if any(s.kind is StepKind.LIFT for s in c.steps)
    }
    for read in flow.reads:
        if read.load is None or not any(d in lifted for d in facts.names.of(read.load)):
            continue
        if read.kind is Kind.FULL or read.kind is Kind.DTYPE:
            raise Unfixable("the result of arithmetic on the copy is read whole")
    for read in flow.selections():
        is_bound = any(step not in read.own for step in read.lifts)
        if is_bound and _stays(read, placements, facts):
            raise Unfixable("the result of arithmetic on the copy is read below a cast")
        if _is_viewed_after_rows(read):
            raise Unfixable("a view comes after arithmetic with a vector of rows")
        for step in read.lifts:
            if not _operands_are_stable(step.node, step.operand, read, facts):
                raise Unfixable("an operand changes before the selection")


def _is_viewed_after_rows(read: Read) -> bool:
    """Whether rows that arithmetic paired with a vector are viewed before the read."""
    aligned = [n for n, step in enumerate(read.steps) if step.aligned is not None]
    return bool(aligned) and any(
        step.kind is StepKind.VIEW for step in read.steps[aligned[0] :]
    )


def _operands_are_stable(
    node: ast.expr, operand: ast.expr, read: Read, facts: Facts
) -> bool:
    """Whether the other operands of a lift can be evaluated at the read instead.

    What they read of attributes and tensors, `safety` asks about.
    """
    skipped = set(ast.walk(operand))
    same_statement = facts.tree.statement(node) is facts.tree.statement(read.node)
    for part in ast.walk(node):
        if part in skipped:
            continue
        match part:
            case ast.Await() | ast.NamedExpr() | ast.Yield() | ast.YieldFrom():
                return False
            case ast.Call() if part is not node and not _is_repeatable(part, facts):
                return False
            case ast.Name() if not same_statement:
                if is_rebound_between(part.id, node, read.node, facts):
                    return False
            case _:
                pass
    return True


def _is_repeatable(call: ast.Call, facts: Facts) -> bool:
    """Whether a call of a number can run later, in another order, with one result."""
    match call.func:
        case ast.Name(id=name):
            known = ops.builtin(name)
            return known is not None and known.is_steady
        case ast.Attribute(attr=name):
            known = ops.method(name)
            is_number = known is not None and known.gives_number
            return is_number or (facts.resolve(call.func) or "").startswith("math.")
        case _:
            return False


def _droppable(
    flow: Flow, placements: Sequence[Placement], facts: Facts
) -> frozenset[Definition]:
    """Carriers whose statement would only bind the source to a name."""
    found: set[Definition] = set()
    for definition, carrier in flow.carriers.items():
        if any(s.kind is StepKind.VIEW for s in carrier.own):
            continue
        source = flow.cast.source
        if not isinstance(source, ast.Name) or not _binds_one_name(definition.node):
            continue
        if carrier.load is not None and (
            not any(s.kind is StepKind.LIFT for s in carrier.own)
            or not facts.names.of(carrier.load) <= found
        ):
            continue
        if source.id == definition.name or _can_rename(
            carrier, source, placements, facts
        ):
            found.add(definition)
    return frozenset(found)


def _binds_one_name(node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()):
            return True
        case _:
            return False


def _can_rename(
    carrier: Carrier,
    source: ast.Name,
    placements: Sequence[Placement],
    facts: Facts,
) -> bool:
    """Whether every load of a carrier can read the source by its own name."""
    if not isinstance(facts.scope, FUNCTIONS):
        return False
    definition = carrier.definition
    names = facts.names
    for load in names.uses(definition):
        if names.only(load) is not definition:
            return False
        statement = facts.tree.statement(load)
        if isinstance(statement, ast.Delete) and placements:
            return False
        if is_rebound_between(source.id, source, load, facts):
            return False
        if _binds(statement, source.id, load, facts):
            return False
    return not any(
        is_rebound_between(source.id, source, placement.statement, facts)
        for placement in placements
    )


def _binds(statement: ast.stmt, name: str, load: ast.Name, facts: Facts) -> bool:
    """Whether the statement of a load may rebind `name` before the load is read."""
    for node in facts.tree.once(statement, _inner_bindings):
        match node:
            case ast.NamedExpr() if node.target.id == name:
                return True
            case ast.comprehension() if facts.tree.contains(
                facts.tree.parents[node], load
            ):
                if any(
                    isinstance(n, ast.Name) and n.id == name
                    for n in ast.walk(node.target)
                ):
                    return True
            case _:
                pass
    return False


def _inner_bindings(statement: ast.stmt) -> list[ast.AST]:
    """What binds names in the expressions of a statement."""
    return [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.NamedExpr | ast.comprehension)
    ]
