"""`check` as click reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from .arguments import OPTIONS, Option, split
from .check import check as run

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _with_options(command: _Command) -> _Command:
    for option in reversed(OPTIONS):
        command = _declared(option)(command)
    return command


def _declared(option: Option) -> Callable[[_Command], _Command]:
    if option.is_flag:
        return click.option(*option.names, is_flag=True, help=option.help)
    if option.is_list:
        return click.option(
            *option.names,
            multiple=True,
            metavar=option.metavar,
            callback=lambda context, parameter, values: split(values),
            help=option.help,
        )
    return click.option(
        *option.names,
        type=_type_of(option),
        metavar=option.metavar,
        default=option.default,
        show_default=option.default is not None,
        help=option.help,
    )


def _type_of(option: Option) -> Any:
    if option.choices:
        return click.Choice(option.choices)
    return click.IntRange(min=1) if option.is_count else None


@click.command()
@click.argument("paths", nargs=-1, type=click.Path())
@_with_options
def check(**values: Any) -> None:
    """Find upcasts that are read only narrowly, in PATHS (default `.`).

    `-` reads standard input.
    """
    run(**values)
