"""What the GitHub action runs: check the change, annotate it, summarise the job.

Inputs come as `UPCAST_LINT_…` variables, never as words of a shell command; the rest
are the runner's own variables and files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from upcast_lint.report import in_binary_units

_SHOWN = 20


def main() -> int:
    paths = [path for path in _input("PATHS").splitlines() if path.strip()] or ["."]
    options = _options()
    # One run finds; the others read its cache or the few files that changed.
    found = _check([*options, "--output-format", "json"], paths)
    if found.returncode not in (0, 1):
        return found.returncode
    findings = json.loads(found.stdout)
    sys.stdout.flush()
    _check([*options, "--output-format", "github"], paths, capture=False)
    sarif = _input("SARIF")
    if not sarif and _input("UPLOAD") == "true":
        sarif = str(Path(os.environ["RUNNER_TEMP"]) / "upcast-lint.sarif")
    if sarif:
        _check([*options, "--output-format", "sarif", "-o", sarif], paths)
    _append("GITHUB_STEP_SUMMARY", summary(findings))
    _append("GITHUB_OUTPUT", _outputs(findings, sarif))
    return 1 if findings and _input("FAIL") != "false" else 0


def _input(name: str) -> str:
    return os.environ.get(f"UPCAST_LINT_{name}", "").strip()


def _options() -> list[str]:
    options = ["--width", _input("WIDTH")] if _input("WIDTH") else []
    base = _input("BASE")
    if not base and os.environ.get("GITHUB_BASE_REF"):
        base = f"origin/{os.environ['GITHUB_BASE_REF']}"
        _fetch(os.environ["GITHUB_BASE_REF"])
    return [*options, f"--diff-base={base}"] if base else options


def _fetch(branch: str) -> None:
    """A checkout has one commit, as a rule; the merge base needs the history."""
    is_shallow = subprocess.run(
        ["git", "rev-parse", "--is-shallow-repository"], capture_output=True, check=True
    )
    depth = ["--unshallow"] if is_shallow.stdout.strip() == b"true" else []
    refspec = f"+refs/heads/{branch}:refs/remotes/origin/{branch}"
    command = ["git", "fetch", "--quiet", "--no-tags", *depth, "origin", refspec]
    subprocess.run(command, check=True)


def _check(
    options: list[str], paths: list[str], *, capture: bool = True
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "upcast_lint", "check", *options, "--", *paths],
        stdout=subprocess.PIPE if capture else None,
        check=False,
    )


def summary(findings: list[dict[str, Any]]) -> str:
    """Markdown: the findings, those that spare most first."""
    if not findings:
        return "### upcast-lint\n\nNo upcast of a whole tensor that is read narrowly.\n"
    ranked = sorted(findings, key=lambda each: -_bytes(each))
    total = _total(findings)
    noun = "finding" if len(findings) == 1 else "findings"
    about = f", about {in_binary_units(total)}" if total else ""
    lines = [
        "### upcast-lint",
        "",
        f"{len(findings)} {noun}{about}",
        "",
        "| place | rule | finding | saves | fix |",
        "|---|---|---|--:|---|",
    ]
    lines += map(_row, ranked[:_SHOWN])
    if len(ranked) > _SHOWN:
        lines += ["", f"… and {len(ranked) - _SHOWN} more"]
    return "\n".join([*lines, ""])


def _row(finding: dict[str, Any]) -> str:
    path = os.path.relpath(finding["filename"])
    cell = f":cell {finding['cell']}" if finding["cell"] else ""
    place = f"{path}{cell}:{finding['location']['row']}"
    spared = in_binary_units(_bytes(finding)) if _bytes(finding) else ""
    fix = finding["fix"]["applicability"] if finding["fix"] else ""
    cells = (place, finding["code"], finding["message"], spared, fix)
    return f"| {' | '.join(map(_escaped, cells))} |"


def _total(findings: list[dict[str, Any]]) -> int:
    """The findings of one cast spare its copy once."""
    casts = {
        json.dumps([each["filename"], each["cell"], each["cast"]]): _bytes(each)
        for each in findings
    }
    return sum(casts.values())


def _bytes(finding: dict[str, Any]) -> int:
    return (finding["estimate"] or {}).get("bytes") or 0


def _escaped(text: str) -> str:
    """Nothing in a name or a message is Markdown, HTML, a mention or a new line."""
    return "".join(map(_entity, text))


def _entity(character: str) -> str:
    if not character.isprintable():
        return "\N{REPLACEMENT CHARACTER}"
    return f"&#{ord(character)};" if character in "|<>&[]*_~@#!\\" else character


def _outputs(findings: list[dict[str, Any]], sarif: str) -> str:
    count = len(findings)
    return f"findings={count}\nbytes={_total(findings)}\nsarif-file={sarif}\n"


def _append(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
