"""What a hazard is, and what follows from those that nothing rules out."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..finding import Safety
from .case import Case

Words = tuple[str, ...]
"""What the braces of a sentence stand for at one place, in order."""
Find = Callable[[Case], Iterable[Words]]


class Bearing(enum.Enum):
    """What the sentence of a hazard is."""

    CONDITION = enum.auto()
    BLOCKER = enum.auto()
    ASSUMPTION = enum.auto()


@dataclass(frozen=True, slots=True, eq=False)
class Hazard:
    """One thing that may differ; `find` yields the places where nothing rules it out.

    `sentence` is a condition under which it does not, or says what does.
    """

    bearing: Bearing
    sentence: str
    find: Find


def condition(sentence: str) -> Callable[[Find], Hazard]:
    return lambda find: Hazard(Bearing.CONDITION, sentence, find)


def blocker(sentence: str) -> Callable[[Find], Hazard]:
    return lambda find: Hazard(Bearing.BLOCKER, sentence, find)


def assumption(sentence: str) -> Callable[[Find], Hazard]:
    return lambda find: Hazard(Bearing.ASSUMPTION, sentence, find)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A hazard at one place."""

    hazard: Hazard
    words: Words

    @property
    def text(self) -> str:
        return self.hazard.sentence.format(*self.words)


@dataclass(frozen=True, slots=True)
class Assessment:
    """All that nothing rules out of one plan, in the order in which it is told."""

    doubts: tuple[Doubt, ...] = ()

    @property
    def safety(self) -> Safety:
        if self.blockers:
            return Safety.DISPLAY
        return Safety.UNSAFE if self.conditions else Safety.SAFE

    @property
    def conditions(self) -> tuple[str, ...]:
        """What would make an unsafe plan safe."""
        return self._texts(Bearing.CONDITION)

    @property
    def blockers(self) -> tuple[str, ...]:
        """What forbids it."""
        return self._texts(Bearing.BLOCKER)

    @property
    def assumptions(self) -> tuple[str, ...]:
        return self._texts(Bearing.ASSUMPTION)

    def _texts(self, bearing: Bearing) -> tuple[str, ...]:
        found = (each.text for each in self.doubts if each.hazard.bearing is bearing)
        return tuple(dict.fromkeys(found))

    def before_write(self) -> Assessment:
        """The same of a selection that is taken before the write that blocks it."""
        kept = [d for d in self.doubts if d.hazard.bearing is not Bearing.BLOCKER]
        return Assessment((*kept, Doubt(_WRITTEN_BEHIND, ())))


_WRITTEN_BEHIND = Hazard(
    Bearing.CONDITION,
    "backward does not mind that the source is written to",
    lambda case: [()],
)
