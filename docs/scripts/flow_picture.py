"""How a cast is sunk and a selection lifted: the paths of one function, drawn."""

from __future__ import annotations

from dataclasses import dataclass

from . import svg

_NARROW, _WIDE, _PLAIN = svg.GREEN, svg.ORANGE, svg.GREY


@dataclass(frozen=True, slots=True)
class Node:
    """A statement, centred at a point."""

    x: float
    y: float
    text: str
    color: str = _PLAIN

    @property
    def width(self) -> float:
        return 7.3 * len(self.text) + 22


_HALF = 15
"""Half the height of a node."""


def draw(is_narrow: bool = False) -> str:
    """The function before and after, side by side, or one below the other."""
    title = "A cast before and after it is sunk into the branch that reads it whole"
    if is_narrow:
        shapes = [*_before(237, 0), *_after(237, 330), *_legend(24, 694, is_narrow)]
        return svg.picture(474, 760, title, shapes)
    shapes = [
        *_before(225, 0),
        *_after(692, 0),
        svg.line(458, 28, 458, 352, svg.RULE),
        *_legend(24, 390, is_narrow),
    ]
    return svg.picture(930, 410, title, shapes)


def _before(x: float, y: float) -> list[str]:
    cast = Node(x, y + 70, "x = x.float()", _WIDE)
    full = Node(x - 105, y + 240, "y = log_softmax(x)", _WIDE)
    narrow = Node(x + 105, y + 240, "y = x.gather(-1, i)", _NARROW)
    bytes_ = "4·B·S·V bytes on every path"
    notes = [
        svg.label(x, y + 40, "before", size=14, anchor="middle", weight="bold"),
        *_note(full, "full read", _WIDE, is_left=True),
        *_note(narrow, "selection", _NARROW, is_left=False),
        svg.label(x + 78, y + 127, "metadata", size=11, fill=svg.FAINT),
        svg.label(x + 72, y + 75, bytes_, size=11, fill=_WIDE),
    ]
    return [*_diamond(x, y, cast, full, narrow), *notes]


def _after(x: float, y: float) -> list[str]:
    full = Node(x - 113, y + 240, "y = log_softmax(x.float())", _WIDE)
    narrow = Node(x + 113, y + 240, "y = x.gather(-1, i).float()", _NARROW)
    notes = [
        svg.label(x, y + 40, "after", size=14, anchor="middle", weight="bold"),
        *_note(full, "one cast, as before", _WIDE, is_left=True),
        *_note(narrow, "4·B·S·K bytes", _NARROW, is_left=False),
    ]
    return [*_diamond(x, y, None, full, narrow), *notes]


def _diamond(
    x: float, y: float, cast: Node | None, full: Node, narrow: Node
) -> list[str]:
    shape = Node(x, y + 122, "n = x.shape[1]")
    test = Node(x, y + 174, "if normalise:")
    end = Node(x, y + 322, "return y, n")
    nodes = [each for each in (cast, shape, test, full, narrow, end) if each]
    shapes = [
        *([_edge(cast, shape)] if cast else []),
        _edge(shape, test),
        _edge(test, full),
        _edge(test, narrow),
        _edge(full, end),
        _edge(narrow, end),
    ]
    return [*shapes, *(part for node in nodes for part in _node(node))]


def _node(node: Node) -> list[str]:
    left = node.x - node.width / 2
    return [
        svg.box(left, node.y - _HALF, node.width, 2 * _HALF, "#ffffff", radius=5),
        svg.box(
            left,
            node.y - _HALF,
            node.width,
            2 * _HALF,
            node.color,
            stroke=node.color,
            opacity=0.14,
            radius=5,
        ),
        svg.label(node.x, node.y + 4, node.text, anchor="middle", is_code=True),
    ]


def _edge(start: Node, stop: Node) -> str:
    return svg.arrow(start.x, start.y + _HALF, stop.x, stop.y - _HALF - 1)


def _note(node: Node, text: str, color: str, *, is_left: bool) -> list[str]:
    """Words below a node, on its outer side, where no edge runs."""
    x = node.x + (-0.5 if is_left else 0.5) * node.width
    anchor = "start" if is_left else "end"
    y = node.y + 30
    return [svg.label(x, y, text, size=11, fill=color, anchor=anchor)]


def _legend(x: float, y: float, is_narrow: bool) -> list[str]:
    shapes = []
    for color, text in (
        (_WIDE, "makes or reads all of the float32 copy"),
        (_NARROW, "keeps K of V columns"),
        (_PLAIN, "needs neither its data nor its type"),
    ):
        shapes += [
            svg.box(x, y - 10, 12, 12, color, stroke=color, opacity=0.3, radius=2),
            svg.label(x + 18, y, text, size=12),
        ]
        if is_narrow:
            y += 22
        else:
            x += 40 + 6.4 * len(text)
    return shapes
