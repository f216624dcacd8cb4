"""Whether index tensors that broadcast together give no combination twice."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .axes import Line
from .masks import is_mask
from .once import Proof, joint
from .proofs import Prover


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
        rank = max(min(self._ranks(tensor), default=0) for tensor in self.tensors)
        if not all(self._may_have(tensor, rank) for tensor in self.tensors):
            return None
        apart = [self._apart(axis, rank) for axis in range(rank)]
        is_open = any(len(self._ranks(tensor)) != 1 for tensor in self.tensors)
        if is_open and not any(apart):
            return None
        proofs = [proof or self._once(axis, rank) for axis, proof in enumerate(apart)]
        left = [axis for axis, proof in enumerate(proofs) if proof is None]
        if len(left) > 1:
            return None
        return joint(p or self._distinct(left[0], rank) for p in proofs)

    def _ranks(self, tensor: ast.expr) -> frozenset[int]:
        """The possible ranks of an index tensor; a mask gives a vector."""
        if self._is_mask(tensor):
            return frozenset((1,))
        ranks = self.prover.shapes.ranks(tensor)
        return ranks - {0} if len(ranks) > 1 else ranks

    def _is_mask(self, tensor: ast.expr) -> bool:
        return is_mask(tensor, self.prover.facts) is True

    def _may_have(self, tensor: ast.expr, rank: int) -> bool:
        """Whether nothing shows a tensor of unknown rank to have more axes than this.

        What is known of the last of several axes is such evidence.
        """
        if len(self._ranks(tensor)) == 1 or rank > 1:
            return True
        line = Line(tensor, 1, 2)
        return (self.prover.once(line) or self.prover.distinct(line)) is None

    def _lines(self, tensor: ast.expr, axis: int, rank: int) -> list[Line]:
        """A tensor's own lines for an axis of the joint shape, by possible rank."""
        return [
            Line(tensor, axis - rank + own, own)
            for own in sorted(self._ranks(tensor))
            if own <= rank and axis >= rank - own
        ]

    def _apart(self, axis: int, rank: int) -> Proof | None:
        for tensor in self.tensors:
            lines = self._lines(tensor, axis, rank)
            if len(self._ranks(tensor)) != 1 or not lines:
                continue
            if self._is_mask(tensor):
                if self._pairs_with(tensor):
                    return Proof("a mask")
                continue
            line = lines[0]
            others = [
                self.prover.once(Line(tensor, other, line.rank))
                for other in range(line.rank)
                if other != line.axis
            ]
            found = joint([self.prover.distinct(line), *others])
            if found is not None and self.prover.once(line) is None:
                return found
        return None

    def _pairs_with(self, mask: ast.expr) -> bool:
        """Whether the other indices are picked by the same mask."""
        spelled = ast.dump(mask)
        return all(
            tensor is mask
            or (isinstance(tensor, ast.Subscript) and ast.dump(tensor.slice) == spelled)
            for tensor in self.tensors
        )

    def _once(self, axis: int, rank: int) -> Proof | None:
        lines = [line for t in self.tensors for line in self._lines(t, axis, rank)]
        if any(self._is_mask(line.node) for line in lines):
            return None
        return joint(map(self.prover.once, lines))

    def _distinct(self, axis: int, rank: int) -> Proof | None:
        """That one tensor has distinct lines along the axis, whatever its rank."""
        for tensor in self.tensors:
            lines = self._lines(tensor, axis, rank)
            possible = [own for own in self._ranks(tensor) if own <= rank]
            if self._is_mask(tensor) or len(lines) < len(possible):
                continue
            found = joint(map(self.prover.distinct, lines))
            if found is not None and self.prover.once(lines[0]) is None:
                return found
        return None
