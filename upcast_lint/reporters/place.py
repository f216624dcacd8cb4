"""A finding's place, as text formats write it."""

from __future__ import annotations

from ..escape import visible
from ..report import Placed


def place(placed: Placed) -> str:
    """`src/loss.py:42:5`, in a notebook `eval.ipynb:cell 3:5:1`."""
    start = placed.finding.range.start
    cell = f":cell {placed.finding.cell}" if placed.finding.cell else ""
    return f"{visible(placed.path)}{cell}:{start.row}:{start.column}"
