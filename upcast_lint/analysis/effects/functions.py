"""Which functions of a file write to nothing that they do not make.

What a function does is asked of `effects_of`, which asks here about what it calls; so
who asks here says how to look.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..facts import Facts
from ..graph.chains import names_of
from ..graph.order import SUSPENSIONS
from ..imports import Imports, scope_chain
from ..syntax import FunctionNode, walk_scope


class Functions:
    """What is known of the functions of a module that others call.

    Functions that call each other write to nothing if none of them does. One that is
    being looked at is taken to; what rests on that is kept once the first of them,
    on which nothing rests that is still open, is found to write to nothing.
    """

    def __init__(self, module: ast.Module) -> None:
        self._known: dict[ast.AST, bool] = {}
        self._open: dict[ast.AST, int] = {}
        """The functions that are being looked at, and how deep."""
        self._resting: dict[ast.AST, int] = {}
        """Found to write to nothing if the open function of that depth does not."""
        self._lowest = 0
        """The depth of the outermost open function that was asked for."""

    def write_nothing(
        self, function: FunctionNode, caller: Facts, look: Callable[[Facts], bool]
    ) -> bool:
        """Whether a function writes to nothing, which `look` tells of its facts."""
        if function in self._known:
            return self._known[function]
        rests_on = self._open.get(function, self._resting.get(function))
        if rests_on is not None:
            self._lowest = min(self._lowest, rests_on)
            return True
        depth = self._open[function] = len(self._open)
        outer, self._lowest = self._lowest, depth
        resting = len(self._resting)
        writes_nothing = self._look(function, caller, look)
        del self._open[function]
        lowest = self._lowest
        self._lowest = min(outer, lowest)
        if writes_nothing and lowest < depth:
            self._resting[function] = lowest
            return True
        self._known[function] = writes_nothing
        for other in list(self._resting)[resting:]:
            del self._resting[other]
            if writes_nothing:
                self._known[other] = True
        return writes_nothing

    def _look(
        self, function: FunctionNode, caller: Facts, look: Callable[[Facts], bool]
    ) -> bool:
        kept = ("staticmethod", "property", "cached_property", "no_grad", "cache")
        heads = [
            d.func if isinstance(d, ast.Call) else d for d in function.decorator_list
        ]
        is_plain = isinstance(function, ast.FunctionDef) and all(
            getattr(d, "id", getattr(d, "attr", "")) in kept for d in heads
        )
        if not is_plain or suspends(function):
            return False
        tree = caller.tree
        outer = [names_of(each, tree) for each in scope_chain(tree, function)]
        names = names_of(function, tree)
        imports = Imports(tree, names, outer)
        facts = Facts(caller.source, tree, function, names, imports)
        return look(facts)


def suspends(function: FunctionNode) -> bool:
    """Whether a function is a generator or a coroutine that waits."""
    return any(isinstance(node, SUSPENSIONS) for node in walk_scope(function))


def generators(module: ast.Module) -> frozenset[str]:
    """The names of the functions of a file that suspend."""
    return frozenset(
        node.name
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef) and suspends(node)
    )
