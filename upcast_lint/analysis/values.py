"""Literal values of expressions."""

from __future__ import annotations

import ast


def integer(node: ast.expr | None) -> int | None:
    """The value of an integer literal, sign included, or None."""
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
        case _:
            return None


def is_false(node: ast.expr | None) -> bool:
    """Whether an optional flag is absent or evidently off."""
    return node is None or (isinstance(node, ast.Constant) and node.value in (None, 0))
