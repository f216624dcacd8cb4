"""UPC007: argmax and argmin, which need no cast at all."""

from __future__ import annotations

from upcast_lint.analysis.reads import Result, Selection, Use
from upcast_lint.analysis.values import integer, is_false

_EXTREMES = {"argmax": "largest", "argmin": "smallest"}


def recognise(use: Use) -> Selection | None:
    extreme = _EXTREMES.get(use.name)
    if extreme is None:
        return None
    bound = use.bind()
    if bound is None:
        return None
    return Selection(
        node=use.node,
        label=use.name,
        narrow=f"the position of the {extreme} element",
        axis=integer(bound.get("dim")),
        kept="" if is_false(bound.get("keepdim")) else "1",
        result=Result.INDICES,
        order_only=True,
        needs_float=True,
    )
