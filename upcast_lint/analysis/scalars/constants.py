"""The values of literals, and of names that are bound to one once."""

from __future__ import annotations

import ast
import math

from ..facts import Facts
from ..names import Binding
from ..tensor_calls import is_builtin

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
    reaching = facts.definition(value)
    if reaching is not None and reaching.binding is Binding.FREE:
        found = facts.outer(reaching.name)
        outer = None if found is None else found.assigned
        if outer is not None and not isinstance(outer, ast.Name):
            return exact_constant(outer, facts)
    return _NUMBERS.get(facts.resolve(node) or "")
