"""How a scope treats the last axis of a tensor: what sizes it, what indexes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .width_lineage import Lineage, Use, operation
from .width_words import dotted_words, names_token_ids

_SELECTIONS = frozenset(("gather", "take_along_dim", "index_select"))
_CHOICES = frozenset(("argmax", "multinomial", "topk", "max"))


def last_axis_sizes(
    lineage: Lineage, facts: Facts
) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """The names that the code gives to the size of the last axis, and where."""
    for use in lineage.uses:
        yield from _named_size(use, facts)
    for node in (*lineage.trail, *lineage.steps):
        yield from _sized_step(node, facts)


def axis_names(lineage: Lineage, facts: Facts) -> tuple[str, ...]:
    """`B, S, V` of the first `B, S, V = x.shape` on the tensor, if any."""
    for use in lineage.uses:
        shape = _shape_read(use, facts)
        target = _target_of(shape, facts) if shape is not None else None
        if isinstance(target, ast.Tuple) and all(
            isinstance(element, ast.Name) for element in target.elts
        ):
            return tuple(dotted_words(element) for element in target.elts)
    return ()


def _shape_read(use: Use, facts: Facts) -> ast.expr | None:
    """`x.shape` or `x.size()` as a whole."""
    consumer = use.consumer
    if not isinstance(consumer, ast.Attribute):
        return None
    if consumer.attr == "shape":
        return consumer
    around = facts.tree.parents.get(consumer)
    if consumer.attr == "size" and isinstance(around, ast.Call) and not around.args:
        return around
    return None


def _named_size(use: Use, facts: Facts) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    shape = _shape_read(use, facts)
    if shape is not None:
        target = _target_of(shape, facts)
        if isinstance(target, ast.Tuple) and target.elts:
            yield dotted_words(target.elts[-1]), facts.tree.statement(target)
    size = _last_size(use, shape, facts)
    if size is None:
        return
    around = facts.tree.parents[size]
    if isinstance(around, ast.Call) and dotted_words(around.func) == "int":
        size, around = around, facts.tree.parents[around]
    match around:
        case ast.Assign(targets=[target]) if around.value is size:
            yield dotted_words(target), around
        case ast.Compare(left=left, comparators=[right]):
            yield dotted_words(right if left is size else left), around
        case _:
            pass


def _last_size(use: Use, shape: ast.expr | None, facts: Facts) -> ast.expr | None:
    """`x.shape[-1]` or `x.size(-1)`."""
    parents = facts.tree.parents
    if shape is not None:
        around = parents.get(shape)
        if isinstance(around, ast.Subscript) and _is_last(around.slice):
            return around
        return None
    consumer = use.consumer
    if isinstance(consumer, ast.Attribute) and consumer.attr == "size":
        call = parents.get(consumer)
        if isinstance(call, ast.Call) and call.args and _is_last(call.args[0]):
            return call
    return None


def _is_last(node: ast.expr) -> bool:
    return ast.unparse(node) in ("-1", "2")


def _target_of(value: ast.expr, facts: Facts) -> ast.expr | None:
    statement = facts.tree.parents.get(value)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.targets[0]
    return None


def _sized_step(
    node: ast.expr, facts: Facts
) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """`x.view(-1, vocab_size)`, `x[..., :vocab_size]`."""
    match node:
        case ast.Call(args=[_, *_]) if operation(node, facts) in (
            "view",
            "reshape",
            "expand",
        ):
            yield dotted_words(node.args[-1]).rpartition(".")[2], node
        case ast.Subscript(slice=ast.Tuple(elts=[*_, ast.Slice(upper=upper)])) if (
            upper is not None
        ):
            yield dotted_words(upper).rpartition(".")[2], node
        case _:
            pass


def read_by_tokens(
    lineage: Lineage, facts: Facts
) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """Reads that pick a column by a token, or choose a token, and where they are."""
    for node in (*lineage.trail, *lineage.steps):
        if isinstance(node, ast.Subscript):
            yield from _subscript(node)
    for use in lineage.uses:
        call = _call_of(use, facts)
        if call is None:
            continue
        done = operation(call, facts)
        if done in _SELECTIONS:
            yield from _picked(call)
        elif done in _CHOICES:
            yield from _chosen(call, done, facts)
        elif done == "cross_entropy":
            yield from _ignoring(call)


def _call_of(use: Use, facts: Facts) -> ast.Call | None:
    consumer: ast.AST | None = use.consumer
    if isinstance(consumer, ast.Attribute):
        consumer = facts.tree.parents.get(consumer)
    return consumer if isinstance(consumer, ast.Call) else None


def _subscript(node: ast.Subscript) -> Iterator[tuple[str, ast.expr]]:
    match node.slice:
        case ast.Tuple(elts=[*before, last]) if before:
            name = _token_name(last)
            if name:
                yield f"indexed by `{name}`", node
            if _picks_last_row([*before, last]):
                yield "its last position is read", node
        case _:
            pass


def _picks_last_row(elements: list[ast.expr]) -> bool:
    """`[:, -1]`, `[:, -1, :]`: one position of a sequence, as in decoding."""
    return (
        len(elements) in (2, 3)
        and isinstance(elements[0], ast.Slice)
        and ast.unparse(elements[1]) in ("-1", "-1:")
        and all(isinstance(e, ast.Slice) for e in elements[2:])
    )


def _token_name(node: ast.expr) -> str | None:
    """The name of token ids in an index such as `labels.unsqueeze(-1)`."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute):
            name = dotted_words(part).rpartition(".")[2]
            if names_token_ids(name):
                return name
    return None


def _picked(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    for argument in (*call.args[1:], *call.args[:1], *(k.value for k in call.keywords)):
        name = _token_name(argument)
        if name:
            yield f"gathered by `{name}`", call
            return


def _chosen(
    call: ast.Call, done: str, facts: Facts
) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    statement = facts.tree.statement(call)
    if not isinstance(statement, ast.Assign):
        return
    for target in statement.targets:
        name = _token_name(target)
        if name:
            yield f"`{done}` gives `{name}`", call


def _ignoring(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    if any(k.arg == "ignore_index" for k in call.keywords):
        yield "`cross_entropy` with `ignore_index`", call
