from __future__ import annotations

import pytest

from upcast_lint.globs import Globs


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
        (["a/**/z.py"], "a/b/c/z.py", True),
        (["tests"], "tests/x.py", True),
    ],
)
def test_gitignore_dialect(lines: list[str], path: str, is_taken: bool) -> None:
    assert Globs(lines).cover(path) is is_taken


def test_bare_names_answer_as_pathspec_does() -> None:
    names = ["build/", "setup.py", "venv"]
    fast, slow = Globs(names), Globs([*names, "!never-there"])
    for path in ("build/", "a/build/", "setup.py", "a/setup.py", "venv", "venv/", "b"):
        assert bool(fast.verdict(path)) == bool(slow.verdict(path)), path


@pytest.mark.parametrize("line", ["!", "/", "//", "[", "a[", "**", "\\", "a\\"])
def test_a_pattern_that_makes_no_sense_does_not_end_the_run(line: str) -> None:
    Globs([line, "*.pyc"]).cover("a/b.py")
