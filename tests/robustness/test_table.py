"""The table of cases names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMED = re.findall(r"`([\w/]+\.py)::(\w+)`", (HERE / "README.md").read_text())


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_a_test_in_the_table_exists(path: str, name: str) -> None:
    assert f"\ndef {name}(" in (HERE.parent / path).read_text()
