"""Whether a tensor is, where it is read, still what its name was bound to."""

from __future__ import annotations

import ast

from .effects import Effects, may_run_between
from .facts import Facts


def is_stable(name: ast.Name, read: ast.AST, facts: Facts) -> bool:
    """Whether nothing writes, or may write, to a name's tensor before `read`.

    A name that a nested function uses is not stable: it may write at any time.
    """
    if name.id in facts.names.captured:
        return False
    return not any(
        may_run_between(definition.node, write.node, read, facts)
        for write in Effects(facts).writes_to(name)
        for definition in facts.names.of(name)
    )


def is_rebound_inside(name: str, facts: Facts) -> bool:
    """Whether a nested function may rebind a name, or the name is not local."""
    return name in facts.names.captured and any(
        name in node.names
        for node in ast.walk(facts.scope)
        if isinstance(node, ast.Global | ast.Nonlocal)
    )
