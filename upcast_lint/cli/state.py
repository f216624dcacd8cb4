"""What a run has come to, and the exit code that follows."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..runner import Outcome
from .messages import CLEAN, FAILED, FOUND
from .options import Options


@dataclass(slots=True)
class Run:
    """What has happened so far. `problems` make the exit code 2."""

    outcomes: list[Outcome] = field(default_factory=list)
    diffs: list[bytes] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    written: int = 0


def exit_code(run: Run, options: Options) -> int:
    left = any(outcome.checked.findings for outcome in run.outcomes)
    fixed = any(outcome.checked.fixed for outcome in run.outcomes)
    if run.problems:
        return FAILED
    if fixed and options.exit_non_zero_on_fix:
        return FOUND
    if options.exit_zero or (options.fix_only and not options.diff):
        return CLEAN
    return FOUND if left or (options.diff and fixed) else CLEAN
