"""Values: what the low dtype rounds, ties or rewrites."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

from .support import random_bf16
from .tool import assert_safe, assert_silent, assert_unsafe

FIRST = torch.zeros(4, 1, dtype=torch.long)
MASK = torch.zeros(4, 64, dtype=torch.bool)
MASK[:, 0] = True


def h10_nan_selected(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return logits.float().gather(-1, labels.unsqueeze(-1))


def h10_nan_selected_naive(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return logits.gather(-1, labels.unsqueeze(-1)).float()


def test_h10_nan_payloads_are_rewritten_is_real() -> None:
    payloads = torch.tensor([[0x7FC0, 0x7F81]] * 2, dtype=torch.int16)
    x, labels = payloads.view(torch.bfloat16), torch.tensor([0, 1])
    before, after = h10_nan_selected(x, labels), h10_nan_selected_naive(x, labels)
    assert before.isnan().all() and after.isnan().all()
    assert not torch.equal(before.view(torch.int32), after.view(torch.int32))


def test_h10_the_payload_of_a_nan_is_forgiven_is_respected() -> None:
    assert_safe(h10_nan_selected, h10_nan_selected_naive)


Arithmetic = Callable[[torch.Tensor], torch.Tensor]

ROUNDED: dict[str, Arithmetic] = {
    "division": lambda x: x / 0.7,
    "addition": lambda x: x + 1,
    "fill": lambda x: x.masked_fill(MASK, -1e9),
    "clamp": lambda x: x.clamp(-0.1, 0.1),
    "softcap": lambda x: (x / 30).tanh() * 30,
    "limits of the dtype": lambda x: torch.where(MASK, torch.finfo(x.dtype).min, x),
}
EXACT: dict[str, Arithmetic] = {
    "negation": lambda x: -x,
    "magnitude": lambda x: x.abs(),
    "relu": lambda x: x.relu(),
    "infinite fill": lambda x: x.masked_fill(MASK, -math.inf),
    "representable clamp": lambda x: x.clamp(-1, 1),
}


def h13_temperature(x: torch.Tensor) -> torch.Tensor:
    return (x.float() / 0.7).gather(-1, FIRST)


def h13_temperature_naive(x: torch.Tensor) -> torch.Tensor:
    return (x / 0.7).gather(-1, FIRST).float()


def h13_temperature_lifted(x: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, FIRST).float() / 0.7


def test_h13_a_temperature_below_the_cast_is_real() -> None:
    x = random_bf16(4, 64)
    assert not torch.equal(h13_temperature(x), h13_temperature_naive(x))
    assert torch.equal(h13_temperature(x), h13_temperature_lifted(x))


@pytest.mark.parametrize("name", ROUNDED)
def test_h13_constants_and_arithmetic_round_is_real(name: str) -> None:
    x, change = random_bf16(4, 64), ROUNDED[name]
    assert not torch.equal(change(x.float()), change(x).float())


@pytest.mark.parametrize("name", EXACT)
def test_h13_exact_operators_do_not_round_is_real(name: str) -> None:
    x, change = random_bf16(4, 64), EXACT[name]
    assert torch.equal(change(x.float()), change(x).float())


def h13_constant_fill(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return x.float().masked_fill(mask, -1e9).gather(-1, FIRST)


def h13_exact_negation(logits: torch.Tensor) -> torch.Tensor:
    return (-logits.float())[:, -1]


def h13_exact_negation_naive(logits: torch.Tensor) -> torch.Tensor:
    return (-logits)[:, -1].float()


def test_h13_arithmetic_stays_behind_the_cast_is_respected() -> None:
    """The selection is lifted over it; only what is exact may go below the cast."""
    assert_unsafe(h13_temperature, h13_temperature_lifted, "repeats in `FIRST`")
    assert_silent(h13_constant_fill)
    assert_safe(h13_exact_negation, h13_exact_negation_naive)


def h19_narrowing_cast(x: torch.Tensor) -> torch.Tensor:
    return x.bfloat16().argmax(-1)


def h19_narrowing_cast_naive(x: torch.Tensor) -> torch.Tensor:
    return x.argmax(-1)


def h19_largest_count(counts: torch.Tensor) -> torch.Tensor:
    return counts.float().argmax(-1)


def h19_largest_count_naive(counts: torch.Tensor) -> torch.Tensor:
    return counts.argmax(-1)


def h19_largest_of_unknown_type(x: torch.Tensor) -> torch.Tensor:
    return x.float().argmax(-1)


def h19_largest_of_unknown_type_naive(x: torch.Tensor) -> torch.Tensor:
    return x.argmax(-1)


def test_h19_a_narrowing_cast_makes_ties_is_real() -> None:
    x = torch.tensor([[1.0, 1.001]])
    assert h19_narrowing_cast(x).item() == 0 and h19_narrowing_cast_naive(x).item() == 1
    integers = torch.tensor([[2**24, 2**24 + 1]])
    assert h19_largest_count(integers).item() == 0
    assert h19_largest_count_naive(integers).item() == 1


def test_h19_a_cast_that_may_narrow_is_respected() -> None:
    assert_silent(h19_narrowing_cast)
    assert_silent(h19_largest_count)
    assert_unsafe(
        h19_largest_of_unknown_type,
        h19_largest_of_unknown_type_naive,
        "a float type no wider than float32",
    )


def h31_index_from_the_scaled_copy(
    x: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    wide = x.float()
    index = (wide / 0.7).topk(64, -1).indices
    return index, wide.gather(-1, index)


def h31_index_from_the_scaled_copy_naive(
    x: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    index = (x / 0.7).topk(64, -1).indices
    return index, x.gather(-1, index).float()


def test_h31_an_index_from_the_scaled_source_is_real() -> None:
    x = random_bf16(2, 4096)
    index, _ = h31_index_from_the_scaled_copy(x)
    assert not torch.equal(index, h31_index_from_the_scaled_copy_naive(x)[0])


def test_h31_an_index_from_the_scaled_copy_is_respected() -> None:
    assert_silent(h31_index_from_the_scaled_copy)


def h32_normalised_over_everything(
    x: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    return x.float().log_softmax(-1).gather(-1, index)


def h32_normalised_over_everything_naive(
    x: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    return x.log_softmax(-1).gather(-1, index).float()


def h32_normalised_over_the_selection(
    x: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    return x.gather(-1, index).float().log_softmax(-1)


def test_h32_log_softmax_needs_every_column_is_real() -> None:
    x = random_bf16(8, 4096)
    index = torch.arange(16).expand(8, 16)
    before = h32_normalised_over_everything(x, index)
    assert not torch.equal(before, h32_normalised_over_everything_naive(x, index))
    assert (before - h32_normalised_over_the_selection(x, index)).abs().min() > 1


def test_h32_a_normalisation_before_the_selection_is_respected() -> None:
    assert_silent(h32_normalised_over_everything)


def h35_compared_with_a_constant(x: torch.Tensor) -> torch.Tensor:
    return x.float()[x.float() > 0.1]


def h35_compared_with_a_constant_naive(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0.1].float()


def test_h35_a_threshold_is_rounded_to_the_low_dtype_is_real() -> None:
    x = torch.tensor([0.1, 0.3]).bfloat16()
    assert len(h35_compared_with_a_constant(x)) == 2
    assert len(h35_compared_with_a_constant_naive(x)) == 1


def h35_compared_with_a_constant_behind_the_cast(x: torch.Tensor) -> torch.Tensor:
    return x[x.float() > 0.1].float()


def test_h35_a_threshold_stays_behind_the_cast_is_respected() -> None:
    x = torch.tensor([0.1, 0.3]).bfloat16()
    assert len(h35_compared_with_a_constant_behind_the_cast(x)) == 2
    assert_safe(
        h35_compared_with_a_constant, h35_compared_with_a_constant_behind_the_cast
    )


def h41_largest_of_each_row(logits: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return logits.float().amax(-1)


def h41_largest_of_each_row_naive(logits: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return logits.amax(-1).float()


def h41_largest_of_all(logits: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return logits.float().max()


def h41_largest_of_all_naive(logits: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return logits.max().float()


def h41_first_of_each_row(logits: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return logits.float().max(-1).values


def h41_first_of_each_row_naive(logits: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return logits.max(-1).values.float()


def h41_largest_probability(logits: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return logits.softmax(-1).float().amax(-1)


def h41_largest_probability_naive(logits: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return logits.softmax(-1).amax(-1).float()


def zeros_of_both_signs(seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    is_positive = torch.rand(3, 40, generator=generator) < 0.5
    return torch.where(is_positive, 0.0, -0.0).bfloat16()


@pytest.mark.parametrize(
    ("before", "after", "differs"),
    [
        (h41_largest_of_each_row, h41_largest_of_each_row_naive, True),
        (h41_largest_of_all, h41_largest_of_all_naive, True),
        (h41_first_of_each_row, h41_first_of_each_row_naive, False),
    ],
)
def test_h41_the_sign_of_a_zero_that_ties_is_real(
    before: Callable[[torch.Tensor], torch.Tensor],
    after: Callable[[torch.Tensor], torch.Tensor],
    differs: bool,
) -> None:
    """Which zero is the largest depends on how many elements a vector register holds.

    `max(dim)` is documented to return the first. `==` takes both zeros for equal,
    dividing by them does not.
    """
    found = []
    for zeros in map(zeros_of_both_signs, range(40)):
        assert torch.equal(before(zeros), after(zeros))
        found.append(torch.equal(1 / before(zeros), 1 / after(zeros)))
    assert all(found) is not differs


def test_h41_a_zero_of_either_sign_is_respected() -> None:
    for before, after in (
        (h41_largest_of_each_row, h41_largest_of_each_row_naive),
        (h41_largest_of_all, h41_largest_of_all_naive),
    ):
        assert_unsafe(before, after, "zeros of both signs do not tie")
    assert_safe(h41_first_of_each_row, h41_first_of_each_row_naive)
    assert_safe(h41_largest_probability, h41_largest_probability_naive)
