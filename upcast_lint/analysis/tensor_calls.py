"""Calls of tensor operations in one form, whether method or function of torch."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from .facts import Facts

_MODULES = ("torch.", "torch.Tensor.", "torch.nn.functional.", "torch.special.")
_MAY_UNPACK = frozenset(("view", "reshape", "expand", "repeat"))
_TENSOR_KEYWORDS = ("input", "self", "x")
_INSTANCES = frozenset(("self", "cls"))


@dataclass(frozen=True, slots=True, eq=False)
class TensorCall:
    """`tensor.name(*positional, **keywords)`, also where it is `torch.name(tensor, …)`.

    Only sizes (of `view`, `reshape`, `expand`, `repeat`) may hold starred arguments.
    """

    name: str
    tensor: ast.expr
    positional: tuple[ast.expr, ...]
    keywords: Mapping[str, ast.expr]

    def argument(self, position: int, name: str) -> ast.expr | None:
        """An argument by its place after the tensor, or by its name."""
        if position < len(self.positional):
            return self.positional[position]
        return self.keywords.get(name)

    def sizes(self) -> tuple[ast.expr, ...]:
        """The arguments of `view` and its like, also where they are one tuple."""
        match self.positional:
            case (ast.Tuple() | ast.List() as sizes,):
                return tuple(sizes.elts)
            case _:
                return self.positional


def tensor_call(node: ast.expr, facts: Facts) -> TensorCall | None:
    """The operation that an expression calls, if its arguments are all in sight.

    A method of an unknown object is taken for a tensor's; one of `self` is not.
    """
    if not isinstance(node, ast.Call):
        return None
    dotted = facts.resolve(node.func)
    positional = list(node.args)
    keywords: dict[str, ast.expr] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            return None
        keywords[keyword.arg] = keyword.value
    tensor: ast.expr | None
    if dotted is not None:
        module, _, name = dotted.rpartition(".")
        if f"{module}." not in _MODULES:
            return None
        tensor = _taken(positional, keywords)
    elif isinstance(node.func, ast.Attribute):
        tensor, name = node.func.value, node.func.attr
        if not _may_be_tensor(tensor, facts):
            return None
    else:
        return None
    has_starred = any(isinstance(each, ast.Starred) for each in positional)
    if tensor is None or (has_starred and name not in _MAY_UNPACK):
        return None
    return TensorCall(name, tensor, tuple(positional), keywords)


def torch_function(node: ast.expr, facts: Facts) -> str | None:
    """The dotted name of the function of torch that an expression calls."""
    if not isinstance(node, ast.Call):
        return None
    dotted = facts.resolve(node.func)
    return dotted if dotted is not None and dotted.startswith("torch.") else None


def is_builtin(node: ast.expr, name: str, facts: Facts) -> bool:
    """Whether an expression is a builtin by this name, which no scope rebinds."""
    if not (isinstance(node, ast.Name) and node.id == name):
        return False
    scopes = (facts.names, *facts.imports.outer)
    return not any(names.named(name) for names in scopes)


def _taken(
    positional: list[ast.expr], keywords: dict[str, ast.expr]
) -> ast.expr | None:
    """The tensor argument of a function, taken out of the arguments."""
    if positional:
        return positional.pop(0)
    for name in _TENSOR_KEYWORDS:
        if name in keywords:
            return keywords.pop(name)
    return None


def _may_be_tensor(node: ast.expr, facts: Facts) -> bool:
    match node:
        case ast.Name(id=name) if name in _INSTANCES:
            return False
        case ast.Call(func=ast.Name(id="super")) | ast.Constant():
            return False
        case _:
            return facts.resolve(node) is None
