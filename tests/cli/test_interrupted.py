"""Interrupts from the keyboard, at each stage of a run: exit code 130 and one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from upcast_lint import __main__, writer
from upcast_lint.cache import Cache
from upcast_lint.cli import rules
from upcast_lint.cli.output import Output
from upcast_lint.cli.root import root
from upcast_lint.discovery import Discovery

ROOT = Path(__file__).resolve().parents[2]
SAFE = "a = logits.float().gather(1, i)\n"


def interrupt(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)


def after(original: Callable[..., None]) -> Callable[..., None]:
    """`original`, with an interrupt at the end that comes while it runs."""

    def interrupted(*arguments: Any) -> None:
        interrupt()
        original(*arguments)

    return interrupted


def check(*arguments: str) -> Result:
    return CliRunner().invoke(root, ["check", *arguments], prog_name="upcast-lint")


def lines(result: Result) -> list[str]:
    assert result.exit_code == 130
    return result.stderr.splitlines()


NOTHING_CHANGED = (
    "warning: interrupted; 0 files changed, every file is whole, "
    "as it was or as it was changed"
)


@pytest.mark.usefixtures("toy_engine")
@pytest.mark.parametrize(
    ("stage", "name"),
    [(Discovery, "find"), (Output, "write_report"), (Output, "write_fixes")],
)
def test_while_folders_are_walked_and_while_the_report_is_printed(
    project: Path, monkeypatch: pytest.MonkeyPatch, stage: type, name: str
) -> None:
    (project / "x.py").write_text(SAFE)
    monkeypatch.setattr(stage, name, interrupt)
    assert lines(check("--show-fixes")) == [NOTHING_CHANGED]


def test_while_nobody_reads_the_report(project: Path) -> None:
    (project / "x.py").write_text(SAFE * 2000)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fake_engine", "check"],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.read(1)  # the rest does not fit into the pipe
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said.decode().split(";")[0]) == (
        130,
        "warning: interrupted",
    )


@pytest.mark.usefixtures("toy_engine")
def test_while_the_cache_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        (project / f"f{number}.py").write_text(SAFE)
    monkeypatch.setattr(Cache, "save", after(Cache.save))
    assert lines(check()) == [NOTHING_CHANGED]
    assert len(list((project / ".upcast_lint_cache").glob("*.json*"))) == 1


@pytest.mark.usefixtures("toy_engine")
def test_while_suppressions_are_written(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "b.py"):
        (project / name).write_text(SAFE)
    monkeypatch.setattr(writer, "write", after(writer.write))
    said = lines(check("--add-noqa", "why"))
    assert [line.split(",")[0] for line in said] == [
        "warning: interrupted; 1 file changed"
    ]
    is_changed = [(project / n).read_text() != SAFE for n in ("a.py", "b.py")]
    assert is_changed == [True, False]


def test_while_something_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    command = pytest.importorskip("upcast_lint.verify.command")
    monkeypatch.setattr(command, "_verify_fixtures", interrupt)
    monkeypatch.setattr(command, "require_torch", lambda: None)
    result = CliRunner().invoke(root, ["verify"], prog_name="upcast-lint")
    assert lines(result) == ["warning: interrupted; nothing more is verified"]


def test_while_click_reads_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "_as_text", interrupt)
    result = CliRunner().invoke(root, ["rules"], prog_name="upcast-lint")
    assert lines(result) == ["warning: interrupted"]


def test_while_modules_are_imported(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(__main__, "_main", interrupt)
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert ended.value.code == 130
    assert capfd.readouterr().err == "warning: interrupted\n"


def test_while_modules_are_imported_and_nobody_listens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(__main__, "_main", interrupt)
    monkeypatch.setattr(sys, "stderr", None)
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert ended.value.code == 130
