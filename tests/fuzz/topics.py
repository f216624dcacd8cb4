"""What a program may be about beside casts and selections.

A topic writes statements before the cast, and others wherever a statement may stand.
Each has a module of its own. A program has none, one or two of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from . import (
    aliases,
    arrays,
    ends,
    functions,
    handlers,
    holders,
    layouts,
    lifted,
    methods,
    modes,
    modules,
    noise,
    odd_indices,
    queries,
    rowwise,
    sharing,
    spellings,
    writers,
)
from .tensors import Scope

_MODULES: tuple[tuple[int, ModuleType], ...] = (
    (14, holders),
    (6, methods),
    (8, modules),
    (8, handlers),
    (8, queries),
    (8, writers),
    (8, arrays),
    (14, aliases),
    (12, modes),
    (8, ends),
    (12, layouts),
    (7, spellings),
    (7, odd_indices),
    (6, sharing),
    (14, rowwise),
    (10, functions),
    (10, lifted),
)


@dataclass(frozen=True, slots=True)
class Topic:
    weight: int
    prelude: Callable[[Scope], list[str]]
    statement: Callable[[Scope], list[str]]


TOPICS = {
    module.__name__.rpartition(".")[2]: Topic(weight, module.prelude, module.statement)
    for weight, module in _MODULES
}
HELPERS: dict[str, str] = {**noise.HELPERS}
for _, _module in _MODULES:
    HELPERS.update(_module.HELPERS)
