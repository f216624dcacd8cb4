"""Many programs: counted, spread over processes, failures made small."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context

import torch

from .attack import Attack, Tier, attack
from .programs import Program, program_of
from .shrinking import shrink

_BATCH = 50
_WORDS = (
    "the engine",
    "raises",
    "casts",
    "shares memory",
    "behind",
    "gradient of",
    "requires_grad",
    "dtype",
)
"""What tells kinds of mismatch apart."""


@dataclass(slots=True)
class Tally:
    programs: int = 0
    ran: int = 0
    rewritten: int = 0
    failures: list[Attack] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        self.programs += other.programs
        self.ran += other.ran
        self.rewritten += other.rewritten
        self.failures += other.failures

    def figures(self) -> str:
        return (
            f"{self.programs} programs: "
            f"{self.ran} ran without raising ({_percent(self.ran, self.programs)}), "
            f"{self.rewritten} rewritten ({_percent(self.rewritten, self.programs)}), "
            f"{len(self.failures)} mismatches, {self.seconds:.0f} s"
        )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f}%"


def campaign(
    tier: Tier,
    seeds: Sequence[int],
    jobs: int = 1,
    progress: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Attack the program of every seed."""
    began = time.monotonic()
    total = Tally()
    for part in _parts(tier, seeds, jobs):
        total.add(part)
        total.seconds = time.monotonic() - began
        progress(total)
    return total


def _parts(tier: Tier, seeds: Sequence[int], jobs: int) -> Iterator[Tally]:
    batches = [seeds[n : n + _BATCH] for n in range(0, len(seeds), _BATCH)]
    if jobs <= 1:
        yield from (_batch(tier, batch) for batch in batches)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_batch, [tier] * len(batches), batches)


def _batch(tier: Tier, seeds: Sequence[int]) -> Tally:
    torch.set_num_threads(1)
    tally = Tally()
    for seed in seeds:
        result = attack(program_of(seed), tier)
        tally.programs += 1
        tally.ran += result.ran
        tally.rewritten += result.rewritten
        if result.mismatch is not None:
            tally.failures.append(result)
    return tally


def smallest(failure: Attack) -> Attack:
    """The failure on the smallest program that still fails in the same way."""
    kind = _kind(failure.mismatch)
    seed, tier = failure.program.seed, failure.tier

    def fails(text: str) -> bool:
        try:
            result = attack(Program(seed, text), tier)
        except Exception:
            return False  # the shrunk program is none
        return result.mismatch is not None and _kind(result.mismatch) == kind

    text = shrink(failure.program.text, fails)
    return attack(Program(seed, text), tier)


def _kind(mismatch: str | None) -> str:
    """What a mismatch is about, values left out."""
    said = mismatch or ""
    for word in _WORDS:
        if word in said[:200]:
            return word if word != "raises" else said
    return "values"
