"""Literal values of expressions."""

from __future__ import annotations

import ast


def integer(node: ast.expr | None) -> int | None:
    """The value of an integer literal, with its sign."""
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if (
            type(value) is int
        ):
            return -value
        case _:
            return None


def truth(node: ast.expr | None) -> bool | None:
    """The value of a literal `True` or `False`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return node.value
    return None


def is_false(node: ast.expr | None) -> bool:
    """Whether an optional flag is absent or evidently off."""
    return node is None or (isinstance(node, ast.Constant) and node.value in (None, 0))
