"""Which ends a statement has: what its text alone tells of where control goes.

Known are constant tests (`while True`, `if 0`), patterns that match everything,
`assert False`, calls that do not return, and context managers that stop exceptions.

Limits: a test is constant where it is written down, not where it is worked out; of
enumerations and classes it is not told that their cases are all there are; managers are
judged by name. What is not known to end is taken to go on.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

_NO_RETURN = frozenset(("sys.exit", "os._exit", "os.abort", "pytest.fail"))
"""Functions that end the program or raise, by the names they are called by."""

_NEVER = frozenset(("NoReturn", "Never"))


def constant_truth(test: ast.expr) -> bool | None:
    """The truth of a test that is written down; None where it has to be evaluated."""
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = constant_truth(operand)
            return None if inner is None else not inner
        case _:
            return None


def always_matches(pattern: ast.pattern) -> bool:
    """Whether a pattern matches whatever it is given: `_`, a name, `1 | _`."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return always_matches(inner)
        case ast.MatchOr(patterns=patterns):
            return any(map(always_matches, patterns))
        case _:
            return False


def raises(statement: ast.stmt, never: Collection[str]) -> bool:
    """Whether control never gets behind a simple statement, for it raises.

    It may call a function or a method of a name in `never`.
    """
    match statement:
        case ast.Raise():
            return True
        case ast.Assert(test=test):
            return constant_truth(test) is False
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name in never
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=holder), attr=name))
        ):
            return name in never or f"{holder}.{name}" in _NO_RETURN
        case _:
            return False


def never_returning(module: ast.Module) -> frozenset[str]:
    """The names of a file's functions and methods that say that they do not return."""
    found: set[str] = set()
    pending: list[ast.AST] = list(module.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef) and _says_never(node.returns):
            found.add(node.name)
        if isinstance(node, ast.stmt | ast.ExceptHandler):
            pending += getattr(node, "body", ())
            pending += getattr(node, "orelse", ())
            pending += getattr(node, "handlers", ())
    return frozenset(found)


def _says_never(returns: ast.expr | None) -> bool:
    match returns:
        case (
            ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name))
        ):
            return name.rpartition(".")[2] in _NEVER
        case _:
            return False


def may_swallow(manager: ast.expr) -> bool:
    """Whether a context manager may stop an exception, judged by its name."""
    callee = manager.func if isinstance(manager, ast.Call) else manager
    name = (
        callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
    )
    return "suppress" in name or "raises" in name or "ignore" in name
