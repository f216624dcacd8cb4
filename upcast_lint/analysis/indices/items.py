"""The items of a subscript that keep, drop and add axes: slices, integers, `None`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..facts import Facts
from ..tensor_calls import is_builtin
from ..values import integer, items_of


def is_one(item: ast.Slice) -> bool:
    """Whether a slice takes one element."""
    lower, upper = integer(item.lower), integer(item.upper)
    if item.upper is None:
        return lower == -1
    lower = 0 if item.lower is None else lower
    if lower is None or upper is None or (lower < 0) != (upper < 0):
        return False
    return upper - lower == 1


_WHOLE = ast.Slice()
Item = ast.Slice | ast.expr | None


@dataclass(frozen=True, slots=True)
class Items:
    """A subscript of slices, integers, `None` and at most one `...`."""

    before: tuple[Item, ...]
    after: tuple[Item, ...]
    """What follows the `...`."""

    @property
    def added(self) -> int:
        return sum(item is None for item in (*self.before, *self.after))

    @property
    def kept(self) -> int:
        every = (*self.before, *self.after)
        return sum(isinstance(item, ast.Slice) for item in every)

    @property
    def dropped(self) -> int:
        return len(self.before) + len(self.after) - self.added - self.kept

    def filled(self, rank: int) -> tuple[Item, ...]:
        """The items for a base of this rank, with a slice for each axis left out."""
        left = rank - self.kept - self.dropped
        return (*self.before, *([_WHOLE] * max(left, 0)), *self.after)


def plain_items(index: ast.expr, facts: Facts) -> Items | None:
    """The items of a subscript, or None where one may be a tensor or a mask."""
    before: list[Item] = []
    after: list[Item] | None = None
    for item in items_of(index):
        into = before if after is None else after
        match item:
            case ast.Constant(value=value) if value is Ellipsis and after is None:
                after = []
            case ast.Constant(value=None):
                into.append(None)
            case ast.Slice():
                into.append(item)
            case _ if integer(item) is not None or counts(item, facts):
                into.append(item)
            case _:
                return None
    return Items(tuple(before), tuple(after or ()))


def counts(node: ast.expr, facts: Facts) -> bool:
    """Whether a name is the integer of `for name in range(…)`."""
    definition = facts.definition(node)
    return (
        definition is not None
        and definition.index is None
        and isinstance(definition.node, ast.For | ast.comprehension)
        and isinstance(definition.value, ast.Call)
        and is_builtin(definition.value.func, "range", facts)
    )
