"""What a rule is: knowledge about one family of reads, and its documentation.

A rule recognises a use of a copy as a selection and says what is known of it: whether
it is narrow, when its gradient is exact, what it needs. It edits nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .analysis.reads import Selection, Use


@dataclass(frozen=True, slots=True)
class Rule:
    code: str
    name: str
    """Kebab-case; the folder has the same name in snake case."""
    summary: str
    folder: Path
    recognise: Callable[[Use], Selection | None]
    """The selection that a use is, or None where the rule does not know it."""

    def doc(self) -> str:
        """The rule's page, in Markdown."""
        return (self.folder / "doc.md").read_text(encoding="utf-8")

    def fixture_paths(self) -> list[Path]:
        """Its fixtures, which `verify` runs."""
        return sorted((self.folder / "fixtures").glob("*.py"))
