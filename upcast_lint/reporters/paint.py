"""Colours for terminals, or none."""

from __future__ import annotations

import enum


class Color(enum.Enum):
    BOLD = "1"
    FAINT = "2"
    RED = "1;31"
    GREEN = "32"
    YELLOW = "33"
    BLUE = "1;34"
    CYAN = "36"


def paint(text: str, color: Color, has_color: bool) -> str:
    return f"\x1b[{color.value}m{text}\x1b[0m" if has_color and text else text
