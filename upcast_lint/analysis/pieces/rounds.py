"""Whether the rounds of a loop read a tensor piece by piece, and never a piece twice.

Terms
-----
piecewise
    A cut that moves with the rounds: an integer that varies with a level, or a slice
    of which both bounds do. `[:t]` grows with the rounds, and is not piecewise.
disjoint
    No two rounds take the same element.

A cast that goes into a loop costs no more than the one above it only where no piece is
read again and again: not where a level leaves the cut as it is, and not where windows
overlap. What cannot be told is taken to be disjoint, but is not proved.

Limits: bounds are compared as polynomials of names; a step may be negative or zero only
where it is a literal.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ..facts import Facts
from ..indices import Proof
from ..names import Binding, Definition
from ..reads import Use
from ..tensor_calls import is_steady
from ..values import integer
from .cuts import Cut
from .levels import Level, levels_of, varies
from .polynomials import (
    VARIABLE,
    Polynomial,
    difference,
    is_at_most,
    product,
    split,
    total,
)
from .subscripts import Counter, counter


def is_read_by_round(cuts: Sequence[Cut], use: Use) -> bool:
    """Whether a cut depends on a loop that the cast stands above."""
    return any(
        varies(part, level, use.facts)
        for level in levels_of(use.node, use)
        for cut in cuts
        for part in (cut.start, cut.end)
        if part is not None
    )


@dataclass(frozen=True, slots=True)
class Rounds:
    """What the rounds read: `is_piecewise`, and the proof that they are disjoint."""

    is_piecewise: bool
    disjoint: Proof | None = None


def judge_rounds(cuts: Sequence[Cut], use: Use) -> Rounds:
    """How the rounds around a read share out the tensor."""
    levels = levels_of(use.node, use)
    moving = [c for c in cuts if any(_moves(c, level, use.facts) for level in levels)]
    fates: list[_Fate] = []
    for level in levels:
        own = [
            _LevelRounds(level, use.facts).fate(cut)
            for cut in moving
            if _moves(cut, level, use.facts)
        ]
        if not own:
            return Rounds(False)
        fates.append(min(own, key=lambda fate: fate.rank))
    if any(fate in (_OVERLAPPING, _UNCOUNTED) for fate in fates):
        return Rounds(False)
    if all(fate is _DISJOINT for fate in fates):
        return Rounds(True, Proof("each round of the loop takes another piece"))
    return Rounds(len(levels) == 1)


@dataclass(frozen=True, slots=True)
class _Fate:
    rank: int


_DISJOINT = _Fate(0)
_OPEN = _Fate(1)
_OVERLAPPING = _Fate(2)
_UNCOUNTED = _Fate(3)
"""The rounds may take one piece several times, and be more than there are pieces."""


def _moves(cut: Cut, level: Level, facts: Facts) -> bool:
    """Whether a cut is piecewise in the rounds of a level."""
    if cut.start is None or not varies(cut.start, level, facts):
        return False
    if cut.index is not None or cut.length is not None:
        return True
    return cut.upper is not None and varies(cut.upper, level, facts)


# Disjointness


@dataclass(frozen=True, slots=True)
class _Progress:
    """How a variable goes on from round to round: always by `step`."""

    definition: frozenset[Definition]
    step: Polynomial
    least: int | None
    """What the variable never falls below, where that is known."""


@dataclass(slots=True)
class _LevelRounds:
    level: Level
    facts: Facts

    def fate(self, cut: Cut) -> _Fate:
        """What becomes of a piecewise cut in the rounds of the level."""
        assert cut.start is not None
        for progress in self._progresses(cut.start):
            lower = self._polynomial(cut.start, progress)
            if lower is None:
                if self._touches(cut.start, progress):
                    return _OVERLAPPING
                continue
            slope, offset = split(lower)
            if slope is None or offset is None or not slope:
                continue
            stride = product(slope, progress.step)
            found = self._compared(cut, lower, stride, progress)
            if found is _DISJOINT and not _stays_positive(slope, offset, progress):
                return _OPEN
            return found
        if self._continues(cut):
            return _DISJOINT
        return _UNCOUNTED if self._is_drawn(cut) else _OPEN

    def _is_drawn(self, cut: Cut) -> bool:
        """Whether an element is named by what the loop iterates over: any, often."""
        if cut.index is None or isinstance(self.level.node, ast.While):
            return False
        names = [p for p in ast.walk(cut.index) if isinstance(p, ast.Name)]
        return any(
            definition.node is self.level.node
            and counter(definition, self.facts) is None
            for name in names
            for definition in self.facts.names.of(name)
        )

    def _compared(
        self, cut: Cut, lower: Polynomial, stride: Polynomial, progress: _Progress
    ) -> _Fate:
        """Whether the distance from round to round is as long as a piece."""
        if cut.step is not None:
            return _OPEN
        if cut.index is not None:
            return _DISJOINT
        if cut.length is not None:
            lengths = [
                self._polynomial(each, progress)
                for each in _least(self.facts.value(cut.length))
            ]
        else:
            assert cut.upper is not None
            upper = self.facts.value(cut.upper)
            ends = [self._polynomial(each, progress) for each in _least(upper)]
            lengths = [None if e is None else difference(e, lower) for e in ends]
        known = [length for length in lengths if length is not None]
        if any(is_at_most(length, stride) for length in known):
            return _DISJOINT
        return _OVERLAPPING if known else _OPEN

    def _progresses(self, node: ast.expr) -> list[_Progress]:
        """The variables of the level that an expression is made from."""
        found: list[_Progress] = []
        seen: set[Definition] = set()
        pending: list[ast.AST] = [node]
        while pending:
            for part in ast.walk(pending.pop()):
                if not isinstance(part, ast.Name):
                    continue
                reaching = self.facts.names.of(part)
                progress = self._progress(reaching)
                if progress is not None and progress not in found:
                    found.append(progress)
                for definition in reaching - seen:
                    seen.add(definition)
                    inside = self.facts.tree.contains(
                        self.level.holder, definition.node
                    )
                    if inside and definition.binding is Binding.ASSIGNED:
                        assert definition.value is not None
                        pending.append(definition.value)
        return found

    def _progress(self, reaching: frozenset[Definition]) -> _Progress | None:
        if isinstance(self.level.node, ast.While):
            return self._carried(reaching)
        if len(reaching) != 1:
            return None
        definition = next(iter(reaching))
        if definition.node is not self.level.node:
            return None
        counted = counter(definition, self.facts)
        if counted is None:
            return None
        step: Polynomial | None = {(): 1}
        if counted.step is not None:
            step = self._polynomial(counted.step, None)
        if not step:
            return None
        return _Progress(reaching, step, _least_counted(counted, self.facts))

    def _carried(self, reaching: frozenset[Definition]) -> _Progress | None:
        """`lo` of `while …: …; lo += step`, or of `lo = lo + step`."""
        inside = self._only_inside(reaching)
        if inside is None or inside.value is None:
            return None
        step: Polynomial | None = None
        match inside.node:
            case ast.AugAssign(op=ast.Add()):
                step = self._polynomial(inside.value, None)
            case ast.Assign():
                draft = _Progress(reaching, {}, None)
                after = self._polynomial(inside.value, draft)
                step = None if after is None else difference(after, {(VARIABLE,): 1})
            case _:
                pass
        if not step or any(VARIABLE in monomial for monomial in step):
            return None
        return _Progress(reaching, step, _least_before(reaching - {inside}))

    # Polynomials

    def _polynomial(
        self, node: ast.expr, progress: _Progress | None
    ) -> Polynomial | None:
        """An expression as a polynomial, with `progress` as its variable."""
        number = integer(node)
        if number is not None:
            return {(): number}
        match node:
            case ast.Name():
                return self._name(node, progress)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self._polynomial(operand, progress)
                return None if inner is None else product(inner, {(): -1})
            case ast.BinOp(left=left, op=op, right=right):
                a = self._polynomial(left, progress)
                b = self._polynomial(right, progress)
                if a is None or b is None:
                    return None
                match op:
                    case ast.Add():
                        return total(a, b)
                    case ast.Sub():
                        return difference(a, b)
                    case ast.Mult():
                        return product(a, b)
                    case _:
                        return self._atom(node)
            case _:
                return self._atom(node)

    def _name(self, node: ast.Name, progress: _Progress | None) -> Polynomial | None:
        reaching = self.facts.names.of(node)
        if progress is not None and reaching == progress.definition:
            return {(VARIABLE,): 1}
        value = self.facts.value(node)
        if value is not node:
            return self._polynomial(value, progress)
        return self._atom(node)

    def _atom(self, node: ast.expr) -> Polynomial | None:
        """Anything that is the same in every round, by its text."""
        if varies(node, self.level, self.facts):
            return None
        for part in ast.walk(node):
            match part:
                case ast.Name() if len(self.facts.names.of(part)) != 1:
                    return None
                case ast.Call() if is_steady(part, self.facts):
                    pass
                case ast.Call() | ast.Await() | ast.NamedExpr():
                    return None
                case _:
                    pass
        return {(ast.unparse(node),): 1}

    def _touches(self, node: ast.expr, progress: _Progress) -> bool:
        """Whether a bound is worked out from the variable by other arithmetic."""
        match node:
            case ast.Name():
                if self.facts.names.of(node) == progress.definition:
                    return True
                value = self.facts.value(node)
                return value is not node and self._touches(value, progress)
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case ast.UnaryOp(operand=operand):
                parts = [operand]
            case ast.Call(func=ast.Name(), args=args) if is_steady(node, self.facts):
                parts = args
            case _:
                return False
        return any(self._touches(part, progress) for part in parts)

    def _continues(self, cut: Cut) -> bool:
        """`lo = hi` at the end of `while …: hi = min(lo + step, n); …[lo:hi]`."""
        if not isinstance(cut.lower, ast.Name) or not isinstance(cut.upper, ast.Name):
            return False
        inside = self._only_inside(self.facts.names.of(cut.lower))
        if inside is None or not isinstance(inside.value, ast.Name):
            return False
        if self.facts.names.of(inside.value) != self.facts.names.of(cut.upper):
            return False
        draft = _Progress(self.facts.names.of(cut.lower), {}, None)
        ends = [
            self._polynomial(each, draft)
            for each in _least(self.facts.value(cut.upper))
        ]
        least = _least_before(draft.definition - {inside})
        return (
            least is not None
            and least >= 0
            and any(end is not None and end.get((VARIABLE,)) == 1 for end in ends)
        )

    def _only_inside(self, reaching: frozenset[Definition]) -> Definition | None:
        """The one definition that a `while` gives a name in each round."""
        loop = self.level.node
        if not isinstance(loop, ast.While):
            return None
        inside = [d for d in reaching if self.facts.tree.contains(loop, d.node)]
        if len(inside) != 1 or len(reaching) < 2 or inside[0].node not in loop.body:
            return None
        if any(isinstance(n, ast.Continue) for n in ast.walk(loop)):
            return None
        return inside[0]


def _least_before(before: frozenset[Definition]) -> int | None:
    """The smallest integer that a name is before a loop, if all are literals."""
    starts = [integer(d.value) for d in before]
    known = [start for start in starts if start is not None]
    return min(known) if known and len(known) == len(starts) else None


def _least(node: ast.expr) -> list[ast.expr]:
    """Expressions that are all at least as large as `node`."""
    match node:
        case ast.Call(func=ast.Name(id="min"), args=arguments, keywords=[]):
            return [each for part in arguments for each in _least(part)]
        case _:
            return [node]


def _least_counted(counted: Counter, facts: Facts) -> int | None:
    """The smallest value of a counter."""
    step = 1 if counted.step is None else integer(counted.step)
    if step is not None and step < 0:
        stop = integer(counted.stop)
        return None if stop is None else stop + 1
    return 0 if counted.start is None else integer(facts.value(counted.start))


def _stays_positive(slope: Polynomial, offset: Polynomial, progress: _Progress) -> bool:
    """Whether a bound is never counted from the end: zero or more in every round."""
    least = progress.least
    if least is None or least < 0 or not offset.keys() <= {()}:
        return False
    if slope.keys() == {()} and slope[()] > 0:
        return slope[()] * least + offset.get((), 0) >= 0
    return all(factor > 0 for factor in slope.values()) and offset.get((), 0) >= 0
