"""Proofs that an axis of an index has the size one.

One index along a dimension cannot repeat, whatever is done to its value: neither
clamping nor padding in place can take that away.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..definition_guard import Guard
from ..facts import Facts
from ..names import Definition
from ..ops import Axes, Role
from ..scalars import Operand
from ..stability import is_rebound_inside
from ..tensor_calls import TensorCall, is_builtin, torch_function
from ..values import integer, truth
from .axes import Line, normal, origin
from .ranks import Shapes
from .receivers import operation
from .results import Picked, picked, picked_by

_ONE = "one index along the dimension"


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a fact holds. `stated`: a comment or the configuration says so."""

    reason: str
    stated: bool = False


def joint(proofs: Iterable[Proof | None]) -> Proof | None:
    """The joint proof of several facts; None if one is open, or there are none."""
    found: list[Proof] = []
    for proof in proofs:
        if proof is None:
            return None
        found.append(proof)
    if not found:
        return None
    strongest = next((each for each in found if each.reason != _ONE), found[0])
    return Proof(strongest.reason, any(each.stated for each in found))


@dataclass(slots=True)
class OneIndex:
    """Follows the lines of one scope's expressions to axes of size one."""

    facts: Facts
    shapes: Shapes = field(init=False)
    _guard: Guard = field(init=False, default_factory=Guard)

    def __post_init__(self) -> None:
        self.shapes = Shapes(self.facts)

    def once(self, line: Line) -> Proof | None:
        """That an axis has the size one."""
        node = line.node
        pick = None if isinstance(node, ast.Name) else picked(node, self.facts)
        if pick is not None:
            return self._once_in(pick.call, line)
        match node:
            case ast.Name():
                return self.through(
                    node,
                    lambda value: self.once(Line(value, line.axis, line.rank)),
                    lambda pick: self._once_in(pick.call, line),
                )
            case ast.BinOp(left=left, right=right):
                return self._once_each((left, right), line)
            case ast.UnaryOp(operand=operand):
                return self._once_each((operand,), line)
            case ast.List(elts=[_]) if line.rank == 1:
                return Proof(_ONE)
            case ast.Call() if self._counts_one(node):
                return Proof(_ONE)
            case ast.Call():
                call = operation(node, self.facts)
                found = None if call is None else self._once_in(call, line)
                return found or self.from_origin(line, self.once)
            case _:
                return self.from_origin(line, self.once)

    def _counts_one(self, node: ast.Call) -> bool:
        """Whether a call is `arange(1)` or `range(1)`."""
        is_range = torch_function(node, self.facts) == "torch.arange" or is_builtin(
            node.func, "range", self.facts
        )
        return is_range and len(node.args) == 1 and integer(node.args[0]) == 1

    def _once_in(self, call: TensorCall, line: Line) -> Proof | None:
        operation, tensor = call.operation, call.tensor
        match operation.axes:
            case Axes.REDUCE:
                return self._once_reduced(call, line)
            case Axes.SAMPLES:
                return self._once_counted(call, -1, call.given("num_samples"), line)
            case Axes.ALONG if operation.name == "topk":
                return self._once_counted(
                    call, self.order_axis(call), call.given("k"), line
                )
            case Axes.BROADCAST:
                return self._once_each((tensor, *call.others), line)
            case Axes.SAME if operation.role is Role.ELEMENTWISE:
                return self._once_each((tensor, *call.others), line)
            case Axes.SAME if not operation.passes_on:
                return self.once(Line(tensor, line.axis, line.rank))
            case _:
                return None

    def _once_counted(
        self, call: TensorCall, axis: int | None, count: ast.expr | None, line: Line
    ) -> Proof | None:
        """Of an operation that takes a number of elements along an axis."""
        if axis is not None and normal(axis, line.rank) == line.axis:
            return Proof(_ONE) if integer(count) == 1 else None
        return self.once(Line(call.tensor, line.axis, line.rank))

    def _once_reduced(self, call: TensorCall, line: Line) -> Proof | None:
        kept, axis = call.given("keepdim"), call.number("dim")
        if axis is None and call.given("dim") is not None:
            return None
        if truth(kept) is True:
            if axis is None or normal(axis, line.rank) == line.axis:
                return Proof(_ONE)
            return self.once(Line(call.tensor, line.axis, line.rank))
        gone = normal(axis, line.rank + 1)
        if (kept is not None and truth(kept) is None) or gone is None:
            return None
        return self.once(
            Line(call.tensor, line.axis + (line.axis >= gone), line.rank + 1)
        )

    def _once_each(self, operands: Iterable[ast.expr], line: Line) -> Proof | None:
        """That operands which broadcast together all have the size one."""
        tensors = [
            operand
            for operand in operands
            if self.shapes.operand(operand) is not Operand.NUMBER
            and not (isinstance(operand, ast.Constant) and operand.value is None)
        ]
        return joint(self.once(Line(t, line.axis, line.rank)) for t in tensors)

    def from_origin(
        self, line: Line, prove: Callable[[Line], Proof | None]
    ) -> Proof | None:
        lines = origin(line, self.shapes.ranks, self.facts)
        if lines is None:
            return None
        return Proof(_ONE) if not lines else joint(map(prove, lines))

    def through(
        self,
        name: ast.Name,
        prove: Callable[[ast.expr], Proof | None],
        prove_pick: Callable[[Picked], Proof | None],
    ) -> Proof | None:
        """The proof for each value that a name may have."""
        if is_rebound_inside(name.id, self.facts):
            return None

        def bound(definition: Definition) -> Proof | None:
            if definition.assigned is not None:
                return prove(definition.assigned)
            pick = picked_by(definition, self.facts)
            return None if pick is None else prove_pick(pick)

        reaching = self.facts.names.of(name)
        return joint(self._guard.within(each, bound, None) for each in reaching)

    def order_axis(self, call: TensorCall) -> int | None:
        """The dimension that `topk`, `sort` or `argsort` works along, if plain."""
        count = call.given("k")
        if count is not None and self._is_tensor(count):
            return None  # a method `topk(scores, k)` of something else
        return call.number("dim")

    def _is_tensor(self, node: ast.expr) -> bool:
        return self.shapes.operand(node) is Operand.TENSOR
