"""UPC009: max, min, amax and amin.

`max(dim)` and `min(dim)` name the first of equal elements, and the gradient goes to
it alone. The others share the gradient among all of them.
"""

from __future__ import annotations

import ast

from upcast_lint.analysis.reads import Gradient, Result, Selection, Use
from upcast_lint.analysis.scalars import Operand, classify_operand
from upcast_lint.analysis.values import integer, is_false

_EXTREMES = {"max": "largest", "amax": "largest", "min": "smallest", "amin": "smallest"}


def recognise(use: Use) -> Selection | None:
    extreme = _EXTREMES.get(use.name)
    if extreme is None:
        return None
    bound = use.bind()
    if bound is None or "other" in bound:
        return None
    if use.name in ("max", "min") and "dim" in bound:
        return _pair(use, bound, extreme) if _is_dimension(use, bound) else None
    if use.name in ("max", "min") and "keepdim" in bound:
        return None
    dimension = bound.get("dim")
    return Selection(
        node=use.node,
        label=use.name,
        narrow=(
            "one number"
            if _is_everything(dimension)
            else f"the {extreme} element of each line"
        ),
        axis=integer(dimension),
        kept=_kept(bound),
        gradient=Gradient.TIES,
        order_only=True,
        unstable_zeros=True,
        needs_float=True,
    )


def _pair(use: Use, bound: dict[str, ast.expr], extreme: str) -> Selection:
    """Values and indices along one dimension."""
    return Selection(
        node=use.node,
        label=use.name,
        narrow=f"the {extreme} element of each line",
        axis=integer(bound["dim"]),
        kept=_kept(bound),
        result=Result.PAIR,
        order_only=True,
        needs_float=True,
    )


def _is_dimension(use: Use, bound: dict[str, ast.expr]) -> bool:
    """Whether the second argument is no tensor to compare with, as in `max(a, b)`."""
    assert isinstance(use.node, ast.Call)
    if "keepdim" in bound or any(k.arg == "dim" for k in use.node.keywords):
        return True
    return classify_operand(bound["dim"], use.facts) in (
        Operand.NUMBER,
        Operand.ASSUMED_NUMBER,
    )


def _is_everything(dimension: ast.expr | None) -> bool:
    """Without dimensions, or with none of them, the whole tensor is reduced."""
    match dimension:
        case None | ast.Constant(value=None) | ast.Tuple(elts=[]) | ast.List(elts=[]):
            return True
        case _:
            return False


def _kept(bound: dict[str, ast.expr]) -> str:
    return "" if is_false(bound.get("keepdim")) else "1"
