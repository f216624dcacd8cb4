"""One run of `check`: find the files, check them, write what is fixed, report."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .. import writer
from ..checker import FixMode
from ..errors import UsageError
from ..escape import visible
from ..files import read_regular
from ..finding import Confidence
from ..report import Report, plural
from ..runner import Outcome, Task, run
from ..session import Request, Session
from .messages import CLEAN, FAILED, INTERRUPTED, say
from .options import Options
from .output import Output, wants_color
from .progress import Progress
from .state import Run, exit_code

if TYPE_CHECKING:
    from ..baseline import Baseline
    from ..cache import Cache
    from ..checker import Gate

# With fewer files, reading the cache takes longer than it saves.
_CACHE_FROM = 16


def run_check(request: Request, options: Options) -> int:
    """The exit code. Raises UsageError."""
    run = Run()
    try:
        return _run_check(request, options, run)
    except KeyboardInterrupt:
        whole = "every file is whole, as it was or as it was changed"
        say("warning", f"interrupted; {plural(run.written, 'file')} changed, {whole}")
        return INTERRUPTED


def _run_check(request: Request, options: Options, run: Run) -> int:
    session = Session(request)
    if options.show_settings:
        from .settings import show_settings

        return show_settings(session)
    if "-" in request.paths:
        from .stdin import check_stdin

        return check_stdin(session, options, _baseline(options))
    start = time.perf_counter()
    found = session.find()
    run.problems += session.discovery.problems
    if options.show_files:
        Output(options).write("".join(f"{visible(file.path)}\n" for file in found))
        return _end(run)
    known = _baseline(options)
    rows = _added_rows(request, options)
    tasks = session.tasks(found, known, rows)
    if not found:
        say("warning", "no Python files found under the given paths")
    cache = _cache(session, options, tasks)
    gate = _gate(request, options)
    try:
        _check_all(run, tasks, cache, options, gate)
    finally:
        if cache is not None:
            _save(cache)
    report = _report(run, session, options, time.perf_counter() - start)
    if options.write_baseline:
        return _write_baseline(options.write_baseline, run, report)
    if options.add_noqa is not None:
        return _add_noqa(run, options.add_noqa)
    _print(run, report, options)
    if options.verbose and session.default_job().options.least is not Confidence.LOW:
        say("note", "only vocab-wide sources are reported; --width any reports all")
    if known is not None and rows is None:
        for entry in known.stale(report.outcomes):
            say("note", f"{options.baseline}: no longer found: {entry}")
    code = exit_code(run.outcomes, run.problems, session, options)
    if cache is not None and not (cache.is_changed or cache.warnings or run.problems):
        from .recording import keep_record

        files = [task.absolute for task in tasks]
        keep_record(cache, session, options, report, files, run.started_ns, code)
    return code


def _added_rows(
    request: Request, options: Options
) -> dict[str, tuple[tuple[int, int], ...]] | None:
    if options.diff_base is None:
        return None
    from ..gitdiff import added_rows

    return added_rows(options.diff_base, request.paths)


def _baseline(options: Options) -> Baseline | None:
    if options.baseline is None or options.write_baseline is not None:
        return None  # a new one holds what the old one held, too
    from ..baseline import read

    return read(options.baseline)


def _gate(request: Request, options: Options) -> Gate | None:
    if options.verify_with is None:
        return None
    from .verified import gate_of

    return gate_of(options.verify_with, is_fixing=request.fix is not FixMode.NONE)


def _cache(session: Session, options: Options, tasks: Sequence[Task]) -> Cache | None:
    if options.no_cache or len(tasks) < _CACHE_FROM:
        return None
    from ..cache import Cache

    return Cache.open(session.config.root, session.default_job())


def _save(cache: Cache) -> None:
    from ..interrupts import held

    with held():  # or a temporary file could stay
        cache.save()
    for warning in cache.warnings:
        say("warning", warning)


def _check_all(
    so_far: Run,
    tasks: Sequence[Task],
    cache: Cache | None,
    options: Options,
    gate: Gate | None,
) -> None:
    """Check the tasks, and write each fix as soon as it is known."""
    # What is run under a limit of time should not share the processor.
    jobs = options.jobs or (1 if gate else None)
    # Of many files most are silent, and would fill the memory.
    wants_all = options.verbose or options.baseline is not None
    with Progress(len(tasks), is_quiet=options.quiet) as progress:
        for outcome in run(tasks, jobs, cache, gate):
            settled = _settle(outcome, so_far, options)
            if settled is None:
                settled = _without_fix(outcome, tasks)
            if settled.is_silent and not wants_all:
                so_far.silent += 1
            else:
                so_far.outcomes.append(settled)
            progress.step(settled.path)
    so_far.outcomes.sort(key=lambda outcome: outcome.path)


def _settle(outcome: Outcome, so_far: Run, options: Options) -> Outcome | None:
    """Write the outcome's fix, or keep its diff; say what went wrong.

    None where the fix could not be written, so that nothing is known of what is left.
    """
    checked = outcome.checked
    if outcome.unread is not None:
        so_far.problems.append(f"{outcome.path}: {outcome.unread}")
    if outcome.failure is not None:
        so_far.problems.append(f"{outcome.path}: internal error: {outcome.failure}")
    if checked.refusal is not None:
        say("warning", f"{outcome.path}: not fixed: {checked.refusal}")
    if checked.refused:
        from .verified import say_refused

        say_refused(outcome)
    if checked.data is None or outcome.stamp is None:
        return outcome
    try:
        if options.diff:
            so_far.diffs[outcome.path] = _diff(outcome, checked.data)
        else:
            from ..interrupts import held

            with held():  # or a file could be written and not counted
                writer.write(outcome.absolute, checked.data, outcome.stamp.digest)
                so_far.written += 1
            # What is left is placed in the new content, and may be suppressed there.
            new = outcome.stamp._replace(digest=writer.digest(checked.data))
            return outcome._replace(stamp=new)
    except (writer.Changed, OSError) as error:
        so_far.problems.append(f"{outcome.path}: not fixed: {writer.reason(error)}")
        return None
    return outcome


def _without_fix(outcome: Outcome, tasks: Sequence[Task]) -> Outcome:
    task = next(each for each in tasks if each.absolute == outcome.absolute)
    job = task.job._replace(fix=FixMode.NONE)
    return next(run([task._replace(job=job)], 1, None))


def _diff(outcome: Outcome, new: bytes) -> bytes:
    from ..diffs import file_diff

    old, _ = read_regular(outcome.absolute)
    if outcome.stamp is None or writer.digest(old) != outcome.stamp.digest:
        raise writer.Changed("changed since it was read")
    path = os.path.relpath(outcome.absolute).replace(os.sep, "/")
    return file_diff(path, old, new)


def _report(run: Run, session: Session, options: Options, seconds: float) -> Report:
    return Report(
        outcomes=tuple(run.outcomes),
        sizes=session.sizes,
        notes=[],
        silent=run.silent,
        seconds=seconds,
        root=os.getcwd(),
        is_quiet=options.quiet,
        has_color=wants_color(options),
        takes_unsafe=session.request.fix is FixMode.UNSAFE,
    )


def _print(run: Run, report: Report, options: Options) -> None:
    output = Output(options)
    if options.diff:
        output.write_bytes(b"".join(diff for _, diff in sorted(run.diffs.items())))
    elif not options.fix_only:
        output.write_report(report)
    if options.show_fixes:
        output.write_fixes(report)
    if options.diff:
        output.write_forecast(report)
    for note in report.notes:
        say("warning", note)
    _say_problems(run)
    if options.verbose:
        for line in _slowest(report):
            say("note", line)


def _say_problems(run: Run) -> None:
    """By path, whichever process met them first."""
    for problem in sorted(run.problems):
        say("error", problem)


def _end(run: Run) -> int:
    """Say the problems; the exit code of a run to which findings do not matter."""
    _say_problems(run)
    return FAILED if run.problems else CLEAN


def _slowest(report: Report) -> Iterator[str]:
    timed = sorted(report.outcomes, key=lambda outcome: -outcome.seconds)
    for outcome in timed[:5]:
        if outcome.seconds:
            yield f"{outcome.path}: {outcome.seconds:.3f} s"


def _write_baseline(path: str, run: Run, report: Report) -> int:
    from ..baseline import text

    try:
        writer.put(path, text(path, report.outcomes).encode())
    except (writer.Changed, OSError) as error:
        raise UsageError(f"{path}: {writer.reason(error)}") from error
    count = sum(len(outcome.checked.findings) for outcome in report.outcomes)
    say("note", f"{plural(count, 'finding')} written to {path}")
    return _end(run)


def _add_noqa(run: Run, reason: str) -> int:
    from .suppress import suppress_all

    count = suppress_all(run, reason)
    say("note", f"{plural(count, 'finding')} suppressed")
    return _end(run)
