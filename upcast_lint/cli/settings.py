"""`--show-settings`: the settings that hold, and where they come from."""

from __future__ import annotations

from ..config import key_of
from ..config_schema import as_json
from ..escape import visible
from ..session import Session
from .messages import CLEAN
from .output import put


def show_settings(session: Session) -> int:
    import json

    config = session.config
    put(f"# {visible(config.path or 'no settings file; these are defaults')}\n")
    for name, value in config.settings._asdict().items():
        put(f"{key_of(name)} = {json.dumps(as_json(value))}\n")
    return CLEAN
