"""What a run hands to the reporters, and the sums that several of them need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .finding import Finding, Safety
from .run_rules import UNREADABLE
from .runner import Outcome


class Placed(NamedTuple):
    """A finding, the file it is in, and the text of the file or its cell if known."""

    finding: Finding
    path: str
    absolute: str
    text: str | None

    @property
    def marker(self) -> str:
        """`[*]` fixable, `[!]` fixable with --unsafe-fixes, else nothing."""
        fix = self.finding.fix
        if fix is None:
            return ""
        return {Safety.SAFE: "[*]", Safety.UNSAFE: "[!]"}.get(fix.safety, "")


class Report(NamedTuple):
    """`outcomes` are sorted by path; of `silent` further files there is nothing to say.

    `sizes` are those that the user states.
    """

    outcomes: tuple[Outcome, ...]
    sizes: dict[str, int]
    notes: list[str]
    """What a reporter has to say beside the report, such as a limit of its format."""
    silent: int = 0
    seconds: float = 0.0
    root: str = ""
    is_quiet: bool = False
    has_color: bool = False
    takes_unsafe: bool = False
    """Unsafe fixes were asked for, so that none is left to be offered."""

    def findings(self) -> Iterator[Placed]:
        for outcome in self.outcomes:
            checked = outcome.checked
            for finding in checked.findings:
                text = checked.texts.get(finding.cell or 0)
                yield Placed(finding, outcome.path, outcome.absolute, text)

    def bytes_of(self, finding: Finding) -> int:
        """The estimated saving; 0 where a size is not known."""
        estimate = finding.estimate
        return (estimate.bytes_at(self.sizes) or 0) if estimate else 0

    def total_bytes(self) -> int:
        """The sum over casts: the findings of one cast spare its copy once."""
        casts = {
            (placed.path, placed.finding.cell, placed.finding.cast): self.bytes_of(
                placed.finding
            )
            for placed in self.findings()
        }
        return sum(casts.values())

    def assumed(self, findings: list[Finding]) -> str:
        """`B=1, S=8192`: the sizes that the estimates of `findings` rest on."""
        used = {
            name
            for finding in findings
            if finding.estimate and self.bytes_of(finding)
            for name in finding.estimate.names
        }
        return ", ".join(f"{k}={v}" for k, v in self.sizes.items() if k in used)

    def by_saving(self) -> list[Placed]:
        """Largest estimated saving first; unreadable files, which hide any, before."""
        return sorted(
            self.findings(),
            key=lambda placed: (
                placed.finding.code != UNREADABLE,
                -self.bytes_of(placed.finding),
                placed.path,
                placed.finding.sort_key,
            ),
        )


def in_binary_units(count: int) -> str:
    """`4.6 GiB`."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
