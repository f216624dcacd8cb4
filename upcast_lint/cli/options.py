"""The options of `check` that no finding depends on."""

from __future__ import annotations

from typing import NamedTuple

from ..config import FailOn


class Options(NamedTuple):
    """Named as on the command line."""

    diff: bool
    fix_only: bool
    show_fixes: bool
    fail_on: FailOn | None
    exit_zero: bool
    exit_non_zero_on_fix: bool
    verify_with: str | None
    add_noqa: str | None
    baseline: str | None
    write_baseline: str | None
    diff_base: str | None
    output_format: str
    output_file: str | None
    statistics: bool
    quiet: bool
    verbose: bool
    jobs: int | None
    no_cache: bool
    color: str
    stdin_filename: str | None
    show_files: bool
    show_settings: bool
