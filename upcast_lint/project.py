"""The files around one file, read where it hands a copy to what they define.

They are read and parsed, never imported. Which file a module is, the folders tell: a
relative import counts from the file that has it; an absolute one from a folder above it
that is no package, up to the project's root, or from `src` in that. Where two files may
be meant, neither is taken.

Limits: nothing is read outside of the root, by way of links or otherwise, nor what is
installed, nor what is very large. For a file that is not below the root, its own folder
is the root.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator

from .files import read_regular
from .source import Source, UnreadableSource

_LARGEST = 1_000_000
_INSTALLED = frozenset(("site-packages", "dist-packages"))


class Project:
    """As one file sees it, with what was read for that.

    `looked` has the content of every file that was looked for, None where there is none
    to read: a finding may be another one where one of them changes.
    """

    def __init__(self, path: str, root: str) -> None:
        self.looked: dict[str, bytes | None] = {}
        self.path = os.path.abspath(path)
        root = os.path.abspath(root)
        is_inside = _is_below(self.path, root)
        self._root = root if is_inside else os.path.dirname(self.path)
        self._sources: dict[str, Source | None] = {}

    def module(self, dotted: str, importer: str) -> Source | None:
        """The file that `package.utils`, or `..utils`, is to a file that imports it.

        None where there is none in the project, or which one is not certain.
        """
        name = dotted.lstrip(".")
        level = len(dotted) - len(name)
        found: dict[str, Source] = {}
        for folder in self._folders(os.path.abspath(importer), level):
            base = os.path.join(folder, *name.split("."))
            paths = [
                os.path.join(base, "__init__.py"),
                *([f"{base}.py"] if name else ()),
            ]
            for path in paths:
                source = self._source(path)
                if source is not None and (level or not self._is_package(folder)):
                    found[path] = source
        return next(iter(found.values())) if len(found) == 1 else None

    def content(self, path: str) -> bytes | None:
        """What a file of the project holds; None where it is not to be read."""
        if path not in self.looked:
            self.looked[path] = self._read(path)
        return self.looked[path]

    def _folders(self, importer: str, level: int) -> Iterator[str]:
        """Where the first word of a module may stand, of so many leading dots."""
        folder, number = os.path.dirname(importer), 1
        while self._holds(folder):
            if level in (0, number):
                yield folder
            folder, number = os.path.dirname(folder), number + 1
            if number > level > 0:
                return
        if not level:
            yield os.path.join(self._root, "src")

    def _is_package(self, folder: str) -> bool:
        return self.content(os.path.join(folder, "__init__.py")) is not None

    def _source(self, path: str) -> Source | None:
        if path not in self._sources:
            data = self.content(path)
            try:
                source = None if data is None else Source.from_bytes(data, path)
            except UnreadableSource:
                source = None
            self._sources[path] = source
        return self._sources[path]

    def _read(self, path: str) -> bytes | None:
        try:
            if os.stat(path).st_size > _LARGEST:
                return None
            real = os.path.realpath(path)
            is_own = real == os.path.realpath(self.path)
            if is_own or not _is_below(real, os.path.realpath(self._root)):
                return None
            if not _INSTALLED.isdisjoint(real.split(os.sep)):
                return None
            return read_regular(path)[0]
        except (OSError, ValueError):
            return None

    def _holds(self, folder: str) -> bool:
        return folder == self._root or _is_below(folder, self._root)


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))


def imported_names(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """What an import binds, and to what: `pick` to `..utils.pick`."""
    match statement:
        case ast.ImportFrom(module=module, names=names, level=level):
            head = "." * level + (f"{module}." if module else "")
            for each in names:
                yield each.asname or each.name, head + each.name
        case ast.Import(names=names):
            for each in names:
                first = each.name.partition(".")[0]
                yield each.asname or first, each.name if each.asname else first
        case _:
            pass


def split_name(dotted: str) -> tuple[str, str]:
    """The module that a dotted name is looked for in, and the name there."""
    head, dot, name = dotted.rpartition(".")
    is_relative = not head.strip(".")
    return head + (dot if is_relative else ""), name
