"""What raises, and where it is caught: no run may fail that did not fail before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..analysis.exceptions import catchers, is_evidently_tensor
from .case import Case
from .hazard import Words, blocker, condition


@blocker("line {} may catch what the cast raises")
def cast_is_caught(case: Case) -> Iterator[Words]:
    if _may_be_caught(case) and _leaves_handlers(case):
        yield (line_of_handler(case, case.cast.call),)


@condition("`{}` is a tensor: what else its cast raises may be caught on line {}")
def other_class_is_caught(case: Case) -> Iterator[Words]:
    if _may_be_caught(case) and not _leaves_handlers(case):
        yield case.source, line_of_handler(case, case.cast.call)


def _may_be_caught(case: Case) -> bool:
    """Whether the cast may raise what something around it catches."""
    return bool(catchers(case.cast.call, case.facts)) and (
        case.cast.device is not None or not is_evidently_tensor(case.cast, case.facts)
    )


def _leaves_handlers(case: Case) -> bool:
    around = catchers(case.cast.call, case.facts)
    places = [*(read.node for read in case.reads), *case.places]
    return any(catchers(place, case.facts) != around for place in places)


def line_of_handler(case: Case, node: ast.expr) -> str:
    handler = catchers(node, case.facts)[0]
    return str(getattr(handler, "lineno", case.cast.call.lineno))


@blocker("the cast also moves the tensor to the index's device")
def device_of_index(case: Case) -> Iterator[Words]:
    for each in case.taken:
        steps = each.read.steps
        moves = case.cast.device is not None or any(s.is_transfer for s in steps)
        if moves and each.selection.takes_index_tensor:
            yield ()
