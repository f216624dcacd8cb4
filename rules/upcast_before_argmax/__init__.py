"""UPC007: argmax and argmin, which need no cast at all."""

from __future__ import annotations

from upcast_lint.rule import Rule

RULE = Rule(
    file=__file__,
    code="UPC007",
    name="upcast-before-argmax",
    summary="A whole tensor is upcast, and only the place of its extremum is read",
    names=frozenset(("argmax", "argmin")),
)
