"""JSON in which no text can harm a terminal or stop a strict reader."""

from __future__ import annotations

import json

from ..escape import without_surrogates


def dumps(value: object) -> str:
    """ASCII only, so that controls and direction marks are escapes of JSON's own.

    Lone surrogates, which strict readers refuse, become the text of their escape.
    """
    return json.dumps(_clean(value), indent=2).replace("\x7f", "\\u007f") + "\n"


def _clean(value: object) -> object:
    match value:
        case str():
            return without_surrogates(value)
        case list():
            return [_clean(item) for item in value]
        case dict():
            return {key: _clean(item) for key, item in value.items()}
        case _:
            return value
