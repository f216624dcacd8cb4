"""What becomes of the indices that a choice makes: are they tokens?

Followed forwards from `argmax`, `topk`, `max` or a sampler, through names, views and
subscripts, to a name, a call or a comparison that tells.
"""

from __future__ import annotations

import ast

from .. import ops
from ..facts import Facts
from ..ops import Axes, Role
from .lineage import operation
from .words import (
    INPUTS,
    dotted_words,
    identifiers,
    is_integer,
    names_chosen,
    names_end,
    reads_tokens,
    word_set,
)

_PASSING = word_set("int list enumerate zip")
_MOST_STEPS = 40


def tells_where(name: str | None) -> bool:
    """Whether an operation tells where elements are, by comparing them."""
    known = ops.tensor(name or "")
    return (
        known is not None
        and known.role is Role.ORDER
        and (known.chooses or known.gives_pair or known.gives.is_integral)
    )


def _passes_on(name: str) -> bool:
    known = ops.tensor(name)
    return name in _PASSING or (
        known is not None and (known.role is Role.JOIN or known.axes is Axes.BROADCAST)
    )


def tokens_from(call: ast.Call, facts: Facts) -> str | None:
    """How it shows that the indices which a call returns are tokens, or None."""
    pending: list[ast.expr] = [call]
    seen: set[ast.expr] = set()
    known = ops.tensor(operation(call, facts) or "")
    is_pair = known is not None and known.gives_pair
    for node in pending:  # which grows meanwhile
        if node in seen or len(seen) > _MOST_STEPS:
            continue
        seen.add(node)
        for definition in facts.names.giving(node):
            if is_pair and node is call and definition.index == 0:
                continue  # values, not indices
            if names_chosen(definition.name):
                return f"called `{definition.name}`"
            pending += facts.names.uses(definition)
        around = facts.tree.parents.get(node)
        if isinstance(around, ast.keyword):
            if around.arg in INPUTS:
                return f"given as `{around.arg}`"
            around = facts.tree.parents.get(around)
        match around:
            case ast.Attribute(attr=attr):
                if reads_tokens(attr):
                    return f"given to `{attr}`"
                called = facts.tree.parents.get(around)
                if attr != "values":
                    pending.append(called if isinstance(called, ast.Call) else around)
            case ast.Subscript(value=value, slice=index):
                if value is node and not (is_pair and is_integer(index, 0)):
                    pending.append(around)
            case ast.Compare():
                told = _end_among(around)
                if told is not None:
                    return f"compared with `{told}`"
            case ast.Call():
                name = dotted_words(around.func)
                if reads_tokens(name):
                    return f"given to `{name}`"
                kept = name.removesuffix(".append")
                if kept != name and names_chosen(kept):
                    return f"kept in `{kept}`"
                if _passes_on(name.rpartition(".")[2]):
                    pending.append(around)
            case ast.List() | ast.Tuple() | ast.IfExp() | ast.Starred():
                pending.append(around)
            case _:
                pass
    return None


def _end_among(compare: ast.Compare) -> str | None:
    """`eos_id`, `self._blank_index`: what marks the end of a text or no symbol."""
    for name in sorted(identifiers(ast.walk(compare))):
        if names_end(name):
            return name
    return None
