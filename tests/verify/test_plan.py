from __future__ import annotations

from pathlib import Path

import pytest

from upcast_lint.verify.plan import PlanError, Subject, read_plan

ENTRY = """
[[function]]
file = "loss.py"
name = "pick"
inputs = "x=bf16[2,8] grad"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "verify.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected"),
        ("other = 1" + ENTRY, "expected"),
        ("[[function]", "verify.toml"),
        (ENTRY.replace('name = "pick"', ""), "name must be a string"),
        (ENTRY.replace('"loss.py"', "3"), "file must be a string"),
        (ENTRY + "minutes = 3", "unknown key 'minutes'"),
        (ENTRY + "seconds = 0", "seconds must be above 0"),
        (ENTRY + "memory-gib = true", "memory-gib must be above 0"),
        *(
            (f"{ENTRY}{key} = {limit}", f"{key} must be above 0 and at most")
            for key in ("seconds", "memory-gib")
            for limit in ("nan", "inf", "-inf", "1e300", "-1")
        ),
        ("function = [1]", "expected"),
        ("function = [[]]", "expected"),
        (ENTRY.replace("loss.py", "\\u0000"), "null byte"),
        (ENTRY.replace("bf16[2,8]", "bf16[2,"), "neither a tensor"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(PlanError, match=complaint):
        read_plan(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"missing\.toml"):
        read_plan(tmp_path / "missing.toml")


def test_a_function_is_found_by_its_file_from_the_plans_folder(tmp_path: Path) -> None:
    plan = read_plan(write(tmp_path, ENTRY + "seconds = 5\nmemory-gib = 0.5\n"))
    path = tmp_path / "loss.py"
    assert plan.find(path, "pick") == Subject(
        path, "pick", "x=bf16[2,8] grad", 5.0, 2**29
    )
    assert plan.find(path, "other") is None
    assert plan.find(tmp_path / "other.py", "pick") is None
