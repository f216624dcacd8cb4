"""What a file makes its modules with: `self.head = nn.Linear(hidden, vocab_size)`.

Read from the text of the whole file, because an excerpt lacks most of it and a parse
takes long. An attribute counts by its name, whatever it is an attribute of: what the
class around makes comes before what others do, and where those disagree, nothing is
known.

Limit: modules that are assigned where they are made, and tied weights of such ones.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .words import Size, dotted_words, size_of

_TARGET = re.compile(r"(?:^|[\s.])(\w+)\s*(?::[^=\n]*)?=\s*(?:[\w.]*\.)?(\w*)\Z")
_TIE = re.compile(r"\.weight\s*=\s*(?:[\w.]*\.)?(\w+)\.weight\b(?![ \t]*[\w.(\[])")
_LAST_NAME = re.compile(r"\w+\Z")
_CLASSES = ("Linear(", "Embedding(", "Head(")
_LONGEST = 400
"""Characters of the arguments of a module that is made; what is longer is left."""
_LONGEST_TARGET = 120
_TELLS_MANY = re.compile(
    r"[vV]ocab|VOCAB|[iI]tem|[eE]ntit|[wW]ord|[cC]atalog|[cC]orpus|[dD]ict|[cC]ode"
    r"|[eE]mbeddings|[tT]oken|[dD]oc|[pP]assage|[pP]roduct|[sS]ymbol|bpe|[aA]lphabet"
    r"|classes_with|\bV\b|\d[\d_]{3}"
)


class Made(NamedTuple):
    """A module by the name of the attribute that holds it, and what sizes it."""

    name: str
    is_table: bool
    size: Size
    text: str
    """The size as written."""
    row: int


def made_as(name: str, first: int, last: int, whole: str) -> Made | None:
    """The module that a name stands for in a class that takes the rows `first` to
    `last`: there, or else anywhere in the file, if all agree.
    """
    named = [made for made in _made_in(whole) if made.name == name]
    near = [made for made in named if first <= made.row <= last] or named
    if not near or any(made.size != near[0].size for made in near):
        return None
    return near[0]


@lru_cache(8)
def _made_in(whole: str) -> tuple[Made, ...]:
    found = [
        made
        for head, start in _heads(whole)
        for name, kind in _target(whole, head, start)
        if (made := _made(name, kind, whole, start)) is not None
    ]
    by_name = {made.name: made for made in found}
    for start, *pair in _ties(whole):
        for one, other in (pair, reversed(pair)):
            if one not in by_name and other in by_name:
                row = whole.count("\n", 0, start) + 1
                tied = by_name[other]._replace(name=one, is_table=False, row=row)
                found.append(tied)
    return tuple(found)


@lru_cache(8)
def wide_makers(whole: str) -> tuple[frozenset[str], ...]:
    """The identifiers of a text that uses a module which the file may make with a size
    of thousands: its name, and of a table that of its weight.
    """
    found: dict[str, bool] = {}
    for head, start in _heads(whole):
        if _tells_many(whole[start : _end(whole, start)]):
            for name, kind in _target(whole, head, start):
                found[name] = "Embed" in kind and found.get(name, True)
    for _, *pair in _ties(whole) if found else ():
        if not found.keys().isdisjoint(pair):
            found.update(dict.fromkeys(pair, False))
    return tuple(
        frozenset((name, "weight") if is_table else (name,))
        for name, is_table in found.items()
    )


@lru_cache(4096)
def _tells_many(arguments: str) -> bool:
    """Whether they may speak of thousands; projects repeat them."""
    return _TELLS_MANY.search(arguments) is not None


def _ties(whole: str) -> Iterator[tuple[int, str, str]]:
    """Where weights are tied, and the names of both modules."""
    for match in _TIE.finditer(whole):
        start = match.start()
        name = _LAST_NAME.search(whole, max(0, start - _LONGEST_TARGET), start)
        if name is not None:
            yield start, name[0], match[1]


def _heads(whole: str) -> Iterator[tuple[int, int]]:
    """Where the last word of a class starts that is called, and where its arguments."""
    for word in _CLASSES:
        found = whole.find(word)
        while found >= 0:
            start = found + len(word)
            yield found, start
            found = whole.find(word, start)


def _target(whole: str, head: int, start: int) -> Iterator[tuple[str, str]]:
    """The name that what is made there gets, if it gets one, and of which class."""
    line = whole.rfind("\n", max(0, head - _LONGEST_TARGET), head) + 1
    match = _TARGET.search(whole, line, head)
    if match is not None:
        yield match[1], match[2] + whole[head : start - 1]


def _end(whole: str, start: int) -> int:
    """Where the parenthesis closes that opens before `start`; `start` if too far."""
    end = whole.find(")", start, start + _LONGEST)
    if end >= 0 and whole.find("(", start, end) < 0:
        return end
    depth = 1
    for match in _BRACKET.finditer(whole, start, start + _LONGEST):
        depth += 1 if match[0] in "([{" else -1
        if not depth:
            return match.start()
    return start


_BRACKET = re.compile(r"[()\[\]{}]")


def _made(name: str, kind: str, whole: str, start: int) -> Made | None:
    try:
        call = ast.parse(f"_({whole[start : _end(whole, start)]})", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(call, ast.Call):
        return None
    row = whole.count("\n", 0, start) + 1
    return made_by(name, kind, call, row)


def made_by(name: str, kind: str, call: ast.Call, row: int) -> Made | None:
    """The module that a call of the class `kind` makes."""
    is_table = "Embed" in kind
    if not (is_table or kind.endswith(("Linear", "Head"))):
        return None
    has_rows_first = is_table or kind.endswith("LMHead")
    place = 0 if has_rows_first else 1
    keyed = {keyword.arg: keyword.value for keyword in call.keywords}
    keys = _ROWS if has_rows_first else _OUTPUTS
    size = next((keyed[key] for key in keys if key in keyed), None)
    if size is None and len(call.args) > place:
        size = call.args[place]
    if size is None or isinstance(size, ast.Starred):
        return None
    return Made(name, is_table, size_of(size, True), ast.unparse(size), row)


_ROWS = ("num_embeddings", "vocab_size")
_OUTPUTS = ("out_features", "output_size", "out_dim", "output_dim", "n_out")


def class_of(call: ast.Call) -> str:
    return dotted_words(call.func).rpartition(".")[2]
