"""Gradients: where the sum over several reads of an element is rounded."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

from .support import SEEDS, count_differing, error_of, gradient, random_bf16
from .tool import assert_displayed, assert_safe, assert_silent, assert_unsafe


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


def h05_index_stated_to_be_distinct(
    logits: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    # upcast-lint: distinct(index)
    return logits.float().gather(-1, index)


def h05_index_stated_to_be_distinct_naive(
    logits: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    return logits.gather(-1, index).float()


def test_h05_an_index_that_may_repeat_is_respected() -> None:
    assert_unsafe(h05_repeated_index, h05_repeated_index_naive, "repeats in `index`")
    assert_safe(h05_index_stated_to_be_distinct, h05_index_stated_to_be_distinct_naive)


def h06_distinct_index(x: torch.Tensor) -> torch.Tensor:
    return x.float().index_select(-1, torch.arange(2))


def h06_distinct_index_naive(x: torch.Tensor) -> torch.Tensor:
    return x.index_select(-1, torch.arange(2)).float()


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


def test_h06_the_sign_of_a_zero_is_forgiven_is_respected() -> None:
    assert_safe(h06_distinct_index, h06_distinct_index_naive)


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


def test_h07_an_index_that_may_repeat_often_is_respected() -> None:
    assert_unsafe(h07_many_repeats, h07_many_repeats_naive, "repeats in `index`")


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


def h08_two_disjoint_reads(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    return torch.cat([wide[:, :4], wide[:, 4:6]], -1)


def h08_two_disjoint_reads_naive(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x[:, :4].float(), x[:, 4:6].float()], -1)


def test_h08_disjoint_reads_add_nothing_is_real() -> None:
    x = random_bf16(4, 64)
    assert not count_differing(h08_two_disjoint_reads, h08_two_disjoint_reads_naive, x)


def test_h08_a_second_read_of_the_copy_is_respected() -> None:
    assert_unsafe(
        h08_two_overlapping_reads,
        h08_two_overlapping_reads_naive,
        "added in the source's dtype",
    )
    assert_safe(h08_two_disjoint_reads, h08_two_disjoint_reads_naive)


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


def test_h09_a_path_that_reads_everything_is_respected() -> None:
    assert_silent(h09_narrow_and_full)


def h15_sparse_gradient(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.gather(x.float(), -1, index, sparse_grad=True)


def h15_sparse_gradient_naive(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.gather(x, -1, index, sparse_grad=True).float()


def test_h15_a_sparse_gradient_raises_before_and_not_after_is_real() -> None:
    x, index = torch.ones(2, 4).bfloat16(), torch.zeros(2, 2, dtype=torch.long)
    assert error_of(gradient, h15_sparse_gradient, x, index) is not None
    assert gradient(h15_sparse_gradient_naive, x, index).is_sparse


def test_h15_a_sparse_gradient_is_respected() -> None:
    assert_silent(h15_sparse_gradient)


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


def h17_bag_of_rows(weight: torch.Tensor, ids: torch.Tensor, mode: str) -> torch.Tensor:
    return F.embedding_bag(ids, weight.float(), mode=mode)


def h17_bag_of_rows_naive(
    weight: torch.Tensor, ids: torch.Tensor, mode: str
) -> torch.Tensor:
    return F.embedding_bag(ids, weight, mode=mode).float()


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_h17_embedding_bag_reduces_in_the_low_dtype_is_real(mode: str) -> None:
    arguments = random_bf16(16, 8), torch.arange(8).reshape(2, 4), mode
    assert not torch.equal(
        h17_bag_of_rows(*arguments), h17_bag_of_rows_naive(*arguments)
    )


def test_h17_a_row_that_may_repeat_is_respected() -> None:
    assert_unsafe(h17_embedding, h17_embedding_naive, "repeats in `ids`")
    assert_silent(h17_bag_of_rows)


def h18_tied_maximum(x: torch.Tensor) -> torch.Tensor:
    return x.float().amax(-1)


def h18_tied_maximum_naive(x: torch.Tensor) -> torch.Tensor:
    return x.amax(-1).float()


def test_h18_amax_shares_the_gradient_of_a_tie_is_real() -> None:
    x = torch.tensor([[1.0, 1.0, 1.0, 0.0]]).bfloat16()
    assert count_differing(h18_tied_maximum, h18_tied_maximum_naive, x)
    untied = torch.tensor([[3.0, 2.0, 1.0, 0.0]]).bfloat16()
    assert not count_differing(h18_tied_maximum, h18_tied_maximum_naive, untied)
    assert not count_differing(h18_first_maximum, h18_first_maximum_naive, x)


def h18_first_maximum(logits: torch.Tensor) -> torch.Tensor:
    return logits.float().max(-1).values


def h18_first_maximum_naive(logits: torch.Tensor) -> torch.Tensor:
    return logits.max(-1).values.float()


def test_h18_a_tie_that_shares_its_gradient_is_respected() -> None:
    assert_unsafe(h18_tied_maximum, h18_tied_maximum_naive, "elements tie in `amax`")
    assert_safe(h18_first_maximum, h18_first_maximum_naive)


def h30_sparse_repeats(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.gather(x.float(), -1, index, sparse_grad=True)


def h30_sparse_repeats_naive(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.gather(x, -1, index, sparse_grad=True).float()


def test_h30_sparse_repeats_stick_at_256_is_real() -> None:
    x, index = torch.ones(1, 1).bfloat16(), torch.zeros(1, 1000, dtype=torch.long)
    found = gradient(h30_sparse_repeats_naive, x, index, upstream=torch.ones(1, 1000))
    assert found.coalesce().values().item() == 256


def test_h30_a_sparse_repeat_is_respected() -> None:
    assert_silent(h30_sparse_repeats)


def h33_gradient_that_exists(x: torch.Tensor) -> torch.Tensor:
    return x.float().index_select(-1, torch.arange(8))


def h33_gradient_that_exists_naive(x: torch.Tensor) -> torch.Tensor:
    return x.index_select(-1, torch.arange(8)).float()


def test_h33_adding_to_a_gradient_that_exists_stays_equal_is_real() -> None:
    found = []
    for function in h33_gradient_that_exists, h33_gradient_that_exists_naive:
        x = random_bf16(4, 64).requires_grad_()
        x.grad = random_bf16(4, 64, seed=3)
        picked = function(x)
        picked.backward(random_bf16(4, 8, seed=4).float())
        (x * 1.5).sum().backward()
        found.append(x.grad)
    assert torch.equal(*found)


def test_h33_a_gradient_that_exists_does_not_matter_is_respected() -> None:
    assert_safe(h33_gradient_that_exists, h33_gradient_that_exists_naive)


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


def test_h34_a_mask_that_the_code_does_not_show_is_respected() -> None:
    assert_unsafe(h34_distillation, h34_distillation_naive, "repeats in `index`")


def h39_half_precision_loss(
    logits: torch.Tensor, teacher_logits: torch.Tensor
) -> torch.Tensor:
    best = teacher_logits.topk(64, -1)
    teacher = best.values.log_softmax(-1)
    student = logits.float().gather(-1, best.indices).log_softmax(-1)
    return (teacher.exp() * (teacher - student)).sum(-1).mean()


def h39_half_precision_loss_naive(
    logits: torch.Tensor, teacher_logits: torch.Tensor
) -> torch.Tensor:
    best = teacher_logits.topk(64, -1)
    teacher = best.values.log_softmax(-1)
    student = logits.gather(-1, best.indices).float().log_softmax(-1)
    return (teacher.exp() * (teacher - student)).sum(-1).mean()


def test_h39_signed_zeros_are_many_in_an_ordinary_fp16_loss_is_real() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, 1024, 256, generator=generator).half()
    teacher = torch.randn(1, 1024, 256, generator=generator)
    one = torch.ones(())
    before = gradient(h39_half_precision_loss, x, teacher, upstream=one)
    after = gradient(h39_half_precision_loss_naive, x, teacher, upstream=one)
    assert torch.equal(before, after)
    assert int((before.signbit() != after.signbit()).sum()) > 20


def test_h39_signed_zeros_of_an_ordinary_loss_are_forgiven_is_respected() -> None:
    assert_safe(h39_half_precision_loss, h39_half_precision_loss_naive)


def h43_broadcast_source(logits: torch.Tensor, best: torch.Tensor) -> torch.Tensor:
    return torch.take_along_dim(logits.float(), best.unsqueeze(-1), dim=-1)


def h43_broadcast_source_naive(
    logits: torch.Tensor, best: torch.Tensor
) -> torch.Tensor:
    return torch.take_along_dim(logits, best.unsqueeze(-1), dim=-1).float()


def h43_one_pick_a_row(logits: torch.Tensor, best: torch.Tensor) -> torch.Tensor:
    return logits.float().gather(-1, best.unsqueeze(-1))


def h43_one_pick_a_row_naive(logits: torch.Tensor, best: torch.Tensor) -> torch.Tensor:
    return logits.gather(-1, best.unsqueeze(-1)).float()


def test_h43_take_along_dim_repeats_a_source_of_one_row_is_real() -> None:
    logits, best = random_bf16(1, 8), torch.tensor([3, 3, 3, 3])
    assert count_differing(
        h43_broadcast_source, h43_broadcast_source_naive, logits, best
    )
    logits = random_bf16(4, 8)
    for functions in (
        (h43_broadcast_source, h43_broadcast_source_naive),
        (h43_one_pick_a_row, h43_one_pick_a_row_naive),
    ):
        assert not count_differing(*functions, logits, best)


def test_h43_a_source_that_may_be_broadcast_is_respected() -> None:
    """`gather` does not broadcast: one index a row is one read of an element."""
    assert_unsafe(h43_broadcast_source, h43_broadcast_source_naive, "repeats in")
    assert_safe(h43_one_pick_a_row, h43_one_pick_a_row_naive)


def h44_view_without_gradients(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    with torch.no_grad():
        return wide[:, -1]


def h44_view_without_gradients_naive(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return x[:, -1].float()


def test_h44_a_view_under_no_grad_says_that_it_requires_gradients_is_real() -> None:
    x = random_bf16(2, 4).requires_grad_()
    assert h44_view_without_gradients(x).requires_grad
    assert not h44_view_without_gradients_naive(x).requires_grad


def test_h44_a_view_that_is_taken_under_no_grad_is_respected() -> None:
    assert_displayed(h44_view_without_gradients, "a view, taken with gradients off")


def h44_view_under_a_flag(x: torch.Tensor, flag: bool) -> torch.Tensor:
    wide = x.float()
    with torch.set_grad_enabled(flag):
        return wide[:, -1]


def h44_view_under_a_flag_naive(x: torch.Tensor, flag: bool) -> torch.Tensor:
    with torch.set_grad_enabled(flag):
        return x[:, -1].float()


def test_h44_a_flag_decides_whether_a_view_requires_gradients_is_real() -> None:
    x = random_bf16(2, 4).requires_grad_()
    assert h44_view_under_a_flag(x, False).requires_grad
    assert not h44_view_under_a_flag_naive(x, False).requires_grad


def test_h44_a_view_that_is_taken_under_a_flag_is_respected() -> None:
    assert_unsafe(
        h44_view_under_a_flag, h44_view_under_a_flag_naive, "gradients are on where"
    )


def h45_rows_of_a_mask(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    rows = torch.where(mask)[0]
    return x.float().index_select(0, rows)


def h45_rows_of_a_mask_naive(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    rows = torch.where(mask)[0]
    return x.index_select(0, rows).float()


def h45_coordinates_of_a_mask(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    rows = mask.nonzero()
    return x.float()[rows]


def h45_coordinates_of_a_mask_naive(
    x: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    rows = mask.nonzero()
    return x[rows].float()


def h45_elements_of_a_mask(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    rows, columns = torch.where(mask)
    return x.float()[rows, columns]


def h45_elements_of_a_mask_naive(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    rows, columns = torch.where(mask)
    return x[rows, columns].float()


def test_h45_the_rows_of_a_mask_of_two_dimensions_repeat_is_real() -> None:
    x = random_bf16(4, 8)
    mask = torch.zeros(4, 8, dtype=torch.bool)
    mask[1, 2:5] = mask[2, 0] = True
    assert count_differing(h45_rows_of_a_mask, h45_rows_of_a_mask_naive, x, mask)
    coordinates = mask[:, :4]
    assert count_differing(
        h45_coordinates_of_a_mask, h45_coordinates_of_a_mask_naive, x, coordinates
    )
    assert not count_differing(
        h45_elements_of_a_mask, h45_elements_of_a_mask_naive, x, mask
    )


def test_h45_a_mask_of_unknown_rank_is_respected() -> None:
    assert_unsafe(h45_rows_of_a_mask, h45_rows_of_a_mask_naive, "repeats in `rows`")
    assert_silent(h45_coordinates_of_a_mask)  # each row as often as there are
    assert_safe(h45_elements_of_a_mask, h45_elements_of_a_mask_naive)


def h46_reciprocal(x: torch.Tensor) -> torch.Tensor:
    return (1.0 / x.float())[:, -1]


def h46_reciprocal_lifted(x: torch.Tensor) -> torch.Tensor:
    return 1.0 / x[:, -1].float()


def h46_temperature(x: torch.Tensor) -> torch.Tensor:
    return (x.float() / 0.7)[:, -1]


def h46_temperature_lifted(x: torch.Tensor) -> torch.Tensor:
    return x[:, -1].float() / 0.7


def test_h46_unread_zeros_have_no_gradient_after_and_nan_before_is_real() -> None:
    x = torch.tensor([[0.0, 2.0]]).bfloat16()
    one = torch.ones(1)
    assert torch.equal(h46_reciprocal(x), h46_reciprocal_lifted(x))
    assert gradient(h46_reciprocal, x, upstream=one)[0, 0].isnan()
    assert gradient(h46_reciprocal_lifted, x, upstream=one)[0, 0] == 0
    assert not count_differing(h46_temperature, h46_temperature_lifted, x)


def test_h46_a_derivative_that_may_be_infinite_is_respected() -> None:
    assert_unsafe(h46_reciprocal, h46_reciprocal_lifted, "finite derivative")
    assert_safe(h46_temperature, h46_temperature_lifted)
