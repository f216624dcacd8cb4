"""Views: strides, memory and modes that a cast of the part does not keep."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import torch.nn.functional as F

from .support import count_differing, error_of, random_bf16
from .tool import assert_displayed, assert_unsafe

Tensor = torch.Tensor

SHAPES = ((5, 70, 13), (3, 7, 257), (2, 3, 4), (1, 5, 129), (4, 9, 64))
ORDERS = ((0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1))


def h64_module_on_columns(x: Tensor, weight: Tensor) -> Tensor:
    last = x.float()[:, -1]
    return F.linear(last, weight)


def h64_module_on_columns_naive(x: Tensor, weight: Tensor) -> Tensor:
    last = x[:, -1].float()
    return F.linear(last, weight)


def _sources() -> Iterator[Tensor]:
    """Tensors of several shapes, their axes in several orders in memory."""
    for seed, shape in enumerate(SHAPES):
        for order in ORDERS:
            stored = random_bf16(*(shape[axis] for axis in order), seed=seed) * 3
            for made in (stored, stored.round() * stored.sign()):
                yield made.permute([order.index(axis) for axis in range(3)])


def test_h64_a_matrix_product_tells_strides_is_real() -> None:
    differing = 0
    for x in _sources():
        for size in (1, 7, 33):
            weight = torch.randn(size, x.shape[-1])
            before = h64_module_on_columns(x, weight)
            differing += not torch.equal(before, h64_module_on_columns_naive(x, weight))
    assert differing


def test_h64_a_view_that_is_multiplied_is_respected() -> None:
    assert_unsafe(
        h64_module_on_columns,
        h64_module_on_columns_naive,
        "`linear` gives the same bits for a dense tensor as for a strided view",
    )


def h65_sigmoid(x: Tensor) -> Tensor:
    return x.float()[:, :, 3].sigmoid()


def h65_sigmoid_naive(x: Tensor) -> Tensor:
    return x[:, :, 3].float().sigmoid()


def test_h65_a_kernel_with_a_tail_tells_strides_is_real() -> None:
    found = [torch.equal(h65_sigmoid(x), h65_sigmoid_naive(x)) for x in _sources()]
    assert not all(found)


def test_h65_an_elementwise_function_with_a_tail_is_respected() -> None:
    assert_unsafe(h65_sigmoid, h65_sigmoid_naive, "`sigmoid` gives the same bits")


def h66_part_in_inference_mode(x: Tensor) -> Tensor:
    wide = x.detach().float()
    with torch.inference_mode():
        last = wide[:, -1]
    return last


def h66_part_in_inference_mode_naive(x: Tensor) -> Tensor:
    wide = x.detach()
    with torch.inference_mode():
        last = wide[:, -1].float()
    return last


def test_h66_backward_saves_nothing_of_inference_mode_is_real() -> None:
    x, weight = random_bf16(4, 8), torch.ones(4, requires_grad=True)
    assert error_of(lambda: h66_part_in_inference_mode(x) * weight) is None
    naive = h66_part_in_inference_mode_naive
    assert error_of(lambda: naive(x) * weight) is RuntimeError


def test_h66_a_selection_alone_in_inference_mode_is_respected() -> None:
    assert_unsafe(
        h66_part_in_inference_mode,
        h66_part_in_inference_mode_naive,
        "what is cast in inference mode is not used outside of it",
    )


def h67_two_parts(x: Tensor) -> tuple[Tensor, Tensor]:
    wide = x.detach().float()
    return wide[:, 0], wide[:, 0:2]


def h67_two_parts_naive(x: Tensor) -> tuple[Tensor, Tensor]:
    wide = x.detach()
    return wide[:, 0].float(), wide[:, 0:2].float()


def test_h67_parts_of_one_copy_share_memory_is_real() -> None:
    found = []
    for function in (h67_two_parts, h67_two_parts_naive):
        first, both = function(random_bf16(4, 8))
        first.zero_()
        found.append(both)
    assert not torch.equal(*found)


def test_h67_two_parts_that_leave_the_function_is_respected() -> None:
    assert_unsafe(
        h67_two_parts,
        h67_two_parts_naive,
        "nothing writes to `[:, 0]` or `[:, 0:2]`, which shared memory",
    )


def h68_labels_of_two_axes(x: Tensor, labels: Tensor) -> Tensor:
    return x.float()[torch.arange(x.shape[0]), labels]


def h68_labels_of_two_axes_naive(x: Tensor, labels: Tensor) -> Tensor:
    return x[torch.arange(x.shape[0]), labels].float()


def test_h68_rows_repeat_under_labels_of_two_axes_is_real() -> None:
    labels = torch.zeros(300, 4, dtype=torch.long)
    assert count_differing(
        h68_labels_of_two_axes,
        h68_labels_of_two_axes_naive,
        random_bf16(4, 8),
        labels,
    )
    assert not count_differing(
        h68_labels_of_two_axes,
        h68_labels_of_two_axes_naive,
        random_bf16(4, 8),
        labels[0],
    )


def test_h68_labels_of_any_rank_is_respected() -> None:
    assert_unsafe(
        h68_labels_of_two_axes,
        h68_labels_of_two_axes_naive,
        "if an index repeats in `torch.arange(x.shape[0]), labels`",
    )


def h69_mode_left_by_hand(x: Tensor) -> Tensor:
    mode = torch.no_grad()
    mode.__enter__()
    wide = x.float()
    mode.__exit__(None, None, None)
    return wide[:, -1]


def h69_mode_left_by_hand_naive(x: Tensor) -> Tensor:
    mode = torch.no_grad()
    mode.__enter__()
    mode.__exit__(None, None, None)
    return x[:, -1].float()


def test_h69_a_mode_that_is_left_by_hand_is_real() -> None:
    x = random_bf16(4, 8).requires_grad_()
    assert not h69_mode_left_by_hand(x).requires_grad
    assert h69_mode_left_by_hand_naive(x).requires_grad


def test_h69_a_cast_in_a_mode_that_ends_is_respected() -> None:
    assert_displayed(h69_mode_left_by_hand, "the cast runs without gradients")
