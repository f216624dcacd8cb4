"""Which definitions of a name may reach each of its uses (use-def chains).

A forward data-flow analysis over the blocks of a graph. A set of definitions is an
integer with a bit for each, so that thousands of them join at the cost of a few words.
For each variable there is a bit of its own, that it is not bound yet.

Limits: names of enclosing scopes and of the module are one opaque `FREE` definition
each; `exec`, frame tricks and `from m import *` are not seen.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from heapq import heappop, heappush
from operator import attrgetter, or_
from typing import TypeVar

from ..names import Binding, Definition, Reaching, free_names
from ..parents import Parents
from ..syntax import ScopeNode, Tree
from ..work import Work
from . import Begin, Graph
from .ends import never_returning
from .expressions import Bindings
from .lowering import lower

_Key = TypeVar("_Key")
_NOTHING: Reaching = frozenset()
_BITS_IN_A_STEP = 2048
"""Bits of a set that are copied at the cost of a step."""


@dataclass(slots=True)
class Names:
    """The use-def chains of one scope."""

    graph: Graph
    bindings: Bindings
    parents: Parents = field(repr=False)
    _named: dict[str, list[Definition]] | None = None
    _giving: dict[ast.expr, list[Definition]] | None = None
    _made_by: dict[ast.AST, list[Definition]] | None = None
    _places: dict[Definition, int] | None = None
    _captured: set[str] | None = None
    _rebound: set[str] | None = None
    _of: dict[ast.Name, Reaching] = field(default_factory=dict, repr=False)
    _sets: dict[int, Reaching] = field(default_factory=dict, repr=False)
    _uses: dict[Definition, list[ast.Name]] = field(default_factory=dict, repr=False)
    _loads: dict[int, list[ast.Name]] | None = None
    _readers: dict[int, dict[Reaching, list[ast.Name]]] = field(
        default_factory=dict, repr=False
    )
    _free: dict[str, Reaching] = field(default_factory=dict, repr=False)
    _solution: _Solution | None = None

    # What follows is made when first asked for: of most scopes it never is.

    @property
    def scope(self) -> ScopeNode:
        return self.graph.scope

    @property
    def definitions(self) -> list[Definition]:
        return self.bindings.definitions

    @property
    def declared(self) -> set[str]:
        """Names of `global` and `nonlocal` statements."""
        return self.bindings.declared

    @property
    def captured(self) -> set[str]:
        """Names that a nested function, lambda or class reads or binds from here."""
        if self._captured is None:
            nested = map(free_names, self.bindings.nested)
            self._captured = self.declared.union(*nested)
        return self._captured

    @property
    def rebound(self) -> set[str]:
        """Names that a nested scope binds with `nonlocal` or `global`."""
        if self._rebound is None:
            self._rebound = {
                name
                for scope in self.bindings.nested
                for part in ast.walk(scope)
                if isinstance(part, ast.Global | ast.Nonlocal)
                for name in part.names
            }
        return self._rebound

    def of(self, name: ast.Name) -> Reaching:
        """The definitions that may reach a load (or a `del`) of a name."""
        found = self._of.get(name)
        if found is None:
            found = self._of[name] = self._reaching(name)
        return found

    def _reaching(self, name: ast.Name) -> Reaching:
        steps = [
            step
            for step in self.graph.steps_of(name, self.parents)
            if self.graph.steps[step] is name
            and self.graph.is_live[self.graph.block_of(step)]
        ]
        variable = self._variable(name)
        if not steps:
            return _NOTHING
        if variable is None:
            return self._unbound(name.id)
        return self._at(steps, variable)

    def _variable(self, name: ast.Name) -> int | None:
        variable = self.bindings.of_load.get(name)
        return self.bindings.variables.get(name.id) if variable is None else variable

    def _unbound(self, name: str) -> Reaching:
        found = self._free.get(name)
        if found is None:
            found = frozenset((Definition(name, Binding.FREE, self.scope),))
            self._free[name] = found
        return found

    def _at(self, steps: Iterable[int], variable: int) -> Reaching:
        """What a variable may be just before some steps."""
        if self._solution is None:
            self._solution = _Solution(self.graph, self.bindings)
        solution = self._solution
        bits = reduce(or_, (solution.before(step, variable) for step in steps), 0)
        found = self._sets.get(bits)
        if found is None:
            found = self._sets[bits] = frozenset(self._named_by(bits))
        return found

    def _named_by(self, bits: int) -> Iterator[Definition]:
        definitions = self.definitions
        for bit in _bits(bits):
            if bit < len(definitions):
                yield definitions[bit]
            else:
                yield from self._unbound(self.bindings.names[bit - len(definitions)])

    def only(self, name: ast.Name) -> Definition | None:
        """The one definition that reaches a load, if there is just one."""
        found = self.of(name)
        return next(iter(found)) if len(found) == 1 else None

    def before(self, statement: ast.stmt, name: str) -> Reaching | None:
        """What a name may be just before a statement, over all rounds of loops.

        None where it is not bound by then, and where control cannot arrive.
        """
        variable = self.bindings.variables.get(name)
        if variable is None:
            return None
        steps = self.graph.steps_of(Begin(statement), self.parents)
        found = self._at(steps, variable)
        return None if found <= self._unbound(name) else found

    def uses(self, definition: Definition) -> list[ast.Name]:
        """The loads that a definition may reach, in the order in which they run."""
        found = self._uses.get(definition)
        if found is None:
            variable = self.bindings.of_definition.get(definition)
            if variable is None:
                return []
            readers = self._readers_of(variable)
            found = list(readers.get(frozenset((definition,)), ()))
            merged = [
                load
                for reaching, loads in readers.items()
                if len(reaching) > 1 and definition in reaching
                for load in loads
            ]
            if merged:
                found = sorted(
                    (*found, *merged),
                    key=lambda load: self.graph.steps_of(load, self.parents)[0],
                )
            self._uses[definition] = found
        return found

    def _readers_of(self, variable: int) -> dict[Reaching, list[ast.Name]]:
        """The loads of a variable, by what reaches them."""
        if self._loads is None:
            self._loads = {}
            for entry in dict.fromkeys(self.graph.steps):
                if isinstance(entry, ast.Name):
                    of_it = self._variable(entry)
                    if of_it is not None:
                        self._loads.setdefault(of_it, []).append(entry)
        readers = self._readers.get(variable)
        if readers is None:
            readers = self._readers[variable] = {}
            for load in self._loads.get(variable, ()):
                readers.setdefault(self.of(load), []).append(load)
        return readers

    def named(self, name: str) -> list[Definition]:
        if self._named is None:
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

    def numbers(self, name: ast.Name) -> list[int]:
        """The numbers of the definitions that reach a load; -1 if it may be unbound.

        Loads of equal numbers mean the same, if no loop comes between.
        """
        return sorted(self._numbers.get(each, -1) for each in self.of(name))

    @property
    def _numbers(self) -> dict[Definition, int]:
        if self._places is None:
            self._places = {d: place for place, d in enumerate(self.definitions)}
        return self._places

    def in_order(self, found: Iterable[Definition]) -> list[Definition]:
        """Those that the scope makes, in the order in which they first run."""
        places = self._numbers
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


def names_of(scope: ScopeNode, tree: Tree) -> Names:
    """The use-def chains of `scope`, nested scopes left out; made once.

    Raises TooMuchWork where a `finally` stands in many others.
    """
    return tree.once_with(scope, _names_of)


def _names_of(scope: ScopeNode, tree: Tree) -> Names:
    graph, bindings = lower(scope, tree.once(tree.module, never_returning))
    return Names(graph, bindings, tree.parents)


class _Solution:
    """Which definitions reach the start of each block, as bits.

    The bit of a definition is its number; behind these come the bits of variables that
    are not bound yet.
    """

    def __init__(self, graph: Graph, bindings: Bindings) -> None:
        self._graph = graph
        self._numbers = {d: n for n, d in enumerate(bindings.definitions)}
        self._variable_of = bindings.of_definition
        self.masks = [1 << (len(self._numbers) + n) for n in range(len(bindings.names))]
        """The bits of each variable."""
        entry = sum(self.masks)
        for definition, number in self._numbers.items():
            self.masks[self._variable_of[definition]] |= 1 << number
        self._steps: dict[int, list[int]] = {}
        """Where each variable is bound, in order."""
        self._bound: dict[int, list[tuple[int, int]]] = {}
        """What each block binds: variables with bits, in order."""
        self._collect()
        self._starts = [0] * len(graph.firsts)
        self._solve(entry)

    def _collect(self) -> None:
        graph = self._graph
        block, following = -1, 0
        for step, entry in enumerate(graph.steps):
            if isinstance(entry, Definition):
                while step >= following:
                    block += 1
                    following = graph.end_of(block)
                variable = self._variable_of[entry]
                self._steps.setdefault(variable, []).append(step)
                bit = 1 << self._numbers[entry]
                self._bound.setdefault(block, []).append((variable, bit))

    def _solve(self, entry: int) -> None:
        graph, starts, masks = self._graph, self._starts, self.masks
        work = Work()
        cost = 1 + len(self._numbers) // _BITS_IN_A_STEP
        starts[0] = entry
        pending = [0]
        while pending:
            block = heappop(pending)  # the first one, so that loops settle at once
            if pending and pending[0] == block:
                continue
            work.spend(cost)
            end = anywhere = starts[block]
            for variable, bit in self._bound.get(block, ()):
                end = end & ~masks[variable] | bit
                anywhere |= bit
            for edges, found in (
                (graph.edges[block], end),
                (graph.rare[block], anywhere),
            ):
                for following in edges:
                    before = starts[following]
                    joined = before | found
                    if joined != before:
                        starts[following] = joined
                        heappush(pending, following)

    def before(self, step: int, variable: int) -> int:
        """The definitions of a variable that reach a step."""
        graph = self._graph
        block = graph.block_of(step)
        reaching = self._starts[block]
        if not reaching:
            return 0  # control cannot arrive
        steps = self._steps.get(variable, [])
        place = bisect_left(steps, step) - 1
        if place >= 0 and steps[place] >= graph.firsts[block]:
            definition = graph.steps[steps[place]]
            assert isinstance(definition, Definition)
            return 1 << self._numbers[definition]
        return reaching & self.masks[variable]


def _bits(value: int) -> Iterator[int]:
    while value:
        lowest = value & -value
        yield lowest.bit_length() - 1
        value ^= lowest
