"""A few shapes of SVG, as text that is the same on every run."""

from __future__ import annotations

from html import escape

INK, FAINT, RULE = "#1b1f24", "#57606a", "#d0d7de"
BLUE, ORANGE, GREEN, GREY = "#2f6fab", "#d9772b", "#3d8b57", "#8c959f"
FONT = "font-family='Helvetica, Arial, sans-serif'"
MONO = "font-family='SFMono-Regular, Consolas, Menlo, monospace'"


_AT_NIGHT = {
    "#ffffff": "#1e2129",
    INK: "#e3e6ea",
    FAINT: "#a4acb8",
    RULE: "#3a404a",
    BLUE: "#5b9bd8",
    ORANGE: "#e58d45",
    GREEN: "#5cb377",
}
_RULES = "".join(
    f'[fill="{light}"]{{fill:{dark}}}[stroke="{light}"]{{stroke:{dark}}}'
    for light, dark in _AT_NIGHT.items()
)
_DARK = f"<style>@media (prefers-color-scheme:dark){{{_RULES}}}</style>"


def picture(width: int, height: int, title: str, shapes: list[str]) -> str:
    """A whole picture, on a ground of its own, light or dark as the reader has it."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">'
    )
    ground = f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>'
    return "\n".join(
        [head, f"<title>{escape(title)}</title>", _DARK, ground, *shapes, "</svg>", ""]
    )


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str,
    *,
    stroke: str = "none",
    opacity: float = 1,
    radius: float = 0,
) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{fill}" fill-opacity="{opacity:g}" stroke="{stroke}" rx="{radius:g}"/>'
    )


def label(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 12,
    fill: str = INK,
    anchor: str = "start",
    is_code: bool = False,
    weight: str = "normal",
) -> str:
    """Text whose base line starts, centres or ends at a point."""
    font = MONO if is_code else FONT
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" '
        f'font-weight="{weight}" text-anchor="{anchor}" {font} '
        f'xml:space="preserve">{escape(text)}</text>'
    )


def line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    stroke: str = INK,
    *,
    width: float = 1,
    dashes: str = "",
) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{stroke}" stroke-width="{width:g}"{dashed}/>'
    )


def arrow(x1: float, y1: float, x2: float, y2: float, stroke: str = FAINT) -> str:
    """A line that ends in a head."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    bx, by = x2 - 8 * ux, y2 - 8 * uy
    points = " ".join(
        f"{px:.1f},{py:.1f}"
        for px, py in ((x2, y2), (bx - 4 * uy, by + 4 * ux), (bx + 4 * uy, by - 4 * ux))
    )
    shaft = line(x1, y1, bx, by, stroke, width=1.5)
    return f'{shaft}<polygon points="{points}" fill="{stroke}"/>'
