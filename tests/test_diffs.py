from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from upcast_lint.diffs import file_diff, preview
from upcast_lint.finding import Edit, Fix, Position, Range, Safety


def applies(folder: Path, name: str, old: bytes, new: bytes) -> bool:
    """Whether `git apply` makes `new` of `old` with our diff."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(old)
    done = subprocess.run(
        ["git", "apply", "-"],
        cwd=folder,
        input=file_diff(name, old, new),
        capture_output=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    return path.read_bytes() == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n"),
        (b"a\r\nb\r\n", b"a\r\nB\r\n"),
        (b"a\nb", b"a\nB"),
        (b"a\nb", b"a\nb\n"),
        (b"a\nb\n", b"a\nb"),
        (b"a\rb\rc", b"a\rB\rc"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n"),
        (b"caf\xe9\nb\n", b"caf\xe9\nB\n"),
        (b"a\x0cb\nc\x85d\n", b"a\x0cb\nC\x85d\n"),
        (b"x\n" * 40 + b"y\n" + b"x\n" * 40, b"x\n" * 40 + b"z\n" + b"x\n" * 40),
        (b"a\n" + b"x\n" * 20 + b"b\n", b"A\n" + b"x\n" * 20 + b"B\n"),
        (b"a\na\na\n", b"a\na\n"),
        (b"a\n", b"a\nb\n"),
    ],
)
def test_git_applies_it(tmp_path: Path, old: bytes, new: bytes) -> None:
    assert applies(tmp_path, "x.py", old, new)


@pytest.mark.parametrize(
    "name",
    ["with space.py", 'quo"te.py', "naïve.py", "tab\t.py", "a/b c/d.py", "a\\b.py"],
)
def test_git_finds_the_file_by_any_name(tmp_path: Path, name: str) -> None:
    assert applies(tmp_path, name, b"a\n", b"b\n")


_LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n", b"d\x0c\n"]))


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(_LINES, _LINES, st.sampled_from([b"", b"end"]))
def test_git_applies_any_diff(
    tmp_path: Path, before: list[bytes], after: list[bytes], tail: bytes
) -> None:
    old, new = b"".join(before) + tail, b"".join(after) + tail
    if old != new and old and new:
        assert applies(tmp_path, "x.py", old, new)


def test_a_preview_shows_a_line_around_the_change() -> None:
    at = Range(Position(3, 1), Position(3, 2))
    fix = Fix(Safety.SAFE, "", (Edit(at, "C"),))
    assert list(preview("a\nb\nc\nd\ne\n", fix)) == [" b", "-c", "+C", " d"]


def test_a_preview_of_two_places_leaves_out_what_is_between() -> None:
    edits = tuple(
        Edit(Range(Position(row, 1), Position(row, 2)), "X") for row in (1, 9)
    )
    text = "\n".join("abcdefghi")
    lines = list(preview(text, Fix(Safety.SAFE, "", edits)))
    assert lines == ["-a", "+X", " b", "…", " h", "-i", "+X"]
