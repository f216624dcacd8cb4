"""What a terminal shows, as a picture; and transcripts as the site shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

_COLUMNS = 94
_CHARACTER, _LINE = 8.4, 19
_EDGE, _BAR = 16, 34
_GROUND, _INK = "#1c2028", "#d7dae0"
_STYLES = {
    "1": 'fill="#ffffff" font-weight="bold"',
    "2": 'fill="#8b93a1"',
    "1;31": 'fill="#ff7b86" font-weight="bold"',
    "32": 'fill="#8fd694"',
    "33": 'fill="#e8c268"',
    "1;34": 'fill="#79a7f2" font-weight="bold"',
    "36": 'fill="#6cc7d6"',
}
"""What each of the tool's colours is on a dark ground."""
_COLOR = re.compile(r"\x1b\[([\d;]*)m")


def picture(command: str, output: str) -> str:
    """An SVG of a command and its coloured output, wrapped between words."""
    prompt = f"\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m"
    rows = [row for line in (prompt, *output.splitlines()) for row in _rows(line)]
    width = round(2 * _EDGE + _COLUMNS * _CHARACTER)
    height = _BAR + len(rows) * _LINE + _EDGE
    dots = "".join(
        f'<circle cx="{_EDGE + 6 + 20 * at}" cy="18" r="6" fill="{color}"/>'
        for at, color in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    texts = "\n".join(
        _text(run, style, column, _BAR + (at + 0.75) * _LINE)
        for at, row in enumerate(rows)
        for run, style, column in row
        if run.strip()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">\n'
        f"<title>{escape(command)}</title>\n"
        f'<rect width="{width}" height="{height}" rx="9" fill="{_GROUND}"/>\n{dots}\n'
        '<g font-size="14" font-family="SFMono-Regular, Consolas, Menlo, '
        f'\'DejaVu Sans Mono\', monospace" fill="{_INK}">\n{texts}\n</g>\n</svg>\n'
    )


def _rows(line: str) -> Iterator[list[tuple[str, str, int]]]:
    """The line's rows on the screen; of each the runs: text, style, column."""
    row: list[tuple[str, str, int]] = []
    column = 0
    style = ""
    for at, part in enumerate(_COLOR.split(line)):
        if at % 2:
            style = _STYLES.get(part, "")
            continue
        while part:
            size = _COLUMNS - column
            if len(part) > size:
                size = part.rfind(" ", 0, size) + 1 or size
            run, part = part[:size], part[size:]
            row.append((run, style, column))
            column += len(run)
            if part:
                yield row
                row, column = [], 0
    yield row


def _text(run: str, style: str, column: int, y: float) -> str:
    """The length is given, so that columns stay in line in whatever font there is."""
    start = len(run) - len(run.lstrip())
    shown = run.strip()
    x = _EDGE + (column + start) * _CHARACTER
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" textLength="{len(shown) * _CHARACTER:.1f}" '
        f'lengthAdjust="spacingAndGlyphs" xml:space="preserve" {style}>'
        f"{escape(shown)}</text>"
    )


# Transcripts

_GUTTER = re.compile(r" *\d* \|( |$)")
_KINDS = (
    ("command", re.compile(r"\$ ")),
    ("place", re.compile(r"\S+:\d+:\d+: UPC\d+ ")),
    ("cast", re.compile(r" *\d* \| *\^+")),
    ("read", re.compile(r" *\d* \| *-{3,}( |$)")),
    ("removed", re.compile(r" *\d* \| -|-(?!--)")),
    ("added", re.compile(r" *\d* \| \+|\+(?!\+\+)")),
)


def transcript(source: str, *_: object, **__: object) -> str:
    """A `console` block as HTML. Prose wraps; source lines keep their columns."""
    lines = "".join(
        f'<span class="{_classes(line)}">{escape(line, quote=False)}\n</span>'
        for line in source.splitlines()
    )
    return f'<div class="transcript"><pre><code>{lines}</code></pre></div>'


def _classes(line: str) -> str:
    kind = next((name for name, shape in _KINDS if shape.match(line)), "output")
    keeps_columns = _GUTTER.match(line) or kind in ("removed", "added")
    return f"{kind} columns" if keeps_columns else kind
