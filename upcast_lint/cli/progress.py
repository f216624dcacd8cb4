"""A line on the terminal that says how far a long run is; nothing in a pipe."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import Self

from ..escape import visible

_WORTH_SHOWING = 100
_INTERVAL = 0.1
_USUAL_WIDTH = 80


class Progress:
    def __init__(self, total: int, *, is_quiet: bool) -> None:
        self._total = total
        self._done = 0
        self._shown_at = time.monotonic()
        is_long = total >= _WORTH_SHOWING
        self._is_shown = is_long and not is_quiet and sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def step(self, path: str) -> None:
        self._done += 1
        if not self._is_shown or time.monotonic() - self._shown_at < _INTERVAL:
            return
        self._shown_at = time.monotonic()
        line = f"{self._done} of {self._total} files  {visible(path)}"
        self._draw(line[: _width() - 1])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._is_shown:
            self._draw("")

    def _draw(self, line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


def _width() -> int:
    """The terminal's; serial lines and some consoles say 0, or nothing."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_WIDTH
    except OSError:
        return _USUAL_WIDTH
