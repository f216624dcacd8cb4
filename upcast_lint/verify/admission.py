"""Which fixes `check --fix --verify-with` may make: those that a plan's runs passed.

Imports no torch; the child processes that run the user's code do.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ..checker import Gate
from ..errors import UsageError
from ..finding import Finding
from ..linter import Options
from ..source import Source
from .gate import GateError, keep_verified, require_torch
from .plan import Plan, PlanError, read_plan


def read_gate(path: str) -> Gate:
    """Raises UsageError where the plan cannot be read or there is no torch."""
    try:
        require_torch()
        return partial(_refusals, plan=read_plan(Path(path)))
    except (GateError, PlanError) as error:
        raise UsageError(str(error)) from error


def _refusals(
    source: Source, options: Options, findings: tuple[Finding, ...], *, plan: Plan
) -> Mapping[Finding, str]:
    gated = keep_verified(source, options, findings, plan)
    return {each.finding: f"not verified: {each.reason}" for each in gated.rejected}
