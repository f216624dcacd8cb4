"""Kinds of elements, and what becomes of them when they meet.

Promotion as torch does it, with tensors of any rank: a result counts as float32 only
where no operand could be a tensor of higher rank and a narrower float. What meets
float64 counts as that, for a comparison of what was float64 must not be moved below a
cast to float32.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Sequence
from dataclasses import dataclass

from ..facts import Facts
from ..ops.types import sorts


class Sort(enum.Enum):
    INTEGRAL = enum.auto()
    """Bools or integers."""
    STORAGE = enum.auto()
    """float8 and quantised types: stored, not computed with."""
    FLOAT = enum.auto()
    """Ordinary floats of a precision that is not known or is low."""
    FLOAT32 = enum.auto()
    FLOAT64 = enum.auto()
    WHOLE_NUMBER = enum.auto()
    """A Python int, which leaves the type of a tensor as it is."""
    REAL_NUMBER = enum.auto()
    """A Python float, which makes integral tensors floats of the default type."""
    UNKNOWN = enum.auto()


@dataclass(frozen=True, slots=True)
class Typed:
    """A kind and the reason for it, in a few words."""

    kind: Sort
    reason: str


UNKNOWN = Typed(Sort.UNKNOWN, "")
_FLOATS = (Sort.FLOAT, Sort.FLOAT32, Sort.FLOAT64)
_SPEAK_AGAINST = (Sort.INTEGRAL, Sort.STORAGE)

_SORTS = {
    "float": Sort.FLOAT,
    "whole": Sort.INTEGRAL,
    "stored": Sort.STORAGE,
}
_WIDE = {"torch.float32": Sort.FLOAT32, "torch.float64": Sort.FLOAT64}


def kind_of(dotted: str) -> Sort:
    """The kind that the name of a type such as `torch.bool` stands for."""
    return _WIDE.get(dotted) or _SORTS.get(sorts().get(dotted, ""), Sort.UNKNOWN)


def kind_of_dtype(node: ast.expr, facts: Facts) -> Sort:
    """The kind that a spelled type such as `torch.bool` stands for."""
    return kind_of(facts.resolve(node) or "")


def agreed(kinds: Sequence[Typed]) -> Typed:
    for typed in kinds:
        if typed.kind in _SPEAK_AGAINST:
            return typed
    if not kinds or any(typed.kind is Sort.UNKNOWN for typed in kinds):
        return UNKNOWN
    if len({typed.kind for typed in kinds}) == 1:
        return kinds[0]
    floats = [typed for typed in kinds if typed.kind in _FLOATS]
    if len(floats) == len(kinds):
        return Typed(Sort.FLOAT, floats[0].reason)
    return UNKNOWN


_NUMBERS = (Sort.WHOLE_NUMBER, Sort.REAL_NUMBER)


def promoted(left: Typed, right: Typed, divides: bool) -> Typed:
    kinds = (left.kind, right.kind)
    if all(kind in _NUMBERS for kind in kinds):
        whole = all(kind is Sort.WHOLE_NUMBER for kind in kinds) and not divides
        return left if whole else Typed(Sort.REAL_NUMBER, "")
    if all(kind in (Sort.INTEGRAL, *_NUMBERS) for kind in kinds):
        if divides or Sort.REAL_NUMBER in kinds:
            return Typed(Sort.FLOAT32, "integers made float by arithmetic")
        return left if left.kind is Sort.INTEGRAL else right
    for wide in (left, right):
        if wide.kind is Sort.FLOAT64:
            return wide
    others = (Sort.FLOAT32, Sort.INTEGRAL, *_NUMBERS)
    if Sort.FLOAT32 in kinds and all(kind in others for kind in kinds):
        return left if left.kind is Sort.FLOAT32 else right
    known = [typed for typed in (left, right) if typed.kind in _FLOATS]
    if known:
        return Typed(Sort.FLOAT, known[0].reason)
    if divides or Sort.REAL_NUMBER in kinds:
        return Typed(Sort.FLOAT, "result of float arithmetic")
    return UNKNOWN
