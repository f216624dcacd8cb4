from __future__ import annotations

import math

import pytest
import torch

from upcast_lint.verify.comparison import compare, compare_gradients, compare_outputs
from upcast_lint.verify.execution import Outcome


def outcome(**fields: object) -> Outcome:
    return Outcome(**{"outputs": {}, "inputs": {}, "gradients": {}, **fields})  # type: ignore[arg-type]


def nan_with_payload(payload: int) -> torch.Tensor:
    return torch.tensor([0x7FC00000 | payload], dtype=torch.int32).view(torch.float32)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (torch.tensor([1.0]), torch.tensor([1.0])),
        (torch.tensor([math.inf, math.nan]), torch.tensor([math.inf, math.nan])),
        (nan_with_payload(1), nan_with_payload(2)),
        (torch.tensor([1, 2]), torch.tensor([1, 2])),
        (torch.empty(0, 3), torch.empty(0, 3)),
        (torch.ones(2, 3), torch.ones(3, 2).T),
        (math.nan, math.nan),
        (None, None),
        (torch.float32, torch.float32),
    ],
)
def test_outputs_that_are_the_same(before: object, after: object) -> None:
    assert compare_outputs("result", before, after) is None


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        (torch.tensor([0.0]), torch.tensor([-0.0]), "bits"),
        (torch.tensor([1.0]), torch.tensor([1.0 + 2**-23]), "bits"),
        (torch.tensor([math.nan]), torch.tensor([1.0]), "NaN"),
        (torch.ones(2), torch.ones(2, dtype=torch.float64), "torch.float64 after"),
        (torch.ones(2), torch.ones(2, 1), "shape"),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), "elements differ"),
        (torch.ones(1), 1.0, "a Tensor before, a float after"),
        (1, 2, "1 before, 2 after"),
        (object(), object(), "a object cannot be compared"),
    ],
)
def test_outputs_that_are_not(before: object, after: object, what: str) -> None:
    mismatch = compare_outputs("result", before, after)
    assert mismatch is not None and what in str(mismatch)


def test_a_gradient_is_forgiven_the_sign_of_zero_and_nothing_else() -> None:
    zero = torch.tensor([0.0, math.nan])
    assert compare_gradients("x", zero, torch.tensor([-0.0, math.nan])) is None
    mismatch = compare_gradients("x", zero, torch.tensor([1e-45, math.nan]))
    assert mismatch is not None and mismatch.largest == pytest.approx(1.4e-45)
    assert compare_gradients("x", zero, None) is not None


def test_an_error_after_alone_is_a_difference_in_outputs() -> None:
    found = compare(outcome(), outcome(error="IndexError", message="out of range"))
    assert str(found.outputs[0]) == (
        "raises: no error before, IndexError after: out of range"
    )


def test_where_it_raised_before_nothing_is_lost() -> None:
    raised = outcome(error="RuntimeError")
    for after in (outcome(outputs={"result": 1}), raised, outcome(error="IndexError")):
        assert not compare(raised, after).outputs


def test_an_error_that_a_rewrite_makes_is_never_forgiven() -> None:
    raised = outcome(error="RuntimeError")
    assert compare(raised, outcome(error="NameError")).outputs
    assert not compare(outcome(error="NameError"), outcome(error="NameError")).outputs


def test_what_no_process_can_hand_over_cannot_be_compared() -> None:
    closure = {"type": "function"}
    mismatch = compare_outputs("result", closure, dict(closure))
    assert str(mismatch) == "result: a function cannot be compared"
    other = compare_outputs("result", closure, 1)
    assert str(other) == "result: a function before, a int after"


def test_a_written_input_is_a_difference_in_outputs() -> None:
    before = outcome(inputs={"x": torch.zeros(2)})
    assert compare(before, outcome(inputs={"x": torch.ones(2)})).outputs


def test_strides_are_reported_and_no_difference() -> None:
    same = {"outputs": {"result": torch.ones(4)}}
    before = outcome(**same, strides={"result": (4,)})
    found = compare(before, outcome(**same, strides={"result": (1,)}))
    assert not found.outputs and found.restrided == ("result",)


def test_a_missing_leaf_is_a_difference() -> None:
    found = compare(outcome(outputs={"result[0]": 1}), outcome())
    assert "exists only before" in str(found.outputs[0])
