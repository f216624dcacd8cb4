"""Figures that are reported whether tests pass or not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

_FIGURES = pytest.StashKey[list[str]]()


@pytest.fixture
def say(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Adds a line to the summary at the end of the run."""
    return request.config.stash.setdefault(_FIGURES, []).append


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    figures = config.stash.get(_FIGURES, [])
    if figures:
        terminalreporter.section("fuzzing")
        for line in figures:
            terminalreporter.write_line(line)
