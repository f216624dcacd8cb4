"""`upcast-lint verify`: prove the rewrites by running them."""

from __future__ import annotations

import difflib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from ..cli.messages import INTERRUPTED, say
from ..files import read_regular
from ..finding import Confidence
from ..linter import Options
from ..registry import all_rules
from ..report import in_binary_units
from ..rule import Rule
from ..source import Source, UnreadableSource
from .exchange import Verdict
from .fixture import FixtureError, load_specimen
from .gate import GateError, require_torch, rewrite_function, run_both
from .plan import PlanError, Subject, read_plan, split_target
from .specification import SpecificationError, parse_inputs
from .templates import commands_of, files_of, template_of

if TYPE_CHECKING:
    from .report import Report

_NO_CARD = "this machine has no CUDA device that torch can use"


class RunError(click.ClickException):
    """The run could not be made: exit code 2."""

    exit_code = 2

    def show(self, file: IO[str] | None = None) -> None:
        say("error", self.message)


@click.command("verify")
@click.argument("target", required=False, metavar="[FILE::FUNCTION]")
@click.option(
    "--rule",
    "names",
    multiple=True,
    metavar="RULE",
    help="Only this rule's fixtures; may be given again.",
)
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda", "all"]),
    help="Where to run; by default everywhere, and FILE::FUNCTION on the CPU.",
)
@click.option(
    "--report",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also write verify.json and verify.md into this folder.",
)
@click.option("--inputs", help="Inputs of FUNCTION, as in 'x=bf16[2,8] grad; k=3'.")
@click.option(
    "--inputs-from",
    "maker",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Python file whose function inputs() returns them, by name.",
)
@click.option(
    "--self",
    "instance",
    metavar="EXPR",
    help="The object of a method, evaluated in its module, as in 'Head(vocab=64)'.",
)
@click.option(
    "--entry",
    metavar="FILE::FUNCTION",
    help="Call this instead, whole: the target only says what is rewritten.",
)
@click.option(
    "--spec",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="TOML file that has the inputs of FUNCTION.",
)
@click.option(
    "--all",
    "tree",
    type=click.Path(exists=True, path_type=Path),
    help="List what could be verified in a file or folder, with the command for each.",
)
@click.option(
    "--allow-no-device",
    is_flag=True,
    help="Exit with 0 where --device cuda finds no card, and nothing is run.",
)
def verify(
    target: str | None,
    names: tuple[str, ...],
    device: str | None,
    folder: Path | None,
    inputs: str | None,
    maker: Path | None,
    instance: str | None,
    entry: str | None,
    spec: Path | None,
    tree: Path | None,
    allow_no_device: bool,
) -> None:
    """Run code before and after the rewrite and compare all that comes out.

    Without arguments: the fixtures of every rule. With FILE::FUNCTION: that function,
    rewritten in memory. THIS RUNS THE CODE in FILE, in a child process with limits of
    time and memory; of `check`, only --verify-with does.

    Exits with 0 if everything is as claimed, 1 if not, 2 if the run cannot be made.
    """
    calling = Calling(inputs, maker, instance, entry, spec)
    try:
        if tree is not None:
            if target is not None or names or calling != Calling():
                raise click.UsageError("--all goes alone")
            _list_verifiable(tree)
            return
        if target is not None and calling.is_bare:
            _print_template(target, calling)
            raise click.exceptions.Exit(RunError.exit_code)
        require_torch()
        if device == "cuda" and not _has_cuda():
            if allow_no_device:
                click.echo(f"Skipped: {_NO_CARD}.")
                return
            raise RunError(f"{_NO_CARD}; --allow-no-device exits with 0 here")
        if target is None:
            if calling != Calling():
                raise click.UsageError("inputs and objects go with FILE::FUNCTION")
            _verify_fixtures(_chosen_rules(names), device or "all", folder)
        else:
            if names:
                raise click.UsageError("--rule goes without FILE::FUNCTION")
            _verify_function(_subject(target, calling), device or "cpu", folder)
    except GateError as error:
        raise RunError(str(error)) from error
    except KeyboardInterrupt:
        say("warning", "interrupted; nothing more is verified")
        raise click.exceptions.Exit(INTERRUPTED) from None


def _verify_fixtures(rules: list[Rule], device: str, folder: Path | None) -> None:
    from .report import terminal_lines

    devices = ["cpu", "cuda"] if device == "all" else [device]
    if "cuda" in devices and not _has_cuda():
        devices.remove("cuda")
        click.echo("No CUDA device that torch can use: running on the CPU.", err=True)
    report = _run_fixtures(rules, devices)
    for line in terminal_lines(report):
        click.echo(line)
    click.echo(report.summary[0].upper() + report.summary[1:] + ".")
    if folder is not None:
        _write_report(report, folder)
    if report.failed:
        raise click.exceptions.Exit(1)


def _write_report(report: Report, folder: Path) -> None:
    from .report import write_report

    try:
        written = write_report(report, folder)
    except OSError as error:
        raise RunError(f"{folder}: {error.strerror}") from error
    for path in written:
        click.echo(f"Wrote {path}", err=True)


def _run_fixtures(rules: list[Rule], devices: list[str]) -> Report:
    import torch

    from . import distillation
    from .judge import judge
    from .report import Report, describe_environment

    start = time.monotonic()
    torch.set_num_threads(1)  # the tensors are small: threads would only wait
    try:
        specimens = [
            load_specimen(path) for rule in rules for path in rule.fixture_paths()
        ]
    except FixtureError as error:
        raise RunError(str(error)) from error
    helper = next((s for s in specimens if s.name == distillation.SPECIMEN), None)
    has_card = "cuda" in devices
    return Report(
        describe_environment(devices[-1]),
        tuple(
            case
            for specimen in specimens
            for device in devices
            for case in judge(specimen, device)
        ),
        distillation.compute_peaks(helper) if helper else (),
        distillation.measure_on_cuda(helper) if helper and has_card else (),
        time.monotonic() - start,
    )


def _verify_function(subject: Subject, device: str, folder: Path | None) -> None:
    if device == "all":
        raise click.UsageError("FILE::FUNCTION runs on one device")
    start = time.monotonic()
    try:
        source = _read(subject.path)
        options = Options(least=Confidence.LOW)
        rewriting = rewrite_function(source, subject.function, options)
        if not rewriting.findings:
            rewriting = rewrite_function(source, None, options)
    except GateError as error:
        raise RunError(str(error)) from error
    if not rewriting.findings:
        click.echo(f"{subject.function}: nothing to rewrite, nothing was run.")
        return
    if subject.function not in rewriting.functions:
        click.echo(
            f"Nothing to rewrite in {subject.function} itself: it is run with the "
            f"fixes in {', '.join(rewriting.functions)}.",
            err=True,
        )
    click.echo(
        f"Running the code of {subject.path.name} in child processes, one for each "
        f"version, for {subject.seconds:g} s at most.",
        err=True,
    )
    verdict = run_both(rewriting, subject, device)
    for line in _verdict_lines(subject, verdict):
        click.echo(line)
    if folder is not None:
        from .report import report_of_function

        seconds = time.monotonic() - start
        safety = rewriting.findings[0].safety
        _write_report(
            report_of_function(subject, verdict, safety, device, seconds), folder
        )
    if not verdict.passes:
        raise click.exceptions.Exit(1)


def _read(path: Path) -> Source:
    try:
        return Source.from_bytes(read_regular(str(path))[0], str(path))
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from error
    except UnreadableSource as error:
        raise RunError(f"{path}: {error}") from error


def _print_template(target: str, calling: Calling) -> None:
    path, function = _split(target)
    try:
        click.echo(template_of(_read(path), function, str(path)))
    except GateError as error:
        raise RunError(str(error)) from error
    say("note", "edit the inputs, and run it; nothing was verified")


def _list_verifiable(tree: Path) -> None:
    """Print a command for each function that has a fix."""
    for file in files_of(tree):
        for line in commands_of(file):
            click.echo(line)


def _has_cuda() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def _verdict_lines(subject: Subject, verdict: Verdict) -> list[str]:
    if verdict.failure is not None:
        return [f"{subject.function}: not verified: {verdict.failure}"]
    raised = f", on {verdict.raised} of which it raised before the rewrite"
    lines = [
        f"{subject.called}: {verdict.comparisons} inputs compared"
        f"{raised if verdict.raised else ''}"
    ]
    for what, differences, largest in (
        ("outputs", verdict.outputs, verdict.largest_output),
        ("gradients", verdict.gradients, verdict.largest_gradient),
    ):
        if not differences:
            lines.append(f"  {what} equal")
            continue
        most = "" if largest is None else f", by {largest:.3g} at most"
        lines.append(f"  {what} DIFFER{most}")
        lines += (f"    {difference}" for difference in differences)
    if verdict.restrided:
        lines.append("  strides of an output change")
    lines.append(
        f"  peak memory {in_binary_units(verdict.peak_before)} before, "
        f"{in_binary_units(verdict.peak_after)} after"
    )
    if verdict.seconds is None:
        lines.append("  time not measured: the inputs are too small to tell")
    else:
        before, after = verdict.seconds
        lines.append(
            f"  time {before * 1e3:.1f} ms before, {after * 1e3:.1f} ms after, "
            "backward included"
        )
    return lines


@dataclass(frozen=True, slots=True)
class Calling:
    """What the command line says of how a function is called."""

    inputs: str | None = None
    maker: Path | None = None
    instance: str | None = None
    entry: str | None = None
    spec: Path | None = None

    @property
    def is_bare(self) -> bool:
        """Whether nothing says what the function is called with."""
        return self.inputs is None and self.maker is None and self.spec is None


def _subject(target: str, calling: Calling) -> Subject:
    path, function = _split(target)
    entry, called = _split(calling.entry) if calling.entry else (None, "")
    if calling.spec is not None:
        if calling != Calling(spec=calling.spec):
            raise click.UsageError("--spec goes without --inputs, --self and --entry")
        try:
            subject = read_plan(calling.spec).find(path, function)
        except PlanError as error:
            raise RunError(str(error)) from error
        if subject is None:
            raise RunError(f"{calling.spec}: no entry for {function} of {path}")
        return subject
    inputs = calling.inputs or ""
    if inputs and calling.maker is not None:
        raise click.UsageError("--inputs goes without --inputs-from")
    try:
        parse_inputs(inputs)
    except SpecificationError as error:
        raise click.UsageError(f"--inputs: {error}") from error
    return Subject(
        path.resolve(),
        function,
        inputs,
        instance=calling.instance or "",
        maker=calling.maker.resolve() if calling.maker else None,
        entry=entry.resolve() if entry else None,
        entry_function=called,
    )


def _split(target: str) -> tuple[Path, str]:
    try:
        file, function = split_target(target)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return Path(file), function


def _chosen_rules(names: tuple[str, ...]) -> list[Rule]:
    """The rules of these codes or names, or all; an unknown one is a usage error."""
    rules = all_rules()
    if not names:
        return list(rules)
    by_name = {key: rule for rule in rules for key in (rule.code, rule.name)}
    chosen = []
    for name in names:
        rule = by_name.get(name) or by_name.get(name.upper())
        if rule is None:
            near = difflib.get_close_matches(name, by_name, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"unknown rule {name!r}{hint}")
        chosen.append(rule)
    return chosen
