"""Expressions as libcst has them: their parentheses, and the cast of another one."""

from __future__ import annotations

import ast
from typing import TypeVar

import libcst as cst

from .comments import comments_in

Expression = TypeVar("Expression", bound=cst.BaseExpression)

_PRIMARIES = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.List,
    cst.Dict,
    cst.ListComp,
)
"""What a method can be called on as it is written."""


def bare(node: Expression) -> Expression:
    """An expression without the parentheses around it."""
    return node.with_changes(lpar=(), rpar=()) if node.lpar else node


def within(node: cst.BaseExpression, content: Expression) -> Expression:
    """An expression in the parentheses around another, if there are any."""
    return content.with_changes(
        lpar=[*node.lpar, *content.lpar], rpar=[*content.rpar, *node.rpar]
    )


def in_parentheses(node: Expression) -> Expression:
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def is_primary(node: cst.BaseExpression) -> bool:
    return bool(node.lpar) or isinstance(node, _PRIMARIES)


def operand(node: Expression) -> Expression:
    """An expression that binds as closely as a name does."""
    return node if is_primary(node) else in_parentheses(node)


def fitted(node: Expression, needs_parentheses: bool, is_enclosed: bool) -> Expression:
    """An expression for a place, with no more parentheses than it needs there."""
    inner = bare(node)
    if is_enclosed or (
        is_primary(inner) if needs_parentheses else _stands_alone(inner)
    ):
        return node if comments_in(*node.lpar, *node.rpar) else inner
    return node if node.lpar else in_parentheses(node)


def _stands_alone(node: cst.BaseExpression) -> bool:
    """Whether no line of it ends outside of brackets."""
    try:
        ast.parse(code_of(node), mode="eval")
    except SyntaxError:
        return False
    return True


def code_of(node: cst.CSTNode) -> str:
    return cst.Module(()).code_for_node(node)


class CastSpelling:
    """A cast as it is written, to be written of something else.

    Its arguments go on one line where it is a method, or where the comments between
    them do not stay.
    """

    def __init__(self, call: cst.Call, is_method: bool, keeps_comments: bool) -> None:
        self.is_method = is_method
        self.call = bare(call)
        comments = comments_in(call.whitespace_before_args, *call.args)
        if not keeps_comments if comments else is_method:
            self.call = _on_one_line(self.call)

    def of(
        self, source: cst.BaseExpression, dot: cst.Dot | None = None
    ) -> cst.BaseExpression:
        """The cast of `source`; `dot` is what is written before a method's name."""
        if not self.is_method:
            first, *others = self.call.args
            first = first.with_changes(value=bare(source))
            found = self.call.with_changes(args=[first, *others])
            return found if _stands_alone(found) else in_parentheses(found)
        function = bare(cst.ensure_type(self.call.func, cst.Attribute))
        return self.call.with_changes(
            func=function.with_changes(value=operand(source), dot=dot or cst.Dot())
        )


def _on_one_line(call: cst.Call) -> cst.Call:
    """A call whose arguments were on lines of their own."""
    code = code_of(call.with_changes(func=cst.Name("cast")))
    if len(code.splitlines()) == 1:
        return call
    short = cst.parse_expression(ast.unparse(ast.parse(code, mode="eval")))
    return cst.ensure_type(short, cst.Call).with_changes(func=call.func)
