"""The loops around a read, and what depends on their rounds.

Terms
-----
round
    One run of a loop's body, or of the element of a comprehension.
level
    One loop around a read that does not hold the cast; each `for` of a comprehension
    is one.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ..facts import Facts
from ..names import Binding, Definition
from ..reads import Use
from ..syntax import COMPREHENSIONS
from ..words import words

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
