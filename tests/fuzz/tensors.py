"""What the generator knows of the expressions it writes.

Dimensions are symbols: `B` rows, `S` positions, `V` vocabulary, `K` and `J` short
ones, `H` hidden, `BS` rows by positions, `S-1` all but one, and literals. A function
is written against symbols alone, so it runs at every size.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from .choices import Choices

Dims = tuple[str, ...]


class Kind(enum.Enum):
    LOW = enum.auto()
    """In the source's precision."""
    WIDE = enum.auto()
    """The copy, or what is made from all of it."""
    RESULT = enum.auto()
    """A small tensor that was selected."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """An expression that a method can be called on, and its shape."""

    text: str
    dims: Dims
    kind: Kind

    @property
    def rank(self) -> int:
        return len(self.dims)

    def become(self, text: str, dims: Dims | None = None) -> Tensor:
        return replace(self, text=text, dims=self.dims if dims is None else dims)

    def size(self, axis: int) -> str:
        return f"{self.text}.shape[{axis - self.rank}]"


def bare(text: str) -> str:
    """An expression without the parentheses that are around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    inner = text[1:-1]
    return text if not inner or ":=" in inner or _has_comma(inner) else inner


def _has_comma(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            return True
    return False


@dataclass(slots=True)
class Scope:
    """The names of a function under construction; branches get copies."""

    choices: Choices
    source: Tensor
    """The tensor that is cast, by whatever expression gives it now."""
    copies: list[Tensor] = field(default_factory=list)
    results: list[Tensor] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    """Names of lists and plain values to return as well."""
    indices: list[tuple[str, str]] = field(default_factory=list)
    """Names of index tensors, with the key of what they fit."""
    noise: int = 0
    """How many more disturbing statements may be written."""
    writers: list[list[str]] = field(default_factory=list)
    """Statements that change the source, or what holds it, without naming it."""
    endings: list[str] = field(default_factory=list)
    """What has to be done before the function returns."""
    topics: tuple[Callable[[Scope], list[str]], ...] = ()
    """Further kinds of statement that this program is about."""
    depth: int = 0
    counter: list[int] = field(default_factory=lambda: [0])

    def fresh(self, stem: str) -> str:
        self.counter[0] += 1
        return f"{stem}{self.counter[0]}"

    def nested(self) -> Scope:
        return replace(
            self,
            copies=list(self.copies),
            results=list(self.results),
            lists=list(self.lists),
            indices=list(self.indices),
            writers=list(self.writers),
            endings=list(self.endings),
            depth=self.depth + 1,
        )

    def copy(self) -> Tensor:
        """A copy to read; the source itself where none is left."""
        if not self.copies:
            return self.source
        if len(self.copies) > 1 and self.choices.chance(30):
            return self.choices.pick(self.copies)
        return self.copies[-1]
