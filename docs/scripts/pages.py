"""The pages of the documentation, and the fenced blocks in them.

A block is written for its readers, and checked:

- `console` holds commands after `$ ` and what they print; they are run in order, in
  a scratch repository for each page (see `transcripts`);
- a block with `title="path"` is a file, put into that repository before what follows;
- `sh` holds commands that need a network or minutes: a test says who runs them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>[^`\n]*)\n"
    r"(?P<body>(?:.*\n)*?)(?P=indent)(?P=fence)[ ]*$",
    re.M,
)
_TITLE = re.compile(r'\btitle="(?P<path>[^"]+)"')


@dataclass(frozen=True, slots=True)
class Block:
    """`start` and `end` delimit `body` in the page's text; the body has no indent."""

    language: str
    title: str | None
    body: str
    start: int
    end: int
    indent: str


def pages() -> list[Path]:
    """What people read: the files at the root, and the site's pages."""
    named = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [*named, *sorted(DOCS.rglob("*.md"))]


def blocks_of(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found = []
    for match in _FENCE.finditer(text):
        language, _, rest = match["info"].strip().partition(" ")
        title = _TITLE.search(rest)
        indent = match["indent"]
        body = re.sub(rf"^{indent}", "", match["body"], flags=re.M)
        found.append(
            Block(
                language,
                title["path"] if title else None,
                body,
                match.start("body"),
                match.end("body"),
                indent,
            )
        )
    return found
