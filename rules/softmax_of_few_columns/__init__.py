"""UPC020: softmax and log_softmax of which few columns are kept."""

from __future__ import annotations

from upcast_lint.rule import Rule

RULE = Rule(
    file=__file__,
    code="UPC020",
    name="softmax-of-few-columns",
    summary="A whole tensor is upcast for a softmax of which few columns are kept",
    names=frozenset(("softmax", "log_softmax")),
    is_optional=True,
)
