"""Findings as plain lists for JSON, and back: fields in order, without names."""

from __future__ import annotations

import enum
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from . import finding
from .finding import Finding


def encode(value: object) -> object:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return value


def decode_findings(value: object) -> tuple[Finding, ...]:
    """Raises ValueError where `value` does not have the shape of findings."""
    findings: tuple[Finding, ...] = _decode(tuple[Finding, ...], value)
    return findings


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, vars(finding))


def _decode(hint: Any, value: object) -> Any:
    if get_origin(hint) is UnionType:
        options = [each for each in get_args(hint) if each is not type(None)]
        return None if value is None else _decode(options[0], value)
    if get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise ValueError("not a list")
        return tuple(_decode(get_args(hint)[0], item) for item in value)
    if issubclass(hint, tuple):
        hints = _hints(hint)
        if not isinstance(value, list) or len(value) != len(hints):
            raise ValueError(f"not a {hint}")
        return hint(*map(_decode, hints.values(), value))
    if issubclass(hint, enum.Enum):
        return hint(value)
    if not isinstance(value, hint):
        raise ValueError(f"not a {hint}")
    return value
