"""Names: who else holds the copy, and what else hangs on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

from .support import gradient, random_bf16
from .tool import assert_displayed, assert_silent, assert_unsafe

ZERO = torch.zeros(2, 1, dtype=torch.long)


def h04_name_read_again(
    logits: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    logits = logits.float()
    picked = logits.gather(-1, ZERO)
    return picked, logits.logsumexp(-1)


def h04_name_read_again_naive(
    logits: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    picked = logits.gather(-1, ZERO).float()
    return picked, logits.logsumexp(-1)


def test_h04_a_rebound_name_is_read_again_is_real() -> None:
    logits = random_bf16(2, 1000)
    before, after = h04_name_read_again(logits), h04_name_read_again_naive(logits)
    assert torch.equal(before[0], after[0])
    assert before[1].dtype != after[1].dtype
    assert not torch.equal(before[1], after[1].float())


def test_h04_a_full_read_of_the_rebound_name_is_respected() -> None:
    assert_silent(h04_name_read_again)


def h20_hook_on_the_copy(
    x: torch.Tensor, hook: Callable[[torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    wide = x.float()
    wide.register_hook(hook)
    return wide.gather(-1, ZERO)


def h20_hook_on_the_copy_naive(
    x: torch.Tensor, hook: Callable[[torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    return x.gather(-1, ZERO).float()


def test_h20_a_hook_on_the_copy_is_real() -> None:
    x, seen = random_bf16(2, 8), []

    def hook(upstream: torch.Tensor) -> torch.Tensor:
        seen.append((upstream.dtype, tuple(upstream.shape)))
        return upstream * 2

    before = gradient(h20_hook_on_the_copy, x, hook)
    assert seen == [(torch.float32, (2, 8))]
    after = gradient(h20_hook_on_the_copy_naive, x, hook)
    assert len(seen) == 1
    assert torch.equal(before, 2 * after)


def test_h20_a_copy_with_a_hook_is_respected() -> None:
    assert_silent(h20_hook_on_the_copy)


def h21_copy_made_a_leaf(x: torch.Tensor) -> torch.Tensor:
    wide = x.float().requires_grad_()
    wide.gather(-1, ZERO).sum().backward()
    return wide


def h21_copy_made_a_leaf_naive(x: torch.Tensor) -> torch.Tensor:
    narrow = x.gather(-1, ZERO).float().requires_grad_()
    narrow.sum().backward()
    return narrow


def test_h21_requires_grad_on_the_copy_is_real() -> None:
    x = random_bf16(2, 8)
    before, after = h21_copy_made_a_leaf(x).grad, h21_copy_made_a_leaf_naive(x).grad
    assert before is not None and before.shape == (2, 8)
    assert after is not None and after.shape == (2, 1)
    assert x.grad is None


def test_h21_a_copy_that_is_made_a_leaf_is_respected() -> None:
    assert_silent(h21_copy_made_a_leaf)


def h27_copy_captured(x: torch.Tensor) -> Callable[[], torch.Tensor]:
    wide = x.float()
    return lambda: wide[:, 0]


def h27_copy_captured_naive(x: torch.Tensor) -> Callable[[], torch.Tensor]:
    return lambda: x[:, 0].float()


def test_h27_a_closure_over_the_copy_is_real() -> None:
    x = torch.ones(2, 4).bfloat16()
    before, after = h27_copy_captured(x), h27_copy_captured_naive(x)
    x.zero_()
    assert before().eq(1).all() and after().eq(0).all()


def h27_copy_read_in_a_loop(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    total = torch.zeros(())
    for weight in weights:
        total = total + (wide[:, :32] * weight).sum()
    return total


def h27_copy_read_in_a_loop_naive(
    x: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    total = torch.zeros(())
    for weight in weights:
        total = total + (x[:, :32].float() * weight).sum()
    return total


def test_h27_the_same_slice_in_every_turn_of_a_loop_is_real() -> None:
    x = random_bf16(3, 64)
    weights = torch.randn(5, 3, 32, generator=torch.Generator().manual_seed(0))
    one = torch.ones(())
    before = gradient(h27_copy_read_in_a_loop, x, weights, upstream=one)
    after = gradient(h27_copy_read_in_a_loop_naive, x, weights, upstream=one)
    assert not torch.equal(before, after)


def test_h27_a_captured_copy_is_respected() -> None:
    assert_silent(h27_copy_captured)


def test_h27_a_slice_that_every_turn_reads_is_respected() -> None:
    assert_silent(h27_copy_read_in_a_loop)


def h42_generator_that_runs_later(
    x: torch.Tensor, starts: Iterable[int]
) -> Iterable[torch.Tensor]:
    wide = x.float()
    parts = (wide[:, start : start + 2] for start in starts)
    x.zero_()
    return parts


def h42_generator_that_runs_later_naive(
    x: torch.Tensor, starts: Iterable[int]
) -> Iterable[torch.Tensor]:
    parts = (x[:, start : start + 2].float() for start in starts)
    x.zero_()
    return parts


def h42_generator_that_outlives_the_name(
    x: torch.Tensor, starts: Iterable[int]
) -> list[torch.Tensor]:
    wide = x.float()
    parts = (wide[:, start : start + 2] for start in starts)
    x = x[:, :0]
    return list(parts)


def h42_generator_that_outlives_the_name_naive(
    x: torch.Tensor, starts: Iterable[int]
) -> list[torch.Tensor]:
    parts = (x[:, start : start + 2].float() for start in starts)
    x = x[:, :0]
    return list(parts)


def h42_generator_over_the_copy(x: torch.Tensor) -> Iterable[torch.Tensor]:
    parts = (row.amax() for row in x.float())
    x.zero_()
    return parts


def h42_generator_over_the_copy_naive(x: torch.Tensor) -> Iterable[torch.Tensor]:
    parts = (row.float().amax() for row in x)
    x.zero_()
    return parts


def test_h42_a_generator_reads_the_parts_it_iterates_over_when_it_runs_is_real() -> (
    None
):
    before = h42_generator_over_the_copy(torch.ones(2, 4).bfloat16())
    naive = h42_generator_over_the_copy_naive(torch.ones(2, 4).bfloat16())
    assert [row.item() for row in before] == [1, 1]
    assert [row.item() for row in naive] == [0, 0]


def test_h42_a_generator_reads_what_it_finds_when_it_runs_is_real() -> None:
    for part in h42_generator_that_runs_later(torch.ones(2, 4).bfloat16(), (0, 2)):
        assert part.eq(1).all()
    naive = h42_generator_that_runs_later_naive(torch.ones(2, 4).bfloat16(), (0, 2))
    assert all(part.eq(0).all() for part in naive)


def test_h42_a_generator_sees_its_names_rebound_is_real() -> None:
    x = random_bf16(2, 4)
    (before,) = h42_generator_that_outlives_the_name(x, (0,))
    (after,) = h42_generator_that_outlives_the_name_naive(x, (0,))
    assert before.shape == (2, 2) and after.shape == (2, 0)


def test_h42_a_generator_that_runs_later_is_respected() -> None:
    assert_silent(h42_generator_that_runs_later)
    assert_silent(h42_generator_that_outlives_the_name)
    assert_silent(h42_generator_over_the_copy)


def h48_dtype_rebound(x: torch.Tensor) -> tuple[torch.Tensor, torch.dtype]:
    dtype = torch.float32
    wide = x.to(dtype)
    dtype = torch.int64
    return wide[:, -1], dtype


def h48_dtype_rebound_naive(x: torch.Tensor) -> tuple[torch.Tensor, torch.dtype]:
    dtype = torch.float32
    dtype = torch.int64
    return x[:, -1].to(dtype), dtype


def h48_device_rebound(x: torch.Tensor, device: str) -> tuple[torch.Tensor, str]:
    wide = x.to(device, torch.float32)
    device = "meta"
    return wide[:, -1], device


def h48_device_rebound_naive(x: torch.Tensor, device: str) -> tuple[torch.Tensor, str]:
    device = "meta"
    return x[:, -1].to(device, torch.float32), device


def h48_computed_argument(x: torch.Tensor, forced: list[bool]) -> torch.Tensor:
    wide = x.to(torch.float32, copy=forced.pop())
    forced.append(False)
    return wide[:, -1]


def h48_computed_argument_naive(x: torch.Tensor, forced: list[bool]) -> torch.Tensor:
    forced.append(False)
    return x[:, -1].to(torch.float32, copy=forced.pop())


def test_h48_arguments_of_the_cast_are_read_later_is_real() -> None:
    x = random_bf16(2, 4)
    assert h48_dtype_rebound(x)[0].dtype is torch.float32
    assert h48_dtype_rebound_naive(x)[0].dtype is torch.int64
    assert h48_device_rebound(x, "cpu")[0].device.type == "cpu"
    assert h48_device_rebound_naive(x, "cpu")[0].device.type == "meta"
    wide = x.float()
    assert h48_computed_argument(wide, [True]).data_ptr() != wide[:, -1].data_ptr()
    naive = h48_computed_argument_naive(wide, [True])
    assert naive.data_ptr() == wide[:, -1].data_ptr()


def test_h48_an_argument_of_the_cast_that_changes_is_respected() -> None:
    for hazard in h48_dtype_rebound, h48_device_rebound:
        assert_displayed(hazard, "an argument of the cast changes")
    assert_displayed(h48_computed_argument, "an argument of the cast is computed")


class _Settings:
    """A temperature that a step sets."""

    t = 2.0

    def step(self) -> None:
        self.t = 4.0


def h70_attribute_read_later(x: torch.Tensor, settings: _Settings) -> torch.Tensor:
    wide = x.float() / settings.t
    settings.step()
    return wide[:, -1]


def h70_attribute_read_later_naive(
    x: torch.Tensor, settings: _Settings
) -> torch.Tensor:
    settings.step()
    return x[:, -1].float() / settings.t


def test_h70_an_attribute_in_the_arithmetic_is_read_later_is_real() -> None:
    x = torch.ones(2, 4).bfloat16()
    assert h70_attribute_read_later(x, _Settings()).eq(0.5).all()
    assert h70_attribute_read_later_naive(x, _Settings()).eq(0.25).all()


def test_h70_an_attribute_that_a_call_may_set_is_respected() -> None:
    assert_unsafe(
        h70_attribute_read_later,
        h70_attribute_read_later_naive,
        "`settings.step` does not change `settings.t`",
    )
