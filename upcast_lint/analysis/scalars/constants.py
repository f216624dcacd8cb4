"""The values of literals, and of names that are bound to one once."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from ..facts import Facts
from ..graph.chains import Names
from ..names import Binding, Definition
from ..tensor_calls import (
    is_builtin,
)

_NUMBERS = {
    "math.inf": math.inf,
    "math.nan": math.nan,
    "math.pi": math.pi,
    "math.e": math.e,
    "torch.inf": math.inf,
    "torch.nan": math.nan,
    "torch.pi": math.pi,
    "numpy.inf": math.inf,
    "numpy.nan": math.nan,
    "numpy.pi": math.pi,
}


def exact_constant(node: ast.expr, facts: Facts) -> float | int | None:
    """The value of a literal, with its sign, or of a name that is bound to one once."""
    match node:
        case ast.Constant(value=value):
            if isinstance(value, int | float) and not isinstance(value, bool):
                return value
            return None
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            inner = exact_constant(operand, facts)
            if inner is None or isinstance(sign, ast.UAdd):
                return inner
            return -inner
        case ast.Call(func=function, args=[ast.Constant(value=str() as text)]):
            return _spelled(text) if is_builtin(function, "float", facts) else None
        case ast.Attribute():
            return _NUMBERS.get(facts.resolve(node) or "")
        case ast.Name():
            return _bound_constant(node, facts)
        case _:
            return None


def _spelled(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _bound_constant(node: ast.Name, facts: Facts) -> float | int | None:
    value = facts.value(node)
    if value is not node and not isinstance(value, ast.Name):
        return exact_constant(value, facts)
    if isinstance(value, ast.Name):
        outer = _outer_value(value, facts)
        if outer is not None and not isinstance(outer, ast.Name):
            return exact_constant(outer, facts)
    return _NUMBERS.get(facts.resolve(node) or "")


def _outer_value(node: ast.Name, facts: Facts) -> ast.expr | None:
    """What a name of an enclosing scope is bound to, if it is bound there just once."""
    found = _outer_definition(node, facts)
    if found is None or found.binding is not Binding.ASSIGNED:
        return None
    return None if is_declared_global(node.id, facts) else found.value


def _outer_definition(node: ast.Name, facts: Facts) -> Definition | None:
    reaching = facts.names.only(node)
    if reaching is None or reaching.binding is not Binding.FREE:
        return None
    for names in enclosing(facts):
        found = names.named(node.id)
        if found:
            return found[0] if len(found) == 1 else None
    return None


def enclosing(facts: Facts) -> Iterator[Names]:
    for names in facts.imports.outer:
        if not isinstance(names.scope, ast.ClassDef):
            yield names


def is_declared_global(name: str, facts: Facts) -> bool:
    """Whether some function may rebind a name of a scope around it."""
    return facts.is_declared(name)
