"""What a program asks of a copy besides its data: of what type it is, and which tensor.

Answers
-------
same
    The source answers as the copy does: `isinstance(w, torch.Tensor)`.
settled
    The cast settles the answer, so that it can be written out: `w.dtype`.
open
    Only the copy itself can answer: `type(w)` of a parameter that was cast is a plain
    tensor, and `torch.FloatTensor` is a class of the elements and of the device.
"""

from __future__ import annotations

import ast
from typing import TypeGuard

from . import ops
from .casts import Cast
from .facts import Facts
from .ops import Role
from .tensor_calls import is_builtin
from .words import words

_SETTLED = {
    "is_floating_point": "True",
    "is_complex": "False",
}
_SIZES = ("element_size", "itemsize")

_NO_TENSORS = words("""
    list tuple dict set frozenset str bytes bool int float complex slice range
    numpy.ndarray numpy.generic numbers.Number numbers.Real numbers.Integral
    collections.abc.Mapping collections.abc.Sequence typing.Mapping typing.Sequence
    """)
_FAITHFUL = words("""
    torch.Tensor torch.distributed.tensor.DTensor torch.distributed._tensor.DTensor
    torch.distributed._tensor.api.DTensor
    """)
"""Classes that a cast neither leaves nor enters."""


def asks_for_class(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is `isinstance(…)` or `type(…)`, of a tensor or else."""
    return any(is_builtin(call.func, name, facts) for name in ("isinstance", "type"))


def has_same_class(call: ast.Call, facts: Facts) -> bool:
    """Whether a copy and its source are the same to an `isinstance(…)`."""
    return (
        is_builtin(call.func, "isinstance", facts)
        and len(call.args) == 2
        and not call.keywords
        and _is_blind(call.args[1], facts)
    )


def _is_blind(classes: ast.expr, facts: Facts) -> bool:
    match classes:
        case ast.Tuple(elts=parts):
            return all(_is_blind(part, facts) for part in parts)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _is_blind(left, facts) and _is_blind(right, facts)
        case ast.Name(id=name) if is_builtin(classes, name, facts):
            return name in _NO_TENSORS
        case _:
            dotted = facts.resolve(classes)
            return dotted is not None and dotted in _NO_TENSORS | _FAITHFUL


def settled_answer(node: ast.AST, cast: Cast) -> str | None:
    """What to write for a question about the copy's type, `.dtype` aside.

    None where the answer is open.
    """
    name = _asked(node)
    if name in _SIZES:
        return str(cast.itemsize)
    return _SETTLED.get(name)


def is_made_like(node: ast.AST | None) -> TypeGuard[ast.Call]:
    """Whether a call makes a new tensor that has, unless told, the type of another."""
    made = ops.tensor(_asked(node)) if isinstance(node, ast.Call) else None
    return made is not None and made.role in (Role.LIKE, Role.NEW)


def _asked(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def decides_alone(node: ast.expr, facts: Facts) -> bool:
    """Whether a test is left with nothing to ask once an answer is written out.

    `assert w.dtype == torch.float32` would become `assert torch.float32 ==
    torch.float32`.
    """
    parent = facts.tree.parents[node]
    match parent:
        case ast.Compare():
            return all(
                side is node or _is_constant(side, facts)
                for side in (parent.left, *parent.comparators)
            )
        case ast.UnaryOp(op=ast.Not()) | ast.BoolOp() | ast.Assert():
            return True
        case ast.If() | ast.While() | ast.IfExp():
            return parent.test is node
        case ast.comprehension():
            return node in parent.ifs
        case ast.match_case():
            return parent.guard is node
        case _:
            return False


def _is_constant(node: ast.expr, facts: Facts) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.Tuple() | ast.List() | ast.Set():
            return all(_is_constant(part, facts) for part in node.elts)
        case _:
            return (facts.resolve(node) or "").startswith("torch.")
