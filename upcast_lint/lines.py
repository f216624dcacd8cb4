"""The lines of a text as rows count them: ended by LF, CR LF or a lone CR."""

from __future__ import annotations

import re
from functools import lru_cache

_LINE_END = re.compile(r"\r\n|\r|\n")


@lru_cache(maxsize=4)
def lines_of(text: str) -> tuple[str, ...]:
    """Without their ends. Kept for a while: each finding of a file asks again."""
    return tuple(_LINE_END.split(text))
