"""Annotations of local names, and names of the module."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.scenes import scene
from upcast_lint.analysis.scalars import Operand, classify_operand

from .test_scalars import operand


def test_an_annotated_name_is_what_it_says() -> None:
    assert operand("s: float = scale(x)\nreturn x * s") is Operand.NUMBER
    assert operand("s: Tensor = scale(x)\nreturn x * s") is Operand.TENSOR


def test_an_annotation_that_says_nothing_leaves_the_value() -> None:
    assert operand("s: Scale = 2.0\nreturn x * s") is Operand.NUMBER
    assert operand("s: Scale = scale(x)\nreturn x * s") is Operand.UNKNOWN


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("SCALE = 2.0", Operand.NUMBER),
        ("SCALE = load()", Operand.UNKNOWN),
        ("SCALE = 2.0\nSCALE = 3.0", Operand.UNKNOWN),
        ("for SCALE in t: pass", Operand.UNKNOWN),
    ],
)
def test_a_name_of_the_module(bound: str, expected: Operand) -> None:
    found = scene(f"{bound}\ndef f(x):\n    return x + SCALE\n")
    (returned,) = (n for n in found.nodes() if isinstance(n, ast.Return))
    assert isinstance(returned.value, ast.BinOp)
    assert classify_operand(returned.value.right, found.facts) is expected
