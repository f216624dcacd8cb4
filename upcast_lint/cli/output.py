"""Where reports go: standard output, or a file of the user's."""

from __future__ import annotations

import os
import sys
from collections import Counter

from ..errors import UsageError
from ..escape import visible, without_surrogates
from ..report import Report, plural
from ..reporters import TEXT_FORMATS, renderer
from .messages import tell
from .options import Options


def wants_color(options: Options) -> bool:
    """The option, then `NO_COLOR` and `FORCE_COLOR`, then whether a terminal reads."""
    if options.color != "auto":
        return options.color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return options.output_file is None and is_terminal()


def is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def put(text: str) -> None:
    """Write to standard output; see `put_bytes`."""
    put_bytes(without_surrogates(text).encode())


def put_bytes(data: bytes) -> None:
    """Write to standard output; where that is closed, there is nobody to read.

    Raises UsageError, or BrokenPipeError where a reader has gone.
    """
    if sys.stdout is None:
        return
    # As bytes, so that a terminal's encoding can neither fail nor change a diff.
    stream = sys.stdout.buffer
    try:
        stream.write(data)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still to be flushed goes nowhere, or flushing it would fail at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UsageError(f"standard output: {error.strerror}") from error


class Output:
    """Raises UsageError where the file cannot be written."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def write(self, text: str) -> None:
        self.write_bytes(without_surrogates(text).encode())

    def write_bytes(self, data: bytes) -> None:
        path = self._options.output_file
        if path is None:
            put_bytes(data)
            return
        try:
            with open(path, "wb") as file:
                file.write(data)
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from error

    def write_report(self, report: Report) -> None:
        self.write(self.rendered(report))

    def rendered(self, report: Report) -> str:
        name = self._options.output_format
        if not self._options.statistics:
            return renderer(name)(report)
        from ..reporters.statistics import statistics, statistics_as_json
        from ..reporters.summary import summary

        if name == "json":
            return statistics_as_json(report)
        closing = "" if report.is_quiet else f"{summary(report)}\n"
        return statistics(report) + closing

    def write_forecast(self, report: Report) -> None:
        """What a diff would fix and leave, beside the diff."""
        from ..reporters.summary import forecast

        if not report.is_quiet:
            tell(f"{forecast(report)}\n")

    def write_fixes(self, report: Report) -> None:
        """What was fixed, by file; beside a machine's report, not in it."""
        is_text = self._options.output_format in TEXT_FORMATS
        to_stderr = not is_text or self._options.diff or bool(self._options.output_file)
        write = tell if to_stderr else self.write
        fixed = "Would fix" if self._options.diff else "Fixed"
        for outcome in report.outcomes:
            rules = Counter((each.code, each.name) for each in outcome.checked.fixed)
            if not rules:
                continue
            write(f"{fixed} in {visible(outcome.path)}:\n")
            for (code, name), count in sorted(rules.items()):
                write(f"    {count} × {code} ({name})\n")
        total = sum(len(outcome.checked.fixed) for outcome in report.outcomes)
        if total and self._options.fix_only and not self._options.diff:
            write(f"Fixed {plural(total, 'finding')}.\n")
