"""Which of the suspect functions cast something vocab-wide: the last tier.

The real model of width judges them, on a text from which all other functions are cut:
it reads one function with the imports and names of its module, so it comes to the same
verdict, and most files end here without having been parsed as a whole.
"""

from __future__ import annotations

import ast
import re

from ..analysis.casts import cast_candidates, recognise_cast
from ..analysis.facts import Module
from ..analysis.syntax import Tree
from ..analysis.width.verdict import judge_width
from ..source import Source
from .outline import Outline
from .tiers import Rows

_FUNCTION = re.compile(r"(?:async[ \t]+)?def[ \t]+(\w+)")
_CLASS = re.compile(r"class[ \t]+(\w+)[ \t]*(?:\([^()]*\))?[ \t]*:")


def vocab_wide(source: Source, suspects: list[Rows]) -> list[Rows]:
    """Those of the suspects that cast a vocab-wide source, if that can be told.

    All of them where it cannot.
    """
    text = _without_others(source, suspects)
    if text is None:
        return suspects
    try:
        tree = Tree.of(ast.parse(text))
    except SyntaxError:
        return suspects
    module = Module(Source(source.path, b"", text, "utf-8", False), tree)
    return [rows for rows in suspects if _is_wide(module, rows)]


def _is_wide(module: Module, rows: Rows) -> bool:
    for scope, calls in cast_candidates(module.tree, [rows]).items():
        facts = module.facts(scope)
        for call in calls:
            cast = recognise_cast(call, facts)
            if cast is not None and judge_width(cast.source, facts).is_vocab_wide:
                return True
    return False


def _without_others(source: Source, suspects: list[Rows]) -> str | None:
    """The text with every other outermost function and class cut to a line.

    Rows stay what they are. None where a class begins in an unusual way, or where a
    function is so short that the comment above it may be about its only line.
    """
    text, starts = source.text, [*source.line_starts, len(source.text)]
    if any(first == last for first, last in suspects):
        return None
    spans = sorted((starts[first - 1], starts[last]) for first, last in suspects)
    parts: list[str] = []
    done = 0
    for start, end in Outline(text).blocks():
        kept = [span for span in spans if start <= span[0] < end]
        if start < done:
            return None
        parts.append(text[done:start])
        done = start
        if not kept or kept[0][0] != start:
            match = _CLASS.match(text, start) or _FUNCTION.match(text, start)
            if match is None or (kept and match.re is _FUNCTION):
                return None
            begins = match[0] if match.re is _CLASS else f"def {match[1]}():"
            parts.append(begins if kept else f"{begins} pass")
            done = match.end()
        for first, last in kept:
            parts += ("\n" * text.count("\n", done, first), text[first:last])
            done = last
        parts.append("\n" * text.count("\n", done, end))
        done = end
    parts.append(text[done:])
    return "".join(parts)
