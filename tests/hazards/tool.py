"""What the tool makes of a hazard: its source text is linted, whatever the width.

Each of these asserts one answer. The code that `after` holds is compared by its
statements, so that functions of different names can be compared.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

from upcast_lint.checker import Checked, FixMode, Job, check_bytes
from upcast_lint.finding import Confidence, Finding, Safety
from upcast_lint.linter import Options

Hazard = Callable[..., Any]

_IMPORTS = "import torch\nimport torch.nn.functional as F\n\n\n"


def assert_silent(hazard: Hazard) -> None:
    assert not _check(_text(hazard), FixMode.NONE).findings


def assert_displayed(hazard: Hazard, reason: str) -> None:
    """There is a finding without a rewrite, and it says why."""
    finding = _finding(hazard)
    assert finding.safety is Safety.DISPLAY and finding.fix is None
    assert reason in " ".join(finding.notes)


def assert_safe(hazard: Hazard, after: Hazard) -> None:
    """`--fix` makes `after` of it, under no condition."""
    finding = _finding(hazard)
    assert finding.safety is Safety.SAFE and finding.condition is None
    assert _becomes(hazard, FixMode.SAFE) == _body(_text(after))


def assert_unsafe(hazard: Hazard, after: Hazard, *conditions: str) -> None:
    """Only `--unsafe-fixes` makes `after` of it, and it says under which conditions."""
    finding = _finding(hazard)
    assert finding.safety is Safety.UNSAFE and finding.condition is not None
    for condition in conditions:
        assert condition in finding.condition
    assert _becomes(hazard, FixMode.SAFE) == _body(_text(hazard))
    assert _becomes(hazard, FixMode.UNSAFE) == _body(_text(after))


def _finding(hazard: Hazard) -> Finding:
    (finding,) = _check(_text(hazard), FixMode.NONE).findings
    return finding


def _check(text: str, mode: FixMode) -> Checked:
    job = Job(Options(least=Confidence.LOW), fix=mode)
    return check_bytes(text.encode(), "hazard.py", job)


def _becomes(hazard: Hazard, mode: FixMode) -> str:
    checked = _check(_text(hazard), mode)
    assert checked.refusal is None
    return _body(_text(hazard) if checked.data is None else checked.data.decode())


def _text(function: Hazard) -> str:
    return _IMPORTS + inspect.getsource(function)


def _body(text: str) -> str:
    function = ast.parse(text).body[-1]
    assert isinstance(function, ast.FunctionDef)
    return "\n".join(map(ast.unparse, function.body))
