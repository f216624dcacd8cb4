"""What the classes of a file let operators, attributes and loops run.

Limits: classes of other files are taken to write to nothing there, and so is a test of
truth.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .receivers import Receiver, receiver_of
from .syntax import FunctionNode
from .words import words

_OF_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.In: "contains",
    ast.NotIn: "contains",
}
_ASKED = words(
    """
    __len__ __iter__ __next__ __str__ __repr__ __format__ __bool__ __int__ __float__
    __index__ __abs__ __hash__ __array__ __getitem__ __contains__ __reversed__
    """
)
"""What built-in functions ask of what they are given."""
_ON_CALLS = words("__init__ __new__ __post_init__ __call__ __del__ __enter__ __exit__")
_ITERATED = ("__iter__", "__next__", "__getitem__")


def hooks_of(module: ast.Module) -> dict[str, list[FunctionNode]]:
    """What runs without being called by name, by the operation or the attribute."""
    found: dict[str, list[FunctionNode]] = {}
    for holder in ast.walk(module):
        if not isinstance(holder, ast.ClassDef):
            continue
        for each in holder.body:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                for name in _answers(each):
                    found.setdefault(name, []).append(each)
    return found


def _answers(method: FunctionNode) -> Iterator[str]:
    name = method.name
    if name.startswith("__") and name.endswith("__"):
        if name not in _ON_CALLS:
            yield name
        return
    for decorator in method.decorator_list:
        match decorator:
            case ast.Attribute(attr="setter" | "deleter"):
                yield f"{name}="
            case ast.Name(id=kind) | ast.Attribute(attr=kind):
                if "property" in kind:
                    yield name


def run_by(node: ast.AST, facts: Facts) -> list[FunctionNode]:
    """The methods of classes of the file that a node may run, calls aside."""
    hooks = facts.tree.once(facts.tree.module, hooks_of)
    if not hooks:
        return []
    return [each for name in _asks(node, facts) for each in hooks.get(name, ())]


def asked_by(call: ast.Call, facts: Facts) -> list[FunctionNode]:
    """The methods of classes of the file that a built-in function may run."""
    hooks = facts.tree.once(facts.tree.module, hooks_of)
    names = sorted(_ASKED & hooks.keys())
    if not names or all(_is_known(each, facts) for each in call.args):
        return []
    return [each for name in names for each in hooks[name]]


def _asks(node: ast.AST, facts: Facts) -> Iterator[str]:
    match node:
        case ast.BinOp(left=left, right=right, op=op):
            if not (_is_known(left, facts) and _is_known(right, facts)):
                name = _OF_OPERATORS[type(op)]
                yield from (f"__{name}__", f"__r{name}__")
        case ast.AugAssign(value=value, op=op):
            name = _OF_OPERATORS[type(op)]
            yield from (f"__i{name}__", f"__{name}__")
            if not _is_known(value, facts):
                yield f"__r{name}__"
        case ast.UnaryOp(operand=operand, op=op):
            if not _is_known(operand, facts):
                yield f"__{_OF_OPERATORS.get(type(op), 'bool')}__"
        case ast.Compare(left=left, ops=operators, comparators=others):
            if not all(_is_known(each, facts) for each in (left, *others)):
                kinds = [type(each) for each in operators]
                for kind in filter(_OF_OPERATORS.__contains__, kinds):
                    yield f"__{_OF_OPERATORS[kind]}__"
        case ast.Attribute(value=value, attr=name, ctx=context):
            if _is_known(value, facts) or facts.resolve(node) is not None:
                return
            if isinstance(context, ast.Load):
                yield from (name, "__getattr__", "__getattribute__")
            else:
                yield from (f"{name}=", "__setattr__", "__delattr__")
        case ast.Subscript(value=value, ctx=context):
            if not _is_known(value, facts):
                is_load = isinstance(context, ast.Load)
                yield from ("__getitem__",) if is_load else _STORED
        case ast.For(iter=value) | ast.comprehension(iter=value):
            if not _is_known(value, facts):
                yield from _ITERATED
        case ast.FormattedValue(value=value):
            if not _is_known(value, facts):
                yield from ("__format__", "__str__", "__repr__")
        case _:
            return


_STORED = ("__setitem__", "__delitem__")


def _is_known(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is no instance of a class of the file."""
    return receiver_of(node, facts) is not Receiver.UNKNOWN
