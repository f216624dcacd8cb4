"""Whether a tensor may hold a negative zero."""

from __future__ import annotations

import ast

from .. import operators
from ..facts import Facts

_NEVER_NEGATIVE_ZERO = operators.words("abs absolute exp softmax sigmoid square norm")


def is_never_negative_zero(source: ast.expr, facts: Facts) -> bool:
    """Whether a tensor evidently holds no negative zero, by how it is made."""
    value = facts.value(source)
    if not isinstance(value, ast.Call):
        return False
    function = value.func
    if isinstance(function, ast.Attribute):
        if function.attr in operators.VIEWS - operators.SIGNS:
            return is_never_negative_zero(function.value, facts)
        return function.attr in _NEVER_NEGATIVE_ZERO
    name = (facts.resolve(function) or "").rpartition(".")[2]
    return name in _NEVER_NEGATIVE_ZERO
