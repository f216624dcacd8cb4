"""One Python source: its bytes, its text, and how positions in them relate.

Lines end at LF, CR LF or a lone CR, as Python's tokenizer has it; form feeds and
the other characters that `str.splitlines` breaks at do not end a line. Offsets
count code points of `text`, from which a byte order mark is removed.
"""

from __future__ import annotations

import bisect
import codecs
import re
from itertools import accumulate
from typing import TYPE_CHECKING

from .finding import Edit, Position, Range

if TYPE_CHECKING:
    import ast

    from .project import Project

_LINE_END = re.compile(r"\r\n|\r|\n")
# For names of hosts; on texts they take time quadratic in the length.
_NOT_FOR_TEXTS = frozenset({"idna", "punycode"})


class UnreadableSource(Exception):
    """The bytes are not text in the encoding that they declare."""


class Source:
    """Decoded text of one file. `data` round-trips: `encode(text) == data`."""

    __slots__ = (
        *("_line_starts", "_words"),
        *("cells", "data", "encoding", "has_bom", "path", "project", "text", "whole"),
    )

    def __init__(
        self, path: str, data: bytes, text: str, encoding: str, has_bom: bool
    ) -> None:
        self.path = path
        self.data = data
        self.text = text
        self.encoding = encoding
        self.has_bom = has_bom
        self.whole = text
        """The text of the file; `text` may be an excerpt of it, with the same rows."""
        self.project: Project | None = None
        """The files around, where they may be read."""
        self.cells: tuple[tuple[int, int], ...] = ()
        """The row at which a notebook's cell begins here, and its number, in order."""
        self._line_starts: list[int] | None = None
        self._words: dict[str, bool] = {}

    @property
    def line_starts(self) -> list[int]:
        """The offsets at which lines start; made when first asked for."""
        if self._line_starts is None:
            self._line_starts = line_starts(self.text)
        return self._line_starts

    def has(self, word: str) -> bool:
        """Whether the text has a word in it; sought once, for functions are many."""
        if word not in self._words:
            self._words[word] = word in self.text
        return self._words[word]

    @classmethod
    def from_bytes(cls, data: bytes, path: str) -> Source:
        """Decode by byte order mark and PEP 263 cookie.

        Raises UnreadableSource where the bytes do not fit the encoding, where the
        encoding is unknown, and where encoding the text would not give them back.
        """
        has_bom = data.startswith(codecs.BOM_UTF8)
        body = data[len(codecs.BOM_UTF8) :] if has_bom else data
        try:
            encoding = _encoding(data)
            text = body.decode(encoding)
        except (SyntaxError, UnicodeError, LookupError) as error:
            is_declared = may_declare_encoding(data)
            reason = "" if is_declared else "no encoding is declared, and "
            raise UnreadableSource(f"{reason}{error}") from error
        except AssertionError as error:  # a few codecs assert on hostile input
            raise UnreadableSource("undecodable bytes") from error
        if encoding != "utf-8" and not _survives(text, body, encoding):
            raise UnreadableSource(f"text does not survive the encoding {encoding}")
        return cls(path, data, text, encoding, has_bom)

    def encode(self, text: str) -> bytes:
        """The bytes of `text` in this source's encoding, byte order mark kept."""
        body = text.encode(self.encoding)
        return codecs.BOM_UTF8 + body if self.has_bom else body

    def offset(self, position: Position) -> int:
        return self.line_starts[position.row - 1] + position.column - 1

    def position(self, offset: int) -> Position:
        row = bisect.bisect_right(self.line_starts, offset)
        return Position(row, offset - self.line_starts[row - 1] + 1)

    def range(self, start: int, end: int) -> Range:
        return Range(self.position(start), self.position(end))

    def line(self, row: int) -> str:
        """The text of a line, without its end."""
        start = self.line_starts[row - 1]
        stop = self.line_starts[row] if row < len(self.line_starts) else len(self.text)
        return self.text[start:stop].rstrip("\r\n")

    def line_name(self, row: int) -> str:
        """`line 6`, or as a reader of a notebook counts `line 2 of cell 3`."""
        place = bisect.bisect_right(self.cells, row, key=lambda cell: cell[0])
        if place == 0:
            return f"line {row}"
        first, number = self.cells[place - 1]
        return f"line {row - first + 1} of cell {number}"

    def node_start(self, node: ast.expr | ast.stmt | ast.arg) -> int:
        return self._ast_offset(node.lineno, node.col_offset)

    def node_end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._ast_offset(node.end_lineno, node.end_col_offset)

    def node_range(self, node: ast.expr | ast.stmt) -> Range:
        return self.range(self.node_start(node), self.node_end(node))

    def segment(self, node: ast.expr | ast.stmt) -> str:
        return self.text[self.node_start(node) : self.node_end(node)]

    def _ast_offset(self, row: int, utf8_column: int) -> int:
        """Offset of an `ast` position, whose columns count UTF-8 bytes."""
        start = self.line_starts[row - 1]
        head = self.text[start : start + utf8_column]
        if head.isascii():
            return start + utf8_column
        return start + len(head.encode()[:utf8_column].decode())


def may_declare_encoding(data: bytes) -> bool:
    """Whether a cookie of PEP 263 is possible, in the first two lines."""
    lines = data[:1000].splitlines()
    if len(lines) < 3:  # the second may go on
        lines = data.splitlines()
    return any(b"coding" in line for line in lines[:2])


def _encoding(data: bytes) -> str:
    """Raises SyntaxError where it is unknown or contradicts the byte order mark."""
    if not may_declare_encoding(data):
        return "utf-8"  # as nearly always, and `tokenize` takes long to import
    import io
    import tokenize

    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    if codecs.lookup(encoding).name in _NOT_FOR_TEXTS:
        raise LookupError(f"{encoding} is not an encoding of texts")
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _survives(text: object, body: bytes, encoding: str) -> bool:
    """Whether `text`, decoded from `body`, can be parsed and written back."""
    if not isinstance(text, str):
        return False
    try:
        text.encode()  # some codecs make lone surrogates, which no parser takes
        return text.encode(encoding) == body
    except UnicodeEncodeError:
        return False


def refuse_null_bytes(text: str) -> None:
    """Raises SyntaxError, where `ast.parse` of Python before 3.11.4 has ValueError."""
    if "\0" in text:
        raise SyntaxError("source code string cannot contain null bytes")


def line_starts(text: str) -> list[int]:
    if "\r" in text:
        return [0, *(match.end() for match in _LINE_END.finditer(text))]
    lengths = (len(line) + 1 for line in text.split("\n"))
    return [0, *accumulate(lengths)][:-1]


def apply_edits(source: Source, edits: list[Edit]) -> str:
    """The text after the edits, which must not overlap; raises ValueError if so."""
    spans = sorted(
        (source.offset(e.range.start), source.offset(e.range.end), e.content)
        for e in edits
    )
    out: list[str] = []
    done = 0
    for start, end, content in spans:
        if start < done:
            raise ValueError("edits overlap")
        out += (source.text[done:start], content)
        done = end
    out.append(source.text[done:])
    return "".join(out)
