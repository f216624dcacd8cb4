"""A Jupyter notebook as one source: its code cells joined, magics put aside.

Cells see each other's names, so they are analysed together, but a finding that spans
cells is dropped: they run in any order. A cell that does not parse is left out and
reported. A fix goes back into the JSON strings of the lines that it changes; every
other byte of the file stays.
"""

from __future__ import annotations

import ast
import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .document import syntax_fault
from .finding import Edit, Finding, Position, Range
from .json_spans import Span, parse_spans
from .run_rules import fault
from .source import Source, UnreadableSource, line_starts, refuse_null_bytes

# Cells that begin with another `%%` are not Python.
_PYTHON_MAGICS = frozenset({"capture", "prun", "python", "python3", "time", "timeit"})
_CELL_MAGIC = re.compile(r"\s*%%(\w*)")
_MAGIC = re.compile(r"\s*([%!?]|[\w.]+\?{1,2}\s*$|[\w.,\s\[\]]+=\s*[%!])")
# A cell's lines end at line feeds alone, as its JSON has them.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SEPARATOR = re.compile(r"^# upcast-lint cell \d+\n", re.MULTILINE)
# What reading a value of another shape than a notebook's raises.
_MISSHAPEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_ASIDE = re.compile(r"^[ \t]*pass  # upcast-lint magic (\d+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Cell:
    """A code cell: `number` among all cells, `row` of its first line in the source.

    `python` is `text` with a final line end and with its magics, `aside`, replaced.
    """

    number: int
    span: Span
    text: str
    python: str
    aside: tuple[str, ...]
    row: int


class Notebook:
    """See `document.Document`."""

    __slots__ = ("_cells", "_json", "faults", "source")

    def __init__(self, data: bytes, path: str) -> None:
        """Raises UnreadableSource."""
        try:
            self._json = data.decode()
            notebook = json.loads(self._json)
            spans = parse_spans(self._json)["cells"]
            found = list(_code_cells(notebook, spans)) if _is_python(notebook) else []
        except _MISSHAPEN as error:
            is_json = not isinstance(error, ValueError)
            what = "it has no list of cells with their source" if is_json else error
            raise UnreadableSource(f"not a notebook: {what}") from error
        cells: list[_Cell] = []
        faults: list[Finding] = []
        text = ""
        for number, span, source in found:
            try:
                python, aside = _as_python(source)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                faults.append(_fault_of(error, number))
                continue
            text += f"# upcast-lint cell {number}\n"
            row = len(line_starts(text))
            cells.append(_Cell(number, span, source, python, aside, row))
            text += python
        self._cells = cells
        self.faults = tuple(faults)
        self.source = Source(path, data, text, "utf-8", False)
        self.source.cells = tuple((cell.row, cell.number) for cell in cells)

    def located(self, finding: Finding) -> Finding | None:
        """With rows counted within the cell; None for a finding across cells."""
        cell = self._cell_of(finding.range)
        if cell is None:
            return None
        near = (each for each in finding.related if each.path is None)
        others = [each.range for each in (*finding.reads, *near)]
        others += [edit.range for edit in (finding.fix.edits if finding.fix else ())]
        others += [finding.cast] if finding.cast is not None else []
        if any(self._cell_of(each) is not cell for each in others):
            return None
        return _in_cell(finding, cell)

    def texts(self) -> dict[int, str]:
        return {cell.number: cell.text for cell in self._cells}

    def rendered(self, text: str) -> bytes:
        """Raises ValueError where the cells cannot be told apart in `text`."""
        parts = _SEPARATOR.split(text)[1:]
        if len(parts) != len(self._cells):
            raise ValueError("the cells cannot be told apart after the fix")
        out: list[str] = []
        done = 0
        for cell, part in zip(self._cells, parts, strict=True):
            if part == cell.python:
                continue
            part = _with_magics(part, cell.aside)
            if not cell.text.endswith("\n"):
                part = part.removesuffix("\n")
            start, end, literal = _rewritten(self._json, cell, part)
            out += (self._json[done:start], literal)
            done = end
        return "".join([*out, self._json[done:]]).encode()

    def _cell_of(self, range: Range) -> _Cell | None:
        rows = [cell.row for cell in self._cells]
        first = bisect_right(rows, range.start.row)
        if first == 0 or bisect_right(rows, range.end.row) != first:
            return None
        return self._cells[first - 1]


def _is_python(notebook: Any) -> bool:
    metadata = notebook.get("metadata", {})
    language = metadata.get("kernelspec", {}).get("language")
    language = language or metadata.get("language_info", {}).get("name")
    return language in (None, "python")


def _code_cells(notebook: Any, spans: Span) -> Iterator[tuple[int, Span, str]]:
    """Number, place and text of the code cells."""
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] != "code":
            continue
        source = cell["source"]
        text = source if isinstance(source, str) else "".join(source)
        magic = _CELL_MAGIC.match(text)
        if magic is None or magic[1] in _PYTHON_MAGICS:
            yield number, spans[number - 1]["source"], text


def _as_python(text: str) -> tuple[str, tuple[str, ...]]:
    """The cell as Python, and the lines put aside; raises what `ast.parse` does."""
    python = text if text.endswith("\n") else f"{text}\n"
    refuse_null_bytes(python)
    try:
        ast.parse(python)
    except SyntaxError:
        python, aside = _without_magics(python)
        ast.parse(python)
        return python, aside
    return python, ()


def _without_magics(text: str) -> tuple[str, tuple[str, ...]]:
    lines: list[str] = []
    aside: list[str] = []
    is_continued = False
    indent = ""
    for line in _LINE.findall(text):
        if not (is_continued or _MAGIC.match(line)):
            lines.append(line)
            continue
        if not is_continued:
            indent = line[: len(line) - len(line.lstrip())]
        is_continued = line.rstrip().endswith("\\")
        lines.append(f"{indent}pass  # upcast-lint magic {len(aside)}\n")
        aside.append(line)
    return "".join(lines), tuple(aside)


def _with_magics(text: str, aside: tuple[str, ...]) -> str:
    """Raises ValueError where the lines put aside are not all there, once each."""
    if [int(number) for number in _ASIDE.findall(text)] != list(range(len(aside))):
        raise ValueError("the magics cannot be told apart after the fix")
    return _ASIDE.sub(lambda match: aside[int(match[1])], text)


def _fault_of(error: Exception, number: int) -> Finding:
    if isinstance(error, SyntaxError):
        at = Position(max(error.lineno or 1, 1), max(error.offset or 1, 1))
        return fault(syntax_fault(error), at, number)
    return fault("cannot be parsed", Position(1, 1), number)


def _in_cell(finding: Finding, cell: _Cell) -> Finding:
    def moved(range: Range) -> Range:
        start, end = range.start, range.end
        return Range(
            Position(start.row - cell.row + 1, start.column),
            Position(end.row - cell.row + 1, end.column),
        )

    fix = finding.fix
    if fix is not None:
        edits = tuple(Edit(moved(edit.range), edit.content) for edit in fix.edits)
        fix = fix._replace(edits=edits)
    return finding._replace(
        cell=cell.number,
        range=moved(finding.range),
        cast=None if finding.cast is None else moved(finding.cast),
        reads=tuple(r._replace(range=moved(r.range)) for r in finding.reads),
        related=tuple(
            each._replace(range=moved(each.range)) if each.path is None else each
            for each in finding.related
        ),
        fix=fix,
        suppression_rows=tuple(row - cell.row + 1 for row in finding.suppression_rows),
    )


def _rewritten(document: str, cell: _Cell, text: str) -> tuple[int, int, str]:
    """Which stretch of the document becomes what, so that the cell holds `text`."""
    is_ascii = document.isascii()
    old, new = _LINE.findall(cell.text), _LINE.findall(text)
    items = cell.span.items
    literals = [json.dumps(line, ensure_ascii=is_ascii) for line in new]
    if not items or len(items) != len(old) or not new:
        whole = json.dumps(text if items is None else new, ensure_ascii=is_ascii)
        return cell.span.start, cell.span.end, whole
    # At least one line on each side is replaced, so that the commas stay as they are.
    most = min(len(old), len(new)) - 1
    head = 0
    while head < most and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < most - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    first, last = items[head], items[len(old) - 1 - tail]
    between = document[items[0].end : items[1].start] if len(items) > 1 else ", "
    return first.start, last.end, between.join(literals[head : len(new) - tail])
