"""The distillation helper at full size: what its plain arm costs before and after.

The fixture `upcast-before-gather/topk_distillation` at B=1, V=151,936 and K=64. Without
a GPU its peak memory is computed under fake tensors, which have shapes and no data; on
a GPU the allocator and CUDA events measure it.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from .accounting import PeakMemory
from .execution import call_with_gradients
from .fixture import Case, Specimen
from .inputs import Conditions
from .specification import DType

SPECIMEN = "upcast-before-gather/topk_distillation"
VOCABULARY = 151_936
COLUMNS = 64
POSITIONS = (2048, 4096, 6144, 8192)
MEASURED_POSITIONS = (2048, 4096, 8192)
WARM_UPS = 3
REPETITIONS = 10


@dataclass(frozen=True, slots=True)
class PeakRow:
    """Peak bytes of a forward and backward pass over S positions, logits included."""

    positions: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Measurement:
    """Peak bytes above what was allocated before the logits; median milliseconds."""

    peak: int
    forward_ms: float
    step_ms: float
    """Forward and backward."""


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """None where the card has not enough memory."""

    positions: int
    before: Measurement | None
    after: Measurement | None


def compute_peaks(
    specimen: Specimen, positions: tuple[int, ...] = POSITIONS
) -> tuple[PeakRow, ...]:
    """The memory table, computed without allocating."""
    case = specimen.fixture.cases[0]
    return tuple(
        PeakRow(
            size,
            fake_peak(specimen.before, case, size),
            fake_peak(specimen.after, case, size),
        )
        for size in positions
    )


def fake_peak(function: Callable[..., Any], case: Case, positions: int) -> int:
    """Peak bytes at full size, under fake tensors on the CPU.

    Never on a fake `cuda`: under autograd that aborts the process on a CPU build.
    """
    with FakeTensorMode(), PeakMemory() as memory:
        inputs = full_size_inputs(positions, "cpu")
        call_with_gradients(function, case, inputs, Conditions(DType.BF16))
    peak: int = memory.peak
    return peak


def full_size_inputs(positions: int, device: str) -> dict[str, Any]:
    """bf16 logits `[1, S, V]` that require a gradient, and K distinct columns."""
    columns = torch.arange(COLUMNS, device=device) * (VOCABULARY // COLUMNS)
    narrow = (1, positions, COLUMNS)
    return {
        "student_logits": torch.randn(
            (1, positions, VOCABULARY),
            dtype=torch.bfloat16,
            device=device,
            requires_grad=True,
        ),
        "teacher_topk_logits": torch.randn(narrow, dtype=torch.bfloat16, device=device),
        "topk_columns": columns.expand(narrow).contiguous(),
    }


def measure_on_cuda(
    specimen: Specimen, positions: tuple[int, ...] = MEASURED_POSITIONS
) -> tuple[MeasuredRow, ...]:
    """Allocator peaks and event times on the current CUDA device."""
    case = specimen.fixture.cases[0]
    return tuple(
        MeasuredRow(
            size,
            _measure(specimen.before, case, size),
            _measure(specimen.after, case, size),
        )
        for size in positions
    )


def _measure(
    function: Callable[..., Any], case: Case, positions: int
) -> Measurement | None:
    gc.collect()
    torch.cuda.empty_cache()
    start = torch.cuda.memory_allocated()
    try:
        inputs = full_size_inputs(positions, "cuda")
        torch.cuda.reset_peak_memory_stats()
        _step(function, case, inputs)
        peak = int(torch.cuda.max_memory_allocated()) - int(start)
        return Measurement(
            peak,
            _median_ms(lambda: function(**inputs)),
            _median_ms(lambda: _step(function, case, inputs)),
        )
    except torch.cuda.OutOfMemoryError:
        return None


def _step(function: Callable[..., Any], case: Case, inputs: dict[str, Any]) -> None:
    inputs["student_logits"].grad = None
    call_with_gradients(function, case, inputs, Conditions(DType.BF16, device="cuda"))


def _median_ms(work: Callable[[], object]) -> float:
    times = []
    for repetition in range(WARM_UPS + REPETITIONS):
        start = torch.cuda.Event(enable_timing=True)
        stop = torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        stop.record()
        torch.cuda.synchronize()
        if repetition >= WARM_UPS:
            times.append(float(start.elapsed_time(stop)))
    return statistics.median(times)
