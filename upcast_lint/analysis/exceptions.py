"""What an exception meets on its way out of a function, and which casts raise one.

A *catcher* of a node is a `try` whose body holds it and one of whose handlers may end
the exception, a `finally` that jumps, or a `with` whose manager may swallow. A handler
that always ends in `raise` catches nothing: where the program raised before, nothing
is lost if it raises otherwise, or not at all.

The cast of a tensor to a wider float raises nothing that a program could count on; the
cast of what is no tensor raises AttributeError, TypeError or what its class likes.
A nested function may be called where it is defined. Lack of memory is left out: a
rewrite needs less of it. Limit: who calls the function may tell exceptions apart.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from . import ops
from .casts import Cast
from .facts import Facts
from .names import Binding
from .ops import Memory, Operation, Role
from .tensor_calls import is_builtin
from .values import items_of
from .words import words

_OF_OTHERS = words(
    """
    ImportError ModuleNotFoundError OSError IOError FileNotFoundError FileExistsError
    PermissionError ConnectionError TimeoutError BrokenPipeError InterruptedError
    StopIteration StopAsyncIteration KeyboardInterrupt SystemExit GeneratorExit
    ZeroDivisionError ArithmeticError OverflowError FloatingPointError AssertionError
    UnicodeError UnicodeDecodeError UnicodeEncodeError SyntaxError EOFError
    LookupError KeyError IndexError
    """
)
"""Builtin exceptions that no cast raises, whatever is cast."""

_LETS_PASS = words(
    """
    contextlib.nullcontext contextlib.closing contextlib.redirect_stdout
    contextlib.redirect_stderr warnings.catch_warnings threading.Lock threading.RLock
    """
)
_TENSOR = re.compile(r"""["']?(?:\w+\[)?(?:torch\.)?Tensor(?:,[^|\[\]]*\])?["']?""")


def catchers(node: ast.AST, facts: Facts) -> list[ast.AST]:
    """What may end an exception that a cast at `node` raises, innermost first."""
    found: list[ast.AST] = []
    is_other = False
    """Whether a handler on the way may have raised another exception instead."""
    for owner, field in _holders(node, facts):
        if isinstance(owner, ast.With | ast.AsyncWith):
            if any(_may_swallow(i.context_expr, facts) for i in owner.items):
                found.append(owner)
            continue
        catching = [
            handler
            for handler in owner.handlers
            if field == "body" and (is_other or _may_catch(handler, facts))
        ]
        jumps = field != "finalbody" and _jumps(owner.finalbody)
        if jumps or not all(map(_raises, catching)):
            found.append(owner)
        is_other |= any(map(_raises_anew, catching))
    return found


def protectors(node: ast.AST, facts: Facts) -> list[ast.AST]:
    """Every `try` and `with` that an exception of any kind at `node` meets."""
    return [
        owner
        for owner, field in _holders(node, facts)
        if field == "body"
        and (
            isinstance(owner, ast.Try | ast.TryStar)
            or any(_may_swallow(i.context_expr, facts) for i in owner.items)
        )
    ]


def _holders(
    node: ast.AST, facts: Facts
) -> Iterator[tuple[ast.Try | ast.TryStar | ast.With | ast.AsyncWith, str]]:
    """The statements that an exception at a node may meet, and the part it is in."""
    child = node
    for parent in facts.tree.ancestors(node):
        if isinstance(parent, ast.Module | ast.ClassDef):
            return
        if isinstance(parent, ast.Try | ast.TryStar | ast.With | ast.AsyncWith):
            for field in ("body", "orelse", "finalbody", "handlers"):
                if child in getattr(parent, field, ()):
                    yield parent, field
        child = parent


def _may_catch(handler: ast.ExceptHandler, facts: Facts) -> bool:
    if handler.type is None:
        return True
    return not all(
        isinstance(each, ast.Name)
        and each.id in _OF_OTHERS
        and is_builtin(each, each.id, facts)
        for each in items_of(handler.type)
    )


def _raises(handler: ast.ExceptHandler) -> bool:
    """Whether a handler always ends in `raise`."""
    return isinstance(handler.body[-1], ast.Raise) and not _jumps(handler.body)


def _raises_anew(handler: ast.ExceptHandler) -> bool:
    return any(
        isinstance(node, ast.Raise) and node.exc is not None
        for statement in handler.body
        for node in ast.walk(statement)
    )


def _jumps(suite: list[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Return | ast.Break | ast.Continue)
        for statement in suite
        for node in ast.walk(statement)
    )


def _may_swallow(manager: ast.expr, facts: Facts) -> bool:
    """Whether a context manager may end an exception; an unknown one may."""
    callee = manager.func if isinstance(manager, ast.Call) else manager
    if is_builtin(callee, "open", facts):
        return False
    dotted = facts.resolve(callee) or ""
    return not (dotted.startswith("torch.") or dotted in _LETS_PASS)


def is_evidently_tensor(cast: Cast, facts: Facts) -> bool:
    """Whether what is cast is a tensor, by how it is made or annotated."""
    definition = facts.definition(cast.source)
    if definition is not None and definition.binding is Binding.PARAMETER:
        said = definition.annotation
        return said is not None and _TENSOR.fullmatch(facts.text(said)) is not None
    return _makes_tensor(facts.value(cast.source), facts)


def _makes_tensor(node: ast.expr, facts: Facts) -> bool:
    match node:
        case ast.Call(func=function):
            dotted = facts.resolve(function)
            if dotted is not None:
                return _gives_tensor(dotted)
            return isinstance(function, ast.Attribute) and _is_tensors_alone(
                function.attr
            )
        case ast.BinOp(left=left, right=right):
            return _makes_tensor(facts.value(left), facts) or _makes_tensor(
                facts.value(right), facts
            )
        case _:
            return False


def _gives_tensor(dotted: str) -> bool:
    """Whether a function of torch gives one tensor."""
    module = dotted.rpartition(".")[0]
    made = ops.function(dotted)
    is_function = module in ("torch", "torch.nn.functional") and made is not None
    return is_function and _is_tensor(made)


def _is_tensors_alone(name: str) -> bool:
    """Whether a method gives a tensor, that arrays, lists and numbers do not have."""
    made = ops.method(name)
    is_others = ops.array_method(name) or ops.container_method(name)
    return made is not None and is_others is None and _is_tensor(made)


def _is_tensor(made: Operation | None) -> bool:
    return (
        made is not None
        and made.memory in (Memory.VIEW, Memory.EITHER, Memory.FRESH)
        and not made.gives_several
        and made.role is not Role.EXPORT
    )
