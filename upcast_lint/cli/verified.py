"""`--verify-with`: fixes are made only where running both versions shows no change."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..report import Placed
from ..reporters.place import place
from ..runner import Outcome
from .messages import say

if TYPE_CHECKING:
    from ..checker import Gate


def gate_of(path: str, *, is_fixing: bool) -> Gate:
    """Says that code will run. Raises UsageError where it cannot, or should not."""
    if not is_fixing:
        raise UsageError("--verify-with goes with --fix, --fix-only or --diff")
    # By name, so that `check` knows nothing of what runs code until it is asked to.
    admission = importlib.import_module("upcast_lint.verify.admission")
    gate: Gate = admission.read_gate(path)
    say("note", f"the functions in {path} are run, in child processes, to verify fixes")
    return gate


def say_refused(outcome: Outcome) -> None:
    for finding in outcome.checked.refused:
        where = place(Placed(finding, outcome.path, outcome.absolute, None))
        say("warning", f"{where}: not fixed, {finding.condition}")
