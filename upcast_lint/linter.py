"""Find, judge and mend: one source in, findings or a new text out."""

from __future__ import annotations

from dataclasses import dataclass, field

from .finding import Finding
from .source import Source


@dataclass(frozen=True, slots=True)
class Options:
    """What the findings of one file depend on, besides its text."""

    codes: frozenset[str] | None = None
    """The rules to run; None runs all."""
    any_width: bool = False
    """Report every source with a narrow selection, not only vocab-wide ones."""
    vocab_names: tuple[str, ...] = ()
    """Glob patterns of identifiers that name vocab-wide tensors."""
    not_vocab_names: tuple[str, ...] = ()
    inference: bool = False
    """The configuration states that no gradient flows in this file."""


@dataclass(frozen=True, slots=True)
class Mended:
    """`text` after the fixes; `fixed` are the findings it mends.

    Where a check on the result failed, `text` is the original, `fixed` is empty and
    `refusal` says which check.
    """

    text: str
    fixed: tuple[Finding, ...] = field(default=())
    refusal: str | None = None


def lint(source: Source, options: Options) -> tuple[Finding, ...]:
    """All findings, in order. Raises SyntaxError where the text does not parse."""
    raise NotImplementedError


def mend(source: Source, options: Options, findings: tuple[Finding, ...]) -> Mended:
    """Make the fixes of `findings` (the caller has chosen which), and check them."""
    raise NotImplementedError
