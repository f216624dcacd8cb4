"""How the statements of a scope become the blocks of its graph."""

from __future__ import annotations

import ast
import enum
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from ..names import Binding
from ..syntax import FunctionNode, ScopeNode, parameters, scope_body
from . import Graph
from .ends import always_matches, constant_truth, may_swallow, raises
from .expressions import Bindings, Expressions, Landing


def lower(scope: ScopeNode, never: Collection[str]) -> tuple[Graph, Bindings]:
    """The graph of a scope, nested scopes left out, and the names that it binds.

    Calls of functions named in `never` do not return. Raises TooMuchWork: each
    `finally` in another doubles the work at least.
    """
    lowering = _Lowering(scope, never)
    lowering.run()
    return lowering.graph, lowering.bindings


class _Exit(enum.Enum):
    """How a jump leaves what is around it."""

    RETURN = enum.auto()
    BREAK = enum.auto()
    CONTINUE = enum.auto()


@dataclass(slots=True)
class _Loop:
    breaks: list[int] = field(default_factory=list)
    continues: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Handlers(Landing):
    """The handlers of a `try`, for its body."""


@dataclass(slots=True)
class _Finally(Landing):
    """A `finally`, which runs on every way out."""

    jumps: dict[_Exit, list[int]] = field(default_factory=dict)


@dataclass(slots=True)
class _Manager(Landing):
    """A `with`, of which leaving is a step."""

    node: ast.With | ast.AsyncWith | None = None


class _Lowering(Expressions):
    def __init__(self, scope: ScopeNode, never: Collection[str]) -> None:
        super().__init__(scope)
        self._never = never
        self._around: list[_Loop | _Handlers | _Finally | _Manager] = []
        """What a jump may meet, the innermost last."""
        self._returns = 0

    def run(self) -> None:
        scope = self.graph.scope
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for parameter in parameters(scope):
                self.bind(parameter.arg, Binding.PARAMETER, parameter)
        for item in scope_body(scope):
            if isinstance(item, ast.stmt):
                self._statement(item)
            elif isinstance(item, ast.expr):
                self.expression(item)
        if self.is_live:
            self.graph.exits.add(self.here)

    def _suite(self, suite: Iterable[ast.stmt]) -> None:
        for statement in suite:
            self._statement(statement)

    def _arm(self, suite: Iterable[ast.stmt], sources: Iterable[int]) -> int:
        """Lower a suite into blocks of its own; the last of these."""
        self.block(sources)
        self._suite(suite)
        return self.here

    def _parts(self, parts: Iterable[ast.expr | None]) -> None:
        for part in parts:
            if part is not None:
                self.expression(part)

    def _statement(self, node: ast.stmt) -> None:
        self.work.spend(1)
        self.graph.begins.setdefault(node, []).append(len(self.graph.steps))
        self._step(None)
        match node:
            case ast.Expr():
                self.expression(node.value)
                self._step(node)
                if raises(node, self._never):
                    self._raise()
            case ast.Assign():
                self.expression(node.value)
                for target in node.targets:
                    self.target(target, Binding.ASSIGNED, node, node.value)
                self._step(node)
            case ast.If():
                self._if(node)
            case ast.Return():
                self._parts([node.value])
                self._step(node)
                self._returns += self.is_live
                self._jump(_Exit.RETURN)
            case ast.AugAssign():
                self._augmented(node)
            case ast.For() | ast.AsyncFor():
                self.expression(node.iter)
                self._loop(node)
            case ast.While():
                self._loop(node)
            case ast.Break():
                self._jump(_Exit.BREAK)
            case ast.Continue():
                self._jump(_Exit.CONTINUE)
            case ast.Raise():
                self._parts([node.exc, node.cause])
                self._step(node)
                self._raise()
            case ast.Try() | ast.TryStar():
                self._try(node)
            case ast.With() | ast.AsyncWith():
                self._with(node)
            case ast.Match():
                self._match(node)
            case _:
                self._declaration(node)

    def _declaration(self, node: ast.stmt) -> None:
        """A statement that neither branches nor jumps, of the rarer ones."""
        match node:
            case ast.AnnAssign():
                if node.value is not None:
                    self.expression(node.value)
                    self.target(node.target, Binding.ASSIGNED, node, node.value)
                elif not isinstance(node.target, ast.Name):
                    self.expression(node.target)
            case ast.Assert():
                self._parts([node.test, node.msg])
            case ast.Delete():
                for target in node.targets:
                    self._delete(target, node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node)
            case ast.ClassDef():
                self._parts(node.decorator_list)
                self._parts(node.bases)
                self._parts(keyword.value for keyword in node.keywords)
                self.bindings.nested[node] = None
                self.bind(node.name, Binding.OTHER, node)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    self.bind(bound, Binding.IMPORTED, alias)
            case ast.Global() | ast.Nonlocal():
                self.bindings.declared |= set(node.names)
            case _:
                pass
        self._step(node)
        if raises(node, self._never):
            self._raise()

    def _function(self, node: FunctionNode) -> None:
        self._parts(node.decorator_list)
        self._parts(node.args.defaults)
        self._parts(node.args.kw_defaults)
        self.bindings.nested[node] = None
        self.bind(node.name, Binding.OTHER, node)

    def _augmented(self, node: ast.AugAssign) -> None:
        """What is written to is looked up first, and written to last."""
        target = node.target
        match target:
            case ast.Name():
                self.load(target)
            case ast.Subscript():
                self._parts([target.value, target.slice])
            case ast.Attribute():
                self.expression(target.value)
        self.expression(node.value)
        if isinstance(target, ast.Name):
            self.bind(target.id, Binding.AUGMENTED, node, node.value)
        else:
            self._step(target)
        self._step(node)

    def _delete(self, target: ast.expr, node: ast.Delete) -> None:
        match target:
            case ast.Name():
                self.load(target)
                self.bind(target.id, Binding.DELETED, node)
            case ast.Tuple() | ast.List():
                for element in target.elts:
                    self._delete(element, node)
            case _:
                self.expression(target)

    # Branches and loops

    def _if(self, node: ast.If) -> None:
        self.expression(node.test)
        self._step(node)
        tested = self.here
        truth = constant_truth(node.test)
        ends = [self._arm(node.body, () if truth is False else (tested,))]
        if node.orelse:
            ends.append(self._arm(node.orelse, () if truth is True else (tested,)))
        elif truth is not True:
            ends.append(tested)
        self._join(node, tested, ends)

    def _join(self, node: ast.stmt, tested: int, ends: Sequence[int]) -> None:
        after = self.block(ends)
        self.graph.arms.setdefault(node, range(tested + 1, after + 1))

    def _match(self, node: ast.Match) -> None:
        self.expression(node.subject)
        self._step(node)
        tested = self.here
        unmatched, ends = [tested], []
        for case in node.cases:
            self.block(unmatched)
            unmatched = []
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.Name):
                    self.load(part)
            if not always_matches(case.pattern):
                unmatched.append(self.here)
                self.block((self.here,))
            for part in ast.walk(case.pattern):
                self._capture(part, node.subject)
            self._step(case)
            if case.guard is not None:
                self.expression(case.guard)
                if constant_truth(case.guard) is not True:
                    unmatched.append(self.here)
            ends.append(self._arm(case.body, (self.here,)))
        self._join(node, tested, [*ends, *unmatched])

    def _capture(self, pattern: ast.AST, subject: ast.expr) -> None:
        match pattern:
            case (
                ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                self.bind(name, Binding.OTHER, pattern, subject)
            case _:
                pass

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        """What asks for a round is there twice, for the first and for the others."""
        graph = self.graph
        returns = self._returns
        self._ask(node)
        before = self.here
        truth = constant_truth(node.test) if isinstance(node, ast.While) else None
        loop = _Loop()
        self._around.append(loop)
        head = self.block(() if truth is False else (before,))
        if not isinstance(node, ast.While):
            self.target(node.target, Binding.ITERATED, node, node.iter)
        self._suite(node.body)
        self._around.pop()
        ends = [end for end in (self.here, *loop.continues) if graph.is_live[end]]
        leaving: list[int] = []
        if ends:
            last = self.block(ends)
            self._ask(node)
            graph.edges[self.here].append(head)
            if truth is None:
                leaving.append(self.here)
            else:
                graph.rounds[self.here] = range(head, last + 1)
                if not loop.breaks and returns == self._returns:
                    graph.exits.add(self.here)  # of a generator, or ended from outside
        if truth is True:
            self.dead()
        elif leaving or (truth is None and loop.breaks):
            self.block(leaving, (self.bypass(before),))
        else:
            self.block((before,))
        self._suite(node.orelse)
        self.block((self.here, *loop.breaks))

    def _ask(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        if isinstance(node, ast.While):
            self.expression(node.test)
        self._step(node)

    # Jumps and exceptions

    def _jump(self, way: _Exit) -> None:
        """Leave for the end of a loop or of the function, by way of what is between."""
        if self.is_live:
            self._leave(way)
        self.dead()

    def _leave(self, way: _Exit) -> None:
        for around in reversed(self._around):
            match around:
                case _Loop():
                    if way is _Exit.BREAK:
                        around.breaks.append(self.here)
                        return
                    if way is _Exit.CONTINUE:
                        around.continues.append(self.here)
                        return
                case _Finally():
                    around.jumps.setdefault(way, []).append(self.here)
                    return
                case _Manager():
                    self._step(around.node)
                case _Handlers():
                    around.thrown.append(self.here)
        if way is _Exit.RETURN:
            self.graph.exits.add(self.here)

    def _raise(self) -> None:
        if self.is_live and self.landings:
            self.landings[-1].thrown.append(self.here)
            self.landings[-1].is_raised = True
        self.dead()

    def _enter(self, around: _Handlers | _Finally | _Manager) -> None:
        """Begin the code that an exception leaves for a landing."""
        self._around.append(around)
        self.landings.append(around)

    def _left(self) -> None:
        self._around.pop()
        self.landings.pop()

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        cleanup = _Finally()
        if node.finalbody:
            self._enter(cleanup)
        handlers = _Handlers(thrown=[self.here])
        if node.handlers:
            self._enter(handlers)
        self._arm(node.body, (self.here,))
        if node.handlers:
            self._left()
            handlers.thrown.append(self.here)
        ends = [self._arm(node.orelse, (self.here,))]
        if node.handlers:
            self.block(handlers.thrown, handlers.blocks)
            ends += self._handled(node.handlers)
            if handlers.is_raised:
                self._raise()
        if node.finalbody:
            self._left()
            ends = self._cleaned_up(cleanup, node.finalbody, ends)
        self.block(ends)

    def _handled(self, handlers: Sequence[ast.ExceptHandler]) -> list[int]:
        """The last blocks of each handler; an exception of none of them goes on."""
        ends = []
        for handler in handlers:
            if handler.type is not None:
                self.expression(handler.type)
            tested = self.here
            self.block((tested,))
            if handler.name is not None:
                self.bind(handler.name, Binding.OTHER, handler)
            self._step(handler)
            self._suite(handler.body)
            ends.append(self.here)
            self.block(() if handler.type is None else (tested,))
        return ends

    def _cleaned_up(
        self, cleanup: _Finally, finalbody: Sequence[ast.stmt], ends: Iterable[int]
    ) -> list[int]:
        """Lower a `finally` once for each way into it; the end of the normal one."""
        normal = self._arm(finalbody, ends)
        for way, jumps in cleanup.jumps.items():
            self._arm(finalbody, jumps)
            self._jump(way)
        self.block(cleanup.thrown, cleanup.blocks)
        self._suite(finalbody)
        if cleanup.is_raised:
            self._raise()
        return [normal]

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.expression(item.context_expr)
            if item.optional_vars is not None:
                self.target(item.optional_vars, Binding.OTHER, node, item.context_expr)
        if isinstance(node, ast.AsyncWith):
            self._step(node)
        swallows = any(may_swallow(item.context_expr) for item in node.items)
        manager = _Manager(node=node)
        if not swallows and not self.landings:
            self._around.append(manager)
            self._suite(node.body)
            self._around.pop()
            self._step(node)
            return
        self._enter(manager)
        self._arm(node.body, (self.here,))
        self._left()
        self.block((self.here,))
        self._step(node)
        ends = [self.here]
        self.block(manager.thrown, manager.blocks)
        self._step(node)
        if swallows:
            ends.append(self.here)
        elif manager.is_raised:
            self._raise()
        self.block(ends)
