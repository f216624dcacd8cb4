"""Uses of a tensor that only floats allow."""

from __future__ import annotations

import ast
from itertools import chain

from .. import ops
from ..facts import Facts
from ..syntax import FunctionNode
from ..width.lineage import operation, trace
from ..width.words import word_set, words
from .types import Sort, Typed

_GRADIENTS = ("backward", "requires_grad_", "retain_grad")
"""Methods that no integer or bool tensor has."""
_DECODING = word_set(
    """
    greedy sample sampler sampling decode decoding decoder beam predict generate
    generation speculative draft
    """
)


def treated_as_float(trail: list[ast.expr], facts: Facts) -> Typed | None:
    """A use of the tensor itself, not of the copy, that has no integer form."""
    names = facts.names
    definitions = dict.fromkeys(
        definition
        for node in trail
        if isinstance(node, ast.Name)
        for definition in names.in_order(names.of(node))
    )
    loads = chain.from_iterable(names.uses(each) for each in definitions)
    for load in dict.fromkeys(loads):
        if not names.of(load) <= definitions.keys():
            continue  # on some path it is the copy, or something else
        done = facts.once_at(load, _float_use)
        if done is not None:
            return Typed(Sort.FLOAT, f"`{done}` of it ({facts.place(load)})")
    return None


def _float_use(load: ast.expr, facts: Facts) -> str | None:
    parent = facts.tree.parents.get(load)
    match parent:
        case ast.Attribute(attr="dtype"):
            around = facts.tree.parents.get(parent)
            if isinstance(around, ast.Call):
                dotted = facts.resolve(around.func)
                return "finfo" if dotted == "torch.finfo" else None
            return None
        case ast.Attribute():
            parent = facts.tree.parents.get(parent)
        case _:
            pass
    if not isinstance(parent, ast.Call):
        return None
    done = operation(parent, facts)
    is_first = not parent.args or parent.args[0] is load or parent.func is not load
    known = ops.tensor(done or "")
    is_float = (known is not None and known.wants_floats) or done in _GRADIENTS
    if is_float and is_first:
        return done
    return "masked_fill" if _fills_with_infinity(parent, done, facts) else None


def _fills_with_infinity(call: ast.Call, done: str | None, facts: Facts) -> bool:
    if done not in ("masked_fill", "masked_fill_") or not call.args:
        return False
    return any(
        (isinstance(part, ast.Constant) and part.value in ("inf", "-inf", float("inf")))
        or (isinstance(part, ast.Attribute) and part.attr == "inf")
        or (
            isinstance(part, ast.Attribute)
            and part.attr == "min"
            and isinstance(part.value, ast.Call)
            and operation(part.value, facts) == "finfo"
        )
        for part in ast.walk(call.args[-1])
    )


def chosen_while_decoding(source: ast.expr, facts: Facts) -> Typed | None:
    """`argmax` of the source in a function that is named for decoding tokens."""
    scope = facts.scope
    if not isinstance(scope, FunctionNode) or _DECODING.isdisjoint(words(scope.name)):
        return None
    for use in trace(source, facts).uses:
        consumer: ast.AST | None = use.consumer
        if isinstance(consumer, ast.Attribute):
            consumer = facts.tree.parents.get(consumer)
        if isinstance(consumer, ast.Call):
            done = operation(consumer, facts)
            known = ops.tensor(done or "")
            if known is not None and known.chooses:
                return Typed(Sort.FLOAT, f"`{done}` of it in `{scope.name}`")
    return None
