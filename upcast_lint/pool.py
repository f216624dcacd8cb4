"""Map a function over items in processes that may die.

`concurrent.futures` gives up the whole pool when one process dies, without saying
which item killed it. Here the items of the batch that was lost are tried again, each
in a batch of its own; the one that kills its process again is given up, by name.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_BATCHES_PER_PROCESS = 16
_MAX_BATCH = 32


@dataclass(slots=True)
class _Worker(Generic[_Item]):
    process: BaseProcess
    batch: list[_Item]


def map_in_processes(
    function: Callable[[_Item], _Result], items: Sequence[_Item], processes: int
) -> Iterator[tuple[_Item, _Result | None]]:
    """Pairs as they come, in no order; None for an item whose process died."""
    size = len(items) // (processes * _BATCHES_PER_PROCESS)
    size = max(1, min(size, _MAX_BATCH))
    pending = deque(list(items[i : i + size]) for i in range(0, len(items), size))
    # Forking is fast and safe here, where no thread runs; elsewhere it is neither.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    workers: dict[Connection, _Worker[_Item]] = {}

    def hand_out(connection: Connection) -> None:
        """Give a worker its next batch, or end it."""
        batch = pending.popleft() if pending else None
        # One that died idle is met where its results are awaited.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.send(batch)
        if batch is None:
            connection.close()
            workers.pop(connection).process.join()
        else:
            workers[connection].batch = batch

    def start() -> None:
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(function, theirs), daemon=True)
        process.start()
        theirs.close()  # or its end would never be seen
        workers[ours] = _Worker(process, [])
        hand_out(ours)

    try:
        for _ in range(min(processes, len(pending))):
            start()
        while workers:
            for connection in wait(list(workers)):
                assert isinstance(connection, Connection)
                batch = workers[connection].batch
                try:
                    results: list[_Result] = connection.recv()
                except (EOFError, OSError):
                    workers.pop(connection).process.join()
                    if len(batch) == 1:
                        yield batch[0], None
                    else:
                        pending.extendleft([item] for item in reversed(batch))
                    if pending:
                        start()
                    continue
                hand_out(connection)
                yield from zip(batch, results, strict=True)
    finally:
        for worker in workers.values():
            worker.process.kill()
        for worker in workers.values():
            worker.process.join()


def _work(function: Callable[[_Item], _Result], connection: Connection) -> None:
    # The terminal sends an interrupt to every process; the parent's answer ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            batch = connection.recv()
        except EOFError:
            return
        if batch is None:
            return
        connection.send([function(item) for item in batch])
