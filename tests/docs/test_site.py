"""The site builds without a warning, and every link leads somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.scripts.pages import DOCS, ROOT, pages
from upcast_lint.links import rule_url
from upcast_lint.selection import known_rules

LINK = re.compile(r"(?<!`)\[[^\]\n]+\]\(([^)\s]+)\)")
GENERATED = {DOCS / "rules" / f"{rule.name}.md" for rule in known_rules()}


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
        path = rule_url(rule.name).partition(".io/")[2]
        text = (site / path / "index.html").read_text(encoding="utf-8")
        assert rule.code in text


def test_a_rules_page_shows_the_rewrites_that_are_run(site: Path) -> None:
    path = site / "rules" / "upcast-before-gather" / "index.html"
    text = path.read_text(encoding="utf-8")
    assert "Rewrites that are run" in text
    assert "(unsafe)" in text and "(safe)" in text
