"""`check`: what its options ask for."""

from __future__ import annotations

import sys
from typing import Any

from ..checker import FixMode
from ..config import FailOn, Width
from ..discovery import Exclusion
from ..errors import UsageError
from ..globs import fault
from ..reporters import TEXT_FORMATS
from ..session import Request
from .messages import INTERRUPTED, fail, say
from .options import Options


def check(
    paths: tuple[str, ...],
    fix: bool,
    unsafe_fixes: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    extend_select: tuple[str, ...],
    width: str | None,
    config: str | None,
    isolated: bool,
    exclude: tuple[str, ...],
    extend_exclude: tuple[str, ...],
    force_exclude: bool,
    no_respect_gitignore: bool,
    ignore_noqa: bool,
    fail_on: str | None,
    **others: Any,
) -> None:
    """Run it with the values of all options, and exit."""
    gate = FailOn(fail_on) if fail_on else None
    options = Options(fail_on=gate, **others)
    request = Request(
        paths=paths or (".",),
        select=select or None,
        ignore=ignore,
        extend_select=extend_select,
        width=Width(width) if width else None,
        config=config,
        is_isolated=isolated,
        exclusion=Exclusion(
            exclude or None, extend_exclude, force_exclude, not no_respect_gitignore
        ),
        ignore_suppressions=ignore_noqa,
        fix=_fix_mode(fix or options.fix_only or options.diff, unsafe_fixes),
    )
    conflict = _conflict(request, options)
    if conflict is not None:
        fail(conflict)
    if unsafe_fixes and request.fix is FixMode.NONE:
        say("note", "--unsafe-fixes does nothing without --fix, --fix-only or --diff")
    from .run import run_check

    try:
        sys.exit(run_check(request, options))
    except UsageError as error:
        fail(str(error))
    except KeyboardInterrupt:  # before or after the part that says what was done
        sys.exit(INTERRUPTED)


def _conflict(request: Request, options: Options) -> str | None:
    """What is wrong with the options, before any file is looked at."""
    left_out = request.exclusion
    for pattern in (*(left_out.exclude or ()), *left_out.extend_exclude):
        wrong = fault(pattern)
        if wrong is not None:
            return f"the pattern `{pattern}` {wrong}"
    if request.is_isolated and request.config:
        return "--isolated and --config exclude each other"
    for name, value in (
        ("--add-noqa", options.add_noqa),
        ("--write-baseline", options.write_baseline),
    ):
        if value is not None and options.diff:
            return f"{name} writes files and --diff does not; choose one"
    if options.write_baseline and options.diff_base:
        return "--write-baseline takes every finding and --diff-base those on new lines"
    if options.statistics and options.output_format not in (*TEXT_FORMATS, "json"):
        return f"--statistics has no {options.output_format} format"
    return None


def _fix_mode(is_asked: bool, takes_unsafe: bool) -> FixMode:
    if not is_asked:
        return FixMode.NONE
    return FixMode.UNSAFE if takes_unsafe else FixMode.SAFE
