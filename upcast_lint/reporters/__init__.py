"""One module a format; `render(report)` gives the whole report as text.

A format is imported only when it is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ..report import Report

FORMATS = (
    "full",
    "concise",
    "json",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "rdjson",
)
TEXT_FORMATS = ("full", "concise")


def renderer(name: str) -> Callable[[Report], str]:
    """`name` is one of FORMATS."""
    suffix = "_format" if name == "json" else ""  # not to be mistaken for the library
    module = importlib.import_module(f"{__name__}.{name}{suffix}")
    return cast("Callable[[Report], str]", module.render)
