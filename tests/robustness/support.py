"""What the tests of this folder share: a fix to look for, and the real command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from upcast_lint.checker import Checked, FixMode, Job, check_bytes
from upcast_lint.finding import Confidence
from upcast_lint.linter import Options

ROOT = Path(__file__).resolve().parents[2]
CAST = "logits.float().gather(-1, i[..., None])"
MENDED = "logits.gather(-1, i[..., None]).float()"
FUNCTION = f"def g(logits, i):\n    return {CAST}\n"
COMMAND = (sys.executable, "-m", "upcast_lint", "check", "--no-cache")


def checked(data: bytes, fix: FixMode = FixMode.NONE, name: str = "x.py") -> Checked:
    return check_bytes(data, name, Job(Options(least=Confidence.LOW), fix=fix))


def codes(data: bytes) -> list[str]:
    return [finding.code for finding in checked(data).findings]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)}


def run_check(
    folder: Path, *options: str, command: Sequence[str] = COMMAND
) -> tuple[int, dict[str, set[str]], str]:
    """The exit code, the codes found in each file, and what was said on stderr."""
    done = subprocess.run(
        [*command, "--output-format", "json", *options],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=False,
    )
    found: dict[str, set[str]] = {}
    for row in json.loads(done.stdout or b"[]"):
        found.setdefault(Path(row["filename"]).name, set()).add(row["code"])
    return done.returncode, found, done.stderr.decode()
