"""The other direction: lift the selection up to the cast, where the source is written
to between the two.

`w = x.float(); x.div_(t); use(w[:, -1])` becomes `w = x[:, -1].float()` and `use(w)`.
Only for views: if the source has the wide type already, the copy is the source itself,
and a view of it sees the write as the whole copy did.
"""

from __future__ import annotations

import ast

from ..analysis.effects import Effects
from ..analysis.facts import Facts
from ..analysis.flow import Flow
from ..analysis.reads import Result
from ..analysis.stability import is_rebound_between
from ..analysis.syntax import FUNCTIONS
from ..finding import Edit
from .text import Text, Unfixable, suffix_span


def hoist_selection(
    flow: Flow, effects: Effects, facts: Facts
) -> tuple[Edit, ...] | None:
    """The edits that lift a flow's only read to its cast, or None if it cannot go."""
    if len(flow.reads) != 1 or len(flow.carriers) != 1 or flow.guard is not None:
        return None
    read = flow.reads[0]
    selection = read.selection
    if (
        selection is None
        or not selection.is_view
        or selection.result is not Result.VALUES
        or not isinstance(selection.node, ast.Subscript)
        or read.steps
        or read.load is None
        or selection.node.value is not read.load
        or not isinstance(facts.scope, FUNCTIONS)
        or not flow.cast.is_method
        or facts.tree.enclosing_loops(read.node)
        != facts.tree.enclosing_loops(flow.cast.call)
    ):
        return None
    if not _is_constant_at(selection.node.slice, flow, facts):
        return None
    source = facts.source
    text = Text(source)
    try:
        dot, _ = suffix_span(flow.cast, source)
    except Unfixable:
        return None
    start, end = source.node_end(read.load), source.node_end(selection.node)
    text.insert(dot, source.text[start:end])
    text.replace(start, end, "")
    return text.edits()


def _is_constant_at(index: ast.expr, flow: Flow, facts: Facts) -> bool:
    """Whether an index means the same at the cast as where it stands."""
    for node in ast.walk(index):
        match node:
            case ast.Name():
                if is_rebound_between(node.id, flow.cast.call, index, facts):
                    return False
            case (
                ast.Constant()
                | ast.Slice()
                | ast.Tuple()
                | ast.UnaryOp()
                | ast.unaryop()
                | ast.BinOp()
                | ast.operator()
                | ast.expr_context()
            ):
                pass
            case _:
                return False
    return True
