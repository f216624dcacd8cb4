"""Whether this checkout may be released: `python -m docs.scripts.release v0.2.0`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from upcast_lint import __version__
from upcast_lint.links import OWNER

from .pages import ROOT


def faults(tag: str, owner: str = OWNER) -> Iterator[str]:
    if tag != f"v{__version__}":
        yield f"the tag is {tag}, the version {__version__}"
    if owner == "OWNER":
        yield "nobody owns the repository: set OWNER in upcast_lint/links.py"
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = rf"^## \[{re.escape(tag.removeprefix('v'))}\] .*\d{{4}}-\d\d-\d\d$"
    if not re.search(dated, changes, re.M):
        yield f"CHANGELOG.md has no dated section on {tag}"


def main(arguments: Sequence[str]) -> int:
    (tag,) = arguments
    found = list(faults(tag))
    for fault in found:
        print(f"error: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
