"""What shows how a tensor was made, beside what it holds.

The text of a tensor that takes part in backward names the step that made it
(`grad_fn=<SelectBackward0>`), so `print(x.float()[0])` and `print(x[0].float())` write
different lines. And a selection that is a view of the copy is one of the source no more
once it is cast.

Limits: a value is followed through a few names, displays and views of the same scope.
What is returned or handed on is nobody's text here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .syntax import is_none_test
from .tensor_calls import is_builtin
from .words import words

_DEPTH = 5
_BUILTINS = words("print str repr format ascii")
_LOGGING = words("debug info warning warn error critical exception log")
_TELLING = words("grad_fn __repr__ __str__ __format__")
_OWN = words("_base _is_view")


def text_of(value: ast.expr, facts: Facts) -> ast.AST | None:
    """What tells the `grad_fn` of a tensor, such as a text of it, or None.

    `f"{value:.3f}"` formats a number.
    """
    return next(_texts(value, facts, _DEPTH), None)


def view_test_of(value: ast.expr, facts: Facts) -> str | None:
    """The attribute by which the scope asks whether a tensor is a view, if it does."""
    for each in _followed(value, facts, _DEPTH):
        parent = facts.tree.parents[each]
        if isinstance(parent, ast.Attribute) and parent.attr in _OWN:
            return parent.attr
    return None


def _texts(value: ast.expr, facts: Facts, depth: int) -> Iterator[ast.AST]:
    for each in _followed(value, facts, depth):
        parent = facts.tree.parents[each]
        match parent:
            case ast.FormattedValue():
                if parent.conversion != -1 or parent.format_spec is None:
                    yield parent
            case ast.Attribute(attr=name) if name in _TELLING:
                if not is_none_test(facts.tree.parents[parent]):
                    yield parent
            case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str())):
                yield parent
            case ast.Call() if each in parent.args and _makes_text(parent, facts):
                yield parent
            case ast.keyword():
                call = facts.tree.parents[parent]
                if isinstance(call, ast.Call) and _makes_text(call, facts):
                    yield call
            case _:
                pass


def _makes_text(call: ast.Call, facts: Facts) -> bool:
    match call.func:
        case ast.Name(id=name):
            is_text = name in _BUILTINS or name.endswith(("Error", "Exception"))
            return is_text and is_builtin(call.func, name, facts)
        case ast.Attribute(value=ast.Constant(value=str()), attr="format"):
            return True
        case ast.Attribute(value=receiver, attr=name):
            said = ast.unparse(receiver).lower()
            return name in _LOGGING and "log" in said
        case _:
            return False


def _followed(value: ast.expr, facts: Facts, depth: int) -> Iterator[ast.expr]:
    """A value, and what holds it whole: names, displays, views of it."""
    yield value
    if depth == 0:
        return
    parent = facts.tree.parents[value]
    match parent:
        case ast.Tuple() | ast.List() | ast.Set() | ast.Starred() | ast.NamedExpr():
            yield from _followed(parent, facts, depth - 1)
        case ast.Dict() if value in parent.values:
            yield from _followed(parent, facts, depth - 1)
        case ast.IfExp() if value is not parent.test:
            yield from _followed(parent, facts, depth - 1)
        case ast.Subscript() if value is parent.value:
            yield from _followed(parent, facts, depth - 1)
        case _:
            pass
    for definition in facts.names.giving(value):
        for load in facts.names.uses.get(definition, []):
            yield from _followed(load, facts, depth - 1)
