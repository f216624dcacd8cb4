"""Measurement: the instrument changes what it measures."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from upcast_lint.verify.accounting import PeakMemory

from .tool import assert_unsafe

INDEX = torch.zeros(4, 64, 8, dtype=torch.long)
UNIT = 4 * 64 * 1000 * 2


def h37_gather(x: torch.Tensor) -> torch.Tensor:
    return x.float().gather(-1, INDEX)


def h37_gather_naive(x: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, INDEX).float()


class UnmappedPeak(PeakMemory):  # type: ignore[misc]
    """The same count without mapping operators back to their in-place forms."""

    def _is_fresh(self, value: object) -> bool:
        return False


def units(
    memory: PeakMemory, function: Callable[[torch.Tensor], torch.Tensor]
) -> float:
    assert isinstance(memory, TorchDispatchMode)
    with memory:
        x = torch.zeros(4, 64, 1000, dtype=torch.bfloat16, requires_grad=True)
        function(x).sum().backward()
    return round(memory.peak / UNIT, 1)


def test_h37_a_dispatch_mode_adds_a_buffer_to_the_backward_of_gather_is_real() -> None:
    assert [units(UnmappedPeak(), each) for each in (h37_gather, h37_gather_naive)] == [
        7.0,
        3.0,
    ]
    assert [units(PeakMemory(), each) for each in (h37_gather, h37_gather_naive)] == [
        5.0,
        2.0,
    ]


def test_h37_what_is_rewritten_is_what_is_measured_is_respected() -> None:
    assert_unsafe(h37_gather, h37_gather_naive, "repeats in `INDEX`")
