"""Run commands and measure them: wall time, CPU time, the largest process."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """`cpu` is of the command and its children; `peak` that of the largest, in MiB."""

    wall: float
    cpu: float
    peak: float


def measure(command: Sequence[str], folder: str) -> Measured:
    """Raises RuntimeError where the command fails rather than finds something."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        tail = said.decode(errors="replace")[-500:]
        raise RuntimeError(f"{' '.join(command)}: {process.returncode}\n{tail}")
    return Measured(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


@dataclass(frozen=True, slots=True)
class Pair:
    """Measurements taken in turn, ours first."""

    ours: list[Measured]
    theirs: list[Measured]

    @property
    def ratio(self) -> float:
        """The median of the ratios of wall time, round by round."""
        return statistics.median(
            a.wall / b.wall for a, b in zip(self.ours, self.theirs, strict=True)
        )

    @property
    def cpu_ratio(self) -> float:
        return statistics.median(
            a.cpu / b.cpu for a, b in zip(self.ours, self.theirs, strict=True)
        )


def in_turn(
    ours: Sequence[str], theirs: Sequence[str], folder: str, rounds: int
) -> Pair:
    """A B A B …, after one round that fills the caches of the file system."""
    measure(ours, folder)
    measure(theirs, folder)
    pair = Pair([], [])
    for _ in range(rounds):
        pair.ours.append(measure(ours, folder))
        pair.theirs.append(measure(theirs, folder))
    return pair


def alone(command: Sequence[str], folder: str, rounds: int) -> list[Measured]:
    measure(command, folder)
    return [measure(command, folder) for _ in range(rounds)]


def median(values: Sequence[float]) -> float:
    return statistics.median(values)
