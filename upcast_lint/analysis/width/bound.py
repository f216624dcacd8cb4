"""Whether a text has the words without which no source in it is vocab-wide.

An upper bound on the model of `verdict`, from the text of a function, the first line
of the class around it, and the modules that the file makes wide. What an identifier
can be evidence of is asked of the predicates of the model; words of comments and
strings count as identifiers, for a comment tells a shape and a key names a tensor.
The bound is the most that all of them weigh together. It may pass what the model
fails, never the reverse; a test compares the two.

Limits: functions of torch are known by their own names; one that the module renames by
assignment is not, nor is a name that dots or blanks divide: `embed.tokens.weight`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .. import ops
from ..ops import Role
from .makers import wide_makers
from .weights import (
    CALLED_V,
    CHOOSES_TOKEN,
    CONTEXT,
    ENOUGH,
    LIKELIHOOD,
    MADE_OF_A_THOUSAND,
    NAMED_LOGITS,
    NAMED_SCORES,
    READ_BY_TOKENS,
    TRANSCRIBES,
)
from .words import (
    CERTAIN,
    INPUTS,
    MADE_MANY,
    MANY_HELD,
    SPELLERS,
    TELLING,
    THOUSAND,
    VECTORS,
    names_chosen,
    names_end,
    names_language,
    names_language_head,
    names_log_probs,
    names_logits,
    names_many,
    names_posteriors,
    names_sampler,
    names_scores,
    names_sequence,
    names_table,
    names_token_ids,
    names_token_logits,
    names_transcript,
    other_axis,
    reads_tokens,
    spoken,
    words,
)

# What an identifier may be evidence of: bits, for a function has hundreds.
_ALONE, _LOGITS, _SCORES, _LIKELIHOOD, _CONTEXT, _TRANSCRIPT, _CHOICE, _CHOSEN = (
    1 << bit for bit in range(8)
)
_TOKEN, _TABLE, _WEIGHT, _HELD, _VECTORS, _PRODUCT, _MADE, _SPELLER, _THOUSAND = (
    1 << bit for bit in range(8, 17)
)

_SPACED = bytes(
    byte if chr(byte).isalnum() or byte in b"_" else ord(" ") for byte in range(128)
) + bytes(range(128, 256))
_LONGEST = 20
"""Digits of a number that can be a size."""
_LOOKUP = re.compile(r"(?<!\w)embedding[\s\\]*[(#]")
_HOLDER = re.compile(r"(?:def|class)\s+(\w+)")
_LAST_ROW = re.compile(r"-\s*1\s*(?::\s*)?(?:,[^\],]*(?:,\s*)?)?\]")
_V_LAST = tuple(
    re.compile(
        rf"{v}(?<!\w{v})(?<![kK],{v})(?<![kK], {v})"
        rf"\|?\s*(?:[-+]\s*\d+)?(?:/[^\])\"'/]*){{0,4}}[\])\"']"
    )
    for v in "vV"
)
"""A shape that ends in the letter; not one of keys and values."""
_CHAIN = re.compile(
    r"(?i:corpus|catalog|item|entit|all|gallery|collection)\w*(?:[.(\[][^=\n]{0,40}?)?"
    r"(?i:emb|rep|vector|feature|weight|matrix)"
)
"""What holds many, and on what is about one name the vectors that it holds."""
_LENGTH = re.compile(r"len\([^()]*(?i:tokenizer|dict|vocab|symbols|alphabet)")


def may_be_vocab_wide(text: str, whole: str = "") -> bool:
    """Whether some source in a function with this text can be vocab-wide.

    `whole` is the text of the file, which may make modules for a vocabulary.
    """
    data = text.encode("utf-8", "replace").translate(_SPACED)
    names = set(data.decode("utf-8").split())
    said = 0
    for name in names:
        said |= _said(name)
    if said & _ALONE or (said & _TABLE and said & _WEIGHT) or "vocab" in text.lower():
        return True
    if _most(text, names, said) >= ENOUGH:
        return True
    if said & _TOKEN and _LOOKUP.search(text):
        return True
    if said & _MADE and ("Linear(" in text or "Head(" in text):
        return True
    if said & _SPELLER and _LENGTH.search(text):
        return True
    is_product = said & _PRODUCT or "@" in text
    if is_product and said & _HELD and said & _VECTORS and _CHAIN.search(text):
        return True
    return any(made <= names for made in wide_makers(whole))


def _most(text: str, names: set[str], said: int) -> int:
    """The most that evidence can weigh of which no kind is enough."""
    most = 0
    if said & _LOGITS:
        has_context = said & _CONTEXT or any(map(names_language, _HOLDER.findall(text)))
        most = NAMED_LOGITS + CONTEXT * bool(has_context)
    elif said & _SCORES:
        most = NAMED_SCORES
    if most and said & _TRANSCRIPT:
        most += TRANSCRIBES  # and what is named for both is wide by its name
    if most and said & _LIKELIHOOD:
        most += LIKELIHOOD
    if "V" in names or "v" in names:
        is_last = any(pattern.search(text) for pattern in _V_LAST)
        most += CALLED_V * (("V" in names) + is_last)
    if most + CHOOSES_TOKEN + MADE_OF_A_THOUSAND < ENOUGH:
        return most
    if said & _CHOICE and said & _CHOSEN:
        most += CHOOSES_TOKEN
    elif said & _TOKEN or "ignore_index" in text or _LAST_ROW.search(text):
        most += READ_BY_TOKENS
    if most == ENOUGH - MADE_OF_A_THOUSAND and said & _THOUSAND:
        most += MADE_OF_A_THOUSAND
    return most


@lru_cache(1 << 14)
def _said(name: str) -> int:
    said = 0
    if name[0].isdecimal():
        number = name.replace("_", "")
        size = int(number) if len(number) < _LONGEST and number.isdecimal() else 0
        return _ALONE if size >= CERTAIN else _THOUSAND if size >= THOUSAND else 0
    if name in ops.names_of(Role.ORDER):
        said |= _CHOICE
    if name in ops.names_of(Role.PRODUCT):
        said |= _PRODUCT
    known = words(name)
    if TELLING.isdisjoint(known):
        return said
    if names_posteriors(name) or names_token_logits(name):
        said |= _ALONE
    elif names_logits(name):
        said |= _LOGITS
    elif names_scores(name) or names_log_probs(name):
        said |= _SCORES
    if said & (_ALONE | _LOGITS | _SCORES) and other_axis(name) is not None:
        said = 0  # it speaks against itself
    if names_language_head(name) or (names_many(name) and name != "V"):
        said |= _ALONE
    if names_log_probs(name):
        said |= _LIKELIHOOD
    if names_sequence(name):
        said |= _CONTEXT
    if names_transcript(name):
        said |= _TRANSCRIPT
    if names_sampler(name):
        said |= _CHOICE
    if name in INPUTS or names_chosen(name) or reads_tokens(name) or names_end(name):
        said |= _CHOSEN
    if names_token_ids(name):
        said |= _TOKEN
    if names_table(name):
        said |= _TABLE
    if known[-1] == "weight":
        said |= _WEIGHT
    if not MANY_HELD.isdisjoint(known):
        said |= _HELD
    if not VECTORS.isdisjoint(known):
        said |= _VECTORS
    if MADE_MANY.search(spoken(name)):
        said |= _MADE
    if not SPELLERS.isdisjoint(known):
        said |= _SPELLER
    return said
