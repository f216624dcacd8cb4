"""The findings that speak about the run instead of a cast."""

from __future__ import annotations

import os
from typing import NamedTuple

from ..finding import Finding, Position, Range

UNREADABLE = "UPC900"
UNREADABLE_NAME = "unreadable-source"
UNUSED = "UPC901"
UNUSED_NAME = "unused-suppression"


class RunRule(NamedTuple):
    """Described like a rule; it recognises nothing in the code."""

    code: str
    name: str
    summary: str
    is_optional: bool = False

    def doc(self) -> str:
        """The page, in Markdown."""
        path = os.path.join(os.path.dirname(__file__), f"{self.name}.md")
        with open(path, encoding="utf-8") as file:
            return file.read()


RUN_RULES = (
    RunRule(
        UNREADABLE,
        UNREADABLE_NAME,
        "A file cannot be decoded or parsed, so nothing is known about it",
    ),
    RunRule(UNUSED, UNUSED_NAME, "A suppression comment silences nothing"),
)


def fault(reason: str, at: Position, cell: int | None = None) -> Finding:
    """The finding that says why something could not be looked at."""
    message = f"not checked: {reason}"
    return Finding(UNREADABLE, UNREADABLE_NAME, message, Range(at, at), cell=cell)
