"""`--show-settings`: the settings that hold, and where they come from."""

from __future__ import annotations

import json

from ..config import declarations, key_of
from ..config_schema import as_json
from ..escape import visible
from ..session import Session
from .messages import CLEAN
from .output import put


def show_settings(session: Session) -> int:
    config = session.config
    put(f"# {visible(config.path or 'no settings file; these are defaults')}\n")
    declared = declarations().items()
    for (name, each), value in zip(declared, config.settings, strict=True):
        put(f"{key_of(name)} = {_as_toml(as_json(value, each.kind))}\n")
    return CLEAN


def _as_toml(value: object) -> str:
    """Texts, numbers, flags and arrays of them are written as in JSON."""
    if not isinstance(value, dict):
        return json.dumps(value)
    pairs = ", ".join(f"{json.dumps(k)} = {_as_toml(v)}" for k, v in value.items())
    return f"{{ {pairs} }}" if pairs else "{}"
