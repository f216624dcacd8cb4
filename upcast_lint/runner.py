"""Check many files: read each, hand it to the checker, and let no file stop the rest.

This is the one place that starts processes, and only where the files are worth it.
What goes wrong with one file becomes its outcome; nothing here prints.

Records that every run needs are named tuples here and around: at import a frozen
dataclass takes eight times as long, which a run over one clean file would feel.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from .checker import (
    Checked,
    FixMode,
    Gate,
    Job,
    Others,
    check_bytes,
    focused,
    others_of,
    texts_of,
)
from .files import Status, read_regular
from .focus import EVERYTHING, Focus
from .replay import CLOCK_GRAIN_NS
from .writer import digest

if TYPE_CHECKING:
    from .cache import Cache

# Below this a second process costs more than it saves; measured on two cores.
_WORTHWHILE_BYTES = 4_000_000


class Task(NamedTuple):
    """One file to check, how, and which of its findings the run is about."""

    path: str
    absolute: str
    status: Status
    job: Job
    focus: Focus = EVERYTHING


class Stamp(NamedTuple):
    """What tells one content of a file from another.

    The time is None where a change after the reading could have left it the same.
    `others` are the files around that its result rests on.
    """

    size: int
    mtime_ns: int | None
    digest: str
    others: Others = ()


class Outcome(NamedTuple):
    """`failure` is an internal error: a bug of ours that this file met. `unread` says
    why its bytes could not be had; what they hold, however broken, is for the checker.

    `stamp` is of the content that was checked; None where there was none, or where
    nothing was found and nobody wants to know.
    """

    path: str
    absolute: str
    checked: Checked = Checked(())
    stamp: Stamp | None = None
    failure: str | None = None
    unread: str | None = None
    seconds: float = 0.0

    @property
    def is_silent(self) -> bool:
        """Whether there is nothing to say of the file, but that it was checked."""
        is_whole = self.unread is None and self.failure is None
        return is_whole and self.checked == Checked(())


def run(
    tasks: Sequence[Task],
    processes: int | None,
    cache: Cache | None,
    gate: Gate | None = None,
) -> Iterator[Outcome]:
    """Outcomes as they come. `processes` of None means as many as are worthwhile."""
    fresh: list[Task] = []
    for task in tasks:
        known = cache and _from_cache(cache, task)
        if known:
            yield _focused(known, task)
        else:
            fresh.append(task)
    work = partial(check_file, wants_stamp=cache is not None, gate=gate)
    for task, outcome in _outcomes(fresh, processes, work):
        if cache is not None:
            _store(cache, task, outcome)
        yield outcome if _is_focused_early(task) else _focused(outcome, task)


def _is_focused_early(task: Task) -> bool:
    """Whether the choice is made before fixing, and so out of the cache's reach."""
    return task.job.fix is not FixMode.NONE and task.focus != EVERYTHING


def _focused(outcome: Outcome, task: Task) -> Outcome:
    if task.focus == EVERYTHING:
        return outcome
    return outcome._replace(checked=focused(outcome.checked, task.focus))


def _store(cache: Cache, task: Task, outcome: Outcome) -> None:
    checked = outcome.checked
    if outcome.stamp is None or checked.data is not None or _is_focused_early(task):
        return
    if checked.refused:
        return  # another plan, or another day, may find otherwise
    cache.store(task.absolute, task.job, outcome.stamp, checked.findings)


def check_file(
    task: Task, *, wants_stamp: bool = True, gate: Gate | None = None
) -> Outcome:
    """Read and check one file; every exception becomes an outcome that names it."""
    start = time.perf_counter()
    try:
        data, status = read_regular(task.absolute)
        mtime_ns = _trusted_time(status)
    except (OSError, MemoryError) as error:
        return Outcome(task.path, task.absolute, unread=_reason(error))
    try:
        focus = task.focus if _is_focused_early(task) else EVERYTHING
        checked = check_bytes(data, task.path, task.job, focus, gate)
    except Exception as error:  # a bug of ours: the run goes on, exit code 2 tells
        return Outcome(task.path, task.absolute, failure=_failure(error))
    others, checked = checked.others, checked._replace(others=())
    stamp = None
    if wants_stamp or checked.findings or checked.fixed:
        stamp = Stamp(len(data), mtime_ns, digest(data), others)
    seconds = time.perf_counter() - start
    return Outcome(task.path, task.absolute, checked, stamp, seconds=seconds)


def _trusted_time(status: os.stat_result) -> int | None:
    """The modification time of a file that was read just now; see `Stamp`."""
    mtime_ns = status.st_mtime_ns
    return None if time.time_ns() - mtime_ns < CLOCK_GRAIN_NS else mtime_ns


def _reason(error: OSError | MemoryError) -> str:
    if isinstance(error, MemoryError):
        return "larger than the memory"
    return error.strerror or str(error)


def _failure(error: Exception) -> str:
    """What happened and where, on one line."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})"
    return f"{type(error).__name__}: {error}{where if frames else ''}"


def _from_cache(cache: Cache, task: Task) -> Outcome | None:
    path, job, status = task.absolute, task.job, task.status
    if cache.is_clean(path, job, status):
        return Outcome(task.path, path)
    stamp = cache.stamp(path, job)
    if stamp is None or stamp.size != status.st_size:
        return None
    if stamp.others and not _holds(stamp.others, task):
        return None
    try:
        findings = cache.findings(path)
    except ValueError:
        return None
    if any(map(job.fix.takes, findings)):
        return None
    texts: dict[int, str] = {}
    if findings or stamp.mtime_ns != status.st_mtime_ns:
        try:
            data, now = read_regular(path)
        except OSError:
            return None  # to be met again, and reported, where files are checked
        if digest(data) != stamp.digest:
            return None
        stamp = stamp._replace(mtime_ns=_trusted_time(now))
        if findings:
            texts = texts_of(data, task.path)
        cache.store(path, job, stamp, findings)
    return Outcome(task.path, path, Checked(findings, texts), stamp)


def _holds(others: Others, task: Task) -> bool:
    """Whether the files around are what they were."""
    from .project import Project

    project = Project(task.path, task.job.options.root)
    for path, _ in others:
        project.content(path)
    return others_of(project) == others


def _outcomes(
    tasks: Sequence[Task], processes: int | None, work: Callable[[Task], Outcome]
) -> Iterator[tuple[Task, Outcome]]:
    count = _process_count(tasks) if processes is None else processes
    if min(count, len(tasks)) <= 1:
        for task in tasks:
            yield task, work(task)
        return
    from .linter import load
    from .pool import map_in_processes

    load()  # once, before the processes fork
    # Large files first, so that none is left for the end while others idle.
    order = sorted(tasks, key=lambda task: -task.status.st_size)
    for task, outcome in map_in_processes(work, order, count):
        yield (
            task,
            outcome
            or Outcome(
                task.path, task.absolute, failure="the process that checked it died"
            ),
        )


def _process_count(tasks: Sequence[Task]) -> int:
    total = sum(task.status.st_size for task in tasks)
    if total < _WORTHWHILE_BYTES:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
