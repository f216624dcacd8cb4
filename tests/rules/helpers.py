"""Run the linter in process on code as a test writes it."""

from __future__ import annotations

from textwrap import dedent

from upcast_lint.finding import Confidence, Finding, Safety
from upcast_lint.linter import Options, lint, mend
from upcast_lint.source import Source

OPTIONS = Options(least=Confidence.LOW)


def with_torch(body: str) -> str:
    """`body`, dedented, after the imports that most code begins with."""
    imports = "import torch\nimport torch.nn.functional as F\n\n\n"
    return imports + dedent(body).lstrip("\n")


def found(code: str) -> list[Finding]:
    """The findings of every rule, whatever the width of the source."""
    return list(lint(_source(code), OPTIONS))


def codes(code: str) -> list[str]:
    return [finding.code for finding in found(code)]


def fixed(code: str, *, unsafe: bool = False) -> str:
    """The text after all rounds of fixes, unsafe ones only where asked for."""
    source = _source(code)
    allowed = (Safety.SAFE, Safety.UNSAFE) if unsafe else (Safety.SAFE,)
    findings = tuple(
        finding
        for finding in lint(source, OPTIONS)
        if finding.fix is not None and finding.fix.safety in allowed
    )
    mended = mend(source, OPTIONS, findings)
    assert mended.refusal is None, mended.refusal
    if mended.text == code:
        return code
    return fixed(mended.text, unsafe=unsafe)


def _source(code: str) -> Source:
    return Source.from_bytes(code.encode(), "test.py")
