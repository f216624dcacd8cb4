"""`rules` lists what is checked; `rule` explains one."""

from __future__ import annotations

import os

import click

from ..errors import UsageError
from ..selection import find_rule, known_rules
from .messages import fail
from .output import is_terminal, put


@click.command()
@click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the list.",
)
def rules(output_format: str) -> None:
    """List the rules."""
    try:
        put(_as_json() if output_format == "json" else _as_text())
    except UsageError as error:
        fail(str(error))


def _as_json() -> str:
    import json

    rows = [
        {
            "code": each.code,
            "name": each.name,
            "summary": each.summary,
            "default": not each.is_optional,
        }
        for each in known_rules()
    ]
    return json.dumps(rows, indent=2) + "\n"


def _as_text() -> str:
    width = max(len(each.name) for each in known_rules())
    return "".join(
        f"{each.code}  {each.name:<{width}}  {each.summary}"
        f"{' (off by default)' if each.is_optional else ''}\n"
        for each in known_rules()
    )


@click.command()
@click.argument("name", metavar="CODE|NAME")
def rule(name: str) -> None:
    """Explain one rule: what it finds, why, and when its fix is safe.

    Markdown where the output goes into a file or a pipe.
    """
    try:
        page = find_rule(name).doc().rstrip() + "\n"
        put(_as_drawn(page) if is_terminal() else page)
    except UsageError as error:
        fail(str(error))


def _as_drawn(page: str) -> str:
    from .page import drawn

    return drawn(page, has_color=not os.environ.get("NO_COLOR"))
