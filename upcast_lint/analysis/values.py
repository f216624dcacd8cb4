"""Literals: their values, and what an index is made of."""

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


def items_of(index: ast.expr) -> list[ast.expr]:
    """The items between the commas of a subscript."""
    return index.elts if isinstance(index, ast.Tuple) else [index]


def is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def is_ellipsis(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def is_string(node: ast.AST | None) -> bool:
    """Whether an expression is a string, formatted or not."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def is_whole(item: ast.expr) -> bool:
    """Whether an item of a subscript takes all of an axis, or adds one."""
    match item:
        case ast.Slice(lower=None, upper=None, step=None):
            return True
        case _:
            return is_none(item) or is_ellipsis(item)


def truth(node: ast.expr | None) -> bool | None:
    """The value of a literal `True` or `False`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return node.value
    return None


def is_false(node: ast.expr | None) -> bool:
    """Whether an optional flag is absent or evidently off."""
    return node is None or (isinstance(node, ast.Constant) and node.value in (None, 0))
