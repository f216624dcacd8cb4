"""Ways to hold a tensor, and what is done to it later through what holds it.

Forms are written with `$s` for the tensor that is held, `$h` for a fresh name and `$o`
for another name. Their lines are separated by line feeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import Template

from .tensors import Scope, Tensor


@dataclass(frozen=True, slots=True)
class Handle:
    made: str
    """Statements that take hold of `$s`."""
    changes: tuple[str, ...] = ()
    """Each: statements that change the tensor or what is held, or seem to."""
    value: str | None = None
    """An expression that gives the tensor back."""


def filled(scope: Scope, form: str, tensor: Tensor, **names: str) -> list[str]:
    """The lines of a form, about a tensor."""
    known = {"s": tensor.text, "h": "held", "o": scope.fresh("o"), **names}
    return Template(form).substitute(known).split("\n")


def take_hold(scope: Scope, handles: Sequence[Handle]) -> list[str]:
    """Hold the source in some way; `scope` then offers what can be done to it."""
    handle = scope.choices.pick(handles)
    name = scope.fresh("held")
    source = scope.source
    lines = filled(scope, handle.made, source, h=name)
    scope.writers += [filled(scope, form, source, h=name) for form in handle.changes]
    if handle.value is not None and scope.choices.chance(60):
        text = "\n".join(filled(scope, handle.value, source, h=name))
        scope.source = source.become(text)
    return lines
