"""Whether index tensors that broadcast together give no combination twice."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import product
from math import prod

from .axes import Line
from .masks import is_mask
from .once import Proof, joint
from .proofs import Prover

_MOST_COMBINATIONS = 64


@dataclass(frozen=True, slots=True)
class Pairs:
    """Index tensors of one subscript.

    An axis of what they broadcast to is *told apart* by a tensor that varies along it
    alone and never repeats. One axis more may be left where a tensor has distinct
    lines along it, or where all have the size one. This has to hold for every rank
    that each of them may have: `arange(n)` tells no two rows of `[m, n]` labels apart.
    """

    prover: Prover
    tensors: list[ast.expr]

    def proof(self) -> Proof | None:
        possible = [sorted(self._ranks(tensor)) for tensor in self.tensors]
        if prod(map(len, possible)) > _MOST_COMBINATIONS:
            return None
        return joint(_Broadcast(self, ranks).proof() for ranks in product(*possible))

    def _ranks(self, tensor: ast.expr) -> frozenset[int]:
        """The possible ranks of an index tensor; a mask gives a vector."""
        if self.is_mask(tensor):
            return frozenset((1,))
        return self.prover.shapes.ranks(tensor)

    def is_mask(self, tensor: ast.expr) -> bool:
        return is_mask(tensor, self.prover.facts) is True

    def pairs_with(self, mask: ast.expr) -> bool:
        """Whether the other indices are picked by the same mask."""
        spelled = ast.dump(mask)
        return all(
            tensor is mask
            or (isinstance(tensor, ast.Subscript) and ast.dump(tensor.slice) == spelled)
            for tensor in self.tensors
        )


@dataclass(frozen=True, slots=True)
class _Broadcast:
    """The same index tensors, each under the assumption of one rank."""

    pairs: Pairs
    ranks: tuple[int, ...]

    def proof(self) -> Proof | None:
        rank = max(self.ranks)
        if rank == 0:
            return Proof("one index")
        proofs = [
            self._apart(axis, rank) or self._once(axis, rank) for axis in range(rank)
        ]
        left = [axis for axis, proof in enumerate(proofs) if proof is None]
        if len(left) > 1:
            return None
        return joint(p or self._distinct(left[0], rank) for p in proofs)

    def _lines(self, axis: int, rank: int) -> list[Line]:
        """The tensors' own lines for an axis of the joint shape."""
        return [
            Line(tensor, axis - rank + own, own)
            for tensor, own in zip(self.pairs.tensors, self.ranks, strict=True)
            if axis >= rank - own
        ]

    def _apart(self, axis: int, rank: int) -> Proof | None:
        prover = self.pairs.prover
        for line in self._lines(axis, rank):
            if self.pairs.is_mask(line.node):
                if self.pairs.pairs_with(line.node):
                    return Proof("a mask")
                continue
            others = [
                prover.once(Line(line.node, other, line.rank))
                for other in range(line.rank)
                if other != line.axis
            ]
            found = joint([prover.distinct(line), *others])
            if found is not None and prover.once(line) is None:
                return found
        return None

    def _once(self, axis: int, rank: int) -> Proof | None:
        lines = self._lines(axis, rank)
        if any(self.pairs.is_mask(line.node) for line in lines):
            return None
        return joint(map(self.pairs.prover.once, lines))

    def _distinct(self, axis: int, rank: int) -> Proof | None:
        """That one tensor has distinct lines along the axis."""
        prover = self.pairs.prover
        for line in self._lines(axis, rank):
            if self.pairs.is_mask(line.node):
                continue
            found = prover.distinct(line)
            if found is not None and prover.once(line) is None:
                return found
        return None
