"""Whether index tensors that broadcast together give no combination twice."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .index_axes import Line
from .index_masks import is_mask
from .index_proofs import Proof, Prover, joint


@dataclass(frozen=True, slots=True)
class Pairs:
    """Index tensors of one subscript.

    An axis of what they broadcast to is *told apart* by a tensor that varies along it
    alone and never repeats. One axis more may be left where a tensor has distinct
    lines along it, or where all have the size one.
    """

    prover: Prover
    tensors: list[ast.expr]

    def proof(self) -> Proof | None:
        rank = max((each for t in self.tensors if (each := self._rank(t))), default=0)
        proofs: list[Proof | None] = []
        left: list[int] = []
        for axis in range(rank):
            apart = self._apart(axis, rank) or self._once(axis, rank)
            if apart is None:
                left.append(axis)
            else:
                proofs.append(apart)
        if len(left) > 1 or not proofs:
            return None
        proofs += [self._distinct(axis, rank) for axis in left]
        return joint(proofs)

    def _rank(self, tensor: ast.expr) -> int | None:
        """The rank of an index tensor, where one is known; a mask gives a vector."""
        if is_mask(tensor, self.prover.facts):
            return 1
        ranks = self.prover.shapes.ranks(tensor)
        return next(iter(ranks)) if len(ranks) == 1 else None

    def _apart(self, axis: int, rank: int) -> Proof | None:
        for tensor in self.tensors:
            own = self._rank(tensor)
            if own is None or axis < rank - own:
                continue
            if is_mask(tensor, self.prover.facts):
                return Proof("a mask")
            others = [a for a in range(own) if a != axis - rank + own]
            proofs = [self.prover.once(Line(tensor, other, own)) for other in others]
            line = Line(tensor, axis - rank + own, own)
            found = joint([self.prover.distinct(line), *proofs])
            if found is not None and self.prover.once(line) is None:
                return found
        return None

    def _once(self, axis: int, rank: int) -> Proof | None:
        proofs: list[Proof | None] = []
        for tensor in self.tensors:
            own = self._rank(tensor)
            if own is None or axis >= rank - own:
                place = axis if own is None else axis - rank + own
                line = Line(tensor, place, rank if own is None else own)
                proofs.append(self.prover.once(line))
        return joint(proofs)

    def _distinct(self, axis: int, rank: int) -> Proof | None:
        for tensor in self.tensors:
            if self._rank(tensor) in (None, rank) and not is_mask(
                tensor, self.prover.facts
            ):
                found = self.prover.distinct(Line(tensor, axis, rank))
                if found is not None and self.prover.once(Line(tensor, axis, rank)):
                    continue
                if found is not None:
                    return found
        return None
