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


class Read(NamedTuple):
    """One read of the copy: `label` is what to say under its range."""

    range: Range
    label: str


_ADDRESSES = 2**64


class Estimate(NamedTuple):
    """Memory that the whole copy takes and the rewrite spares.

    `expression` is a formula in bytes over dimension names, such as `4·B·S·V`;
    `dimensions` are those names, so that `bytes_at` can evaluate it.
    """

    itemsize: int
    dimensions: tuple[str, ...]

    @property
    def expression(self) -> str:
        return "·".join([str(self.itemsize), *self.dimensions])

    def bytes_at(self, sizes: dict[str, int]) -> int | None:
        """The estimate in bytes.

        None where a dimension has no size, and above what addresses can count.
        """
        total = self.itemsize
        for name in self.dimensions:
            size = sizes.get(name)
            if size is None:
                return None
            total *= size
        return total if total < _ADDRESSES else None


class Finding(NamedTuple):
    """One place of one file.

    `range` is what the report points at, `cast` where the cast stands (None for
    the UPC9xx findings, which speak about the run). `because` says why the source
    is taken to be wide; `condition` what would make an unsafe rewrite safe.
    `suppression_rows` are the rows on which a comment can silence it.
    `cell` is the 1-based cell of a notebook, whose rows then count within the cell.
    """

    code: str
    name: str
    message: str
    range: Range
    cast: Range | None = None
    cast_label: str = ""
    reads: tuple[Read, ...] = ()
    because: tuple[str, ...] = ()
    condition: str | None = None
    safety: Safety = Safety.DISPLAY
    fix: Fix | None = None
    estimate: Estimate | None = None
    suppression_rows: tuple[int, ...] = ()
    cell: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def sort_key(self) -> tuple[int, Range, str]:
        return (self.cell or 0, self.range, self.code)
