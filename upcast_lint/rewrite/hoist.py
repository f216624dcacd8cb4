"""The other direction: lift the selection up to the cast, where it cannot go down.

`w = x.float(); x.div_(t); use(w[:, -1])` becomes `w = x[:, -1].float()` and `use(w)`,
for the source is written to between the two; and so does `w = x.float()`,
`if t: w = w / t`, `use(w[:, -1])`, where arithmetic with numbers runs on some paths
only, or is written to a copy that is the function's own.
Only for views: if the source has the wide type already, the copy is the source itself,
and a view of it sees a write as the whole copy did.
"""

from __future__ import annotations

import ast

from ..analysis.exceptions import protectors
from ..analysis.facts import Facts
from ..analysis.flow import Flow
from ..analysis.reads import Result, StepKind
from ..analysis.stability import is_rebound_between
from ..analysis.syntax import FUNCTIONS
from ..analysis.values import integer, items_of
from ..finding import Edit
from .refusals import Unfixable


def hoist_selection(flow: Flow, facts: Facts) -> tuple[Edit, ...] | None:
    """The edits that lift a flow's only read to its cast, or None if it cannot go."""
    if len(flow.reads) != 1 or flow.guard is not None or flow.is_partial:
        return None
    read = flow.reads[0]
    selection = read.selection
    if (
        selection is None
        or not selection.is_view
        or selection.result is not Result.VALUES
        or not isinstance(selection.node, ast.Subscript)
        or read.own
        or read.load is None
        or selection.node.value is not read.load
        or not isinstance(facts.scope, FUNCTIONS)
        or not flow.cast.is_method
        or flow.cast.lays_out
        or not _keeps_axes(flow)
        or facts.tree.enclosing_loops(read.node)
        != facts.tree.enclosing_loops(flow.cast.call)
        or protectors(read.node, facts) != protectors(flow.cast.call, facts)
    ):
        return None
    if not _is_constant_at(selection.node.slice, flow, facts):
        return None
    from .edits import write_hoist

    try:
        return write_hoist(flow.cast, selection.node, facts)
    except Unfixable:
        return None


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
