"""Rewrite a user's function in memory, and let a child process run both versions.

Imports no torch and runs no user code itself: the child does both, under limits of
time and memory.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..finding import Finding
from ..linter import Options, lint, mend
from ..source import Source
from .exchange import Request, Verdict
from .plan import Plan, Subject

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_CHILD = "upcast_lint.verify.child"


class GateError(Exception):
    """There is nothing to run, or nothing to run it with."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A file's text before and after the fixes in one function, `findings` of it."""

    before: str
    after: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Rejection:
    """A rewrite that is not kept, and why."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class Gated:
    kept: tuple[Finding, ...]
    rejected: tuple[Rejection, ...]


def require_torch() -> None:
    """Raise GateError where the child would not find torch."""
    if importlib.util.find_spec("torch") is None:
        raise GateError(
            "verifying needs torch beside upcast-lint: pip install torch numpy"
        )


def rewrite_function(source: Source, function: str, options: Options) -> Rewriting:
    """Make every fix inside `function`, also the unsafe ones.

    Raises GateError where the file has no such function or does not parse.
    """
    try:
        tree = ast.parse(source.text)
    except SyntaxError as error:
        raise GateError(f"{source.path}: {error}") from error
    if function not in functions_of(tree):
        raise GateError(f"{source.path}: no function {function!r}")
    findings = tuple(
        finding
        for finding in lint(source, options)
        if finding.fix is not None and enclosing_function(tree, finding) == function
    )
    mended = mend(source, options, findings)
    if mended.refusal is not None:
        raise GateError(f"{source.path}: {mended.refusal}")
    return Rewriting(source.text, mended.text, mended.fixed)


def keep_verified(
    source: Source, options: Options, findings: tuple[Finding, ...], plan: Plan
) -> Gated:
    """Those of `findings` whose rewrites passed, for `check --fix --verify-with`.

    The rewrites of a function are tried together, and one after the other where
    that fails, each on top of those that passed. What the plan does not name has
    not been verified and is not kept. Raises GateError where torch is missing.
    """
    require_torch()
    tree = ast.parse(source.text)
    by_function: dict[str | None, list[Finding]] = {}
    for finding in findings:
        by_function.setdefault(enclosing_function(tree, finding), []).append(finding)
    kept: list[Finding] = []
    rejected: list[Rejection] = []
    for function, group in by_function.items():
        subject = plan.find(Path(source.path), function) if function else None
        if subject is None:
            reason = f"the plan has no entry for {function or 'the module'}"
            rejected += (Rejection(finding, reason) for finding in group)
            continue
        gated = _gate_function(source, options, tuple(group), subject)
        kept += gated.kept
        rejected += gated.rejected
    return Gated(tuple(kept), tuple(rejected))


def run_both(rewriting: Rewriting, subject: Subject, device: str = "cpu") -> Verdict:
    """Run both versions in a child process; never raises for what the code does."""
    request = Request(
        str(subject.path),
        subject.function,
        rewriting.before,
        rewriting.after,
        subject.inputs,
        subject.memory,
        device,
    )
    with tempfile.TemporaryDirectory(prefix="upcast-lint-") as folder:
        request_path, verdict_path = Path(folder, "request"), Path(folder, "verdict")
        request_path.write_text(request.to_json(), encoding="utf-8")
        command = [
            sys.executable,
            "-P",
            "-m",
            _CHILD,
            str(request_path),
            str(verdict_path),
        ]
        failure = _run_limited(command, subject.seconds)
        if failure is not None:
            return Verdict(failure=failure)
        if not verdict_path.exists():
            return Verdict(failure="the code ended the process")
        return Verdict.from_json(verdict_path.read_text(encoding="utf-8"))


def functions_of(tree: ast.Module) -> dict[str, _Definition]:
    """The functions that can be reached from the module, by dotted name."""
    found: dict[str, _Definition] = {}

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for statement in body:
            match statement:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    found[prefix + name] = statement
                case ast.ClassDef(name=name, body=inner):
                    visit(inner, f"{prefix}{name}.")

    visit(tree.body, "")
    return found


def enclosing_function(tree: ast.Module, finding: Finding) -> str | None:
    """The function of `functions_of` in which the finding stands, if any."""
    row = finding.range.start.row
    for name, node in functions_of(tree).items():
        if node.lineno <= row <= (node.end_lineno or node.lineno):
            return name
    return None


def _gate_function(
    source: Source, options: Options, findings: tuple[Finding, ...], subject: Subject
) -> Gated:
    failure = _failure(source, options, findings, subject)
    if failure is None:
        return Gated(findings, ())
    if len(findings) == 1:
        return Gated((), (Rejection(findings[0], failure),))
    kept: tuple[Finding, ...] = ()
    rejected: list[Rejection] = []
    for finding in findings:
        failure = _failure(source, options, (*kept, finding), subject)
        if failure is None:
            kept = (*kept, finding)
        else:
            rejected.append(Rejection(finding, failure))
    return Gated(kept, tuple(rejected))


def _failure(
    source: Source, options: Options, findings: tuple[Finding, ...], subject: Subject
) -> str | None:
    """Why these rewrites together do not pass, or None where they do."""
    mended = mend(source, options, findings)
    if mended.refusal is not None:
        return mended.refusal
    verdict = run_both(Rewriting(source.text, mended.text, mended.fixed), subject)
    if verdict.passes:
        return None
    return verdict.failure or (*verdict.outputs, *verdict.gradients)[0]


def _run_limited(command: list[str], seconds: float) -> str | None:
    """Run a command in a session of its own; what went wrong, or None."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        env=_child_environment(),
    )
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _kill_session(process)
        process.communicate()
        return f"took longer than {seconds:g} s"
    except BaseException:  # an interrupt reaches this session, not the child's own
        _kill_session(process)
        raise
    if process.returncode < 0:
        return f"ended by signal {-process.returncode}"
    if process.returncode > 0:
        last = errors.strip().splitlines()[-1:] or ["no message"]
        return f"ended with exit code {process.returncode}: {last[0]}"
    return None


def _kill_session(process: subprocess.Popen[str]) -> None:
    """Kill the child and whatever it started."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _child_environment() -> dict[str, str]:
    """Ours, with this package importable also from a checkout that is not installed."""
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), root)))
    return {**os.environ, "PYTHONPATH": path}
