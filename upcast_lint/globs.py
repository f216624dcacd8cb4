"""Path patterns in gitignore's dialect, relative to one folder.

Paths are relative, use `/`, and end in `/` where they name a folder.

What a pattern means is what `wildmatch.c` and `dir.c` of git make of it, but that `?`
and a bracket take a character where git takes a byte. A pattern becomes a regular
expression that never goes back over what a star has taken: behind a star the leftmost
place of what follows is as good as any other, because the next star can take the rest.
So no pattern takes longer than the product of its length and the path's.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

_MAGIC = frozenset("*?[]\\!/#")
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_CLASS = re.compile(r"\[:([^\]]*)\]")
_MOST_CHARACTERS = 10_000
_STARS = re.compile(r"\*+")


class _Pattern(NamedTuple):
    """`matches` a path without its final slash."""

    matches: Callable[[str], object]
    is_taken: bool
    is_for_folders: bool


class _Wild(enum.Enum):
    STAR = "*"
    FOLDERS = "**/"
    REST = "**"


class UnreadablePattern(ValueError):
    """A pattern that can match nothing; `str` says what is wrong with it."""


class Globs:
    """A list of patterns; later ones win, `!` takes a path back.

    As for git, a pattern that cannot be read matches nothing. Where every pattern is a
    bare name, as in the default excludes, two set lookups answer.
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
            names = [line.rstrip(" ") for line in self._lines]
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
        is_folder = path.endswith("/")
        if is_folder:
            path = path[:-1]
        if not self._patterns:
            names = self._folders if is_folder else self._anywhere
            return path.rpartition("/")[2] in names or None
        for pattern in self._patterns:
            if (is_folder or not pattern.is_for_folders) and pattern.matches(path):
                return pattern.is_taken
        return None

    def cover(self, path: str) -> bool:
        """Whether `path` or a folder above it is taken in."""
        return any(self.verdict(step) for step in _steps(path))


def fault(line: str) -> str | None:
    """What is wrong with a pattern that somebody wrote for us, if anything."""
    try:
        _pattern(line, is_strict=True)
    except UnreadablePattern as error:
        return str(error)
    return None


def _compiled(lines: Iterable[str]) -> Iterator[_Pattern]:
    for line in lines:
        try:
            pattern = _pattern(line)
        except UnreadablePattern:
            continue
        if pattern is not None:
            yield pattern


def _pattern(line: str, *, is_strict: bool = False) -> _Pattern | None:
    """What a line says of the paths that it is about, and not of what is below them.

    None where it is about nothing. Raises UnreadablePattern; where strict also for a
    range that runs backwards, of which git takes the first character.
    """
    if line.startswith("#"):
        return None
    if len(line) > _MOST_CHARACTERS:
        raise UnreadablePattern("is longer than any path")
    pattern = _without_final_spaces(line.removeprefix("!"))
    is_folder = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    is_rooted = "/" in pattern
    pattern = pattern.removeprefix("/")
    if not pattern:
        return None
    parts: list[list[str]] = [[""]] if is_rooted else [[""], [""]]
    is_about_name = True  # all behind the last `**/`
    for token in _tokens(pattern, is_strict):
        match token:
            case _Wild.FOLDERS:
                parts.append([""])
                is_about_name = True
            case _Wild.STAR:
                parts[-1].append("")
            case _Wild.REST if is_rooted:
                parts[-1][-1] += ".+"
                is_about_name = False
            case _Wild.REST:
                parts[-1].append("")
            case _:
                parts[-1][-1] += token
                is_about_name = is_about_name and token != "/"
    expression = re.compile(_joined(parts, is_about_name), re.DOTALL)
    return _Pattern(expression.fullmatch, line[0] != "!", is_folder)


def _without_final_spaces(line: str) -> str:
    kept = line.rstrip(" ")
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return line[: len(kept) + 1] if backslashes % 2 else kept


def _tokens(pattern: str, is_strict: bool) -> Iterator[str | _Wild]:
    """Expressions for what stands between stars, and the stars."""
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "*":
            stars = _STARS.match(pattern, at)
            assert stars is not None
            is_deep = stars[0] != "*" and (at == 0 or pattern[at - 1] == "/")
            at = stars.end()
            if is_deep and pattern[at : at + 1] == "/":
                yield _Wild.FOLDERS
                at += 1
            elif is_deep and at == len(pattern):
                yield _Wild.REST
            else:
                yield _Wild.STAR
            continue
        if character == "[":
            expression, at = _bracket(pattern, at, is_strict)
            yield expression
            continue
        if character == "\\":
            at += 1
            if at == len(pattern):
                raise UnreadablePattern("ends in a backslash")
            character = re.escape(pattern[at])
        else:
            character = "[^/]" if character == "?" else re.escape(character)
        yield character
        at += 1


def _bracket(pattern: str, start: int, is_strict: bool) -> tuple[str, int]:
    """The expression for the bracket that opens at `start`, and where it has ended."""
    at = start + 1
    is_negated = pattern[at : at + 1] in ("!", "^")
    at += is_negated
    items: list[str] = []
    before = ""  # a character that may begin a range
    first = at
    while pattern[at : at + 1] != "]" or at == first:
        if at >= len(pattern):
            raise UnreadablePattern("has a `[` without its `]`")
        named = _CLASS.match(pattern, at)
        if named is not None and named[1].endswith(":"):
            name = named[1][:-1]
            if name not in _CLASSES:
                raise UnreadablePattern(f"has no class of characters in `{named[0]}`")
            items.append(_CLASSES[name])
            before, at = "", named.end()
            continue
        is_range = pattern[at] == "-" and before and pattern[at + 1 : at + 2] != "]"
        at += bool(is_range)
        at += pattern[at : at + 1] == "\\"
        last = pattern[at : at + 1]
        if not is_range:
            items.append(re.escape(last))
        elif before <= last:
            items.append(f"{re.escape(before)}-{re.escape(last)}")
        elif is_strict and last:
            raise UnreadablePattern(f"has the range `{before}-{last}`, which is empty")
        before = "" if is_range else last
        at += 1
    inside = "".join(items)
    return f"[^/{inside}]" if is_negated else f"(?!/)[{inside}]", at + 1


def _joined(parts: list[list[str]], is_about_name: bool) -> str:
    """`parts` stand between `**/`; the strings of one stand between its stars.

    A part that is not the last one ends in a slash. `is_about_name` says that the last
    one has none, so that only the last name of a path can match it.
    """
    text = ""
    for number, (first, *others) in enumerate(parts):
        is_last = number == len(parts) - 1
        inner = first
        for place, piece in enumerate(others, 1):
            is_end = is_last and place == len(others)
            inner += f"[^/]*{piece}" if is_end else f"(?>[^/]*?{piece})"
        if number == 0:
            text = inner
        elif not is_last:
            text += f"(?>(?:[^/]+/)*?{inner})"
        elif is_about_name:
            text += f"(?:[^/]+/)*+{inner}"
        else:
            text += f"(?:[^/]+/)*{inner}"
    return text


def _is_bare_name(line: str) -> bool:
    return not _MAGIC.intersection(line.rstrip(" ").removesuffix("/"))


def _steps(path: str) -> Iterator[str]:
    """`a/b/c.py` gives `a/`, `a/b/`, `a/b/c.py`."""
    end = path.find("/")
    while end != -1:
        yield path[: end + 1]
        end = path.find("/", end + 1)
    if not path.endswith("/"):
        yield path
