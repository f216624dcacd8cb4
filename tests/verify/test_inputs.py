from __future__ import annotations

import itertools

import pytest
import torch

from upcast_lint.verify.inputs import Conditions, Layout, Values, make_inputs
from upcast_lint.verify.specification import DType, parse_inputs

SEEDS = range(20)


def make(text: str, **conditions: object) -> dict[str, torch.Tensor]:
    given = {"low": DType.BF16, **conditions}
    return make_inputs(parse_inputs(text), Conditions(**given))  # type: ignore[arg-type]


@pytest.mark.parametrize("values", Values)
@pytest.mark.parametrize("layout", Layout)
def test_the_same_conditions_make_the_same_inputs(
    layout: Layout, values: Values
) -> None:
    text = "x=low[3,4,6] grad; i=i64[3,4]<6 repeated; m=bool[3]"
    first = make(text, layout=layout, values=values)
    second = make(text, layout=layout, values=values)
    for name in first:
        assert torch.equal(first[name].nan_to_num(), second[name].nan_to_num())
        assert first[name].stride() == second[name].stride()


@pytest.mark.parametrize("layout", Layout)
def test_layouts_hold_the_same_values(layout: Layout) -> None:
    plain, laid_out = make("x=low[3,4,6]"), make("x=low[3,4,6]", layout=layout)
    assert torch.equal(plain["x"], laid_out["x"])
    assert laid_out["x"].is_contiguous() is (layout is Layout.CONTIGUOUS)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_index_has_the_repeats_that_it_is_said_to_have(seed: int) -> None:
    made = make(
        "d=i64[2,4,8]<16 distinct; r=i64[2,4,8]<16 repeated; p=i64[2,4,8]<16 padded;"
        " v=i64[8]<16 padded",
        seed=seed,
    )
    for row in made["d"].reshape(-1, 8):
        assert len(row.unique()) == 8
    for row in made["r"].reshape(-1, 8):
        assert len(row.unique()) < 8
    for batch, position in itertools.product(range(2), range(4)):
        row = made["p"][batch, position]
        assert len(row.unique()) == (8 if position < 2 else 1)
    assert made["p"][:, 2:].eq(0).all()
    assert made["v"][4:].eq(0).all() and len(made["v"][:4].unique()) == 4


def test_a_padded_mask_covers_a_padded_index() -> None:
    made = make("p=i64[2,4,8]<16 padded; m=bool[2,4] padded")
    assert torch.equal(made["p"].eq(0).all(-1), ~made["m"])


def test_special_values_hold_every_kind() -> None:
    x = make("x=low[40,40]", values=Values.SPECIAL, low=DType.F16)["x"]
    assert x.isnan().any() and x.isposinf().any() and x.isneginf().any()
    zeros = x[x == 0]
    assert zeros.signbit().any() and not zeros.signbit().all()


def test_ties_are_many() -> None:
    x = make("x=low[4,64]", values=Values.TIES)["x"]
    assert len(x.unique()) < 16


def test_empty_inputs_agree_in_their_leading_size() -> None:
    made = make("x=low[3,4]; i=i64[3]<4; k=i64[2]<4", values=Values.EMPTY)
    assert made["x"].shape == (0, 4)
    assert made["i"].shape == (0,)
    assert made["k"].shape == (2,)
