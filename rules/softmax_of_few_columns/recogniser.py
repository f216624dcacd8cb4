"""UPC020: softmax and log_softmax of which few columns are kept."""

from __future__ import annotations

import ast

from upcast_lint.analysis.columns import columns_kept
from upcast_lint.analysis.reads import Use, Waste
from upcast_lint.analysis.values import integer

_ADVICE = (
    "each value needs all columns of its row. People take chunks of rows (equal bits; "
    "checkpoint them where gradients flow), or `gather` minus `logsumexp` of each "
    "chunk (the last bits differ), or a kernel that makes neither tensor"
)


def recognise(use: Use) -> Waste | None:
    bound = use.bind()
    if bound is None or not isinstance(use.node, ast.Call):
        return None
    axis = integer(bound.get("dim"))
    kept = None if axis is None else columns_kept(use.node, axis, use.facts)
    if not kept:
        return None
    text = " ".join(use.facts.text(kept[0].index).split())
    named = f"the columns that `{text}` names"
    makes = 1 if use.cast.is_inside else 2
    return Waste(use.name, named, kept[0].node, makes, _ADVICE)
