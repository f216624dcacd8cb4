"""Whether a source is vocab-wide, judged by evidence in the file.

The model
---------
Evidence has a weight, positive where it speaks for a vocabulary along the last axis
and negative where it speaks of something else. The sum gives the confidence: medium
from `ENOUGH` on, and the source is taken for vocab-wide; high from `SURE` on. A name
alone is never enough: `logits` is what language models, routers, classifiers and
detectors all call their scores. Each piece is shown to the user, so there are few
kinds, and each can be said in a few words. The weights stand in `weights`, each with
its reason.

Terms and how the tensor is followed: see `lineage`.

Limits: one scope is read, with the names around it and what the file makes its modules
with. What a caller passes is not known.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ...finding import Confidence, Evidence, Grounds
from ..facts import Facts
from .dimensions import dimensions
from .evidence import gather_evidence
from .lineage import Lineage, trace
from .weights import ENOUGH, SURE
from .words import dotted_words


@dataclass(frozen=True, slots=True)
class Width:
    """The verdict on one source, with the evidence for and against.

    `dimensions` are for the estimate of memory; empty where the shape is not known,
    and then there is nothing to estimate.
    """

    grounds: Grounds
    dimensions: tuple[str, ...]

    @property
    def is_vocab_wide(self) -> bool:
        return self.grounds.confidence is not Confidence.LOW


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
    weight = sum(piece.weight for piece in evidence)
    stated = _stated(lineage, vocab_names, not_vocab_names)
    if stated is not None:
        evidence = [stated, *evidence]
        weight = stated.weight
    confidence = _confidence(weight)
    wide = confidence is not Confidence.LOW
    return Width(
        Grounds(confidence, tuple(dict.fromkeys(evidence))),
        dimensions(source, lineage, facts, wide),
    )


def _confidence(weight: int) -> Confidence:
    if weight >= SURE:
        return Confidence.HIGH
    return Confidence.MEDIUM if weight >= ENOUGH else Confidence.LOW


def _stated(
    lineage: Lineage, vocab_names: Sequence[str], not_vocab_names: Sequence[str]
) -> Evidence | None:
    """What the configuration says of the first name that it speaks of."""
    for patterns, weight, key in (
        (not_vocab_names, -SURE, "not-vocab-names"),
        (vocab_names, SURE, "vocab-names"),
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
