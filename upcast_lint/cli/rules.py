"""`rules` lists what is checked; `rule` explains one."""

from __future__ import annotations

import click

from ..errors import UsageError
from ..selection import find_rule, known_rules
from .messages import fail
from .output import put


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
        {"code": each.code, "name": each.name, "summary": each.summary}
        for each in known_rules()
    ]
    return json.dumps(rows, indent=2) + "\n"


def _as_text() -> str:
    width = max(len(each.name) for each in known_rules())
    return "".join(
        f"{each.code}  {each.name:<{width}}  {each.summary}\n" for each in known_rules()
    )


@click.command()
@click.argument("name", metavar="CODE|NAME")
def rule(name: str) -> None:
    """Explain one rule: what it finds, why, and when its fix is safe."""
    try:
        put(find_rule(name).doc().rstrip() + "\n")
    except UsageError as error:
        fail(str(error))
