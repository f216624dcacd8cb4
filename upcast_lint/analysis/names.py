"""Which definitions of a name may reach each of its uses (use-def chains).

A forward data-flow analysis over the statements of one scope. Branches join, loops
run to a fixed point, and a handler may start after any prefix of its `try` body. Which
ends a statement has, `ends` says.

Limits: names of enclosing scopes and of the module are one opaque `FREE` definition
each; `exec`, frame tricks and `from m import *` are not seen.
"""

from __future__ import annotations

import ast
import enum
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import TypeVar

from .ends import constant_truth, is_certain, is_endless, may_swallow, raises
from .parents import children
from .syntax import (
    Comprehension,
    FunctionNode,
    ScopeNode,
    parameters,
    scope_body,
    walk_scope,
)
from .work import Work


class Binding(enum.Enum):
    """How a name comes by its value."""

    ASSIGNED = enum.auto()
    """`name = value`, `name: T = value`, `(name := value)`."""
    UNPACKED = enum.auto()
    """`a, name = value`: element `index` of `value`."""
    ITERATED = enum.auto()
    """`for name in value`: an element of `value`."""
    AUGMENTED = enum.auto()
    """`name += value`: rebinds, and writes in place where the type does."""
    PARAMETER = enum.auto()
    IMPORTED = enum.auto()
    DELETED = enum.auto()
    FREE = enum.auto()
    """Bound by an enclosing scope or the module, or not bound yet."""
    OTHER = enum.auto()
    """`with`, `except`, `def`, `class`, a pattern, a starred or a nested target.

    `value` then is what the bound value is, or may be a part of.
    """


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """One binding of a name. `node` is the statement, expression or `arg` that binds.

    `value` is the expression that `binding` speaks of, where there is one.
    """

    name: str
    binding: Binding
    node: ast.AST
    value: ast.expr | None = None
    index: int | None = None


Reaching = frozenset[Definition]
_Environment = dict[str, Reaching]
_Known = dict[tuple[int, str, int | None, Binding], Definition]
_Key = TypeVar("_Key")
_NOTHING: Reaching = frozenset()
_COPIED_IN_A_STEP = 16
"""Names of an environment, or definitions that reach a load."""


@dataclass(slots=True)
class Names:
    """The use-def chains of one scope."""

    scope: ScopeNode
    definitions: list[Definition] = field(default_factory=list)
    reaching: dict[ast.Name, Reaching] = field(default_factory=dict)
    """For each load (and each `del`) of a name, the definitions that may reach it."""
    nested: dict[ScopeNode, None] = field(default_factory=dict)
    """The functions, lambdas and classes that are made here, in order."""
    declared: set[str] = field(default_factory=set)
    """Names of `global` and `nonlocal` statements."""
    _known: _Known = field(default_factory=dict, repr=False)
    _named: dict[str, list[Definition]] = field(default_factory=dict, repr=False)
    _uses: dict[Definition, list[ast.Name]] | None = None
    _giving: dict[ast.expr, list[Definition]] | None = None
    _made_by: dict[ast.AST, list[Definition]] | None = None
    _places: dict[Definition, int] | None = None
    _captured: set[str] | None = None
    _rebound: set[str] | None = None
    _recorder: _Recorder | None = None

    # What follows is made when first asked for: of most scopes it never is.

    @property
    def uses(self) -> Mapping[Definition, list[ast.Name]]:
        """The loads that each definition may reach."""
        if self._uses is None:
            uses: defaultdict[Definition, list[ast.Name]] = defaultdict(list)
            for load, found in self.reaching.items():
                for definition in found:
                    uses[definition].append(load)
            self._uses = dict(uses)
        return self._uses

    @property
    def captured(self) -> set[str]:
        """Names that a nested function, lambda or class reads or binds from here."""
        if self._captured is None:
            self._captured = self.declared.union(*map(free_names, self.nested))
        return self._captured

    @property
    def rebound(self) -> set[str]:
        """Names that a nested scope binds with `nonlocal` or `global`."""
        if self._rebound is None:
            self._rebound = {
                name
                for scope in self.nested
                for part in ast.walk(scope)
                if isinstance(part, ast.Global | ast.Nonlocal)
                for name in part.names
            }
        return self._rebound

    def before(self, statement: ast.stmt, name: str) -> Reaching | None:
        """What a name may be just before a statement, over all rounds of loops.

        None where it is not bound by then, and where control cannot arrive.
        """
        if self._recorder is None:
            self._recorder = _Recorder(self.scope, self._known)
            self._recorder.run()
        return self._recorder.before(statement, name)

    def of(self, name: ast.Name) -> Reaching:
        return self.reaching.get(name, _NOTHING)

    def only(self, name: ast.Name) -> Definition | None:
        """The one definition that reaches a load, if there is just one."""
        found = self.of(name)
        return next(iter(found)) if len(found) == 1 else None

    def named(self, name: str) -> list[Definition]:
        if not self._named:
            self._named = _grouped(self.definitions, attrgetter("name"))
        return self._named.get(name, [])

    def giving(self, value: ast.expr) -> list[Definition]:
        """The definitions whose value is an expression."""
        if self._giving is None:
            self._giving = _grouped(self.definitions, attrgetter("value"))
        return self._giving.get(value, [])

    def made_by(self, node: ast.AST) -> list[Definition]:
        """The definitions that a statement or an expression makes."""
        if self._made_by is None:
            self._made_by = _grouped(self.definitions, attrgetter("node"))
        return self._made_by.get(node, [])

    def in_order(self, found: Iterable[Definition]) -> list[Definition]:
        """Those that the scope makes, in an order that does not vary."""
        if self._places is None:
            self._places = {d: place for place, d in enumerate(self.definitions)}
        places = self._places
        return sorted((d for d in found if d in places), key=places.__getitem__)


def _grouped(
    definitions: Iterable[Definition], key: Callable[[Definition], _Key | None]
) -> dict[_Key, list[Definition]]:
    """The definitions by their keys, those that have one."""
    found: dict[_Key, list[Definition]] = {}
    for definition in definitions:
        place = key(definition)
        if place is not None:
            found.setdefault(place, []).append(definition)
    return found


def reaching_definitions(scope: ScopeNode) -> Names:
    """The use-def chains of `scope`, nested scopes left out.

    Raises TooMuchWork: each loop in another doubles the work at least.
    """
    walker = _Walker(scope)
    walker.run()
    return walker.names


@dataclass(slots=True)
class _Loop:
    breaks: list[_Environment] = field(default_factory=list)
    continues: list[_Environment] = field(default_factory=list)


class _Walker:
    """Walks a scope in evaluation order, carrying what each name may be.

    `env` is None where control cannot arrive.
    """

    def __init__(self, scope: ScopeNode) -> None:
        self.names = Names(scope)
        self.env: _Environment | None = {}
        self.loops: list[_Loop] = []
        self.made: list[Definition] = []
        self._known = self.names._known
        self.work = Work()

    def run(self) -> None:
        scope = self.names.scope
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for parameter in parameters(scope):
                self._bind(parameter.arg, Binding.PARAMETER, parameter)
        for item in scope_body(scope):
            if isinstance(item, ast.stmt):
                self._statement(item)
            elif isinstance(item, ast.expr):
                self._expression(item)

    def _copy(self, env: _Environment | None) -> _Environment | None:
        self._pay(env)
        return None if env is None else dict(env)

    def _join(self, environments: Sequence[_Environment | None]) -> _Environment | None:
        for env in environments:
            self._pay(env)
        return _join(environments)

    def _pay(self, found: Collection[object] | None) -> None:
        self.work.spend(1 if found is None else 1 + len(found) // _COPIED_IN_A_STEP)

    # Definitions

    def _bind(
        self,
        name: str,
        binding: Binding,
        node: ast.AST,
        value: ast.expr | None = None,
        index: int | None = None,
    ) -> None:
        key = (id(node), name, index, binding)
        definition = self._known.get(key)
        if definition is None:
            definition = Definition(name, binding, node, value, index)
            self._known[key] = definition
            self.names.definitions.append(definition)
        self.made.append(definition)
        if self.env is not None:
            self.env[name] = frozenset((definition,))

    def _free(self, name: str) -> Definition:
        key = (0, name, None, Binding.FREE)
        definition = self._known.get(key)
        if definition is None:
            definition = Definition(name, Binding.FREE, self.names.scope)
            self._known[key] = definition
        return definition

    def _load(self, node: ast.Name) -> None:
        if self.env is None:
            self.names.reaching.setdefault(node, _NOTHING)
            return
        found = self.env.get(node.id)
        if found is None:
            found = frozenset((self._free(node.id),))
        self._pay(found)
        seen = self.names.reaching.get(node)
        self.names.reaching[node] = seen | found if seen else found

    def _target(
        self,
        target: ast.expr,
        binding: Binding,
        node: ast.AST,
        value: ast.expr | None,
        index: int | None = None,
    ) -> None:
        match target:
            case ast.Name():
                self._bind(target.id, binding, node, value, index)
            case ast.Tuple() | ast.List():
                self._unpack(target.elts, binding, node, value)
            case ast.Starred():
                self._target(target.value, Binding.OTHER, node, value)
            case _:
                self._expression(target)

    def _unpack(
        self,
        targets: Sequence[ast.expr],
        binding: Binding,
        node: ast.AST,
        value: ast.expr | None,
    ) -> None:
        starred = any(isinstance(t, ast.Starred) for t in targets)
        literal = (
            value.elts
            if isinstance(value, ast.Tuple | ast.List)
            and binding is Binding.ASSIGNED
            and len(value.elts) == len(targets)
            and not any(isinstance(e, ast.Starred) for e in value.elts)
            else None
        )
        for position, target in enumerate(targets):
            if starred:
                self._target(target, Binding.OTHER, node, value)
            elif literal is not None:
                self._target(target, Binding.ASSIGNED, node, literal[position])
            elif binding is Binding.ASSIGNED:
                self._target(target, Binding.UNPACKED, node, value, position)
            else:
                self._target(target, Binding.OTHER, node, value)

    # Statements

    def _suite(self, suite: Iterable[ast.stmt]) -> None:
        for statement in suite:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        self.work.spend(1)
        match node:
            case ast.Assign():
                self._expression(node.value)
                for target in node.targets:
                    self._target(target, Binding.ASSIGNED, node, node.value)
            case ast.AnnAssign():
                if node.value is not None:
                    self._expression(node.value)
                    self._target(node.target, Binding.ASSIGNED, node, node.value)
                elif not isinstance(node.target, ast.Name):
                    self._expression(node.target)
            case ast.AugAssign():
                if isinstance(node.target, ast.Name):
                    self._load(node.target)
                else:
                    self._expression(node.target)
                self._expression(node.value)
                if isinstance(node.target, ast.Name):
                    self._bind(node.target.id, Binding.AUGMENTED, node, node.value)
            case ast.If():
                self._expression(node.test)
                truth = constant_truth(node.test)
                if truth is None:
                    self._branches([node.body, node.orelse])
                else:
                    self._dead(node.orelse if truth else node.body)
                    self._suite(node.body if truth else node.orelse)
            case ast.For() | ast.AsyncFor():
                self._expression(node.iter)
                self._loop(node, node.body, node.orelse)
            case ast.While():
                self._loop(node, node.body, node.orelse)
            case ast.Try() | ast.TryStar():
                self._try(node)
            case ast.With() | ast.AsyncWith():
                self._with(node)
            case ast.Match():
                self._match(node)
            case ast.Return():
                if node.value is not None:
                    self._expression(node.value)
                self.env = None
            case ast.Raise():
                for part in (node.exc, node.cause):
                    if part is not None:
                        self._expression(part)
                self.env = None
            case ast.Break() | ast.Continue():
                self._jump(node)
            case ast.Delete():
                for target in node.targets:
                    self._delete(target, node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node)
            case ast.ClassDef():
                for part in [
                    *node.decorator_list,
                    *node.bases,
                    *(k.value for k in node.keywords),
                ]:
                    self._expression(part)
                self.names.nested[node] = None
                self._bind(node.name, Binding.OTHER, node)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    self._bind(bound, Binding.IMPORTED, alias)
            case ast.Global() | ast.Nonlocal():
                self.names.declared |= set(node.names)
            case ast.Expr():
                self._expression(node.value)
                if raises(node):
                    self.env = None
            case ast.Assert():
                self._expression(node.test)
                if node.msg is not None:
                    self._expression(node.msg)
                if raises(node):
                    self.env = None
            case _:
                pass

    def _delete(self, target: ast.expr, node: ast.Delete) -> None:
        match target:
            case ast.Name():
                self._load(target)
                self._bind(target.id, Binding.DELETED, node)
            case ast.Tuple() | ast.List():
                for element in target.elts:
                    self._delete(element, node)
            case _:
                self._expression(target)

    def _function(self, node: FunctionNode) -> None:
        for part in [
            *node.decorator_list,
            *node.args.defaults,
            *(d for d in node.args.kw_defaults if d is not None),
        ]:
            self._expression(part)
        self.names.nested[node] = None
        self._bind(node.name, Binding.OTHER, node)

    def _dead(self, suite: Sequence[ast.stmt]) -> None:
        """Walk a suite that never runs, for the names that it binds in the scope."""
        live, self.env = self.env, None
        self._suite(suite)
        self.env = live

    def _branches(self, suites: Sequence[Sequence[ast.stmt]]) -> None:
        start = self.env
        ends: list[_Environment | None] = []
        for suite in suites:
            self.env = self._copy(start)
            self._suite(suite)
            ends.append(self.env)
        self.env = self._join(ends)

    def _loop(
        self,
        node: ast.For | ast.AsyncFor | ast.While,
        body: list[ast.stmt],
        orelse: list[ast.stmt],
    ) -> None:
        entry = self.env
        head = entry
        while True:
            loop = _Loop()
            self.loops.append(loop)
            self.env = self._copy(head)
            if isinstance(node, ast.While):
                self._expression(node.test)
                tested = self.env
                self.env = self._copy(tested)
            else:
                tested = head
                self._target(node.target, Binding.ITERATED, node, node.iter)
            self._suite(body)
            self.loops.pop()
            again = self._join([entry, self.env, *loop.continues])
            if again == head:
                break
            head = again
        self.env = None if is_endless(node) else self._copy(tested)
        self._suite(orelse)
        self.env = self._join([self.env, *loop.breaks])

    def _jump(self, node: ast.Break | ast.Continue) -> None:
        if self.env is not None and self.loops:
            loop = self.loops[-1]
            kept = loop.breaks if isinstance(node, ast.Break) else loop.continues
            kept.append(self.env)
        self.env = None

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        start = self._copy(self.env)
        mark = len(self.made)
        jumps = self._jumps()
        self._suite(node.body)
        interrupted = _any_prefix(start, self.made[mark:])
        self._suite(node.orelse)
        ends = [self.env]
        for handler in node.handlers:
            self.env = self._copy(interrupted)
            if handler.type is not None:
                self._expression(handler.type)
            if handler.name is not None:
                self._bind(handler.name, Binding.OTHER, handler)
            self._suite(handler.body)
            ends.append(self.env)
        normal = self._join(ends)
        if node.finalbody:
            self.env = _any_prefix(start, self.made[mark:])
            self._suite(node.finalbody)
            self._jump_through(node.finalbody, jumps)
            self.env = normal
            self._suite(node.finalbody)
        else:
            self.env = normal

    def _jumps(self) -> tuple[int, int]:
        """How many ways out of the innermost loop have been met."""
        if not self.loops:
            return (0, 0)
        loop = self.loops[-1]
        return (len(loop.breaks), len(loop.continues))

    def _jump_through(self, finalbody: list[ast.stmt], before: tuple[int, int]) -> None:
        """Let the jumps since `before` run a `finally` on their way."""
        if not self.loops:
            return
        loop = self.loops[-1]
        for jumps, start in zip((loop.breaks, loop.continues), before, strict=True):
            for index in range(start, len(jumps)):
                self.env = dict(jumps[index])
                self._suite(finalbody)
                if self.env is not None:
                    jumps[index] = self.env

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        start = self._copy(self.env)
        mark = len(self.made)
        for item in node.items:
            self._expression(item.context_expr)
            if item.optional_vars is not None:
                self._target(item.optional_vars, Binding.OTHER, node, item.context_expr)
        self._suite(node.body)
        if any(may_swallow(item.context_expr) for item in node.items):
            self.env = self._join([self.env, _any_prefix(start, self.made[mark:])])

    def _match(self, node: ast.Match) -> None:
        self._expression(node.subject)
        unmatched = self.env
        ends: list[_Environment | None] = []
        exhaustive = False
        for case in node.cases:
            mark = len(self.made)
            self.env = self._copy(unmatched)
            for part in ast.walk(case.pattern):
                match part:
                    case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                        self._bind(name, Binding.OTHER, part, node.subject)
                    case ast.MatchMapping(rest=str(name)):
                        self._bind(name, Binding.OTHER, part, node.subject)
                    case ast.expr():
                        if isinstance(part, ast.Name):
                            self._load(part)
                    case _:
                        pass
            if case.guard is not None:
                self._expression(case.guard)
            unmatched = _any_prefix(unmatched, self.made[mark:])
            self._suite(case.body)
            ends.append(self.env)
            exhaustive |= is_certain(case)
        self.env = self._join(ends if exhaustive else [*ends, unmatched])

    # Expressions

    def _expression(self, node: ast.AST) -> None:
        match node:
            case ast.Name():
                if isinstance(node.ctx, ast.Load):
                    self._load(node)
            case ast.NamedExpr():
                self._expression(node.value)
                self._bind(node.target.id, Binding.ASSIGNED, node, node.value)
            case ast.Lambda():
                for part in [
                    *node.args.defaults,
                    *(d for d in node.args.kw_defaults if d is not None),
                ]:
                    self._expression(part)
                self.names.nested[node] = None
            case ast.IfExp():
                self._expression(node.test)
                self._arms([node.body, node.orelse])
            case ast.BoolOp():
                self._expression(node.values[0])
                for value in node.values[1:]:
                    before = self._copy(self.env)
                    self._expression(value)
                    self.env = self._join([before, self.env])
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node)
            case ast.Constant():
                pass
            case _:
                for child in children(node):
                    self._expression(child)

    def _arms(self, arms: Sequence[ast.expr]) -> None:
        start = self.env
        ends: list[_Environment | None] = []
        for arm in arms:
            self.env = self._copy(start)
            self._expression(arm)
            ends.append(self.env)
        self.env = self._join(ends)

    def _comprehension(self, node: Comprehension) -> None:
        outer = self.env
        mark = len(self.made)
        own: set[str] = set()
        for number, generator in enumerate(node.generators):
            self._expression(generator.iter)
            if number == 0 and self.env is not None:
                self.env = dict(self.env)
            self._target(generator.target, Binding.ITERATED, generator, generator.iter)
            own |= {
                part.id
                for part in ast.walk(generator.target)
                if isinstance(part, ast.Name)
            }
            for condition in generator.ifs:
                self._expression(condition)
        if isinstance(node, ast.DictComp):
            self._expression(node.key)
            self._expression(node.value)
        else:
            self._expression(node.elt)
        walrus = [d for d in self.made[mark:] if d.name not in own]
        self.env = _any_prefix(outer, walrus)


class _Recorder(_Walker):
    """Walks a scope again and keeps what each name was before each statement.

    Names and statements may both be many, so for each name only its changes are kept,
    with the number of the visit to a statement that first saw them.
    """

    def __init__(self, scope: ScopeNode, known: _Known) -> None:
        super().__init__(scope)
        self._known = known  # the same definitions, not others like them
        self._count = 0
        self._visits: dict[ast.stmt, list[int]] = {}
        self._changes: dict[str, list[tuple[int, Reaching | None]]] = {}
        self._seen: _Environment = {}
        """The last environment that was visited, as it was then."""
        self._visited: _Environment | None = None
        """The same, as it is now that the names of `_bound` are bound."""
        self._bound: set[str] = set()

    def before(self, statement: ast.stmt, name: str) -> Reaching | None:
        changes = self._changes.get(name, [])
        found: set[Reaching | None] = set()
        for visit in self._visits.get(statement, ()):
            place = bisect_right(changes, visit, key=itemgetter(0))
            found.add(changes[place - 1][1] if place else None)
        bound = [each for each in found if each is not None]
        if not bound:
            return None
        return _NOTHING.union(*bound, *([_UNBOUND] if None in found else []))

    def _bind(
        self,
        name: str,
        binding: Binding,
        node: ast.AST,
        value: ast.expr | None = None,
        index: int | None = None,
    ) -> None:
        super()._bind(name, binding, node, value, index)
        self._bound.add(name)

    def _load(self, node: ast.Name) -> None:
        """What reaches a load is known, and takes much room where it is much."""

    def _statement(self, node: ast.stmt) -> None:
        if self.env is not None:
            self._visit(node, self.env)
        super()._statement(node)

    def _visit(self, node: ast.stmt, env: _Environment) -> None:
        self._count += 1
        self._visits.setdefault(node, []).append(self._count)
        names: Iterable[str] = self._bound
        if env is not self._visited:
            names = env.keys() | self._seen.keys()
        for name in names:
            found = env.get(name)
            if found is not self._seen.get(name):
                self._changes.setdefault(name, []).append((self._count, found))
                if found is None:
                    del self._seen[name]
                else:
                    self._seen[name] = found
        self._visited = env
        self._bound.clear()


def _join(environments: Sequence[_Environment | None]) -> _Environment | None:
    """What may hold where control comes from any of these."""
    alive = [env for env in environments if env is not None]
    if not alive:
        return None
    if len(alive) == 1:
        return dict(alive[0])
    joined = dict(alive[0])
    for env in alive[1:]:
        for name, found in env.items():
            before = joined.get(name)
            if before is None:
                joined[name] = found | _UNBOUND
            elif before is not found:
                joined[name] = before | found
        for name in joined.keys() - env.keys():
            joined[name] = joined[name] | _UNBOUND
    return joined


_UNBOUND: Reaching = frozenset((Definition("", Binding.FREE, ast.Pass()),))
"""The absence of a binding on one of the paths that join."""


def _any_prefix(
    start: _Environment | None, made: Sequence[Definition]
) -> _Environment | None:
    """What may hold after any part of the code that made these definitions."""
    if start is None:
        return None
    env = dict(start)
    for definition in made:
        before = env.get(definition.name)
        if before is None:
            before = _UNBOUND
        env[definition.name] = before | {definition}
    return env


def free_names(scope: ScopeNode) -> set[str]:
    """Names that `scope` and the scopes in it take from, or bind in, those around."""
    own: set[str] = set()
    taken: set[str] = set()
    outward: set[str] = set()
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        own |= {parameter.arg for parameter in parameters(scope)}
    for node in walk_scope(scope):
        match node:
            case ast.Name(ctx=ast.Load()):
                taken.add(node.id)
            case ast.Name():
                own.add(node.id)
            case ast.Global() | ast.Nonlocal():
                outward |= set(node.names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                own.add(node.name)
                taken |= free_names(node)
            case ast.Lambda():
                taken |= free_names(node)
            case ast.ExceptHandler(name=str(name)):
                own.add(name)
            case ast.alias():
                own.add(node.asname or node.name.partition(".")[0])
            case _:
                pass
    return (taken - own) | outward
