"""What the source is: a tensor, and with elements of a type for which all holds."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis import modules
from ..analysis.elements.zeros import is_never_negative_zero
from ..analysis.own_casts import other_of_cast
from ..analysis.reads import StepKind
from ..analysis.subclasses import annotated_subclass
from .case import Case
from .hazard import Words, condition


@condition("`{}` is a tensor, and no module")
def module(case: Case) -> Iterator[Words]:
    """A list of modules casts and selects as well."""
    if not case.is_float and not (
        modules.is_evidently_tensor(case.cast.source, case.reads, case.facts)
    ):
        yield (case.source,)


@condition("`{}` is no `{}`")
def class_with_own_cast(case: Case) -> Iterator[Words]:
    """So does a class of the file, which may do anything then."""
    other = other_of_cast(case.cast, case.reads, case.facts)
    if other is not None:
        yield case.source, other.name


@condition("`{}` has a float type")
def sign_of_other_type(case: Case) -> Iterator[Words]:
    """`-x` and `abs`, which come to work on the source, differ for integers."""
    chains = [carrier.steps for carrier in case.flow.carriers.values()]
    chains += [read.steps for read in case.flow.reads]
    if not case.is_float and any(
        step.is_sign and step.kind is StepKind.VIEW
        for chain in chains
        for step in chain
    ):
        yield (case.source,)


@condition("the cast of a `{}` only converts its elements")
def subclass(case: Case) -> Iterator[Words]:
    name = annotated_subclass(case.cast.source, case.facts)
    if name is not None:
        yield (name,)


@condition("`{}` has a float type no wider than {}")
def narrowed(case: Case) -> Iterator[Words]:
    """A cast that narrows makes ties, and may make another element the largest."""
    if not case.is_float and any(t.selection.order_only for t in case.taken):
        yield case.source, case.cast.dtype


@condition("`{}` has an ordinary float type, for which `{}` is implemented")
def no_ordinary_float(case: Case) -> Iterator[Words]:
    for selection in (each.selection for each in case.taken):
        if not case.is_float and selection.needs_float and not selection.order_only:
            yield case.source, selection.label


@condition("no two elements are equal where `{}` has to choose, or any of them will do")
def choice_among_equals(case: Case) -> Iterator[Words]:
    for each in case.taken:
        if each.selection.unstable_ties and each.moved.uses_indices:
            yield (each.selection.label,)


@condition(
    "zeros of both signs do not tie in `{}`, or the sign of a zero does not matter"
)
def sign_of_zero(case: Case) -> Iterator[Words]:
    for each in case.taken:
        if (
            each.selection.unstable_zeros
            and not any(step.is_abs for step in each.read.steps)
            and not is_never_negative_zero(case.cast.source, case.facts)
        ):
            yield (each.selection.label,)
