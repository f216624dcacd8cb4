"""What a branch added: rows by file since the merge base, asked of git.

The diff runs from the merge base to the working tree, so what is not committed yet
counts; files that git does not track are new as a whole. Git is called so that no
setting or attribute of the repository makes it run another program, filters included;
those of the user's own settings are run. It may use no protocol, since a setting can
name the program that speaks it: an object that a partial clone lacks is an error.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from .document import NOTEBOOK_SUFFIX
from .errors import UsageError
from .focus import Rows

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_C_ESCAPES = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.quotePath=true",
)
_WHOLE: Rows = ((1, 1 << 40),)


class GitError(UsageError):
    """Git cannot say what was added; `str` has its words."""


def added_rows(base: str, paths: Iterable[str] = ()) -> dict[str, Rows]:
    """Rows that were added since the merge base with `base`, by real path.

    A notebook's rows count within its cells, so one with an added line counts whole.
    Raises GitError, also where one of `paths` is in no folder of this repository.
    """
    root = os.fsdecode(_git("rev-parse", "--show-toplevel").rstrip(b"\n"))
    for path in paths:
        if not _is_inside(path, root):
            raise GitError(f"{path}: not in {root}, of which --diff-base speaks here")
    start = _merge_base(base)
    diff = _git(
        "diff",
        "--unified=0",
        "--find-renames",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-relative",
        "--ignore-submodules",
        f"-O{os.devnull}",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        start,
        "--",
        in_folder=root,
        settings=_without_filters(root),
    )
    rows = {_real(root, name): added for name, added in _parse(diff).items()}
    for path in rows:
        if path.endswith(NOTEBOOK_SUFFIX):
            rows[path] = _WHOLE
    others = _git("ls-files", "-z", "--others", "--exclude-standard", in_folder=root)
    for name in others.split(b"\0"):
        if name:
            rows[_real(root, name)] = _WHOLE
    return rows


def _is_inside(path: str, root: str) -> bool:
    """Whether `root` is the nearest repository above; a submodule is another one."""
    folder, name = os.path.split(os.path.abspath(path))
    path = os.path.join(os.path.realpath(folder), name)  # a link stands where it is
    root = os.path.realpath(root)
    while path != root:
        parent = os.path.dirname(path)
        if parent == path or os.path.lexists(os.path.join(path, ".git")):
            return False
        path = parent
    return True


def _merge_base(base: str) -> str:
    revision = f"{base}^{{commit}}"
    try:
        tip = _git("rev-parse", "--verify", "--end-of-options", revision)
    except GitError as error:
        raise GitError(f"no such revision: {base}") from error
    try:
        start = _git("merge-base", tip.decode().strip(), "HEAD")
    except GitError as error:
        raise GitError(
            f"no merge base of `{base}` and HEAD; a shallow clone needs more history"
        ) from error
    return start.decode().strip()


def _without_filters(root: str) -> dict[str, str]:
    """Settings that take the programs from the filters that the repository sets."""
    listed = _git(
        "config", "-z", "--show-scope", "--name-only", "--list", in_folder=root
    )
    fields = listed.split(b"\0")
    return {
        os.fsdecode(key): "false" if key.endswith(b".required") else ""
        for scope, key in zip(fields[::2], fields[1::2], strict=False)
        if scope in (b"local", b"worktree") and key.startswith(b"filter.")
    }


def _git(
    *arguments: str,
    in_folder: str | None = None,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    command = [git_program(), "--no-pager"]
    for setting in _SETTINGS:
        command += ["-c", setting]
    environment = os.environ | {
        "GIT_OPTIONAL_LOCKS": "0",  # or git would rewrite the index on the way
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    # By the environment, for `-c` would cut a name at its first `=`.
    counted = environment.get("GIT_CONFIG_COUNT", "")
    count = int(counted) if counted.isdecimal() else 0
    for number, (key, value) in enumerate(settings.items(), count):
        environment |= {
            f"GIT_CONFIG_KEY_{number}": key,
            f"GIT_CONFIG_VALUE_{number}": value,
        }
    environment["GIT_CONFIG_COUNT"] = str(count + len(settings))
    try:
        done = subprocess.run(
            [*command, *arguments],
            cwd=in_folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise GitError(f"git: {error.strerror}") from error
    if done.returncode:
        raise GitError(f"git {arguments[0]}: {_reason(done.stderr)}")
    return done.stdout


def git_program() -> str:
    """The git of the first absolute folder in PATH that has one.

    Others, and on Windows the current folder without being named, would let what is
    checked bring a git of its own.
    """
    name = "git.exe" if os.name == "nt" else "git"
    for folder in filter(os.path.isabs, os.get_exec_path()):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise GitError("git is not installed")


def _reason(said: bytes) -> str:
    """The last complaint in what git has said; others lead to it."""
    lines = said.decode(errors="replace").splitlines() or ["failed"]
    last = next((s for s in reversed(lines) if s.startswith("fatal: ")), lines[-1])
    reason = last.removeprefix("fatal: ")
    if b"promisor remote" in said or b"transport" in said:
        return f"{reason}: the clone is partial, and no connection is opened"
    return reason


def _parse(diff: bytes) -> dict[bytes, Rows]:
    """Added rows by name. Hunks are skipped by their counts, whatever is in them."""
    rows: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
    name: bytes | None = None
    lines = iter(diff.split(b"\n"))
    for line in lines:
        hunk = _HUNK.match(line)
        if hunk is None:
            if line.startswith(b"+++ "):
                name = _name(line[4:])
            continue
        removed = int(hunk[1] or 1)
        start, added = int(hunk[2]), int(hunk[3] or 1)
        if name is not None and added:
            rows[name].append((start, start + added - 1))
        left = removed + added
        while left:
            left -= not next(lines).startswith(b"\\")
    return {name: tuple(added) for name, added in rows.items()}


def _name(field: bytes) -> bytes | None:
    """The file of a `+++` line; None where the file was removed."""
    field = field.removesuffix(b"\t")
    if field == b"/dev/null":
        return None
    if field.startswith(b'"'):
        field = _ESCAPE.sub(_unescape, field[1:-1])
    return field.removeprefix(b"b/")


def _unescape(match: re.Match[bytes]) -> bytes:
    escaped = match[1]
    if len(escaped) == 3:
        return bytes([int(escaped, 8)])
    return bytes([_C_ESCAPES.get(escaped[0], escaped[0])])


def _real(root: str, name: bytes) -> str:
    return os.path.realpath(os.path.join(root, os.fsdecode(name)))
