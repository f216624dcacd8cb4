"""Names that say of a tensor that it has been cast, and what may stand in for them.

`logits_fp32` must not be left to the bare tensor: it becomes `logits`, where the scope
and all that is nested in it have no use for that name.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections import Counter

from ..analysis.facts import Facts
from ..analysis.syntax import FUNCTIONS

_MISLEADING = re.compile(
    r"(\w+?)_?(?:fp32|f32|float32|fp64|f64|float64|float|upcast)(?:ed)?"
)


def shorter_name(name: str, facts: Facts) -> str | None:
    """The name without what it says of a cast; None where it has to stay.

    Names of modules and classes are attributes, which others read.
    """
    short = _without_cast(name)
    if short is None or not isinstance(facts.scope, FUNCTIONS):
        return None
    if facts.names.captured & {name, short} or facts.is_declared(name):
        return None
    is_taken = short in facts.once(_taken) or facts.once(_shorter)[short] > 1
    return None if is_taken or short == facts.imports.name_of_torch() else short


def _without_cast(name: str) -> str | None:
    match = _MISLEADING.fullmatch(name)
    if match is None or keyword.iskeyword(match[1]) or hasattr(builtins, match[1]):
        return None
    return match[1]


def occurrences(facts: Facts) -> dict[str, list[ast.Name]]:
    """The names in a scope and in those within it, by what they say."""
    found: dict[str, list[ast.Name]] = {}
    for node in ast.walk(facts.scope):
        if isinstance(node, ast.Name):
            found.setdefault(node.id, []).append(node)
    return found


def _shorter(facts: Facts) -> Counter[str]:
    """How many names of a scope have each shorter one."""
    shorter = map(_without_cast, facts.once(_taken))
    return Counter(short for short in shorter if short is not None)


def _taken(facts: Facts) -> set[str]:
    """All that is bound or read by name in a scope and in those within it."""
    found: set[str] = set()
    for node in ast.walk(facts.scope):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.alias():
                found.add(node.asname or node.name.partition(".")[0])
            case ast.Global() | ast.Nonlocal():
                found.update(node.names)
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                found.add(name)
            case _:
                pass
    return found
