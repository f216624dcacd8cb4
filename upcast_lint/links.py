"""Where the project is hosted and its documentation read: set here, nowhere else.

`python -m docs.scripts` writes the address of the repository into the pages, and the
build of a package takes its links from here.
"""

from __future__ import annotations

OWNER = "OWNER"
"""Who hosts the repository; the word itself until somebody does."""

REPOSITORY = f"https://github.com/{OWNER}/upcast-lint"
HOME = "https://upcast-lint.readthedocs.io/"


def rule_url(name: str) -> str:
    return f"{HOME}rules/{name}/"
