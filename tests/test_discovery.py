from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from upcast_lint.config import Config, ConfigFinder, Settings
from upcast_lint.discovery import Discovery, Exclusion, UnusablePath

pytestmark = pytest.mark.usefixtures("project")


def write(*paths: str, text: str = "") -> None:
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")


def found(*paths: str, **exclusion: object) -> list[str]:
    search = Discovery(ConfigFinder(), Exclusion(**exclusion))  # type: ignore[arg-type]
    names = [each.path for each in search.find(paths or (".",))]
    assert not search.problems
    return names


def test_an_empty_folder_has_no_files() -> None:
    assert found() == []


def test_a_walk_takes_python_and_notebooks_by_path() -> None:
    write("b.py", "a/z.pyi", "a/n.ipynb", "a/readme.md", "a/x.pyc")
    assert found() == ["a/n.ipynb", "a/z.pyi", "b.py"]


def test_a_named_file_is_taken_whatever_its_suffix() -> None:
    write("script")
    assert found("script") == ["script"]


def test_a_file_named_twice_is_checked_once() -> None:
    write("a/x.py")
    assert found("a", "./a/x.py", ".", "a/../a/x.py") == ["a/x.py"]


@pytest.mark.parametrize("paths", [(".", "a/x.py"), ("a/x.py", "."), ("a/x.py", "a")])
def test_a_file_named_beside_its_folder_counts_as_named(paths: tuple[str, ...]) -> None:
    write("a/x.py", "a/y.py")
    search = Discovery(ConfigFinder(), Exclusion())
    files = search.find(paths)
    assert [(each.path, each.is_named) for each in files] == [
        ("a/x.py", True),
        ("a/y.py", False),
    ]


def test_default_excludes_are_left_out_but_not_when_named() -> None:
    write(".venv/x.py", "build/x.py", "a/__pycache__/x.py", "a/y.py")
    assert found() == ["a/y.py"]
    assert found("build/x.py") == ["build/x.py"]
    assert found("build") == ["build/x.py"]


@pytest.mark.parametrize("top", ["../other", "..", "../other/build/project"])
def test_default_excludes_hold_below_any_folder_that_is_walked(
    monkeypatch: pytest.MonkeyPatch, top: str
) -> None:
    write("here/.venv/x.py", "other/.venv/x.py", "other/build/project/venv/x.py")
    write("here/y.py", "other/y.py", "other/build/project/y.py")
    monkeypatch.chdir("here")
    kept = {"../other": ["y.py"], "..": ["here/y.py", "other/y.py"]}
    expected = [os.path.normpath(f"{top}/{name}") for name in kept.get(top, ["y.py"])]
    assert found(top) == expected
    fixed = ConfigFinder(Config(Settings(), os.getcwd()))
    assert [each.path for each in Discovery(fixed, Exclusion()).find([top])] == expected


def test_force_exclude_leaves_out_what_is_named() -> None:
    write("build/x.py", "y.py")
    assert found("build/x.py", "y.py", force=True) == ["y.py"]
    assert found("build", force=True) == []


def test_the_settings_can_force_what_they_exclude() -> None:
    write("upcast-lint.toml", text="force-exclude = true\nexclude = ['gen/']\n")
    write("gen/x.py", "y.py")
    assert found("gen/x.py", "y.py") == ["y.py"]
    assert found("gen") == []


def test_one_of_several_lists_forces_out_what_is_named() -> None:
    write("build/x.py", "gen/y.py", "z.py")
    names = ("build/x.py", "gen/y.py", "z.py")
    assert found(*names, force=True, extend_exclude=("gen/",)) == ["z.py"]


def test_excludes_do_not_reach_out_of_their_folder() -> None:
    # As long a name as that of this folder.
    beside = f"../{'b' * len(os.path.basename(os.getcwd()))}"
    write(f"{beside}/x.py", "x.py")
    expected = [f"{beside}/x.py"]
    assert found(".", beside, extend_exclude=("x.py",)) == expected
    assert found("x.py", *expected, extend_exclude=("x.py",), force=True) == expected


def test_a_file_is_named_or_found() -> None:
    write("x.py", "a/y.py")
    search = Discovery(ConfigFinder(), Exclusion())
    named = {each.path: each.is_named for each in search.find(["x.py", "a"])}
    assert named == {"x.py": True, "a/y.py": False}


def test_exclude_replaces_the_default_and_extend_exclude_adds() -> None:
    write("build/x.py", "gen/y.py", "z.py")
    assert found(exclude=("gen/",)) == ["build/x.py", "z.py"]
    assert found(extend_exclude=("z.py",)) == ["gen/y.py"]


def test_excludes_of_a_settings_file_count_from_its_folder() -> None:
    write("sub/upcast-lint.toml", text="extend-exclude = ['/gen/']\n")
    write("sub/gen/x.py", "gen/x.py", "sub/a/gen/x.py")
    assert found() == ["gen/x.py", "sub/a/gen/x.py"]


def test_each_file_has_the_settings_nearest_to_it() -> None:
    write("sub/upcast-lint.toml", text="width = 'any'\n")
    write("a.py", "sub/deep/b.py")
    search = Discovery(ConfigFinder(), Exclusion())
    widths = {each.path: each.config.settings.width for each in search.find(["."])}
    assert {path: width.value for path, width in widths.items()} == {
        "a.py": "medium",
        "sub/deep/b.py": "any",
    }


def test_gitignore_with_negation_and_nesting() -> None:
    write(".git/HEAD", "keep.py", "drop.py", "sub/drop.py", "sub/gen/x.py", "log/a.py")
    write(".gitignore", text="drop.py\ngen/\n/log\n")
    write("sub/.gitignore", text="!drop.py\n")
    assert found() == ["keep.py", "sub/drop.py"]
    assert found(respect_gitignore=False) == [
        "drop.py",
        "keep.py",
        "log/a.py",
        "sub/drop.py",
        "sub/gen/x.py",
    ]


def test_gitignore_above_the_named_folder_counts_in_its_repository() -> None:
    write(".git/HEAD", "sub/drop.py", "sub/keep.py")
    write(".gitignore", text="drop.py\n")
    assert found("sub") == ["sub/keep.py"]


def test_the_nearest_of_several_gitignores_above_decides() -> None:
    write(".git/HEAD", "sub/deep/drop.py")
    write(".gitignore", text="drop.py\n")
    write("sub/.gitignore", text="!drop.py\n")
    assert found("sub/deep") == ["sub/deep/drop.py"]


def test_a_gitignore_that_is_not_utf8() -> None:
    write("drop.py", "keep.py")
    Path(".gitignore").write_bytes(b"caf\xe9.py\ndrop.py\n")
    assert found() == ["keep.py"]


def test_what_git_ignores_in_one_checkout_only() -> None:
    write(".git/info/exclude", text="drop.py\n")
    write("drop.py", "sub/drop.py", "keep.py")
    assert found() == ["keep.py"]
    assert found("sub") == []


def test_excludes_of_a_settings_file_replace_the_default() -> None:
    write("sub/upcast-lint.toml", text="exclude = ['/gen/']\n")
    write("build/w.py", "sub/build/x.py", "sub/gen/y.py", "sub/a/gen/z.py")
    assert found() == ["sub/a/gen/z.py", "sub/build/x.py"]


def test_a_repository_inside_does_not_see_the_outer_gitignore() -> None:
    write(".git/HEAD", "inner/.git/HEAD", "inner/drop.py")
    write(".gitignore", text="drop.py\n")
    assert found() == ["inner/drop.py"]


def test_the_settings_can_turn_gitignore_off() -> None:
    write(".gitignore", text="drop.py\n")
    write("upcast-lint.toml", text="respect-gitignore = false\n")
    write("drop.py")
    assert found() == ["drop.py"]


def test_settings_of_a_folder_turn_off_the_gitignore_above_it() -> None:
    write(".git/HEAD", "sub/drop.py", "drop.py")
    write(".gitignore", text="drop.py\n")
    write("sub/upcast-lint.toml", text="respect-gitignore = false\n")
    assert found() == ["sub/drop.py"]
    assert found("sub") == ["sub/drop.py"]


def test_links_are_not_followed_on_a_walk_but_when_named() -> None:
    write("real/x.py")
    os.symlink("real", "loop")
    os.symlink("..", "real/up")
    os.symlink("real/x.py", "link.py")
    assert found() == ["real/x.py"]
    assert found("link.py") == ["link.py"]
    assert found("loop") == ["loop/x.py"]


def test_a_pipe_on_a_walk_is_passed_by_and_refused_when_named() -> None:
    os.mkfifo("pipe.py")
    assert found() == []
    with pytest.raises(UnusablePath, match=r"not a regular file: pipe\.py"):
        found("pipe.py")


def test_a_device_is_refused() -> None:
    with pytest.raises(UnusablePath, match="not a regular file"):
        found("/dev/null")


def test_a_missing_path_gives_the_nearest_name() -> None:
    write("sub/training.py")
    with pytest.raises(UnusablePath, match=r"did you mean `sub/training\.py`"):
        found("sub/trainin.py")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("trainin.py", "no such file: trainin.py; did you mean `training.py`?"),
        ("sub/other", "no such file: sub/other"),
        ("nowhere/x.py", "no such file: nowhere/x.py"),
    ],
)
def test_what_is_said_of_a_missing_path(path: str, said: str) -> None:
    write("training.py", "sub/evaluation.py")
    with pytest.raises(UnusablePath) as error:
        found(path)
    assert str(error.value) == said


def test_a_path_with_a_nul_is_refused() -> None:
    with pytest.raises(UnusablePath):
        found("a\0b")


def test_a_folder_that_cannot_be_listed_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write("locked/x.py", "y.py")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("upcast_lint.discovery.os.scandir", refuse)
    search = Discovery(ConfigFinder(), Exclusion())
    assert [each.path for each in search.find(["."])] == ["y.py"]
    assert search.problems == ["locked: Permission denied"]


def test_the_folder_itself_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("upcast_lint.discovery.os.scandir", refused)
    search = Discovery(ConfigFinder(), Exclusion())
    assert search.find(["."]) == []
    assert search.problems == [".: Permission denied"]


def test_a_path_that_is_too_long_is_refused() -> None:
    with pytest.raises(UnusablePath, match="too long"):
        found("a" * 10_000)


def refused(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


class Locked:
    """What a folder that may be listed and not searched says about a file."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self.name, self.path = entry.name, entry.path
        self.is_dir, self.is_file = entry.is_dir, entry.is_file

    stat = refused


def gone(*_: object, **__: object) -> None:
    raise FileNotFoundError(2, "No such file or directory")


def test_a_file_that_goes_during_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    write("x.py", "y.py")
    scandir = os.scandir

    @contextmanager
    def listed(path: str) -> Iterator[list[object]]:
        with scandir(path) as entries:
            yield [Locked(e) if e.name == "x.py" else e for e in entries]

    monkeypatch.setattr(Locked, "stat", gone)
    monkeypatch.setattr("upcast_lint.discovery.os.scandir", listed)
    assert found() == ["y.py"]


@pytest.mark.parametrize("is_isolated", [False, True])
def test_a_folder_of_which_only_the_names_can_be_read_is_named(
    monkeypatch: pytest.MonkeyPatch, is_isolated: bool
) -> None:
    write("locked/x.py", "y.py")
    opened, scandir = os.open, os.scandir

    @contextmanager
    def listed(path: str) -> Iterator[list[object]]:
        is_locked = path.endswith("locked")
        with scandir(path) as entries:
            yield [Locked(entry) if is_locked else entry for entry in entries]

    monkeypatch.setattr(
        "upcast_lint.files.os.open",
        lambda path, *mode: (refused if "locked/" in path else opened)(path, *mode),
    )
    monkeypatch.setattr("upcast_lint.discovery.os.scandir", listed)
    fixed = Config(Settings(), os.getcwd()) if is_isolated else None
    search = Discovery(ConfigFinder(fixed), Exclusion())
    assert [each.path for each in search.find(["."])] == ["y.py"]
    assert search.problems == ["locked: Permission denied"]


def test_a_name_that_is_not_utf8() -> None:
    Path(os.fsdecode(b"caf\xe9.py")).write_text("")
    assert found() == [os.fsdecode(b"caf\xe9.py")]


def test_an_ignore_file_is_read_line_by_line_as_git_does() -> None:
    data = "\ufeff[z-a]\r\na[\n*x\x0cy.py\r\nz.py\n"
    write("a.py", "z.py", "y.py", "1x\x0cy.py")
    Path(".gitignore").write_bytes(data.encode())
    assert found() == ["a.py", "y.py"]


def test_an_ignore_file_made_to_hang_does_not() -> None:
    write("a" * 200 + ".py", text="")
    write(".gitignore", text="*a" * 300 + "b\n" + "**/*a" * 300 + "b\n")
    assert len(found()) == 1


@pytest.mark.parametrize("seed", range(40))
def test_gitignore_agrees_with_git(seed: int) -> None:
    dice = random.Random(seed)
    names = ["a", "b", "c.py", "d.py", "e_f.py"]
    files = {
        "/".join([*dice.choices(["a", "b", "x"], k=dice.randrange(4)), name])
        for name in names[2:]
        for _ in range(6)
    }
    write(*files)
    patterns = [
        "a/",
        "!a/",
        "/a",
        "*.py",
        "!d.py",
        "a/**/c.py",
        "**/b",
        "b/*",
        "!b/c.py",
    ]
    patterns += ["x/a/", "[cd].py", "e?f.py", "\\!x", "#c", "c.py ", "/x/*/d.py"]
    for folder in ("", "a/", "x/"):
        if folder == "" or Path(folder).is_dir():
            lines = dice.sample(patterns, dice.randrange(1, 6))
            write(f"{folder}.gitignore", text="\n".join(lines) + "\n")
    subprocess.run(["git", "init", "-q"], check=True)
    asked = ["git", "ls-files", "-z", "--others", "--exclude-standard", "*.py"]
    listed = subprocess.run(asked, capture_output=True, check=True).stdout.decode()
    assert found(exclude=()) == sorted(filter(None, listed.split("\0")))


@pytest.mark.skipif(sys.platform != "linux", reason="paths are shorter elsewhere")
def test_more_folders_than_frames_and_longer_paths_than_there_may_be() -> None:
    top, name = os.getcwd(), "level"
    for depth in range(800):
        os.mkdir(name)
        os.chdir(name)
        if depth + 1 in (600, 800):
            write("x.py")
    os.chdir(top)
    deep = f"{name}/" * 600 + "x.py"
    try:
        assert found(deep) == [deep]
        search = Discovery(ConfigFinder(), Exclusion())
        assert [each.path for each in search.find(["."])] == [deep]
        (problem,) = search.problems
        assert problem.endswith("level: File name too long")
    finally:
        subprocess.run(["rm", "-r", name], check=True)  # shutil's would be too deep
