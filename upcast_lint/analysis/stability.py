"""Whether a tensor is, where it is read, still what its name was bound to."""

from __future__ import annotations

import ast

from .effects import effects_of
from .facts import Facts
from .graph.order import Between, may_run_between


def is_stable(name: ast.Name, read: ast.AST, facts: Facts) -> bool:
    """Whether nothing writes, or may write, to a name's tensor before `read`.

    A name that a nested function uses is not stable: it may write at any time.
    """
    if name.id in facts.names.captured:
        return False
    return not any(
        may_run_between(definition, write.node, read, facts)
        for write in effects_of(facts).writes_to(name)
        for definition in facts.names.of(name)
        # What a definition itself calls has run when it binds the name.
        if not facts.tree.contains(definition.node, write.node)
    )


def is_rebound_inside(name: str, facts: Facts) -> bool:
    """Whether a nested function may rebind a name, or the name is not local."""
    names = facts.names
    return name in names.captured and (name in names.declared or name in names.rebound)


def is_rebound_between(name: str, first: ast.AST, last: ast.AST, facts: Facts) -> bool:
    """Whether a name may mean something else at `last` than it meant at `first`.

    Equal definitions are not enough: in a loop, one of them may run between the two.
    """
    names, tree = facts.names, facts.tree
    here = names.before(tree.statement(first), name)
    there = names.before(tree.statement(last), name)
    if here != there or name in names.rebound or name in names.declared:
        return True
    if here is None:
        return facts.is_declared(name)
    between = Between(first, [last], facts)
    return any(map(between.holds, names.named(name)))
