"""What each path from a cast to the exits of its scope demands of the copy.

A path is summed up by the set of demands met on it, as bits: `NARROW` for a selection,
`FULL` for a read of the whole copy. The question is whether a path exists that meets
NARROW and not FULL. The same machinery tells whether two nodes can run on one path.

Limits, all on the side of fewer findings: a loop runs at least once, an exception
arises before the first or after the last statement of a `try` body, and a path that
ends in an exception is not counted. Conditions are not correlated. Which ends a
statement has, `ends` says.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from .ends import constant_truth, is_certain, is_endless, may_swallow
from .facts import Facts
from .syntax import SCOPES, evaluated_here

NARROW = 1
FULL = 2

Demands = frozenset[int]
"""The sums of demands over several paths."""

_NONE: Demands = frozenset((0,))
_NO_PATH: Demands = frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Demands of the paths through some code, by how they leave it."""

    normal: Demands
    exits: Demands = _NO_PATH
    breaks: Demands = _NO_PATH
    continues: Demands = _NO_PATH
    raises: Demands = _NO_PATH
    """Of the paths that end in `raise`; they matter to handlers alone."""

    @property
    def all(self) -> Demands:
        return self.normal | self.exits | self.breaks | self.continues


class Paths:
    """The paths from `origin` to the exits of its scope.

    `demands` says which nodes make which demand, as a set of bits.
    """

    def __init__(
        self, origin: ast.AST, demands: Mapping[ast.AST, int], facts: Facts
    ) -> None:
        self.origin = origin
        self.tree = facts.tree
        self.demands = demands
        self.tree.work.spend(len(demands))
        self._warm: set[ast.AST] = set()
        for node in demands:
            self._warm.add(node)
            self._warm.update(self.tree.ancestors(node))
        self._warm_in: dict[ast.stmt, list[int]] = {}
        for node in self._warm:
            if isinstance(node, ast.stmt):
                place = self.tree.place(node)
                self._warm_in.setdefault(place.suite[0], []).append(place.index)

    def from_origin(self) -> Demands:
        """The demands of every path from the origin to an exit of the scope."""
        scope = self.tree.scope(self.origin)
        if isinstance(scope, ast.Lambda):
            return self.expression(scope.body, _NONE)
        statement = self.tree.statement(self.origin)
        place = self.tree.place(statement)
        outcome = self.suite(place.suite, _NONE, place.index)
        owner: ast.AST = place.owner
        field = place.field
        while not isinstance(owner, SCOPES):
            if isinstance(owner, ast.ExceptHandler | ast.match_case):
                field = "cases"
                owner = self.tree.parents[owner]
            left = self._leave(owner, field, outcome)
            place = self.tree.place(_as_statement(owner))
            rest = self.suite(place.suite, left.normal, place.index + 1)
            outcome = _either([replace(left, normal=_NO_PATH), rest])
            owner, field = place.owner, place.field
        return outcome.all

    def _leave(self, owner: ast.AST, field: str, outcome: Outcome) -> Outcome:
        """How control leaves `owner`, one of whose suites had this outcome."""
        match owner:
            case ast.For() | ast.AsyncFor() | ast.While() if field == "body":
                return self._leave_loop(owner, outcome)
            case ast.Try() | ast.TryStar() if field != "finalbody":
                return self._leave_try(owner, field, outcome)
            case ast.With() | ast.AsyncWith():
                return _leave_with(owner, outcome)
            case _:
                return outcome

    def _leave_loop(
        self, owner: ast.For | ast.AsyncFor | ast.While, outcome: Outcome
    ) -> Outcome:
        """The paths go on behind the loop, or end with the round of an endless one."""
        again = outcome.normal | outcome.continues
        exits = outcome.exits
        if isinstance(owner, ast.While):
            again = self.expression(owner.test, again)
        if is_endless(owner):
            exits, again = exits | again, _NO_PATH
        last = self.suite(owner.orelse, again)
        return Outcome(
            last.normal | outcome.breaks,
            exits | last.exits,
            last.breaks,
            last.continues,
            outcome.raises | last.raises,
        )

    def _leave_try(
        self, owner: ast.Try | ast.TryStar, field: str, outcome: Outcome
    ) -> Outcome:
        arms = [outcome]
        if field == "body":
            thrown = _NONE | outcome.all | outcome.raises
            arms = [
                replace(outcome, normal=_NO_PATH, raises=_NO_PATH),
                self.suite(owner.orelse, outcome.normal),
                *(self.suite(handler.body, thrown) for handler in owner.handlers),
            ]
        return self._finally(owner, _either(arms))

    def needs_full_on_every_path(self, statement: ast.stmt) -> bool:
        """Whether each path through a statement reads the whole copy."""
        found = self.statement(statement, _NONE).all
        return bool(found) and all(demand & FULL for demand in found)

    def has_full_read(self, node: ast.AST) -> bool:
        return node in self._warm and any(
            demand & FULL and self.tree.contains(node, each)
            for each, demand in self.demands.items()
        )

    def suite(self, suite: list[ast.stmt], start: Demands, first: int = 0) -> Outcome:
        """The outcome of a suite from its statement number `first` on."""
        live = start
        exits = breaks = continues = raises = _NO_PATH
        telling = self._telling(suite, first)
        self.tree.work.spend(len(telling))
        for index in telling:
            if not live:
                break
            outcome = self.statement(suite[index], live)
            live = outcome.normal
            exits |= outcome.exits
            breaks |= outcome.breaks
            continues |= outcome.continues
            raises |= outcome.raises
        return Outcome(live, exits, breaks, continues, raises)

    def _telling(self, suite: list[ast.stmt], first: int) -> list[int]:
        """Where the statements stand that a path does not just pass."""
        if not suite:
            return []
        warm = self._warm_in.get(suite[0], ())
        jumps = self.tree.jumps(suite)
        jumps = jumps[bisect_left(jumps, first) :]
        return sorted({*jumps, *(index for index in warm if index >= first)})

    def statement(self, node: ast.stmt, start: Demands) -> Outcome:
        if node not in self._warm and not self.tree.has_jump(node):
            return Outcome(start)
        if node in self.demands:
            start = self.also(start, self.demands[node])
        if self.tree.raises(node):
            return Outcome(_NO_PATH, raises=self._children(node, start))
        match node:
            case ast.Return():
                return Outcome(_NO_PATH, exits=self._children(node, start))
            case ast.Break():
                return Outcome(_NO_PATH, breaks=start)
            case ast.Continue():
                return Outcome(_NO_PATH, continues=start)
            case ast.If():
                tested = self.expression(node.test, start)
                truth = constant_truth(node.test)
                arms = [node.body] if truth is not False else []
                arms += [node.orelse] if truth is not True else []
                return _either(self.suite(arm, tested) for arm in arms)
            case ast.For() | ast.AsyncFor():
                entered = self.expression(node.iter, start)
                entered = self.expression(node.target, entered)
                return self._loop(node, entered, None)
            case ast.While():
                if constant_truth(node.test) is False:
                    return self.suite(node.orelse, start)
                return self._loop(node, start, node.test)
            case ast.With() | ast.AsyncWith():
                return self._with(node, start)
            case ast.Try() | ast.TryStar():
                return self._try(node, start)
            case ast.Match():
                return self._match(node, start)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                for part in evaluated_here(node):
                    start = self.expression(part, start)
                return Outcome(start)
            case _:
                return Outcome(self._children(node, start))

    def _loop(
        self,
        node: ast.For | ast.AsyncFor | ast.While,
        start: Demands,
        test: ast.expr | None,
    ) -> Outcome:
        ended = exits = breaks = raises = _NO_PATH
        head = start
        while True:
            tested = head if test is None else self.expression(test, head)
            outcome = self.suite(node.body, tested)
            again = outcome.normal | outcome.continues
            exits |= outcome.exits
            breaks |= outcome.breaks
            raises |= outcome.raises
            ended |= again
            if again <= head:
                break
            head |= again
        if is_endless(node):
            if not breaks and not exits:
                exits = ended  # of a generator, or a program that is ended from outside
            ended = _NO_PATH
        elif not ended and not breaks:
            ended = start
        last = self.suite(node.orelse, ended)
        return Outcome(
            last.normal | breaks,
            exits | last.exits,
            last.breaks,
            last.continues,
            raises | last.raises,
        )

    def _with(self, node: ast.With | ast.AsyncWith, start: Demands) -> Outcome:
        for item in node.items:
            start = self.expression(item.context_expr, start)
            if item.optional_vars is not None:
                start = self.expression(item.optional_vars, start)
        return _leave_with(node, self.suite(node.body, start))

    def _match(self, node: ast.Match, start: Demands) -> Outcome:
        live = self.expression(node.subject, start)
        arms: list[Outcome] = []
        for case in node.cases:
            if case.guard is not None:
                live = self.expression(case.guard, live)
            arms.append(self.suite(case.body, live))
            if is_certain(case):
                return _either(arms)
        return _either([*arms, Outcome(live)])

    def _try(self, node: ast.Try | ast.TryStar, start: Demands) -> Outcome:
        body = self.suite(node.body, start)
        arms = [self.suite(node.orelse, body.normal)]
        thrown = start | body.all | body.raises
        arms += [self.suite(handler.body, thrown) for handler in node.handlers]
        body = replace(body, normal=_NO_PATH)
        return self._finally(node, _either([body, *arms]))

    def _finally(self, node: ast.Try | ast.TryStar, leaving: Outcome) -> Outcome:
        """How control leaves a `finally`, which may turn each way out into another."""
        if not node.finalbody:
            return leaving
        arms = [self.suite(node.finalbody, leaving.normal)]
        for way in ("exits", "breaks", "continues", "raises"):
            live: Demands = getattr(leaving, way)
            if live:
                through = self.suite(node.finalbody, live)
                own: Demands = getattr(through, way) | through.normal
                arms.append(replace(through, normal=_NO_PATH, **{way: own}))
        return _either(arms)

    def expression(self, node: ast.AST, start: Demands) -> Demands:
        """Demands after evaluating an expression."""
        if node not in self._warm:
            return start
        self.tree.work.spend(1)
        match node:
            case ast.IfExp():
                tested = self.expression(node.test, start)
                after = self.expression(node.body, tested) | self.expression(
                    node.orelse, tested
                )
            case ast.BoolOp():
                after = _NO_PATH
                live = start
                for value in node.values:
                    live = self.expression(value, live)
                    after |= live
            case ast.Lambda():
                after = start
            case _:
                after = self._children(node, start)
        demand = self.demands.get(node, 0)
        return self.also(after, demand) if demand else after

    def _children(self, node: ast.AST, start: Demands) -> Demands:
        live = start
        for child in ast.iter_child_nodes(node):
            live = self.expression(child, live)
        return live

    def also(self, demands: Demands, demand: int) -> Demands:
        """Demands of paths that go on to meet another."""
        return frozenset(each | demand for each in demands)


class Merged(Paths):
    """Paths of which only the union is told, for those with FULL and for the others.

    A demand of a bit for each read then tells, at the cost of one walk, which of them
    stand on some path that never reads the whole.
    """

    def also(self, demands: Demands, demand: int) -> Demands:
        sums: dict[int, int] = {}
        for each in super().also(demands, demand):
            sums[each & FULL] = sums.get(each & FULL, 0) | each
        return frozenset(sums.values())


def _leave_with(node: ast.With | ast.AsyncWith, body: Outcome) -> Outcome:
    if not any(may_swallow(item.context_expr) for item in node.items):
        return body
    return replace(body, normal=body.normal | body.raises, raises=_NO_PATH)


def _either(outcomes: Iterable[Outcome]) -> Outcome:
    normal = exits = breaks = continues = raises = _NO_PATH
    for outcome in outcomes:
        normal |= outcome.normal
        exits |= outcome.exits
        breaks |= outcome.breaks
        continues |= outcome.continues
        raises |= outcome.raises
    return Outcome(normal, exits, breaks, continues, raises)


def _as_statement(node: ast.AST) -> ast.stmt:
    assert isinstance(node, ast.stmt)
    return node


def negation(test: ast.expr) -> str:
    """The opposite of a condition, in Python's words."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.unparse(operand)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            opposite = _OPPOSITES.get(type(op))
            if opposite is not None:
                return f"{ast.unparse(left)} {opposite} {ast.unparse(right)}"
        case ast.BoolOp(op=op, values=values):
            word = " and " if isinstance(op, ast.Or) else " or "
            return word.join(_grouped(negation(v), word) for v in values)
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            return f"not {ast.unparse(test)}"
        case _:
            pass
    return f"not ({ast.unparse(test)})"


def _grouped(text: str, word: str) -> str:
    other = " or " if word == " and " else " and "
    return f"({text})" if other in text else text


_OPPOSITES: Mapping[type[ast.cmpop], str] = {
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.In: "not in",
    ast.NotIn: "in",
}
