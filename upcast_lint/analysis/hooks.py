"""What the classes of a file let operators, tests, loops and known calls run.

A class may answer for itself wherever Python or torch asks an object something:
`k + 1`, `if k:`, `[*k]`, `{k: 1}`, `rows[k]`, `f"{k}"`, `torch.zeros(k)`, `del k`. Each
question is put to what is not known to be a tensor, an array, a number or a string;
what asks the elements of a container too is put to what may be in one.

Limit: classes of other files are taken to write to nothing there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .classes import classes_of
from .facts import Facts
from .receivers import ARRAYS, Receiver, receiver_of
from .syntax import FunctionNode, Tree
from .tensor_calls import arguments_of, is_builtin
from .values import is_string
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
}
_OF_COMPARISONS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Eq: ("__eq__",),
    ast.NotEq: ("__ne__", "__eq__"),
    ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"),
}
"""Each with what the other side is asked."""
_ON_CALLS = words("__init__ __new__ __post_init__ __call__ __enter__ __exit__")
_OF_ATTRIBUTES = words(
    "__getattr__ __getattribute__ __setattr__ __delattr__ __get__ __set__ __delete__"
)
_OF_CLASSES = words("__init_subclass__ __set_name__ __class_getitem__ __match_args__")
_ITERATED = ("__iter__", "__next__", "__getitem__", "__len__")
_TRUTH = ("__bool__", "__len__")
_KEY = ("__hash__", "__eq__")
_MAPPING = ("keys", "__getitem__", "__iter__")
_TEXT = ("__format__", "__str__", "__repr__")
_OPERAND = ("__index__", "__float__", "__array__", "__torch_function__")
_OF_TORCH = (*_OPERAND, "__int__", "__bool__", "__len__", "__getitem__", "__iter__")
_OF_BUILTINS = {
    "len": ("__len__",),
    "isinstance": ("__instancecheck__",),
    "issubclass": ("__subclasscheck__",),
    "id": (),
    "type": (),
    "callable": (),
    "print": _TEXT,
    "str": _TEXT,
    "repr": _TEXT,
    "format": _TEXT,
    "bool": _TRUTH,
    "range": ("__index__",),
    "iter": _ITERATED,
    "next": _ITERATED,
    "list": _ITERATED,
    "tuple": _ITERATED,
    "zip": _ITERATED,
    "enumerate": _ITERATED,
    "reversed": (*_ITERATED, "__reversed__"),
    "getattr": tuple(sorted(_OF_ATTRIBUTES)),
    "hasattr": tuple(sorted(_OF_ATTRIBUTES)),
}
"""What is asked by built-in functions that ask little."""
_OTHER_PATHS = ("operator.", "copy.")
"""Modules whose functions look up attributes."""


def hooks_of(module: ast.Module, tree: Tree) -> dict[str, list[FunctionNode]]:
    """What runs without being called by name, by the operation or the attribute."""
    found: dict[str, list[FunctionNode]] = {}
    for holder in tree.once_with(module, classes_of):
        methods: dict[str, FunctionNode] = {}
        for each in holder.body:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                methods[each.name] = each
                for name in _answers(each):
                    found.setdefault(name, []).append(each)
            for name, function in _assigned_properties(each):
                if function in methods:
                    found.setdefault(name, []).append(methods[function])
    return found


def _answers(method: FunctionNode) -> Iterator[str]:
    name = method.name
    if name == "keys" or (name.startswith("__") and name.endswith("__")):
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


def _assigned_properties(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """What `name = property(get, set)` makes of which functions."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(func=ast.Name(id="property"), args=given),
        ):
            for label, each in zip((name, f"{name}=", f"{name}="), given, strict=False):
                if isinstance(each, ast.Name):
                    yield label, each.id


@dataclass(frozen=True, slots=True)
class _Question:
    """What an operation asks of its operands, where the file answers it.

    `place` is where; `reaches_elements`: what is in an operand may be asked as well.
    No operands: it is asked in any case.
    """

    place: ast.expr | ast.stmt
    operands: Sequence[ast.expr]
    names: Sequence[str]
    reaches_elements: bool = False


def run_by(
    node: ast.AST, facts: Facts
) -> list[tuple[ast.expr | ast.stmt, FunctionNode]]:
    """The methods of classes of the file that a node may run, and where; no calls."""
    hooks = facts.tree.once_with(facts.tree.module, hooks_of)
    if not hooks:
        return []
    return [
        (question.place, method)
        for question in _questions(node, hooks, facts)
        for method in _answering(question, hooks, facts)
    ]


def asked_by(call: ast.Call, facts: Facts) -> list[FunctionNode]:
    """The methods of classes of the file that a known call may run."""
    hooks = facts.tree.once_with(facts.tree.module, hooks_of)
    if not hooks:
        return []
    function = call.func
    given = arguments_of(call)
    dotted = facts.resolve(function) or ""
    names: Sequence[str]
    if isinstance(function, ast.Attribute) and not dotted:
        kind = receiver_of(function.value, facts)
        if kind is Receiver.TENSOR:
            names = _OF_TORCH
        else:
            given.append(function.value)
            names = [name for name in hooks if _is_of_values(name)]
    elif dotted.startswith("torch."):
        names = _OF_TORCH
    elif isinstance(function, ast.Name) and function.id in _OF_BUILTINS and not dotted:
        names = _OF_BUILTINS[function.id]
    else:
        is_wide = dotted.startswith(_OTHER_PATHS)
        names = [n for n in hooks if _is_of_values(n) or (is_wide and n[:2] == "__")]
    if not given:
        return []
    return _answering(_Question(call, given, names, True), hooks, facts)


def _is_of_values(name: str) -> bool:
    is_special = name.startswith("__") and name not in _OF_ATTRIBUTES | _OF_CLASSES
    return is_special and name != "__del__"


def _answering(
    question: _Question, hooks: dict[str, list[FunctionNode]], facts: Facts
) -> list[FunctionNode]:
    found = [each for name in question.names for each in hooks.get(name, ())]
    if not found:
        return []
    is_known = _holds_known if question.reaches_elements else _is_known
    if question.operands and all(is_known(each, facts) for each in question.operands):
        return []
    return found


def _questions(
    node: ast.AST, hooks: dict[str, list[FunctionNode]], facts: Facts
) -> Iterator[_Question]:
    for value in iterated_by(node):
        yield _Question(value, (value,), _ITERATED)
    names: tuple[str, ...]
    match node:
        case ast.BinOp(left=left, right=right, op=op):
            name = _OF_OPERATORS[type(op)]
            names = (f"__{name}__", f"__r{name}__", *_OPERAND)
            yield _Question(node, (left, right), names)
            if isinstance(op, ast.Mod) and is_string(facts.value(left)):
                yield _Question(node, (right,), _TEXT, True)
        case ast.AugAssign(value=value, op=op):
            name = _OF_OPERATORS[type(op)]
            yield _Question(node, (), (f"__i{name}__", f"__{name}__"))
            yield _Question(node, (value,), (f"__r{name}__", *_OPERAND))
        case ast.UnaryOp(operand=operand, op=op):
            name = _OF_OPERATORS.get(type(op), "")
            names = (f"__{name}__",) if name else _TRUTH
            yield _Question(node, (operand,), names)
        case ast.Compare(left=left, ops=operators, comparators=others):
            pairs = pairwise((left, *others))
            for sides, operator in zip(pairs, operators, strict=True):
                # the last operand that is evaluated, as constants are not
                behind = sides[0] if isinstance(sides[1], ast.Constant) else sides[1]
                place = node if sides[1] is others[-1] else behind
                names = _OF_COMPARISONS.get(type(operator), ())
                yield _Question(place, sides, names, True)
                if isinstance(operator, ast.In | ast.NotIn):
                    yield _Question(place, sides, ("__contains__",))
                    yield _Question(place, sides, _KEY, True)
        case ast.BoolOp(values=values):
            for value in values[:-1]:
                yield _Question(value, (value,), _TRUTH)
        case ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test):
            yield _Question(test, _tested(test), _TRUTH)
        case ast.IfExp(test=test):
            yield _Question(test, _tested(test), _TRUTH)
        case ast.comprehension(ifs=tests):
            for test in tests:
                yield _Question(test, _tested(test), _TRUTH)
        case ast.Attribute(value=value, attr=name, ctx=context):
            if facts.resolve(node) is None:
                is_load = isinstance(context, ast.Load)
                names = (name, *_LOADED) if is_load else (f"{name}=", *_SET)
                yield _Question(node, (value,), names)
        case ast.Subscript(value=value, slice=index, ctx=context):
            is_load = isinstance(context, ast.Load)
            names = ("__getitem__",) if is_load else ("__setitem__", "__delitem__")
            yield _Question(node, (value,), names)
            yield _Question(node, _parts(index), ("__index__", *_KEY))
        case ast.FormattedValue(value=value):
            yield _Question(node, (value,), _TEXT, True)
        case ast.Dict(keys=keys, values=values):
            yield _Question(node, [k for k in keys if k is not None], _KEY, True)
            unpacked = [v for k, v in zip(keys, values, strict=True) if k is None]
            for value in unpacked:
                yield _Question(value, (value,), _MAPPING)
        case ast.keyword(arg=None, value=value):
            yield _Question(value, (value,), _MAPPING)
        case ast.Set(elts=parts):
            yield _Question(node, parts, _KEY, True)
        case ast.SetComp(elt=part) | ast.DictComp(key=part):
            yield _Question(part, (part,), _KEY, True)
        case ast.Match(subject=subject, cases=cases):
            names = tuple(_matched(cases, hooks))
            yield _Question(subject, (subject,), names, True)
        case ast.ClassDef():
            yield _Question(node, (), ("__init_subclass__", "__set_name__"))
        case ast.Assign(targets=targets):
            if any(_is_bound_again(target, facts) for target in targets):
                yield _Question(node, (), ("__del__",))
        case ast.Delete(targets=targets):
            yield _Question(node, targets, ("__del__",), True)
        case _:
            return


_LOADED = ("__getattr__", "__getattribute__", "__get__")
_SET = ("__setattr__", "__delattr__", "__set__", "__delete__")


def iterated_by(node: ast.AST) -> list[ast.expr]:
    """What a node goes through, calls and loops of `async` aside."""
    match node:
        case ast.For(iter=value) | ast.comprehension(iter=value):
            return [value]
        case ast.Starred(value=value, ctx=ast.Load()):
            return [value]
        case ast.Assign(targets=targets, value=value):
            return [value] if any(map(_takes_apart, targets)) else []
        case ast.AugAssign(op=ast.Add() | ast.BitOr(), value=value):
            return [value]
        case ast.Compare(ops=operators, comparators=others):
            return [
                each
                for operator, each in zip(operators, others, strict=True)
                if isinstance(operator, ast.In | ast.NotIn)
            ]
        case _:
            return []


def _takes_apart(target: ast.expr) -> bool:
    """Whether a target is given the elements of a value."""
    return isinstance(target, ast.Tuple | ast.List) or (
        isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)
    )


def _tested(test: ast.expr) -> list[ast.expr]:
    """What is asked whether it is true, where a test is not asked before."""
    match test:
        case ast.BoolOp(values=values):
            return [values[-1]]
        case _:
            return [test]


def _parts(index: ast.expr) -> list[ast.expr]:
    match index:
        case ast.Tuple(elts=parts):
            return [each for part in parts for each in _parts(part)]
        case ast.Slice(lower=lower, upper=upper, step=step):
            return [each for each in (lower, upper, step) if each is not None]
        case _:
            return [index]


def _matched(
    cases: Sequence[ast.match_case], hooks: dict[str, list[FunctionNode]]
) -> Iterator[str]:
    """What patterns ask of a subject, and of what is found in it."""
    yield from ("__eq__", "__instancecheck__", *_ITERATED)
    for pattern in (part for case in cases for part in ast.walk(case.pattern)):
        if isinstance(pattern, ast.MatchClass):
            yield from pattern.kwd_attrs
            if pattern.patterns:  # what `__match_args__` names
                yield from (name for name in hooks if not name.startswith("__"))


def _is_bound_again(target: ast.expr, facts: Facts) -> bool:
    return isinstance(target, ast.Name) and len(facts.names.named(target.id)) > 1


def _is_known(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is no instance of a class of the file."""
    return receiver_of(node, facts) is not Receiver.UNKNOWN


def _holds_known(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression neither is such an instance nor may hold one."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return all(_holds_known(part, facts) for part in parts)
        case ast.BinOp(left=left, right=right):
            return _holds_known(left, facts) and _holds_known(right, facts)
        case ast.Name():
            return _is_known(node, facts) and not _is_container(node, facts)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return False
        case ast.Dict() | ast.IfExp() | ast.BoolOp() | ast.NamedExpr():
            return False
        case ast.Call(func=ast.Name(id=name)):
            is_number = name in _OF_NUMBERS and is_builtin(node.func, name, facts)
            return is_number or receiver_of(node, facts) in ARRAYS
        case _:
            return _is_known(node, facts)


def _is_container(name: ast.Name, facts: Facts) -> bool:
    """Whether a name may stand for a container of Python."""
    if receiver_of(name, facts) is not Receiver.PLAIN:
        return False
    value = facts.value(name)
    return value is name or not _holds_known(value, facts)


_OF_NUMBERS = words(
    "len int float bool str range abs round min max sum hash id ord chr"
)
