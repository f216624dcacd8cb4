"""Bounds on a walk from names to their definitions and on to the names in those."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from .names import Definition

_Told = TypeVar("_Told")

_MOST_STEPS = 60


@dataclass(slots=True)
class Guard:
    """Stops a walk at a cycle, and where branches multiply its paths.

    A walk starts anew when the definition that was entered first is left.
    """

    _busy: set[Definition] = field(default_factory=set)
    _steps: int = 0

    def is_idle(self) -> bool:
        return not self._busy

    def is_spent(self) -> bool:
        """Whether the walk has taken all of its steps, and can go no further."""
        return self._steps > _MOST_STEPS and not self.is_idle()

    def holds(self, definition: Definition) -> bool:
        """Whether the walk is inside a definition: to enter it again is a cycle."""
        return definition in self._busy

    def within(
        self, definition: Definition, tell: Callable[[Definition], _Told], bound: _Told
    ) -> _Told:
        """What a walk tells of a definition; `bound` where it may not go on into it."""
        if not self._busy:
            self._steps = 0
        self._steps += 1
        if self._steps > _MOST_STEPS or definition in self._busy:
            return bound
        self._busy.add(definition)
        try:
            return tell(definition)
        finally:
            self._busy.discard(definition)
