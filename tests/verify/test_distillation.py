"""The measurement on a card, with everything that needs one replaced."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch

from upcast_lint.verify import distillation as module
from upcast_lint.verify.distillation import Measurement, measure_on_cuda
from upcast_lint.verify.fixture import Specimen


class Event:
    """Ticks a millisecond from one record to the next."""

    clock = itertools.count()

    def __init__(self, enable_timing: bool) -> None:
        assert enable_timing

    def record(self) -> None:
        self.time = next(self.clock)

    def elapsed_time(self, stop: Event) -> float:
        return float(stop.time - self.time)


@pytest.fixture
def no_card_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    full_size = module.full_size_inputs

    def small_inputs(positions: int, device: str) -> dict[str, Any]:
        assert device == "cuda"
        return full_size(positions, "cpu")

    monkeypatch.setattr(module, "full_size_inputs", small_inputs)
    monkeypatch.setattr(module, "VOCABULARY", 640)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda: 100)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda: 350)
    for name in ("empty_cache", "reset_peak_memory_stats", "synchronize"):
        monkeypatch.setattr(torch.cuda, name, lambda: None)


@pytest.mark.usefixtures("no_card_needed")
def test_peaks_are_deltas_and_times_medians(distillation: Specimen) -> None:
    (row,) = measure_on_cuda(distillation, (4,))
    assert row.positions == 4
    assert row.before == row.after == Measurement(250, 1.0, 1.0)


@pytest.mark.usefixtures("no_card_needed")
def test_a_card_that_is_too_small_leaves_a_gap(
    distillation: Specimen, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise torch.cuda.OutOfMemoryError("full")

    monkeypatch.setattr(module, "_step", full)
    (row,) = measure_on_cuda(distillation, (4,))
    assert row.before is None and row.after is None


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_the_peak_falls_on_a_card(distillation: Specimen) -> None:
    (row,) = measure_on_cuda(distillation, (2048,))
    assert row.before is not None and row.after is not None
    assert row.before.peak > 2 * row.after.peak
