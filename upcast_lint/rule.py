"""What a rule is: knowledge about one family of reads, and its documentation.

A rule recognises a use of a copy as a selection and says what is known of it: whether
it is narrow, when its gradient is exact, what it needs; or as a waste that no
rewrite mends. It edits nothing.

The declaration in a rule's `__init__.py` is read in every run; what it recognises by,
in `recogniser.py` beside it, is imported when a cast has met such a read.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from .analysis.reads import Selection, Use, Waste


class Rule(NamedTuple):
    file: str
    """The `__init__.py` that declares the rule."""
    code: str
    name: str
    """Kebab-case; the folder has the same name in snake case."""
    summary: str
    names: frozenset[str] = frozenset()
    """The methods and functions that it may recognise: it is asked about no other."""
    roles: frozenset[str] = frozenset()
    """More of them, by the role that the table of operations gives them."""
    takes_elements: bool = False
    """Whether it may recognise subscripts and iterations, too."""
    is_optional: bool = False
    """Whether it runs only where it is selected by its code or its name."""

    def recognise(self, use: Use) -> Selection | Waste | None:
        """What a use is, or None where the rule does not know it."""
        is_known = use.name in self.reads() if use.name else self.takes_elements
        return _recogniser(self.file)(use) if is_known else None

    def reads(self) -> frozenset[str]:
        """The methods and functions that it may recognise, by name."""
        if not self.roles:
            return self.names
        from .analysis import ops

        return self.names | ops.names_of(*map(ops.Role, self.roles))

    @property
    def folder(self) -> Path:
        from pathlib import Path

        return Path(self.file).parent

    def doc(self) -> str:
        """The rule's page, in Markdown."""
        return (self.folder / "doc.md").read_text(encoding="utf-8")

    def fixture_paths(self) -> list[Path]:
        """Its fixtures, which `verify` runs."""
        return sorted((self.folder / "fixtures").glob("*.py"))


@cache
def _recogniser(file: str) -> Callable[[Use], Selection | Waste | None]:
    package = os.path.basename(os.path.dirname(file))
    module = importlib.import_module(f"upcast_lint.rules.{package}.recogniser")
    found: Callable[[Use], Selection | Waste | None] = module.recognise
    return found
