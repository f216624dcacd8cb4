"""UPC003: indexing by masks and tensors of integers, and masked_select."""

from __future__ import annotations

from upcast_lint.rule import Rule

RULE = Rule(
    file=__file__,
    code="UPC003",
    name="upcast-before-indexing",
    summary="A whole tensor is upcast, and only indexed elements of it are read",
    names=frozenset(("masked_select",)),
    takes_elements=True,
)
