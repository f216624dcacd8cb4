"""What takes a value, and what that says of the value."""

from __future__ import annotations

import ast

from . import operators
from .facts import Facts
from .tensor_calls import is_builtin


def gives_no_gradient(node: ast.expr, facts: Facts) -> bool:
    """Whether what takes a value passes no gradient back to it."""
    parent = facts.tree.parents[node]
    match parent:
        case ast.Attribute(attr=name):
            return name in _NO_GRADIENT or name in operators.METADATA_ATTRIBUTES
        case ast.Compare():
            return True
        case ast.Call(args=[first, *_]) if first is node:
            return (facts.resolve(parent.func) or "").rpartition(".")[2] in _NO_GRADIENT
        case _:
            return False


_NO_GRADIENT = operators.words("argmax argmin argsort detach isnan isinf isfinite sign")


def reads_metadata(load: ast.expr, facts: Facts) -> bool:
    """Whether what takes a tensor looks at neither data nor gradients of it."""
    parent = facts.tree.parents[load]
    if isinstance(parent, ast.Attribute):
        return (
            parent.attr in operators.METADATA_ATTRIBUTES
            or parent.attr in operators.METADATA_METHODS
            or parent.attr == "dtype"
        )
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        name = parent.func.id
        is_known = name in operators.METADATA_FUNCTIONS
        return is_known and is_builtin(parent.func, name, facts)
    return isinstance(parent, ast.Compare | ast.Delete)
