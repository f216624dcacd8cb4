"""`--show-settings`: the settings that hold, and where they come from."""

from __future__ import annotations

import click

from ..config import key_of
from ..config_schema import as_json
from ..escape import visible
from ..session import Session
from .messages import CLEAN


def show_settings(session: Session) -> int:
    import json

    config = session.config
    click.echo(f"# {visible(config.path or 'no settings file; these are defaults')}")
    for name, value in config.settings._asdict().items():
        click.echo(f"{key_of(name)} = {json.dumps(as_json(value))}")
    return CLEAN
