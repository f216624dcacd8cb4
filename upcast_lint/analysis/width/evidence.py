"""What speaks for a vocabulary along the last axis of a source, and what against."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from .. import ops
from ..facts import Facts
from ..names import Binding
from ..ops import Axes, Gives, Operation, Role
from .context import by_context
from .lineage import Lineage, is_step, keeps_columns, operation, torch_name
from .shapes import WrittenShape, is_batch_and_sequence, written_shapes
from .uses import (
    assigned_names,
    by_tokens,
    call_of,
    last_axis_sizes,
    table_lookup,
)
from .weights import (
    CALLED_V,
    CALLED_V_ALONE,
    CALLED_VOCABULARY,
    EMBEDDING_TABLE,
    ENOUGH,
    LANGUAGE_HEAD,
    LIKELIHOOD,
    NAMED_FOR_TOKENS,
    NAMED_LOGITS,
    NAMED_OTHERWISE,
    NAMED_SCORES,
    NARROWED,
    SIZED_OTHERWISE,
    WRITTEN_OTHERWISE,
    Evidence,
)
from .words import (
    dotted_words,
    is_integer,
    names_embedding_table,
    names_language_head,
    names_log_probs,
    names_logits,
    names_other_size,
    names_scores,
    names_vocabulary,
    other_axis,
    spoken,
    word_set,
    words,
)


def gather_evidence(source: ast.expr, lineage: Lineage, facts: Facts) -> list[Evidence]:
    """All evidence on a source, each kind once, in a fixed order."""
    tables = [*_by_table(lineage, facts), *_by_lookup(lineage, facts)]
    if tables:
        return [*_best(tables), *_against(_by_name(lineage, facts))]
    kinds: list[Iterable[Evidence]] = [
        _by_origin(lineage, facts),
        _by_size(lineage, facts),
        _by_shape(_shapes(source, lineage, facts)),
        _by_softmax(lineage, facts),
        by_tokens(lineage, facts),
        _by_last_axis(lineage, facts),
        _by_target(lineage, facts),
    ]
    named = _best(_by_name(lineage, facts))
    found = [*named, *(piece for kind in kinds for piece in _best(kind))]
    has_ground = any(piece.weight >= NAMED_LOGITS for piece in named) or any(
        piece.weight >= ENOUGH for piece in found
    )
    if not has_ground and sum(piece.weight for piece in found) < ENOUGH:
        return found  # what stands around can only speak against it
    for piece in _best(facts.once(by_context)):
        if has_ground or piece.weight < 0:
            found.append(piece)
    return found


def _against(evidence: Iterable[Evidence]) -> list[Evidence]:
    return [piece for piece in _best(evidence) if piece.weight < 0]


def _best(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The strongest for and the strongest against: ten mentions are one reason."""
    best: dict[bool, Evidence] = {}
    for piece in evidence:
        side = piece.weight > 0
        if side not in best or abs(piece.weight) > abs(best[side].weight):
            best[side] = piece
    return [best[side] for side in (True, False) if side in best]


# Names


def _by_name(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    for node in lineage.trail:
        dotted = _called(node, facts)
        if not dotted:
            continue
        yield from _name_for(dotted)
        axis = other_axis(dotted)
        if axis is not None:
            yield Evidence(NAMED_OTHERWISE, f"`{dotted}` speaks of {axis}")


def _called(node: ast.expr, facts: Facts) -> str:
    """What a leaf of the trail is called; functions of torch say nothing."""
    match node:
        case ast.Name() | ast.Attribute():
            return "" if facts.resolve(node) is not None else dotted_words(node)
        case ast.Subscript(slice=ast.Constant(value=str())):
            return dotted_words(node)
        case ast.Call(func=func) if not _is_operation(operation(node, facts)):
            return "" if torch_name(node, facts) is not None else dotted_words(func)
        case _:
            return ""


def _is_operation(name: str | None) -> bool:
    """Whether a method does something with a tensor, rather than make one."""
    known = ops.tensor(name or "")
    return known is not None and (is_step(known) or _narrows(known))


def _name_for(dotted: str) -> Iterator[Evidence]:
    last = dotted.rpartition(".")[2]
    if names_logits(last) and (
        names_vocabulary(last) or _SPECIFIC.intersection(words(last))
    ):
        yield Evidence(NAMED_FOR_TOKENS, f"named `{last}`")
    elif names_logits(last):
        text = "named logits" if last == "logits" else f"named `{last}`"
        yield Evidence(NAMED_LOGITS, text)
    elif names_log_probs(last) or names_scores(last):
        yield Evidence(NAMED_SCORES, f"named `{last}`")


_SPECIFIC = frozenset(("token", "lm", "vocab"))


# Origins


def _by_table(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    for node in lineage.trail:
        dotted = _called(node, facts)
        if names_embedding_table(dotted):
            yield Evidence(EMBEDDING_TABLE, f"embedding weights `{dotted}`")


def _by_origin(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    origins: list[ast.expr] = list(lineage.trail)
    origins += [
        d.value
        for d in lineage.definitions
        if d.binding is Binding.UNPACKED and d.value is not None
    ]
    for node in origins:
        match node:
            case ast.Call():
                yield from _made_by(node, facts)
            case ast.BinOp(op=ast.MatMult(), left=left, right=right):
                yield from _multiplied((left, right), node, facts)
            case _:
                pass


def _by_lookup(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    found = table_lookup(lineage, facts)
    if found is not None:
        text = f"a table looked up by `{found[0]}` ({facts.place(found[1])})"
        yield Evidence(EMBEDDING_TABLE, text)


def _made_by(call: ast.Call, facts: Facts) -> Iterator[Evidence]:
    done = operation(call, facts)
    dotted = dotted_words(call.func)
    line = f"({facts.place(call)})"
    known = ops.tensor(done or "")
    if known is not None and _narrows(known):
        yield Evidence(NARROWED, f"result of `{done}` {line}")
    elif known is not None and known.role is Role.PRODUCT:
        yield from _multiplied(call.args, call, facts)
    elif names_language_head(dotted):
        yield Evidence(LANGUAGE_HEAD, f"result of `{dotted}` {line}")
    elif "_from_logits_" in spoken(dotted) or "_selective_" in spoken(dotted):
        yield Evidence(NARROWED, f"result of `{dotted}` {line}, one number a token")


def _narrows(operation: Operation) -> bool:
    """Whether little is left of the last axis, or a number."""
    if operation.role is Role.PICK:
        return operation.axes in (Axes.INDEX, Axes.ALONG)
    if operation.role is Role.ORDER:
        return operation.chooses or (
            operation.axes is Axes.REDUCE and operation.gives is not Gives.BOOL
        )
    return operation.role is Role.LOSS or (
        operation.role is Role.ROW and operation.axes is not Axes.SAME
    )


def _multiplied(
    operands: Iterable[ast.expr], at: ast.expr, facts: Facts
) -> Iterator[Evidence]:
    for operand in operands:
        for part in ast.walk(operand):
            if not isinstance(part, ast.Name | ast.Attribute):
                continue
            dotted = _SUFFIX.sub("", dotted_words(part))
            if names_language_head(dotted) or names_embedding_table(dotted):
                yield Evidence(
                    LANGUAGE_HEAD, f"product with `{dotted}` ({facts.place(at)})"
                )
                return


_SUFFIX = re.compile(r"(?:\.(?:dtype|device|t|T|mT|data|to|float))+\Z")


# Sizes and shapes


def _by_size(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    for size in last_axis_sizes(lineage, facts):
        text = f"`{_line_of(size.node, facts)}` ({facts.place(size.node)})"
        if names_other_size(size.name):
            yield Evidence(SIZED_OTHERWISE, text)
        elif names_vocabulary(size.name):
            weight = _weight_of_size(size.name, size.beside)
            if weight:
                yield Evidence(weight, text)


def _weight_of_size(name: str, beside: tuple[str, ...]) -> int:
    """`vocab_size` is plain; the letter V needs batch and sequence beside it."""
    if name.upper() != "V":
        return CALLED_VOCABULARY
    if not beside:
        return CALLED_V_ALONE
    return CALLED_V if is_batch_and_sequence(beside) else 0


def _line_of(node: ast.expr | ast.stmt, facts: Facts) -> str:
    text = " ".join(facts.text(node).split())
    return text if len(text) <= 60 else f"{text[:57]}…"


def _shapes(source: ast.expr, lineage: Lineage, facts: Facts) -> Iterator[WrittenShape]:
    names = list(dict.fromkeys(d.name for d in lineage.definitions))
    return written_shapes(names, lineage.definitions, source, facts)


def _by_shape(shapes: Iterable[WrittenShape]) -> Iterator[Evidence]:
    found = list(shapes)
    for shape in found:
        if shape.ends_in_vocabulary:
            weight = _weight_of_size(shape.last, shape.dimensions[:-1])
            if weight:
                yield Evidence(weight, f"{shape.text} {shape.where}")
            return
    for shape in found:
        yield Evidence(WRITTEN_OTHERWISE, f"{shape.text} {shape.where}")


# Uses


def _by_softmax(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    for node in (*lineage.trail, *lineage.steps):
        if isinstance(node, ast.Call) and operation(node, facts) == "log_softmax":
            yield Evidence(LIKELIHOOD, f"`log_softmax` of it ({facts.place(node)})")
    for use in lineage.uses:
        call = call_of(use, facts)
        if call is None or isinstance(use.consumer, ast.Attribute):
            continue
        name = dotted_words(call.func)
        if names_log_probs(name.rpartition(".")[2]):
            yield Evidence(LIKELIHOOD, f"given to `{name}` ({facts.place(call)})")


def _by_last_axis(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    """A last axis of size one, or one column of it, holds no vocabulary."""
    for node in (*lineage.trail, *lineage.steps):
        match node:
            case ast.Call(args=[size]) if operation(
                node, facts
            ) == "squeeze" and is_integer(size, -1):
                yield Evidence(NARROWED, f"`squeeze(-1)` of it ({facts.place(node)})")
            case _:
                pass
    for node in lineage.trail:
        if keeps_columns(node):
            yield Evidence(NARROWED, f"some columns of it ({facts.place(node)})")


def _by_target(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    """`rewards = model(…).logits.float()`: the code says what it made of it."""
    names = [d.name for d in lineage.definitions if d.binding is Binding.ASSIGNED]
    for use in lineage.uses:
        if call_of(use, facts) is not None:
            statement = facts.tree.statement(use.tensor)
            names += facts.once_at(statement, assigned_names)
    for name in names:
        if not _REWARDS.isdisjoint(words(name)):
            yield Evidence(NAMED_OTHERWISE, f"becomes `{name}`")


_REWARDS = word_set("reward rewards rm critic")
