"""Tests of a tensor's type: `assert x.dtype is torch.bool`, `isinstance(x, …)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..facts import Facts
from ..graph.order import dominates
from ..syntax import SCOPES, walk_scope
from ..width.words import dotted_words, identifiers, spelling, words
from .types import Sort, Typed, kind_of_dtype

_STORED = frozenset(
    ("quantized", "quantised", "quant", "nvfp", "mxfp", "nf", "tensorwrapper")
)
_STORED_PARTS = ("fp8", "float8", "fp4", "int8", "int4", "quant")


def kind_by_tests(source: ast.expr, names: set[str], facts: Facts) -> Typed | None:
    """What tests of the tensor say where the cast stands.

    `names` are the texts of the expressions that are the tensor.
    """
    stored = next(_stored_tests(names, facts), None)
    if stored is not None:
        return stored
    for test, holds in _conditions(source, facts):
        typed = _said_by(test, holds, names, facts)
        if typed is not None:
            return typed
    return None


def _stored_tests(names: set[str], facts: Facts) -> Iterator[Typed]:
    """Any test for storage: who asks expects that it may be so."""
    asked = facts.once(_asked_for_storage)
    tests = {place: test for name in names for place, test in asked.get(name, ())}
    for _, node in sorted(tests.items()):
        match node:
            case ast.Attribute():
                yield Typed(Sort.STORAGE, f"`is_quantized` on {facts.place(node)}")
            case ast.Call():
                yield Typed(Sort.STORAGE, f"tested on {facts.place(node)}")
            case ast.Compare(left=left, comparators=compared):
                for dtype in _dtypes_compared(left, compared, names):
                    if kind_of_dtype(dtype, facts) is Sort.STORAGE:
                        yield Typed(
                            Sort.STORAGE,
                            f"compared with float8 on {facts.place(node)}",
                        )
            case _:
                pass


def _asked_for_storage(facts: Facts) -> dict[str, list[tuple[int, ast.expr]]]:
    """The tests for storage in a scope, with their places, by what they test."""
    found: dict[str, list[tuple[int, ast.expr]]] = {}
    for place, node in enumerate(walk_scope(facts.scope)):
        match node:
            case ast.Attribute(attr="is_quantized", value=value):
                tested = [value]
            case ast.Call(func=func, args=[first, *rest]) if _asks_for_storage(
                func, rest
            ):
                tested = [first]
            case ast.Compare(left=left, comparators=compared) if any(
                kind_of_dtype(dtype, facts) is Sort.STORAGE
                for dtype in _members([left, *compared])
            ):
                tested = [
                    side.value
                    for side in (left, *compared)
                    if isinstance(side, ast.Attribute) and side.attr == "dtype"
                ]
            case _:
                continue
        for each in tested:
            text = spelling(each)
            if text is not None:
                found.setdefault(text, []).append((place, node))
    return found


def _members(sides: list[ast.expr]) -> Iterator[ast.expr]:
    """The sides of a comparison, those of a display one by one."""
    for side in sides:
        if isinstance(side, ast.Tuple | ast.List | ast.Set):
            yield from side.elts
        else:
            yield side


def _asks_for_storage(func: ast.expr, rest: list[ast.expr]) -> bool:
    name = dotted_words(func)
    asked = name
    if name == "isinstance":
        asked = " ".join(sorted(identifiers(n for r in rest for n in ast.walk(r))))
    is_test = name == "isinstance" or "is_" in name
    said = words(asked)
    return is_test and (
        not _STORED.isdisjoint(said) or any(p in asked.lower() for p in _STORED_PARTS)
    )


def _dtypes_compared(
    left: ast.expr, compared: list[ast.expr], names: set[str]
) -> Iterator[ast.expr]:
    """The types that `x.dtype` is compared with."""
    sides = [left, *compared]
    if not any(_is_dtype_of(side, names) for side in sides):
        return
    yield from _members([side for side in sides if not _is_dtype_of(side, names)])


def _is_dtype_of(node: ast.expr, names: set[str]) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "dtype"
        and spelling(node.value) in names
    )


def _conditions(source: ast.expr, facts: Facts) -> Iterator[tuple[ast.expr, bool]]:
    """Tests around the cast and assertions before it, and how they came out."""
    child: ast.AST = source
    for parent in facts.tree.ancestors(source):
        if isinstance(parent, SCOPES):
            break
        if isinstance(parent, ast.If) and child is not parent.test:
            yield parent.test, child in parent.body
        elif isinstance(parent, ast.IfExp) and child is not parent.test:
            yield parent.test, child is parent.body
        child = parent
    for node in facts.nodes(ast.Assert):
        if dominates(node, source, facts):
            yield node.test, True


def _said_by(
    test: ast.expr, holds: bool, names: set[str], facts: Facts
) -> Typed | None:
    match test:
        case ast.BoolOp(op=ast.And(), values=values) if holds:
            found = (_said_by(value, True, names, facts) for value in values)
            return next((typed for typed in found if typed is not None), None)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _said_by(operand, not holds, names, facts)
        case ast.Call() if holds and _is_floating_test(test, names):
            return Typed(Sort.FLOAT, f"floating by a test on {facts.place(test)}")
        case ast.Compare(left=left, ops=[op], comparators=compared):
            dtypes = list(_dtypes_compared(left, compared, names))
            kinds = {kind_of_dtype(dtype, facts) for dtype in dtypes}
            if isinstance(op, ast.NotEq | ast.IsNot | ast.NotIn):
                holds = not holds
            return _among(kinds, holds, facts.place(test))
        case _:
            return None


def _among(kinds: set[Sort], is_one: bool, line: str) -> Typed | None:
    """The kind of a tensor whose type is, or is not, among some of these kinds."""
    reason = f"a test of its type on {line}"
    if is_one and len(kinds) == 1:
        kind = next(iter(kinds))
        return None if kind is Sort.UNKNOWN else Typed(kind, reason)
    floats = {Sort.FLOAT, Sort.FLOAT32, Sort.FLOAT64}
    if is_one and kinds and kinds <= floats:
        return Typed(Sort.FLOAT, reason)
    return None


def _is_floating_test(call: ast.Call, names: set[str]) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(attr="is_floating_point", value=value)):
            tested = call.args[0] if call.args else value
            return spelling(tested) in names
        case _:
            return False
