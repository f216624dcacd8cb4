"""Judge a fixture: run both functions on every kind of input, and test its claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from .accounting import PeakMemory
from .comparison import Comparison, Mismatch, compare
from .execution import (
    Prepare,
    call_with_gradients,
    is_safe_on_device,
    prepared,
    run_case,
)
from .fixture import Case, Memory, Relation, Specimen
from .inputs import (
    LOW_DTYPES,
    SEEDS,
    Conditions,
    Values,
    all_conditions,
    make_inputs,
    source_name,
    torch_dtype,
)
from .specification import DType, parse_inputs
from .spy import WideTensors

ROUNDING = 1e-4
"""Gradients here are sums of a few numbers of order 1, in float32 at least."""

SEEDS_TO_DIFFER = 24
"""A difference may need a rare coincidence; equality has to hold on any seed."""


@dataclass(frozen=True, slots=True)
class CaseReport:
    """How one case went on one device. It holds where `failures` is empty.

    `…_unequal` and `restrided` count the inputs on which something differed. Peaks are
    bytes for the fixture's own small shapes, None where they were not measured.
    """

    fixture: str
    claim: str
    tier: str
    device: str
    comparisons: int
    failures: tuple[str, ...]
    outputs_unequal: int
    gradients_unequal: int
    restrided: int
    peak_before: int | None
    peak_after: int | None

    @property
    def holds(self) -> bool:
        return not self.failures


def judge(specimen: Specimen, device: str) -> list[CaseReport]:
    """One report for each case of the fixture."""
    return [_judge_case(specimen, case, device) for case in specimen.fixture.cases]


def _judge_case(specimen: Specimen, case: Case, device: str) -> CaseReport:
    wide = specimen.fixture.wide
    compared: list[tuple[Conditions, Comparison]] = []
    failures: list[str] = []
    lows = LOW_DTYPES if wide is DType.F32 else (*LOW_DTYPES, wide)
    is_rare = Relation.DIFFER in (case.outputs, case.gradients)
    for given in all_conditions(lows, device, SEEDS_TO_DIFFER if is_rare else SEEDS):
        if not is_safe_on_device(partial(prepared, specimen.before, case), case, given):
            continue
        before = run_case(specimen.before, case, given)
        after = run_case(specimen.after, case, given)
        compared.append((given, compare(before, after)))
        if before.error and given.values is not Values.EMPTY and not failures:
            error = f"{before.error}: {before.message}"
            failures.append(f"before raises on {given}: {error}")
    outputs = [(given, each.outputs) for given, each in compared]
    gradients = [(given, each.gradients) for given, each in compared]
    failures += _break_of(case.outputs, "outputs", outputs, wide)
    failures += _break_of(case.gradients, "gradients", gradients, wide)
    if case.gradients is Relation.DIFFER:
        failures += _break_of_rounding(gradients, wide)
    peak_before = peak_after = None
    if case.memory is not Memory.UNMEASURED and not failures:
        given = Conditions(DType.BF16, device=device)
        peak_before, peak_after = (
            peak_memory(partial(prepared, function, case), case, given)
            for function in (specimen.before, specimen.after)
        )
        failures += _break_of_memory(case.memory, peak_before, peak_after)
        failures += _break_of_spy(specimen, case, given)
    return CaseReport(
        fixture=specimen.name,
        claim=case.claim,
        tier=specimen.fixture.tier.value,
        device=device,
        comparisons=len(compared),
        failures=tuple(failures),
        outputs_unequal=sum(bool(each.outputs) for _, each in compared),
        gradients_unequal=sum(bool(each.gradients) for _, each in compared),
        restrided=sum(bool(each.restrided) for _, each in compared),
        peak_before=peak_before,
        peak_after=peak_after,
    )


def _break_of(
    claim: Relation,
    what: str,
    found: list[tuple[Conditions, tuple[Mismatch, ...]]],
    wide: DType,
) -> list[str]:
    """What contradicts the claim, the first instance of each kind."""
    unequal = [(given, mismatches) for given, mismatches in found if mismatches]
    if claim is Relation.DIFFER:
        differing = {given.low for given, _ in unequal}
        return [
            f"{what} never differ for {low.value}"
            for low in LOW_DTYPES
            if low is not wide and low not in differing
        ]
    if claim is Relation.EQUAL and unequal:
        given, mismatches = unequal[0]
        rest = f", and on {len(unequal) - 1} more inputs" if unequal[1:] else ""
        return [f"{what} differ on {given}: {mismatches[0]}{rest}"]
    return []


def _break_of_rounding(
    found: list[tuple[Conditions, tuple[Mismatch, ...]]], wide: DType
) -> list[str]:
    """Gradients that differ by more than rounding where the cast does nothing.

    They need not be equal: a sum may be taken in another order, by the rewrite or by
    the atomic additions of CUDA.
    """
    for given, mismatches in found:
        is_tame = given.values in (Values.RANDOM, Values.TIES)
        for mismatch in mismatches:
            is_rounding = mismatch.largest is not None and mismatch.largest < ROUNDING
            if given.low is wide and is_tame and not is_rounding:
                return [
                    f"gradients differ by more than rounding on {given}: {mismatch}"
                ]
    return []


def _break_of_memory(claim: Memory, before: int, after: int) -> list[str]:
    if claim is Memory.SHRINKS and after >= before:
        return [f"the peak does not fall: {before} bytes before, {after} after"]
    if claim is Memory.NO_WORSE and after > before:
        return [f"the peak rises: {before} bytes before, {after} after"]
    return []


def _break_of_spy(specimen: Specimen, case: Case, given: Conditions) -> list[str]:
    """Before makes wide tensors of the source's size; after makes none, or no more."""
    before = wide_tensors(specimen.before, specimen, case, given)
    after = wide_tensors(specimen.after, specimen, case, given)
    if case.memory is Memory.SHRINKS and not before:
        return ["no wide copy is made even before: the case shows nothing"]
    if case.memory is Memory.SHRINKS and after:
        return [f"a wide copy is still made, by {after[0]}"]
    if len(after) > len(before):
        return [f"{len(after)} wide copies are made, {len(before)} before"]
    return []


def peak_memory(prepare: Prepare, case: Case, given: Conditions) -> int:
    """Peak bytes of a forward and backward pass, its inputs included.

    The least of three: the threads of a collective may let go of its buffers late.
    """
    peaks: list[int] = []
    for _ in range(3):
        function, inputs = prepare(given)
        with PeakMemory() as memory:
            memory.hold(*inputs.values())
            call_with_gradients(function, case, inputs, given)
        peaks.append(memory.peak)
    return min(peaks)


def wide_tensors(
    function: Callable[..., Any], specimen: Specimen, case: Case, given: Conditions
) -> list[str]:
    """The operators that make a wide tensor as large as the source."""
    parsed = parse_inputs(case.inputs)
    inputs = make_inputs(parsed, given)
    source = inputs[source_name(parsed) or ""]
    assert isinstance(source, torch.Tensor)
    wide = torch_dtype(specimen.fixture.wide)
    with WideTensors(wide, source.numel()) as spy:
        call_with_gradients(function, case, inputs, given)
    made: list[str] = spy.made
    return made
