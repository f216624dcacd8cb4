"""The node around each node of a module, noted where somebody looks.

Walking a tree in Python takes several times as long as parsing it, and of a large
module one or two functions are looked into. So the outermost functions stay closed
until a node is asked for that can be in them.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NO_NODES = frozenset(("attr", "ctx", "id", "op", "ops"))
"""Fields of strings, and of nodes that are shared or say nothing of a place."""


class Parents(dict[ast.AST, ast.AST]):
    """Parents by node; the module has none."""

    __slots__ = ("_closed", "_first_rows", "_functions", "_module")

    def __init__(self, module: ast.Module) -> None:
        super().__init__()
        self._module = module
        self._functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        self._note(module, self._functions)
        self._functions.sort(key=first_row)
        self._first_rows = [first_row(function) for function in self._functions]
        self._closed = dict.fromkeys(self._functions)

    def __missing__(self, node: ast.AST) -> ast.AST:
        if node is not self._module and self._closed:
            function = self.function_at(getattr(node, "lineno", 0))
            if function in self._closed:
                self._open(function)
                if node in self:
                    return self[node]
            # It has no row of its own, or a wrong one as in some f-strings.
            self._open_all()
            if node in self:
                return self[node]
        raise KeyError(node)

    def get(self, node: ast.AST, default: object = None) -> ast.AST | None:  # type: ignore[override]
        try:
            return self[node]
        except KeyError:
            return None

    def __iter__(self) -> Iterator[ast.AST]:
        self._open_all()
        return super().__iter__()

    def function_at(self, row: int) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The outermost function, decorators included, that has a part in a row."""
        index = bisect_right(self._first_rows, row) - 1
        if index < 0:
            return None
        function = self._functions[index]
        return function if row <= (function.end_lineno or 0) else None

    def _open_all(self) -> None:
        for function in list(self._closed):
            self._open(function)

    def _open(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        del self._closed[function]
        self._note(function, None)

    def _note(
        self,
        root: ast.AST,
        functions: list[ast.FunctionDef | ast.AsyncFunctionDef] | None,
    ) -> None:
        """Note what is below `root`; functions are only listed, if there is a list."""
        stack = [root]
        while stack:
            node = stack.pop()
            for name in _fields_of(type(node)):
                value = getattr(node, name, None)
                if isinstance(value, list):
                    for child in value:
                        if isinstance(child, ast.AST):
                            self[child] = node
                            if functions is not None and isinstance(child, _FUNCTIONS):
                                functions.append(child)
                            else:
                                stack.append(child)
                elif isinstance(value, ast.AST):
                    self[value] = node
                    stack.append(value)


def children(node: ast.AST) -> list[ast.AST]:
    """What stands right below a node, in the order of the text.

    `ast.iter_child_nodes` without operators and contexts, in a third of the time.
    """
    found: list[ast.AST] = []
    for name in _fields_of(type(node)):
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
    return found


def _fields_of(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields that can hold nodes with a place of their own."""
    found = _FIELDS.get(kind)
    if found is None:
        found = tuple(name for name in kind._fields if name not in _NO_NODES)
        _FIELDS[kind] = found
    return found


_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def first_row(statement: ast.stmt) -> int:
    """The row of a statement, or of its first decorator."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])
