"""The site builds without a warning, and every link leads somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.scripts.pages import DOCS, ROOT, pages
from docs.scripts.terminal import transcript
from upcast_lint.links import HOME, rule_url
from upcast_lint.selection import known_rules

LINK = re.compile(r"(?<!`)\[[^\]\n]+\]\(([^)\s]+)\)")
GENERATED = {DOCS / "pictures" / "terminal.svg"} | {
    DOCS / "rules" / f"{rule.name}.md" for rule in known_rules()
}


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the site makes them."""
    text = re.sub(
        r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S
    )
    return {
        re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())
        for heading in re.findall(r"^#+ (.+)$", text, re.M)
    }


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_project_resolve(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists() or file in GENERATED, target
        if anchor:
            assert anchor in anchors(file), target


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for package in ("mkdocs", "material"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is missing: pip install -e '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_site_builds_without_a_warning(site: Path) -> None:
    assert (site / "index.html").is_file()
    assert (site / "pictures" / "memory-timeline.svg").is_file()
    assert not list(site.rglob("*.py"))


def test_each_rule_has_the_page_that_findings_link_to(site: Path) -> None:
    for rule in known_rules():
        path = rule_url(rule.name).removeprefix(HOME)
        text = (site / path / "index.html").read_text(encoding="utf-8")
        assert rule.code in text


def test_a_rules_page_shows_the_rewrites_that_are_run(site: Path) -> None:
    path = site / "rules" / "upcast-before-gather" / "index.html"
    text = path.read_text(encoding="utf-8")
    assert "Rewrites that are run" in text
    assert "(unsafe)" in text and "(safe)" in text


def test_the_first_page_is_the_product(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert "<title>upcast-lint</title>" in text
    for target in ("hooks/", "pull-requests/", "codemod/", "pictures/terminal.svg"):
        assert f'"{target}"' in text
    assert f'<link rel="canonical" href="{HOME}"' in text


def test_the_terminal_shows_what_the_tool_prints_in_colour(site: Path) -> None:
    picture = (site / "pictures" / "terminal.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(picture)
    assert re.search(r">\[\*\]</text>", picture)
    assert re.search(r'fill="#ff7b86"[^>]*>UPC001</text>', picture)


@pytest.mark.parametrize("name", ["flow", "memory-timeline"])
def test_pictures_suit_the_night_and_narrow_screens(site: Path, name: str) -> None:
    wide = (site / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    narrow = (site / "pictures" / f"{name}-narrow.svg").read_text(encoding="utf-8")
    for picture in (wide, narrow):
        assert "prefers-color-scheme:dark" in picture
    assert width_of(narrow) < 500 < width_of(wide)
    shown = "".join(page.read_text("utf-8") for page in site.glob("**/index.html"))
    assert re.search(rf'srcset="[./]*pictures/{name}-narrow\.svg"', shown)


def width_of(picture: str) -> int:
    return int(ElementTree.fromstring(picture).attrib["width"])


def test_a_transcript_keeps_the_columns_of_source_and_wraps_the_rest() -> None:
    shown = transcript(
        "$ upcast-lint check a.py\n"
        "a.py:1:5: UPC001 [*] `x<y` is upcast\n"
        "1 |     x.float()\n"
        "  |     ^^^^^^^^^ cast\n"
        "  = saves: bytes\n"
        "  | +    x\n"
    )
    kinds = re.findall(r'<span class="([\w ]+)">', shown)
    output = ["output columns", "cast columns", "output", "added columns"]
    assert kinds == ["command", "place", *output]
    assert "x&lt;y" in shown
