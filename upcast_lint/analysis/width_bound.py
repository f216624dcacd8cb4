"""Whether a text has the words without which no source in it is vocab-wide.

An upper bound on the model of `width`, from the text of a function alone: for each
kind of evidence the words that it needs, and the most that it weighs. It may pass what
the model fails, never the reverse; where the model changes, a test compares the two.
"""

from __future__ import annotations

import re

from .width_words import LANGUAGE_HEADS

_LETTERS = bytes(range(ord("a"), ord("z") + 1))
_LOWER = bytes(range(256)).lower()
_OTHERS = bytes(set(range(256)) - set(_LETTERS) - set(_LETTERS.upper()))

_ENOUGH_ALONE = (
    b"logit",
    b"vocab",
    # Tables of embeddings, and heads by the names that they share with them.
    b"embed",
    b"wte",
    b"sharedweight",
    b"outputlayer",
    *(head.replace("_", "").encode() for head in sorted(LANGUAGE_HEADS)),
)
"""Evidence that is enough, or all but enough, by itself."""

_PROBABILITIES = (b"score", b"prob", b"logp", b"lprob", b"logsoftmax")
"""Evidence that with what the text does to a tensor can become enough."""

_SIZE = re.compile(r"(?<![^\W_])n?V(?![^\W_])|(?<!\w)v\s*(?:/[^\])]*)?[|\"'\])]")
"""The letter V as a size, or at the end of a shape."""


def may_be_vocab_wide(text: str) -> bool:
    """Whether some source in a function with this text can be vocab-wide."""
    letters = text.encode("utf-8", "replace").translate(_LOWER, _OTHERS)
    return (
        any(word in letters for word in _ENOUGH_ALONE)
        or any(word in letters for word in _PROBABILITIES)
        or _SIZE.search(text) is not None
    )
