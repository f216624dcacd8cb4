"""Path patterns in gitignore's dialect, relative to one folder.

Paths are relative, use `/`, and end in `/` where they name a folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

_Pattern = tuple[Callable[[str], re.Match[str] | None], bool]
_MAGIC = frozenset("*?[]\\!/#")


class Globs:
    """A list of patterns; later ones win, `!` takes a path back.

    Where every pattern is a bare name, as in the default excludes, two set lookups
    answer and pathspec, whose import takes longer than a small run, stays unloaded.
    """

    __slots__ = ("_anywhere", "_folders", "_lines", "_patterns")

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = tuple(
            line for line in lines if line.strip() and not line.startswith("#")
        )
        self._patterns: tuple[_Pattern, ...] = ()
        self._folders: frozenset[str] = frozenset()
        self._anywhere: frozenset[str] = frozenset()
        if all(_is_bare_name(line) for line in self._lines):
            names = [line.rstrip() for line in self._lines]
            self._folders = frozenset(name.removesuffix("/") for name in names)
            self._anywhere = frozenset(n for n in names if not n.endswith("/"))
        else:
            self._patterns = tuple(reversed(list(_compiled(self._lines))))

    def __bool__(self) -> bool:
        return bool(self._lines)

    @property
    def may_take_files(self) -> bool:
        """Whether any pattern could speak of a file; a walk asks for every one."""
        return bool(self._anywhere or self._patterns)

    def verdict(self, path: str) -> bool | None:
        """Whether a pattern takes `path` in (True), out (False), or none speaks.

        This judges the path alone: that a parent is taken in is for the caller.
        """
        if self._patterns:
            for matches, is_taken in self._patterns:
                if matches(path):
                    return is_taken
            return None
        if path.endswith("/"):
            return path[:-1].rpartition("/")[2] in self._folders or None
        return path.rpartition("/")[2] in self._anywhere or None

    def cover(self, path: str) -> bool:
        """Whether `path` or a folder above it is taken in."""
        return any(self.verdict(step) for step in _steps(path))


def _compiled(lines: Iterable[str]) -> Iterator[_Pattern]:
    """Patterns that match a path itself, not what is below it.

    pathspec's own verdict takes `!build/` for a word about `build/x.py`, too; git,
    which looks at one level after the other, does not. As for git, a pattern that
    makes no sense matches nothing.
    """
    from pathspec import GitIgnoreSpec

    for line in lines:
        try:
            patterns = GitIgnoreSpec.from_lines([line]).patterns
        except ValueError:
            continue
        for pattern in patterns:
            regex = getattr(pattern, "regex", None)
            if regex is None or pattern.include is None:
                continue
            is_about_all_below = line.rstrip().endswith("/**")
            matches = regex.match if is_about_all_below else regex.fullmatch
            yield matches, pattern.include


def _is_bare_name(line: str) -> bool:
    return not _MAGIC.intersection(line.rstrip().removesuffix("/"))


def _steps(path: str) -> Iterator[str]:
    """`a/b/c.py` gives `a/`, `a/b/`, `a/b/c.py`."""
    end = path.find("/")
    while end != -1:
        yield path[: end + 1]
        end = path.find("/", end + 1)
    if not path.endswith("/"):
        yield path
