"""What else happens to the source, and to what else a moved expression reads.

Before the rewrite the cast keeps what the source was; after it, the selection reads
what the source is by then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from ..analysis.effects import Cause, Certainty, Write
from ..analysis.names import Binding
from ..analysis.syntax import FUNCTIONS
from .case import Case
from .hazard import Words, blocker, condition


@blocker("`{}` {} before the selection")
def changed(case: Case) -> Iterator[Words]:
    for name, write in case.changes:
        if write.certainty is Certainty.WRITES:
            yield name, write.label


@condition("{}")
def may_change(case: Case) -> Iterator[Words]:
    for name, write in case.changes:
        if write.certainty is Certainty.MAY_WRITE:
            yield (unless(name, write),)


_UNLESS = {
    Cause.CODE: "{label} does not change `{name}`",
    Cause.NESTED: "no nested function changes `{name}`",
    Cause.SUSPENSION: "`{name}` does not change while the function is suspended",
    Cause.SHARING: "what {label} shares no memory with `{name}`",
}


def unless(name: str, write: Write) -> str:
    """What must hold for a write not to happen to what `name` stands for."""
    return _UNLESS[write.cause].format(name=name, label=write.label)


@condition("nothing reads `{}` from the class")
def read_from_class(case: Case) -> Iterator[Words]:
    """The name of the copy is an attribute, and disappears or holds another tensor."""
    if isinstance(case.facts.scope, ast.ClassDef):
        yield from _names(case)


@condition("nothing imports `{}` from this module")
def imported_from_module(case: Case) -> Iterator[Words]:
    if not isinstance(case.facts.scope, (*FUNCTIONS, ast.ClassDef)):
        yield from _names(case)


def _names(case: Case) -> Iterator[Words]:
    """The first name that the copy is assigned to."""
    assigned = (d for d in case.flow.carriers if d.binding is Binding.ASSIGNED)
    yield from ((definition.name,) for definition in islice(assigned, 1))
