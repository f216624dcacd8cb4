"""UPC001: gather, take_along_dim and take."""

from __future__ import annotations

from upcast_lint.rule import Rule

RULE = Rule(
    file=__file__,
    code="UPC001",
    name="upcast-before-gather",
    summary="A whole tensor is upcast, and only gathered elements of it are read",
    names=frozenset(("gather", "take", "take_along_dim")),
)
