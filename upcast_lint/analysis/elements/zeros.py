"""Whether a tensor may hold a negative zero."""

from __future__ import annotations

import ast

from .. import ops
from ..facts import Facts
from ..ops import Role


def is_never_negative_zero(source: ast.expr, facts: Facts) -> bool:
    """Whether a tensor evidently holds no negative zero, by how it is made."""
    value = facts.value(source)
    if not isinstance(value, ast.Call):
        return False
    dotted = facts.resolve(value.func)
    if dotted is not None:
        made = ops.function(dotted)
        return made is not None and made.is_positive
    if not isinstance(value.func, ast.Attribute):
        return False
    made = ops.method(value.func.attr)
    if made is not None and made.role is Role.VIEW:
        return is_never_negative_zero(value.func.value, facts)
    return made is not None and made.is_positive
