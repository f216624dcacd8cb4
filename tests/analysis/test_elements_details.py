"""Kinds of elements where two readings of the code are close."""

from __future__ import annotations

import pytest

from upcast_lint.analysis.elements import Elements

from .test_elements import judge, judge_expression


def test_indices_say_which_call_made_them() -> None:
    verdict = judge_expression("x.topk(4).indices")
    assert verdict.elements is Elements.NOT_FLOAT
    assert verdict.reason == "indices of `x.topk`"


@pytest.mark.parametrize(
    ("expression", "elements"),
    [
        ("(x > 0) * (len(x) * 2)", Elements.NOT_FLOAT),
        ("(x > 0) * (len(x) / 2)", Elements.WIDE),
        ("(x > 0) * (len(x) * 0.5)", Elements.WIDE),
        ("(x > 0) * (0.5 * 2.0)", Elements.WIDE),
        ("(x > 0) / len(x)", Elements.WIDE),
    ],
)
def test_bools_times_a_number(expression: str, elements: Elements) -> None:
    assert judge_expression(expression).elements is elements


@pytest.mark.parametrize(
    ("expression", "elements"),
    [
        ("x.half() if n else x.double()", Elements.FLOAT),
        ("x.half() if n else x.bfloat16()", Elements.FLOAT),
        ("x.half() if n else x", Elements.UNKNOWN),
        ("x.half() if n else 1", Elements.UNKNOWN),
        ("1 if n else 0.5", Elements.UNKNOWN),
        ("torch.tensor([1, 2])", Elements.NOT_FLOAT),
        ("torch.tensor([1, n])", Elements.UNKNOWN),
        ("torch.tensor([1, 0.5])", Elements.FLOAT),
        ("torch.tensor(n)", Elements.UNKNOWN),
        ("torch.exp(x).guess()", Elements.UNKNOWN),
        ("torch.exp(x).new_zeros(4)", Elements.FLOAT),
    ],
)
def test_alternatives_and_methods(expression: str, elements: Elements) -> None:
    assert judge_expression(expression).elements is elements


@pytest.mark.parametrize(
    ("test", "elements"),
    [
        ("x.dtype in (torch.bool, torch.float16)", Elements.UNKNOWN),
        ("x.dtype != torch.int64", Elements.UNKNOWN),
        ("x.dtype not in (torch.bool, torch.float32)", Elements.UNKNOWN),
        ("x.dtype in (torch.float16, torch.float32)", Elements.FLOAT),
    ],
)
def test_a_type_among_several(test: str, elements: Elements) -> None:
    code = f"""
        def f(x):
            if {test}:
                x = x.float()
            return x.argmax(-1)
    """
    assert judge(code).elements is elements
