"""What identifiers say: the words of a name, and which things words speak of.

A name is read as words: `lastTokenLogits`, `last_token_logits` and `lm_head.weight`
alike. Words say what a tensor is for, so they are evidence and never proof.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

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
_LANGUAGE_HEADS = tuple(f"_{head}_" for head in LANGUAGE_HEADS)

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
    return tuple(map(str.lower, _WORD.findall(identifier)))


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


_SPECIFIC = frozenset(("token", "lm", "vocab"))


def names_token_logits(identifier: str) -> bool:
    """`lm_logits`, `vocab_parallel_logits`: logits, and along which axis."""
    return names_logits(identifier) and (
        names_vocabulary(identifier) or not _SPECIFIC.isdisjoint(words(identifier))
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
MADE_MANY = re.compile(r"_(?:num|n)_(?:tokens|token|classes_with_blank)_\Z")
"""Such sizes where a module is made with them; elsewhere they count positions."""
SPELLERS = word_set("tokenizer dictionary vocab vocabulary dict symbols alphabet")
THOUSAND = 1000
"""From here on a last axis is wide; hidden states are, too, so a name must bear it
out up to `CERTAIN`."""
CERTAIN = 20_000


def names_many(identifier: str) -> bool:
    """`vocab_size`, `num_items`, `codebook_size`: a size of thousands."""
    return names_vocabulary(identifier) or MANY.search(spoken(identifier)) is not None


class Size(NamedTuple):
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
        is_made and any(MADE_MANY.search(spoken(name)) for name in names)
    )
    return Size(is_many=many or _is_length_of_speller(node))


def _is_length_of_speller(node: ast.expr) -> bool:
    """`len(tokenizer)`, `len(self.dictionary) + 1`."""
    return any(
        isinstance(part, ast.Call)
        and dotted_words(part.func) == "len"
        and part.args
        and not SPELLERS.isdisjoint(words(dotted_words(part.args[0])))
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
    if not said or said[-1] in _NOT_TOKENS:
        return False
    names_ids = not _TOKEN_IDS.isdisjoint(said) or "_input_ids_" in spoken(identifier)
    return names_ids and other_axis(identifier) is None


_EMBEDDINGS = re.compile(
    r"_(?:embed_tokens?|tok_embeddings?|token_embeddings?|word_embeddings?|wte|lm_head"
    r"|embed_out|output_layer|shared|embedding_table|vocab_embeddings?|embed_in"
    r"|get_input_embeddings|get_output_embeddings|vocab_embed)_"
)

MANY_HELD = word_set(
    "corpus catalog catalogue item items entity entities all gallery collection"
)
VECTORS = word_set(
    "emb embs embed embeds embedding embeddings rep reps vectors features weight matrix"
)


def holds_many(dotted: str) -> bool:
    """`test_items_emb`, `corpus_embeddings`, `self.item_embedding.weight`."""
    said = words(dotted)
    return not MANY_HELD.isdisjoint(said) and not VECTORS.isdisjoint(said[-2:])


_PLACES = re.compile(r"_(?:pos|position|positional|patch|patches|type|segment|visual)_")


def names_embedding_table(dotted: str) -> bool:
    """`model.embed_tokens.weight`, `lm_head.weight`, `token_embeddings.weight`."""
    return words(dotted)[-1:] == ("weight",) and names_table(dotted)


def names_table(dotted: str) -> bool:
    said = spoken(dotted)
    return _EMBEDDINGS.search(said) is not None and _PLACES.search(said) is None


_SEQUENCE_IDS = re.compile(
    "_(?:input_ids|token_ids|tokenizer|next_tokens?|completion_ids)_"
)
_SEQUENCES = word_set("tokens prompt_tokens output_tokens generated_tokens toks")
"""Only as they stand: `num_tokens` is in every router."""


def names_sequence(identifier: str) -> bool:
    """`tokens`, `input_ids`, `tokenizer`: what is around every language model."""
    return identifier in _SEQUENCES or bool(_SEQUENCE_IDS.search(spoken(identifier)))


def names_language(identifier: str) -> bool:
    """Functions and classes such as `beam_search` and `sequence_logprobs`."""
    return not LANGUAGE.isdisjoint(words(identifier)) or names_log_probs(identifier)


_LENGTHS = word_set(
    """
    input_lengths target_lengths logit_lengths label_lengths
    input_lens target_lens y_lens olens hlens ilens
    """
)


def names_transcript(identifier: str) -> bool:
    """`blank_id`, `input_lengths`, `ctc_loss`: what speech is recognised with."""
    said = words(identifier)
    return identifier in _LENGTHS or "blank" in said or not POSTERIORS.isdisjoint(said)


_CHOSEN = word_set(
    "token tokens tok toks symbol symbols hyp hyps hypothesis hypotheses"
)
_NOT_CHOSEN = word_set(
    "mask num n prob probs logprob logprobs score scores count acc accuracy correct"
)
INPUTS = word_set(
    "input_ids decoder_input_ids token_ids tokens prev_output_tokens next_tokens"
)
_READERS = re.compile(
    "_(?:decode|ids_to_tokens|ids_to_text|id_to_piece|detokenize|embed_tokens"
    "|word_embeddings|tok_embeddings|token_embedding|wte)_"
)
_ENDS = word_set("eos bos blank eot eod eoa sos")
_SAMPLERS = word_set("sample sampler sampling greedy pick choose choice top")


def names_chosen(dotted: str) -> bool:
    """`next_token`, `hyps`, `input_ids`: what a choice among the vocabulary becomes."""
    last = dotted.rpartition(".")[2]
    said = words(last)
    return last in INPUTS or (
        not _CHOSEN.isdisjoint(said)
        and _NOT_CHOSEN.isdisjoint(said)
        and other_axis(dotted) is None
    )


def reads_tokens(dotted: str) -> bool:
    """`tokenizer.decode`, `embed_tokens`: a function that is given tokens."""
    return _READERS.search(spoken(dotted)) is not None


def names_end(identifier: str) -> bool:
    """`eos_id`, `_blank_index`: what marks the end of a text, or no symbol."""
    return not _ENDS.isdisjoint(words(identifier))


def names_sampler(dotted: str) -> bool:
    return not _SAMPLERS.isdisjoint(words(dotted))


def names_language_head(dotted: str) -> bool:
    """`self.lm_head`, `compute_logits`; a class such as `LMHeadModel` is none."""
    last = dotted.removesuffix(".forward").rpartition(".")[2]
    said = spoken(last)
    return not last[:1].isupper() and said.endswith(_LANGUAGE_HEADS)


TELLING = frozenset(
    re.findall(
        "[a-z]+",
        " ".join(
            (
                *("logit logits log joint v weight", *SCORES, *LOG_PROBS, *POSTERIORS),
                *(*LANGUAGE_HEADS, *SPELLERS, *_VOCAB_WORDS, *_TOKEN_IDS, *_LENGTHS),
                *(*_SEQUENCES, *_CHOSEN, *INPUTS, *_ENDS, *_SAMPLERS, *MANY_HELD),
                *VECTORS,
                *(each.pattern for each in (MANY, MADE_MANY, _EMBEDDINGS)),
                *(each.pattern for each in (_SEQUENCE_IDS, _READERS)),
            )
        ),
    )
)
"""A name with none of these words speaks for no vocabulary, whoever asks here."""


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
