"""What the function, the class and the file around a source speak of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from ...finding import Evidence
from ..facts import Facts
from ..syntax import FUNCTIONS, ScopeNode, parameters, walk_scope
from .weights import CONTEXT, FILE_OTHERWISE, HELD_OTHERWISE, OTHER_SIZE_NEARBY
from .words import (
    POSTERIORS,
    identifiers,
    names_language,
    names_logits,
    names_other_size,
    names_sequence,
    names_transcript,
    names_vocabulary,
    speaks_of_vocabulary,
    spoken,
    word_set,
    words,
)

_LANGUAGE_MODELS = (
    "_for_causal_lm_",
    "_for_conditional_generation_",
    "_lm_head",
    "_for_masked_lm_",
    "_language_model",
)
"""Classes that read over a vocabulary even where their names have `Moe` in them."""
_OTHER_HOLDERS = word_set(
    """
    sequence_classification token_classification image_classification
    audio_classification frame_classification video_classification question_answering
    multiple_choice next_sentence segmentation object_detection depth_estimation detr
    router gate gating experts reward critic value_head image_processor
    video_processor classifier x_vector mask_decoder diffusion unet scheduler
    reward_model value_model reranker rerank
    """
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


def by_context(facts: Facts) -> list[Evidence]:
    """The same for every source of a scope."""
    return list(_of_scope(facts))


def _of_scope(facts: Facts) -> Iterator[Evidence]:
    holders = list(_holders(facts))
    yield from _of_language(holders, facts)
    said = [(name, spoken(name)) for name in holders]
    if any(model in s for _, s in said for model in _LANGUAGE_MODELS):
        return
    for name, s in said:
        if any(f"_{other}_" in s for other in _OTHER_HOLDERS):
            yield Evidence(HELD_OTHERWISE, f"in `{name}`")
    path = _near_path(facts.source.path)
    for part in _OTHER_PATHS:
        if part in path:
            yield Evidence(HELD_OTHERWISE, f"`{part.strip('/')}` in the path")
    yield from _of_file(_classes(facts.source.whole))


_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)


@lru_cache(8)
def _classes(whole: str) -> tuple[str, ...]:
    return tuple(_CLASS.findall(whole)) if "class " in whole else ()


def _of_file(classes: tuple[str, ...]) -> Iterator[Evidence]:
    """A file of classifiers holds no language model, whichever function it is."""
    said = [(name, spoken(name)) for name in classes]
    if any(model in s for _, s in said for model in _LANGUAGE_MODELS):
        return
    for name, s in said:
        if any(f"_{other}_" in s for other in _OTHER_HOLDERS):
            yield Evidence(FILE_OTHERWISE, f"the file is about `{name}`")


# Speech


def transcribes(facts: Facts) -> str | None:
    """What in the function, or around it, speaks of transcripts and their blank."""
    for name in _holders(facts):
        if not POSTERIORS.isdisjoint(words(name)):
            return f"in `{name}`"
    found = set[str]()
    for scope in (facts.scope, *facts.tree.ancestors(facts.scope)):
        if isinstance(scope, FUNCTIONS) or scope is facts.scope:
            found |= facts.tree.once(scope, _transcript_names)
    return f"`{min(found)}` in the function" if found else None


def _transcript_names(scope: ScopeNode) -> set[str]:
    found = identifiers(walk_scope(scope))
    if isinstance(scope, FUNCTIONS):
        found |= {parameter.arg for parameter in parameters(scope)}
    return set(filter(names_transcript, found))


def _near_path(path: str) -> str:
    """The file and its folder; what stands above is about the whole project."""
    return "/" + "/".join(path.replace("\\", "/").lower().split("/")[-2:])


def _holders(facts: Facts) -> Iterator[str]:
    """The names of the functions and classes around, innermost first."""
    for node in (facts.scope, *facts.tree.ancestors(facts.scope)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def _of_language(holders: list[str], facts: Facts) -> Iterator[Evidence]:
    found: set[str] = set()
    for scope in (facts.scope, *facts.tree.ancestors(facts.scope)):
        if isinstance(scope, FUNCTIONS) or scope is facts.scope:
            found |= facts.tree.once(scope, _telling_names)
    # Sizes before tensors and functions, for they say most.
    names = sorted(found, key=lambda name: (not name.endswith(("size", "V")), name))
    for name in names:
        if names_vocabulary(name) and not names_logits(name):
            yield Evidence(CONTEXT, f"`{name}` in the function")
    if facts.once(_mentions_vocabulary):
        yield Evidence(CONTEXT, "a vocabulary in the texts of the function")
    for name in names:
        if names_sequence(name):
            yield Evidence(CONTEXT, f"`{name}` in the function")
    for name in holders:
        if names_language(name):
            yield Evidence(CONTEXT, f"in `{name}`")
    for name in names:
        if names_other_size(name):
            yield Evidence(OTHER_SIZE_NEARBY, f"`{name}` in the function")


def _mentions_vocabulary(facts: Facts) -> bool:
    return any(
        isinstance(node.value, str) and speaks_of_vocabulary(node.value)
        for node in facts.nodes(ast.Constant)
    )


def _telling_names(scope: ScopeNode) -> set[str]:
    """The names that a scope uses and that may speak of a size or of tokens."""
    found = identifiers(walk_scope(scope))
    if isinstance(scope, FUNCTIONS):
        found |= {parameter.arg for parameter in parameters(scope)}
    return {
        name
        for name in found
        if names_vocabulary(name) or names_sequence(name) or names_other_size(name)
    }
