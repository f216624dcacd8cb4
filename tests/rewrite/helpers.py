"""Rewrites of small functions, all tiers, whatever the width."""

from __future__ import annotations

from textwrap import dedent

from upcast_lint.finding import Confidence, Finding, Safety
from upcast_lint.linter import Mended, Options, lint, mend
from upcast_lint.source import Source

OPTIONS = Options(least=Confidence.LOW)
IMPORTS = "import torch\nimport torch.nn.functional as F\n\n\n"


def source_of(text: str) -> Source:
    return Source.from_bytes(text.encode(), "test.py")


def found(text: str) -> tuple[Finding, ...]:
    return lint(source_of(text), OPTIONS)


def mended(text: str) -> Mended:
    findings = tuple(
        f
        for f in found(text)
        if f.fix is not None and f.fix.safety is not Safety.DISPLAY
    )
    return mend(source_of(text), OPTIONS, findings)


def rewritten(code: str) -> str:
    """A snippet after one round of all fixes, without the imports it is given.

    The rewrite has to pass its checks and to leave nothing for a second round.
    """
    result = mended(IMPORTS + dedent(code).lstrip("\n"))
    assert result.refusal is None, result.refusal
    again = mended(result.text)
    assert again.text == result.text, "the second round changes something"
    return result.text.removeprefix(IMPORTS)


def expected(code: str) -> str:
    return dedent(code).lstrip("\n")


def unfixed(code: str) -> list[str]:
    """Why each finding of a snippet is not rewritten; empty for those that are."""
    notes: list[str] = []
    for finding in found(IMPORTS + dedent(code).lstrip("\n")):
        reasons = [n for n in finding.notes if n.startswith("not rewritten: ")]
        notes += [r.removeprefix("not rewritten: ") for r in reasons] or [""]
        assert bool(reasons) == (finding.fix is None)
    return notes
