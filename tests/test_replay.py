"""A run on what nobody has touched since says what the last one said, in no time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from upcast_lint import replay

FINDING = """\
def chosen(logits, labels, vocab_size):
    logits = logits.float()
    return logits.gather(-1, labels.unsqueeze(-1))
"""
PROGRAM = """\
import sys
from upcast_lint import replay
from upcast_lint.__main__ import main
replay.CLOCK_GRAIN_NS = {grain}
try:
    main()
finally:
    print("upcast_lint.checker" in sys.modules, file=sys.stderr)
"""
OLD_ENOUGH = -(10**12)
"""Files of a test are as new as the run, which is otherwise too new for a record."""


class Ran:
    """One run of `check`: what it printed, and whether it had to look."""

    def __init__(self, *arguments: str, grain: int = OLD_ENOUGH, **env: str) -> None:
        command = [sys.executable, "-c", PROGRAM.format(grain=grain)]
        done = subprocess.run(
            [*command, "check", *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, **env},
        )
        said = done.stderr.splitlines()
        printed = re.sub(r" in \d+\.\d s", " in 0.0 s", done.stdout)
        self.printed = (done.returncode, printed, said[:-1])
        self.looked = said[-1] == "True"


@pytest.fixture
def tree(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enough files for a cache, in a repository with settings, one folder down."""
    project /= "repository"
    for name in (".git/info", "src/deep"):
        (project / name).mkdir(parents=True)
    for number in range(20):
        (project / f"src/clean{number}.py").write_text(f"x = {number}\n")
    (project / ".gitignore").write_text("other.py\n")
    (project / "pyproject.toml").write_text("[tool.upcast-lint]\n")
    (project / "top.py").write_text("x = 1\n")
    monkeypatch.chdir(project)
    return project


def settle(*arguments: str) -> Ran:
    """Two runs: one that looks, one to which all is known and which keeps that."""
    first, second = Ran(*arguments), Ran(*arguments)
    assert first.looked and second.looked
    return second


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(
    "arguments", [(), ("-q",), ("src", "top.py"), ("--output-format", "json")]
)
def test_a_third_run_looks_at_nothing(arguments: tuple[str, ...]) -> None:
    before = settle(*arguments)
    again = Ran(*arguments)
    assert not again.looked
    assert again.printed == before.printed


@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif"])
def test_findings_are_said_again(tree: Path, form: str) -> None:
    (tree / "src/found.py").write_text(FINDING)
    arguments = ("-q", "--output-format", form, "--color", "always")
    before, again = settle(*arguments), Ran(*arguments)
    assert not again.looked
    assert again.printed == before.printed
    assert again.printed[0] == 1 and "UPC001" in again.printed[1]


def test_the_time_is_that_of_this_run(tree: Path) -> None:
    (tree / "src/found.py").write_text(FINDING)
    settle()
    (stored,) = Path(".upcast_lint_cache").glob("*.replay")
    fields = stored.read_bytes().split(b"\0")
    assert b"Found 1 finding in 1 of 22 files " in fields[3]
    assert fields[4].startswith(b".  [*] 1 fixable")
    assert "1 of 22 files in 0.0 s.  [*]" in Ran().printed[1]


def put(path: str, text: str) -> Callable[[], object]:
    return lambda: Path(path).write_text(text)


CHANGES = {
    "another content": put("src/clean3.py", FINDING),
    "another content of the same size": put("src/clean3.py", "x = 4\n"),
    "the same, written anew": put("src/clean3.py", "x = 3\n"),
    "a mode": lambda: Path("top.py").chmod(0o600),
    "a new file": put("src/new.py", ""),
    "a file in an empty folder": put("src/deep/new.py", ""),
    "a file less": Path("src/clean3.py").unlink,
    "another name": lambda: Path("top.py").rename("pot.py"),
    "settings": put("pyproject.toml", "[tool.upcast-lint]\nwidth = 'any'\n"),
    "further settings": put("upcast-lint.toml", "width = 'any'\n"),
    "settings below": put("src/deep/upcast-lint.toml", ""),
    "settings above": put("../upcast-lint.toml", ""),
    "what git ignores": put(".gitignore", ""),
    "what git ignores below": put("src/.gitignore", ""),
    "what git ignores here": put(".git/info/exclude", "src\n"),
    "no repository": lambda: Path(".git").rename(".tig"),
}


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_looked_at(change: Callable[[], object]) -> None:
    settle()
    change()
    assert Ran().looked


CALLER = """\
from lib.choose import chosen


def loss(logits, labels, vocab_size):
    return chosen(logits.float(), labels)
"""
LIBRARY = "lib/choose.py"
AROUND = {
    "another content": put(LIBRARY, "def chosen(x, labels):\n    return x * 2\n"),
    "a file less": Path(LIBRARY).unlink,
    "another file of the name": put("src/lib/choose.py", ""),
    "a package of the name": put("lib/choose/__init__.py", ""),
}


@pytest.mark.parametrize("change", AROUND.values(), ids=AROUND)
def test_a_change_around_the_files_is_looked_at(
    tree: Path, change: Callable[[], object]
) -> None:
    """The library is no part of the run, and its folders are not walked."""
    for folder in ("lib/choose", "src/lib"):
        (tree / folder).mkdir(parents=True)
    (tree / LIBRARY).write_text(
        "def chosen(x, labels):\n    return x.gather(-1, labels.unsqueeze(-1))\n"
    )
    (tree / "src/caller.py").write_text(CALLER)
    before, again = settle("src/caller.py", "src"), Ran("src/caller.py", "src")
    assert not again.looked
    assert again.printed == before.printed and "lib/choose.py:1" in again.printed[1]
    change()
    changed = Ran("src/caller.py", "src")
    assert changed.looked
    assert "UPC001" not in changed.printed[1]


def test_a_time_that_was_set_back_is_looked_at(tree: Path) -> None:
    settle()
    path = tree / "src/clean3.py"
    status = path.stat()
    path.write_text("x = 7\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Ran().looked


def test_what_git_does_changes_nothing(tree: Path) -> None:
    settle()
    (tree / ".git/index").write_text("")
    assert not Ran().looked


@pytest.mark.usefixtures("tree")
def test_another_question_is_looked_at() -> None:
    settle()
    for arguments in (("src",), ("--width", "any"), ("--no-cache",), ("-v",)):
        assert Ran(*arguments).looked
    assert Ran(NO_COLOR="1").looked
    assert not Ran().looked


@pytest.mark.parametrize(
    "arguments",
    [
        ("-v",),
        ("--fix",),
        ("--diff",),
        ("--no-cache",),
        ("-o", "../report"),
        ("--write-baseline", "../known"),
    ],
)
def test_what_does_more_than_print_is_done_again(
    tree: Path, arguments: tuple[str, ...]
) -> None:
    (tree / "src/found.py").write_text("def f(:\n")
    for _ in range(3):
        assert Ran(*arguments).looked


def test_what_has_a_problem_is_looked_at_again(tree: Path) -> None:
    if os.name == "nt" or os.geteuid() == 0:
        pytest.skip("permissions do not bind this user")
    (tree / "src/deep").chmod(0)
    for _ in range(3):
        assert Ran().looked
    (tree / "src/deep").chmod(0o700)


@pytest.mark.usefixtures("tree")
def test_what_is_as_new_as_the_run_may_change_unseen() -> None:
    for _ in range(3):
        assert Ran(grain=2_000_000_000).looked
    assert not list(Path(".upcast_lint_cache").glob("*.replay"))


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"20", b"21", 1),
        lambda data: data + b"\0",
        lambda data: b"[]",
        lambda data: b"\xff" * 100,
    ],
    ids=["empty", "cut", "changed", "longer", "another form", "no text"],
)
def test_a_damaged_record_is_none(damage: Callable[[bytes], bytes]) -> None:
    before = settle()
    (stored,) = Path(".upcast_lint_cache").glob("*.replay")
    stored.write_bytes(damage(stored.read_bytes()))
    again = Ran()
    assert again.looked
    assert again.printed == before.printed


@pytest.mark.usefixtures("tree")
def test_a_record_of_another_key_is_none(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["upcast-lint", "check"])
    made = replay.record(2**63, ["src"], ("said\n", ""), 0)
    assert made is not None
    Path(".upcast_lint_cache").mkdir()
    path = Path(".upcast_lint_cache", made[0])
    path.write_bytes(made[1])
    assert replay.replay() == 0
    assert capfd.readouterr().out == "said\n"
    monkeypatch.setattr(replay, "__version__", "99")
    other = replay.record(2**63, ["src"], ("said\n", ""), 0)
    assert other is not None and other[0] != made[0]
    path.with_name(other[0]).write_bytes(made[1])
    assert replay.replay() is None
    assert capfd.readouterr().out == ""


@pytest.mark.usefixtures("tree")
def test_from_another_folder_there_is_no_record() -> None:
    settle()
    os.chdir("src")
    for _ in range(3):
        assert Ran().looked
