"""`check -`: one file from standard input, as editors have it."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from ..checker import Checked, FixMode, check_bytes
from ..errors import UsageError
from ..escape import without_surrogates
from ..focus import EVERYTHING, Focus
from ..report import Report
from ..runner import Outcome
from ..session import Session
from .messages import say, tell
from .options import Options
from .output import Output, put_bytes, wants_color
from .state import exit_code

if TYPE_CHECKING:
    from ..baseline import Baseline


def check_stdin(session: Session, options: Options, known: Baseline | None) -> int:
    """With a fix asked for, the fixed text goes to stdout and the report to stderr."""
    if session.request.paths != ("-",):
        raise UsageError("`-` cannot be given together with other paths")
    for name, value in (
        ("--add-noqa", options.add_noqa),
        ("--diff-base", options.diff_base),
        ("--write-baseline", options.write_baseline),
        ("--verify-with", options.verify_with),
    ):
        if value is not None:
            raise UsageError(f"{name} needs files, not standard input")
    start = time.perf_counter()
    data = _read()
    path = options.stdin_filename or "-"
    absolute = os.path.abspath(path)
    config = session.finder.in_folder(os.path.dirname(absolute))
    if options.stdin_filename and session.discovery.is_forced_out(config, absolute):
        checked = Checked(())
    else:
        real = os.path.realpath(absolute)
        focus = Focus(known=known.known(real)) if known is not None else EVERYTHING
        checked = check_bytes(data, path, session.job(absolute, config), focus)
    outcome = Outcome(path, absolute, checked)
    report = Report(
        outcomes=(outcome,),
        sizes=session.sizes,
        notes=[],
        seconds=time.perf_counter() - start,
        root=os.getcwd(),
        is_quiet=options.quiet,
        has_color=wants_color(options),
        takes_unsafe=session.request.fix is FixMode.UNSAFE,
    )
    _print(data, outcome, report, session, options)
    return exit_code((outcome,), (), session, options)


def _read() -> bytes:
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(f"standard input: {error.strerror}") from error


def _print(
    data: bytes, outcome: Outcome, report: Report, session: Session, options: Options
) -> None:
    output = Output(options)
    new = outcome.checked.data
    if outcome.checked.refusal is not None:
        say("warning", f"{outcome.path}: not fixed: {outcome.checked.refusal}")
    if options.diff:
        if new is not None:
            from ..diffs import file_diff

            output.write_bytes(file_diff(outcome.path, data, new))
        output.write_forecast(report)
    elif session.request.fix is FixMode.NONE:
        output.write_report(report)
    else:
        put_bytes(data if new is None else new)
        if not options.fix_only:
            tell(without_surrogates(output.rendered(report)))
    for note in report.notes:
        say("warning", note)
