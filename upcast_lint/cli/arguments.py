"""The options of `check`, and a reader for the command lines that are plain.

Options are declared here once. click makes its command of them, with help, hints and
every way of writing options that users know. Importing click takes longer than
checking a file, so command lines as hooks and habit have them are read here; what is
not plainly right is left to click, which says what is wrong. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..config import FailOn, Width
from ..reporters import FORMATS


class Option(NamedTuple):
    """`metavar` of None makes it a flag, unless there are `choices`."""

    names: tuple[str, ...]
    help: str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    default: str | None = None
    is_list: bool = False
    """Of comma-separated values; it may be given several times."""
    is_count: bool = False

    @property
    def key(self) -> str:
        """`--fix-only` and `-f` give `fix_only`."""
        return self.names[-1].lstrip("-").replace("-", "_")

    @property
    def is_flag(self) -> bool:
        return self.metavar is None and not self.choices

    @property
    def unset(self) -> object:
        """Its value where it is not given."""
        if self.is_flag:
            return False
        return () if self.is_list else self.default


def _flag(*names: str, help: str) -> Option:
    return Option(names, help)


def _text(*names: str, metavar: str, help: str) -> Option:
    return Option(names, help, metavar)


def _lists(*names: str, help: str) -> Option:
    return Option(names, help, "LIST", is_list=True)


OPTIONS = (
    _flag("--fix", help="Make the fixes that are proved safe."),
    _flag("--unsafe-fixes", help="With --fix: also those that may change gradients."),
    _text(
        "--verify-with",
        metavar="TOML",
        help="With --fix: run the functions in TOML; only fixes that pass are made.",
    ),
    _flag("--diff", help="Print the fixes as a diff instead; write nothing."),
    _flag("--fix-only", help="Fix, and do not report what is left."),
    _flag("--show-fixes", help="List what was fixed."),
    Option(
        ("--fail-on",),
        "Exit 1 for findings that a safe fix mends, an unsafe one, too, or any.",
        choices=tuple(each.value for each in FailOn),
    ),
    _flag("--exit-zero", help="Exit 0 in spite of findings."),
    _flag("--exit-non-zero-on-fix", help="Exit 1 if anything was fixed."),
    _lists("--select", help="Run these rules: codes, prefixes, names, ALL."),
    _lists("--ignore", help="Do not run these rules."),
    _lists("--extend-select", help="Run these rules, too."),
    Option(
        ("--width",),
        "Report sources that are vocab-wide with this confidence; or any.",
        choices=tuple(width.value for width in Width),
    ),
    _text("--config", metavar="FILE", help="Take the settings from FILE."),
    _flag("--isolated", help="Read no settings file."),
    _lists("--exclude", help="Leave these paths out, instead of the default ones."),
    _lists("--extend-exclude", help="Leave these paths out, too."),
    _flag("--force-exclude", help="Leave excluded files out even where named."),
    _flag("--no-respect-gitignore", help="Check what git ignores, too."),
    _flag("--ignore-noqa", help="Report in spite of suppression comments."),
    _text("--add-noqa", metavar="REASON", help="Suppress what is found."),
    _text("--baseline", metavar="FILE", help="Leave out the findings in FILE."),
    _text("--write-baseline", metavar="FILE", help="Write the findings to FILE."),
    _text("--diff-base", metavar="REV", help="Report only lines added since REV."),
    Option(
        ("--output-format",), "Form of the report.", choices=FORMATS, default="full"
    ),
    _text("-o", "--output-file", metavar="FILE", help="Write the report to FILE."),
    _flag("--statistics", help="Report counts by rule instead of findings."),
    _flag("-q", "--quiet", help="Print findings only."),
    _flag("-v", "--verbose", help="Say more about the run, also what took longest."),
    Option(("-j", "--jobs"), "Processes to use.", "N", is_count=True),
    _flag("--no-cache", help="Neither read nor write the cache."),
    Option(
        ("--color",),
        "Use colours; auto does on a terminal.",
        choices=("auto", "always", "never"),
        default="auto",
    ),
    _text("--stdin-filename", metavar="PATH", help="What `-` is to be called."),
    _flag("--show-files", help="List the files that would be checked."),
    _flag("--show-settings", help="Print the settings that hold here."),
)

_MOST_DIGITS = 10  # far fewer than `int` refuses

Values = dict[str, Any]
"""The values of all options by their keys, and `paths`: arguments of `check`."""


def split(values: Sequence[str]) -> tuple[str, ...]:
    """The parts of comma-separated lists, one after the other."""
    parts = (part.strip() for value in values for part in value.split(","))
    return tuple(part for part in parts if part)


def plain(arguments: Sequence[str]) -> Values | None:
    """The values that command line arguments give; None where click is to read them."""
    if arguments[:1] != ["check"]:
        return None
    named = {name: option for option in OPTIONS for name in option.names}
    values: Values = {option.key: option.unset for option in OPTIONS}
    paths: list[str] = []
    rest = iter(arguments[1:])
    for argument in rest:
        if argument == "-" or not argument.startswith("-"):
            paths.append(argument)
            continue
        name, is_joined, text = argument.partition("=")
        option = named.get(name)
        if option is None or (is_joined and not name.startswith("--")):
            return None
        if option.is_flag:
            if is_joined:
                return None
            values[option.key] = True
            continue
        if not is_joined:
            text = next(rest, "")
        if not _is_plain(text, option):
            return None
        if option.is_list:
            values[option.key] = (*values[option.key], *split([text]))
        else:
            values[option.key] = int(text) if option.is_count else text
    return {"paths": tuple(paths), **values}


def _is_plain(text: str, option: Option) -> bool:
    """Whether a value says without doubt what it means."""
    if not text or text.startswith("-"):
        return False
    if option.is_count:
        is_number = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
        return is_number and int(text) >= 1
    return not option.choices or text in option.choices
