"""A finding's message with what stands against its fix, for formats of one text."""

from __future__ import annotations

from ..finding import Finding, Safety


def message_with_condition(finding: Finding) -> str:
    cell = f"cell {finding.cell}: " if finding.cell is not None else ""
    if finding.safety is Safety.SAFE:
        return f"{cell}{finding.message}"
    against = list(finding.notes) if finding.fix is None else []
    if finding.condition:
        what = "there is no fix" if finding.fix is None else "the fix is unsafe"
        against.insert(0, f"{what}: {finding.condition}")
    return "; ".join([f"{cell}{finding.message}", *against])
