"""Every scenario holds, and each is one that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from .scenario import Scenario, judge, scenarios_of

FILES = sorted(p for p in Path(__file__).parent.glob("*.md") if p.name != "README.md")
SCENARIOS = [scenario for path in FILES for scenario in scenarios_of(path)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_scenario(scenario: Scenario) -> None:
    judge(scenario)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_titles_are_told_apart(path: Path) -> None:
    titles = [scenario.title for scenario in scenarios_of(path)]
    assert titles and len({*titles}) == len(titles)


BROKEN = (
    ("## A\n\n```python\n```\n", "0 verdicts"),
    ("## A\n\nsilent\n", "blocks"),
    ("## A\n\n```python\n```\n\nOther:\n\n```python\n```\n\nsilent\n", "blocks"),
    ("## A\n\n```python\n```\n\nsafe\n\nsilent\n", "2 verdicts"),
)


@pytest.mark.parametrize(("text", "reason"), BROKEN)
def test_a_section_that_cannot_be_read_is_an_error(
    text: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "broken.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=reason):
        list(scenarios_of(path))


WRONG = """\
def f(x):
    return x.float()[:, -1]
"""


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        ("silent", "upcast"),
        ("unsafe: anything", "safe"),
        ("display", "safe"),
        ("safe\n\nNever:\n\n```python\n" + WRONG + "```", "makes no difference"),
    ],
)
def test_a_wrong_verdict_is_caught(verdict: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.md"
    path.write_text(f"## A\n\n```python\n{WRONG}```\n\n{verdict}\n", encoding="utf-8")
    (scenario,) = scenarios_of(path)
    with pytest.raises(AssertionError, match=reason):
        judge(scenario)
