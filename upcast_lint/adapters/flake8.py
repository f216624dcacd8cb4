"""A flake8 plugin: the same findings, one for each place, without the fixes.

flake8 applies `# noqa` itself; our own comments and settings files count as ever.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from .. import __version__
from ..checker import Job, check_bytes
from ..session import Request, Session


class Plugin:
    """Registered as `UPC`; flake8 passes the arguments by name."""

    name = "upcast-lint"
    version = __version__

    def __init__(self, tree: object, filename: str, lines: list[str]) -> None:
        self._filename = filename
        self._lines = lines

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Row from 1, column from 0, text that begins with the code."""
        data = "".join(self._lines).encode()
        checked = check_bytes(data, self._filename, self._job())
        for finding in checked.findings:
            start = finding.range.start
            yield (
                start.row,
                start.column - 1,
                f"{finding.code} {finding.message}",
                Plugin,
            )

    def _job(self) -> Job:
        session = Session(Request())
        absolute = os.path.abspath(self._filename)
        return session.job(
            absolute, session.finder.in_folder(os.path.dirname(absolute))
        )
