"""What a run has come to, and the exit code that follows."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..config import FailOn
from ..finding import Finding, Safety
from ..run_rules import UNREADABLE
from ..runner import Outcome
from ..session import Session
from .messages import CLEAN, FAILED, FOUND
from .options import Options


class Run:
    """What has happened so far. `problems` make the exit code 2."""

    def __init__(self) -> None:
        self.started_ns = time.time_ns()
        self.problems: list[str] = []
        self.outcomes: list[Outcome] = []
        self.silent = 0
        self.diffs: dict[str, bytes] = {}
        self.written = 0


def exit_code(
    outcomes: Sequence[Outcome],
    problems: Sequence[str],
    session: Session,
    options: Options,
) -> int:
    """Problems first: a run that could not do its work is not known to be clean."""
    is_failing = any(_fails(outcome, session, options) for outcome in outcomes)
    fixed = any(outcome.checked.fixed for outcome in outcomes)
    if problems:
        return FAILED
    if fixed and options.exit_non_zero_on_fix:
        return FOUND
    if options.exit_zero or (options.fix_only and not options.diff):
        return CLEAN
    return FOUND if is_failing else CLEAN


def _fails(outcome: Outcome, session: Session, options: Options) -> bool:
    """Whether what is left of a file makes the run fail, by its own settings.

    A diff leaves what it would fix.
    """
    findings = outcome.checked.findings
    if options.diff:
        findings += outcome.checked.fixed
    if not findings:
        return False
    gate = options.fail_on or session.settings_of(outcome.absolute).fail_on
    return any(_counts(finding, gate) for finding in findings)


def _counts(finding: Finding, gate: FailOn) -> bool:
    """A file that could not be parsed could hold anything, so it always does."""
    if gate is FailOn.ANY or finding.code == UNREADABLE:
        return True
    if finding.fix is None:
        return False
    tiers = {Safety.SAFE} if gate is FailOn.SAFE else {Safety.SAFE, Safety.UNSAFE}
    return finding.fix.safety in tiers
