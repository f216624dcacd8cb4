"""UPC001: gather, take_along_dim and take."""

from __future__ import annotations

import ast

from upcast_lint.analysis.indices import distinct_along, distinct_rows, permutation
from upcast_lint.analysis.indices.extent import may_expand
from upcast_lint.analysis.indices.ranks import known_rank
from upcast_lint.analysis.pieces.cuts import has_one_element
from upcast_lint.analysis.reads import Gradient, Selection, Use
from upcast_lint.analysis.values import integer, is_false


def recognise(use: Use) -> Selection | None:
    bound = use.bind()
    if bound is None or not is_false(bound.get("sparse_grad")):
        return None
    index = bound.get("index", bound.get("indices"))
    if index is None or not hasattr(use.node, "func"):
        return None
    if use.name == "take_along_dim" and "dim" not in bound:
        return None  # it flattens by a view, which wants memory without gaps
    axis = integer(bound.get("dim"))
    if use.name == "take":
        distinct = distinct_rows(
            index, use.facts, use.directives, use.cast.call, use.node
        )
        axis = None
    else:
        distinct = distinct_along(
            index,
            axis,
            use.facts,
            use.directives,
            use.cast.call,
            use.node,
            broadcasts=use.name == "take_along_dim",
        )
    text = " ".join(use.facts.text(index).split())
    return Selection(
        node=use.node,
        label=use.name,
        narrow=(
            None
            if _keeps_everything(use, index) or has_one_element(axis, use)
            else f"the elements that `{text}` names"
        ),
        axis=axis,
        kept="1" if distinct is not None and "one index" in distinct.reason else "K",
        gradient=Gradient.REPEATS,
        index=index,
        distinct=distinct,
        needs_float=True,
        takes_index_tensor=True,
    )


def _keeps_everything(use: Use, index: ast.expr) -> bool:
    """Whether an index only reorders, or takes each element of a vector again."""
    if permutation(index, use.facts):
        return True
    is_vector = use.name == "gather" and known_rank(index, use.facts) == 1
    return is_vector and may_expand(index, index, use.facts)
