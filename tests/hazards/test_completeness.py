"""Every hazard of the list has its test, where the list says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TABLE = (HERE / "README.md").read_text(encoding="utf-8")
LISTED = re.findall(r"^\| (h\d\d) \| .* \| `(\w+\.py)` \|$", TABLE, re.M)


def test_the_list_counts_from_one_to_forty() -> None:
    assert [number for number, _ in LISTED] == [f"h{n:02}" for n in range(1, 41)]


@pytest.mark.parametrize(("number", "file"), LISTED)
def test_a_hazard_is_shown_to_be_real(number: str, file: str) -> None:
    text = (HERE / file).read_text()
    assert re.search(rf"^def test_{number}_\w+_is_real\(", text, re.M)
    assert re.search(rf"^def {number}_\w+\(", text, re.M)
