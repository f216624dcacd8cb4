"""A fixture that breaks the format is refused, and the message names its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from upcast_lint.verify.fixture import FixtureError, load_specimen

GOOD = '''
"""A claim."""
import torch
from upcast_lint.finding import Safety
from upcast_lint.verify.fixture import Case, Fixture, Relation
def before(x): return x.float()[:1]
def after(x): return x[:1].float()
FIXTURE = Fixture(Safety.SAFE, (Case("one row", "x=low[2,4] grad"),))
'''


def write(folder: Path, text: str) -> Path:
    path = folder / "some_rule" / "fixtures" / "one_row.py"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("good", "bad", "complaint"),
    [
        ('"""A claim."""', "", "docstring"),
        ("import torch", "import torhc", "cannot be imported: ModuleNotFoundError"),
        ("def after(x)", "def after(y)", "signatures"),
        ("def before", "def earlier", "before or after is missing"),
        ("FIXTURE = Fixture", "OTHER = Fixture", "FIXTURE is missing"),
        ('(Case("one row", "x=low[2,4] grad"),)', "()", "no cases"),
        ("low[2,4]", "low[2,", "neither a tensor"),
        ('grad"', 'grad", gradients=Relation.DIFFER', "if and only if"),
        ("Safety.SAFE", "Safety.UNSAFE", "if and only if"),
    ],
)
def test_a_broken_fixture(tmp_path: Path, good: str, bad: str, complaint: str) -> None:
    assert good in GOOD
    path = write(tmp_path, GOOD.replace(good, bad))
    with pytest.raises(FixtureError, match=complaint) as error:
        load_specimen(path)
    assert str(path) in str(error.value)


def test_a_good_fixture(tmp_path: Path) -> None:
    specimen = load_specimen(write(tmp_path, GOOD))
    assert specimen.name == "some-rule/one_row"
    assert specimen.claim == "A claim."
