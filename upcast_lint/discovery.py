"""Which files a run checks: the named ones, and what a walk of named folders finds.

A named file is checked whatever its suffix; a walk takes Python files and notebooks,
follows no symbolic links, and leaves out what the settings and the ignore files of git
leave out. Of git's ignore files it reads `.gitignore` in every folder up to the
repository's root, and `.git/info/exclude`; not the user's global one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .config import DEFAULT_EXCLUDE, OWN_FILE, PYPROJECT, Config, ConfigFinder
from .errors import UsageError
from .files import Status, read_regular
from .globs import Globs
from .selection import suggestion

SUFFIXES = (".py", ".pyi", ".ipynb")
_SPEAKING = (OWN_FILE, PYPROJECT, ".gitignore", ".git", ".git/info/exclude")
"""What says in a folder which files are checked there, and how."""


class UnusablePath(UsageError):
    """A path on the command line that cannot be checked; `str` says why."""


class Found(NamedTuple):
    """A file to check. `path` is as the user would write it."""

    path: str
    absolute: str
    config: Config
    status: Status
    is_named: bool = False
    """By the user, rather than found in a folder."""


class Exclusion(NamedTuple):
    """What the command line says about leaving files out, over the settings."""

    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    force: bool = False
    respect_gitignore: bool = True


class Discovery:
    """One search. `problems` collects the folders that could not be read."""

    def __init__(self, finder: ConfigFinder, exclusion: Exclusion) -> None:
        self.finder = finder
        self.exclusion = exclusion
        self.problems: list[str] = []
        self._walked: list[str] = []
        self._excludes: dict[tuple[int, str], _Excludes] = {}

    def find(self, paths: Sequence[str]) -> list[Found]:
        """The files, each once, by path. Raises UnusablePath and ConfigError.

        One that is both named and found in a folder counts as named.
        """
        found: dict[str, Found] = {}
        for path in paths:
            for each in self._find_one(path):
                known = found.setdefault(each.absolute, each)
                if each.is_named and not known.is_named:
                    found[each.absolute] = each
        return sorted(found.values(), key=lambda each: each.path)

    def rests_on(self, paths: Iterable[str]) -> Iterator[str]:
        """What was looked for to search `paths`, or is above them, there or not."""
        yield from self._walked
        for path in paths:
            folder, below = os.path.abspath(path), ""
            while folder != below:
                yield from (os.path.join(folder, name) for name in _SPEAKING)
                folder, below = os.path.dirname(folder), folder

    def _find_one(self, path: str) -> Iterator[Found]:
        absolute = os.path.abspath(path)
        try:
            status = os.stat(path)
        except FileNotFoundError as error:
            if os.path.islink(path):
                raise UnusablePath(f"a link to no file: {path}") from error
            raise UnusablePath(f"no such file: {path}{_nearest(path)}") from error
        except OSError as error:
            raise UnusablePath(f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise UnusablePath(f"{path}: {error}") from error
        if stat.S_ISDIR(status.st_mode):
            config = self.finder.in_folder(absolute)
            if not self.is_forced_out(config, absolute + os.sep):
                shown = os.path.normpath(path)
                yield from self._walk("" if shown == "." else shown, absolute)
        elif stat.S_ISREG(status.st_mode):
            config = self.finder.in_folder(os.path.dirname(absolute))
            if not self.is_forced_out(config, absolute):
                seen = Status(status.st_size, status.st_mtime_ns)
                yield Found(os.path.normpath(path), absolute, config, seen, True)
        else:
            raise UnusablePath(f"not a regular file: {path}")

    def is_forced_out(self, config: Config, absolute: str) -> bool:
        if not (self.exclusion.force or config.settings.force_exclude):
            return False
        return self._excludes_of(config, config.root).cover(absolute)

    def _walk(self, shown: str, absolute: str) -> Iterator[Found]:
        top = absolute
        gitignores = _outer_gitignores(absolute)
        pending = [(shown, absolute, gitignores)]
        while pending:
            shown, absolute, gitignores = pending.pop()
            try:
                with os.scandir(absolute) as listing:
                    entries = list(listing)
            except OSError as error:
                self.problems.append(f"{shown or '.'}: {error.strerror}")
                continue
            names = {entry.name for entry in entries}
            told = (name for name in _SPEAKING if name.partition("/")[0] in names)
            self._walked += (os.path.join(absolute, name) for name in ("", *told))
            config = self.finder.in_folder(absolute, names)
            excludes = self._excludes_of(config, top)
            if self.exclusion.respect_gitignore and config.settings.respect_gitignore:
                gitignores = _gitignores_in(absolute, names, gitignores)
            else:
                gitignores = ()
            takes_files = bool(gitignores) or excludes.may_take_files
            prefix = os.path.join(shown, "")
            for entry in entries:
                path = entry.path
                if entry.is_dir(follow_symlinks=False):
                    below = path + "/"
                    if not (excludes.take(below) or _are_ignoring(gitignores, below)):
                        pending.append((prefix + entry.name, path, gitignores))
                    continue
                if not entry.name.endswith(SUFFIXES):
                    continue
                if takes_files and (
                    excludes.take(path) or _are_ignoring(gitignores, path)
                ):
                    continue
                if not entry.is_file(follow_symlinks=False):
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # gone since the folder was listed
                except OSError as error:
                    # The names of this folder can be read, and nothing that they name.
                    self.problems.append(f"{shown or '.'}: {error.strerror}")
                    break
                seen = Status(status.st_size, status.st_mtime_ns)
                yield Found(prefix + entry.name, path, config, seen)

    def _excludes_of(self, config: Config, top: str) -> _Excludes:
        key = (id(config), top)
        known = self._excludes.get(key)
        if known is None:
            known = self._excludes[key] = _excludes(config, self.exclusion, top)
        return known


class _Rooted(NamedTuple):
    """Patterns and the folder, with a final separator, that they are relative to."""

    root: str
    globs: Globs

    def relative(self, absolute: str) -> str | None:
        if not absolute.startswith(self.root) or absolute == self.root:
            return None
        return absolute[len(self.root) :].replace(os.sep, "/")

    def verdict(self, absolute: str) -> bool | None:
        path = self.relative(absolute)
        return None if path is None else self.globs.verdict(path)


class _Excludes(NamedTuple):
    parts: tuple[_Rooted, ...]

    @property
    def may_take_files(self) -> bool:
        return any(part.globs.may_take_files for part in self.parts)

    def take(self, absolute: str) -> bool:
        return any(part.verdict(absolute) for part in self.parts)

    def cover(self, absolute: str) -> bool:
        """`take`, for a path whose parents have not been judged."""
        paths = ((part.globs, part.relative(absolute)) for part in self.parts)
        return any(path is not None and globs.cover(path) for globs, path in paths)


def _excludes(config: Config, exclusion: Exclusion, top: str) -> _Excludes:
    """Patterns of the settings count from their file, those of the command line from
    here, and the default ones, which nobody wrote for a place, from `top`.
    """
    settings = config.settings
    here = os.getcwd()
    if exclusion.exclude is not None:
        own = (here, exclusion.exclude)
    elif settings.exclude == DEFAULT_EXCLUDE:
        own = (top, DEFAULT_EXCLUDE)
    else:
        own = (config.root, settings.exclude)
    parts = (
        own,
        (config.root, settings.extend_exclude),
        (here, exclusion.extend_exclude),
    )
    return _Excludes(tuple(_rooted(root, lines) for root, lines in parts if lines))


def _rooted(root: str, lines: Iterable[str]) -> _Rooted:
    return _Rooted(os.path.join(root, ""), Globs(lines))


def _are_ignoring(gitignores: tuple[_Rooted, ...], absolute: str) -> bool:
    """Whether git would ignore a path whose parents it does not: innermost first."""
    for part in reversed(gitignores):
        verdict = part.verdict(absolute)
        if verdict is not None:
            return verdict
    return False


def _gitignores_in(
    folder: str, names: set[str], outer: tuple[_Rooted, ...]
) -> tuple[_Rooted, ...]:
    """`outer` and what `folder` adds; a nested repository starts afresh."""
    files = []
    if ".git" in names:
        outer = ()
        files.append(os.path.join(folder, ".git", "info", "exclude"))
    if ".gitignore" in names:
        files.append(os.path.join(folder, ".gitignore"))
    found = (_rooted(folder, _lines(file)) for file in files)
    return (*outer, *(each for each in found if each.globs))


def _outer_gitignores(folder: str) -> tuple[_Rooted, ...]:
    """The ignore files above `folder`, up to the root of its repository if any."""
    chain = []
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ()
        folder = parent
        chain.append(folder)
    found: tuple[_Rooted, ...] = ()
    for each in reversed(chain):
        names = {n for n in (".git", ".gitignore") if os.path.exists(f"{each}/{n}")}
        found = _gitignores_in(each, names, found)
    return found


def _lines(path: str) -> list[str]:
    try:
        data, _ = read_regular(path)
    except OSError:
        return []  # git, too, goes on without an ignore file that it cannot read
    text = data.decode(errors="surrogateescape").removeprefix("\ufeff")
    return [line.removesuffix("\r") for line in text.split("\n")]


def _nearest(path: str) -> str:
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return ""
    near = suggestion(name, names)
    return near.replace("`", f"`{folder}{os.sep}", 1) if near and folder else near
