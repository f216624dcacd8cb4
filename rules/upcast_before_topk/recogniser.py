"""UPC008: topk, kthvalue and the median.

Which of several equal elements they name is documented as unstable (`topk`), as
nondeterministic on CUDA (`kthvalue`) or as particular to the device (`median`), and
the gradient goes to the element they name.
"""

from __future__ import annotations

import ast

from upcast_lint.analysis.facts import Facts
from upcast_lint.analysis.reads import Gradient, Result, Selection, Use
from upcast_lint.analysis.scalars import exact_constant
from upcast_lint.analysis.shape_reads import size_of
from upcast_lint.analysis.values import integer, is_false, is_none

_WHOLE_SIZES = frozenset(
    ("V", "V_local", "vocab_size", "vocab_size_local", "num_classes", "n_vocab")
)
"""Names by which the size of a whole dimension usually goes."""


def recognise(use: Use) -> Selection | None:
    bound = use.bind()
    if bound is None:
        return None
    if use.name == "topk":
        return _topk(use, bound)
    if use.name == "kthvalue":
        return (
            _one_of_each_line(use, bound, "the element of one rank")
            if ("k" in bound)
            else None
        )
    if bound.keys() <= {"input", "self"}:
        return _median_of_all(use)
    if "dim" not in bound or is_none(bound["dim"]):
        return None
    return _one_of_each_line(use, bound, "the median")


def _topk(use: Use, bound: dict[str, ast.expr]) -> Selection | None:
    """With `sorted=False` even the order of the values is open: not recognised."""
    count = bound.get("k")
    if count is None or not _is_true(bound.get("sorted")):
        return None
    text = " ".join(use.facts.text(count).split())
    number = exact_constant(count, use.facts)
    extreme = "largest" if _is_true(bound.get("largest")) else "smallest"
    kept = f"the `{text}` {extreme} elements of each line"
    return Selection(
        node=use.node,
        label="topk",
        narrow=None if _is_whole_size(count, use) else kept,
        axis=_axis(bound),
        kept=str(number) if isinstance(number, int) else "K",
        result=Result.PAIR,
        gradient=Gradient.TIES,
        order_only=True,
        unstable_ties=True,
        needs_float=True,
    )


def _one_of_each_line(use: Use, bound: dict[str, ast.expr], kept: str) -> Selection:
    return Selection(
        node=use.node,
        label=use.name,
        narrow=f"{kept} of each line",
        axis=_axis(bound),
        kept="" if is_false(bound.get("keepdim")) else "1",
        result=Result.PAIR,
        gradient=Gradient.TIES,
        order_only=True,
        unstable_ties=True,
        needs_float=True,
    )


def _median_of_all(use: Use) -> Selection:
    """A single number, among whose ties the gradient is shared out."""
    return Selection(
        node=use.node,
        label=use.name,
        narrow="one number",
        gradient=Gradient.TIES,
        order_only=True,
        needs_float=True,
    )


def _axis(bound: dict[str, ast.expr]) -> int | None:
    return integer(bound["dim"]) if "dim" in bound else -1


def _is_whole_size(count: ast.expr, use: Use) -> bool:
    """Whether `k` evidently is all of a dimension, or all but a few elements."""
    count = use.facts.value(count)
    match count:
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return integer(right) is not None and _is_whole_size(left, use)
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in _WHOLE_SIZES:
            return True
        case _:
            size = size_of(count, use.facts)
            return size is not None and _is_operand(size.tensor, use)


def _is_operand(owner: ast.expr, use: Use) -> bool:
    return _text(owner, use.facts) in (
        _text(use.operand, use.facts),
        _text(use.cast.source, use.facts),
    )


def _text(node: ast.expr, facts: Facts) -> str:
    return "".join(facts.text(node).split())


def _is_true(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is True)
