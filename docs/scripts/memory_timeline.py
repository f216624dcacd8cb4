"""The memory of the distillation helper over one forward and backward pass, drawn.

Each storage that torch makes is followed from the operator call that makes it to the
one during which it is freed: at full size, under fake tensors, with the accounting of
`upcast-lint verify`. The data go into a table, the picture is drawn from the table.
"""

from __future__ import annotations

import csv
import io
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import svg

POSITIONS = 2048
VERSIONS = ("cast, then gather", "gather, then cast")
FORWARD, BACKWARD = "forward", "backward"
_COLUMNS = ("version", "operator", "phase", "bytes", "born", "freed")
_GIB = 2**30


@dataclass(frozen=True, slots=True)
class Storage:
    """`born` and `freed` count operator calls; it lives in `born <= call < freed`."""

    version: str
    operator: str
    phase: str
    bytes: int
    born: int
    freed: int


def measure() -> list[Storage]:
    """The storages of both versions. Imports torch."""
    from upcast_lint.registry import all_rules
    from upcast_lint.verify.distillation import SPECIMEN
    from upcast_lint.verify.fixture import load_specimen

    rule, _, situation = SPECIMEN.partition("/")
    (path,) = (
        path
        for each in all_rules()
        if each.name == rule
        for path in each.fixture_paths()
        if path.stem == situation
    )
    specimen = load_specimen(path)
    case = specimen.fixture.cases[0]
    return [
        storage
        for version, function in zip(
            VERSIONS, (specimen.before, specimen.after), strict=True
        )
        for storage in _storages(version, function, case)
    ]


def _storages(version: str, function: Callable[..., Any], case: Any) -> list[Storage]:
    from torch._subclasses.fake_tensor import FakeTensorMode

    from upcast_lint.verify.accounting import PeakMemory
    from upcast_lint.verify.accounting import _is_backward as is_backward
    from upcast_lint.verify.distillation import full_size_inputs
    from upcast_lint.verify.execution import call_with_gradients
    from upcast_lint.verify.inputs import Conditions
    from upcast_lint.verify.specification import DType

    class Timeline(PeakMemory):  # type: ignore[misc]
        """Also keeps when each storage came and went."""

        def __init__(self) -> None:
            super().__init__()
            self.call = 0
            self.operator = ""
            self.made: list[list[Any]] = []

        def __torch_dispatch__(
            self,
            func: Callable[..., Any],
            types: Sequence[type],
            args: Sequence[Any] = (),
            kwargs: Mapping[str, Any] | None = None,
        ) -> Any:
            self.call += 1
            self.operator = str(func).removeprefix("aten.").partition(".")[0]
            return super().__torch_dispatch__(func, types, args, kwargs)

        def _follow(self, storage: Any) -> None:
            is_known = id(storage) in self._storages
            super()._follow(storage)
            if is_known:
                return
            phase = BACKWARD if is_backward() else FORWARD
            record = [self.operator, phase, storage.nbytes(), self.call, None]
            self.made.append(record)

            def end() -> None:
                record[-1] = self.call + 1

            weakref.finalize(storage, end)

    with FakeTensorMode(), Timeline() as memory:
        inputs = full_size_inputs(POSITIONS, "cpu")
        kept = call_with_gradients(function, case, inputs, Conditions(DType.BF16))
        last = memory.call + 1
        made = [(*record[:-1], record[-1] or last) for record in memory.made]
        del kept
    return [Storage(version, *record) for record in made]


def table(storages: Sequence[Storage]) -> str:
    """The data as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for each in storages:
        writer.writerow([getattr(each, column) for column in _COLUMNS])
    return out.getvalue()


def read_table(text: str) -> list[Storage]:
    return [
        Storage(
            row["version"],
            row["operator"],
            row["phase"],
            int(row["bytes"]),
            int(row["born"]),
            int(row["freed"]),
        )
        for row in csv.DictReader(io.StringIO(text))
    ]


def peak(storages: Sequence[Storage], version: str) -> int:
    """The most bytes that live at one time."""
    mine = [each for each in storages if each.version == version]
    return max(_live(mine, call) for call in range(_end(mine)))


def _live(storages: Sequence[Storage], call: int) -> int:
    return sum(each.bytes for each in storages if each.born <= call < each.freed)


def _end(storages: Sequence[Storage]) -> int:
    return max(each.freed for each in storages)


# The picture

_LEFT, _TOP, _WIDTH, _HEIGHT, _GAP = 56, 58, 360, 240, 36
_SCALE = _HEIGHT / 3.2
"""Pixels to a GiB."""
_OTHER = ("", svg.FAINT)
_NAMES = {
    ("randn", FORWARD): ("logits, bf16", svg.GREY),
    ("_to_copy", FORWARD): ("float32 copy", svg.ORANGE),
    ("new_zeros", BACKWARD): ("zeros of the backward pass of gather", svg.BLUE),
    ("_to_copy", BACKWARD): ("gradient cast to bf16", svg.GREEN),
}


def draw(storages: Sequence[Storage], is_narrow: bool = False) -> str:
    """What is live at each call, stacked; the versions side by side, or one by one."""
    heading = f"B=1, S={POSITIONS:,}, V=151,936, K=64"
    if not is_narrow:
        heading = f"Memory of the top-k distillation helper, {heading}"
    shapes = [svg.label(_LEFT, 26, heading, size=14, weight="bold")]
    across, down = (0, _HEIGHT + 64) if is_narrow else (_WIDTH + _GAP, 0)
    for at, version in enumerate(VERSIONS):
        mine = [each for each in storages if each.version == version]
        x, top = _LEFT + at * across, _TOP + at * down
        shapes += _panel(mine, x, top, version, has_scale=is_narrow or at == 0)
    bottom = _TOP + down + _HEIGHT + 46
    legend, end = _legend(bottom, _LEFT + across + _WIDTH)
    title = "Live memory over a forward and a backward pass, before and after"
    width = _LEFT + across + _WIDTH + 20
    return svg.picture(width, round(end) + 18, title, [*shapes, *legend])


def _panel(
    storages: Sequence[Storage], x: float, top: float, version: str, has_scale: bool
) -> list[str]:
    bottom = top + _HEIGHT
    end = _end(storages)
    step = _WIDTH / end
    turn = min(each.born for each in storages if each.phase == BACKWARD)
    shapes = [svg.label(x + _WIDTH / 2, top - 10, version, size=13, anchor="middle")]
    for gib in range(4):
        y = bottom - gib * _SCALE
        shapes.append(svg.line(x, y, x + _WIDTH, y, svg.RULE))
        if has_scale:
            text = f"{gib} GiB" if gib else "0"
            shapes.append(
                svg.label(x - 8, y + 4, text, size=11, fill=svg.FAINT, anchor="end")
            )
    for piece in _stacked(storages):
        _, color = _NAMES.get((piece.storage.operator, piece.storage.phase), _OTHER)
        reach = piece.below + piece.storage.bytes
        shapes.append(
            svg.box(
                x + piece.start * step,
                bottom - reach / _GIB * _SCALE,
                (piece.stop - piece.start) * step,
                piece.storage.bytes / _GIB * _SCALE,
                color,
                opacity=0.85,
            )
        )
    most = peak(storages, version)
    y = bottom - most / _GIB * _SCALE
    shapes.append(svg.line(x, y, x + _WIDTH, y, svg.INK, dashes="5 4"))
    shapes.append(
        svg.label(x + 6, y - 6, f"peak {most / _GIB:.2f} GiB", size=12, weight="bold")
    )
    shapes.append(svg.line(x + turn * step, top, x + turn * step, bottom, svg.FAINT))
    for text, place, anchor in (
        (f"← {FORWARD}", turn * step - 6, "end"),
        (f"{BACKWARD} →", turn * step + 6, "start"),
        ("operator calls, in order", 0, "start"),
    ):
        shapes.append(
            svg.label(
                x + place, bottom + 18, text, size=11, fill=svg.FAINT, anchor=anchor
            )
        )
    return shapes


@dataclass(frozen=True, slots=True)
class _Piece:
    """A storage over the calls in which the same bytes lie `below` it."""

    storage: Storage
    below: int
    start: int
    stop: int


def _stacked(storages: Sequence[Storage]) -> list[_Piece]:
    """The storages that are large enough to see, the oldest at the bottom."""
    largest = max(each.bytes for each in storages)
    seen = sorted(
        (each for each in storages if each.bytes * 100 >= largest),
        key=lambda each: each.born,
    )
    pieces: list[_Piece] = []
    for at, each in enumerate(seen):
        start = each.born
        for call in range(each.born, each.freed):
            below = _live(seen[:at], call)
            if call + 1 == each.freed or below != _live(seen[:at], call + 1):
                pieces.append(_Piece(each, below, start, call + 1))
                start = call + 1
    return pieces


def _legend(y: float, right: float) -> tuple[list[str], float]:
    """The names of the colours, on as many lines as they need; the last one's base."""
    shapes = []
    x = float(_LEFT)
    for name, color in _NAMES.values():
        width = 42 + 6.3 * len(name)
        if x + width > right + 40:
            x, y = float(_LEFT), y + 22
        shapes.append(svg.box(x, y - 10, 12, 12, color, opacity=0.85))
        shapes.append(svg.label(x + 18, y, name, size=12))
        x += width
    return shapes, y
