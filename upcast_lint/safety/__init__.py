"""How safe a plan is, and why.

Terms
-----
hazard
    One thing that may differ after a rewrite: a sentence, and a function that finds the
    places where the code does not rule it out. The sentence stands above the function
    whose body is the proof, so that the words of a finding lead to it.
condition
    A sentence that would make the rewrite safe. What it is of is proved, or it stands
    on the finding, which is unsafe.
blocker
    A sentence that says what goes wrong: the rewrite could fail or change outputs, so
    it is only displayed.
assumption
    A fact that the user states and the plan rests on.

`HAZARDS` has all of them, in the order of the text and of the findings. What cannot be
written at all, such as a memory format that the selection lacks (`rewrite.layout`),
arithmetic in another order (`rewrite.evaluation`) or a cast without a place
(`rewrite.sink`), is refused while the plan is made, and never comes here.

The facts about torch are those of `docs/hazards.md`, each with a test that shows it.
"""

from __future__ import annotations

from ..analysis.directives import Directives
from ..analysis.elements import ElementType
from ..analysis.facts import Facts
from ..rewrite.plan import Plan
from . import arithmetic, changes, gradients, kinds, memory, raising
from .case import Case, values_of
from .hazard import Assessment, Doubt, Hazard

__all__ = ["HAZARDS", "Assessment", "assess", "values_of"]

_ROOMS = (changes, raising, kinds, arithmetic, memory, gradients)

HAZARDS: tuple[Hazard, ...] = tuple(
    each for room in _ROOMS for each in vars(room).values() if isinstance(each, Hazard)
)


def assess(
    plan: Plan,
    facts: Facts,
    directives: Directives,
    element_type: ElementType,
    inference: bool,
    *,
    in_place: bool = False,
) -> Assessment:
    """Judge a plan for a cast whose source has elements of `element_type`.

    Where it is carried out `in_place`, the selection goes to the cast, and nothing
    that happens between the two matters.
    """
    case = Case(plan, facts, directives, element_type, inference, in_place)
    doubts = (Doubt(each, words) for each in HAZARDS for words in each.find(case))
    return Assessment(tuple(doubts))
