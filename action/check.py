"""What the GitHub action runs: check the change, annotate it, summarise the job.

Inputs come as `UPCAST_LINT_…` variables, never as words of a shell command; the rest
are the runner's own variables and files. Nothing of the checkout, which may be a
stranger's, is imported: this runs under `python -I`, and so does what it starts.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from upcast_lint.errors import UsageError
from upcast_lint.escape import visible
from upcast_lint.gitdiff import git_program
from upcast_lint.report import in_binary_units, plural

_SHOWN = 20
_LONGEST = 300
_YES = ("true", "yes", "on", "1", "y")
_NO = ("false", "no", "off", "0", "n")
_PASSED_ON = ("select", "width", "config", "baseline", "fail-on")


class Mistake(Exception):
    """What ends the step, in one line that says what to put right."""


def main() -> int:
    try:
        return _run()
    except (Mistake, UsageError) as error:
        _annotate_error(str(error))
        return 2


def _run() -> int:
    fails = _flag("fail-on-findings", default=True)
    uploads = _flag("upload-sarif", default=False)
    paths = [path for path in _input("paths").splitlines() if path.strip()] or ["."]
    options = _options()
    # One run finds; the others read its cache or the few files that changed.
    found = _check([*options, "--output-format", "json"], paths)
    _pass_on(found.stderr.decode(errors="replace"))
    if not found.stdout.strip():
        return 2
    findings = json.loads(found.stdout)
    annotations = _check([*options, "--output-format", "github"], paths)
    sys.stdout.buffer.write(annotations.stdout)
    sys.stdout.flush()
    sarif = _input("sarif-file")
    if not sarif and uploads:
        sarif = str(Path(os.environ["RUNNER_TEMP"]) / "upcast-lint.sarif")
    if sarif:
        sarif_options = ["--output-format", "sarif", "--output-file", sarif]
        written = _check([*options, *sarif_options], paths)
        if written.returncode == 2 and found.returncode != 2:
            raise Mistake(_last_line(written.stderr).removeprefix("error: "))
    _append("GITHUB_STEP_SUMMARY", summary(findings))
    _append("GITHUB_OUTPUT", _outputs(findings, sarif, uploads))
    return found.returncode if fails or found.returncode == 2 else 0


# Inputs


def _input(name: str) -> str:
    variable = f"UPCAST_LINT_{name.upper().replace('-', '_')}"
    return os.environ.get(variable, "").strip()


def _flag(name: str, *, default: bool) -> bool:
    """YAML has several spellings of a boolean, and GitHub hands on what was written."""
    text = _input(name).lower()
    if not text:
        return default
    if text not in (*_YES, *_NO):
        raise Mistake(f"the input `{name}` is neither true nor false: {text}")
    return text in _YES


def _options() -> list[str]:
    try:
        options = shlex.split(_input("args"))
    except ValueError as error:
        raise Mistake(f"the input `args`: {error}") from error
    if "--" in options:
        raise Mistake("the input `args` is for options; there is `paths` for paths")
    options += [f"--{name}={_input(name)}" for name in _PASSED_ON if _input(name)]
    base = _input("base")
    if not base and os.environ.get("GITHUB_BASE_REF"):
        base = f"origin/{os.environ['GITHUB_BASE_REF']}"
        _fetch(os.environ["GITHUB_BASE_REF"])
    return [*options, f"--diff-base={base}"] if base else options


def _fetch(branch: str) -> None:
    """A checkout has one commit, as a rule; the merge base needs the history."""
    is_shallow = _git("rev-parse", "--is-shallow-repository").strip() == b"true"
    depth = ["--unshallow"] if is_shallow else []
    refspec = f"+refs/heads/{branch}:refs/remotes/origin/{branch}"
    options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-gc")
    _git("fetch", *options, *depth, "origin", refspec)


def _git(command: str, *arguments: str) -> bytes:
    """Raises Mistake. The settings of the checkout are those of `actions/checkout`."""
    settings = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}")
    options = [word for setting in settings for word in ("-c", setting)]
    done = subprocess.run(
        [git_program(), *options, command, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env=os.environ | {"GIT_TERMINAL_PROMPT": "0"},
    )
    if done.returncode:
        raise Mistake(f"git {command} failed: {_fault_of_git(done.stderr)}")
    return done.stdout


# The checks


def _check(options: list[str], paths: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", "-m", "upcast_lint", "check", *options, "--", *paths],
        capture_output=True,
        check=False,
    )


def _pass_on(said: str) -> None:
    """Errors become annotations; the rest goes to the log."""
    for line in said.splitlines():
        if line.startswith("error: "):
            _annotate_error(line.removeprefix("error: "))
        else:
            print(line, file=sys.stderr)


def _annotate_error(text: str) -> None:
    data = visible(text).replace("%", "%25")
    print(f"::error title=upcast-lint::{data}", flush=True)


def _fault_of_git(said: bytes) -> str:
    """What follows the fault is advice, also in lines that begin as the fault does."""
    lines = said.decode(errors="replace").splitlines()
    fatal = [line for line in lines if line.startswith("fatal: ")]
    return fatal[0].removeprefix("fatal: ") if fatal else _last_line(said)


def _last_line(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it does not say why"


# The summary


def summary(findings: list[dict[str, Any]]) -> str:
    """Markdown: the findings, those that spare most first."""
    if not findings:
        return "### upcast-lint\n\nNo upcast of a whole tensor that is read narrowly.\n"
    ranked = sorted(findings, key=lambda each: -_bytes(each))
    total = _total(findings)
    about = f", about {in_binary_units(total)}" if total else ""
    tiers = [_tier(each) for each in findings]
    lines = [
        "### upcast-lint",
        "",
        f"**{plural(len(findings), 'finding')}**{about}. "
        f"{tiers.count('safe')} fixed by `upcast-lint check --fix`, "
        f"{tiers.count('unsafe')} more with `--unsafe-fixes`.",
        "",
        "| place | rule | finding | saves | fix |",
        "|---|---|---|--:|---|",
    ]
    lines += map(_row, ranked[:_SHOWN])
    if len(ranked) > _SHOWN:
        lines += ["", f"… and {len(ranked) - _SHOWN} more"]
    return "\n".join([*lines, ""])


def _row(finding: dict[str, Any]) -> str:
    spared = in_binary_units(_bytes(finding)) if _bytes(finding) else ""
    cells = (
        _place(finding),
        finding["code"],
        _prose(finding["message"]),
        spared,
        _tier(finding),
    )
    return f"| {' | '.join(cells)} |"


def _place(finding: dict[str, Any]) -> str:
    """The file and row, as a link to them where the runner says where they are."""
    path = os.path.relpath(finding["filename"])
    row = finding["location"]["row"]
    cell = f":cell {finding['cell']}" if finding["cell"] else ""
    shown = _code(f"{path}{cell}:{row}")
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
    server, repository, revision = (os.environ.get(name) for name in names)
    if not (server and repository and revision) or path.startswith(os.pardir):
        return shown
    anchor = "" if finding["cell"] else f"#L{row}"
    name = quote(os.fsencode(path).replace(os.sep.encode(), b"/"))
    return f'<a href="{server}/{repository}/blob/{revision}/{name}{anchor}">{shown}</a>'


def _tier(finding: dict[str, Any]) -> str:
    return str(finding["fix"]["applicability"]) if finding["fix"] else "none"


def _total(findings: list[dict[str, Any]]) -> int:
    """The findings of one cast spare its copy once."""
    casts = {
        json.dumps([each["filename"], each["cell"], each["cast"]]): _bytes(each)
        for each in findings
    }
    return sum(casts.values())


def _bytes(finding: dict[str, Any]) -> int:
    return (finding["estimate"] or {}).get("bytes") or 0


def _prose(message: str) -> str:
    """A message whose code stands between backticks."""
    parts: Sequence[str] = message.split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner is text
        return _escaped(message)
    return "".join(
        _code(part) if number % 2 else _escaped(part)
        for number, part in enumerate(parts)
    )


def _code(text: str) -> str:
    """Not between backticks, in which entities would be shown as they are written."""
    return f"<code>{_escaped(text)}</code>"


def _escaped(text: str) -> str:
    """Nothing in a name or a message is Markdown, HTML, a link or a new line."""
    cut = f"{text[:_LONGEST]}…" if len(text) > _LONGEST else text
    return "".join(map(_entity, cut))


def _entity(character: str) -> str:
    if not character.isprintable():
        return "\N{REPLACEMENT CHARACTER}"
    if character.isalnum() or character in " -/,()=" or not character.isascii():
        return character
    return f"&#{ord(character)};"


def _outputs(findings: list[dict[str, Any]], sarif: str, uploads: bool) -> str:
    values = {
        "findings": len(findings),
        "bytes": _total(findings),
        "sarif-file": sarif,
        "upload-sarif": str(uploads).lower(),
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def _append(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
