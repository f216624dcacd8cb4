"""What is known of one scope, asked about nodes and names."""

from __future__ import annotations

import ast

import pytest

from .helpers import facts_of


def shown(text: str) -> str:
    facts = facts_of(f"def f(x):\n    return ({text})\n")
    (returned,) = facts.nodes(ast.Return)
    assert returned.value is not None
    return facts.shown(returned.value)


@pytest.mark.parametrize("length", [1, 59, 60])
def test_a_short_expression_is_shown_whole(length: int) -> None:
    assert shown("x" * length) == "x" * length


def test_a_long_expression_is_cut() -> None:
    assert shown("x" * 61) == "x" * 57 + "..."


def test_an_expression_of_several_lines_is_shown_on_one() -> None:
    assert shown("x +\n    1") == "x + 1"


def test_nodes_are_the_same_each_time() -> None:
    facts = facts_of("def f(x):\n    return g(x) + g(x)\n")
    assert len(facts.nodes(ast.Call)) == 2
    assert len(facts.nodes(ast.Call)) == 2
    assert facts.nodes(ast.Lambda) == []


@pytest.mark.parametrize("word", ["global", "nonlocal"])
def test_names_that_another_function_declares(word: str) -> None:
    code = f"def f(x):\n    y = 1\n    def g():\n        {word} x\n        x = y\n"
    facts = facts_of(code)
    assert facts.is_declared("x")
    assert not facts.is_declared("y")


def test_a_word_in_a_comment_declares_nothing() -> None:
    assert not facts_of("def f(x):\n    return x  # global x\n").is_declared("x")
