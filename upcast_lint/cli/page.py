"""A rule's page for a terminal: headings, code and emphasis without their markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..reporters.paint import Color, paint

_FENCE = "```"
_HEADING = re.compile(r"#+ (?P<title>.*)")
_SPAN = re.compile(r"`(?P<code>[^`]+)`|\*(?P<stressed>[^*\s][^*]*)\*")


def drawn(markdown: str, has_color: bool) -> str:
    """The page of headings, paragraphs, lists and fenced code, as a reader wants it.

    Without colour, code in a line keeps its back quotes, which then tell it apart.
    """
    page = "".join(f"{line}\n" for line in _lines(markdown, has_color))
    return re.sub(r"\n{3,}", "\n\n", page)  # a fence may stand beside an empty line


def _lines(markdown: str, has_color: bool) -> Iterator[str]:
    in_code = False
    for line in markdown.splitlines():
        if line.startswith(_FENCE):
            in_code = not in_code
            yield ""
        elif in_code:
            yield paint(f"    {line}".rstrip(), Color.GREEN, has_color)
        elif heading := _HEADING.fullmatch(line):
            yield paint(heading["title"], Color.BLUE, has_color)
        else:
            yield _SPAN.sub(lambda span: _painted(span, has_color), line)


def _painted(span: re.Match[str], has_color: bool) -> str:
    if not has_color:
        return span["stressed"] or span[0]
    if span["stressed"]:
        return paint(span["stressed"], Color.BOLD, has_color)
    return paint(span["code"], Color.CYAN, has_color)
