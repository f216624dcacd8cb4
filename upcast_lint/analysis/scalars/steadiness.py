"""Whether the operands of some arithmetic are, where it moves to, what they were.

A literal and a local name that is not bound again are. An attribute may be set in
between, by the code in sight or by any call of unknown code; a tensor of which a number
is made (`t.item()`, `float(t)`) may be written to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ..aliases import path_of
from ..effects import Cause, Certainty, Write, effects_of
from ..facts import Facts
from ..graph.order import SUSPENSIONS, may_run_between
from ..syntax import walk_scope
from ..tensor_calls import is_builtin
from . import Operand, classify_operand


def changes_between(
    result: ast.expr, operand: ast.expr, last: ast.AST, facts: Facts
) -> Iterator[tuple[ast.expr, Write]]:
    """What may change the operands of `result`, `operand` aside, before `last`.

    Of an attribute, a write is what gives it another value.
    """
    skipped = set(ast.walk(operand))
    callee = result.func if isinstance(result, ast.Call) else None
    for part in ast.walk(result):
        if part in skipped or part is callee:
            continue
        match part:
            case ast.Attribute() if not _is_named_call(part, facts):
                if facts.resolve(part) is None:
                    yield from _settings(part, result, last, facts)
            case ast.Call():
                for name in _read_names(part, skipped):
                    yield from _writes(name, result, last, facts)
            case _:
                pass


def _is_named_call(attribute: ast.Attribute, facts: Facts) -> bool:
    """Whether an attribute is the method that a call names."""
    call = facts.tree.parents[attribute]
    return isinstance(call, ast.Call) and call.func is attribute


def _settings(
    attribute: ast.Attribute, first: ast.AST, last: ast.AST, facts: Facts
) -> Iterator[tuple[ast.expr, Write]]:
    """What may give an attribute, or what it is looked up on, another value."""
    path = path_of(attribute) or ""
    for setter in facts.once(_setters).get(attribute.attr, ()):
        if may_run_between(first, setter, last, facts):
            yield attribute, Write(setter, path, Certainty.WRITES, "is set")
    for call in effects_of(facts).impure_calls:
        if may_run_between(first, call, last, facts):
            label = f"`{facts.shown(call.func)}`"
            yield attribute, Write(call, path, Certainty.MAY_WRITE, label)
    for node in facts.once(_suspensions):
        if may_run_between(first, node, last, facts):
            cause = Cause.SUSPENSION
            yield attribute, Write(node, path, Certainty.MAY_WRITE, "", cause)


def _setters(facts: Facts) -> dict[str, list[ast.AST]]:
    """What sets attributes, by their names; `setattr` by a computed name by all."""
    found: dict[str, list[ast.AST]] = {}
    for node in facts.nodes(ast.Attribute):
        if not isinstance(node.ctx, ast.Load):
            found.setdefault(node.attr, []).append(node)
    for call in facts.nodes(ast.Call):
        match call.args:
            case [_, ast.Constant(value=str() as name), _] if is_builtin(
                call.func, "setattr", facts
            ):
                found.setdefault(name, []).append(call)
            case _:
                pass
    return found


def _suspensions(facts: Facts) -> list[ast.AST]:
    return [node for node in walk_scope(facts.scope) if isinstance(node, SUSPENSIONS)]


def _read_names(call: ast.Call, skipped: set[ast.AST]) -> Iterable[ast.Name]:
    return [
        part
        for part in ast.walk(call)
        if isinstance(part, ast.Name) and part not in skipped
    ]


def _writes(
    name: ast.Name, first: ast.AST, last: ast.AST, facts: Facts
) -> Iterator[tuple[ast.expr, Write]]:
    """What may write to a tensor of which the arithmetic takes a number."""
    if classify_operand(name, facts) is Operand.NUMBER:
        return
    for write in effects_of(facts).writes_to(name):
        if may_run_between(first, write.node, last, facts):
            yield name, write
