"""Where the documentation of a rule is read."""

from __future__ import annotations

HOME = "https://upcast-lint.readthedocs.io/"


def rule_url(name: str) -> str:
    return f"{HOME}rules/{name}/"
