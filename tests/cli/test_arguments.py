"""Plain command lines are read as click reads them, and the others are left to it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from upcast_lint.cli.arguments import OPTIONS, plain
from upcast_lint.cli.check_command import check

NAMES = [name for option in OPTIONS for name in option.names]
VALUES = [
    *("", "any", "vocab", "full", "json", "xml", "auto", "UPC001", "UPC001,UPC002"),
    *(" a , b,, c", "0", "1", "12", "-1", "²", "1_0", " 2", "a=b", "x.toml", "TOML"),
]
PATHS = ["-", "a.py", "src", "*.py", "a b.py", "=", "--", "-x", "-qv", "--jobs=", "-j4"]
ARGUMENTS = st.lists(
    st.one_of(
        st.sampled_from(NAMES),
        st.sampled_from(VALUES),
        st.sampled_from(PATHS),
        st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)).map("=".join),
        st.text(max_size=4),
    ),
    max_size=6,
)


def by_click(arguments: list[str]) -> dict[str, object]:
    return check.make_context("check", list(arguments)).params


@given(ARGUMENTS)
@example(["--select", "UPC001", "--select=UPC002,", "src"])
@example(["-j", "2", "--jobs=3"])
@example(["--fix", "--fix", "a.py", "-o", "report"])
def test_what_is_read_is_what_click_reads(arguments: list[str]) -> None:
    values = plain(["check", *arguments])
    if values is not None:
        assert values == by_click(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["check"],
        ["check", "a.py", "b.py"],
        ["check", "--fix", "a.py"],
        ["check", "--width", "any", "--no-cache", "--isolated", "-q", "."],
        ["check", "--select=UPC001,UPC002", "--output-format", "sarif", "-o", "x"],
        ["check", "-j", "4", "--diff-base", "origin/main", "-"],
        ["check", "--jobs", "1"],
        ["check", "--color", "auto", "--color=always", "--color", "never"],
    ],
)
def test_regular_lines_are_plain(arguments: list[str]) -> None:
    assert (plain(arguments) is not None) == (arguments[:1] == ["check"])


def test_lists_with_blanks_and_empty_parts() -> None:
    values = plain(["check", "--select", " UPC001 , ,UPC002,", "--select=UPC003"])
    assert values is not None
    assert values["select"] == ("UPC001", "UPC002", "UPC003")
    assert values["ignore"] == ()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--check", "a.py"],
        ["--jobs", "0"],
        ["--jobs", "two"],
        ["--jobs", "1" * 5000],
        ["--jobs"],
        ["--width", "all"],
        ["--fix=yes"],
        ["-o=x"],
        ["-qv"],
        ["--", "-x.py"],
        ["--config", "--fix"],
    ],
)
def test_everything_else_is_left_to_click(arguments: list[str]) -> None:
    assert plain(["check", *arguments]) is None


@pytest.mark.parametrize("command", ["rule", "rules", "verify", "--version", "-h"])
def test_other_commands_are_left_to_click(command: str) -> None:
    assert plain([command]) is None
