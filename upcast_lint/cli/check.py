"""`check`: its options, and what they ask for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..checker import FixMode
from ..config import Width
from ..discovery import Exclusion
from ..errors import UsageError
from ..reporters import FORMATS
from ..session import Request
from .messages import INTERRUPTED, fail
from .options import Options

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _flag(*names: str, help: str) -> Callable[[_Command], _Command]:
    return click.option(*names, is_flag=True, help=help)


def _lists(*names: str, help: str) -> Callable[[_Command], _Command]:
    """An option of comma-separated values, which may be given several times."""
    return click.option(
        *names, multiple=True, metavar="LIST", callback=_split, help=help
    )


def _split(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    parts = (part.strip() for value in values for part in value.split(","))
    return tuple(part for part in parts if part)


@click.command()
@click.argument("paths", nargs=-1, type=click.Path())
@_flag("--fix", help="Make the fixes that are proved safe.")
@_flag("--unsafe-fixes", help="With --fix: also those that may change gradients.")
@click.option(
    "--verify-with",
    metavar="TOML",
    help="With --fix: run the functions in TOML; only fixes that pass are made.",
)
@_flag("--diff", help="Print the fixes as a diff instead; write nothing.")
@_flag("--fix-only", help="Fix, and do not report what is left.")
@_flag("--show-fixes", help="List what was fixed.")
@_flag("--exit-zero", help="Exit 0 in spite of findings.")
@_flag("--exit-non-zero-on-fix", help="Exit 1 if anything was fixed.")
@_lists("--select", help="Run these rules: codes, prefixes, names, ALL.")
@_lists("--ignore", help="Do not run these rules.")
@_lists("--extend-select", help="Run these rules, too.")
@click.option(
    "--width",
    type=click.Choice([width.value for width in Width]),
    help="Report vocab-wide sources only, or any with a narrow selection.",
)
@click.option("--config", metavar="FILE", help="Take the settings from FILE.")
@_flag("--isolated", help="Read no settings file.")
@_lists("--exclude", help="Leave these paths out, instead of the default ones.")
@_lists("--extend-exclude", help="Leave these paths out, too.")
@_flag("--force-exclude", help="Leave excluded files out even where named.")
@_flag("--no-respect-gitignore", help="Check what git ignores, too.")
@_flag("--ignore-noqa", help="Report in spite of suppression comments.")
@click.option("--add-noqa", metavar="REASON", help="Suppress what is found.")
@click.option("--baseline", metavar="FILE", help="Leave out the findings in FILE.")
@click.option("--write-baseline", metavar="FILE", help="Write the findings to FILE.")
@click.option("--diff-base", metavar="REV", help="Report only lines added since REV.")
@click.option(
    "--output-format",
    type=click.Choice(FORMATS),
    default="full",
    show_default=True,
    help="Form of the report.",
)
@click.option("-o", "--output-file", metavar="FILE", help="Write the report to FILE.")
@_flag("--statistics", help="Report counts by rule instead of findings.")
@_flag("-q", "--quiet", help="Print findings only.")
@_flag("-v", "--verbose", help="Say more about the run, also what took longest.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Processes to use.")
@_flag("--no-cache", help="Neither read nor write the cache.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Use colours; auto does on a terminal.",
)
@click.option("--stdin-filename", metavar="PATH", help="What `-` is to be called.")
@_flag("--show-files", help="List the files that would be checked.")
@_flag("--show-settings", help="Print the settings that hold here.")
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
    **others: Any,
) -> None:
    """Find upcasts that are read only narrowly, in PATHS (default `.`).

    `-` reads standard input.
    """
    options = Options(takes_unsafe=unsafe_fixes, **others)
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
    if isolated and config:
        fail("--isolated and --config exclude each other")
    from .run import run_check

    try:
        sys.exit(run_check(request, options))
    except UsageError as error:
        fail(str(error))
    except KeyboardInterrupt:  # before or after the part that says what was done
        sys.exit(INTERRUPTED)


def _fix_mode(is_asked: bool, takes_unsafe: bool) -> FixMode:
    if not is_asked:
        return FixMode.NONE
    return FixMode.UNSAFE if takes_unsafe else FixMode.SAFE
