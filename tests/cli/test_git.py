from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from upcast_lint.gitdiff import GitError, _parse, added_rows

ROOT = Path(__file__).resolve().parents[2]
SAFE = "a = logits.float().gather(1, i)\n"
RISKY = "b = risky_x.float().gather(1, i)\n"
PAD = "".join(f"x{number} = {number}\n" for number in range(20))


@pytest.fixture
def git(project: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b.example",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b.example",
    }.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str) -> None:
        command = ["git", *arguments]
        subprocess.run(command, cwd=project, check=True, capture_output=True)

    run("init", "-q", "-b", "main")
    return run


def commit(git: Any) -> None:
    git("add", "-A")
    git("commit", "-q", "-m", "x", "--allow-empty")


def found(toy: Any, *options: str) -> list[tuple[str, int]]:
    done = toy("check", "--no-cache", "--output-format", "json", *options)
    assert done.returncode in (0, 1), done.stderr
    rows = json.loads(done.stdout)
    return [(Path(r["filename"]).name, r["location"]["row"]) for r in rows]


def since(toy: Any, *options: str) -> list[tuple[str, int]]:
    return found(toy, "--diff-base", "main", *options)


@pytest.fixture
def branch(project: Path, git: Any) -> Path:
    """A branch of a repository with an old finding, before anything is changed."""
    (project / "x.py").write_text(SAFE + PAD)
    (project / "old.py").write_text(RISKY)
    commit(git)
    git("checkout", "-q", "-b", "topic")
    return project


def test_nothing_added_is_nothing_reported(branch: Path, toy: Any) -> None:
    assert since(toy) == []


def test_an_added_finding_and_a_moved_one(branch: Path, git: Any, toy: Any) -> None:
    (branch / "x.py").write_text("# new\n" + SAFE + PAD + RISKY)
    commit(git)
    assert since(toy) == [("x.py", 23)]


def test_what_is_not_committed_counts(branch: Path, toy: Any) -> None:
    (branch / "x.py").write_text(SAFE + PAD + RISKY)
    assert since(toy) == [("x.py", 22)]


def test_an_untracked_file_is_new_as_a_whole(branch: Path, toy: Any) -> None:
    (branch / "new é.py").write_text(PAD + SAFE)
    assert since(toy) == [("new é.py", 21)]


def test_an_ignored_file_is_not(branch: Path, git: Any, toy: Any) -> None:
    (branch / ".gitignore").write_text("gen.py\n")
    (branch / "gen.py").write_text(SAFE)
    assert since(toy, "--no-respect-gitignore") == []


def test_a_renamed_file_has_only_what_was_added(
    branch: Path, git: Any, toy: Any
) -> None:
    git("mv", "x.py", "y.py")
    with (branch / "y.py").open("a") as file:
        file.write(RISKY)
    commit(git)
    assert since(toy) == [("y.py", 22)]


def test_what_main_added_meanwhile_is_not_ours(
    branch: Path, git: Any, toy: Any
) -> None:
    commit(git)
    git("checkout", "-q", "main")
    (branch / "x.py").write_text(SAFE + PAD + RISKY)
    commit(git)
    git("checkout", "-q", "topic")
    assert since(toy) == []


def test_a_removed_file_and_a_binary_one(branch: Path, git: Any, toy: Any) -> None:
    git("rm", "-q", "old.py")
    (branch / "blob.bin").write_bytes(bytes(range(256)))
    (branch / "x.py").write_text(PAD)
    assert since(toy) == []


def test_lines_that_look_like_a_diff(branch: Path, git: Any, toy: Any) -> None:
    tricky = "'''\n++ b/old.py\n@@ -1 +1 @@\n-- a/x\n'''\n"
    (branch / "x.py").write_text(tricky + SAFE + PAD + RISKY)
    commit(git)
    assert since(toy) == [("x.py", 27)]


@pytest.mark.parametrize(
    "name", ["with space.py", 'q"uote.py', "tab\t.py", "new\nline.py"]
)
def test_any_name(branch: Path, git: Any, toy: Any, name: str) -> None:
    (branch / name).write_text(PAD)
    commit(git)
    (branch / name).write_text(PAD + SAFE)
    commit(git)
    git("branch", "-f", "main", "HEAD~1")
    assert since(toy) == [(name, 21)]


def test_a_file_without_a_final_newline(branch: Path, git: Any, toy: Any) -> None:
    (branch / "x.py").write_text((SAFE + PAD).rstrip("\n"))
    commit(git)
    (branch / "x.py").write_text(SAFE + PAD + RISKY.rstrip("\n"))
    commit(git)
    assert since(toy) == [("x.py", 22)]


def test_from_a_folder_below(branch: Path, git: Any, toy: Any) -> None:
    (branch / "sub").mkdir()
    (branch / "sub" / "z.py").write_text(SAFE)
    commit(git)
    assert since(toy, "sub") == [("z.py", 1)]


def test_only_what_was_added_is_fixed(branch: Path, toy: Any) -> None:
    (branch / "x.py").write_text(SAFE + PAD + SAFE)
    toy("check", "--fix", "--diff-base", "main")
    mended = "a = logits.gather(1, i).float()\n"
    assert (branch / "x.py").read_text() == SAFE + PAD + mended


def test_settings_of_the_repository_run_no_program(
    branch: Path, git: Any, toy: Any
) -> None:
    trap = branch / "trap"
    trap.write_text(f'#!/bin/sh\ntouch {branch}/sprung\ncat "$2"\n')
    trap.chmod(0o755)
    for key in ("diff.external", "core.fsmonitor", "diff.x.textconv", "diff.x.command"):
        git("config", key, str(trap))
    git("config", "core.pager", str(trap))
    (branch / ".gitattributes").write_text("*.py diff=x\n")
    (branch / "x.py").write_text(SAFE + PAD + RISKY)
    assert since(toy) == [("x.py", 22)]
    assert not (branch / "sprung").exists()


@pytest.mark.parametrize("name", ["x", "a=b", "A.b"])
@pytest.mark.parametrize("where", ["--local", "included", "--worktree"])
def test_a_filter_of_the_repository_is_not_run(
    branch: Path, git: Any, toy: Any, name: str, where: str
) -> None:
    trap = branch / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {branch}/sprung\ncat\n")
    trap.chmod(0o755)
    scope = [where]
    if where == "included":
        git("config", "include.path", "../more")
        scope = ["-f", str(branch / "more")]
    git("config", "extensions.worktreeConfig", "true")
    for key, value in (("clean", trap), ("process", trap), ("required", "true")):
        git("config", *scope, f"filter.{name}.{key}", str(value))
    (branch / ".gitattributes").write_text(f"*.py filter={name}\n")
    (branch / "x.py").write_text(SAFE + PAD + RISKY)
    assert since(toy) == [("x.py", 22)]
    assert not (branch / "sprung").exists()


TRAPS = {
    "file://{origin}": ("remote.origin.uploadpack",),
    "ssh://nowhere.invalid/x": ("core.sshCommand", "ssh.variant"),
    "git://nowhere.invalid/x": ("core.gitProxy",),
    "https://nowhere.invalid/x": ("credential.helper", "core.askPass"),
    "ext::{trap}": (),
    "trap::x": (),  # `git-remote-trap` on PATH
}


@pytest.mark.parametrize("url", TRAPS)
@pytest.mark.parametrize("is_old", [False, True])
def test_what_a_partial_clone_lacks_is_not_fetched(
    project: Path,
    git: Any,
    toy: Any,
    monkeypatch: pytest.MonkeyPatch,
    url: str,
    is_old: bool,
) -> None:
    """Older versions of git do not know how to be told so."""
    (project / "x.py").write_text(SAFE)
    commit(git)
    git("config", "uploadpack.allowFilter", "true")
    git("checkout", "-q", "-b", "topic")
    (project / "x.py").write_text(SAFE + RISKY)
    commit(git)
    options = ("-q", "--filter=blob:none", "-b", "topic")
    git("clone", *options, project.as_uri(), "clone")
    clone = project / "clone"
    trap = project / "git-remote-trap"
    trap.write_text(f"#!/bin/sh\ntouch {project}/sprung\nexec git-upload-pack $1\n")
    trap.chmod(0o755)
    monkeypatch.setenv("PATH", f"{project}:{os.environ['PATH']}")
    place = url.format(origin=project, trap=trap)
    for key in ("remote.origin.url", *TRAPS[url]):
        value = place if key.endswith("url") else str(trap)
        git("-C", str(clone), "config", key, value)
    git("-C", str(clone), "config", "protocol.allow", "always")
    (project / ".gitignore").write_text("*")
    if is_old:
        call_git_without(monkeypatch, "GIT_NO_LAZY_FETCH")
    monkeypatch.chdir(clone)
    with pytest.raises(GitError) as caught:
        added_rows("origin/main")
    assert not (project / "sprung").exists()
    assert "the clone is partial, and no connection is opened" in str(caught.value)
    assert "\n" not in str(caught.value)


def call_git_without(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    run = subprocess.run

    def without(command: Any, env: Any, **options: Any) -> Any:
        kept = {key: value for key, value in env.items() if key != name}
        return run(command, env=kept, **options)

    monkeypatch.setattr("upcast_lint.gitdiff.subprocess.run", without)


def test_other_programs_of_the_repository_are_not_run(
    branch: Path, git: Any, toy: Any
) -> None:
    trap = branch / "trap"
    trap.write_text(f'#!/bin/sh\ntouch {branch}/sprung\ncat "$2"\n')
    trap.chmod(0o755)
    hooks = branch / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "reference-transaction"):
        (hooks / name).symlink_to(trap)
    for key in ("pager.diff", "core.editor", "gpg.program", "core.askPass"):
        git("config", key, str(trap))
    for name in ("diff", "rev-parse", "merge-base", "ls-files", "config"):
        git("config", f"alias.{name}", f"!{trap}")
    git("config", "core.hooksPath", str(hooks))
    git("config", "core.alternateRefsCommand", str(trap))
    git("config", "core.untrackedCache", "true")
    (branch / "x.py").write_text(SAFE + PAD + RISKY)
    assert since(toy) == [("x.py", 22)]
    assert not (branch / "sprung").exists()


@pytest.mark.parametrize("path", [".", "", "tools"])
def test_a_git_that_the_checkout_brings_is_not_run(
    branch: Path, toy: Any, path: str
) -> None:
    (branch / "tools").mkdir()
    for folder in (branch, branch / "tools"):
        (folder / "git").write_text(f"#!/bin/sh\ntouch {branch}/sprung\n")
        (folder / "git").chmod(0o755)
    (branch / "x.py").write_text(SAFE + PAD + RISKY)
    done = toy("check", "--diff-base", "main", PATH=f"{path}:{os.environ['PATH']}")
    assert done.returncode == 1
    assert not (branch / "sprung").exists()


def test_a_missing_object_is_one_line(branch: Path, git: Any, toy: Any) -> None:
    (branch / "x.py").write_text(PAD)
    listed = subprocess.run(
        ["git", "rev-parse", "main:x.py"], cwd=branch, capture_output=True, check=True
    )
    name = listed.stdout.decode().strip()
    (branch / ".git" / "objects" / name[:2] / name[2:]).unlink()
    done = toy("check", "--diff-base", "main")
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("error: git diff: ") and name in line


@pytest.mark.parametrize(
    "setting",
    [
        ("diff.orderFile", "no/such/file"),
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.relative", "true"),
        ("color.ui", "always"),
        ("core.quotePath", "false"),
        ("diff.renames", "false"),
        ("diff.context", "5"),
        ("diff.interHunkContext", "9"),
    ],
)
def test_settings_of_the_user_do_not_change_the_answer(
    branch: Path, git: Any, toy: Any, setting: tuple[str, str]
) -> None:
    git("config", *setting)
    (branch / "x.py").write_text(SAFE + PAD + RISKY)
    assert since(toy) == [("x.py", 22)]


@pytest.mark.parametrize(
    "base", ["no-such", "--output=x", "", "main..topic", "HEAD:x.py", "a\nb"]
)
def test_a_revision_that_is_none(branch: Path, toy: Any, base: str) -> None:
    done = toy("check", "--diff-base", base)
    assert done.returncode == 2
    shown = base.replace("\n", "\\n")
    assert f"error: no such revision: {shown}\n" == done.stderr.decode()
    assert not (branch / "x").exists()


@pytest.mark.parametrize("where", ["sub", "sub/deep/y.py", "outside"])
def test_a_path_in_another_repository_is_an_error(
    branch: Path, toy: Any, tmp_path_factory: pytest.TempPathFactory, where: str
) -> None:
    """Nothing would be found there, whatever it holds."""
    (branch / "sub" / "deep").mkdir(parents=True)
    (branch / "sub" / "deep" / "y.py").write_text(SAFE)
    (branch / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    named = str(tmp_path_factory.mktemp("outside")) if where == "outside" else where
    done = toy("check", "--diff-base", "main", "x.py", named)
    assert done.returncode == 2
    assert f"error: {named}: not in {branch}" in done.stderr.decode()


def test_a_link_stands_where_it_is(
    branch: Path, toy: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "y.py"
    outside.write_text(SAFE)
    (branch / "link.py").symlink_to(outside)
    assert since(toy, "link.py") == [("link.py", 1)]


def test_histories_without_a_merge_base(branch: Path, git: Any, toy: Any) -> None:
    git("checkout", "-q", "--orphan", "other")
    git("commit", "-q", "-m", "another beginning")
    done = toy("check", "--diff-base", "main")
    assert done.returncode == 2
    assert b"no merge base of `main` and HEAD" in done.stderr


def test_git_that_is_not_installed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project))
    with pytest.raises(GitError, match="not installed"):
        added_rows("main")


def test_hunks_are_read_by_their_counts() -> None:
    diff = b"+++ b/x\n@@ -0,0 +1,2 @@\n+++ b/y\n+@@ -1 +9 @@\n@@ -5 +7 @@ f\n-a\n+b\n"
    assert _parse(diff) == {b"x": ((1, 2), (7, 7))}


# The baseline.


def test_a_baseline_hides_what_it_holds_and_nothing_more(
    project: Path, toy: Any
) -> None:
    (project / "x.py").write_text(SAFE + RISKY)
    done = toy("check", "--write-baseline", "known.json")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"2 findings written to known.json" in done.stderr
    assert found(toy, "--baseline", "known.json") == []
    (project / "x.py").write_text(
        "# new\n" + RISKY.rstrip() + "  # moved\n\n" + SAFE * 2
    )
    assert found(toy, "--baseline", "known.json") == [("x.py", 2), ("x.py", 5)]


def test_a_file_that_could_not_be_checked_is_named_beside_the_baseline(
    project: Path, toy: Any
) -> None:
    (project / "x.py").write_text("crash = 1\n")
    (project / "y.py").write_text(SAFE)
    done = toy("check", "--write-baseline", "known.json")
    assert done.returncode == 2
    assert b"error: x.py: internal error" in done.stderr
    assert b"1 finding written to known.json" in done.stderr


def test_a_full_disk_leaves_the_old_baseline(project: Path) -> None:
    (project / "x.py").write_text(SAFE)
    (project / "known.json").write_text("old")
    command = "-m tests.fake_engine check --write-baseline known.json"
    done = subprocess.run(
        f"ulimit -f 0; exec {sys.executable} {command}",  # as if the disk were full
        shell=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"error: known.json: File too large" in done.stderr
    assert (project / "known.json").read_text() == "old"


def test_a_new_baseline_holds_what_the_old_one_held(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE)
    toy("check", "--write-baseline", "known.json")
    (project / "x.py").write_text(SAFE + RISKY)
    toy("check", "--baseline", "known.json", "--write-baseline", "known.json")
    assert found(toy, "--baseline", "known.json") == []


def test_a_baseline_is_the_same_from_anywhere(project: Path, toy: Any) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "x.py").write_text(SAFE)
    toy("check", "--write-baseline", "sub/known.json")
    document = json.loads((project / "sub" / "known.json").read_text())
    assert [each["path"] for each in document["files"]] == ["x.py"]
    assert found(toy, "--baseline", "sub/known.json", str(project / "sub")) == []


def test_what_is_no_longer_found_is_said(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE * 3)
    (project / "y.py").write_text(SAFE)
    toy("check", "--write-baseline", "known.json")
    (project / "x.py").write_text(SAFE)
    done = toy("check", "x.py", "--baseline", "known.json")
    assert done.returncode == 0
    assert b"note: known.json: no longer found: x.py: UPC001 (2 times)" in done.stderr
    assert b"y.py" not in done.stderr


def test_known_findings_are_not_fixed(project: Path, toy: Any) -> None:
    (project / "x.py").write_text(SAFE)
    toy("check", "--write-baseline", "known.json")
    (project / "x.py").write_text(SAFE + SAFE.replace("a =", "z ="))
    toy("check", "--fix", "--baseline", "known.json")
    assert (project / "x.py").read_text() == SAFE + "z = logits.gather(1, i).float()\n"


def test_the_baseline_holds_from_the_cache_too(project: Path, toy: Any) -> None:
    for number in range(20):
        (project / f"f{number}.py").write_text(SAFE)
    toy("check", "--write-baseline", "known.json")
    assert (
        json.loads(
            toy("check", "--baseline", "known.json", "--output-format", "json").stdout
        )
        == []
    )
    assert toy("check").returncode == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 1}',
        '{"version": 2}',
        '{"version": 1, "files": 3}',
        "[" * 100_000,
        '{"version": 1, "files": [{"path": "x", "findings": '
        '[{"code": "UPC001", "identity": "", "count": 1e999}]}]}',
    ],
    ids=range(8),
)
def test_what_is_not_a_baseline_is_an_error(project: Path, toy: Any, text: str) -> None:
    (project / "known.json").write_text(text)
    done = toy("check", "--baseline", "known.json")
    assert done.returncode == 2
    assert b"known.json" in done.stderr
    assert b"Traceback" not in done.stderr
