"""A finding's message with what stands against its fix, for formats of one text."""

from __future__ import annotations

from ..finding import Finding, Safety


def message_with_condition(finding: Finding) -> str:
    cell = f"cell {finding.cell}: " if finding.cell is not None else ""
    if finding.safety is Safety.SAFE or not finding.condition:
        return f"{cell}{finding.message}"
    what = "there is no fix" if finding.fix is None else "the fix is unsafe"
    return f"{cell}{finding.message}; {what}: {finding.condition}"
