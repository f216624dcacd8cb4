"""Dtypes and devices: what one of them, autocast or a subclass does otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from .support import error_of, random_bf16
from .tool import assert_displayed, assert_safe, assert_silent, assert_unsafe

INDEX = torch.zeros(2, 1, dtype=torch.long)


def h14_order_of_a_mask(mask: torch.Tensor) -> torch.Tensor:
    return mask.float().argmax(-1)


def h14_order_of_a_mask_naive(mask: torch.Tensor) -> torch.Tensor:
    return mask.argmax(-1)


def h14_scaled_store(store: torch.Tensor) -> torch.Tensor:
    return store.float().gather(-1, INDEX)


def h14_scaled_store_naive(store: torch.Tensor) -> torch.Tensor:
    return store.gather(-1, INDEX).float()


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_h14_fp8_has_no_gather_is_real(dtype: torch.dtype) -> None:
    store = torch.ones(2, 4).to(dtype)
    assert error_of(h14_scaled_store, store) is None
    assert error_of(h14_scaled_store_naive, store) is NotImplementedError


def test_h14_bool_has_no_argmax_is_real() -> None:
    mask = torch.ones(2, 4, dtype=torch.bool)
    assert error_of(h14_order_of_a_mask, mask) is None
    assert error_of(h14_order_of_a_mask_naive, mask) is not None


def test_h14_a_type_without_the_read_is_respected() -> None:
    assert_silent(h14_order_of_a_mask)
    assert_unsafe(h14_scaled_store, h14_scaled_store_naive, "an ordinary float type")


def h22_index_out_of_range(store: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return store.float().gather(-1, index)


def h22_index_out_of_range_naive(
    store: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    return store.gather(-1, index).float()


def test_h22_which_exception_comes_first_is_real() -> None:
    store, outside = torch.ones(2, 4).to(torch.float8_e5m2), INDEX + 9
    assert error_of(h22_index_out_of_range, store, outside) is RuntimeError
    assert error_of(h22_index_out_of_range_naive, store, outside) is NotImplementedError
    ordinary = random_bf16(2, 4)
    for function in h22_index_out_of_range, h22_index_out_of_range_naive:
        assert error_of(function, ordinary, outside) is RuntimeError


def test_h22_a_type_that_would_raise_first_is_respected() -> None:
    assert_unsafe(
        h22_index_out_of_range, h22_index_out_of_range_naive, "an ordinary float type"
    )


def h25_result_written_to(x: torch.Tensor, out: torch.Tensor) -> None:
    torch.gather(x.float(), -1, INDEX, out=out)


def h25_result_written_to_naive(x: torch.Tensor, out: torch.Tensor) -> None:
    torch.gather(x, -1, INDEX, out=out).float()


def test_h25_out_fixes_the_dtype_is_real() -> None:
    x, out = random_bf16(2, 4), torch.empty(2, 1)
    assert error_of(h25_result_written_to, x, out) is None
    assert error_of(h25_result_written_to_naive, x, out) is RuntimeError


def test_h25_a_result_that_is_written_to_a_buffer_is_respected() -> None:
    assert_silent(h25_result_written_to)


def h26_cast_that_moves(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x.to("cuda", torch.float32).gather(-1, index)


def h26_cast_that_moves_naive(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, index).to("cuda", torch.float32)


def test_h26_the_index_is_where_the_copy_went_is_real() -> None:
    """`meta` is the second device; it needs no GPU."""
    x, index = random_bf16(2, 4), INDEX.to("meta")
    assert error_of(lambda: x.to("meta", torch.float32).gather(-1, index)) is None
    with FakeTensorMode() as mode:
        fake, moved = mode.from_tensor(x), torch.empty(2, 1, device="meta").long()
        assert error_of(lambda: fake.gather(-1, moved)) is not None


def h26_slice_that_moves(x: torch.Tensor) -> torch.Tensor:
    return x.to("cuda", torch.float32)[:, -1]


def h26_slice_that_moves_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, -1].to("cuda", torch.float32)


def test_h26_a_cast_that_moves_to_the_index_is_respected() -> None:
    """A slice has no index that could be elsewhere."""
    assert_displayed(h26_cast_that_moves, "moves the tensor to the index's device")
    assert_safe(h26_slice_that_moves, h26_slice_that_moves_naive)


def h28_stacked_under_autocast(x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    return torch.cat([x.float(), z])


def h28_stacked_under_autocast_naive(x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    return torch.cat([x, z]).float()


def test_h28_autocast_promotes_cat_is_real() -> None:
    x = random_bf16(2, 4)
    with torch.autocast("cpu", dtype=torch.float16):
        assert error_of(h28_stacked_under_autocast, x, x.float()) is None
        assert error_of(h28_stacked_under_autocast_naive, x, x) is not None


def test_h28_autocast_leaves_selections_alone_is_real() -> None:
    a = torch.randn(4, 4, generator=torch.Generator().manual_seed(0))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        product = a @ a
        assert product.dtype is torch.bfloat16
        picked = product.float().gather(-1, INDEX)
        assert picked.dtype is torch.float32
        assert torch.equal(picked, product.gather(-1, INDEX).float())


def h28_selected_under_autocast(x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return torch.cat([x.float()[:, :1], z])


def h28_selected_under_autocast_naive(x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return torch.cat([x[:, :1].float(), z])


def test_h28_what_autocast_promotes_is_respected() -> None:
    """The cast stays below `cat`, and moves to the selection within."""
    assert_silent(h28_stacked_under_autocast)
    assert_safe(h28_selected_under_autocast, h28_selected_under_autocast_naive)
    arguments = random_bf16(2, 4), torch.zeros(2, 1)
    assert torch.equal(
        h28_selected_under_autocast(*arguments),
        h28_selected_under_autocast_naive(*arguments),
    )


class Observer(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[torch.dtype, tuple[int, ...]]] = []

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        self.seen += (
            (each.dtype, tuple(each.shape))
            for each in args
            if isinstance(each, torch.Tensor) and each.is_floating_point()
        )
        return func(*args, **(kwargs or {}))


class QuantisedTensor(torch.Tensor):
    """`float` multiplies each column by a scale of its own."""

    def float(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        plain = self.as_subclass(torch.Tensor).to(torch.float32)
        return plain * torch.arange(plain.shape[-1], 0, -1)


def h29_read_of_a_subclass(x: torch.Tensor) -> torch.Tensor:
    return x.float().gather(-1, INDEX)


def h29_read_of_a_subclass_naive(x: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, INDEX).float()


def h29_column_of_a_subclass(x: QuantisedTensor) -> torch.Tensor:
    return x.float()[:, 0]


def h29_column_of_a_subclass_naive(x: QuantisedTensor) -> torch.Tensor:
    return x[:, 0].float()


def test_h29_observers_and_subclasses_see_other_calls_is_real() -> None:
    x = random_bf16(2, 8)
    seen = []
    for function in h29_read_of_a_subclass, h29_read_of_a_subclass_naive:
        with Observer() as observer:
            function(x)
        seen.append(observer.seen)
    assert (torch.float32, (2, 8)) in seen[0]
    assert (torch.float32, (2, 8)) not in seen[1]
    quantised = x.as_subclass(QuantisedTensor)
    before = h29_read_of_a_subclass(quantised)
    assert torch.equal(before, 8 * h29_read_of_a_subclass_naive(quantised))
    before = h29_column_of_a_subclass(quantised)
    assert not torch.equal(before, h29_column_of_a_subclass_naive(quantised))


def test_h29_a_source_that_may_be_no_plain_tensor_is_respected() -> None:
    assert_unsafe(
        h29_read_of_a_subclass, h29_read_of_a_subclass_naive, "an ordinary float type"
    )
    assert_unsafe(
        h29_column_of_a_subclass,
        h29_column_of_a_subclass_naive,
        "the cast of a `QuantisedTensor` only converts its elements",
    )


def h40_cast_to_another_tensor(x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return x.type_as(other).gather(-1, INDEX)


def h40_cast_to_another_tensor_naive(
    x: torch.Tensor, other: torch.Tensor
) -> torch.Tensor:
    return x.gather(-1, INDEX).type_as(other)


SPELLINGS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "float": lambda x: x.float(),
    "to": lambda x: x.to(torch.float32),
    "type": lambda x: x.type(torch.float32),
    "type_as": lambda x: x.type_as(torch.zeros(1)),
    "to a tensor": lambda x: x.to(torch.zeros(1)),
    "non_blocking": lambda x: x.to(torch.float32, non_blocking=True),
    "to a device": lambda x: x.to("cpu", torch.float32),
    "through float64": lambda x: x.double().float(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_h40_every_widening_spelling_commutes_is_real(spelling: str) -> None:
    x, cast = random_bf16(2, 8), SPELLINGS[spelling]
    assert torch.equal(cast(x).gather(-1, INDEX), cast(x.gather(-1, INDEX)))


def test_h40_a_cast_to_an_unknown_dtype_may_narrow_is_real() -> None:
    x = torch.zeros(2, 4, requires_grad=True)
    other = torch.zeros(1, dtype=torch.bfloat16)
    index = torch.zeros(2, 1000, dtype=torch.long)
    found = []
    for read in (
        lambda: x.type_as(other)[..., index[0]],
        lambda: x[..., index[0]].type_as(other),
    ):
        x.grad = None
        read().sum().backward()
        assert x.grad is not None
        found.append(x.grad[0, 0].item())
    assert found == [256, 1000]


def test_h40_a_cast_to_an_unknown_dtype_is_respected() -> None:
    assert_silent(h40_cast_to_another_tensor)


def h47_negated(levels: torch.Tensor) -> torch.Tensor:
    return (-levels.float())[:, -1]


def h47_negated_naive(levels: torch.Tensor) -> torch.Tensor:
    return (-levels)[:, -1].float()


def h47_magnitude(levels: torch.Tensor) -> torch.Tensor:
    return levels.float().abs()[:, -1]


def h47_magnitude_naive(levels: torch.Tensor) -> torch.Tensor:
    return levels.abs()[:, -1].float()


def test_h47_signs_of_integers_wrap_around_is_real() -> None:
    unsigned = torch.ones(1, 1, dtype=torch.uint8)
    assert h47_negated(unsigned) == -1 and h47_negated_naive(unsigned) == 255
    lowest = torch.full((1, 1), -128, dtype=torch.int8)
    assert h47_magnitude(lowest) == 128 and h47_magnitude_naive(lowest) == -128
    is_set = torch.ones(1, 1, dtype=torch.bool)
    assert error_of(h47_negated, is_set) is None
    # Since torch 2.14 it is the subclass NotImplementedError.
    assert issubclass(error_of(h47_negated_naive, is_set) or object, RuntimeError)


def test_h47_a_sign_change_of_an_unknown_type_is_respected() -> None:
    assert_unsafe(h47_negated, h47_negated_naive, "`levels` has a float type")
    assert_unsafe(h47_magnitude, h47_magnitude_naive, "`levels` has a float type")


def h72_zeros_like_the_copy(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    out = torch.zeros_like(wide)
    out[:, 0] = wide[:, -1] / 3
    return out


def h72_zeros_like_the_copy_typed(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x, dtype=torch.float32)
    out[:, 0] = x[:, -1].float() / 3
    return out


def h72_zeros_like_the_copy_naive(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x)
    out[:, 0] = x[:, -1].float() / 3
    return out


def test_h72_a_tensor_like_the_copy_has_its_type_is_real() -> None:
    x = torch.ones(2, 4).bfloat16()
    before = h72_zeros_like_the_copy(x)
    assert before.equal(h72_zeros_like_the_copy_typed(x))
    assert h72_zeros_like_the_copy_naive(x).dtype is torch.bfloat16


def test_h72_a_tensor_like_the_copy_is_respected() -> None:
    assert_safe(h72_zeros_like_the_copy, h72_zeros_like_the_copy_typed)
