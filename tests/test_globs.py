"""Patterns of paths: as git reads them, in a time that no pattern can stretch."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from upcast_lint.globs import Globs, fault


@pytest.mark.parametrize("lines", [[], ["", "  "], ["# a comment"]])
def test_no_pattern_takes_nothing(lines: list[str]) -> None:
    globs = Globs(lines)
    assert not globs
    assert not globs.cover("a/b.py")


@pytest.mark.parametrize(
    ("lines", "path", "is_taken"),
    [
        (["build/"], "build", False),
        (["build/"], "build/", True),
        (["build/"], "a/build/", True),
        (["build/"], "a/build/x.py", True),
        (["build/"], "rebuild/x.py", False),
        (["setup.py"], "a/setup.py", True),
        (["setup.py"], "setup.py/", True),
        (["*.py", "!keep.py"], "a/keep.py", False),
        (["*.py", "!keep.py"], "a/drop.py", True),
        (["/top.py"], "a/top.py", False),
        (["/top.py"], "top.py", True),
        (["a/**/z.py"], "a/z.py", True),
        (["a/**/z.py"], "a/b/c/z.py", True),
        (["a/**"], "a/b/c", True),
        (["a/**"], "a/", False),
        (["a/*"], "a/", False),
        (["tests"], "tests/x.py", True),
        (["a*b"], "a/b", False),
        (["v?.py"], "v\N{LATIN SMALL LETTER E WITH ACUTE}.py", True),
        (["\\!x"], "!x", True),
        (["x\\ "], "x ", True),
        (["x  "], "x", True),
        (["[!a]"], "b", True),
        (["[]-]"], "-", True),
        (["[[:digit:]x]"], "7", True),
        (["[z-a]"], "m", False),
        (["[z-a]", "*.pyc"], "m.pyc", True),
    ],
)
def test_gitignore_dialect(lines: list[str], path: str, is_taken: bool) -> None:
    assert Globs(lines).cover(path) is is_taken


def test_bare_names_answer_as_patterns_do() -> None:
    names = ["build/", "setup.py", "venv"]
    fast, slow = Globs(names), Globs([*names, "!never-there"])
    for path in ("build/", "a/build/", "setup.py", "a/setup.py", "venv", "venv/", "b"):
        assert bool(fast.verdict(path)) == bool(slow.verdict(path)), path


UNREADABLE = [
    ("[", "has a `[` without its `]`"),
    ("a[", "has a `[` without its `]`"),
    ("[]", "has a `[` without its `]`"),
    ("[!]", "has a `[` without its `]`"),
    ("a\\", "ends in a backslash"),
    ("a\\/", "ends in a backslash"),
    ("x[[:letters:]]", "has no class of characters in `[:letters:]`"),
    ("a" * 20_000, "is longer than any path"),
]


@pytest.mark.parametrize("line", [*(line for line, _ in UNREADABLE), "!", "/", "//"])
def test_a_pattern_that_cannot_be_read_is_skipped(line: str) -> None:
    globs = Globs([line, "*.pyc"])
    assert not globs.cover("a/b.py")
    assert globs.cover("a/b.pyc")


@pytest.mark.parametrize(
    ("line", "wrong"), [*UNREADABLE, ("[z-a]", "has the range `z-a`, which is empty")]
)
def test_what_is_wrong_with_a_pattern_can_be_said(line: str, wrong: str) -> None:
    assert fault(line) == wrong


@pytest.mark.parametrize("line", ["", "# [", "!*.py", "a/**/b", "[a-z]", "[]]", "\\["])
def test_nothing_is_wrong_with_others(line: str) -> None:
    assert fault(line) is None


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("*a" * 200 + "b", "a" * 250),
        ("*?" * 100 + "b", "a" * 250),
        ("**/" + "*a" * 200 + "b", "/".join(["a" * 200] * 20)),
        ("**/a/" * 200 + "b", "a/" * 2000 + "c"),
        ("**/*" * 300 + "x", "a/" * 2000 + "c"),
        ("*/" * 1000 + "x", "a/" * 999 + "a"),
        ("[!b]*" * 300 + "b", "a" * 250),
        ("a" + "**" * 200 + "/" + "*a*" * 50 + "b", "a/" + "a" * 250),
        ("x/**/" + "*a" * 50 + "/" + "*a" * 50 + "b", "x/" + ("a" * 100 + "/") * 40),
    ],
)
def test_many_stars_take_no_time(line: str, path: str) -> None:
    start = time.perf_counter()
    assert not Globs([line]).cover(path)
    # Every one of the folders above is judged, too; with backtracking these take years.
    assert time.perf_counter() - start < 5


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


NAMES = st.text("ab]-.x !#", min_size=1, max_size=4).filter(lambda n: n.strip("."))
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
# Two stars stand between slashes only: elsewhere git takes them for one or for two,
# depending on what is before them.
PARTS = (
    *("a", "b", "*", "?", "/", "[ab]", "[!a]", "[z-a]", "[[:alpha:]]", "[", "]", "\\"),
    *("-", " ", "!", "#", "[]a]", "[a-", "x", "/**/", ".", "[^/]", "[.-b]", "\\*"),
)
LINES = st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(LINES, min_size=1, max_size=2), st.lists(PATHS, min_size=1, max_size=9))
@example(["a/**"], ["a/b/c", "b/a/c"])
@example(["*", "!a/"], ["a/b", "b"])
def test_git_reads_them_so(
    repository: Path, lines: list[str], paths: list[str]
) -> None:
    lines = [line for line in lines if "***" not in line]
    (repository / ".gitignore").write_text("\n".join(lines) + "\n")
    options = ("-z", "--stdin", "--no-index", "--verbose", "--non-matching")
    done = subprocess.run(
        ["git", "check-ignore", *options],
        cwd=repository,
        input="".join(f"{path}\0" for path in paths).encode(),
        capture_output=True,
        check=False,
    )
    fields = done.stdout.decode().split("\0")[:-1]
    by_git = {
        path: bool(source) and not line.startswith("!")
        for source, line, path in zip(
            fields[::4], fields[2::4], fields[3::4], strict=True
        )
    }
    globs = Globs(lines)
    assert {path: globs.cover(path) for path in paths} == by_git
