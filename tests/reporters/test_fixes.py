"""A fix is one thing in every format: each of its parts alone would be wrong.

What a program would do with a report is done here, with nothing but the report and the
file's bytes, and compared with what `--fix` makes of the file.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from upcast_lint.checker import FixMode, Job, check_bytes
from upcast_lint.finding import Confidence
from upcast_lint.linter import Options
from upcast_lint.report import Report
from upcast_lint.reporters import renderer
from upcast_lint.runner import Outcome

ROOT = Path(__file__).resolve().parents[2]
JOB = Job(Options(least=Confidence.LOW))
SUNK = """\
import torch


def loss(logits, ids, full):
    é = "ü"; wide = logits.float()  # é
    if full:
        return wide.logsumexp(-1)
    picked = wide.gather(-1, ids.unsqueeze(-1))
    return picked.squeeze(-1)
"""
TWICE = """\
def both(logits, scores_logits, ids):
    a = logits.float()
    b = scores_logits.float()
    return a[:, -1], b.argmax(-1)
"""
UNSAFE = "def f(logits, ids):\n    wide = logits.float()\n    return wide[:, ids]\n"
TEXTS = {
    "sunk": SUNK,
    "crlf": SUNK.replace("\n", "\r\n"),
    "tabs": SUNK.replace("    ", "\t"),
    "no final line end": SUNK.rstrip(),
    "twice": TWICE,
    "unsafe": UNSAFE,
    "idle": TWICE.replace("a = ", "c = 1  # noqa: UPC002\n    a = "),
} | {path.name: path.read_text("utf-8") for path in (ROOT / "examples").glob("*.py")}

Replacement = tuple[int, int, str]
"""From where to where in the text, and with what."""


def rendered(name: str, text: str) -> Any:
    checked = check_bytes(text.encode(), "x.py", JOB)
    outcome = Outcome("x.py", "/root/x.py", checked)
    return json.loads(renderer(name)(Report((outcome,), {}, [], root="/root")))


def starts(text: str) -> list[int]:
    lines = text.splitlines(keepends=True)
    return [0, *(sum(map(len, lines[: n + 1])) for n in range(len(lines)))]


def by_rdjson(text: str) -> list[list[Replacement]]:
    lines = text.splitlines()

    def offset(position: dict[str, int]) -> int:
        row = position["line"] - 1
        line = lines[row] if row < len(lines) else ""
        before = line.encode()[: position["column"] - 1].decode()
        return starts(text)[row] + len(before)

    found = []
    for diagnostic in rendered("rdjson", text)["diagnostics"]:
        suggestions = diagnostic.get("suggestions", [])
        assert len(suggestions) <= 1
        for each in suggestions:
            at = each["range"]
            found.append([(offset(at["start"]), offset(at["end"]), each["text"])])
    return found


def by_json(text: str) -> list[list[Replacement]]:
    def offset(position: dict[str, int]) -> int:
        return starts(text)[position["row"] - 1] + position["column"] - 1

    return [
        [
            (offset(e["location"]), offset(e["end_location"]), e["content"])
            for e in row["fix"]["edits"]
        ]
        for row in rendered("json", text)
        if row["fix"] and row["fix"]["applicability"] == "safe"
    ]


def by_sarif(text: str) -> list[list[Replacement]]:
    def offset(row: int, column: int) -> int:
        return starts(text)[row - 1] + column - 1

    found = []
    for result in rendered("sarif", text)["runs"][0]["results"]:
        fixes = result.get("fixes", [])
        assert len(fixes) <= 1
        for fix in fixes:
            (change,) = fix["artifactChanges"]
            if not fix["description"]["text"].endswith("(safe)"):
                continue
            replacements = []
            for each in change["replacements"]:
                at = each["deletedRegion"]
                start = offset(at["startLine"], at["startColumn"])
                end = offset(at["endLine"], at["endColumn"])
                replacements.append((start, end, each["insertedContent"]["text"]))
            found.append(replacements)
    return found


def applied(text: str, replacements: list[Replacement]) -> str:
    for start, end, content in sorted(replacements, reverse=True):
        text = text[:start] + content + text[end:]
    return text


READERS = [by_rdjson, by_json, by_sarif]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("reader", READERS)
def test_fixes_made_by_a_reader_of_the_report_are_those_of_the_fixer(
    reader: Callable[[str], list[list[Replacement]]], name: str
) -> None:
    """One a round, whichever comes first; then the report is asked for again."""
    text = TEXTS[name]
    fixed = check_bytes(text.encode(), "x.py", JOB._replace(fix=FixMode.SAFE)).data
    while fixes := reader(text):
        text = applied(text, fixes[0])
        ast.parse(text)
    assert text == (TEXTS[name] if fixed is None else fixed.decode())


@pytest.mark.parametrize("name", TEXTS)
def test_every_format_means_the_same_change(name: str) -> None:
    text = TEXTS[name]
    results = [[applied(text, fix) for fix in reader(text)] for reader in READERS]
    assert results[0] == results[1] == results[2]


def test_an_unsafe_fix_is_described_and_not_suggested() -> None:
    (diagnostic,) = rendered("rdjson", UNSAFE)["diagnostics"]
    assert "suggestions" not in diagnostic
    assert "; the fix is unsafe: " in diagnostic["message"]
