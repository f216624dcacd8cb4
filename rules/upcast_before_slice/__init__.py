"""UPC004: slices and integers, narrow, select, diagonal, one part of split or chunk."""

from __future__ import annotations

from upcast_lint.rule import Rule

RULE = Rule(
    file=__file__,
    code="UPC004",
    name="upcast-before-slice",
    summary="A whole tensor is upcast, and only a slice of it is read",
    roles=frozenset(("part", "parts")),
    takes_elements=True,
)
