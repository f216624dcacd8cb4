"""Files and moments that a run over a real tree meets sooner or later."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from upcast_lint import runner
from upcast_lint.cli.root import root

ROOT = Path(__file__).resolve().parents[2]
SAFE = "a = logits.float().gather(1, i)\n"
MENDED = "a = logits.gather(1, i).float()\n"


def codes(done: subprocess.CompletedProcess[bytes]) -> dict[str, str]:
    rows = json.loads(done.stdout)
    return {Path(row["filename"]).name: row["code"] for row in rows}


def test_a_pipe_named_on_the_command_line(project: Path, toy: Any) -> None:
    os.mkfifo(project / "pipe.py")
    done = toy("check", "pipe.py")
    assert done.returncode == 2
    assert b"not a regular file: pipe.py" in done.stderr


@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero", "/dev/tty"])
def test_a_device_named_on_the_command_line(toy: Any, device: str) -> None:
    if not os.path.exists(device):
        pytest.skip(f"there is no {device} here")
    assert toy("check", device).returncode == 2


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


IRREGULAR = pytest.mark.parametrize("make", [pipe, device, folder])


@IRREGULAR
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("pyproject.toml", ["check"]),
        ("upcast-lint.toml", ["check"]),
        ("ci.toml", ["check", "--config", "ci.toml"]),
        ("base.json", ["check", "--baseline", "base.json"]),
        ("plan.toml", ["check", "--fix", "--verify-with", "plan.toml"]),
        ("y.py", ["verify", "y.py::f", "--inputs", "x=bf16[2]"]),
    ],
)
def test_what_is_no_file_in_the_place_of_one_is_named(
    project: Path,
    toy: Any,
    make: Callable[[Path], None],
    name: str,
    arguments: list[str],
) -> None:
    if arguments[0] == "verify" or "--verify-with" in arguments:
        pytest.importorskip("torch")
    (project / "x.py").write_text(SAFE)
    make(project / name)
    done = toy(*arguments)
    assert done.returncode == 2
    assert b"not a regular file" in done.stderr
    assert name.encode() in done.stderr or b"/dev/zero" in done.stderr
    assert b"Traceback" not in done.stderr
    assert (project / "x.py").read_text() == SAFE


@IRREGULAR
def test_what_is_no_file_in_the_place_of_the_cache_is_passed_by(
    project: Path, toy: Any, make: Callable[[Path], None]
) -> None:
    for number in range(20):
        (project / f"f{number}.py").write_text(SAFE)
    first = toy("check", "--output-format", "json")
    (file,) = (project / ".upcast_lint_cache").glob("*.json")
    file.unlink()
    make(file)
    second = toy("check", "--output-format", "json")
    assert (second.returncode, second.stdout) == (1, first.stdout)
    assert b"warning: cache not read" in second.stderr
    assert b"not a regular file" in second.stderr


def test_an_escape_in_a_name_does_not_reach_the_terminal(
    project: Path, toy: Any
) -> None:
    (project / "\x1b[31mred\n.py").write_text(SAFE)
    for arguments in ([], ["--show-files"], ["--output-format", "concise"]):
        done = toy("check", *arguments)
        assert b"\\x1b[31mred\\n.py" in done.stdout
        assert b"\x1b" not in done.stdout


def test_links_in_a_circle(project: Path, toy: Any) -> None:
    (project / "a").mkdir()
    (project / "a" / "x.py").write_text(SAFE)
    (project / "a" / "up").symlink_to(project)
    (project / "self.py").symlink_to("self.py")
    done = toy("check", "--output-format", "json")
    assert codes(done) == {"x.py": "UPC001"}
    assert toy("check", "self.py").returncode == 2


def test_a_link_out_of_the_tree_is_not_fixed(project: Path, toy: Any) -> None:
    outside = project / "outside.py"
    outside.write_text(SAFE)
    (project / "tree").mkdir()
    (project / "tree" / "link.py").symlink_to(outside)
    toy("check", "--fix", "tree")
    assert outside.read_text() == SAFE


def test_hard_links_are_fixed_together(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE)
    (project / "tree").mkdir()
    os.link(project / "x.py", project / "tree" / "y.py")
    assert toy("check", "--fix", "x.py").returncode == 0
    assert (project / "tree" / "y.py").read_text() == MENDED


def test_a_file_that_vanishes_midway_is_named(project: Path, toy: Any) -> None:
    (project / "a.py").write_text("vanish = 'b.py'\n")
    (project / "b.py").write_text(SAFE)
    (project / "c.py").write_text(SAFE)
    done = toy("check", "--output-format", "json")
    assert (done.returncode, codes(done)) == (2, {"c.py": "UPC001"})
    assert done.stderr == b"error: b.py: No such file or directory\n"


def test_a_file_that_changes_midway_is_not_overwritten(project: Path, toy: Any) -> None:
    (project / "a.py").write_text("change = 'a.py'\n" + SAFE)
    (project / "b.py").write_text(SAFE)
    done = toy("check", "--fix")
    assert done.returncode == 2
    assert b"error: a.py: not fixed: changed since it was read" in done.stderr
    assert SAFE in (project / "a.py").read_text()
    assert (project / "b.py").read_text() == MENDED


def test_a_full_disk_leaves_the_file_and_names_it(project: Path, toy: Any) -> None:
    folder = project / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting needs root")
    try:
        text = SAFE + "# " + "x" * 9000 + "\n"
        (folder / "x.py").write_text(text)
        (project / "y.py").write_text(SAFE)
        done = toy("check", "--fix", "--no-cache")
        assert done.returncode == 2
        assert b"error: small/x.py: not fixed: No space left" in done.stderr
        assert (
            b"small/x.py:1:5: UPC001" in done.stdout
        )  # what was not fixed is reported
        assert (folder / "x.py").read_text() == text
        assert os.listdir(folder) == ["x.py"]
        assert (project / "y.py").read_text() == MENDED
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("options", [[], ["--exit-zero"], ["--ignore", "UPC900"]])
def test_a_file_that_cannot_be_opened_exits_2_and_the_others_are_checked(
    project: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    """What is in it may be anything; what is there and does not parse is a finding."""
    for name in ("locked.py", "x.py"):
        (project / name).write_text("def f(:\n")
    read = runner.read_regular

    def refuse(path: str) -> tuple[bytes, os.stat_result]:
        if path.endswith("locked.py"):
            raise PermissionError(13, "Permission denied", path)
        return read(path)

    monkeypatch.setattr(runner, "read_regular", refuse)
    done = CliRunner().invoke(root, ["check", "--no-cache", *options])
    assert (done.exit_code, done.stderr) == (2, "error: locked.py: Permission denied\n")
    assert ("x.py:1:7: UPC900" in done.stdout) == ("--ignore" not in options)


@pytest.mark.parametrize("options", [["x.py"], ["x.py", "-o", "report"]])
def test_a_link_to_nothing_is_not_called_by_its_own_name(
    project: Path, toy: Any, options: list[str]
) -> None:
    (project / "x.py").symlink_to("nowhere")
    done = toy("check", *options)
    assert (done.returncode, done.stderr) == (2, b"error: a link to no file: x.py\n")


@pytest.mark.parametrize("arguments", [[], ["--show-files"], ["--exit-zero"]])
def test_a_folder_that_cannot_be_listed_exits_2(
    project: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    (project / "locked").mkdir()
    (project / "x.py").write_text("x = 1\n")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("upcast_lint.discovery.os.scandir", refuse)
    done = CliRunner().invoke(root, ["check", "--no-cache", *arguments])
    assert done.exit_code == 2
    assert done.stderr == "error: locked: Permission denied\n"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("brackets", b"(" * 1_000_000),
        ("null", b"x = 1\x00\n"),
        ("utf-7", b"# coding: utf-7\n+AGEAcwBk-\n"),
        ("rot13", b"# coding: rot13\ncevag(1)\n"),
        ("mark and latin-1", b"\xef\xbb\xbf# coding: latin-1\n\xe9 = 1\n"),
        ("truncated", b"x = '''\n"),
        ("indentation", b"if x:\n\ty\n        z\n"),
        ("deep", b"x = " + b"-" * 100_000 + b"1\n"),
        ("calls", b"f(" * 5000 + b")" * 5000),
        ("lone surrogate", "x = '\ud800'\n".encode("utf-8", "surrogatepass")),
    ],
)
def test_what_no_parser_takes_is_a_named_finding(
    project: Path, toy: Any, name: str, data: bytes
) -> None:
    (project / "bad.py").write_bytes(data)
    (project / "good.py").write_text(SAFE)
    done = toy("check", "--output-format", "json")
    assert done.returncode == 1, done.stderr
    assert codes(done).pop("good.py") == "UPC001"
    assert set(codes(done).values()) <= {"UPC001", "UPC900"}


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_line_ends_of_every_kind_are_kept(project: Path, toy: Any, end: bytes) -> None:
    lines = [b"# 1", b"\x0c", SAFE.rstrip().encode(), b"if 1:", b"\tx = 2", b"y = 3"]
    data = b"\xef\xbb\xbf" + end.join(lines)
    (project / "x.py").write_bytes(data)
    assert toy("check", "--fix").returncode == 0
    assert (project / "x.py").read_bytes() == data.replace(
        SAFE.rstrip().encode(), MENDED.rstrip().encode()
    )


def test_a_hundred_thousand_lines(project: Path, toy: Any) -> None:
    (project / "x.py").write_text("x = 1\n" * 100_000 + SAFE)
    done = toy("check", "--fix")
    assert done.returncode == 0
    assert (project / "x.py").read_text().endswith(MENDED)


class Interrupted:
    """A codemod over many files that is stopped once it has begun to write."""

    def __init__(self, project: Path, number: int, *options: str) -> None:
        self.files = [project / f"f{number}.py" for number in range(60)]
        for file in self.files:
            file.write_text(SAFE)
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.fake_engine", "check", "--fix", *options],
            cwd=project,
            env=os.environ | {"PYTHONPATH": str(ROOT), "TOY_DELAY": "0.02"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        deadline = time.monotonic() + 60
        while all(file.read_text() == SAFE for file in self.files):
            assert time.monotonic() < deadline
            time.sleep(0.005)
        # As a terminal does, to every process of the group.
        os.killpg(process.pid, number)
        self.stderr = process.communicate(timeout=60)[1].decode()
        self.returncode = process.returncode
        self.contents = [file.read_text() for file in self.files]


@pytest.mark.parametrize("options", [[], ["-j", "2"]])
def test_an_interrupt_leaves_whole_files_and_says_how_many(
    project: Path, options: list[str]
) -> None:
    stopped = Interrupted(project, signal.SIGINT, *options)
    assert stopped.returncode == 130
    assert set(stopped.contents) == {SAFE, MENDED}
    count = stopped.contents.count(MENDED)
    files = "1 file" if count == 1 else f"{count} files"
    assert f"warning: interrupted; {files} changed" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert sorted(project.glob("*")) == sorted(stopped.files)


@pytest.mark.parametrize("options", [[], ["-j", "2"]])
def test_a_kill_leaves_whole_files(project: Path, options: list[str]) -> None:
    stopped = Interrupted(project, signal.SIGKILL, *options)
    assert stopped.returncode == -signal.SIGKILL
    assert set(stopped.contents) == {SAFE, MENDED}


# Nothing of what is checked is run.

_TRAP = "import pathlib\npathlib.Path(__file__).with_suffix('.sprung').touch()\n"
_WATCH = """\
import runpy, sys

FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.spawn",
             "os.system", "os.startfile", "pty.", "ctypes.", "webbrowser.")
ALLOWED = set(sys.argv.pop(1).split(","))
TARGET = sys.argv.pop(1)

def hook(event, arguments):
    if event == "exec":
        path = getattr(arguments[0], "co_filename", "")
        assert not path.startswith(TARGET), ("ran", path)
    if event.startswith(FORBIDDEN) and event not in ALLOWED:
        raise AssertionError((event, arguments))
    if event == "subprocess.Popen":
        assert arguments[0].endswith("/git"), arguments

sys.addaudithook(hook)
sys.path.insert(0, TARGET)
sys.argv[0] = "upcast-lint"
runpy.run_module("upcast_lint", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("allowed", "options"),
    [
        ("", ["check"]),
        ("", ["check", "--fix", "--unsafe-fixes"]),
        ("", ["check", "-j", "2", "--output-format", "sarif", "-o", "out.sarif"]),
        ("subprocess.Popen", ["check", "--diff-base", "HEAD"]),
    ],
)
def test_nothing_of_the_target_is_imported_or_run(
    project: Path, tmp_path_factory: Any, allowed: str, options: list[str]
) -> None:
    names = ("torch", "numpy", "click", "json", "difflib", "tokenize", "libcst", "x")
    for name in (*names, "conftest", "sitecustomize", "setup", "subprocess"):
        (project / f"{name}.py").write_text(_TRAP + SAFE)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *arguments], cwd=project, check=True)
    watch = tmp_path_factory.mktemp("watch") / "watch.py"
    watch.write_text(_WATCH)
    done = subprocess.run(
        [sys.executable, str(watch), allowed, str(project), *options],
        cwd=project,
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    assert done.stderr == b""
    assert list(project.glob("*.sprung")) == []
