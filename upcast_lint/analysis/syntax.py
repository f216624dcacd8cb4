"""Where each node of a syntax tree stands: its parent, statement, suite and scope.

Terms
-----
scope
    A module, class, function, lambda: what runs with one set of local names. A
    comprehension belongs to the scope around it.
suite
    A list of statements that run in order, such as the body of a loop.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from .parents import Parents, children
from .work import TooMuchWork, Work

_Node = TypeVar("_Node", bound=ast.AST)
_Told = TypeVar("_Told")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode = ast.Module | ast.ClassDef | FunctionNode | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OPENERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SUITES = ("body", "orelse", "finalbody")


def _everything(module: ast.Module) -> list[ast.AST]:
    return list(ast.walk(module))


@dataclass(frozen=True, slots=True)
class Place:
    """A statement in its suite: `suite[index]`, a list of `owner.field`."""

    owner: ast.AST
    field: str
    suite: list[ast.stmt]
    index: int


@dataclass(slots=True)
class Tree:
    """One parsed module (or part of one) with the links that `ast` lacks."""

    module: ast.Module
    parents: Parents = field(repr=False)
    work: Work = field(default_factory=Work, repr=False)
    """What the function that is looked at may still cost."""
    _below: dict[ast.AST, list[ast.AST]] = field(default_factory=dict, repr=False)
    _places: dict[ast.stmt, Place] = field(default_factory=dict, repr=False)
    _loops: dict[ast.AST, list[ast.AST]] = field(default_factory=dict, repr=False)
    _told: dict[tuple[ast.AST, Callable[[Any], object]], object] = field(
        default_factory=dict, repr=False
    )
    _told_here: dict[tuple[ast.AST, Callable[[Any], object]], object] = field(
        default_factory=dict, repr=False
    )
    """The same of what is no module and no class."""
    _function: ast.AST | None = None

    @classmethod
    def of(cls, module: ast.Module) -> Tree:
        return cls(module, Parents(module))

    def once(self, node: _Node, tell: Callable[[_Node], _Told]) -> _Told:
        """What a function tells of a node; it runs when first asked."""
        return self._once(node, tell, lambda: tell(node))

    def once_with(self, node: _Node, tell: Callable[[_Node, Tree], _Told]) -> _Told:
        """The same of a function that looks at the tree around the node as well."""
        return self._once(node, tell, lambda: tell(node, self))

    def _once(
        self, node: ast.AST, key: Callable[..., _Told], run: Callable[[], _Told]
    ) -> _Told:
        told = self._told
        if not isinstance(node, ast.Module | ast.ClassDef):
            told = self._told_here
        if (node, key) not in told:
            try:
                told[node, key] = run()
            except TooMuchWork as error:
                told[node, key] = error
        found = told[node, key]
        if isinstance(found, TooMuchWork):
            raise TooMuchWork
        return cast(_Told, found)

    def enter(self, scope: ScopeNode) -> None:
        """Go on to a scope: its work is counted anew.

        What is remembered of another outermost function is forgotten; of many such
        it would fill the memory.
        """
        self.work.begin()
        function = self.parents.function_at(getattr(scope, "lineno", 0))
        if function is not self._function:
            self._function = function
            self._below.clear()
            self._told_here.clear()

    def nodes(self, rows: Sequence[tuple[int, int]] | None = None) -> Iterator[ast.AST]:
        """All nodes, or those of the outermost functions that begin the `rows`."""
        functions = [self.parents.function_at(first) for first, _ in rows or ()]
        if rows is None or None in functions:
            yield from self.parents
        for function in functions:
            if function is not None:
                yield from self.below(function)

    def everything(self) -> list[ast.AST]:
        """All nodes as `ast.walk` gives them, for what asks about the whole file."""
        return self.once(self.module, _everything)

    def below(self, node: ast.AST) -> list[ast.AST]:
        """A node and all that stands in it; remembered."""
        found = self._below.get(node)
        if found is None:
            found = self._below[node] = [node]
            for each in found:  # which grows meanwhile
                found += children(each)
        return found

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around `node`, innermost first."""
        parents, module = self.parents, self.module
        parent = parents.get(node)
        while parent is not None:
            yield parent
            parent = None if parent is module else parents[parent]

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds `node`, or `node` itself."""
        current: ast.AST = node
        while not isinstance(current, ast.stmt):
            current = self.parents[current]
        return current

    def called_by(self, node: ast.AST) -> ast.Call | None:
        """The call of which a node is the function."""
        call = self.parents.get(node)
        return call if isinstance(call, ast.Call) and call.func is node else None

    def scope(self, node: ast.AST) -> ScopeNode:
        """The scope in which `node` is evaluated.

        Decorators, defaults and annotations of a function, and the decorators and
        bases of a class, are evaluated in the scope around it.
        """
        child = node
        for parent in self.ancestors(node):
            if isinstance(parent, SCOPES) and _runs_inside(parent, child):
                return parent
            child = parent
        return self.module

    def place(self, statement: ast.stmt) -> Place:
        found = self._places.get(statement)
        if found is None:
            owner = self.parents[statement]
            for name in _SUITES:
                suite = getattr(owner, name, None)
                if isinstance(suite, list):
                    for index, item in enumerate(suite):
                        self._places[item] = Place(owner, name, suite, index)
            found = self._places[statement]
        return found

    def index_in(self, suite: Sequence[ast.stmt], node: ast.AST) -> int | None:
        """Which statement of a suite holds `node`, if any does."""
        if isinstance(node, ast.stmt) and self._is_at(suite, node):
            return self.place(node).index
        for around in self.ancestors(node):
            if isinstance(around, ast.stmt) and self._is_at(suite, around):
                return self.place(around).index
        return None

    def _is_at(self, suite: Sequence[ast.stmt], statement: ast.stmt) -> bool:
        return self.place(statement).suite is suite

    def enclosing_loops(self, node: ast.AST) -> list[ast.AST]:
        """Loops and comprehensions of the same scope that may run `node` repeatedly.

        The iterable of a `for`, the `else` of a loop, and the first iterable of a
        comprehension run once.
        """
        found = self._loops.get(node)
        if found is None:
            found = self._loops[node] = self._loops_around(node)
        return found

    def _loops_around(self, node: ast.AST) -> list[ast.AST]:
        found: list[ast.AST] = []
        child = node
        for parent in self.ancestors(node):
            if isinstance(parent, SCOPES):
                break
            if isinstance(parent, ast.For | ast.AsyncFor):
                if child is not parent.iter and child not in parent.orelse:
                    found.append(parent)
            elif isinstance(parent, ast.While):
                if child not in parent.orelse:
                    found.append(parent)
            elif isinstance(parent, COMPREHENSIONS):
                first = parent.generators[0]
                if not (child is first and self._within(node, first.iter)):
                    found.append(parent)
            child = parent
        return found

    def _within(self, node: ast.AST, holder: ast.AST) -> bool:
        return node is holder or any(a is holder for a in self.ancestors(node))

    def contains(self, holder: ast.AST, node: ast.AST) -> bool:
        """Whether `node` is `holder` or stands below it."""
        return self._within(node, holder)


def _runs_inside(scope: ScopeNode, child: ast.AST) -> bool:
    match scope:
        case ast.Module():
            return True
        case ast.Lambda():
            return child is scope.body
        case _:
            return isinstance(child, ast.stmt)  # rather than a part of the header


def walk_scope(scope: ScopeNode) -> Iterator[ast.AST]:
    """The nodes that one scope evaluates; nested scopes are not entered.

    Of a nested function its decorators, defaults and annotations are yielded, for
    they are evaluated here.
    """
    stack: list[ast.AST] = scope_body(scope)[::-1]
    while stack:
        node = stack.pop()
        yield node
        below = evaluated_here(node) if isinstance(node, _OPENERS) else children(node)
        below.reverse()
        stack += below


def scope_body(scope: ScopeNode) -> list[ast.AST]:
    return [scope.body] if isinstance(scope, ast.Lambda) else list(scope.body)


def evaluated_here(node: ast.AST) -> list[ast.AST]:
    """The children of a node that run in its own scope, not in one that it opens."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.decorator_list, *_evaluated_of_arguments(node.args)]
        case ast.Lambda():
            return _evaluated_of_arguments(node.args)
        case ast.ClassDef():
            return [
                *node.decorator_list,
                *node.bases,
                *(keyword.value for keyword in node.keywords),
            ]
        case _:
            return children(node)


def _evaluated_of_arguments(arguments: ast.arguments) -> list[ast.AST]:
    return [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]


def parameters(function: FunctionNode | ast.Lambda) -> list[ast.arg]:
    """All parameters of a function, in the order of the text."""
    arguments = function.args
    found = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg is not None:
        found.append(arguments.vararg)
    found += arguments.kwonlyargs
    if arguments.kwarg is not None:
        found.append(arguments.kwarg)
    return found


def is_none_test(node: ast.AST) -> bool:
    """Whether a node is `… is None` or `… is not None`."""
    return (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and isinstance(node.ops[0], ast.Is | ast.IsNot)
        and any(
            isinstance(side, ast.Constant) and side.value is None
            for side in (node.left, node.comparators[0])
        )
    )
