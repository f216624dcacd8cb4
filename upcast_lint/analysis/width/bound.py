"""Whether a text has the words without which no source in it is vocab-wide.

An upper bound on the model of `verdict`, from the text of a function, the first line
of the class around it, and the modules that the file makes wide: for each kind of
evidence the words that it needs, and the most that it weighs. It may pass what
the model fails, never the reverse; a test compares the two.

Words are sought among the letters of the text, in lower case and without anything
between them, because `lm_head`, `lmHead` and `LMHead2` are one name to the model.

Limit: functions of torch are known by their own names; one that the module renames by
assignment is not.
"""

from __future__ import annotations

import re

from .makers import wide_makers
from .weights import (
    CALLED_V,
    CHOOSES_TOKEN,
    CONTEXT,
    ENOUGH,
    LIKELIHOOD,
    MADE_OF_A_THOUSAND,
    NAMED_FOR_TOKENS,
    NAMED_LOGITS,
    NAMED_SCORES,
    READ_BY_TOKENS,
    TRANSCRIBES,
)
from .words import (
    LANGUAGE,
    LANGUAGE_HEADS,
    POSTERIORS,
    names_log_probs,
    other_axis,
    words,
)

_LOWER = bytes(range(256)).lower()
_NO_LETTERS = bytes(
    set(range(256)) - set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
)

_ENOUGH_ALONE = (
    b"vocab",
    *(head.replace("_", "").encode() for head in sorted(LANGUAGE_HEADS)),
)
"""Names that are enough, or all but enough."""

_TABLES = (b"embed", b"wte", b"shared", b"lmhead", b"outputlayer")
_WEIGHT = re.compile(r"[wW](?:eight|EIGHT)(?![a-z])")
_LOOKUP = re.compile(r"embedding\b")
_SIZED = re.compile(r"V_?(?:local|total|full|tp|loc|shard|per|eff|pad)")
_SIZED_LAST = re.compile(r"V(?<=[n_]V)(?!\w)")
"""The size of a vocabulary by a name that says so."""

_LOGITS = re.compile(r"(?:logit|Logit|LOGIT)\w*")
_SPECIFIC = re.compile(r"(?i)token|lm|vocab")
_HOLDER = re.compile(r"(?:def|class)\s+(\w+)")
_TOKEN_IDS = (b"tokenids", b"inputids", b"completionids", b"nexttoken", b"tokenizer")
_SEQUENCES = re.compile(r"tok(?:en)?s\b")
_LIKELIHOODS = (b"logsoftmax", b"logprob", b"logp", b"lprob")
_SCORES = (*_LIKELIHOODS, b"score", b"prob")
_CHOICES = (
    *(b"argmax", b"multinomial", b"topk", b"sort", b"sampl", b"greedy", b"pick"),
    *(b"choose", b"choice"),
)
_CHOICE = re.compile(
    r"max(?<![a-zA-Z]max)(?![a-z_])|top(?<![a-zA-Z]top)(?![a-z])|TOP|Top"
)
_CHOSEN = (
    *(b"tok", b"inputids", b"symbol", b"hyp", b"decode", b"idsto", b"idto"),
    *(b"embed", b"wte", b"eos", b"bos", b"blank", b"eot", b"eod", b"eoa", b"sos"),
)
"""What tells that the chosen are tokens."""
_TOKENS = (
    *(b"tok", b"label", b"target", b"tgt", b"goal", b"completion", b"response"),
    *(b"inputids", b"ignoreindex"),
)
_LAST_ROW = re.compile(r"-\s*1\s*(?::\s*)?(?:,[^\],]*(?:,\s*)?)?\]")
_V = re.compile(r"V(?<![A-Za-z0-9]V)(?![A-Za-z0-9])")
_V_LAST = tuple(
    re.compile(
        rf"{v}(?<!\w{v})(?<![kK],{v})(?<![kK], {v})"
        rf"\|?\s*(?:[-+]\s*\d+)?(?:/[^\])\"'/]*){{0,4}}[\])\"']"
    )
    for v in "vV"
)
"""A shape that ends in the letter; not one of keys and values."""


_HELD = (b"corpus", b"catalog", b"item", b"entit", b"gallery", b"collection")
_HELD_VECTORS = re.compile(
    rb"(?:corpus|catalog|item|entit|gallery|collection)[a-z]{0,20}?"
    rb"(?:emb|rep|vector|feature|weight|matrix)"
)
_COUNTED = {
    thing: (
        *(count + thing for count in (b"num", b"nr", b"numberof", b"total")),
        *(thing + size for size in (b"num", b"snum", b"count", b"size", b"len")),
    )
    for thing in (
        *(b"item", b"entit", b"word", b"product", b"catalog", b"document", b"doc"),
        *(b"passage", b"code", b"symbol", b"bpe", b"corpus", b"dict"),
    )
}
"""What is counted by thousands, each with the words of its counts."""
_N_THINGS = re.compile(
    r"n_?(?<![a-z]n)(?<![a-z]n_)(?i:item|entit|word|product|catalog|doc|passage|code"
    r"|symbol|bpe)"
)
_EMBEDDINGS = (b"numembeddings",)
_SIZES = (b"cataloguesize", b"dictionarysize", b"dictionarylen", b"codebooksize")
_ENTITIES = (b"entitynum", b"entitycount")
_LENGTH = re.compile(
    r"len\([^()]*(?:[tT]okenizer|[dD]ict|[sS]ymbols|[aA]lphabet|TOKENIZER|DICT)"
)
_NUMBER = re.compile(r"\d(?<![\w.]\d)[\d_]{3,}")
_LARGE_NUMBER = re.compile(r"\d(?<![\w.]\d)[\d_]{4,}")
_SYMBOLS = tuple(sorted(word.encode() for word in POSTERIORS))
_JOINT = (b"jointout", b"jointlogits")
_TRANSCRIPTS = (
    *(b"blank", b"inputlen", b"targetlen", b"logitlen", b"labellen", b"ylens"),
    *(b"olens", b"hlens", b"ilens", *_SYMBOLS),
)


def may_be_vocab_wide(text: str, whole: str = "") -> bool:
    """Whether some source in a function with this text can be vocab-wide.

    `whole` is the text of the file, which may make modules for a vocabulary.
    """
    letters = text.encode("utf-8", "replace").translate(_LOWER, _NO_LETTERS)
    if _has(_ENOUGH_ALONE, letters) or _LOOKUP.search(text):
        return True
    if "V" in text and (_SIZED.search(text) or _SIZED_LAST.search(text)):
        return True
    if b"weight" in letters and _has(_TABLES, letters) and _WEIGHT.search(text):
        return True
    if _most(text, letters) >= ENOUGH or _counts_many(text, letters):
        return True
    return any(map(letters.__contains__, wide_makers(whole)))


def _counts_many(text: str, letters: bytes) -> bool:
    """Whether something may be sized by a count of thousands."""
    if _has((*_EMBEDDINGS, *_SIZES, *_ENTITIES), letters):
        return True
    if _has(_HELD, letters) and _HELD_VECTORS.search(letters):
        return True
    if any(thing in letters and _has(_COUNTED[thing], letters) for thing in _COUNTED):
        return True
    if "ntoken" in text or _N_THINGS.search(text):
        return True
    if "len(" in text and _LENGTH.search(text):
        return True
    return _LARGE_NUMBER.search(text) is not None


def _most(text: str, letters: bytes) -> int:
    """The most that evidence can weigh of which no kind is enough."""
    if _has(_JOINT, letters):
        return ENOUGH
    has_scores = _has(_SCORES, letters)
    most = _name(text) if b"logit" in letters else 0
    if most >= ENOUGH:
        return most
    if most:
        most += CONTEXT * _has_context(text, letters)
    elif has_scores:
        most += NAMED_SCORES
    if most and _has(_TRANSCRIPTS, letters):
        most += TRANSCRIBES  # and what is named for both is wide by its name
    if most and _has(_LIKELIHOODS, letters):
        most += LIKELIHOOD
    most += CALLED_V * (bool(_V.search(text)) + any(p.search(text) for p in _V_LAST))
    if most + CHOOSES_TOKEN + MADE_OF_A_THOUSAND < ENOUGH:
        return most
    if _has(_CHOSEN, letters) and (_has(_CHOICES, letters) or _CHOICE.search(text)):
        most += CHOOSES_TOKEN
    elif _has(_TOKENS, letters) or _LAST_ROW.search(text):
        most += READ_BY_TOKENS
    if most == ENOUGH - MADE_OF_A_THOUSAND and _NUMBER.search(text):
        most += MADE_OF_A_THOUSAND
    return most


def _name(text: str) -> int:
    """The most that a name can weigh; `router_logits` speaks against itself."""
    names = {name for name in _logits_names(text) if other_axis(name) is None}
    if any(map(_SPECIFIC.search, names)):
        return NAMED_FOR_TOKENS
    return NAMED_LOGITS if names else 0


def _logits_names(text: str) -> set[str]:
    """The identifiers with `logit` in them."""
    found: set[str] = set()
    for match in _LOGITS.finditer(text):
        start = match.start()
        while start and (text[start - 1] == "_" or text[start - 1].isalnum()):
            start -= 1
        found.add(text[start : match.end()])
    return found


def _has_context(text: str, letters: bytes) -> bool:
    if _has(_TOKEN_IDS, letters) or _SEQUENCES.search(text):
        return True
    return any(
        not LANGUAGE.isdisjoint(words(name)) or names_log_probs(name)
        for name in _HOLDER.findall(text)
    )


def _has(words: tuple[bytes, ...], letters: bytes) -> bool:
    return any(map(letters.__contains__, words))
