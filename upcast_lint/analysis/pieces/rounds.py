"""Whether the rounds of a loop read a tensor piece by piece, and never a piece twice.

Terms
-----
round
    One run of a loop's body, or of the element of a comprehension.
level
    One loop around a read that does not hold the cast; each `for` of a comprehension
    is one.
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
from dataclasses import dataclass, field

from ..facts import Facts
from ..indices import Proof
from ..names import Binding, Definition
from ..reads import Use
from ..syntax import COMPREHENSIONS
from ..tensor_calls import is_steady
from ..values import integer
from ..words import words
from .cuts import Cut
from .subscripts import Counter, counter

Iteration = ast.For | ast.AsyncFor | ast.comprehension
LevelNode = Iteration | ast.While


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    node: LevelNode
    holder: ast.AST
    """What holds the code of its rounds: `node`, or the whole comprehension."""


def levels_of(node: ast.AST, use: Use) -> list[Level]:
    """The levels around `node`, innermost first."""
    return levels_around(node, use.cast.call, use.facts)


def levels_around(node: ast.AST, cast: ast.expr, facts: Facts) -> list[Level]:
    """The levels around `node` that do not hold `cast`, innermost first."""
    tree = facts.tree
    found: list[Level] = []
    for loop in tree.enclosing_loops(node):
        if tree.contains(loop, cast):
            continue
        if isinstance(loop, ast.For | ast.AsyncFor | ast.While):
            found.append(Level(loop, loop))
        elif isinstance(loop, COMPREHENSIONS):
            for generator in reversed(loop.generators):
                if not tree.contains(generator, node):
                    found.append(Level(generator, loop))
    return found


_PASSING_ON = words("enumerate zip reversed list tuple iter tqdm")


def iterating(node: ast.expr, facts: Facts) -> Iteration | None:
    """What iterates over a value, also by way of `enumerate`, `zip` and their like."""
    parent = facts.tree.parents[node]
    match parent:
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            return parent if parent.iter is node else None
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            is_passed_on = name in _PASSING_ON and node in parent.args
            return iterating(parent, facts) if is_passed_on else None
        case _:
            return None


def element_name(
    target: ast.expr, iterable: ast.expr, node: ast.expr
) -> ast.Name | None:
    """The name in `target` for the elements of `node`, which `iterable` holds."""
    if iterable is node:
        return target if isinstance(target, ast.Name) else None
    match iterable:
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            match target:
                case ast.Tuple(elts=[_, element]):
                    return element_name(element, inner, node)
        case ast.Call(func=ast.Name(id="zip"), args=arguments):
            if isinstance(target, ast.Tuple) and len(target.elts) == len(arguments):
                pairs = zip(target.elts, arguments, strict=True)
                names = [element_name(t, argument, node) for t, argument in pairs]
                return next((name for name in names if name is not None), None)
        case ast.Call(args=[inner, *_]):
            return element_name(target, inner, node)
    return None


def elements_of(loop: Iteration, name: ast.Name | None, facts: Facts) -> list[ast.expr]:
    """The loads of a name that a loop binds."""
    return [
        load
        for definition in facts.names.made_by(loop)
        if name is not None and definition.name == name.id
        for load in facts.names.uses(definition)
    ]


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
            _Judge(level, use.facts).fate(cut)
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


# What varies


def varies(node: ast.AST, level: Level, facts: Facts) -> bool:
    """Whether a node depends on the round of a loop."""
    return _Variation(level, facts).of(node)


@dataclass(slots=True)
class _Variation:
    level: Level
    facts: Facts
    seen: set[Definition] = field(default_factory=set)

    def of(self, node: ast.AST) -> bool:
        return any(
            self._definition(definition)
            for part in ast.walk(node)
            if isinstance(part, ast.Name)
            for definition in self.facts.names.of(part)
        )

    def _definition(self, definition: Definition) -> bool:
        node = definition.node
        if node is self.level.node:
            return True
        if not self.facts.tree.contains(self.level.holder, node):
            return False
        if definition in self.seen:
            return True
        self.seen.add(definition)
        if definition.binding is Binding.AUGMENTED:
            return True
        if definition.value is not None:
            return self.of(definition.value)
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            return self.of(node.iter)
        return True


# Disjointness

_Monomial = tuple[str, ...]
_Polynomial = dict[_Monomial, int]
_VARIABLE = "·"


@dataclass(frozen=True, slots=True)
class _Progress:
    """How a variable goes on from round to round: always by `step`."""

    definition: frozenset[Definition]
    step: _Polynomial
    least: int | None
    """What the variable never falls below, where that is known."""


@dataclass(slots=True)
class _Judge:
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
            slope, offset = _split(lower)
            if slope is None or offset is None or not slope:
                continue
            stride = _product(slope, progress.step)
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
        self, cut: Cut, lower: _Polynomial, stride: _Polynomial, progress: _Progress
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
            lengths = [None if e is None else _difference(e, lower) for e in ends]
        known = [length for length in lengths if length is not None]
        if any(_is_at_most(length, stride) for length in known):
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
        step: _Polynomial | None = {(): 1}
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
        step: _Polynomial | None = None
        match inside.node:
            case ast.AugAssign(op=ast.Add()):
                step = self._polynomial(inside.value, None)
            case ast.Assign():
                draft = _Progress(reaching, {}, None)
                after = self._polynomial(inside.value, draft)
                step = None if after is None else _difference(after, {(_VARIABLE,): 1})
            case _:
                pass
        if not step or any(_VARIABLE in monomial for monomial in step):
            return None
        return _Progress(reaching, step, _least_before(reaching - {inside}))

    # Polynomials

    def _polynomial(
        self, node: ast.expr, progress: _Progress | None
    ) -> _Polynomial | None:
        """An expression as a polynomial, with `progress` as its variable."""
        number = integer(node)
        if number is not None:
            return {(): number}
        match node:
            case ast.Name():
                return self._name(node, progress)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self._polynomial(operand, progress)
                return None if inner is None else _product(inner, {(): -1})
            case ast.BinOp(left=left, op=op, right=right):
                a = self._polynomial(left, progress)
                b = self._polynomial(right, progress)
                if a is None or b is None:
                    return None
                match op:
                    case ast.Add():
                        return _sum(a, b)
                    case ast.Sub():
                        return _difference(a, b)
                    case ast.Mult():
                        return _product(a, b)
                    case _:
                        return self._atom(node)
            case _:
                return self._atom(node)

    def _name(self, node: ast.Name, progress: _Progress | None) -> _Polynomial | None:
        reaching = self.facts.names.of(node)
        if progress is not None and reaching == progress.definition:
            return {(_VARIABLE,): 1}
        value = self.facts.value(node)
        if value is not node:
            return self._polynomial(value, progress)
        return self._atom(node)

    def _atom(self, node: ast.expr) -> _Polynomial | None:
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
            and any(end is not None and end.get((_VARIABLE,)) == 1 for end in ends)
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


def _sum(a: _Polynomial, b: _Polynomial) -> _Polynomial:
    out = dict(a)
    for monomial, factor in b.items():
        out[monomial] = out.get(monomial, 0) + factor
    return {monomial: factor for monomial, factor in out.items() if factor}


def _difference(a: _Polynomial, b: _Polynomial) -> _Polynomial:
    return _sum(a, _product(b, {(): -1}))


def _product(a: _Polynomial, b: _Polynomial) -> _Polynomial:
    out: _Polynomial = {}
    for left, m in a.items():
        for right, n in b.items():
            monomial = tuple(sorted((*left, *right)))
            out[monomial] = out.get(monomial, 0) + m * n
    return {monomial: factor for monomial, factor in out.items() if factor}


def _split(
    polynomial: _Polynomial,
) -> tuple[_Polynomial | None, _Polynomial | None]:
    """The factor of the variable and the rest; None where it is not linear."""
    slope: _Polynomial = {}
    rest: _Polynomial = {}
    for monomial, factor in polynomial.items():
        match monomial.count(_VARIABLE):
            case 0:
                rest[monomial] = factor
            case 1:
                slope[tuple(m for m in monomial if m != _VARIABLE)] = factor
            case _:
                return None, None
    return slope, rest


def _is_at_most(length: _Polynomial, stride: _Polynomial) -> bool:
    if length in (stride, _product(stride, {(): -1})):
        return True
    if length.keys() <= {()} and stride.keys() <= {()}:
        return length.get((), 0) <= abs(stride.get((), 0))
    return False


def _stays_positive(
    slope: _Polynomial, offset: _Polynomial, progress: _Progress
) -> bool:
    """Whether a bound is never counted from the end: zero or more in every round."""
    least = progress.least
    if least is None or least < 0 or not offset.keys() <= {()}:
        return False
    if slope.keys() == {()} and slope[()] > 0:
        return slope[()] * least + offset.get((), 0) >= 0
    return all(factor > 0 for factor in slope.values()) and offset.get((), 0) >= 0
