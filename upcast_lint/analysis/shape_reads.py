"""What reads a shape: `x.shape`, `x.size(0)`, `len(x)`, `b` of `b, s = x.shape`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .facts import Facts
from .names import Binding, Definition
from .tensor_calls import is_builtin
from .values import integer


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a dimension of `tensor`; of which one, where that is a number.

    `rank` is how many the tensor has, where an unpacking shows it.
    """

    tensor: ast.expr
    axis: int | None
    rank: int | None = None


def shape_owner(node: ast.AST | None) -> ast.expr | None:
    """The tensor of which an expression is the whole shape."""
    match node:
        case ast.Attribute(value=tensor, attr="shape"):
            return tensor
        case ast.Call(
            func=ast.Attribute(value=tensor, attr="size"), args=[], keywords=[]
        ):
            return tensor
        case _:
            return None


def size_of(node: ast.expr, facts: Facts) -> Size | None:
    """What an expression, or what a name is bound to, is the size of."""
    value = facts.value(node)
    match value:
        case ast.Subscript(value=shape, slice=axis):
            tensor = shape_owner(shape)
            return None if tensor is None else Size(tensor, integer(axis))
        case ast.Call(func=ast.Attribute(value=tensor, attr="size"), args=[axis]):
            return Size(tensor, integer(axis))
        case ast.Call(func=ast.Attribute(value=tensor, attr="numel")):
            return Size(tensor, None)
        case ast.Call(func=function, args=[tensor]):
            return Size(tensor, 0) if is_builtin(function, "len", facts) else None
        case ast.Name():
            definition = facts.definition(value)
            return None if definition is None else unpacked_size(definition)
        case _:
            return None


def unpacked_size(definition: Definition) -> Size | None:
    """The size that a name has from `batch, length, width = tensor.shape`."""
    tensor = shape_owner(definition.value)
    if tensor is None or definition.binding is not Binding.UNPACKED:
        return None
    return Size(tensor, definition.index, unpacked_into(definition.node))


def unpacked_into(node: ast.AST) -> int | None:
    """How many names a statement unpacks its value into."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)]):
            return len(targets)
        case _:
            return None
