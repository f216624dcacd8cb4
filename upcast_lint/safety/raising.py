"""What raises, and where it is caught: no run may fail that did not fail before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..analysis.exceptions import catchers, is_evidently_tensor
from .hazard import Words, blocker, condition
from .situation import Situation


@blocker("line {} may catch what the cast raises")
def cast_is_caught(here: Situation) -> Iterator[Words]:
    if _may_be_caught(here) and _leaves_handlers(here):
        yield (line_of_handler(here, here.cast.call),)


@condition("`{}` is a tensor: what else its cast raises may be caught on line {}")
def other_class_is_caught(here: Situation) -> Iterator[Words]:
    if _may_be_caught(here) and not _leaves_handlers(here):
        yield here.source, line_of_handler(here, here.cast.call)


def _may_be_caught(here: Situation) -> bool:
    """Whether the cast may raise what something around it catches."""
    return bool(catchers(here.cast.call, here.facts)) and (
        here.cast.device is not None or not is_evidently_tensor(here.cast, here.facts)
    )


def _leaves_handlers(here: Situation) -> bool:
    around = catchers(here.cast.call, here.facts)
    places = [*(read.node for read in here.reads), *here.places]
    return any(catchers(place, here.facts) != around for place in places)


def line_of_handler(here: Situation, node: ast.expr) -> str:
    handler = catchers(node, here.facts)[0]
    return str(getattr(handler, "lineno", here.cast.call.lineno))


@blocker("the cast also moves the tensor to the index's device")
def device_of_index(here: Situation) -> Iterator[Words]:
    for each in here.taken:
        steps = each.read.steps
        moves = here.cast.device is not None or any(s.is_transfer for s in steps)
        if moves and each.selection.takes_index_tensor:
            yield ()
