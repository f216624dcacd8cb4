"""What takes a value, and what that says of the value."""

from __future__ import annotations

import ast

from . import ops
from .facts import Facts
from .ops import Role
from .tensor_calls import builtin_called


def gives_no_gradient(node: ast.expr, facts: Facts) -> bool:
    """Whether what takes a value passes no gradient back to it."""
    parent = facts.tree.parents[node]
    match parent:
        case ast.Attribute(attr=name):
            return _passes_none(name) or _answers(name)
        case ast.Compare():
            return True
        case ast.Call(args=[first, *_]) if first is node:
            return _passes_none((facts.resolve(parent.func) or "").rpartition(".")[2])
        case _:
            return False


def _passes_none(name: str) -> bool:
    """Whether what an operation passes back is nothing, or zero."""
    known = ops.tensor(name)
    return known is not None and (known.cuts_gradient or known.is_flat)


def _answers(name: str) -> bool:
    """Whether an attribute or a method tells of a tensor, and not of its elements."""
    known = ops.attribute(name) or ops.method(name)
    return known is not None and known.role in (Role.METADATA, Role.TYPE)


def reads_metadata(load: ast.expr, facts: Facts) -> bool:
    """Whether what takes a tensor looks at neither data nor gradients of it."""
    parent = facts.tree.parents[load]
    if isinstance(parent, ast.Attribute):
        return _answers(parent.attr)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        known = builtin_called(parent, facts)
        return known is not None and known.role is Role.METADATA
    return isinstance(parent, ast.Compare | ast.Delete)
