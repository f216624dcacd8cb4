"""Rows of a text: their functions, and their line ends."""

from __future__ import annotations

import ast

import pytest

from upcast_lint.analysis.parents import Parents
from upcast_lint.rewrite.passages import line_end
from upcast_lint.source import Source

CODE = """\
import torch

@decorated
def f(x):
    def inner():
        pass
    return x

y = 1
async def g(): pass
"""


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (1, None),
        (2, None),
        (3, "f"),
        (4, "f"),
        (6, "f"),
        (7, "f"),
        (8, None),
        (9, None),
        (10, "g"),
        (11, None),
    ],
)
def test_the_function_that_has_a_part_in_a_row(row: int, name: str | None) -> None:
    function = Parents(ast.parse(CODE)).function_at(row)
    assert (function and function.name) == name


@pytest.mark.parametrize(
    ("text", "row", "end"),
    [
        ("a\r\nb\n", 1, "\r\n"),
        ("a\r\nb\n", 2, "\n"),
        ("a\r\nb", 2, "\r\n"),
        ("a\nb\r\nc", 3, "\n"),
        ("a", 1, "\n"),
    ],
)
def test_the_line_end_of_a_row(text: str, row: int, end: str) -> None:
    assert line_end(Source.from_bytes(text.encode(), "test.py"), row) == end
