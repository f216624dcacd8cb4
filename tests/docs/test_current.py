"""What the documentation shows is what the project does now."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.scripts import flow_picture, memory_timeline
from docs.scripts.__main__ import PICTURES
from docs.scripts.pages import ROOT, pages
from docs.scripts.tables import refreshed
from docs.scripts.transcripts import rerun

UPDATE = "bring it up to date: python -m docs.scripts"


def texts() -> list[Path]:
    return [
        pytest.param(page, id=str(page.relative_to(ROOT)))  # type: ignore[misc]
        for page in pages()
    ]


@pytest.mark.parametrize("page", texts())
def test_tables_and_shown_files_are_current(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if "<!-- table: action-inputs -->" in text:
        pytest.importorskip("yaml")
    assert refreshed(text, page) == text, UPDATE


@pytest.mark.parametrize("page", texts())
def test_commands_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if "$ upcast-lint verify" in text and find_spec("torch") is None:
        pytest.skip("torch is missing")
    assert rerun(text, tmp_path) == text, UPDATE


def test_the_picture_of_the_flow_is_current() -> None:
    drawn = (PICTURES / "flow.svg").read_text(encoding="utf-8")
    assert flow_picture.draw() == drawn, UPDATE


def test_the_picture_of_memory_is_drawn_from_its_data() -> None:
    table = (PICTURES / "memory-timeline.csv").read_text(encoding="utf-8")
    storages = memory_timeline.read_table(table)
    assert memory_timeline.table(storages) == table
    drawn = (PICTURES / "memory-timeline.svg").read_text(encoding="utf-8")
    assert memory_timeline.draw(storages) == drawn, UPDATE


def test_the_data_on_memory_are_measured() -> None:
    pytest.importorskip("torch")
    table = (PICTURES / "memory-timeline.csv").read_text(encoding="utf-8")
    shown, measured = memory_timeline.read_table(table), memory_timeline.measure()
    large = 2**20  # what is smaller may come and go with the version of torch
    assert [
        (s.version, s.operator, s.phase, s.bytes) for s in shown if s.bytes > large
    ] == [
        (s.version, s.operator, s.phase, s.bytes) for s in measured if s.bytes > large
    ], UPDATE


def test_the_figures_in_the_text_are_those_of_the_data() -> None:
    table = (PICTURES / "memory-timeline.csv").read_text(encoding="utf-8")
    storages = memory_timeline.read_table(table)
    before, after = (
        f"{memory_timeline.peak(storages, version) / 2**30:.2f} GiB"
        for version in memory_timeline.VERSIONS
    )
    assert (before, after) == ("2.90 GiB", "1.16 GiB")
    for page in ("README.md", "docs/index.md", "docs/memory.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert before in text and after in text
