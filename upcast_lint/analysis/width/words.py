"""What identifiers say: the words of a name, and which things words speak of.

A name is read as words: `lastTokenLogits`, `last_token_logits` and `lm_head.weight`
alike. Words say what a tensor is for, so they are evidence and never proof.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def word_set(text: str) -> frozenset[str]:
    """The words of a block of text, for tables that people edit."""
    return frozenset(text.split())


LOG_PROBS = frozenset(("logprob", "logprobs", "logp", "logps", "lprobs"))
SCORES = frozenset(("score", "scores", "prob", "probs", "probabilities"))
LANGUAGE_HEADS = word_set(
    """
    lm_head embed_out output_layer unembed unembedding output_projection
    compute_logits get_logits logits_processor language_model_head head_lm
    vocab_proj token_head decoder_head lm_logits get_output_embeddings
    vocab_head vocab_projection ctc_lo ctc_head ctc_proj ctc_projection ctc_output
    joiner joint_net joint_network joint_step
    """
)
"""Modules and methods that map hidden states onto the vocabulary, those of speech
recognition included: the joint network of a transducer, the projection of CTC."""

LANGUAGE = word_set(
    """
    causal lm generate generation greedy beam decode decoding distill distillation
    perplexity ppl logprob logprobs logps token tokens toks vocab sample sampler
    sampling speculative kd kl kld jsd
    """
)
"""Words in the names of functions and classes that work on a vocabulary."""

POSTERIORS = word_set("ctc rnnt transducer posterior posteriors lattice")
"""Words that make scores a distribution over the symbols of a transcript."""

_NO_LOGITS = word_set(
    """
    scale bias length lengths len mask idx index indices ids shape cap softcap
    softcapping processor dtype device size fn func kwargs grad weight
    """
)
"""Last words by which `logit_scale` and the like are something else."""

_REDUCED = word_set("min max mean sum lse")
"""`max_logits` has one number a row."""

OTHER_AXES = {
    "experts": """
        router routers routing gate gates gating expert experts moe mor sinkhorn
    """,
    "scores, not tokens": """
        reward rewards rm critic advantage advantages v_head value_head value_logits
        value_preds state_values old_values
    """,
    "classes": """
        cls class classes classifier classification label_logits num_labels sop nsp
        segmentation seg semantic panoptic instance detection detr detect bbox boxes
        box iou anchor objectness object depth matting contrastive quality
    """,
    "similarities": """
        similarity sim per_image per_text image clip siglip retrieval
    """,
    "attention scores": """
        attn attention qk attentions indexer index_logits index_scores
    """,
    "noise": """
        noise latents timestep timesteps sigmas velocity flow_pred
    """,
    "positions": """
        start end span answer_start
    """,
    "a mask": """
        mask masks eos_logits stop
    """,
    "other modalities": """
        speaker duration pitch pixel pixels voxel grid_logits audio_class frame
    """,
    "quantisation parameters": """
        absmax amax scale scales zero zeros qweight
    """,
    "a kept few": """
        topk top_k topn top_n kept_logits
    """,
}
"""What the last axis of a tensor is instead, by words that name it."""


@lru_cache(4096)
def words(identifier: str) -> tuple[str, ...]:
    """The words of an identifier or dotted name, in lower case."""
    return tuple(word.lower() for word in _WORD.findall(identifier))


@lru_cache(4096)
def spoken(identifier: str) -> str:
    """The words joined by underscores, with one before and one after."""
    return f"_{'_'.join(words(identifier))}_"


def _table() -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(
        (axis, tuple(f"_{name}_" for name in names.split()))
        for axis, names in OTHER_AXES.items()
    )


_OTHER = _table()


@lru_cache(4096)
def other_axis(identifier: str) -> str | None:
    """What the words say the last axis is, if something else than a vocabulary."""
    said = spoken(identifier)
    for axis, names in _OTHER:
        if any(name in said for name in names):
            return axis
    return None


def names_logits(identifier: str) -> bool:
    said = words(identifier)
    return (
        any(word in ("logit", "logits") for word in said)
        and said[-1] not in _NO_LOGITS
        and _REDUCED.isdisjoint(said)
    )


def names_posteriors(identifier: str) -> bool:
    """`ctc_log_probs`, `rnnt_logits`, `joint_out`: one score for each symbol."""
    said = words(identifier)
    if not said or said[-1] in _NO_LOGITS:
        return False
    if said[0] == "joint" and said[-1] in ("out", "output", "outputs", "logits"):
        return True
    return not POSTERIORS.isdisjoint(said) and (
        names_logits(identifier)
        or names_scores(identifier)
        or names_log_probs(identifier)
    )


def names_log_probs(identifier: str) -> bool:
    said = words(identifier)
    if not said or said[-1] in _NO_LOGITS:
        return False
    joined = spoken(identifier)
    return (
        not LOG_PROBS.isdisjoint(said)
        or "_log_prob" in joined
        or "_log_softmax_" in joined
    )


def names_scores(identifier: str) -> bool:
    said = words(identifier)
    return bool(said) and said[-1] in SCORES


_VOCAB_WORDS = frozenset(("vocab", "vocabulary", "nvocab", "vocabsize"))
_VOCAB_LETTERS = re.compile(
    r"(?:V|n?V|V_?(?:local|total|full|tp|loc|shard|per_rank|eff|pad|padded)"
    r"|(?:local|full|total|padded)_V)\Z"
)


def names_vocabulary(identifier: str) -> bool:
    """`vocab_size`, `padded_vocab`, `V`, `V_local`."""
    return not _VOCAB_WORDS.isdisjoint(words(identifier)) or bool(
        _VOCAB_LETTERS.match(identifier)
    )


MANY = re.compile(
    r"_(?:(?:num|n|nr|number_of|total)_(?:items|item|entities|entity|words|word"
    r"|products|catalog|documents|docs|passages|codes|codewords|symbols|bpe)"
    r"|(?:item|items|entity|word)_(?:num|count|nums)|catalog(?:ue)?_size"
    r"|corpus_size|dict_size|dictionary_size|(?:dict|dictionary)_len|codebook_size"
    r"|num_embeddings|ntoken|ntokens|nwords)_\Z"
)
"""Sizes of catalogues, label spaces and dictionaries, as `spoken` has them."""
_MADE_MANY = re.compile(r"_(?:num|n)_(?:tokens|token|classes_with_blank)_\Z")
"""Such sizes where a module is made with them; elsewhere they count positions."""
_SPELLERS = word_set("tokenizer dictionary vocab vocabulary dict symbols alphabet")
THOUSAND = 1000
"""From here on a last axis is wide; hidden states are, too, so a name must bear it
out up to `CERTAIN`."""
CERTAIN = 20_000


def names_many(identifier: str) -> bool:
    """`vocab_size`, `num_items`, `codebook_size`: a size of thousands."""
    return names_vocabulary(identifier) or MANY.search(spoken(identifier)) is not None


@dataclass(frozen=True, slots=True)
class Size:
    """What an expression says of the size of an axis."""

    is_many: bool = False
    is_other: bool = False
    number: int | None = None


NO_SIZE = Size()


def size_of(node: ast.expr, is_made: bool = False) -> Size:
    """`config.vocab_size // tp`, `len(tokenizer)`, `32_000`, `self.num_labels`.

    `is_made` says that a module is made with it, which excludes counts of positions.
    """
    if isinstance(node, ast.Constant):
        number = node.value
        if isinstance(number, int) and not isinstance(number, bool):
            return Size(number=number)
        return NO_SIZE
    names = [
        dotted_words(part).rpartition(".")[2]
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute)
    ]
    if any(map(names_other_size, names)):
        return Size(is_other=True)
    many = any(map(names_many, names)) or (
        is_made and any(_MADE_MANY.search(spoken(name)) for name in names)
    )
    return Size(is_many=many or _is_length_of_speller(node))


def _is_length_of_speller(node: ast.expr) -> bool:
    """`len(tokenizer)`, `len(self.dictionary) + 1`."""
    return any(
        isinstance(part, ast.Call)
        and dotted_words(part.func) == "len"
        and part.args
        and not _SPELLERS.isdisjoint(words(dotted_words(part.args[0])))
        for part in ast.walk(node)
    )


def speaks_of_vocabulary(text: str) -> bool:
    return "vocab" in text.lower()


_OTHER_COUNTED = word_set("labels classes class experts queries anchors keypoints")


def names_other_size(identifier: str) -> bool:
    """`num_labels`, `self.num_router_classes`, `n_routed_experts`."""
    said = words(identifier)
    return (
        len(said) > 1
        and said[0] in ("num", "n", "nr")
        and said[-1] in _OTHER_COUNTED
        and "batch" not in said  # a count of what is there, not a size
    )


_TOKEN_IDS = word_set(
    """
    label labels target targets tgt goal token tokens tok toks
    completion completions response responses
    """
)
_NOT_TOKENS = frozenset(("mask", "logits", "logprobs", "scores", "weights", "lengths"))


def names_token_ids(identifier: str) -> bool:
    """`labels`, `shift_labels`, `input_ids`, `completion_ids`, `next_token`."""
    said = words(identifier)
    if not said or said[-1] in _NOT_TOKENS or other_axis(identifier) is not None:
        return False
    return not _TOKEN_IDS.isdisjoint(said) or "_input_ids_" in spoken(identifier)


_EMBEDDINGS = re.compile(
    r"_(?:embed_tokens?|tok_embeddings?|token_embeddings?|word_embeddings?|wte|lm_head"
    r"|embed_out|output_layer|shared|embedding_table|vocab_embeddings?|embed_in"
    r"|get_input_embeddings|get_output_embeddings|vocab_embed)_"
)

_PLACES = re.compile(r"_(?:pos|position|positional|patch|patches|type|segment|visual)_")


def names_embedding_table(dotted: str) -> bool:
    """`model.embed_tokens.weight`, `lm_head.weight`, `token_embeddings.weight`."""
    said = spoken(dotted)
    return (
        said.endswith("_weight_")
        and _EMBEDDINGS.search(said) is not None
        and _PLACES.search(said) is None
    )


def names_language_head(dotted: str) -> bool:
    """`self.lm_head`, `compute_logits`; a class such as `LMHeadModel` is none."""
    last = dotted.removesuffix(".forward").rpartition(".")[2]
    said = spoken(last)
    return not last[:1].isupper() and any(
        said.endswith(f"_{head}_") for head in LANGUAGE_HEADS
    )


def token_name(node: ast.expr) -> str | None:
    """The name of token ids in an index such as `labels.unsqueeze(-1)`."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute):
            name = dotted_words(part).rpartition(".")[2]
            if names_token_ids(name):
                return name
    return None


def dotted_words(node: ast.expr) -> str:
    """The names of `a.b`, `a["b"]`, `a(…).b` joined by dots: what it is called."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            head = dotted_words(value)
            return f"{head}.{attr}" if head else attr
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
            head = dotted_words(value)
            return f"{head}.{key}" if head else key
        case ast.Subscript(value=value):
            return dotted_words(value)
        case ast.Call(func=func):
            return dotted_words(func)
        case _:
            return ""


def spelling(node: ast.expr) -> str | None:
    """`a.b[0]` of a chain of names and constants, for comparing; else None."""
    parts: list[str] = []
    while True:
        match node:
            case ast.Name(id=name):
                return "".join([name, *reversed(parts)])
            case ast.Attribute(value=value, attr=attr):
                parts.append(f".{attr}")
                node = value
            case ast.Subscript(value=value, slice=ast.Constant(value=key)):
                parts.append(f"[{key!r}]")
                node = value
            case _:
                return None


def is_integer(node: ast.expr | None, value: int) -> bool:
    match node:
        case ast.Constant(value=found):
            return found == value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=found)):
            return found == -value
        case _:
            return False


def identifiers(nodes: Iterable[ast.AST]) -> set[str]:
    """The names, attributes, parameters and keywords among nodes."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                found.add(name)
            case ast.keyword(arg=str(name)):
                found.add(name)
            case _:
                pass
    return found
