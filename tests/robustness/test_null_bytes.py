"""Before 3.11.4 Python's parser has another error for a null byte than for the rest."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

from upcast_lint.checker import FixMode, Job, check_bytes
from upcast_lint.finding import Confidence
from upcast_lint.linter import PARSED_SIZE, Options

CAST = "def f(logits, i):\n    return logits.float()[:, -1]\n"
JOB = Job(Options(least=Confidence.LOW))
TEXTS = {
    "alone": "\0",
    "in a comment": "x = 1  # \0\n",
    "before a cast": "\0" + CAST,
    "in a function with a cast": CAST.replace("return", "x = '\0'; return"),
    "behind a cast": CAST + "x = 1\0\n",
    "in a long file": "x = 1\n" * PARSED_SIZE + CAST + "\0",
    "in a long file without a cast": "x = 1\n" * PARSED_SIZE + "\0",
    "beside a suppression": "x = 1  # noqa: UPC001\n\0",
}


@pytest.fixture(params=["as it is", "as before 3.11.4"])
def parser(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "as it is":
        return
    parse = ast.parse

    def old_parse(source: str, *arguments: Any, **options: Any) -> ast.AST:
        if "\0" in source:
            raise ValueError("source code string cannot contain null bytes")
        return parse(source, *arguments, **options)

    monkeypatch.setattr(ast, "parse", old_parse)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("mode", FixMode)
@pytest.mark.parametrize("name", TEXTS)
def test_a_null_byte_is_a_named_finding(name: str, mode: FixMode) -> None:
    done = check_bytes(TEXTS[name].encode(), "x.py", JOB._replace(fix=mode))
    assert [finding.code for finding in done.findings] == ["UPC900"]
    assert "null bytes" in done.findings[0].message
    assert done.data is None


@pytest.mark.usefixtures("parser")
def test_a_null_byte_in_a_cell_does_not_hide_the_others() -> None:
    cells = [
        {"cell_type": "code", "source": [text]}
        for text in ("x = '\0'\n", "!ls \0\n", CAST)
    ]
    data = json.dumps({"cells": cells, "metadata": {}}).encode()
    found = check_bytes(data, "n.ipynb", JOB).findings
    places = [(each.cell, each.code) for each in found]
    assert places == [(1, "UPC900"), (2, "UPC900"), (3, "UPC004")]
