"""The order in which Python evaluates what a rewrite moves.

In `(x.float() / t)[i]` the divisor is read before the index, in `x[i].float() / t`
after it. That makes no difference where the index is *quiet*: where evaluating it
cannot change what the divisor means.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..analysis.casts import Cast
from ..analysis.effects import effects_of
from ..analysis.facts import Facts
from ..analysis.flow import Read
from .refusals import Unfixable


def check_order(cast: Cast, read: Read, facts: Facts) -> None:
    """Raises Unfixable where what comes behind the selection would change."""
    late = list(_late(cast, read))
    if not late:
        return
    bound: set[str] = set()
    is_quiet = True
    for part in _index_parts(read):
        match part:
            case ast.NamedExpr(target=ast.Name(id=name)):
                bound.add(name)
            case ast.Await() | ast.Yield() | ast.YieldFrom():
                is_quiet = False
            case ast.Call():
                is_quiet &= effects_of(facts).is_harmless(part)
            case _:
                pass
    for part in late:
        match part:
            case ast.Name(id=name):
                changes = name in bound or (
                    not is_quiet and name in facts.names.captured
                )
            case ast.Attribute() | ast.Subscript():
                changes = not is_quiet and facts.resolve(part) is None
            case ast.Call():
                is_free = is_quiet and not bound
                changes = not is_free and not effects_of(facts).is_harmless(part)
            case ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom():
                changes = True
            case _:
                changes = False
        if changes:
            raise Unfixable("the order of evaluation would change")


def _index_parts(read: Read) -> Iterator[ast.AST]:
    """What a selection evaluates besides the tensor that it selects from."""
    assert read.selection is not None
    node = read.selection.node
    if not isinstance(node, ast.expr):
        return
    skipped = set(ast.walk(read.operand))
    for part in ast.walk(node):
        is_itself = part is node or (isinstance(node, ast.Call) and part is node.func)
        if part not in skipped and not is_itself:
            yield part


def _late(cast: Cast, read: Read) -> Iterator[ast.AST]:
    """The operands of the arithmetic that stays behind, and what the cast is given."""
    for step in read.lifts:
        skipped = set(ast.walk(step.operand))
        for part in ast.walk(step.node):
            is_itself = part is step.node or part is getattr(step.node, "func", None)
            if part not in skipped and not is_itself:
                yield part
    given = [a for a in cast.call.args if a is not cast.source]
    for argument in [*given, *(k.value for k in cast.call.keywords)]:
        yield from ast.walk(argument)
