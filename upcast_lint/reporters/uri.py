"""Paths as machine formats write them: relative to the run's folder where below it."""

from __future__ import annotations

import os
from urllib.parse import quote

from ..report import Report


def relative_path(absolute: str, report: Report) -> str:
    """With `/`; absolute where the file is not below the run's folder."""
    return absolute.removeprefix(os.path.join(report.root, "")).replace(os.sep, "/")


def is_relative(path: str) -> bool:
    return not os.path.isabs(path)


def uri(path: str) -> str:
    """Percent-encoded, byte for byte, so that any name is a valid reference."""
    encoded = quote(os.fsencode(path))
    return encoded if is_relative(path) else f"file://{encoded}"
