"""Every hazard of the list has its two tests, where the list says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TABLE = (HERE / "README.md").read_text(encoding="utf-8")
LISTED = re.findall(r"^\| (h\d+) \| .* \| `(\w+\.py)` \|$", TABLE, re.M)
TESTS = {
    number: (real, respected)
    for number, real, respected in re.findall(
        r"^\| (h\d+) \| (`test_.*`) \| (`test_.*`) \|$", TABLE, re.M
    )
}


def named(text: str) -> list[str]:
    return re.findall(r"`(\w+)`", text)


def test_the_list_is_in_order() -> None:
    """A number stays what it is, so there may be gaps."""
    assert len(LISTED) >= 48
    numbers = [number for number, _ in LISTED]
    assert numbers == sorted({*numbers}, key=lambda number: int(number[1:]))
    assert list(TESTS) == numbers


@pytest.mark.parametrize(("number", "file"), LISTED)
def test_both_tests_of_a_hazard_are_listed(number: str, file: str) -> None:
    text = (HERE / file).read_text(encoding="utf-8")
    assert re.search(rf"^def {number}_\w+\(", text, re.M)
    found = re.findall(rf"^def (test_{number}_\w+)\(", text, re.M)
    real, respected = map(named, TESTS[number])
    assert real == [name for name in found if name.endswith("_is_real")]
    assert respected == [n for n in found if n.endswith("_is_respected")]
    assert real and respected and {*real, *respected} == {*found}


def test_every_test_of_a_hazard_stands_in_the_file_that_is_listed() -> None:
    files = dict(LISTED)
    for path in HERE.glob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        for number in re.findall(r"^def (?:test_)?(h\d+)_", text, re.M):
            assert files[number] == path.name
