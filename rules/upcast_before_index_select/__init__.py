"""UPC002: index_select."""

from __future__ import annotations

from upcast_lint.rule import Rule

RULE = Rule(
    file=__file__,
    code="UPC002",
    name="upcast-before-index-select",
    summary="A whole tensor is upcast, and only selected slices of it are read",
    names=frozenset(("index_select",)),
)
