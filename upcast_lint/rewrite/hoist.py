"""The other direction: lift the selection up to the cast, where it cannot go down.

`w = x.float(); x.div_(t); use(w[:, -1])` becomes `w = x[:, -1].float()` and `use(w)`,
for the source is written to between the two; and so does `w = x.float()`,
`if t: w = w / t`, `use(w[:, -1])`, where arithmetic with numbers runs on some paths
only, or is written to a copy that is the function's own.

If the source has the wide type already, the copy is the source itself. A view of it
sees a write as the whole copy did. What copies elements does not, and moves only where
nothing may write between the two.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..analysis import ops
from ..analysis.effects import effects_of
from ..analysis.exceptions import catchers, protectors
from ..analysis.facts import Facts
from ..analysis.flow import Flow, Read
from ..analysis.graph.order import Between, dominates, may_follow
from ..analysis.ops import Role
from ..analysis.reads import Result, StepKind
from ..analysis.stability import is_rebound_between
from ..analysis.syntax import FUNCTIONS
from ..analysis.tensor_calls import tensor_call
from ..analysis.values import integer, items_of
from ..finding import Edit
from .refusals import Unfixable

_STEADY = (Role.VIEW, Role.METADATA, Role.CAST)
"""What operations in an index do that may run earlier as well."""


def hoist_selection(
    flow: Flow, facts: Facts, may_copy: bool = False
) -> tuple[Edit, ...] | None:
    """The edits that lift a flow's only read to its cast, or None if it cannot go.

    Where it `may_copy`, the selection need not be a view.
    """
    if len(flow.reads) != 1 or flow.guard is not None or flow.is_partial:
        return None
    read = flow.reads[0]
    selection = read.selection
    if (
        selection is None
        or selection.result is not Result.VALUES
        or not isinstance(selection.node, ast.expr)
        or read.own
        or read.load is None
        or read.operand is not read.load
        or not isinstance(facts.scope, FUNCTIONS)
        or flow.cast.lays_out
        or not _keeps_axes(flow)
        or facts.tree.enclosing_loops(read.node)
        != facts.tree.enclosing_loops(flow.cast.call)
        or protectors(read.node, facts) != protectors(flow.cast.call, facts)
        or _may_be_refused(read.node, flow, facts)
    ):
        return None
    node = selection.node
    if not selection.is_view:
        can_move = may_copy and _copies_the_same(node, read, flow, facts)
    else:
        can_move = (
            isinstance(node, ast.Subscript)
            and node.value is read.load
            and _is_constant_at(node.slice, flow, facts)
        )
    if not can_move:
        return None
    from .edits import write_hoist

    try:
        return write_hoist(flow.cast, node, read.load, facts)
    except Unfixable:
        return None


def _may_be_refused(read: ast.AST, flow: Flow, facts: Facts) -> bool:
    """Whether the function may be left by an error before the read, about its index."""
    return any(
        may_follow(flow.cast.call, node, facts)
        and not dominates(read, node, facts)
        and not catchers(node, facts)
        for kind in (ast.Raise, ast.Assert)
        for node in facts.nodes(kind)
    )


def _keeps_axes(flow: Flow) -> bool:
    """Whether nothing but arithmetic with numbers stands before the read."""
    return all(
        step.kind is StepKind.LIFT and step.aligned is None and not step.leaves_torch
        for carrier in flow.carriers.values()
        for step in carrier.steps
    )


def _is_constant_at(index: ast.expr, flow: Flow, facts: Facts) -> bool:
    """Whether an index means the same at the cast as where it stands.

    Only slices and the first or last element: another one might not be there on the
    paths that do not read it.
    """
    for item in items_of(index):
        if isinstance(item, ast.Slice):
            continue
        if integer(item) not in (0, -1) and not (
            isinstance(item, ast.Constant) and item.value in (None, Ellipsis)
        ):
            return False
    return all(_is_stable(node, flow, facts) for node in ast.walk(index))


def _is_stable(node: ast.AST, flow: Flow, facts: Facts) -> bool:
    match node:
        case ast.Name():
            return not is_rebound_between(node.id, flow.cast.call, node, facts)
        case ast.Attribute() | ast.Call() | ast.Await() | ast.NamedExpr():
            return False
        case _:
            return True


def _copies_the_same(selection: ast.expr, read: Read, flow: Flow, facts: Facts) -> bool:
    """Whether a selection gives the same at the cast, for nothing writes between.

    To the source, to the index, or afterwards to the copy: it would be the result.
    """
    effects = effects_of(facts)
    between = Between(flow.start, [selection], facts)
    scaled = [step.node for step in flow.scalings]
    if any(may_follow(selection, node, facts) for node in scaled) or any(
        between.holds(call) for call in effects.impure_calls if call not in scaled
    ):
        return False
    held: list[ast.expr] = [flow.cast.source]
    for name in _names_beside(read.load, selection, facts):
        if name is None or is_rebound_between(name.id, flow.cast.call, name, facts):
            return False
        held.append(name)
    return not any(
        between.holds(write.node) for each in held for write in effects.writes_to(each)
    )


def _names_beside(
    operand: ast.expr | None, selection: ast.expr, facts: Facts
) -> Iterator[ast.Name | None]:
    """The names in an index; None for a part that may not be the same at the cast."""
    match selection:
        case ast.Call(args=args, keywords=keywords):
            pending = [*args, *(each.value for each in keywords)]
        case ast.Subscript(slice=index):
            pending = [index]
        case _:
            pending = []
            yield None
    while pending:
        node = pending.pop()
        if node is operand or facts.resolve(node) is not None:
            continue
        match node:
            case ast.Name():
                yield node
            case ast.Constant():
                pass
            case ast.Call() if (call := tensor_call(node, facts)) is not None and (
                call.operation.role in _STEADY
            ):
                pending += [call.tensor, *call.others]
            case ast.Attribute(value=value, attr=name) if (
                known := ops.attribute(name)
            ) is not None and known.role is Role.METADATA:
                pending.append(value)
            case ast.Subscript(value=value, slice=index):
                pending += [value, index]
            case ast.Tuple(elts=items) | ast.List(elts=items):
                pending += items
            case ast.Slice(lower=lower, upper=upper, step=step):
                pending += [each for each in (lower, upper, step) if each is not None]
            case ast.UnaryOp(operand=inner):
                pending.append(inner)
            case ast.BinOp(left=left, right=right):
                pending += [left, right]
            case ast.Compare(left=left, comparators=others):
                pending += [left, *others]
            case _:
                yield None
