"""What a call does to memory: known operations, bound to their arguments."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from . import ops
from .facts import Facts
from .ops import Arguments, Memory, Operation
from .receivers import told_method
from .tensor_calls import arguments_of, builtin_called
from .values import is_none, truth


@dataclass(frozen=True, slots=True)
class Target:
    """An expression that a call writes to; `flag`, if that decides, is not false.

    `is_certain`: the flag is known to be on.
    """

    node: ast.expr
    flag: str | None
    is_certain: bool


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A call that writes to nothing but its targets.

    `callables` are functions among the arguments, which it calls.
    """

    operation: Operation
    targets: tuple[Target, ...]
    callables: tuple[ast.expr, ...]


def known_call(call: ast.Call, facts: Facts) -> KnownCall | None:
    """What a call does, or None if it is of unknown code."""
    return facts.once_at(call, _known)


def is_lazy(call: ast.Call, facts: Facts) -> bool:
    """Whether a call takes what it is given when its own result is consumed."""
    known = builtin_called(call, facts)
    dotted = facts.resolve(call.func) or ""
    return dotted.startswith("itertools.") or (known is not None and known.is_lazy)


def consumes(call: ast.Call, facts: Facts) -> bool:
    """Whether a call runs the iterators it is given."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in ("extend", "join", "update")
    known = builtin_called(call, facts)
    return known is not None and known.consumes


def _known(call: ast.Call, facts: Facts) -> KnownCall | None:
    function = call.func
    dotted = facts.resolve(function)
    receiver: ast.expr | None = None
    if dotted is not None:
        if ops.is_collective(dotted):
            given = tuple(Target(each, None, True) for each in arguments_of(call))
            collective = Operation(dotted, Memory.EITHER, None, (), False)
            return KnownCall(collective, given, ())
        operation = ops.function(dotted)
    elif isinstance(function, ast.Attribute):
        receiver = function.value
        operation = told_method(call, facts)
    else:
        operation = builtin_called(call, facts)
    if operation is None:
        return None
    bound = operation.bind(call)
    if bound is None:
        if operation.writes:
            return None
        bound = Arguments({}, is_complete=True)
    is_hidden = not bound.is_complete or any(k.arg is None for k in call.keywords)
    if is_hidden and (operation.writes or _may_take_out(call, dotted)):
        return None
    targets = _targets(call, operation, bound, receiver)
    return (
        None if targets is None else KnownCall(operation, targets, _called(call, facts))
    )


def _may_take_out(call: ast.Call, dotted: str | None) -> bool:
    """Whether `out` or `inplace` may be among keywords that are not in sight."""
    hidden = [k.value for k in call.keywords if k.arg is None]
    return (
        any(not isinstance(each, ast.Dict) for each in hidden)
        and dotted is not None
        and dotted.startswith(("torch.", "numpy."))
    )


def _targets(
    call: ast.Call,
    operation: Operation,
    bound: Arguments,
    receiver: ast.expr | None,
) -> tuple[Target, ...] | None:
    """What a call writes to; None where that is not in sight."""
    found: list[Target] = []
    out = bound.of.get("out") or _keyword(call, "out")
    if out is not None and not is_none(out):
        found.append(Target(out, "out", True))
    inplace = _keyword(call, "inplace")
    defaults = {each.name: each.is_true for each in operation.takes or ()}
    for written in operation.writes:
        match written.target:
            case "self" if receiver is not None:
                found.append(Target(receiver, None, True))
                continue
            case "self":
                return None
            case "+self":
                continue
            case "0" if call.args and not isinstance(call.args[0], ast.Starred):
                found.append(Target(call.args[0], None, True))
                continue
            case "0":
                first = _keyword(call, "input") or _keyword(call, "tensor")
                if first is None:
                    return None
                found.append(Target(first, None, True))
                continue
            case "out":
                continue
            case name:
                target = bound.of.get(name)
        if target is None or is_none(target):
            continue
        flag = None if written.flag is None else bound.of.get(written.flag)
        if written.flag is not None and flag is None:
            if defaults.get(written.flag):
                found.append(Target(target, written.flag, True))
            continue
        known = True if flag is None else truth(flag)
        if known is False or (flag is not None and is_none(flag)):
            continue
        is_number = isinstance(flag, ast.Constant)
        found.append(Target(target, written.flag, known is True or is_number))
    if inplace is not None and not found and call.args and truth(inplace) is not False:
        found.append(Target(call.args[0], "inplace", truth(inplace) is True))
    return tuple(found)


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)


def _called(call: ast.Call, facts: Facts) -> tuple[ast.expr, ...]:
    """The functions among the arguments of a built-in function."""
    found = [k.value for k in call.keywords if k.arg in ("key", "default_factory")]
    known = builtin_called(call, facts)
    if call.args and known is not None and known.calls:
        found.append(call.args[0])
    return tuple(each for each in found if not is_none(each))
