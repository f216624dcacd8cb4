"""How expressions become steps and blocks, in the order in which they are evaluated."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ..names import Binding, Definition
from ..parents import children
from ..syntax import Comprehension, ScopeNode
from ..work import Work
from . import Graph


@dataclass(slots=True)
class Bindings:
    """The names that a scope binds, as variables by number.

    A variable of a comprehension is one of its own, whatever else has its name.
    """

    variables: dict[str, int] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    of_definition: dict[Definition, int] = field(default_factory=dict)
    """The variable that each definition binds."""
    of_load: dict[ast.Name, int] = field(default_factory=dict)
    """The variables of comprehensions that are read."""
    names: list[str] = field(default_factory=list)
    """The name of each variable."""
    nested: dict[ScopeNode, None] = field(default_factory=dict)
    """The functions, lambdas and classes that are made here, in order."""
    declared: set[str] = field(default_factory=set)
    """Names of `global` and `nonlocal` statements."""

    def new(self, name: str) -> int:
        self.names.append(name)
        return len(self.names) - 1


@dataclass(slots=True)
class Landing:
    """Where an exception goes that arises in `blocks`."""

    blocks: list[int] = field(default_factory=list)
    thrown: list[int] = field(default_factory=list)
    """The blocks behind which one is raised for a path that counts."""
    is_raised: bool = False
    """Whether some `raise` goes there."""


_Known = dict[tuple[int, str, int | None, Binding], Definition]


class Expressions:
    """Lowers expressions and targets to the end of the block `here`."""

    def __init__(self, scope: ScopeNode) -> None:
        self.graph = Graph(scope)
        self.bindings = Bindings()
        self.work = Work()
        self.landings: list[Landing] = []
        self.here = 0
        self._known: _Known = {}
        self._inner: list[dict[str, int]] = []
        """The variables of the comprehensions around, by name."""
        self._step = self.graph.steps.append
        self.block(())
        self.graph.is_live[0] = True

    # Blocks

    def block(self, sources: Iterable[int], rare: Iterable[int] = ()) -> int:
        """Begin the block that edges from these blocks, and rare edges, lead to."""
        graph = self.graph
        both = (
            (graph.edges, tuple(dict.fromkeys(sources))),
            (graph.rare, tuple(dict.fromkeys(rare))),
        )
        new = len(graph.firsts)
        is_live = False
        for edges, blocks in both:
            for source in blocks:
                edges[source].append(new)
                is_live = is_live or graph.is_live[source]
        graph.firsts.append(len(graph.steps))
        graph.edges.append([])
        graph.rare.append([])
        graph.is_live.append(is_live)
        if self.landings:
            self.landings[-1].blocks.append(new)
        self.here = new
        return new

    def bypass(self, source: int) -> int:
        """An empty block, for a rare edge from the end of another."""
        return self.block((source,))

    def dead(self) -> None:
        """Begin a block that control cannot arrive at."""
        self.block(())

    @property
    def is_live(self) -> bool:
        return self.graph.is_live[self.here]

    # Names

    def bind(
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
            self.bindings.definitions.append(definition)
            variable = self._inner_variable(name)
            if variable is None or isinstance(node, ast.NamedExpr):
                variable = self.bindings.variables.get(name)
                if variable is None:
                    variable = self.bindings.new(name)
                    self.bindings.variables[name] = variable
            self.bindings.of_definition[definition] = variable
        self._step(definition)

    def _inner_variable(self, name: str) -> int | None:
        for variables in reversed(self._inner):
            if name in variables:
                return variables[name]
        return None

    def load(self, node: ast.Name) -> None:
        if self._inner:
            variable = self._inner_variable(node.id)
            if variable is not None:
                self.bindings.of_load[node] = variable
        self._step(node)

    def target(
        self,
        target: ast.expr,
        binding: Binding,
        node: ast.AST,
        value: ast.expr | None,
        index: int | None = None,
    ) -> None:
        match target:
            case ast.Name():
                self.bind(target.id, binding, node, value, index)
            case ast.Tuple() | ast.List():
                self._unpack(target.elts, binding, node, value)
            case ast.Starred():
                self.target(target.value, Binding.OTHER, node, value)
            case _:
                self.expression(target)

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
                self.target(target, Binding.OTHER, node, value)
            elif literal is not None:
                self.target(target, Binding.ASSIGNED, node, literal[position])
            elif binding is Binding.ASSIGNED:
                self.target(target, Binding.UNPACKED, node, value, position)
            else:
                self.target(target, Binding.OTHER, node, value)

    # Expressions

    def expression(self, node: ast.AST) -> None:
        kind = type(node)
        special = _SPECIAL.get(kind)
        if special is not None:
            special(self, node)
            return
        for child in children(node):
            self.expression(child)
        self._step(node)

    def _name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.load(node)

    def _constant(self, node: ast.Constant) -> None:
        """It has no step: nothing of it can come early or late."""

    def _walrus(self, node: ast.NamedExpr) -> None:
        self.expression(node.value)
        self.bind(node.target.id, Binding.ASSIGNED, node, node.value)
        self._step(node)

    def _lambda(self, node: ast.Lambda) -> None:
        for default in node.args.defaults:
            self.expression(default)
        for keyword_default in node.args.kw_defaults:
            if keyword_default is not None:
                self.expression(keyword_default)
        self.bindings.nested[node] = None
        self._step(node)

    def _conditional(self, node: ast.IfExp) -> None:
        self.expression(node.test)
        tested = self.here
        ends = []
        for arm in (node.body, node.orelse):
            self.block((tested,))
            self.expression(arm)
            ends.append(self.here)
        self.block(ends)
        self._step(node)

    def _short_circuit(self, node: ast.BoolOp) -> None:
        self.expression(node.values[0])
        ends = [self.here]
        for value in node.values[1:]:
            self.block((self.here,))
            self.expression(value)
            ends.append(self.here)
        self.block(ends)
        self._step(node)

    def _dict(self, node: ast.Dict) -> None:
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                self.expression(key)
            self.expression(value)
        self._step(node)

    def _comprehension(self, node: Comprehension) -> None:
        elements = (
            (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        )
        depth = len(self._inner)
        self._generators(node.generators, elements)
        del self._inner[depth:]
        self._step(node)

    def _generators(
        self, generators: Sequence[ast.comprehension], elements: Iterable[ast.expr]
    ) -> None:
        """Each generator is a loop in the one before it; a loop runs once at least."""
        entered: list[tuple[int, int, list[int]]] = []
        for generator in generators:
            self.expression(generator.iter)
            self._step(generator)
            before = self.here
            self._inner.append(
                {
                    part.id: self.bindings.new(part.id)
                    for part in ast.walk(generator.target)
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                }
            )
            head = self.block((before,))
            self.target(generator.target, Binding.ITERATED, generator, generator.iter)
            unmet: list[int] = []
            for condition in generator.ifs:
                self.expression(condition)
                unmet.append(self.here)
                self.block((self.here,))
            entered.append((before, head, unmet))
        for element in elements:
            self.expression(element)
        skipped: list[int] = []
        for generator, (before, head, unmet) in zip(
            reversed(generators), reversed(entered), strict=True
        ):
            end = self.here
            self.block((end,), map(self.bypass, [*unmet, *skipped]))
            self._step(generator)
            self.graph.edges[self.here].append(head)
            skipped = [before]
        end = self.here
        self.block((end,), map(self.bypass, skipped))


_SPECIAL: dict[type[ast.AST], Callable[[Expressions, ast.AST], None]] = {
    ast.Name: Expressions._name,  # type: ignore[dict-item]
    ast.Constant: Expressions._constant,  # type: ignore[dict-item]
    ast.NamedExpr: Expressions._walrus,  # type: ignore[dict-item]
    ast.Lambda: Expressions._lambda,  # type: ignore[dict-item]
    ast.IfExp: Expressions._conditional,  # type: ignore[dict-item]
    ast.BoolOp: Expressions._short_circuit,  # type: ignore[dict-item]
    ast.Dict: Expressions._dict,  # type: ignore[dict-item]
    ast.ListComp: Expressions._comprehension,  # type: ignore[dict-item]
    ast.SetComp: Expressions._comprehension,  # type: ignore[dict-item]
    ast.DictComp: Expressions._comprehension,  # type: ignore[dict-item]
    ast.GeneratorExp: Expressions._comprehension,  # type: ignore[dict-item]
}
"""What is not lowered as its parts in a row, and then itself."""
