"""Scenarios as they are written: sections of Markdown files, read and executed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.costs import costlier
from tests.fuzz.execution import EXACT, difference, execute, load
from tests.fuzz.inputs import variants
from upcast_lint.checker import Checked, FixMode, Job, check_bytes
from upcast_lint.finding import Confidence, Safety
from upcast_lint.linter import Options

HEADER = """\
import contextlib
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


"""
_VARIANTS = 24
_SECTION = re.compile(r"^## (?P<title>.+)\n(?P<body>(?:(?!^## ).*\n?)*)", re.M)
_BLOCK = re.compile(
    r"(?:^(?P<label>\w+):\n\n)?^```python\n(?P<code>.*?)^```$", re.M | re.S
)
_VERDICT = re.compile(
    r"^(?P<word>safe|unsafe|unsafe, unseen|display|silent)(?:: (?P<text>.+))?$", re.M
)
_FENCED = re.compile(r"^(`{3,}).*?^\1$", re.M | re.S)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One section. `text` has to be part of what the finding says."""

    file: str
    title: str
    code: str
    verdict: str
    text: str
    becomes: str | None
    never: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file}: {self.title}"


def scenarios_of(path: Path) -> Iterator[Scenario]:
    """The scenarios of a file. Raises ValueError for one that cannot be read."""
    for section in _SECTION.finditer(path.read_text(encoding="utf-8")):
        title, body = section["title"].strip(), section["body"]
        blocks = [(b["label"], b["code"]) for b in _BLOCK.finditer(body)]
        verdicts = list(_VERDICT.finditer(_FENCED.sub("", body)))
        labels = [label for label, _ in blocks]
        if labels[:1] != [None] or {*labels[1:]} - {"Becomes", "Never"}:
            raise ValueError(f"{path.name}: {title}: blocks {labels}")
        if len(verdicts) != 1:
            raise ValueError(f"{path.name}: {title}: {len(verdicts)} verdicts")
        yield Scenario(
            path.stem,
            title,
            HEADER + blocks[0][1],
            verdicts[0]["word"],
            verdicts[0]["text"] or "",
            next((code for label, code in blocks if label == "Becomes"), None),
            tuple(HEADER + code for label, code in blocks if label == "Never"),
        )


def checked(code: str, mode: FixMode) -> Checked:
    """What `check --width any` makes of a program."""
    return check_bytes(
        code.encode(), "scenario.py", Job(Options(least=Confidence.LOW), fix=mode)
    )


def judge(scenario: Scenario) -> None:
    """Raises AssertionError where a scenario does not hold."""
    findings = checked(scenario.code, FixMode.NONE).findings
    assert all(f.code < "UPC900" for f in findings), findings
    said = [
        " ".join([*((f.condition,) if f.condition else ()), *f.notes]) for f in findings
    ]
    if scenario.verdict == "silent":
        assert not findings, [f.message for f in findings]
    else:
        word = scenario.verdict.partition(",")[0]
        assert findings, "no finding"
        assert {f.safety for f in findings} == {Safety(word)}, (
            [f.safety.value for f in findings],
            said,
        )
        assert any(scenario.text in each for each in said), said
    if scenario.verdict in ("silent", "display"):
        assert scenario.becomes is None, "nothing is rewritten"
    else:
        _judge_rewrite(scenario)
    for wrong in scenario.never:
        assert differences(scenario.code, wrong), (
            "the wrong rewrite makes no difference"
        )


def _judge_rewrite(scenario: Scenario) -> None:
    safe = checked(scenario.code, FixMode.SAFE)
    fixed = safe
    if scenario.verdict != "safe":
        assert safe.data is None, "rewritten without being asked"
        fixed = checked(scenario.code, FixMode.UNSAFE)
    assert fixed.refusal is None, fixed.refusal
    assert fixed.data is not None, "not rewritten"
    after = fixed.data.decode()
    if scenario.becomes is not None:
        assert after.removeprefix(HEADER) == scenario.becomes
    found = differences(scenario.code, after)
    if scenario.verdict == "safe":
        assert not found, found[0]
        # Inputs that break a condition may cost more, too.
        more = costlier(scenario.code, after, "f", seed=0)
        assert more is None, more
    elif scenario.verdict == "unsafe":
        assert found, "no input shows a difference: say `unsafe, unseen`"


def differences(before: str, after: str) -> list[str]:
    """How two programs differ, over all inputs. At least one run has to succeed."""
    was, now = load(before, "f"), load(after, "f")
    found: list[str] = []
    ran = False
    for variant in variants(0, _VARIANTS):
        first = execute(was, variant, backward=True)
        ran |= first.error is None
        said = difference(first, execute(now, variant, backward=True), EXACT)
        if said is not None:
            found.append(f"{variant}: {said}")
    assert ran, "raises on every input"
    return found
