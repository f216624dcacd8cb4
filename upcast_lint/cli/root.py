"""The commands. Each is imported when it is called, so that none pays for another."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from .. import __version__
from .messages import INTERRUPTED, say

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
def _answering_interrupts() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        say("warning", "interrupted")
        raise click.exceptions.Exit(INTERRUPTED) from None


class _LazyGroup(click.Group):
    # click would end an interrupt with 1, which means findings.

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        with _answering_interrupts():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _answering_interrupts():
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


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    __version__, prog_name="upcast-lint", message="%(prog)s %(version)s"
)
def root() -> None:
    """Find upcasts of whole tensors that are read only narrowly, and reorder them."""
