"""The commands. Each is imported when it is called, so that none pays for another."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from .. import __version__
from .messages import FAILED, INTERRUPTED, say
from .output import put

_COMMANDS = {
    "check": (
        "upcast_lint.cli.check_command:check",
        "Find upcasts that are read narrowly.",
    ),
    "rule": ("upcast_lint.cli.rules:rule", "Explain one rule."),
    "rules": ("upcast_lint.cli.rules:rules", "List the rules."),
    "verify": (
        "upcast_lint.verify.command:verify",
        "Run the rewrites with torch and compare the results.",
    ),
}


@contextmanager
def _ending_as_ours() -> Iterator[None]:
    """click would end an interrupt with 1, which means findings, and print the usage
    before what is wrong with it.
    """
    try:
        yield
    except KeyboardInterrupt:
        say("warning", "interrupted")
        raise click.exceptions.Exit(INTERRUPTED) from None
    except click.UsageError as error:
        if not error.message.startswith("Usage:"):  # as click asks for the help page
            say("error", _in_one_line(error))
            raise click.exceptions.Exit(FAILED) from None
        raise


def _in_one_line(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx is not None else "upcast-lint"
    if isinstance(error, click.NoSuchOption):
        reason = f"no such option: {error.option_name}"
        if error.possibilities:
            reason += f", did you mean `{error.possibilities[0]}`?"
    else:
        reason = " ".join(error.format_message().split()).removesuffix(".")
        reason = reason[:1].lower() + reason[1:]
    return f"{reason}; see `{command} --help`"


class _LazyGroup(click.Group):
    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        with _ending_as_ours():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _ending_as_ours():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, about) for name, (_, about) in _COMMANDS.items()]
            )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from ..selection import suggestion

            near = suggestion(args[0], _COMMANDS)
            ctx.fail(f"no such command: {args[0]}{near}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    no_args_is_help=True,
)
@click.option("--version", is_flag=True, help="Print the version.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="With --version: also print those of Python and of what is used.",
)
@click.pass_context
def root(context: click.Context, version: bool, verbose: bool) -> None:
    """Find upcasts of whole tensors that are read only narrowly, and reorder them."""
    if version:
        put(_versions() if verbose else f"upcast-lint {__version__}\n")
        context.exit()
    if verbose:
        context.fail("-v stands behind --version here, or behind the command")


def _versions() -> str:
    import platform
    from importlib.metadata import version

    python = f"{platform.python_implementation()} {platform.python_version()}"
    lines = [f"upcast-lint {__version__}", f"{python} ({sys.executable})"]
    lines += [f"{name} {version(name)}" for name in ("libcst", "click")]
    return "".join(f"{line}\n" for line in lines)
