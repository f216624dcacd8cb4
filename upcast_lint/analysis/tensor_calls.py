"""Calls of tensor operations in one form, whether method or function of torch."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from . import ops
from .facts import Facts
from .ops import Axes, Operation, Parameter
from .values import integer

_MODULES = ("torch.", "torch.Tensor.", "torch.nn.functional.", "torch.special.")
_SIZES = (Axes.SIZES, Axes.EXPAND, Axes.REPEAT)
_INSTANCES = frozenset(("self", "cls"))


@dataclass(frozen=True, slots=True, eq=False)
class TensorCall:
    """`tensor.name(*positional, **keywords)`, also where it is `torch.name(tensor, …)`.

    Only sizes (of `view`, `expand`) may hold starred arguments.
    """

    operation: Operation
    tensor: ast.expr
    positional: tuple[ast.expr, ...]
    keywords: Mapping[str, ast.expr]
    """As they are written; `given` knows them by the names of the table."""
    bound: Mapping[str, ast.expr]

    @property
    def name(self) -> str:
        return self.operation.name

    @property
    def others(self) -> tuple[ast.expr, ...]:
        """All arguments besides the tensor."""
        return (*self.positional, *self.keywords.values())

    def given(self, name: str) -> ast.expr | None:
        """The argument that a parameter gets, None if it is left out."""
        return self.bound.get(name)

    def number(self, name: str) -> int | None:
        """The integer that a parameter gets, by its default if it is left out.

        None where it is another expression, or has no default.
        """
        found = self.bound.get(name)
        if found is not None:
            return integer(found)
        default = self.operation.default(name)
        return int(default) if default.lstrip("-").isdecimal() else None

    def sizes(self) -> tuple[ast.expr, ...]:
        """The arguments of `view` and its like, also where they are one tuple."""
        given = self.positional or tuple(self.keywords.values())
        match given:
            case (ast.Tuple() | ast.List() as sizes,):
                return tuple(sizes.elts)
            case _:
                return given


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
    tensor: ast.expr | None = None
    if dotted is not None:
        module = dotted.rpartition(".")[0]
        operation = ops.function(dotted) if f"{module}." in _MODULES else None
    elif isinstance(node.func, ast.Attribute):
        tensor = node.func.value
        is_tensors = _may_be_tensor(tensor, facts)
        operation = ops.method(node.func.attr) if is_tensors else None
    else:
        return None
    bound = None if operation is None else operation.bind(node)
    if operation is None or bound is None:
        return None
    if tensor is None:
        tensor = _taken(operation, positional, keywords)
    has_starred = any(isinstance(each, ast.Starred) for each in positional)
    if tensor is None or (has_starred and operation.axes not in _SIZES):
        return None
    return TensorCall(operation, tensor, tuple(positional), keywords, bound.of)


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """What a call is given, stars taken off."""
    return [
        *(a.value if isinstance(a, ast.Starred) else a for a in call.args),
        *(k.value for k in call.keywords),
    ]


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


def builtin_called(call: ast.Call, facts: Facts) -> Operation | None:
    """The builtin that a call is of, which no scope rebinds."""
    function = call.func
    if not isinstance(function, ast.Name):
        return None
    found = ops.builtin(function.id)
    is_known = found is not None and is_builtin(function, function.id, facts)
    return found if is_known else None


def is_steady(call: ast.Call, facts: Facts) -> bool:
    """Whether a call gives the same number for the same arguments: `len(x)`."""
    if isinstance(call.func, ast.Attribute):
        known = ops.method(call.func.attr)
    else:
        known = builtin_called(call, facts)
    return known is not None and known.is_steady


def _taken(
    operation: Operation, positional: list[ast.expr], keywords: dict[str, ast.expr]
) -> ast.expr | None:
    """The tensor argument of a function, taken out of the arguments."""
    taken = operation.takes or (Parameter("input", True, ""),)
    names = [each.name for each in taken]
    place = names.index(operation.of) if operation.of in names else 0
    if place < len(positional):
        return positional.pop(place)
    for keyword in list(keywords):
        if operation.canonical(keyword) == names[place]:
            return keywords.pop(keyword)
    return None


def _may_be_tensor(node: ast.expr, facts: Facts) -> bool:
    match node:
        case ast.Name(id=name) if name in _INSTANCES:
            return False
        case ast.Call(func=ast.Name(id="super")) | ast.Constant():
            return False
        case _:
            return facts.resolve(node) is None
