"""`rules` lists what is checked; `rule` explains one."""

from __future__ import annotations

import click

from ..selection import UnknownName, find_rule, known_rules
from .messages import fail


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
    if output_format == "json":
        import json

        rows = [
            {"code": each.code, "name": each.name, "summary": each.summary}
            for each in known_rules()
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(len(each.name) for each in known_rules())
    for each in known_rules():
        click.echo(f"{each.code}  {each.name:<{width}}  {each.summary}")


@click.command()
@click.argument("name", metavar="CODE|NAME")
def rule(name: str) -> None:
    """Explain one rule: what it finds, why, and when its fix is safe."""
    try:
        click.echo(find_rule(name).doc().rstrip())
    except UnknownName as error:
        fail(str(error))
