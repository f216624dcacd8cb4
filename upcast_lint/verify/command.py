"""`upcast-lint verify`: prove the rewrites by running them."""

from __future__ import annotations

import difflib
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..cli.messages import INTERRUPTED, say
from ..files import read_regular
from ..linter import Options
from ..registry import all_rules
from ..report import in_binary_units
from ..rule import Rule
from ..source import Source, UnreadableSource
from .exchange import Verdict
from .fixture import FixtureError, load_specimen
from .gate import GateError, require_torch, rewrite_function, run_both
from .plan import PlanError, Subject, read_plan
from .specification import SpecificationError, parse_inputs

if TYPE_CHECKING:
    from .report import Report

_SKIPPED = "Skipped: this machine has no CUDA device that torch can use."


class RunError(click.ClickException):
    """The run could not be made: exit code 2."""

    exit_code = 2


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
    "--spec",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="TOML file that has the inputs of FUNCTION.",
)
def verify(
    target: str | None,
    names: tuple[str, ...],
    device: str | None,
    folder: Path | None,
    inputs: str | None,
    spec: Path | None,
) -> None:
    """Run code before and after the rewrite and compare all that comes out.

    Without arguments: the fixtures of every rule. With FILE::FUNCTION: that function,
    rewritten in memory. THIS RUNS THE CODE in FILE, in a child process with limits of
    time and memory; of `check`, only --verify-with does.

    Exits with 0 if everything is as claimed, 1 if not, 2 if the run cannot be made.
    """
    try:
        require_torch()
        if target is None:
            if inputs is not None or spec is not None:
                raise click.UsageError("--inputs and --spec go with FILE::FUNCTION")
            _verify_fixtures(_chosen_rules(names), device or "all", folder)
        else:
            if names or folder is not None:
                raise click.UsageError("--rule and --report go without FILE::FUNCTION")
            _verify_function(_subject(target, inputs, spec), device or "cpu")
    except GateError as error:
        raise RunError(str(error)) from error
    except KeyboardInterrupt:
        say("warning", "interrupted; nothing more is verified")
        raise click.exceptions.Exit(INTERRUPTED) from None


def _verify_fixtures(rules: list[Rule], device: str, folder: Path | None) -> None:
    from .report import terminal_lines, write_report

    devices = ["cpu", "cuda"] if device == "all" else [device]
    if "cuda" in devices and not _has_cuda():
        devices.remove("cuda")
        if not devices:
            click.echo(_SKIPPED)
            return
        click.echo("No CUDA device that torch can use: running on the CPU.", err=True)
    report = _run_fixtures(rules, devices)
    for line in terminal_lines(report):
        click.echo(line)
    click.echo(report.summary[0].upper() + report.summary[1:] + ".")
    if folder is not None:
        try:
            written = write_report(report, folder)
        except OSError as error:
            raise RunError(f"{folder}: {error.strerror}") from error
        for path in written:
            click.echo(f"Wrote {path}", err=True)
    if report.failed:
        raise click.exceptions.Exit(1)


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


def _verify_function(subject: Subject, device: str) -> None:
    if device == "all":
        raise click.UsageError("FILE::FUNCTION runs on one device")
    if device == "cuda" and not _has_cuda():
        click.echo(_SKIPPED)
        return
    try:
        data, _ = read_regular(str(subject.path))
        source = Source.from_bytes(data, str(subject.path))
        options = Options(any_width=True)
        rewriting = rewrite_function(source, subject.function, options)
    except (OSError, UnreadableSource, GateError) as error:
        raise RunError(str(error)) from error
    if not rewriting.findings:
        click.echo(f"{subject.function}: nothing to rewrite, nothing was run.")
        return
    click.echo(
        f"Running the code of {subject.path.name} in a child process, "
        f"for {subject.seconds:g} s at most.",
        err=True,
    )
    verdict = run_both(rewriting, subject, device)
    for line in _verdict_lines(subject, verdict):
        click.echo(line)
    if not verdict.passes:
        raise click.exceptions.Exit(1)


def _has_cuda() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def _verdict_lines(subject: Subject, verdict: Verdict) -> list[str]:
    if verdict.failure is not None:
        return [f"{subject.function}: not verified: {verdict.failure}"]
    alike = f", both raise alike on {verdict.raised}" if verdict.raised else ""
    lines = [f"{subject.function}: {verdict.comparisons} inputs compared{alike}"]
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


def _subject(target: str, inputs: str | None, spec: Path | None) -> Subject:
    file, separator, function = target.rpartition("::")
    if not separator or not file or not function:
        raise click.UsageError(f"expected FILE::FUNCTION, got {target!r}")
    if (inputs is None) == (spec is None):
        raise click.UsageError("give the inputs of FUNCTION by --inputs or by --spec")
    path = Path(file)
    try:
        if inputs is not None:
            parse_inputs(inputs)
            return Subject(path.resolve(), function, inputs)
        assert spec is not None
        subject = read_plan(spec).find(path, function)
    except SpecificationError as error:
        raise click.UsageError(f"--inputs: {error}") from error
    except PlanError as error:
        raise RunError(str(error)) from error
    if subject is None:
        raise RunError(f"{spec}: no entry for {function} of {file}")
    return subject


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
