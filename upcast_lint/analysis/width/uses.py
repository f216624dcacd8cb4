"""How a scope treats the last axis of a tensor: what sizes it, what indexes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ...finding import Evidence
from .. import ops
from ..facts import Facts
from ..ops import Axes, Role
from .lineage import Lineage, Use, operation
from .outcomes import tells_where, tokens_from
from .weights import CHOOSES_TOKEN, READ_BY_TOKENS, SAID_TO_BE_VOCABULARY
from .words import (
    NO_SIZE,
    Size,
    dotted_words,
    is_integer,
    names_sampler,
    size_of,
    speaks_of_vocabulary,
    token_name,
    word_set,
    words,
)

_TOKENS = word_set("token tokens tok toks input")


@dataclass(frozen=True, slots=True)
class AxisSize:
    """`name` is what `node` calls the size of the last axis, `beside` the others;
    `size` is what an expression says of it.
    """

    name: str
    node: ast.expr | ast.stmt
    beside: tuple[str, ...] = ()
    size: Size = NO_SIZE


def last_axis_sizes(lineage: Lineage, facts: Facts) -> Iterator[AxisSize]:
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


def _named_size(use: Use, facts: Facts) -> Iterator[AxisSize]:
    shape = _shape_read(use, facts)
    if shape is not None:
        target = _target_of(shape, facts)
        if isinstance(target, ast.Tuple) and target.elts:
            *beside, last = map(dotted_words, target.elts)
            yield AxisSize(last, facts.tree.statement(target), tuple(beside))
    size = _last_size(use, shape, facts)
    if size is None:
        return
    around = facts.tree.parents[size]
    if isinstance(around, ast.Call) and dotted_words(around.func) == "int":
        size, around = around, facts.tree.parents[around]
    match around:
        case ast.Assign(targets=[target]) if around.value is size:
            yield AxisSize(dotted_words(target), around)
        case ast.Compare(left=left, comparators=[right]):
            other = right if left is size else left
            yield AxisSize(dotted_words(other), around, size=size_of(other))
        case ast.keyword(arg=str(name)):
            yield AxisSize(name, size)
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
    return is_integer(node, -1) or is_integer(node, 2)


def _target_of(value: ast.expr, facts: Facts) -> ast.expr | None:
    statement = facts.tree.parents.get(value)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.targets[0]
    return None


def _sized_step(node: ast.expr, facts: Facts) -> Iterator[AxisSize]:
    """`x.view(-1, vocab_size)`, `x[..., :vocab_size]`."""
    match node:
        case ast.Call(args=[_, *_]) if _is_sized(operation(node, facts)):
            yield _sized_by(node.args[-1], node)
        case ast.Subscript(slice=ast.Tuple(elts=[*_, ast.Slice(upper=upper)])) if (
            upper is not None
        ):
            yield _sized_by(upper, node)
        case _:
            pass


def _sized_by(size: ast.expr, node: ast.expr) -> AxisSize:
    return AxisSize(dotted_words(size).rpartition(".")[2], node, size=size_of(size))


def by_messages(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    """A test of the tensor's size that fails with a word about the vocabulary."""
    for use in lineage.uses:
        consumer = use.consumer
        if isinstance(consumer, ast.Attribute) and consumer.attr in ("shape", "size"):
            statement = facts.tree.statement(consumer)
            if facts.once_at(statement, _complains_of_vocabulary):
                text = f"the message about its size ({facts.place(statement)})"
                yield Evidence(SAID_TO_BE_VOCABULARY, text)


def _complains_of_vocabulary(statement: ast.stmt, _: Facts) -> bool:
    match statement:
        case ast.Assert(msg=ast.expr() as message):
            said: list[ast.AST] = [message]
        case ast.If(body=body):
            said = [each for each in body if isinstance(each, ast.Raise)]
        case _:
            return False
    return any(
        speaks_of_vocabulary(part.value)
        for each in said
        for part in ast.walk(each)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def by_tokens(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    """Reads that pick a column by a token, or choose a token."""
    for node in (*lineage.trail, *lineage.steps):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            yield from _subscript(node, node.slice.elts, facts)
    for use in lineage.uses:
        call = call_of(use, facts)
        if call is None:
            continue
        done = operation(call, facts)
        at = f"({facts.place(call)})"
        if _picks_by_index(done):
            name = facts.once_at(call, _picked_by)
            if name is not None:
                yield Evidence(READ_BY_TOKENS, f"gathered by `{name}` {at}")
        elif tells_where(done):
            told = facts.once_at(call, tokens_from)
            if told is not None:
                yield Evidence(CHOOSES_TOKEN, f"`{done}` of it is {told} {at}")
        elif done == "cross_entropy" and any(
            keyword.arg == "ignore_index" for keyword in call.keywords
        ):
            yield Evidence(READ_BY_TOKENS, f"`cross_entropy` with `ignore_index` {at}")
        elif names_sampler(dotted_words(call.func)):
            told = facts.once_at(call, tokens_from)
            if told is not None:
                name = dotted_words(call.func)
                yield Evidence(CHOOSES_TOKEN, f"`{name}` of it is {told} {at}")


def _picks_by_index(name: str | None) -> bool:
    """Whether an operation takes elements along a dimension by an index."""
    known = ops.tensor(name or "")
    return known is not None and known.role is Role.PICK and known.takes_dimension


def selections(lineage: Lineage, facts: Facts) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The gathers from the tensor, each with its arguments other than itself."""
    for use in lineage.uses:
        call = call_of(use, facts)
        if call is not None and _picks_by_index(operation(call, facts)):
            for argument in (*call.args, *(k.value for k in call.keywords)):
                if argument is not use.tensor:
                    yield call, argument


def table_lookup(lineage: Lineage, facts: Facts) -> tuple[str, ast.Call] | None:
    """`F.embedding(input_ids, table)`: the token ids and the call, if there is one."""
    for use in lineage.uses:
        call = call_of(use, facts)
        if call is None or operation(call, facts) != "embedding":
            continue
        for argument in (*call.args, *(k.value for k in call.keywords)):
            name = token_name(argument) if argument is not use.tensor else None
            if name is not None and not _TOKENS.isdisjoint(words(name)):
                return name, call
    return None


def call_of(use: Use, facts: Facts) -> ast.Call | None:
    """The call that takes the tensor, as an argument or as what a method is of."""
    consumer: ast.AST | None = use.consumer
    if isinstance(consumer, ast.Attribute | ast.keyword):
        consumer = facts.tree.parents.get(consumer)
    return consumer if isinstance(consumer, ast.Call) else None


def assigned_names(statement: ast.stmt, _: Facts) -> list[str]:
    """The names that a statement assigns, walruses in it included."""
    targets: list[ast.AST] = []
    if isinstance(statement, ast.Assign):
        targets += statement.targets
    targets += [n.target for n in ast.walk(statement) if isinstance(n, ast.NamedExpr)]
    return [
        part.id
        for target in targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name)
    ]


def _subscript(
    node: ast.Subscript, elements: list[ast.expr], facts: Facts
) -> Iterator[Evidence]:
    name = token_name(elements[-1])
    if name:
        yield Evidence(READ_BY_TOKENS, f"indexed by `{name}` ({facts.place(node)})")
    if _picks_last_row(elements):
        yield Evidence(
            READ_BY_TOKENS, f"its last position is read ({facts.place(node)})"
        )


def _picks_last_row(elements: list[ast.expr]) -> bool:
    """`[:, -1]`, `[0, -1, :]`, `[..., -1, :]`: one position, as in decoding."""
    match elements:
        case [first, row, ast.Slice()]:
            return _is_last_row(row) and isinstance(first, ast.Slice | ast.Constant)
        case [ast.Slice(), row]:
            return _is_last_row(row)
        case _:
            return False


def _is_last_row(node: ast.expr) -> bool:
    """`-1` or `-1:`."""
    if isinstance(node, ast.Slice):
        return node.upper is None and is_integer(node.lower, -1)
    return is_integer(node, -1)


def _picked_by(call: ast.Call, _: Facts) -> str | None:
    arguments = (*call.args[1:], *call.args[:1], *(k.value for k in call.keywords))
    names = (token_name(argument) for argument in arguments)
    return next((name for name in names if name is not None), None)


def _is_sized(name: str | None) -> bool:
    """Whether an operation is given the sizes of its result."""
    known = ops.tensor(name or "")
    return known is not None and known.axes in (Axes.SIZES, Axes.EXPAND)
