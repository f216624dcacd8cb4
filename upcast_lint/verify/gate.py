"""Rewrite a user's function in memory, and let child processes run both versions.

Runs no user code itself: a child process does for each version, under limits of time
and memory, and what they give is compared here.
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
from ..selection import suggestion
from ..source import Source
from .exchange import Request, Verdict
from .plan import Plan, Subject

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_CHILD = "upcast_lint.verify.child"
_WATCH = "upcast_lint.verify.watch"
_IMPORTED = 2**30
"""Bytes that Python and torch may take before the code under test takes any."""
_GRACE = 30.0
"""Seconds in which what watches the child has to end it."""
_TAIL = 4096


class GateError(Exception):
    """There is nothing to run, or nothing to run it with."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A file's text before and after the fixes `findings`.

    `functions` are those in which they stand.
    """

    before: str
    after: str
    findings: tuple[Finding, ...]
    functions: tuple[str, ...] = ()


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


def rewrite_function(
    source: Source, function: str | None, options: Options
) -> Rewriting:
    """Make every fix inside `function`, or in the whole file; also the unsafe ones.

    Raises GateError where the file has no such function or does not parse.
    """
    try:
        tree = ast.parse(source.text)
    except SyntaxError as error:
        raise GateError(f"{source.path}: {error}") from error
    if function is not None and function not in functions_of(tree):
        raise no_function(tree, function, source.path)
    findings = tuple(
        finding
        for finding in lint(source, options)
        if finding.fix is not None
        and function in (None, enclosing_function(tree, finding))
    )
    mended = mend(source, options, findings)
    if mended.refusal is not None:
        raise GateError(f"{source.path}: {mended.refusal}")
    places = (enclosing_function(tree, finding) for finding in mended.fixed)
    functions = tuple(dict.fromkeys(place or "the module" for place in places))
    return Rewriting(source.text, mended.text, mended.fixed, functions)


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
    """Run both versions, each in a process of its own, and compare what they give.

    Never raises for what the code does.
    """
    from .outcomes import conditions_of, judge_outcomes

    maker = str(subject.maker) if subject.maker else ""
    with tempfile.TemporaryDirectory(prefix="upcast-lint-") as folder:
        folders: list[Path] = []
        for version in ("before", "after"):
            request = Request(
                str(subject.path),
                subject.called,
                getattr(rewriting, version),
                subject.inputs,
                subject.memory,
                device,
                subject.instance,
                maker,
                str(subject.entry) if subject.entry else "",
            )
            folders.append(Path(folder, version))
            folders[-1].mkdir()
            request_path = Path(folder, f"{version}.json")
            request_path.write_text(request.to_json(), encoding="utf-8")
            failure = _run_limited(request_path, folders[-1], subject)
            if failure is not None:
                return Verdict(failure=failure)
        conditions = list(conditions_of(subject.inputs, maker, device))
        return judge_outcomes(folders[0], folders[1], conditions)


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


def no_function(tree: ast.Module, name: str, path: str) -> GateError:
    near = suggestion(name, functions_of(tree))
    return GateError(f"{path}: no function `{name}`{near}")


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


def _run_limited(request: Path, folder: Path, subject: Subject) -> str | None:
    """Let a child work off a request; what went wrong, or None."""
    python = [sys.executable, "-P", "-m"]
    limits = [str(subject.seconds), str(subject.memory + _IMPORTED)]
    child = [*python, _CHILD, str(request), str(folder)]
    errors = request.with_suffix(".errors")
    with errors.open("wb") as sink:
        process = subprocess.Popen(
            [*python, _WATCH, *limits, *child],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=sink,
            text=True,
            errors="replace",
            start_new_session=True,
            env=_child_environment(),
        )
        try:
            ending, _ = process.communicate(timeout=subject.seconds + _GRACE)
        except subprocess.TimeoutExpired:
            _kill_session(process)
            return f"took longer than {subject.seconds:g} s"
        except BaseException:  # an interrupt reaches this session, not the child's own
            process.terminate()  # it ends what it watches
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_GRACE)
            _kill_session(process)
            raise
    if not Path("/proc/self/stat").exists():
        _kill_session(process)
    match ending.strip():
        case "exit code 0":
            return None
        case "":
            return "ended what watches it"
        case str(reason) if reason.startswith("exit code"):
            last = _tail(errors).strip().splitlines()[-1:] or ["no message"]
            return f"ended with {reason}: {last[0]}"
        case reason:
            return reason


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        return file.read().decode(errors="replace")


def _kill_session(process: subprocess.Popen[str]) -> None:
    """Kill what watches, and the rest of its session."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _child_environment() -> dict[str, str]:
    """Ours, with this package importable also from a checkout that is not installed."""
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), root)))
    return {**os.environ, "PYTHONPATH": path}
