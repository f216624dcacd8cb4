"""A stand-in for the linter, so that what is around it is tested on its own.

It knows one shape, `NAME.float().gather(…)` on a line, and rewrites it to
`NAME.gather(…).float()`. The name decides the rest: `risky_…` is unsafe, `shown_…` is
displayed only, `crash` raises, `kill` ends the process, `refused_…` is not mended,
`vanish = 'FILE'` removes a file and `change = 'FILE'` appends to one.
"""

from __future__ import annotations

import ast
import os
import re
import signal
import sys
import time

from upcast_lint import linter
from upcast_lint.finding import (
    Confidence,
    Edit,
    Estimate,
    Evidence,
    Finding,
    Fix,
    Grounds,
    ReportedRead,
    Safety,
)
from upcast_lint.linter import Mended, Options
from upcast_lint.source import Source, apply_edits, refuse_null_bytes

CODE, NAME = "UPC001", "upcast-before-gather"
_MEDDLE = re.compile(r"(vanish|change) = '(.*)'")
_SHAPE = re.compile(r"\b(\w+)(\.float\(\))(\.gather\([^()\n]*\))")


def lint(source: Source, options: Options) -> tuple[Finding, ...]:
    refuse_null_bytes(source.text)
    ast.parse(source.text)
    if (delay := os.environ.get("TOY_DELAY")) is not None:
        time.sleep(float(delay))
    if match := _MEDDLE.search(source.text):
        _meddle(*match.groups())
    if "crash" in source.text:
        raise ZeroDivisionError("a bug")
    if "kill" in source.text:
        os.kill(os.getpid(), signal.SIGKILL)
    return find(source, options)


def _meddle(what: str, path: str) -> None:
    """Do to a file what another program might do meanwhile."""
    if what == "vanish":
        os.unlink(path)
    else:
        with open(path, "a", encoding="utf-8") as file:
            file.write("# edited\n")


def find(source: Source, options: Options) -> tuple[Finding, ...]:
    if options.codes is not None and CODE not in options.codes:
        return ()
    return tuple(_finding(source, match) for match in _SHAPE.finditer(source.text))


def mend(source: Source, options: Options, findings: tuple[Finding, ...]) -> Mended:
    if any("refused" in finding.message for finding in findings):
        return Mended(source.text, refusal="the tree changed")
    edits: list[Edit] = [e for f in findings if f.fix for e in f.fix.edits]
    return Mended(apply_edits(source, edits), findings)


def _finding(source: Source, match: re.Match[str]) -> Finding:
    name, cast, gather = match.groups()
    safety = {"risky": Safety.UNSAFE, "shown": Safety.DISPLAY}.get(
        name.split("_")[0], Safety.SAFE
    )
    edit = Edit(source.range(match.start(2), match.end()), gather + cast)
    at = source.range(match.start(), match.end())
    return Finding(
        code=CODE,
        name=NAME,
        message=f"`{name}` is upcast whole, but only `gather` reads it",
        range=at,
        cast=source.range(match.start(), match.end(2)),
        cast_label="cast of [B, S, V]",
        reads=(
            ReportedRead(source.range(match.start(3), match.end()), "keeps [B, S, K]"),
        ),
        grounds=Grounds(Confidence.MEDIUM, (Evidence(3, "named logits"),)),
        condition="an index repeats" if safety is Safety.UNSAFE else None,
        safety=safety,
        fix=None
        if safety is Safety.DISPLAY
        else Fix(safety, "gather first, then cast", (edit,)),
        estimate=Estimate(4, ("B", "S", "V")),
        suppression_rows=(at.start.row,),
    )


def install() -> None:
    linter.lint = lint
    linter.mend = mend


if __name__ == "__main__":
    install()
    from upcast_lint.cli.root import root

    root(prog_name="upcast-lint", args=sys.argv[1:])
