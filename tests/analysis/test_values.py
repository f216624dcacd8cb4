"""Literal values."""

from __future__ import annotations

import ast

import pytest

from upcast_lint.analysis.values import integer, is_false


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    "text", ["True", "False", "1.0", "'1'", "None", "n", "+1", "1 - 2", "-1.0"]
)
def test_no_integer(text: str) -> None:
    assert integer(expression(text)) is None


def test_nothing_is_no_integer() -> None:
    assert integer(None) is None


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("7", 7), ("-1", -1), ("0x10", 16), ("-(2)", -2)]
)
def test_integer(text: str, value: int) -> None:
    assert integer(expression(text)) == value


@pytest.mark.parametrize("text", ["True", "1", "flag", "'False'", "not True", "()"])
def test_a_flag_that_may_be_on(text: str) -> None:
    assert not is_false(expression(text))


@pytest.mark.parametrize("text", ["False", "None", "0", "0.0"])
def test_a_flag_that_is_off(text: str) -> None:
    assert is_false(expression(text))


def test_a_flag_that_is_absent_is_off() -> None:
    assert is_false(None)
