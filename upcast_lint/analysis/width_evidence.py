"""What speaks for a vocabulary along the last axis of a source, and what against."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .facts import Facts
from .names import Binding
from .syntax import FUNCTIONS, parameters, walk_scope
from .width_lineage import Lineage, operation, torch_name
from .width_shapes import WrittenShape, written_shapes
from .width_uses import last_axis_sizes, read_by_tokens
from .width_words import (
    LANGUAGE_HEADS,
    dotted_words,
    identifiers,
    names_embedding_table,
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


@dataclass(frozen=True, slots=True)
class Evidence:
    weight: int
    text: str


def gather_evidence(source: ast.expr, lineage: Lineage, facts: Facts) -> list[Evidence]:
    """All evidence on a source, each kind once, in a fixed order."""
    named = _best(_by_name(lineage, facts))
    kinds: list[Iterable[Evidence]] = [
        named,
        _best(_by_origin(lineage, facts)),
        _best(_by_size(lineage, facts)),
        _best(_by_shape(_shapes(source, lineage, facts))),
        _best(_by_softmax(lineage, facts)),
        _best(_by_tokens(lineage, facts)),
        _best(_by_last_axis(lineage, facts)),
        _best(_by_context(facts)),
    ]
    return [piece for kind in kinds for piece in kind]


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
            # More than a name and its best support together weigh: routers are
            # called with token ids and sliced by token, like everything else.
            yield Evidence(-4, f"`{dotted}` speaks of {axis}")


def _called(node: ast.expr, facts: Facts) -> str:
    """What a leaf of the trail is called; functions of torch say nothing."""
    match node:
        case ast.Name() | ast.Attribute():
            return "" if facts.resolve(node) is not None else dotted_words(node)
        case ast.Subscript(slice=ast.Constant(value=str())):
            return dotted_words(node)
        case ast.Call(func=func) if operation(node, facts) is None or not (
            isinstance(func, ast.Attribute)
        ):
            return "" if torch_name(node, facts) is not None else dotted_words(func)
        case _:
            return ""


def _name_for(dotted: str) -> Iterator[Evidence]:
    last = dotted.rpartition(".")[2]
    if names_embedding_table(dotted):
        # The tables of the input and of the output have a row for each token.
        yield Evidence(3, f"embedding weights `{dotted}`")
    elif names_logits(last) and (
        names_vocabulary(last) or _SPECIFIC.intersection(words(last))
    ):
        # The name says both what it is and along which axis.
        yield Evidence(3, f"named `{last}`")
    elif names_logits(last):
        # Every classifier has logits too.
        yield Evidence(2, "named logits" if last == "logits" else f"named `{last}`")
    elif names_log_probs(last) or names_scores(last):
        # As often one number a token, gathered already.
        yield Evidence(1, f"named `{last}`")


_SPECIFIC = frozenset(("token", "lm", "vocab"))


# Origins

_NARROWING = word_set(
    """
    gather take take_along_dim index_select topk max min amax amin sum mean prod
    logsumexp argmax argmin norm cross_entropy nll_loss multinomial kthvalue var
    std
    """
)


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
                yield from _multiplied((left, right), node)
            case _:
                pass


def _made_by(call: ast.Call, facts: Facts) -> Iterator[Evidence]:
    done = operation(call, facts)
    dotted = dotted_words(call.func)
    line = f"(line {call.lineno})"
    if done in _NARROWING:
        yield Evidence(-4, f"result of `{done}` {line}")
    elif done in ("linear", "matmul", "mm", "einsum", "addmm"):
        yield from _multiplied(call.args, call)
    elif _is_language_head(dotted):
        # What a head of the language model returns is a score for each token.
        yield Evidence(3, f"result of `{dotted}` {line}")
    elif "_from_logits_" in spoken(dotted) or "_selective_" in spoken(dotted):
        yield Evidence(-3, f"result of `{dotted}` {line}, one number a token")


def _is_language_head(dotted: str) -> bool:
    said = spoken(dotted)
    return any(f"_{head}_" in said for head in LANGUAGE_HEADS)


def _multiplied(operands: Iterable[ast.expr], at: ast.expr) -> Iterator[Evidence]:
    for operand in operands:
        for part in ast.walk(operand):
            if not isinstance(part, ast.Name | ast.Attribute):
                continue
            dotted = _SUFFIX.sub("", dotted_words(part))
            if _is_language_head(dotted) or names_embedding_table(dotted):
                yield Evidence(3, f"product with `{dotted}` (line {at.lineno})")
                return


_SUFFIX = re.compile(r"(?:\.(?:dtype|device|t|T|mT|data|to|float))+\Z")


# Sizes and shapes


def _by_size(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    for name, node in last_axis_sizes(lineage, facts):
        text = f"`{_line_of(node, facts)}` (line {node.lineno})"
        if names_vocabulary(name):
            # The code itself calls the last axis the vocabulary.
            yield Evidence(3, text)
        elif names_other_size(name) or other_axis(name) is not None:
            yield Evidence(-4, text)


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
            yield Evidence(3, f"{shape.text} {shape.where}")
            return
    for shape in found:
        # Comments may be about something else on the line, so less than a name.
        yield Evidence(-3, f"{shape.text} {shape.where}")


# Uses


def _by_softmax(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    for node in (*lineage.trail, *lineage.steps):
        # A plain softmax is any scorer's; the logarithm is for likelihoods.
        if isinstance(node, ast.Call) and operation(node, facts) == "log_softmax":
            yield Evidence(1, f"`log_softmax` of it (line {node.lineno})")


def _by_tokens(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    for text, node in read_by_tokens(lineage, facts):
        yield Evidence(1, f"{text} (line {node.lineno})")


def _by_last_axis(lineage: Lineage, facts: Facts) -> Iterator[Evidence]:
    """A last axis of size one, or one column of it, holds no vocabulary."""
    for node in (*lineage.trail, *lineage.steps):
        match node:
            case ast.Call(args=[size]) if operation(
                node, facts
            ) == "squeeze" and _is_minus_one(size):
                yield Evidence(-4, f"`squeeze(-1)` of it (line {node.lineno})")
            case _:
                pass
    for node in lineage.trail:
        match node:
            case ast.Subscript(slice=ast.Tuple(elts=[*before, last])) if (
                len(before) >= 2 or any(_is_ellipsis(b) for b in before)
            ) and _is_integer(last):
                yield Evidence(-4, f"one column of it (line {node.lineno})")
            case _:
                pass


def _is_minus_one(node: ast.expr) -> bool:
    return ast.unparse(node) == "-1"


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _is_integer(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


# Context

_LANGUAGE = word_set(
    """
    causal lm generate generation greedy beam decode decoding distill
    distillation perplexity ppl logprob logprobs logps tokens vocab sampling
    speculative
    """
)
_TOKEN_WORDS = word_set(
    """
    input_ids token_ids tokenizer next_tokens next_token completion_ids
    """
)
_LANGUAGE_MODELS = (
    "_for_causal_lm_",
    "_for_conditional_generation_",
    "_lm_head",
    "_for_masked_lm_",
    "_language_model",
)
_OTHER_PATHS = (
    "image_processing",
    "video_processing",
    "image_processor",
    "classification",
    "reward_model",
    "router",
    "segmentation",
    "detection",
    "/moe/",
)
_OTHER_HOLDERS = (
    "sequence_classification",
    "token_classification",
    "image_classification",
    "audio_classification",
    "frame_classification",
    "video_classification",
    "question_answering",
    "multiple_choice",
    "next_sentence",
    "segmentation",
    "object_detection",
    "depth_estimation",
    "detr",
    "router",
    "gate",
    "gating",
    "experts",
    "reward",
    "critic",
    "value_head",
    "image_processor",
    "video_processor",
    "classifier",
    "x_vector",
    "mask_decoder",
)


def _by_context(facts: Facts) -> Iterator[Evidence]:
    holders = list(_holders(facts))
    yield from _language_context(holders, facts)
    said = [(name, spoken(name)) for name in holders]
    if any(model in s for _, s in said for model in _LANGUAGE_MODELS):
        return
    for name, s in said:
        if any(f"_{other}_" in s for other in _OTHER_HOLDERS):
            # Enough to undo a name with one support, not a statement of fact.
            yield Evidence(-3, f"in `{name}`")
    for path in _OTHER_PATHS:
        if path in facts.source.path.lower():
            yield Evidence(-3, "the path of the file")


def _holders(facts: Facts) -> Iterator[str]:
    """The names of the functions and classes around, innermost first."""
    for node in (facts.scope, *facts.tree.ancestors(facts.scope)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def _language_context(holders: list[str], facts: Facts) -> Iterator[Evidence]:
    """One point at most: it bears a name out, and proves nothing by itself."""
    found: set[str] = set()
    for scope in (facts.scope, *facts.tree.ancestors(facts.scope)):
        if isinstance(scope, FUNCTIONS):
            found |= identifiers(walk_scope(scope))
            found |= {parameter.arg for parameter in parameters(scope)}
    vocabulary = sorted(name for name in found if names_vocabulary(name))
    if vocabulary:
        yield Evidence(1, f"`{vocabulary[0]}` in the function")
    for name in sorted(found):
        if any(f"_{word}_" in spoken(name) for word in _TOKEN_WORDS):
            yield Evidence(1, f"`{name}` in the function")
    for name in holders:
        if not _LANGUAGE.isdisjoint(words(name)):
            yield Evidence(1, f"in `{name}`")
    for name in sorted(found):
        if names_other_size(name):
            # Models with experts name both, so half of what a name weighs.
            yield Evidence(-2, f"`{name}` in the function")
