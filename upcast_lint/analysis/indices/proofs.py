"""Proofs that the lines of an index hold no index twice.

Terms
-----
wrap
    Negative indices count from the end, so -1 and n-1 are one element. `gather` and
    `index_select` reject them; subscripts and `take` accept them.

A name proves nothing: what is made distinct can be padded later. A proof through a name
also needs that nothing writes, or may write, to it before the read.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..directives import Directives
from ..scalars import Operand
from ..stability import is_stable
from ..tensor_calls import TensorCall
from ..values import integer, truth
from .axes import Line, normal
from .once import OneIndex, Proof, joint
from .receivers import operation
from .results import Picked, gives_several, picked
from .vectors import vector_proof


@dataclass(slots=True)
class Prover(OneIndex):
    """Proves what one read needs of its index.

    `at` are the nodes of which a directive may speak, the read last.
    """

    directives: Directives = field(kw_only=True)
    at: Sequence[ast.AST] = field(kw_only=True)
    wraps: bool = field(kw_only=True, default=False)

    def stated(self, node: ast.expr) -> Proof | None:
        """The proof by a directive that names an expression."""
        if not self.directives.states_distinct(node, self.at, self.facts):
            return None
        return Proof(f"stated: distinct({ast.unparse(node)})", stated=True)

    def injective(self, node: ast.expr, rank: int) -> Proof | None:
        """That no two elements of a tensor of this rank are equal."""
        once = [self.once(Line(node, axis, rank)) for axis in range(rank)]
        wide = [axis for axis, proof in enumerate(once) if proof is None]
        if len(wide) > 1:
            return None
        return joint(
            [
                self.distinct(Line(node, axis, rank)) if axis in wide else proof
                for axis, proof in enumerate(once)
            ]
        )

    def distinct(self, line: Line) -> Proof | None:
        """That no line of an axis holds an index twice."""
        node = line.node
        found = self.stated(node) or self.once(line)
        if found is not None:
            return found
        if isinstance(node, ast.Name):
            found = self.through(
                node,
                lambda value: self.distinct(Line(value, line.axis, line.rank)),
                lambda pick: self._distinct_in(pick, line),
            )
            is_kept = found is None or found.stated or self._is_stable(node)
            return found if is_kept else None
        pick = picked(node, self.facts)
        if pick is not None:
            return self._distinct_in(pick, line)
        match node:
            case ast.BinOp(op=operator, left=left, right=right):
                return self._shifted(operator, left, right, line)
            case ast.List() | ast.Call() if line.rank == 1:
                found = vector_proof(node, self.wraps, self.facts)
        if found is None and isinstance(node, ast.Call):
            call = operation(node, self.facts)
            found = None if call is None else self._ordered(call, line)
        return found or self.from_origin(line, self.distinct)

    def _distinct_in(self, pick: Picked, line: Line) -> Proof | None:
        call = pick.call
        if not all(self._is_stable(name) for name in pick.through):
            return None
        match call.name:
            case "topk" | "sort":
                axis = self.order_axis(call)
                if axis is None or normal(axis, line.rank) != line.axis:
                    return None
                if pick.position == 1:
                    return Proof(f"indices of `{call.name}`")
                return self.distinct(Line(call.tensor, line.axis, line.rank))
            case "nonzero" | "where":
                is_vector = pick.count == 1 or self.shapes.ranks(call.tensor) == {1}
                return Proof("coordinates of `nonzero`") if is_vector else None
            case "unique" if pick.position == 0 and line.rank == 1:
                return self._unique(call)
            case _:
                return None

    def _unique(self, call: TensorCall) -> Proof | None:
        is_flat = call.given("dim") is None and not self.wraps
        return Proof("values of `unique`") if is_flat else None

    def _shifted(
        self, operator: ast.operator, left: ast.expr, right: ast.expr, line: Line
    ) -> Proof | None:
        """Adding one number, or multiplying by one, keeps different indices so."""
        if self.wraps:
            return None
        match operator:
            case ast.Add():
                pairs = [(left, right), (right, left)]
            case ast.Sub():
                pairs = [(left, right)]
            case ast.Mult():
                pairs = [(left, right), (right, left)]
            case _:
                return None
        for tensor, number in pairs:
            if isinstance(operator, ast.Mult):
                is_kept = (integer(number) or 0) > 0
            else:
                is_kept = self.shapes.operand(number) is Operand.NUMBER
            if is_kept:
                return self.distinct(Line(tensor, line.axis, line.rank))
        return None

    def _ordered(self, call: TensorCall, line: Line) -> Proof | None:
        match call.name:
            case "argsort":
                axis = self.order_axis(call)
                is_along = axis is not None and normal(axis, line.rank) == line.axis
                return Proof("indices of `argsort`") if is_along else None
            case "multinomial":
                replacement = call.given("replacement")
                is_last = line.axis == line.rank - 1
                is_distinct = replacement is None or truth(replacement) is False
                reason = "`multinomial` without replacement"
                return Proof(reason) if is_last and is_distinct else None
            case "unique" if line.rank == 1 and not gives_several(call):
                return self._unique(call)
            case "squeeze":
                return self._squeezed_nonzero(call, line)
            case _:
                return None

    def _squeezed_nonzero(self, call: TensorCall, line: Line) -> Proof | None:
        """`nonzero` has a column for each axis: a vector only of one column."""
        inner = operation(self.facts.value(call.tensor), self.facts)
        if inner is None or inner.name not in ("nonzero", "argwhere"):
            return None
        if gives_several(inner) or line.rank != 1:
            return None
        if isinstance(call.tensor, ast.Name) and not self._is_stable(call.tensor):
            return None
        dim = call.number("dim")
        is_column = dim in (1, -1) or self.shapes.ranks(inner.tensor) == {1}
        return Proof("coordinates of `nonzero`") if is_column else None

    def _is_stable(self, name: ast.Name) -> bool:
        return is_stable(name, self.at[-1] if self.at else name, self.facts)
