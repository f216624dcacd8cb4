"""Runs of the command: the same bytes however they are made, and what is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from upcast_lint.cli import run as command
from upcast_lint.cli.arguments import plain
from upcast_lint.cli.check import check as run_with_options
from upcast_lint.cli.options import Options
from upcast_lint.cli.state import Run
from upcast_lint.report import Report

FINDING = """\
import torch


def chosen(logits, labels, vocab_size):
    logits = logits.float()
    return logits.gather(-1, labels.unsqueeze(-1))
"""
BROKEN = "def f(:\n"
HEAVY = {
    "asyncio",
    "click",
    "concurrent.futures",
    "dataclasses",
    "importlib.metadata",
    "inspect",
    "json",
    "libcst",
    "multiprocessing",
    "pathlib",
    "socket",
    "subprocess",
    "tempfile",
    "tokenize",
    "tomllib",
    "torch",
    "traceback",
    "unittest",
    "upcast_lint.analysis.facts",
    "upcast_lint.cache",
    "upcast_lint.judge",
    "upcast_lint.notebook",
    "upcast_lint.pool",
    "upcast_lint.rewrite",
    "upcast_lint.rules",
    "upcast_lint.screen.tiers",
    "upcast_lint.verify",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Enough files for a cache; some with findings, one that is broken."""
    for number in range(40):
        (tmp_path / f"clean{number:02}.py").write_text(f"x = {number}\n")
    for number in range(5):
        (tmp_path / f"found{number}.py").write_text("\n" * number + FINDING)
    (tmp_path / "broken.py").write_text(BROKEN)
    return tmp_path


def check(folder: Path, *arguments: str) -> bytes:
    command = [sys.executable, "-m", "upcast_lint", "check", "--isolated", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


def codes(folder: Path, *arguments: str) -> list[str]:
    found = json.loads(check(folder, "--output-format", "json", *arguments))
    return [each["code"] for each in found]


@pytest.mark.parametrize("output", ["concise", "json"])
def test_any_number_of_processes_gives_the_same_bytes(
    project: Path, output: str
) -> None:
    form = ("--no-cache", "-q", "--output-format", output)
    first = check(project, *form, "-j1")
    assert first.count(b"UPC001") >= 5 and b"UPC900" in first
    assert check(project, *form, "-j2") == first
    assert check(project, *form, "-j3", ".") == first


@pytest.mark.parametrize("output", ["concise", "json"])
def test_a_warm_run_gives_the_same_bytes(project: Path, output: str) -> None:
    form = ("-q", "--output-format", output)
    cold = check(project, *form, "--no-cache")
    assert check(project, *form) == cold
    assert (project / ".upcast_lint_cache").is_dir()
    assert check(project, *form) == cold


def test_a_small_file_that_does_not_parse_is_found_on_a_walk(project: Path) -> None:
    assert "UPC900" in codes(project)


def test_a_large_file_is_parsed_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text(BROKEN + "x = 1\n" * 1000)
    assert codes(tmp_path) == []
    assert codes(tmp_path, "large.py") == ["UPC900"]


def test_a_large_file_is_parsed_where_it_holds_a_finding(tmp_path: Path) -> None:
    large = FINDING + "x = 1\n" * 1000
    (tmp_path / "large.py").write_text(large)
    assert codes(tmp_path) == ["UPC001"]
    (tmp_path / "large.py").write_text(large + BROKEN)
    assert codes(tmp_path) == ["UPC900"]


def test_named_and_walked_files_are_cached_apart(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"large{number:02}.py").write_text(BROKEN + "x = 1\n" * 1000)
    names = [path.name for path in sorted(tmp_path.glob("*.py"))]
    for _ in range(2):
        assert codes(tmp_path) == []
        assert codes(tmp_path, *names) == ["UPC900"] * 20


def test_a_file_in_no_encoding_is_found_on_a_walk(tmp_path: Path) -> None:
    (tmp_path / "large.py").write_bytes(b"x = 1\n" * 1000 + b"# \xff\n")
    assert codes(tmp_path) == ["UPC900"]


@pytest.mark.parametrize("text", ["x = 1\n", "x: float = float(1)\n" * 300])
def test_a_clean_file_imports_little(tmp_path: Path, text: str) -> None:
    imported = imports_of(tmp_path, text)
    assert "upcast_lint.checker" in imported
    assert not imported & HEAVY, imported & HEAVY


def test_a_file_with_a_cast_that_meets_no_selection_imports_little(
    tmp_path: Path,
) -> None:
    imported = imports_of(tmp_path, "def f(x):\n    y = x.float()\n    return y * 2\n")
    assert "upcast_lint.screen.reach" in imported
    heavy = HEAVY - {"upcast_lint.rules", "upcast_lint.screen.tiers"}
    assert not imported & heavy, imported & heavy


@pytest.mark.parametrize(
    ("cast", "is_rewritten"),
    [
        ("logits = logits.float()", True),
        ("logits, n = logits.float(), 1", False),
    ],
)
def test_libcst_is_imported_for_a_rewrite_alone(
    tmp_path: Path, cast: str, is_rewritten: bool
) -> None:
    text = FINDING.replace("logits = logits.float()", cast)
    imported = imports_of(tmp_path, text)
    assert "upcast_lint.rewrite.plan" in imported
    assert ("libcst" in imported) == is_rewritten


def imports_of(folder: Path, text: str) -> set[str]:
    """The modules that a run over one file imports."""
    (folder / "clean.py").write_text(text)
    program = (
        "import sys; before = set(sys.modules)\n"
        "from upcast_lint.__main__ import main\n"
        "sys.argv[1:] = ['check', '--isolated', 'clean.py']\n"
        "try: main()\n"
        "finally: print(*sorted(set(sys.modules) - before), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True
    )
    return set(done.stderr.split())


def test_of_silent_files_only_the_number_is_kept(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept: list[int] = []

    def print_count(run: Run, report: Report, options: Options) -> None:
        kept.append(len(report.outcomes))
        printed(run, report, options)

    printed = command._print
    monkeypatch.setattr(command, "_print", print_count)
    monkeypatch.chdir(project)
    for more in ({}, {"verbose": True}):
        values = plain(["check", "--isolated", "--no-cache"])
        assert values is not None
        with pytest.raises(SystemExit):
            run_with_options(**{**values, **more})
        assert "in 6 of 46 files" in capsys.readouterr().out
    assert kept == [6, 46]
