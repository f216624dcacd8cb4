"""What of the metadata follows from the addresses in `upcast_lint/links.py`."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
LINKS = runpy.run_path(str(ROOT / "upcast_lint" / "links.py"))
REPOSITORY, HOME = LINKS["REPOSITORY"], LINKS["HOME"]

_CODE = re.compile(r"(^```.*?^```$)", re.M | re.S)
_LINK = re.compile(r"(?P<picture>!?)(?P<text>\[[^\]\n]*\])\((?P<target>[^)\s]+)\)")


def long_description() -> str:
    """The README for an index, where relative links lead nowhere."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    prose_and_code = _CODE.split(re.sub(r"<!--.*?-->\n?", "", text))
    prose_and_code[::2] = (_LINK.sub(_absolute, prose) for prose in prose_and_code[::2])
    return "".join(prose_and_code)


def _absolute(link: re.Match[str]) -> str:
    target = link["target"]
    if not target.startswith(("https://", "#")):
        kind = "raw" if link["picture"] else "blob"
        target = f"{REPOSITORY}/{kind}/HEAD/{target}"
    return f"{link['picture']}{link['text']}({target})"


setup(
    long_description=long_description(),
    long_description_content_type="text/markdown",
    project_urls={
        "Documentation": HOME,
        "Repository": REPOSITORY,
        "Issues": f"{REPOSITORY}/issues",
        "Changelog": f"{REPOSITORY}/blob/HEAD/CHANGELOG.md",
    },
)
