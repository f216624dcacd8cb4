"""Peak memory counted without a GPU agrees with what eager mode allocates."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from upcast_lint.verify.accounting import PeakMemory
from upcast_lint.verify.distillation import compute_peaks
from upcast_lint.verify.execution import prepared
from upcast_lint.verify.fixture import Memory, Specimen
from upcast_lint.verify.inputs import Conditions
from upcast_lint.verify.judge import peak_memory
from upcast_lint.verify.specification import DType

Selection = Callable[[torch.Tensor], torch.Tensor]

MEMORY_DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "memory.md"
SHAPE = (4, 64, 1000)
UNIT = 4 * 64 * 1000 * 4
"""Bytes of the float32 source; casting it to float64 is a stand-in for bf16 to float32
that needs no scratch memory of its own on the CPU."""

INDEX = torch.arange(8).expand(4, 64, 8).contiguous()

SELECTIONS: dict[str, Selection] = {
    "gather": lambda x: x.gather(-1, INDEX),
    "take_along_dim": lambda x: x.take_along_dim(INDEX, dim=-1),
    "take": lambda x: x.take(INDEX),
    "index_select": lambda x: x.index_select(-1, INDEX[0, 0]),
    "indexing": lambda x: x[..., INDEX[0, 0]],
    "slice": lambda x: x[:, -1],
    "topk": lambda x: x.topk(3, dim=-1).values,
    "max": lambda x: x.max(dim=-1).values,
}


def step(work: Selection) -> None:
    x = torch.zeros(SHAPE, requires_grad=True)
    work(x).sum().backward()


def counted_peak(work: Selection) -> int:
    with PeakMemory() as memory:
        step(work)
    return int(memory.peak)


def eager_peak(work: Selection) -> int:
    """From the allocations that the profiler records, with no mode active."""
    step(work)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        step(work)
    events = profiler.profiler.kineto_results.events()
    changes = [event for event in events if event.name() == "[memory]"]
    live = peak = 0
    for change in sorted(changes, key=lambda event: event.start_ns()):
        live += change.nbytes()
        peak = max(peak, live)
    return peak


@pytest.mark.parametrize("name", SELECTIONS)
def test_the_count_agrees_with_eager_mode(name: str) -> None:
    select = SELECTIONS[name]
    for work in (lambda x: select(x.double()), lambda x: select(x).double()):
        assert counted_peak(work) == pytest.approx(eager_peak(work), abs=UNIT / 20)


def test_a_gather_needs_five_units_before_and_two_after() -> None:
    gather = SELECTIONS["gather"]
    before = counted_peak(lambda x: gather(x.double())) / UNIT
    after = counted_peak(lambda x: gather(x).double()) / UNIT
    assert (round(before, 1), round(after, 1)) == (5.0, 2.0)


def test_zeros_of_the_forward_pass_are_not_written_to() -> None:
    x, index = torch.ones(3, requires_grad=True), torch.arange(3)
    with PeakMemory():
        zeros = torch.zeros(3)
        once, twice = zeros.scatter_add(0, index, x), zeros.scatter_add(0, index, x)
    assert once.sum() == twice.sum() == 3
    assert not zeros.any()


def test_what_is_freed_counts_no_more_and_views_count_once() -> None:
    with PeakMemory() as memory:
        memory.hold(torch.empty(0))
        x = torch.zeros(100)
        view = x[10:].view(9, 10)
        assert memory.live == 400
        del x
        assert memory.live == 400
        del view
        gc.collect()
        assert memory.live == 0
        torch.zeros(50)
    assert memory.peak == 400


def in_gib(size: int) -> str:
    return f"{size / 2**30:.2f} GiB"


def test_the_helper_at_full_size(distillation: Specimen) -> None:
    table = [
        f"| {row.positions} | {in_gib(row.before)} | {in_gib(row.after)} |"
        for row in compute_peaks(distillation)
    ]
    assert table[0] == "| 2048 | 2.90 GiB | 1.16 GiB |"
    assert table[-1] == "| 8192 | 11.60 GiB | 4.65 GiB |"
    assert "\n".join(table) in MEMORY_DOCUMENT.read_text(encoding="utf-8")


def test_a_full_size_count_allocates_nothing(distillation: Specimen) -> None:
    (row,) = compute_peaks(distillation, (1_000_000,))
    assert row.before > 2**40


def test_every_path_of_the_helper_is_at_least_as_cheap(distillation: Specimen) -> None:
    given = Conditions(DType.BF16)
    for case in distillation.fixture.cases:
        if case.memory is not Memory.UNMEASURED:
            before, after = (
                peak_memory(partial(prepared, function, case), case, given)
                for function in (distillation.before, distillation.after)
            )
            assert after <= before
