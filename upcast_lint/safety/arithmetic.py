"""Arithmetic between the cast and the selection, which stays behind the cast.

`(x.float() / t)[i]` becomes `x[i].float() / t`: each step has to commute with the
selection, and to mean there what it meant before.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..analysis.exceptions import catchers
from ..analysis.gradients.modes import (
    enters_disabled_region,
    gradient_mode,
    leaves_disabled_region,
)
from ..analysis.graph.order import may_run_between
from ..analysis.indices import is_mask, known_rank
from ..analysis.rows import Rows, rows_of
from .case import Case
from .hazard import Words, blocker, condition
from .raising import line_of_handler

_MASK = re.compile(r"mask|keep|valid", re.I)


@condition("{}")
def arithmetic(case: Case) -> Iterator[Words]:
    """What a step needs to commute with a selection; `analysis.consumers` says it."""
    for _, step in case.lifts:
        if step.condition is not None:
            yield (step.condition,)


@condition(
    "`{}` takes whole rows, and leaves dimension {} alone, which `{}` works along"
)
def part_of_row(case: Case) -> Iterator[Words]:
    for each in case.taken:
        selection, operand = each.selection, each.read.operand
        for step in each.read.lifts:
            if step.row is not None and (
                rows_of(selection, operand, step, case.facts) is not Rows.WHOLE
            ):
                yield selection.label, str(step.row.dim), step.row.name


@blocker("line {} may catch what the arithmetic raises")
def arithmetic_is_caught(case: Case) -> Iterator[Words]:
    for read, step in case.lifts:
        around = catchers(step.node, case.facts)
        if around and catchers(read.node, case.facts) != around:
            yield (line_of_handler(case, step.node),)


@blocker("the arithmetic runs with other gradients")
def arithmetic_in_other_mode(case: Case) -> Iterator[Words]:
    facts = case.facts
    for read, step in case.lifts:
        if (
            leaves_disabled_region(step.node, read.node, facts)
            or enters_disabled_region(step.node, read.node, facts)
            or gradient_mode(step.node, facts) is not gradient_mode(read.node, facts)
        ):
            yield ()


# A vector along the rows, from which is selected as well


@blocker("`{}` changes before the selection")
def vector_changes(case: Case) -> Iterator[Words]:
    for read, step in case.lifts:
        if step.aligned is not None and any(
            may_run_between(step.node, write.node, read.node, case.facts)
            for write in case.effects.writes_to(step.aligned)
        ):
            yield (step.aligned.id,)


@blocker("`{}` would be evaluated twice")
def rows_run_twice(case: Case) -> Iterator[Words]:
    for _, rows in _paired(case):
        if _runs(rows):
            yield (case.facts.shown(rows),)


@blocker("`{}` may not fit `{}`")
def rows_do_not_fit(case: Case) -> Iterator[Words]:
    for vector, rows in _paired(case):
        if not _runs(rows) and _fits(rows, case) is False:
            yield case.facts.shown(rows), vector.id


@condition("`{}` has one dimension")
def rows_may_not_fit(case: Case) -> Iterator[Words]:
    for _, rows in _paired(case):
        if not _runs(rows) and _fits(rows, case) is None:
            yield (case.facts.shown(rows),)


def _paired(case: Case) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The vectors that arithmetic pairs with the rows, and what selects these."""
    for each in case.taken:
        rows = each.selection.rows
        if rows is not None and not isinstance(rows, ast.Slice):
            for step in each.read.lifts:
                if step.aligned is not None:
                    yield step.aligned, rows


def _runs(rows: ast.expr) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(rows))


def _fits(rows: ast.expr, case: Case) -> bool | None:
    """Whether what selects rows selects from a vector as well; None: it may."""
    rank, value = known_rank(rows, case.facts), case.facts.value(rows)
    if rank == 1 and not _gives_tuple(value):
        return True
    is_other = (
        rank is not None
        or isinstance(value, ast.Call)
        or is_mask(rows, case.facts)
        or _MASK.search(case.facts.shown(rows))
    )
    return False if is_other else None


def _gives_tuple(index: ast.expr) -> bool:
    """Whether an index is the tuple that `where` and `nonzero` give of a mask."""
    if not isinstance(index, ast.Call):
        return False
    name = getattr(index.func, "attr", getattr(index.func, "id", ""))
    return (name == "where" and len(index.args) == 1) or (
        name == "nonzero" and any(k.arg == "as_tuple" for k in index.keywords)
    )
