"""What the source is: a tensor, and with elements of a type for which all holds."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis import modules
from ..analysis.elements.zeros import is_never_negative_zero
from ..analysis.own_casts import other_of_cast
from ..analysis.reads import StepKind
from ..analysis.subclasses import annotated_subclass
from .hazard import Words, condition
from .situation import Situation


@condition("`{}` is a tensor, and no module")
def module(here: Situation) -> Iterator[Words]:
    """A list of modules casts and selects as well."""
    if not here.is_float and not (
        modules.is_evidently_tensor(here.cast.source, here.reads, here.facts)
    ):
        yield (here.source,)


@condition("`{}` is no `{}`")
def class_with_own_cast(here: Situation) -> Iterator[Words]:
    """So does a class of the file, which may do anything then."""
    other = other_of_cast(here.cast, here.reads, here.facts)
    if other is not None:
        yield here.source, other.name


@condition("`{}` has a float type")
def sign_of_other_type(here: Situation) -> Iterator[Words]:
    """`-x` and `abs`, which come to work on the source, differ for integers."""
    chains = [carrier.steps for carrier in here.flow.carriers.values()]
    chains += [read.steps for read in here.flow.reads]
    if not here.is_float and any(
        step.is_sign and step.kind is StepKind.VIEW
        for chain in chains
        for step in chain
    ):
        yield (here.source,)


@condition("the cast of a `{}` only converts its elements")
def subclass(here: Situation) -> Iterator[Words]:
    name = annotated_subclass(here.cast.source, here.facts)
    if name is not None:
        yield (name,)


@condition("`{}` has a float type no wider than {}")
def narrowed(here: Situation) -> Iterator[Words]:
    """A cast that narrows makes ties, and may make another element the largest."""
    if not here.is_float and any(t.selection.order_only for t in here.taken):
        yield here.source, here.cast.dtype


@condition("`{}` has an ordinary float type, for which `{}` is implemented")
def no_ordinary_float(here: Situation) -> Iterator[Words]:
    for selection in (each.selection for each in here.taken):
        if not here.is_float and selection.needs_float and not selection.order_only:
            yield here.source, selection.label


@condition("no two elements are equal where `{}` has to choose, or any of them will do")
def choice_among_equals(here: Situation) -> Iterator[Words]:
    for each in here.taken:
        if each.selection.unstable_ties and each.moved.uses_indices:
            yield (each.selection.label,)


@condition(
    "zeros of both signs do not tie in `{}`, or the sign of a zero does not matter"
)
def sign_of_zero(here: Situation) -> Iterator[Words]:
    for each in here.taken:
        if (
            each.selection.unstable_zeros
            and not any(step.is_abs for step in each.read.steps)
            and not is_never_negative_zero(here.cast.source, here.facts)
        ):
            yield (each.selection.label,)
