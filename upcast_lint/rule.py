"""What a rule is: knowledge about one family of reads, and its documentation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Rule:
    code: str
    name: str
    """Kebab-case; the folder has the same name in snake case."""
    summary: str
    folder: Path

    def doc(self) -> str:
        return (self.folder / "doc.md").read_text(encoding="utf-8")

    def fixture_paths(self) -> list[Path]:
        return sorted((self.folder / "fixtures").glob("*.py"))
