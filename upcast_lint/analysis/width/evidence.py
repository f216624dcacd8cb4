"""What speaks for a vocabulary along the last axis of a source, and what against."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ...finding import Evidence
from .. import ops
from ..classes import class_around
from ..facts import Facts
from ..names import Binding
from ..ops import Axes, Gives, Operation, Role
from .context import by_context, transcribes
from .lineage import Lineage, is_step, keeps_columns, operation, torch_name, trace
from .makers import Made, class_of, made_as, made_by
from .outcomes import tells_where
from .shapes import (
    WrittenShape,
    documented,
    documented_names,
    is_batch_and_sequence,
    written_shapes,
)
from .uses import (
    assigned_names,
    by_messages,
    by_tokens,
    call_of,
    last_axis_sizes,
    selections,
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
    MADE_OF_A_THOUSAND,
    MADE_WIDE,
    MULTIPLIED_BY_MANY,
    NAMED_FOR_SYMBOLS,
    NAMED_FOR_TOKENS,
    NAMED_LOGITS,
    NAMED_OTHERWISE,
    NAMED_SCORES,
    NARROWED,
    SAID_TO_BE_VOCABULARY,
    SHARES_AXIS,
    SIZED_OTHERWISE,
    TRANSCRIBES,
    WRITTEN_OTHERWISE,
)
from .words import (
    CERTAIN,
    THOUSAND,
    Size,
    dotted_words,
    holds_many,
    is_integer,
    names_embedding_table,
    names_language_head,
    names_log_probs,
    names_logits,
    names_many,
    names_other_size,
    names_posteriors,
    names_scores,
    names_token_logits,
    other_axis,
    speaks_of_vocabulary,
    spoken,
    word_set,
    words,
)


def gather_evidence(
    source: ast.expr, lineage: Lineage, facts: Facts, siblings: bool = True
) -> list[Evidence]:
    """All evidence on a source, each kind once, in a fixed order.

    `siblings` are tensors that have their last axis in common with it.
    """
    tables = [*_by_table(lineage, facts), *_by_lookup(lineage, facts)]
    if tables:
        return [*_best(tables), *_against(_by_name(lineage, facts))]
    kinds: list[Iterable[Evidence]] = [
        _by_origin(lineage, facts),
        _by_size(lineage, facts),
        _by_shape(_shapes(source, lineage, facts)),
        by_messages(lineage, facts),
        _by_docstring(lineage, facts),
        _by_softmax(lineage, facts),
        by_tokens(lineage, facts),
        _by_transcription(lineage, facts),
        _by_last_axis(lineage, facts),
        _by_target(lineage, facts),
    ]
    if siblings:
        kinds.append(_by_sibling(lineage, facts))
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

    for definition in lineage.definitions:
        if definition.binding is Binding.ASSIGNED:
            for piece in _name_for(definition.name):
                if piece.weight >= NAMED_LOGITS:
                    yield piece
            axis = other_axis(definition.name)
            if axis is not None:
                text = f"becomes `{definition.name}`, which speaks of {axis}"
                yield Evidence(NAMED_OTHERWISE, text)


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
    if names_posteriors(last):
        yield Evidence(NAMED_FOR_SYMBOLS, f"named `{last}`")
    elif names_token_logits(last):
        yield Evidence(NAMED_FOR_TOKENS, f"named `{last}`")
    elif names_logits(last):
        text = "named logits" if last == "logits" else f"named `{last}`"
        yield Evidence(NAMED_LOGITS, text)
    elif names_log_probs(last) or names_scores(last):
        yield Evidence(NAMED_SCORES, f"named `{last}`")


# Origins


def _by_table(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    for node in lineage.trail:
        dotted = _called(node, facts)
        if names_embedding_table(dotted) or _is_made_wide(dotted, node, facts):
            yield Evidence(EMBEDDING_TABLE, f"embedding weights `{dotted}`")


def _is_made_wide(dotted: str, node: ast.expr, facts: Facts) -> bool:
    """Whether it is the weight of a module that the file makes for a vocabulary."""
    if not dotted.endswith(".weight"):
        return False
    made = _module(dotted.removesuffix(".weight"), node, facts)
    return made is not None and made.size.is_many


def _module(dotted: str, node: ast.expr, facts: Facts) -> Made | None:
    """What the file makes the module with that is called so."""
    holder = class_around(facts.scope, facts.tree)
    rows = (0, 0)
    if holder is not None:
        rows = (holder.lineno, holder.end_lineno or holder.lineno)
    name = dotted.rpartition(".")[2]
    if isinstance(node, ast.Name) or "." not in dotted:
        return None
    return made_as(name, *rows, facts.source.whole)


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
    elif (made := _called_module(call, dotted, facts)) is not None:
        weight = _weight_of_number(made.size) or 0
        if weight:
            text = f"result of `{dotted}` {line}, made with `{made.text}`"
            yield Evidence(weight, f"{text} ({facts.source.line_name(made.row)})")
    elif "_from_logits_" in spoken(dotted) or "_selective_" in spoken(dotted):
        yield Evidence(NARROWED, f"result of `{dotted}` {line}, one number a token")


def _called_module(call: ast.Call, dotted: str, facts: Facts) -> Made | None:
    """The layer that a call applies; a table returns what it holds, not its rows."""
    function = facts.value(call.func)
    if isinstance(function, ast.Call):
        made = made_by(dotted, class_of(function), function, function.lineno)
    else:
        made = _module(dotted, call.func, facts)
    return None if made is None or made.is_table else made


def _weight_of_number(size: Size) -> int:
    """What a size weighs that a module is made with, or a tensor is viewed by."""
    if size.is_other:
        return SIZED_OTHERWISE
    if size.is_many:
        return MADE_WIDE
    if size.number is None or size.number < 2:
        return 0
    if size.number < THOUSAND:
        return SIZED_OTHERWISE
    return MADE_WIDE if size.number >= CERTAIN else MADE_OF_A_THOUSAND


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
            if _is_made_wide(dotted, part, facts) or holds_many(dotted):
                text = f"product with `{dotted}` ({facts.place(at)})"
                yield Evidence(MULTIPLIED_BY_MANY, text)
                return


_SUFFIX = re.compile(r"(?:\.(?:dtype|device|t|T|mT|data|to|float))+\Z")


# Sizes and shapes


def _by_size(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    for size in last_axis_sizes(lineage, facts):
        text = f"`{_line_of(size.node, facts)}` ({facts.place(size.node)})"
        if names_many(size.name):
            weight = _weight_of_size(size.name, size.beside)
        elif size.size.is_many:
            weight = CALLED_VOCABULARY
        elif names_other_size(size.name):
            weight = 0 if facts.once(transcribes) else SIZED_OTHERWISE
        else:
            weight = max(_weight_of_number(size.size), 0)
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
    return written_shapes(lineage.definitions, source, facts)


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


def _by_docstring(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    """`logits: unnormalised scores over the vocabulary`."""
    for name in documented_names(lineage.definitions, facts):
        for line in documented(name, facts):
            if speaks_of_vocabulary(line) and other_axis(name) is None:
                text = f"what the docstring says of `{name}`"
                yield Evidence(SAID_TO_BE_VOCABULARY, text)


# Uses


def _by_transcription(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    called = [_called(node, facts).rpartition(".")[2] for node in lineage.trail]
    if any(names_log_probs(last) or names_logits(last) for last in called):
        told = facts.once(transcribes)
        if told is not None:
            yield Evidence(TRANSCRIBES, told)


def _by_sibling(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    """`student.gather(-1, teacher.topk(k).indices)`: judged by the teacher."""
    for call, index in selections(lineage, facts):
        chosen_of = _chosen_of(index, facts)
        if chosen_of is None:
            continue
        sibling = trace(chosen_of, facts)
        if any(node in sibling.trail for node in lineage.trail[:1]):
            continue
        pieces = gather_evidence(chosen_of, sibling, facts, siblings=False)
        if sum(piece.weight for piece in pieces) >= ENOUGH:
            text = f"gathered by the `topk` of `{facts.shown(chosen_of)}`"
            yield Evidence(SHARES_AXIS, f"{text} ({facts.place(call)})")


def _chosen_of(index: ast.expr, facts: Facts) -> ast.expr | None:
    """The tensor of which an index is what `topk` or `argmax` found."""
    node = index
    if isinstance(node, ast.Name):
        definition = facts.names.only(node)
        if definition is None or definition.value is None:
            return None
        node = definition.value
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if not isinstance(node, ast.Call):
        return None
    if not tells_where(operation(node, facts)):
        return None
    if torch_name(node, facts) is not None:
        return node.args[0] if node.args else None
    return node.func.value if isinstance(node.func, ast.Attribute) else None


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
            case ast.Call(args=[size]) if operation(node, facts) in (
                "view",
                "reshape",
            ) and is_integer(size, -1):
                yield Evidence(NARROWED, f"all in one axis ({facts.place(node)})")
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
