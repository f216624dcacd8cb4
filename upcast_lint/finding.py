"""The data every stage hands on: where something is, what was found, how to mend it.

Positions are what editors show: rows and columns count from 1, columns in code
points. A `Range` ends before the position `end`.
"""

from __future__ import annotations

import enum
from typing import NamedTuple


class Safety(enum.Enum):
    """How much a rewrite is known to preserve."""

    SAFE = "safe"
    """Outputs bit-identical and gradients equal, proved from the code."""
    UNSAFE = "unsafe"
    """Outputs bit-identical; gradients, tie order or strides may differ."""
    DISPLAY = "display"
    """Reported, never rewritten."""


class Position(NamedTuple):
    row: int
    column: int


class Range(NamedTuple):
    start: Position
    end: Position


class Edit(NamedTuple):
    """Replace the text of `range` by `content`; an insertion has an empty range."""

    range: Range
    content: str


class Fix(NamedTuple):
    """One rewrite: all of its edits are made, or none."""

    safety: Safety
    message: str
    edits: tuple[Edit, ...]


class ReportedRead(NamedTuple):
    """One read of the copy: `label` is what to say under its range.

    `path` is absolute, and None in the file of the finding.
    """

    range: Range
    label: str
    path: str | None = None


class Confidence(enum.Enum):
    """How well the evidence bears out that a source is wide."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    def reaches(self, least: Confidence) -> bool:
        degrees = list(Confidence)  # the highest first
        return degrees.index(self) <= degrees.index(least)


class Evidence(NamedTuple):
    """One reason why a source is wide (weight above zero) or is not, in words."""

    weight: int
    text: str


class Grounds(NamedTuple):
    """What was counted for and against a wide source, and what follows from it."""

    confidence: Confidence
    evidence: tuple[Evidence, ...]

    @property
    def because(self) -> tuple[str, ...]:
        """What speaks for a wide source."""
        return tuple(each.text for each in self.evidence if each.weight > 0)

    @property
    def against(self) -> tuple[str, ...]:
        return tuple(each.text for each in self.evidence if each.weight < 0)


_ADDRESSES = 2**64


class Estimate(NamedTuple):
    """Memory that the rewrite spares: the whole copy, less what is still cast.

    `dimensions` are those of the copy, by number or by name; `kept` has, for each
    selection, those of what it keeps, or is None where that is not known. `tensors`
    counts those of the size: the copy and what is made of it.
    """

    itemsize: int
    dimensions: tuple[str, ...]
    kept: tuple[tuple[str, ...], ...] | None = ()
    tensors: int = 1

    @property
    def expression(self) -> str:
        """The formula in bytes, such as `4·B·S·(V − K)`."""
        each = str(self.itemsize * self.tensors)
        if self.kept == ():
            return "·".join([each, *self.dimensions])
        narrowed = self._narrowed()
        if narrowed is not None:
            return "·".join([each, *narrowed])
        parts = ["·".join(self.dimensions)]
        parts += ["kept"] if self.kept is None else map(_product, self.kept)
        return f"{each}·({' − '.join(parts)})"

    def _narrowed(self) -> list[str] | None:
        """The factors of the formula where one dimension alone is cut."""
        if self.kept is None or len(self.kept) != 1:
            return None
        (kept,) = self.kept
        if len(kept) != len(self.dimensions):
            return None
        pairs = list(zip(self.dimensions, kept, strict=True))
        if sum(whole != part for whole, part in pairs) != 1:
            return None
        return [w if w == part else f"({w} − {part})" for w, part in pairs]

    @property
    def names(self) -> set[str]:
        """The dimensions that go by name, of which sizes may be stated."""
        found = {name for kept in self.kept or () for name in kept}
        return {name for name in found.union(self.dimensions) if not name.isdecimal()}

    def bytes_at(self, sizes: dict[str, int]) -> int | None:
        """The saving in bytes, given the sizes of named dimensions.

        None where a dimension has no size, and above what addresses can count.
        """
        if self.kept is None:
            return None
        whole, *parts = (_evaluated(p, sizes) for p in (self.dimensions, *self.kept))
        if whole is None:
            return None
        for part in parts:
            if part is None:
                return None
            whole -= part
        total = max(whole, 0) * self.itemsize * self.tensors
        return total if total < _ADDRESSES else None


def _product(names: tuple[str, ...]) -> str:
    return "·".join(name for name in names if name != "1") or "1"


def _evaluated(names: tuple[str, ...], sizes: dict[str, int]) -> int | None:
    total = 1
    for name in names:
        size = int(name) if name.isdecimal() else sizes.get(name)
        if size is None:
            return None
        total *= size
    return total


class Finding(NamedTuple):
    """One place of one file.

    `range` is what the report points at, `cast` where the cast stands (None for
    the UPC9xx findings, which speak about the run). `grounds` say why the source is
    taken to be wide, and what speaks against it; `condition` what would make an unsafe
    rewrite safe, or why running it did not; `notes` what else is to say, such as why
    there is none.
    `suppression_rows` are the rows on which a comment can silence it.
    `cell` is the 1-based cell of a notebook, whose rows then count within the cell.
    """

    code: str
    name: str
    message: str
    range: Range
    cast: Range | None = None
    cast_label: str = ""
    reads: tuple[ReportedRead, ...] = ()
    grounds: Grounds | None = None
    condition: str | None = None
    safety: Safety = Safety.DISPLAY
    fix: Fix | None = None
    estimate: Estimate | None = None
    suppression_rows: tuple[int, ...] = ()
    cell: int | None = None
    notes: tuple[str, ...] = ()
    related: tuple[ReportedRead, ...] = ()
    """Where another function takes the copy, and what a function of another file reads.
    """

    @property
    def sort_key(self) -> tuple[int, Range, str]:
        return (self.cell or 0, self.range, self.code)
