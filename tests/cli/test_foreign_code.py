"""Nothing of the checkout is imported or started, whatever it is called."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.hostile import Trap

CONSOLE_SCRIPT = """\
import sys
from upcast_lint.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    trap = Trap(tmp_path)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *arguments], cwd=trap.checkout, check=True)
    return trap


def run(
    trap: Trap, command: Sequence[str], **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=trap.checkout,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def console_script(folder: Path) -> list[str]:
    """As an installer writes it; its folder is the first that Python looks in."""
    script = folder / "bin" / "upcast-lint"
    script.parent.mkdir()
    script.write_text(CONSOLE_SCRIPT)
    return [sys.executable, str(script)]


COMMANDS = [
    ["check"],
    ["check", "--diff", "--unsafe-fixes", "-j", "2"],
    ["check", "--diff-base", "HEAD"],
    ["check", "--output-format", "sarif", "--nonsense"],
    ["check", "-j4", "--baseline", "missing.json"],
    ["rule", "UPC001"],
    ["rules", "--output-format", "json"],
    ["--version"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_by_the_console_script(trap: Trap, tmp_path: Path, command: list[str]) -> None:
    path = f"{os.curdir}:{os.environ['PATH']}"
    done = run(trap, [*console_script(tmp_path), *command], PATH=path)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert trap.sprung == []


def test_by_the_console_script_when_a_shell_asks_for_completions(
    trap: Trap, tmp_path: Path
) -> None:
    asked = {"_UPCAST_LINT_COMPLETE": "bash_complete", "COMP_CWORD": "1"}
    asked["COMP_WORDS"] = "upcast-lint ch"
    done = run(trap, console_script(tmp_path), **asked)
    assert "check" in done.stdout
    assert trap.sprung == []


@pytest.mark.parametrize("path", ["", ".", ":", "{checkout}"])
@pytest.mark.parametrize("command", COMMANDS[:3], ids=" ".join)
def test_by_a_python_that_is_isolated(
    trap: Trap, path: str, command: list[str]
) -> None:
    """As hooks and the action start it; a plain `-m` is Python's own to answer for."""
    pythonpath = path.format(checkout=trap.checkout)
    isolated = [sys.executable, "-I", "-m", "upcast_lint", *command]
    done = run(trap, isolated, PYTHONPATH=pythonpath, PYTHONSTARTUP="new.py")
    assert done.returncode == 1, done.stderr
    assert "new.py" in done.stdout
    assert trap.sprung == []


SPAWNING = """\
import sys
sys.platform = "darwin"  # where processes are not forked
from upcast_lint.pool import map_in_processes

if __name__ == "__main__":
    pairs = list(map_in_processes(abs, list(range(-9, 0)), 2))
    print(sorted(number for _, number in pairs))
"""


@pytest.mark.parametrize("flags", [[], ["-E"], ["-I"], ["-P"]])
def test_by_a_worker_that_is_not_forked(
    trap: Trap, tmp_path: Path, flags: list[str]
) -> None:
    script = tmp_path / "spawning.py"
    script.write_text(SPAWNING)
    done = run(trap, [sys.executable, *flags, str(script)])
    assert done.stdout == f"{list(range(1, 10))}\n", done.stderr
    assert trap.sprung == []


def test_a_trap_that_python_steps_into_leaves_a_trace(trap: Trap) -> None:
    run(trap, [sys.executable, "-c", "import click"])
    assert trap.sprung == ["click"]
    run(trap, [sys.executable, "-m", "upcast_lint"])
    assert "upcast_lint" in trap.sprung
