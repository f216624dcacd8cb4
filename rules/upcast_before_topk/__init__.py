"""UPC008: topk, kthvalue and the median."""

from __future__ import annotations

from upcast_lint.rule import Rule

RULE = Rule(
    file=__file__,
    code="UPC008",
    name="upcast-before-topk",
    summary="A whole tensor is upcast, and only a few elements in its order are read",
    names=frozenset(("topk", "kthvalue", "median", "nanmedian")),
)
