"""Brings every generated part of the documentation up to date.

`python -m docs.scripts` runs the commands that the pages show and draws the pictures;
name pages to do only those, or `pictures`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import flow_picture, memory_timeline
from .addresses import addressed
from .pages import DOCS, ROOT, pages
from .tables import refreshed
from .transcripts import rerun

PICTURES = DOCS / "pictures"


def main(arguments: Sequence[str]) -> int:
    named = {Path(each).resolve() for each in arguments}
    if not arguments or "pictures" in arguments:
        draw()
    for page in pages():
        if arguments and page not in named:
            continue
        before = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="upcast-lint-docs-") as folder:
            after = rerun(addressed(refreshed(before, page)), Path(folder))
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"{page.relative_to(ROOT)}: written")
    return 0


def draw() -> None:
    storages = memory_timeline.measure()
    table = memory_timeline.table(storages)
    (PICTURES / "memory-timeline.csv").write_text(table, encoding="utf-8")
    picture = memory_timeline.draw(storages)
    (PICTURES / "memory-timeline.svg").write_text(picture, encoding="utf-8")
    (PICTURES / "flow.svg").write_text(flow_picture.draw(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
