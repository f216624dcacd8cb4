"""The JSON schema of the settings, for editors; made from their declarations.

`python -m upcast_lint.config_schema` prints it; a test compares the shipped file.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from .config import Declared, Kind, Settings, declarations, key_of

_TEXTS = {"type": "array", "items": {"type": "string"}}
_SHAPES: dict[Kind, dict[str, Any]] = {
    Kind.TEXTS: _TEXTS,
    Kind.GLOBS: _TEXTS,
    Kind.TEXTS_BY_GLOB: {"type": "object", "additionalProperties": _TEXTS},
    Kind.SIZES: {
        "type": "object",
        "additionalProperties": {"type": "integer", "minimum": 1},
    },
    Kind.FLAG: {"type": "boolean"},
}


def schema() -> dict[str, Any]:
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "upcast-lint",
        "description": "[tool.upcast-lint] in pyproject.toml, or upcast-lint.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            key_of(name): {
                **_shape(each),
                "description": each.about,
                "default": as_json(default, each.kind),
            }
            for (name, each), default in zip(
                declarations().items(), Settings(), strict=True
            )
        },
    }


def _shape(declared: Declared) -> dict[str, Any]:
    if declared.kind is Kind.CHOICE:
        return {"enum": list(declared.values)}
    return _SHAPES[declared.kind]


def as_json(value: Any, kind: Kind) -> object:
    """A setting's value as JSON and TOML write it."""
    match kind:
        case Kind.CHOICE:
            return value.value
        case Kind.TEXTS | Kind.GLOBS:
            return list(value)
        case Kind.TEXTS_BY_GLOB:
            return {glob: list(texts) for glob, texts in value}
        case Kind.SIZES:
            return dict(value)
        case Kind.FLAG:
            return value


def text() -> str:
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
