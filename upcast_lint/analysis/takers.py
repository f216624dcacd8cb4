"""What takes a value, and what that says of the value."""

from __future__ import annotations

import ast

from . import operators
from .facts import Facts
from .tensor_calls import is_builtin


def reduction_of(node: ast.expr, facts: Facts, depth: int) -> str | None:
    """The operation that adds up the elements of a value, if one is in sight."""
    if depth == 0:
        return None
    parent = facts.tree.parents[node]
    match parent:
        case ast.Attribute(attr=name):
            call = facts.tree.parents[parent]
            if name in operators.STRIDE_SENSITIVE:
                return name
            if name in operators.VIEWS and isinstance(call, ast.Call):
                return reduction_of(call, facts, depth - 1)
            if name in operators.VIEW_ATTRIBUTES:
                return reduction_of(parent, facts, depth - 1)
        case ast.Call() if node in parent.args:
            dotted = facts.resolve(parent.func) or ""
            name = dotted.rpartition(".")[2]
            if dotted.startswith("torch.") and name in operators.STRIDE_SENSITIVE:
                return name
            if dotted.startswith("torch.") and name in operators.VIEWS:
                return reduction_of(parent, facts, depth - 1)
        case ast.BinOp(op=ast.MatMult()):
            return "@"
        case ast.Subscript() if parent.value is node:
            return reduction_of(parent, facts, depth - 1)
        case ast.IfExp() | ast.BoolOp():
            return reduction_of(parent, facts, depth - 1)
        case ast.Assign() | ast.NamedExpr() | ast.Tuple() | ast.AnnAssign():
            loads = [
                load
                for definition in facts.names.giving(node)
                for load in facts.names.uses.get(definition, [])
            ]
            holders = [parent] if isinstance(parent, ast.NamedExpr) else []
            for each in [*loads, *holders]:
                found = reduction_of(each, facts, depth - 1)
                if found is not None:
                    return found
        case _:
            pass
    return None


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
