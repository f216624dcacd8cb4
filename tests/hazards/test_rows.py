"""Hazards of selecting rows before a row-wise operation instead of after it."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from .support import gradient, random_bf16
from .tool import assert_safe, assert_silent, assert_unsafe


def h76_column_of_a_softmax(logits: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return F.softmax(logits.cpu().float(), dim=-1)[:, -1]


def h76_column_of_a_softmax_naive(logits: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return F.softmax(logits.cpu()[:, -1].float(), dim=-1)


def h76_row_of_a_softmax(logits: torch.Tensor) -> torch.Tensor:
    _b, _s, _v = logits.shape
    with torch.no_grad():
        return F.softmax(logits.cpu().float(), dim=-1)[:, -1]


def h76_row_of_a_softmax_naive(logits: torch.Tensor) -> torch.Tensor:
    _b, _s, _v = logits.shape
    with torch.no_grad():
        return F.softmax(logits.cpu()[:, -1].float(), dim=-1)


def h76_softmax_of_another_axis(logits: torch.Tensor) -> torch.Tensor:
    _b, _s, _v = logits.shape
    with torch.no_grad():
        return F.softmax(logits.cpu().float(), dim=-2)[:, -1]


def test_h76_a_row_of_two_dimensions_is_a_column_is_real() -> None:
    """Of logits `[B, V]` the same text takes what the softmax adds up."""
    two, three = random_bf16(4, 9), random_bf16(4, 5, 9)
    assert not torch.equal(
        h76_column_of_a_softmax(two), h76_column_of_a_softmax_naive(two)
    )
    assert torch.equal(h76_row_of_a_softmax(three), h76_row_of_a_softmax_naive(three))


def test_h76_what_takes_columns_is_respected() -> None:
    assert_unsafe(
        h76_column_of_a_softmax,
        h76_column_of_a_softmax_naive,
        "`[:, -1]` takes whole rows, and leaves dimension -1 alone",
    )
    assert_safe(h76_row_of_a_softmax, h76_row_of_a_softmax_naive)
    assert_silent(h76_softmax_of_another_axis)


def h77_sum_of_exponentials(logits: torch.Tensor) -> torch.Tensor:
    _b, _s, _v = logits.shape
    with torch.no_grad():
        return logits.cpu().float().logsumexp(-1)[:2, -1]


def h77_sum_of_exponentials_naive(logits: torch.Tensor) -> torch.Tensor:
    _b, _s, _v = logits.shape
    with torch.no_grad():
        return logits.cpu()[:2, -1].float().logsumexp(-1)


def test_h77_a_row_that_lies_across_memory_adds_in_another_order_is_real() -> None:
    """A softmax makes its operand dense first; a sum does not."""
    differing = 0
    for seed in range(40):
        across = (random_bf16(3, 129, 41, seed=seed) * 4).transpose(1, 2)
        differing += not torch.equal(
            across.float().logsumexp(-1)[across[..., 0] > 0],
            across[across[..., 0] > 0].float().logsumexp(-1),
        )
        assert torch.equal(
            across.float().log_softmax(-1)[:, -1],
            across[:, -1].float().log_softmax(-1),
        )
    assert differing


def test_h77_a_sum_of_rows_is_respected() -> None:
    assert_unsafe(
        h77_sum_of_exponentials,
        h77_sum_of_exponentials_naive,
        "`logsumexp` adds up a row in one order, however it lies in memory",
    )


def h78_likelihoods(logits: torch.Tensor) -> torch.Tensor:
    _b, _s, _v = logits.shape
    return F.log_softmax(logits.cpu().float(), dim=-1)[:, -1]


def h78_likelihoods_naive(logits: torch.Tensor) -> torch.Tensor:
    _b, _s, _v = logits.shape
    return F.log_softmax(logits.cpu()[:, -1].float(), dim=-1)


@pytest.mark.parametrize("fill", [float("-inf"), float("nan")])
def test_h78_a_row_that_nobody_reads_sends_nan_back_is_real(fill: float) -> None:
    """The softmax of a row of -inf is NaN, and NaN · 0 is NaN."""
    logits = random_bf16(2, 3, 8)
    same = gradient(h78_likelihoods, logits), gradient(h78_likelihoods_naive, logits)
    assert torch.equal(*same)
    logits[:, 0] = fill
    assert gradient(h78_likelihoods, logits)[:, 0].isnan().all()
    assert not gradient(h78_likelihoods_naive, logits).isnan().any()


def test_h78_unread_rows_under_a_gradient_is_respected() -> None:
    assert_unsafe(
        h78_likelihoods,
        h78_likelihoods_naive,
        "no gradient flows, or the rows that nobody reads give `log_softmax` no NaN",
    )


def h79_rows_of_a_product(hidden: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    _b, _s, _h = hidden.shape
    with torch.no_grad():
        return (hidden.cpu().float() @ weight)[:, -1]


def h79_rows_of_a_product_naive(
    hidden: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    _b, _s, _h = hidden.shape
    with torch.no_grad():
        return hidden.cpu()[:, -1].float() @ weight


def test_h79_a_row_of_a_product_is_not_the_product_of_a_row_is_real() -> None:
    """Matrices are multiplied by blocks, whose sizes depend on the number of rows."""
    generator = torch.Generator().manual_seed(0)
    differing = 0
    for rows, size in ((3, 1003), (2, 517), (4, 2049), (8, 257)):
        weight = torch.randn(size, 24, generator=generator)
        for seed in range(10):
            hidden = random_bf16(rows, 33, size, seed=seed)
            differing += not torch.equal(
                h79_rows_of_a_product(hidden, weight),
                h79_rows_of_a_product_naive(hidden, weight),
            )
    assert differing


def test_h79_a_product_of_matrices_is_respected() -> None:
    assert_silent(h79_rows_of_a_product)
