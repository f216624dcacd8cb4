"""How much work the analysis of one function may take, counted in steps.

A step is about a microsecond or two: a node that a path passes, a name that a branch
copies. Steps are counted and not timed, so that a file has the same findings on every
machine. Code that people write takes thousands; what takes millions is generated, or
meant to keep the tool busy.
"""

from __future__ import annotations

MOST_STEPS = 1_000_000


class TooMuchWork(Exception):
    """The analysis was given up."""


class Work:
    """The steps that are left of a budget."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def begin(self) -> None:
        """Start anew, for another function."""
        self.left = MOST_STEPS

    def spend(self, steps: int) -> None:
        """Raises TooMuchWork where the budget is used up."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork
