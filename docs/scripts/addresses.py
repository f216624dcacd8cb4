"""The address of the repository in the pages, as `upcast_lint/links.py` has it."""

from __future__ import annotations

import re

from upcast_lint.links import OWNER

_OWNER = re.compile(r"(?P<before>github\.com/|uses: )[\w.-]+(?=/upcast-lint\b)")


def addressed(text: str, owner: str = OWNER) -> str:
    """The text with `owner` wherever a reader is told where the repository is."""
    return _OWNER.sub(lambda match: match["before"] + owner, text)
