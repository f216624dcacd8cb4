"""What stands between a file's bytes and the one source that is analysed."""

from __future__ import annotations

import sys
from typing import Protocol

from .finding import Finding
from .source import Source

NOTEBOOK_SUFFIX = ".ipynb"


class Document(Protocol):
    """A file as a source. Findings are placed in it, then shown in the file."""

    @property
    def source(self) -> Source: ...

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What of the file cannot be read, while the rest can; located."""

    def located(self, finding: Finding) -> Finding | None:
        """The finding as the file's reader counts; None if it has no one place."""

    def rendered(self, text: str) -> bytes:
        """The file's bytes with `text` for the source's; raises ValueError."""

    def texts(self) -> dict[int, str]:
        """What located findings point into, by cell; 0 where there are no cells."""


class Module:
    """A Python file: the source is all of it."""

    __slots__ = ("source",)
    faults: tuple[Finding, ...] = ()

    def __init__(self, data: bytes, path: str) -> None:
        self.source = Source.from_bytes(data, path)

    def located(self, finding: Finding) -> Finding:
        return finding

    def rendered(self, text: str) -> bytes:
        return self.source.encode(text)

    def texts(self) -> dict[int, str]:
        return {0: self.source.text}


def read_document(data: bytes, path: str) -> Document:
    """Raises UnreadableSource."""
    if path.endswith(NOTEBOOK_SUFFIX):
        from .notebook import Notebook

        return Notebook(data, path)
    return Module(data, path)


def syntax_fault(error: SyntaxError) -> str:
    """What the parser says, and which parser: newer syntax needs a newer Python."""
    version = ".".join(map(str, sys.version_info[:2]))
    return f"{error.msg} (parsed with Python {version})"
