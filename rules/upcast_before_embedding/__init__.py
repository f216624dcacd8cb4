"""UPC006: embedding of an upcast weight."""

from __future__ import annotations

from upcast_lint.rule import Rule

RULE = Rule(
    file=__file__,
    code="UPC006",
    name="upcast-before-embedding",
    summary="A whole embedding weight is upcast, and only looked-up rows are read",
    names=frozenset(("embedding",)),
)
