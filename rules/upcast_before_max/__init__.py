"""UPC009: max, min, amax and amin."""

from __future__ import annotations

from upcast_lint.rule import Rule

RULE = Rule(
    file=__file__,
    code="UPC009",
    name="upcast-before-max",
    summary="A whole tensor is upcast, and only its largest or smallest is read",
    names=frozenset(("max", "min", "amax", "amin")),
)
