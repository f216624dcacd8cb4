"""Map a function over items in processes that may die.

`concurrent.futures` gives up the whole pool when one process dies, without saying
which item killed it. Here the items of the batch that was lost are tried again, each
in a batch of its own; the one that kills its process again is given up, by name.

Where processes are not forked, a new interpreter is started, which would look for
`multiprocessing` in the current folder first. There it is told not to.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TypeVar

from .interrupts import held

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_BATCHES_PER_PROCESS = 16
_MAX_BATCH = 32
# Each takes two open files, of which some systems allow 256.
_MAX_PROCESSES = 100
_SAFE_PATH = "PYTHONSAFEPATH"


@dataclass(slots=True)
class _Worker:
    """It has the items, and reads the numbers of some from `requests`."""

    process: BaseProcess
    requests: Connection
    batch: list[int]


def map_in_processes(
    function: Callable[[_Item], _Result], items: Sequence[_Item], processes: int
) -> Iterator[tuple[_Item, _Result | None]]:
    """Pairs as they come, in no order; None for an item whose process died.

    Fewer processes do where the system gives no more, and this one where it gives none.
    """
    processes = min(processes, _MAX_PROCESSES)
    size = len(items) // (processes * _BATCHES_PER_PROCESS)
    size = max(1, min(size, _MAX_BATCH))
    numbers = range(len(items))
    pending = deque(list(numbers[i : i + size]) for i in range(0, len(items), size))
    # Forking is fast and safe here, where no thread runs; elsewhere it is neither.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    if sys.platform != "linux" and not _can_keep_path_safe():
        yield from ((item, function(item)) for item in items)
        return
    workers: dict[Connection, _Worker] = {}

    def hand_out(results: Connection) -> None:
        """Give a worker its next batch, or end it."""
        worker = workers[results]
        batch = pending.popleft() if pending else None
        # One that died idle is met where its results are awaited.
        with suppress(BrokenPipeError):
            worker.requests.send(batch)
        if batch is None:
            drop(results)
        else:
            worker.batch = batch

    def drop(results: Connection) -> None:
        worker = workers.pop(results)
        worker.process.join()
        worker.requests.close()
        results.close()

    def start() -> None:
        # One way each: a pipe for both ways would be a pair of sockets.
        their_requests, requests = context.Pipe(duplex=False)
        results, their_results = context.Pipe(duplex=False)
        process = context.Process(
            target=_work,
            args=(function, items, their_requests, their_results, (requests, results)),
            daemon=True,
        )
        # Until the worker ignores interrupts, one would end it loudly.
        with held(), _safe_path():
            process.start()
        their_requests.close()
        their_results.close()  # or the worker's end would never be seen
        workers[results] = _Worker(process, requests, [])
        hand_out(results)

    try:
        with suppress(OSError):
            for _ in range(min(processes, len(pending))):
                start()
        if not workers:
            yield from ((item, function(item)) for item in items)
        while workers:
            for connection in wait(list(workers)):
                assert isinstance(connection, Connection)
                batch = workers[connection].batch
                try:
                    answers: list[_Result] = connection.recv()
                except (EOFError, OSError):
                    drop(connection)
                    if len(batch) == 1:
                        yield items[batch[0]], None
                    else:
                        pending.extendleft([number] for number in reversed(batch))
                    if pending:
                        start()
                    continue
                hand_out(connection)
                for number, answer in zip(batch, answers, strict=True):
                    yield items[number], answer
    finally:
        for worker in workers.values():
            worker.process.kill()
        for worker in workers.values():
            worker.process.join()


def _can_keep_path_safe() -> bool:
    """Whether an interpreter that is started hears of it; under `-E` it would not."""
    return bool(sys.flags.safe_path or not sys.flags.ignore_environment)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Interpreters that start meanwhile import nothing from the current folder."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _work(
    function: Callable[[_Item], _Result],
    items: Sequence[_Item],
    requests: Connection,
    results: Connection,
    parents_ends: tuple[Connection, Connection],
) -> None:
    # Held here, they would keep us from seeing that the parent was killed.
    for connection in parents_ends:
        connection.close()
    # The terminal sends an interrupt to every process; the parent's answer ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            batch = requests.recv()
        except EOFError:
            return
        if batch is None:
            return
        answers = [function(items[number]) for number in batch]
        try:
            results.send(answers)
        except BrokenPipeError:
            return
