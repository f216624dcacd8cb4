"""UPC002: index_select."""

from __future__ import annotations

from upcast_lint.analysis.indices import distinct_rows
from upcast_lint.analysis.indices.extent import may_expand
from upcast_lint.analysis.pieces.cuts import has_one_element
from upcast_lint.analysis.reads import Gradient, Selection, Use
from upcast_lint.analysis.values import integer


def recognise(use: Use) -> Selection | None:
    bound = use.bind()
    if bound is None:
        return None
    index = bound["index"]
    axis = integer(bound["dim"])
    text = " ".join(use.facts.text(index).split())
    return Selection(
        node=use.node,
        label="index_select",
        narrow=(
            None
            if may_expand(index, use.cast.source, use.facts)
            or has_one_element(axis, use)
            else f"the slices that `{text}` names along dimension "
            f"{use.facts.text(bound['dim'])}"
        ),
        axis=axis,
        gradient=Gradient.REPEATS,
        index=index,
        distinct=distinct_rows(
            index, use.facts, use.directives, use.cast.call, use.node, vector=True
        ),
        takes_index_tensor=True,
        rows=index if axis == 0 else None,
    )
