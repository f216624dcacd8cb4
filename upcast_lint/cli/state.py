"""What a run has come to, and the exit code that follows."""

from __future__ import annotations

from collections.abc import Sequence

from ..runner import Outcome
from .messages import CLEAN, FAILED, FOUND
from .options import Options


class Run:
    """What has happened so far. `problems` make the exit code 2."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.outcomes: list[Outcome] = []
        self.diffs: dict[str, bytes] = {}
        self.written = 0


def exit_code(
    outcomes: Sequence[Outcome], problems: Sequence[str], options: Options
) -> int:
    """Problems first: a run that could not do its work is not known to be clean."""
    left = any(outcome.checked.findings for outcome in outcomes)
    fixed = any(outcome.checked.fixed for outcome in outcomes)
    if problems:
        return FAILED
    if fixed and options.exit_non_zero_on_fix:
        return FOUND
    if options.exit_zero or (options.fix_only and not options.diff):
        return CLEAN
    return FOUND if left or (options.diff and fixed) else CLEAN
