"""UPC005: a loop that reads the copy piece by piece."""

from __future__ import annotations

from upcast_lint.rule import Rule

RULE = Rule(
    file=__file__,
    code="UPC005",
    name="upcast-before-chunk-loop",
    summary="A whole tensor is upcast, and a loop reads it piece by piece",
    roles=frozenset(("part", "parts")),
    takes_elements=True,
)
