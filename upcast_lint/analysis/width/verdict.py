"""Whether a source is vocab-wide, judged by evidence in the file.

The model
---------
Evidence has a weight, positive where it speaks for a vocabulary along the last axis
and negative where it speaks of something else; a source is vocab-wide when the sum
reaches `ENOUGH`. A name alone never does: `logits` is what language models, routers,
classifiers and detectors all call their scores. Each piece is shown to the user, so
there are few kinds, and each can be said in a few words. The weights stand in
`weights`, each with its reason.

Terms and how the tensor is followed: see `lineage`.

Limits: one scope is read, with the name of its class and file. What a caller passes,
and what a model's class makes, is not known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..facts import Facts
from .dimensions import dimensions
from .evidence import gather_evidence
from .lineage import Lineage, trace
from .weights import ENOUGH, Evidence
from .words import dotted_words


@dataclass(frozen=True, slots=True)
class Width:
    """The verdict on one source, with the evidence in words.

    `dimensions` are for the estimate of memory; empty where the shape is not known,
    and then there is nothing to estimate.
    """

    is_vocab_wide: bool
    because: tuple[str, ...]
    against: tuple[str, ...]
    dimensions: tuple[str, ...]


def judge_width(
    source: ast.expr,
    facts: Facts,
    vocab_names: Sequence[str] = (),
    not_vocab_names: Sequence[str] = (),
) -> Width:
    """Judge the expression that a cast converts.

    The patterns are the user's, globs over identifiers: what `not_vocab_names`
    matches is never vocab-wide, else what `vocab_names` matches always is.
    """
    lineage = trace(source, facts)
    evidence = gather_evidence(source, lineage, facts)
    wide = sum(piece.weight for piece in evidence) >= ENOUGH
    stated = _stated(lineage, vocab_names, not_vocab_names)
    if stated is not None:
        evidence = [stated, *evidence]
        wide = stated.weight > 0
    return Width(
        wide,
        _words(piece for piece in evidence if piece.weight > 0),
        _words(piece for piece in evidence if piece.weight < 0),
        dimensions(source, lineage, facts, wide),
    )


def _words(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(piece.text for piece in evidence))


def _stated(
    lineage: Lineage, vocab_names: Sequence[str], not_vocab_names: Sequence[str]
) -> Evidence | None:
    """What the configuration says of the first name that it speaks of."""
    for patterns, weight, key in (
        (not_vocab_names, -ENOUGH, "not-vocab-names"),
        (vocab_names, ENOUGH, "vocab-names"),
    ):
        for name in _identifiers(lineage):
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                return Evidence(weight, f"`{name}` is configured in {key}")
    return None


def _identifiers(lineage: Lineage) -> list[str]:
    """The names of the tensor, its dotted ones and their last parts."""
    found = [dotted_words(node) for node in lineage.trail]
    found += [name.rpartition(".")[2] for name in found]
    found += [definition.name for definition in lineage.definitions]
    return [name for name in dict.fromkeys(found) if name]
