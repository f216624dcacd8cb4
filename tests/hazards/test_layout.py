"""Layout: a cast makes a dense tensor, a view selection a strided one."""

from __future__ import annotations

import io

import torch

from .support import error_of, random_bf16
from .tool import assert_safe, assert_silent, assert_unsafe


def h11_flattened_copy(x: torch.Tensor) -> torch.Tensor:
    return x.float().view(-1)[:3]


def h11_flattened_copy_naive(x: torch.Tensor) -> torch.Tensor:
    return x.view(-1)[:3].float()


def h11_viewed_selection(x: torch.Tensor) -> torch.Tensor:
    return x.float()[:, :3].view(-1)


def h11_viewed_selection_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, :3].float().view(-1)


def test_h11_a_view_may_raise_on_one_side_only_is_real() -> None:
    not_dense = random_bf16(4, 9)[:, ::2]
    assert error_of(h11_flattened_copy, not_dense) is None
    assert error_of(h11_flattened_copy_naive, not_dense) is RuntimeError
    dense = random_bf16(4, 8)
    assert error_of(h11_viewed_selection, dense) is RuntimeError
    assert error_of(h11_viewed_selection_naive, dense) is None


def h11_flattened_copy_reshaped(x: torch.Tensor) -> torch.Tensor:
    return x.reshape(-1)[:3].float()


def test_h11_a_view_of_the_copy_becomes_a_reshape_is_respected() -> None:
    """A view of the selection that raised before gives its result after."""
    not_dense = random_bf16(4, 9)[:, ::2]
    before = h11_flattened_copy(not_dense)
    assert torch.equal(before, h11_flattened_copy_reshaped(not_dense))
    assert_safe(h11_flattened_copy, h11_flattened_copy_reshaped)
    assert_safe(h11_viewed_selection, h11_viewed_selection_naive)


def h11_flat_index(logits: torch.Tensor) -> torch.Tensor:
    return torch.take_along_dim(logits.float(), torch.tensor([1, 2]))


def h11_flat_index_naive(logits: torch.Tensor) -> torch.Tensor:
    return torch.take_along_dim(logits, torch.tensor([1, 2])).float()


def test_h11_take_along_dim_without_a_dimension_flattens_is_real() -> None:
    not_dense = random_bf16(4, 9)[:, ::2]
    assert error_of(h11_flat_index, not_dense) is None
    assert error_of(h11_flat_index_naive, not_dense) is RuntimeError


def test_h11_a_flat_index_into_what_may_not_be_dense_is_respected() -> None:
    assert_silent(h11_flat_index)


def h12_last_column(x: torch.Tensor) -> torch.Tensor:
    return x.float()[:, -1]


def h12_last_column_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, -1].float()


def test_h12_strides_and_what_is_kept_alive_is_real() -> None:
    x = random_bf16(4, 64)
    before, after = h12_last_column(x), h12_last_column_naive(x)
    assert torch.equal(before, after)
    assert not before.is_contiguous() and after.is_contiguous()
    assert before.untyped_storage().nbytes() == 64 * after.untyped_storage().nbytes()
    sizes = []
    for tensor in before, after:
        file = io.BytesIO()
        torch.save(tensor, file)
        sizes.append(file.tell())
    assert sizes[0] > sizes[1]


def h12_summed_slice(x: torch.Tensor) -> torch.Tensor:
    return x.float()[:, :-1].sum()


def h12_summed_slice_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, :-1].float().sum()


def test_h12_a_full_sum_adds_in_the_order_of_the_strides_is_real() -> None:
    differing = sum(
        not torch.equal(h12_summed_slice(x), h12_summed_slice_naive(x))
        for x in (random_bf16(33, 130, seed=seed) for seed in range(40))
    )
    assert differing
    differing = sum(
        not torch.equal(h12_summed_columns(x), h12_summed_columns_naive(x))
        for x in (random_bf16(33, 130, seed=seed) for seed in range(40))
    )
    assert differing


def h12_summed_columns(x: torch.Tensor) -> torch.Tensor:
    return x.float()[:, :64].sum()


def h12_summed_columns_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, :64].float().sum()


def test_h12_a_sum_of_a_strided_view_is_respected() -> None:
    assert_safe(h12_last_column, h12_last_column_naive)
    assert_unsafe(h12_summed_columns, h12_summed_columns_naive, "`sum`", "strided")


def h24_channels_of_an_image(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.float32, memory_format=torch.contiguous_format)[:, :2]


def h24_channels_of_an_image_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, :2].to(torch.float32, memory_format=torch.contiguous_format)


def test_h24_a_memory_format_lays_out_the_selection_is_real() -> None:
    x = random_bf16(2, 3, 4, 4).to(memory_format=torch.channels_last)
    before, after = h24_channels_of_an_image(x), h24_channels_of_an_image_naive(x)
    assert torch.equal(before, after)
    assert before.stride() != after.stride()
    index = torch.zeros(2, 1, 4, 4, dtype=torch.long)
    kept = x.float().gather(1, index)
    assert torch.equal(kept, x.gather(1, index).float())


def test_h24_a_memory_format_goes_with_the_cast_is_respected() -> None:
    assert_safe(h24_channels_of_an_image, h24_channels_of_an_image_naive)
