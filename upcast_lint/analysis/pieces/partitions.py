"""Operations that take a tensor apart: `split`, `chunk`, `unbind`, `tensor_split`.

Each gives a tuple of views that jointly hold the whole tensor.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..facts import Facts
from ..names import Definition
from ..ops import Axes, Operation, Role
from ..reads import Piece, Use
from ..values import integer
from .cuts import Cut, is_narrow


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """`by` is the size of the parts, or their number, or where they end."""

    operation: Operation
    axis: int | None
    by: ast.expr | None

    @property
    def count(self) -> int | None:
        """How many parts there are, where the call says so."""
        if self.operation.takes_count:
            number = integer(self.by)
            if number is not None:
                return number
        if isinstance(self.by, ast.List | ast.Tuple):
            return len(self.by.elts) + self.operation.takes_ends
        return None


def partition_of(use: Use) -> Partition | None:
    """The partition that a use is, or None."""
    operation = use.operation
    if operation is None or operation.role is not Role.PARTS:
        return None
    bound = use.bind()
    if bound is None:
        return None
    others = [bound[p.name] for p in operation.takes or () if p.name in bound]
    by = next((o for o in others if o not in (use.operand, bound.get("dim"))), None)
    axis = integer(bound["dim"]) if "dim" in bound else int(operation.default("dim"))
    return Partition(operation, axis, by)


def is_part_narrow(partition: Partition, use: Use, number: int = 1) -> bool:
    """Whether one part, the one of this number, is less than the whole tensor."""
    if partition.count == 1:
        return False
    if partition.operation.axes is Axes.REMOVE:
        return is_narrow(Cut(partition.axis, index=ast.Constant(number)), use)
    if partition.operation.takes_size:
        return is_narrow(Cut(partition.axis, upper=partition.by), use)
    return True


def part_piece(partition: Partition, number: int, use: Use) -> Piece | None:
    """The piece that one part is, its bounds told by the number of the part."""
    if partition.axis is None:
        return None
    count = partition.count
    if number < 0 and count is not None:
        number += count
    if number < 0:
        return None
    by = "" if partition.by is None else use.facts.text(partition.by)
    where = f"part {{}} of {partition.operation.name} {by}"
    return Piece(
        partition.axis,
        where.format(number) if number else None,
        None if number + 1 == count else where.format(number + 1),
    )


def used_parts(call: ast.Call, facts: Facts) -> tuple[set[int] | None, int | None]:
    """The numbers of the parts that are used, and how many there are, where known.

    None where the parts are passed on together.
    """
    parent = facts.tree.parents[call]
    match parent:
        case ast.Assign(targets=[ast.Tuple(elts=targets)]):
            if not all(isinstance(target, ast.Name) for target in targets):
                return None, None
            used = {
                definition.index
                for definition in facts.names.made_by(parent)
                if _is_read(definition, facts)
            }
            return {n for n in used if n is not None}, len(targets)
        case ast.Assign(targets=[ast.Name(id=name)]):
            return _taken_out(name, parent, facts), None
        case _:
            return None, None


def _is_read(definition: Definition, facts: Facts) -> bool:
    return definition.name in facts.names.captured or bool(facts.names.uses(definition))


def _taken_out(name: str, statement: ast.stmt, facts: Facts) -> set[int] | None:
    """The numbers by which the parts that a name holds are taken out, each once."""
    if name in facts.names.captured:
        return None
    numbers: set[int] = set()
    around = facts.tree.enclosing_loops(statement)
    for definition in facts.names.made_by(statement):
        if definition.name != name:
            continue
        for load in facts.names.uses(definition):
            part = facts.tree.parents[load]
            if not (isinstance(part, ast.Subscript) and part.value is load):
                return None
            number = integer(part.slice)
            if number is None or number in numbers:
                return None
            if facts.tree.enclosing_loops(load) != around:
                return None
            numbers.add(number)
    return numbers
