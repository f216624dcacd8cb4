"""Gradients: where the sum over several reads of an element is rounded."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

from .support import SEEDS, count_differing, error_of, gradient, random_bf16


def h05_repeated_index(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x.float().gather(-1, index)


def h05_repeated_index_naive(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, index).float()


def test_h05_two_equal_indices_round_twice_is_real() -> None:
    x, twice = torch.zeros(1, 4).bfloat16(), torch.tensor([[0, 0]])
    ulp = 2**-7
    upstream = torch.tensor([[1 + 0.4 * ulp, 0.4 * ulp]])
    before = gradient(h05_repeated_index, x, twice, upstream=upstream)
    after = gradient(h05_repeated_index_naive, x, twice, upstream=upstream)
    assert before[0, 0] == 1 + ulp and after[0, 0] == 1


@pytest.mark.parametrize("upstream", [torch.zeros(1, 2), torch.ones(1, 2)])
def test_h05_even_upstream_gradients_hide_it_is_real(upstream: torch.Tensor) -> None:
    x, twice = torch.zeros(1, 4).bfloat16(), torch.tensor([[0, 0]])
    assert torch.equal(
        gradient(h05_repeated_index, x, twice, upstream=upstream),
        gradient(h05_repeated_index_naive, x, twice, upstream=upstream),
    )


def test_h05_distinct_indices_are_equal_is_real() -> None:
    x, index = random_bf16(3, 16), torch.randperm(16)[:8].expand(3, 8)
    assert not count_differing(h05_repeated_index, h05_repeated_index_naive, x, index)


def h06_distinct_index(x: torch.Tensor) -> torch.Tensor:
    return x.float().gather(-1, torch.tensor([[0, 1]]))


def h06_distinct_index_naive(x: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, torch.tensor([[0, 1]])).float()


@pytest.mark.parametrize(
    ("dtype", "tiny"), [(torch.bfloat16, -1e-41), (torch.float16, -1e-8)]
)
def test_h06_the_sign_of_an_underflowed_gradient_is_real(
    dtype: torch.dtype, tiny: float
) -> None:
    x, upstream = torch.ones(1, 3, dtype=dtype), torch.full((1, 2), tiny)
    before = gradient(h06_distinct_index, x, upstream=upstream)
    after = gradient(h06_distinct_index_naive, x, upstream=upstream)
    assert torch.equal(before, after)
    assert before[0, :2].signbit().all() and not after.signbit().any()


SATURATING: dict[str, tuple[Callable[[torch.Tensor, torch.Tensor], torch.Tensor], bool]]
SATURATING = {
    "indexing": (lambda x, index: x[..., index], True),
    "take": (lambda x, index: x.take(index), True),
    "embedding": (lambda x, index: F.embedding(index, x), True),
    "gather": (lambda x, index: x.gather(-1, index[None]), False),
    "index_select": (lambda x, index: x.index_select(-1, index), False),
}


def h07_many_repeats(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x.float()[..., index]


def h07_many_repeats_naive(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x[..., index].float()


@pytest.mark.parametrize("name", SATURATING)
def test_h07_a_sum_of_ones_sticks_at_256_is_real(name: str) -> None:
    select, sticks = SATURATING[name]
    x, index = torch.ones(1, 1).bfloat16(), torch.zeros(1000, dtype=torch.long)
    ones = torch.ones_like(select(x, index).float())
    before = gradient(lambda x: select(x.float(), index), x, upstream=ones)
    after = gradient(lambda x: select(x, index).float(), x, upstream=ones)
    assert before.item() == 1000
    assert after.item() == (256 if sticks else 1000)


def h08_two_overlapping_reads(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    return torch.cat([wide.gather(-1, index), wide.gather(-1, index)])


def h08_two_overlapping_reads_naive(
    x: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    return torch.cat([x.gather(-1, index).float(), x.gather(-1, index).float()])


def test_h08_overlapping_reads_add_in_the_low_dtype_is_real() -> None:
    x, index = random_bf16(4, 64), torch.arange(8).expand(4, 8)
    functions = h08_two_overlapping_reads, h08_two_overlapping_reads_naive
    assert torch.equal(functions[0](x, index), functions[1](x, index))
    assert count_differing(*functions, x, index)


def h09_narrow_and_full(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    return wide.gather(-1, index) - wide.logsumexp(-1, keepdim=True)


def h09_narrow_and_full_naive(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, index).float() - x.float().logsumexp(-1, keepdim=True)


def test_h09_a_selection_beside_a_full_read_is_real() -> None:
    x, index = random_bf16(4, 64), torch.arange(8).expand(4, 8)
    assert torch.equal(
        h09_narrow_and_full(x, index), h09_narrow_and_full_naive(x, index)
    )
    assert count_differing(h09_narrow_and_full, h09_narrow_and_full_naive, x, index)


def h15_sparse_gradient(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.gather(x.float(), -1, index, sparse_grad=True)


def h15_sparse_gradient_naive(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.gather(x, -1, index, sparse_grad=True).float()


def test_h15_a_sparse_gradient_raises_before_and_not_after_is_real() -> None:
    x, index = torch.ones(2, 4).bfloat16(), torch.zeros(2, 2, dtype=torch.long)
    assert error_of(gradient, h15_sparse_gradient, x, index) is not None
    assert gradient(h15_sparse_gradient_naive, x, index).is_sparse


def h17_embedding(weight: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    return F.embedding(ids, weight.float(), padding_idx=0)


def h17_embedding_naive(weight: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    return F.embedding(ids, weight, padding_idx=0).float()


@pytest.mark.parametrize(
    ("ids", "is_equal"),
    [(torch.arange(1, 9), True), (torch.tensor([1, 1, 2, 2, 2, 3, 0, 0]), False)],
)
def test_h17_an_embedding_row_that_repeats_is_real(
    ids: torch.Tensor, is_equal: bool
) -> None:
    weight = random_bf16(16, 8)
    differing = count_differing(h17_embedding, h17_embedding_naive, weight, ids)
    assert (differing == 0) is is_equal


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_h17_embedding_bag_reduces_in_the_low_dtype_is_real(mode: str) -> None:
    weight, ids = random_bf16(16, 8), torch.arange(8).reshape(2, 4)
    before = F.embedding_bag(ids, weight.float(), mode=mode)
    assert not torch.equal(before, F.embedding_bag(ids, weight, mode=mode).float())


def h18_tied_maximum(x: torch.Tensor) -> torch.Tensor:
    return x.float().amax(-1)


def h18_tied_maximum_naive(x: torch.Tensor) -> torch.Tensor:
    return x.amax(-1).float()


def test_h18_amax_shares_the_gradient_of_a_tie_is_real() -> None:
    x = torch.tensor([[1.0, 1.0, 1.0, 0.0]]).bfloat16()
    assert count_differing(h18_tied_maximum, h18_tied_maximum_naive, x)
    untied = torch.tensor([[3.0, 2.0, 1.0, 0.0]]).bfloat16()
    assert not count_differing(h18_tied_maximum, h18_tied_maximum_naive, untied)
    assert not count_differing(
        lambda x: x.float().max(-1).values, lambda x: x.max(-1).values.float(), x
    )


def h30_sparse_repeats(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.gather(x.float(), -1, index, sparse_grad=True)


def h30_sparse_repeats_naive(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.gather(x, -1, index, sparse_grad=True).float()


def test_h30_sparse_repeats_stick_at_256_is_real() -> None:
    x, index = torch.ones(1, 1).bfloat16(), torch.zeros(1, 1000, dtype=torch.long)
    found = gradient(h30_sparse_repeats_naive, x, index, upstream=torch.ones(1, 1000))
    assert found.coalesce().values().item() == 256


def h33_gradient_that_exists(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x.float().gather(-1, index)


def h33_gradient_that_exists_naive(
    x: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    return x.gather(-1, index).float()


def test_h33_adding_to_a_gradient_that_exists_stays_equal_is_real() -> None:
    found = []
    for function in h33_gradient_that_exists, h33_gradient_that_exists_naive:
        x = random_bf16(4, 64).requires_grad_()
        x.grad = random_bf16(4, 64, seed=3)
        picked = function(x, torch.arange(8).expand(4, 8))
        picked.backward(random_bf16(4, 8, seed=4).float())
        (x * 1.5).sum().backward()
        found.append(x.grad)
    assert torch.equal(*found)


def h34_distillation(
    x: torch.Tensor, index: torch.Tensor, teacher: torch.Tensor
) -> torch.Tensor:
    student = x.float().gather(-1, index).log_softmax(-1)
    return (teacher.exp() * (teacher - student)).sum(-1)


def h34_distillation_naive(
    x: torch.Tensor, index: torch.Tensor, teacher: torch.Tensor
) -> torch.Tensor:
    student = x.gather(-1, index).float().log_softmax(-1)
    return (teacher.exp() * (teacher - student)).sum(-1)


@pytest.mark.parametrize("is_masked", [True, False])
def test_h34_padded_rows_differ_only_without_a_mask_is_real(is_masked: bool) -> None:
    mask = torch.ones(2, 4)
    mask[:, 2:] = 0
    differing = 0
    for seed in SEEDS:
        generator = torch.Generator().manual_seed(seed)
        index = torch.rand(2, 4, 16, generator=generator).argsort(-1)[..., :8]
        index[:, 2:] = 0
        teacher = torch.randn(2, 4, 8, generator=generator).log_softmax(-1)
        upstream = mask / mask.sum() if is_masked else torch.full((2, 4), 1 / 8)
        arguments = random_bf16(2, 4, 16, seed=seed), index, teacher
        before = gradient(h34_distillation, *arguments, upstream=upstream)
        after = gradient(h34_distillation_naive, *arguments, upstream=upstream)
        differing += not torch.equal(before, after)
        assert torch.equal(
            h34_distillation(*arguments), h34_distillation_naive(*arguments)
        )
    assert differing == (0 if is_masked else len(SEEDS))


def h39_half_precision_loss(
    x: torch.Tensor, index: torch.Tensor, teacher: torch.Tensor
) -> torch.Tensor:
    student = x.float().gather(-1, index).log_softmax(-1)
    return (teacher.exp() * (teacher - student)).sum(-1).mean()


def h39_half_precision_loss_naive(
    x: torch.Tensor, index: torch.Tensor, teacher: torch.Tensor
) -> torch.Tensor:
    student = x.gather(-1, index).float().log_softmax(-1)
    return (teacher.exp() * (teacher - student)).sum(-1).mean()


def test_h39_signed_zeros_are_many_in_an_ordinary_fp16_loss_is_real() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, 1024, 256, generator=generator).half()
    index = torch.rand(1, 1024, 256, generator=generator).argsort(-1)[..., :64]
    teacher = torch.randn(1, 1024, 64, generator=generator).log_softmax(-1)
    one = torch.ones(())
    before = gradient(h39_half_precision_loss, x, index, teacher, upstream=one)
    after = gradient(h39_half_precision_loss_naive, x, index, teacher, upstream=one)
    assert torch.equal(before, after)
    assert int((before.signbit() != after.signbit()).sum()) > 20
