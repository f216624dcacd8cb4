from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from upcast_lint.cli.root import root

ROOT = Path(__file__).resolve().parents[2]
SAFE = "a = logits.float().gather(1, i)\n"
RISKY = "b = risky_x.float().gather(1, i)\n"
SHOWN = "c = shown_x.float().gather(1, i)\n"
MENDED = "a = logits.gather(1, i).float()\n"


def stdout(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stdout.decode()


def stderr(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode()


def rows(done: subprocess.CompletedProcess[bytes]) -> list[int]:
    return [each["location"]["row"] for each in json.loads(done.stdout)]


# What is clean, and the exit codes.


def test_a_folder_without_python_is_a_warning_and_clean(toy: Any) -> None:
    done = toy("check")
    assert done.returncode == 0
    assert "no Python files" in stderr(done)


def test_a_folder_without_python_is_still_a_report(toy: Any) -> None:
    assert json.loads(toy("check", "--output-format", "json").stdout) == []


def test_a_clean_file(project: Path, toy: Any) -> None:
    (project / "x.py").write_text("x = 1\n")
    done = toy("check", "x.py")
    assert (done.returncode, stderr(done)) == (0, "")
    assert stdout(done).startswith("No findings in 1 file in ")


def test_quiet_and_clean_says_nothing(project: Path, toy: Any) -> None:
    (project / "x.py").write_text("x = 1\n")
    done = toy("check", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_verbose_says_what_the_width_leaves_out(project: Path, toy: Any) -> None:
    (project / "x.py").write_text("x = 1\n")
    hint = "only vocab-wide sources are reported; --width any reports all"
    assert hint in stderr(toy("check", "-v"))
    assert hint not in stderr(toy("check", "-v", "--width", "any"))


def test_a_finding_exits_1(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE)
    done = toy("check")
    assert done.returncode == 1
    assert "x.py:1:5: UPC001 [*] `logits` is upcast whole" in stdout(done)
    assert "saves: 4·B·S·V bytes of the float32 copy\n" in stdout(done)
    assert "[*] 1 fixable with --fix." in stdout(done)


@pytest.mark.parametrize(
    ("options", "text", "code"),
    [
        (["--exit-zero"], SAFE, 0),
        (["--fix"], SAFE, 0),
        (["--fix"], RISKY, 1),
        (["--fix", "--unsafe-fixes"], RISKY, 0),
        (["--fix", "--unsafe-fixes"], SHOWN, 1),
        (["--fix", "--exit-non-zero-on-fix"], SAFE, 1),
        (["--fix", "--exit-non-zero-on-fix"], "x = 1\n", 0),
        (["--fix-only"], RISKY, 0),
        (["--fix-only", "--exit-non-zero-on-fix"], SAFE, 1),
        (["--diff"], SAFE, 1),
        (["--diff"], RISKY, 1),
        (["--diff"], "x = 1\n", 0),
        (["--diff", "--exit-zero"], SAFE, 0),
        (["--select", "UPC002"], SAFE, 0),
        (["--ignore", "upcast-before-gather"], SAFE, 0),
        (["--extend-select", "UPC9"], SAFE, 1),
        ([], "def f(:\n", 1),
        (["--select", "UPC001"], "def f(:\n", 1),
        (["--ignore", "UPC900"], "def f(:\n", 0),
    ],
)
def test_exit_code(
    project: Path, toy: Any, options: list[str], text: str, code: int
) -> None:
    (project / "x.py").write_text(text)
    done = toy("check", *options)
    assert done.returncode == code, stderr(done)


@pytest.mark.parametrize(
    ("gate", "text", "code"),
    [
        ("safe", SHOWN + RISKY, 0),
        ("safe", SAFE, 1),
        ("safe", "x = 1  # noqa: UPC001\n", 1),
        ("unsafe", SHOWN, 0),
        ("unsafe", RISKY, 1),
        ("unsafe", SAFE, 1),
        ("any", SHOWN, 1),
        ("safe", "def f(:\n", 1),  # it could hold anything
    ],
)
@pytest.mark.parametrize("is_set", [False, True])
def test_a_gate_by_tier(
    project: Path, toy: Any, gate: str, text: str, code: int, is_set: bool
) -> None:
    (project / "x.py").write_text(text)
    if is_set:
        (project / "upcast-lint.toml").write_text(f"fail-on = '{gate}'\n")
    done = toy("check", *([] if is_set else ["--fail-on", gate]))
    assert done.returncode == code
    assert b"x.py:1" in done.stdout  # the report does not depend on it
    piped = toy(
        "check", "-", *([] if is_set else ["--fail-on", gate]), input=text.encode()
    )
    assert piped.returncode == code


def test_the_gate_counts_what_is_left_and_what_a_diff_would_fix(
    project: Path, toy: Any
) -> None:
    (project / "x.py").write_text(SAFE + RISKY)
    assert toy("check", "--fail-on", "safe", "--diff").returncode == 1
    unsafe = ("--diff", "--unsafe-fixes")
    (project / "y.py").write_text(RISKY)
    assert toy("check", "--fail-on", "safe", "y.py", *unsafe).returncode == 0
    assert toy("check", "--fail-on", "unsafe", "y.py", *unsafe).returncode == 1
    assert toy("check", "--fail-on", "safe", "--fix").returncode == 0
    assert toy("check", "--fail-on", "safe", "--diff").returncode == 0
    assert toy("check", "--fail-on", "unsafe").returncode == 1
    assert toy("check", "--fail-on", "unsafe", "--exit-zero").returncode == 0


def test_each_file_has_the_gate_of_its_settings_unless_one_is_asked_for(
    project: Path, toy: Any
) -> None:
    for name, gate in (("a", "safe"), ("b", "any")):
        (project / name).mkdir()
        (project / name / "x.py").write_text(SHOWN)
        (project / name / "upcast-lint.toml").write_text(f"fail-on = '{gate}'\n")
    assert toy("check", "a").returncode == 0
    assert toy("check", "a", "b").returncode == 1
    assert toy("check", "a", "b", "--fail-on", "safe").returncode == 0
    assert toy("check", "a", "--fail-on", "any").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.py"], "no such file: missing.py"),
        (["x.py/y.py"], "error: x.py/y.py: Not a directory"),
        (["x.pyy"], "no such file: x.pyy; did you mean `x.py`?"),
        (["--select", "UPC01x"], "unknown rule `UPC01x`"),
        (["--select", "upcast-before-gater"], "did you mean `upcast-before-gather`?"),
        (["--config", "none.toml"], "none.toml: No such file"),
        (["--config", "x.py", "--isolated"], "exclude each other"),
        (["--output-format", "xml"], "'xml' is not one of"),
        (["--baseline", "none.json"], "none.json: No such file"),
        (["--baseline", "x.py"], "x.py: not a baseline"),
        (["-o", "no/such/folder"], "no/such/folder: No such file"),
        (["--write-baseline", "no/such/f"], "no/such/f: No such file"),
        (["--nonsense"], "error: no such option: --nonsense"),
        (["--fxi"], "no such option: --fxi, did you mean `--fix`?; see"),
        (["--fail-on", "all"], "'all' is not one of"),
        (["--config"], "option '--config' requires an argument; see"),
        (["--statistics", "--output-format", "sarif"], "has no sarif format"),
        (["--diff", "--add-noqa", "why"], "choose one"),
        (["--diff", "--write-baseline", "x"], "choose one"),
        (["--write-baseline", "x", "--diff-base", "HEAD"], "those on new lines"),
        (["-", "x.py"], "cannot be given together"),
        (["-j", "0"], "0 is not in the range"),
        (["--exclude", "a,[z-a]"], "error: the pattern `[z-a]` has the range `z-a`"),
        (["--extend-exclude", "a["], "error: the pattern `a[` has a `[` without"),
        (["--diff-base", "HEAD"], "git"),
    ],
)
def test_misuse_exits_2_and_says_what_is_wrong(
    project: Path, toy: Any, arguments: list[str], words: str
) -> None:
    (project / "x.py").write_text("x = 1\n")
    done = toy("check", *arguments)
    assert done.returncode == 2
    (line,) = stderr(done).splitlines()
    assert line.startswith("error: ") and words in line
    assert done.stdout == b""


@pytest.mark.parametrize(
    "conflict",
    [["--statistics", "--output-format", "sarif"], ["--isolated", "--config", "x"]],
)
def test_options_that_do_not_go_together_fix_nothing(
    project: Path, toy: Any, conflict: list[str]
) -> None:
    (project / "x.py").write_text(SAFE)
    assert toy("check", "--fix", *conflict).returncode == 2
    assert (project / "x.py").read_text() == SAFE


def test_a_fault_in_the_settings_exits_2(project: Path, toy: Any) -> None:
    (project / "upcast-lint.toml").write_text("widht = 'any'\n")
    (project / "x.py").write_text("x = 1\n")
    done = toy("check")
    assert done.returncode == 2
    assert "unknown key `widht`; did you mean `width`?" in stderr(done)
    assert toy("check", "--isolated").returncode == 0


@pytest.mark.parametrize(
    "setting",
    ["select = ['UPX']", "ignore = ['UPX']", "per-file-ignores = {'x.py' = ['UPX']}"],
)
def test_an_unknown_rule_in_the_settings_names_their_file(
    project: Path, toy: Any, setting: str
) -> None:
    (project / "x.py").write_text(SAFE)
    (project / "upcast-lint.toml").write_text(setting)
    done = toy("check")
    assert done.returncode == 2
    assert "upcast-lint.toml: unknown rule `UPX`" in stderr(done)
    done = toy("check", "--isolated", "--select", "UPX")
    assert stderr(done).startswith("error: unknown rule `UPX`")


@pytest.mark.parametrize(
    ("setting", "options"),
    [
        ("select = ['UPX']", []),
        ("per-file-ignores = {'other.py' = ['UPX']}", []),
        ("", ["--select", "UPX"]),
    ],
)
def test_an_unknown_rule_is_said_where_no_file_is_there_to_be_checked(
    project: Path, toy: Any, setting: str, options: list[str]
) -> None:
    (project / "upcast-lint.toml").write_text(setting)
    done = toy("check", *options)
    assert done.returncode == 2
    assert "unknown rule `UPX`" in stderr(done)


def test_an_unknown_command_gives_the_nearest(toy: Any) -> None:
    done = toy("chek")
    assert done.returncode == 2
    assert "did you mean `check`?" in stderr(done)


# What goes wrong with one file does not stop the rest.


def test_every_file_that_cannot_be_read_is_named(project: Path, toy: Any) -> None:
    (project / "latin.py").write_bytes(b"s = '\xe9'\n")
    (project / "broken.py").write_text("def f(:\n")
    (project / "null.py").write_bytes(b"x = 1\x00")
    (project / "good.py").write_text(SAFE)
    done = toy("check", "--output-format", "concise")
    assert done.returncode == 1
    for name in ("latin.py:1:1", "broken.py:1:7", "null.py:1:"):
        assert f"{name}" in stdout(done)
    assert "good.py:1:5: UPC001" in stdout(done)


@pytest.mark.parametrize("jobs", [[], ["-j", "2"]])
def test_a_bug_of_ours_names_the_file_and_exits_2(
    project: Path, toy: Any, jobs: list[str]
) -> None:
    (project / "a.py").write_text("crash = 1\n")
    (project / "b.py").write_text(SAFE)
    done = toy("check", "--output-format", "concise", *jobs)
    assert done.returncode == 2
    assert "error: a.py: internal error: ZeroDivisionError: a bug" in stderr(done)
    assert "b.py:1:5: UPC001" in stdout(done)


def test_a_process_that_dies_names_the_file(project: Path, toy: Any) -> None:
    for number in range(20):
        (project / f"f{number}.py").write_text(SAFE)
    (project / "deadly.py").write_text("kill = 1\n")
    done = toy("check", "-j", "2", "--output-format", "json")
    assert done.returncode == 2
    assert "error: deadly.py: internal error: the process" in stderr(done)
    assert len(rows(done)) == 20


@pytest.mark.parametrize("arguments", [[], ["--diff"]])
def test_the_order_does_not_depend_on_processes(
    project: Path, toy: Any, arguments: list[str]
) -> None:
    for number in range(30):
        (project / f"f{number}.py").write_text(SAFE * (number % 3))
        (project / f"g{number}.py").write_text("crash\n" * (number % 3 + 1))
    runs = [
        toy("check", "--no-cache", "-q", "-j", jobs, *arguments)
        for jobs in ("1", "2", "5")
    ]
    assert len({(done.stdout, done.stderr) for done in runs}) == 1


def test_a_second_run_from_the_cache_says_the_same(project: Path, toy: Any) -> None:
    for number in range(20):
        (project / f"f{number}.py").write_text(SAFE * (number % 3))
        os.utime(project / f"f{number}.py", (1, 1))
    cold, warm = toy("check", "-q"), toy("check", "-q")
    assert (project / ".upcast_lint_cache").is_dir()
    assert warm.stdout == cold.stdout == toy("check", "-q", "--no-cache").stdout


# Fixing.


def test_fix_writes_only_what_is_safe(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE + RISKY)
    done = toy("check", "--fix")
    assert (project / "x.py").read_text() == MENDED + RISKY
    assert "x.py:2:5: UPC001 [!]" in stdout(done)
    assert "Fixed 1 finding. Found 1 finding" in stdout(done)


def test_show_fixes_lists_them_by_file(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE * 2)
    done = toy("check", "--fix", "--show-fixes")
    expected = "Fixed in x.py:\n    2 × UPC001 (upcast-before-gather)\n"
    assert expected in stdout(done)


def test_fix_only_does_not_report_the_rest(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE + RISKY)
    assert toy("check", "--fix-only").stdout == b""
    assert (project / "x.py").read_text() == MENDED + RISKY


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (SAFE, [], "Would fix 1 finding.\n"),
        (RISKY, [], "Would fix nothing and leave 1.  [!] 1 with --unsafe-fixes.\n"),
        (
            SAFE + RISKY,
            [],
            "Would fix 1 finding and leave 1.  [!] 1 with --unsafe-fixes.\n",
        ),
        (SAFE + RISKY, ["--unsafe-fixes"], "Would fix 2 findings.\n"),
        (SAFE, ["-q"], ""),
        (
            SAFE,
            ["--show-fixes"],
            "Would fix in x.py:\n    1 × UPC001 (upcast-before-gather)\n"
            "Would fix 1 finding.\n",
        ),
    ],
)
def test_a_diff_says_beside_it_what_it_would_fix_and_leave(
    project: Path, toy: Any, text: str, options: list[str], said: str
) -> None:
    (project / "x.py").write_text(text)
    assert stderr(toy("check", "--diff", *options)) == said
    named = ["--diff", "-", "--stdin-filename", "x.py"]
    if "--show-fixes" not in options:
        assert stderr(toy("check", *named, *options, input=text.encode())) == said


def test_unsafe_fixes_alone_are_offered_and_do_nothing(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(RISKY)
    done = toy("check", "--unsafe-fixes")
    assert "[!] 1 with --unsafe-fixes." in stdout(done)
    assert stderr(done).startswith("note: --unsafe-fixes does nothing without --fix")
    assert (project / "x.py").read_text() == RISKY


def test_a_diff_writes_nothing_and_git_applies_it(project: Path, toy: Any) -> None:
    (project / "sub").mkdir()
    for path in (project / "x.py", project / "sub" / "y z.py"):
        path.write_bytes(b"q = 1\r\n" + SAFE.rstrip().encode())
    done = toy("check", "--diff", ".")
    assert b"Found" not in done.stdout
    assert (project / "x.py").read_bytes().endswith(SAFE.rstrip().encode())
    subprocess.run(["git", "apply", "-"], cwd=project, input=done.stdout, check=True)
    for path in (project / "x.py", project / "sub" / "y z.py"):
        assert path.read_bytes() == b"q = 1\r\n" + MENDED.rstrip().encode()


def test_a_diff_of_a_folder_below_applies_below(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE)
    done = toy("check", "--diff", str(project / "x.py"))
    assert done.stdout.startswith(b"diff --git a/x.py b/x.py\n")


def test_what_the_fixer_refuses_is_said(project: Path, toy: Any) -> None:
    (project / "x.py").write_text("a = refused_x.float().gather(1, i)\n")
    done = toy("check", "--fix")
    assert done.returncode == 1
    assert "warning: x.py: not fixed: the tree changed" in stderr(done)


def test_suppressed_findings_are_counted_by_nobody(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE.rstrip() + "  # noqa: UPC001\n")
    assert toy("check").returncode == 0
    assert toy("check", "--ignore-noqa").returncode == 1


def test_add_noqa_silences_what_is_found(project: Path, toy: Any) -> None:
    (project / "x.py").write_text("def f(:\n")
    (project / "y.py").write_text(SAFE + RISKY)
    done = toy("check", "--add-noqa", "measured: no effect")
    assert "2 findings suppressed" in stderr(done)
    comment = "  # upcast-lint: ignore[UPC001] measured: no effect\n"
    expected = SAFE.rstrip() + comment + RISKY.rstrip() + comment
    assert (project / "y.py").read_text() == expected
    assert toy("check", "y.py").returncode == 0


def test_what_can_be_fixed_is_fixed_and_the_rest_suppressed(
    project: Path, toy: Any
) -> None:
    (project / "x.py").write_text(SAFE + RISKY)
    done = toy("check", "--fix", "--add-noqa", "later")
    assert done.returncode == 0, stderr(done)
    comment = "  # upcast-lint: ignore[UPC001] later\n"
    assert (project / "x.py").read_text() == MENDED + RISKY.rstrip() + comment


def test_idle_suppressions_are_fixed(project: Path, toy: Any) -> None:
    (project / "x.py").write_text("x = 1  # noqa: UPC001, E501\n")
    assert "UPC901 [*]" in stdout(toy("check"))
    assert toy("check", "--fix").returncode == 0
    assert (project / "x.py").read_text() == "x = 1  # noqa: E501\n"


# Settings.


def test_per_file_ignores_and_command_line(project: Path, toy: Any) -> None:
    (project / "upcast-lint.toml").write_text(
        "[per-file-ignores]\n'tests/' = ['UPC001']\n"
    )
    for name in ("tests/x.py", "y.py"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(SAFE)
    done = toy("check", "--output-format", "concise", "-q")
    assert [line.split(":")[0] for line in stdout(done).splitlines()] == ["y.py"]
    assert (project / "tests/x.py").read_text() == SAFE
    toy("check", "--fix")
    assert (project / "tests/x.py").read_text() == SAFE
    assert (project / "y.py").read_text() == MENDED


def test_select_puts_aside_what_the_settings_select(project: Path, toy: Any) -> None:
    (project / "upcast-lint.toml").write_text("ignore = ['UPC001']\n")
    (project / "x.py").write_text(SAFE)
    assert toy("check").returncode == 0
    assert toy("check", "--select", "UPC001").returncode == 1
    assert toy("check", "--extend-select", "UPC002").returncode == 0


def test_assumed_sizes_change_the_estimate(project: Path, toy: Any) -> None:
    (project / "upcast-lint.toml").write_text("assume = {B = 1, S = 1, V = 1024}\n")
    (project / "x.py").write_text(SAFE)
    assert "4.0 KiB at B=1, S=1, V=1024" in stdout(toy("check"))


def test_sizes_beyond_any_memory_give_no_estimate(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE)
    (project / "upcast-lint.toml").write_text(f"assume = {{ V = 1{'0' * 400} }}")
    for arguments in ([], ["--statistics"], ["--output-format", "github"]):
        done = toy("check", *arguments)
        assert (done.returncode, done.stderr) == (1, b"")
    (row,) = json.loads(toy("check", "--output-format", "json").stdout)
    assert row["estimate"]["bytes"] is None


def test_show_files_and_settings(project: Path, toy: Any) -> None:
    (project / "upcast-lint.toml").write_text("width = 'any'\n")
    (project / "b.py").write_text("")
    (project / "a.py").write_text("")
    assert stdout(toy("check", "--show-files")) == "a.py\nb.py\n"
    shown = stdout(toy("check", "--show-settings"))
    assert 'width = "any"\n' in shown
    assert "upcast-lint.toml" in shown.splitlines()[0]


def test_settings_are_shown_as_they_are_written(project: Path, toy: Any) -> None:
    given = """
per-file-ignores = { "tests/*.py" = ["UPC001"] }
assume = { B = 2 }
vocab-names = ['a"b']
"""
    own = project / "upcast-lint.toml"
    own.write_text(given)
    shown = stdout(toy("check", "--show-settings"))
    assert 'per-file-ignores = { "tests/*.py" = ["UPC001"] }\n' in shown
    own.write_text(shown)
    again = stdout(toy("check", "--show-settings"))
    assert again == shown
    own.unlink()
    assert "per-file-ignores = {}\n" in stdout(toy("check", "--show-settings"))


# Standard input.


def test_stdin_is_checked_under_its_name(project: Path, toy: Any) -> None:
    done = toy("check", "-", "--stdin-filename", "a/b.py", input=SAFE.encode())
    assert done.returncode == 1
    assert "a/b.py:1:5: UPC001" in stdout(done)


def test_stdin_is_fixed_to_stdout_and_reported_to_stderr(toy: Any) -> None:
    done = toy("check", "-", "--fix", input=(SAFE + RISKY).encode())
    assert (done.returncode, stdout(done)) == (1, MENDED + RISKY)
    assert "UPC001 [!]" in stderr(done)


def test_stdin_without_a_fix_comes_back_byte_for_byte(toy: Any) -> None:
    data = b"\xef\xbb\xbfx = 1\r\n\x0c"
    assert toy("check", "-", "--fix", input=data).stdout == data


def test_stdin_of_an_excluded_file_is_not_checked(project: Path, toy: Any) -> None:
    arguments = ["check", "-", "--force-exclude", "--stdin-filename", "build/x.py"]
    assert toy(*arguments, input=SAFE.encode()).returncode == 0


def test_stdin_of_a_file_in_the_baseline(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE)
    toy("check", "--write-baseline", "known.json")
    arguments = ["check", "-", "--baseline", "known.json", "--stdin-filename"]
    for name, code in (("x.py", 0), ("y.py", 1)):
        assert toy(*arguments, name, input=SAFE.encode()).returncode == code
    done = toy(*arguments, "x.py", "--fix", input=(SAFE + RISKY).encode())
    assert (done.returncode, stdout(done)) == (1, SAFE + RISKY)
    assert stderr(done).count("UPC001") == 1


def test_stdin_diff(toy: Any) -> None:
    arguments = ["check", "-", "--diff", "--stdin-filename", "x.py"]
    done = toy(*arguments, input=SAFE.encode())
    assert b"--- a/x.py\n+++ b/x.py\n" in done.stdout


# The report.


def test_a_report_in_a_file_leaves_stdout_empty(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE)
    done = toy("check", "--output-format", "json", "-o", "report.json")
    assert done.stdout == b""
    assert len(json.loads((project / "report.json").read_text())) == 1


@pytest.mark.parametrize(
    ("options", "environment", "is_colored"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "0"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_color(
    project: Path,
    toy: Any,
    options: list[str],
    environment: dict[str, str],
    is_colored: bool,
) -> None:
    (project / "x.py").write_text(SAFE)
    assert (b"\x1b[" in toy("check", *options, **environment).stdout) is is_colored


def test_statistics(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE * 2 + RISKY + "x = 1  # noqa: UPC001\n")
    lines = stdout(toy("check", "--statistics")).splitlines()
    assert lines[1].split()[:6] == [
        "3",
        "UPC001",
        "upcast-before-gather",
        "2",
        "1",
        "0",
    ]
    assert lines[2].split()[:3] == ["1", "UPC901", "unused-suppression"]
    counts = json.loads(toy("check", "--statistics", "--output-format", "json").stdout)
    assert [(each["code"], each["count"]) for each in counts] == [
        ("UPC001", 3),
        ("UPC901", 1),
    ]


def test_a_reader_that_goes_away_is_no_traceback(project: Path) -> None:
    (project / "x.py").write_text(SAFE * 500)
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        "python -m tests.fake_engine check | head -1",
        shell=True,
        cwd=project,
        env=os.environ
        | {
            "PYTHONPATH": str(root),
            "PATH": f"{Path(os.sys.executable).parent}:/bin:/usr/bin",
        },  # type: ignore[attr-defined]
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("arguments", "closed", "code", "said"),
    [
        ("check", ">&-", 1, ""),
        ("check", "2>&-", 1, ""),
        ("check -", "< x.py >&-", 1, ""),
        ("check - --fix", "< x.py >&-", 0, ""),
        ("check -", "<&-", 2, "error: standard input is closed\n"),
        ("check -", "0> out", 2, "error: standard input: Bad file descriptor\n"),
        *(
            (arguments, "< x.py > /dev/full", 2, "error: standard output: No space")
            for arguments in (
                "check",
                "check --diff",
                "check --show-files",
                "check --show-settings",
                "check --fix --show-fixes",
                "check - --fix",
                "rules",
                "rule UPC001",
            )
        ),
    ],
)
def test_streams_that_are_closed_or_full(
    project: Path, arguments: str, closed: str, code: int, said: str
) -> None:
    (project / "x.py").write_text(SAFE)
    done = subprocess.run(
        f"exec {sys.executable} -m tests.fake_engine {arguments} {closed}",
        shell=True,
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == code
    assert stderr(done).startswith(said) and len(stderr(done).splitlines()) <= 1


def test_an_ascii_locale_can_print_everything(project: Path, toy: Any) -> None:
    (project / "naïve.py").write_text(SAFE)
    done = toy("check", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert "4·B·S·V" in stdout(done)


# The other commands.


def test_help_of_every_command(toy: Any) -> None:
    for arguments in ([], ["check"], ["rule"], ["rules"]):
        done = toy(*arguments, "--help")
        assert done.returncode == 0
        assert b"Usage: upcast-lint" in done.stdout


def test_the_version(toy: Any) -> None:
    assert stdout(toy("--version")).startswith("upcast-lint ")
    assert stdout(toy("--version")).count("\n") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_a_script_and_completions(toy: Any, shell: str) -> None:
    script = toy(_UPCAST_LINT_COMPLETE=f"{shell}_source")
    assert b"_UPCAST_LINT_COMPLETE" in script.stdout
    words = {"COMP_WORDS": "upcast-lint check --fail-on s", "COMP_CWORD": "3"}
    if shell == "fish":
        words["COMP_CWORD"] = "s"
    done = toy(_UPCAST_LINT_COMPLETE=f"{shell}_complete", **words)
    assert b"safe" in done.stdout


@pytest.mark.parametrize("order", [("--version", "-v"), ("-v", "--version")])
def test_the_versions_that_a_report_of_a_fault_needs(
    toy: Any, order: tuple[str, ...]
) -> None:
    lines = stdout(toy(*order)).splitlines()
    assert [line.split()[0] for line in lines] == [
        "upcast-lint",
        platform.python_implementation(),
        "libcst",
        "click",
    ]
    assert platform.python_version() in lines[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-v", "rules"], "-v stands behind --version here, or behind the command"),
        (["chek"], "no such command: chek; did you mean `check`?"),
        (["rule"], "missing argument"),
        (["rules", "more"], "unexpected extra argument"),
        (["verify", "--devise"], "no such option: --devise, did you mean `--device`?"),
        (["rule", "UPC01"], "unknown rule `UPC01`"),
    ],
)
def test_misuse_of_any_command_is_one_line(
    toy: Any, arguments: list[str], words: str
) -> None:
    done = toy(*arguments)
    (line,) = stderr(done).splitlines()
    assert (done.returncode, done.stdout) == (2, b"")
    assert line.startswith("error: ") and words in line


def test_rules_are_listed_and_explained(toy: Any) -> None:
    listed = stdout(toy("rules"))
    assert "UPC001  upcast-before-gather" in listed
    assert "UPC901  unused-suppression" in listed
    for name in ("UPC001", "upcast-before-gather", "UPC900", "unused-suppression"):
        done = toy("rule", name)
        assert (done.returncode, done.stdout[:1]) == (0, b"#")


def test_an_unknown_rule_gives_the_nearest(toy: Any) -> None:
    done = toy("rule", "upcast-before-gathr")
    assert done.returncode == 2
    assert "did you mean `upcast-before-gather`?" in stderr(done)


def test_rules_as_json(toy: Any) -> None:
    listed = json.loads(toy("rules", "--output-format", "json").stdout)
    assert {"UPC001", "UPC900"} <= {each["code"] for each in listed}


def test_every_option_says_what_it_does() -> None:
    for name in ("check", "verify", "rules"):
        command = root.get_command(click.Context(root), name)
        assert command is not None
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, f"{name} {option.name}"


def test_a_current_folder_that_is_gone(project: Path) -> None:
    (project / "x.py").write_text(SAFE)
    (project / "gone").mkdir()
    code = "from upcast_lint.__main__ import main; main()"
    done = subprocess.run(
        f"cd gone && rmdir ../gone && exec {sys.executable} -c '{code}' check /x.py",
        shell=True,
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert stderr(done) == "error: the current folder: No such file or directory\n"
