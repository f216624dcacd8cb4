"""What a run of `verify` found, for the terminal, as JSON and as Markdown."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import torch

from .. import __version__
from ..finding import Safety
from ..report import in_binary_units, plural
from .distillation import COLUMNS, VOCABULARY, MeasuredRow, Measurement, PeakRow
from .exchange import Verdict
from .judge import CaseReport
from .plan import Subject

_GIB = 2**30


@dataclass(frozen=True, slots=True)
class Environment:
    """Where and when a run was made. Card and driver are None without CUDA."""

    date: str
    upcast_lint: str
    torch: str
    cuda: str | None
    python: str
    system: str
    card: str | None
    driver: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """`peaks` are computed, `measured` come from a card and are empty without one."""

    environment: Environment
    cases: tuple[CaseReport, ...]
    peaks: tuple[PeakRow, ...]
    measured: tuple[MeasuredRow, ...]
    seconds: float

    @property
    def failed(self) -> tuple[CaseReport, ...]:
        return tuple(case for case in self.cases if not case.holds)

    @property
    def comparisons(self) -> int:
        return sum(case.comparisons for case in self.cases)

    @property
    def summary(self) -> str:
        fixtures = len({case.fixture for case in self.cases})
        verdict = f"{len(self.failed)} failed" if self.failed else "all hold"
        compared = plural(self.comparisons, "comparison")
        return (
            f"{plural(len(self.cases), 'case')} of {plural(fixtures, 'fixture')}, "
            f"{compared} in {self.seconds:.1f} s: {verdict}"
        )


def report_of_function(
    subject: Subject, verdict: Verdict, safety: Safety, device: str, seconds: float
) -> Report:
    """The report on a function of the user's: a case that claims that all is equal."""
    failures = (*verdict.outputs, *verdict.gradients)
    if verdict.failure is not None:
        failures = (verdict.failure,)
    case = CaseReport(
        fixture=f"{subject.path.name}::{subject.called}",
        claim=subject.inputs or f"inputs from {subject.maker and subject.maker.name}",
        tier=safety.value,
        device=device,
        comparisons=verdict.comparisons,
        failures=failures,
        outputs_unequal=len(verdict.outputs),
        gradients_unequal=len(verdict.gradients),
        restrided=int(verdict.restrided),
        peak_before=verdict.peak_before,
        peak_after=verdict.peak_after,
    )
    return Report(describe_environment(device), (case,), (), (), seconds)


def describe_environment(device: str) -> Environment:
    has_card = device == "cuda" and torch.cuda.is_available()
    return Environment(
        datetime.now(UTC).date().isoformat(),
        __version__,
        str(torch.__version__),
        torch.version.cuda,
        platform.python_version(),
        f"{platform.system()} {platform.machine()}",
        torch.cuda.get_device_name() if has_card else None,
        _driver_version() if has_card else None,
    )


def write_report(report: Report, folder: Path) -> tuple[Path, Path]:
    """Write `verify.json` and `verify.md` into the folder, which is made if missing."""
    folder.mkdir(parents=True, exist_ok=True)
    as_json, as_markdown = folder / "verify.json", folder / "verify.md"
    text = json.dumps(asdict(report), indent=2, ensure_ascii=False)
    as_json.write_text(text + "\n", encoding="utf-8")
    as_markdown.write_text("\n".join(markdown_lines(report)) + "\n", encoding="utf-8")
    return as_json, as_markdown


def terminal_lines(report: Report) -> Iterator[str]:
    """The table of a run, grouped by fixture."""
    width = max((len(case.claim) for case in report.cases), default=0)
    for fixture, cases in groupby(report.cases, key=lambda case: case.fixture):
        grouped = list(cases)
        yield f"{fixture} ({grouped[0].tier})"
        for case in grouped:
            verdict = "ok  " if case.holds else "FAIL"
            yield (
                f"  {verdict} {case.device:4} {case.claim:{width}}  "
                f"{case.comparisons:4} inputs  "
                f"outputs {_share(case.outputs_unequal):13} "
                f"gradients {_share(case.gradients_unequal):13} "
                f"strides {_share(case.restrided):13} {_peaks(case)}".rstrip()
            )
            yield from (f"       {failure}" for failure in case.failures)
    if report.peaks:
        yield ""
        yield f"Peak of the distillation helper at B=1, V={VOCABULARY}, K={COLUMNS}"
        for row in report.peaks:
            yield (
                f"  S={row.positions}: {_gib(row.before)} before, "
                f"{_gib(row.after)} after (computed)"
            )
    for measured in report.measured:
        yield (
            f"  S={measured.positions}: {_measurement(measured.before)} before, "
            f"{_measurement(measured.after)} after (measured)"
        )


def markdown_lines(report: Report) -> Iterator[str]:
    """The same as a document: environment, helper at full size, every case."""
    where = report.environment
    yield "# upcast-lint verify"
    yield ""
    yield report.summary + "."
    yield ""
    yield from _markdown_table(
        ("", ""), [(key, str(value or "none")) for key, value in asdict(where).items()]
    )
    if report.peaks:
        yield ""
        yield f"## The distillation helper, B=1, V={VOCABULARY}, K={COLUMNS}"
        yield ""
        yield from _markdown_table(
            ("S", "peak before", "peak after", "how"),
            [
                (str(row.positions), _gib(row.before), _gib(row.after), "computed")
                for row in report.peaks
            ],
        )
    if report.measured:
        yield ""
        yield from _markdown_table(
            ("S", "measured before", "measured after"),
            [
                (str(row.positions), _measurement(row.before), _measurement(row.after))
                for row in report.measured
            ],
        )
    yield ""
    yield "## What was run"
    yield ""
    yield from _markdown_table(
        (
            "fixture",
            "case",
            "tier",
            "device",
            "inputs",
            "outputs",
            "gradients",
            "strides",
            "holds",
        ),
        [
            (
                case.fixture,
                case.claim,
                case.tier,
                case.device,
                str(case.comparisons),
                _share(case.outputs_unequal),
                _share(case.gradients_unequal),
                _share(case.restrided),
                "yes" if case.holds else "**no**: " + "; ".join(case.failures),
            )
            for case in report.cases
        ],
    )


def _markdown_table(
    head: tuple[str, ...], rows: list[tuple[str, ...]]
) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _share(unequal: int) -> str:
    return f"differ on {unequal}" if unequal else "equal"


def _peaks(case: CaseReport) -> str:
    if case.peak_before is None:
        return ""
    before, after = map(in_binary_units, (case.peak_before, case.peak_after or 0))
    return f"peak {before} -> {after}"


def _measurement(measured: Measurement | None) -> str:
    if measured is None:
        return "out of memory"
    return (
        f"{_gib(measured.peak)}, forward {measured.forward_ms:.2f} ms, "
        f"with backward {measured.step_ms:.2f} ms"
    )


def _gib(size: int) -> str:
    return f"{size / _GIB:.2f} GiB"


def _driver_version() -> str | None:
    """As nvidia-smi reports it; torch knows the version of the runtime only."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    answer = subprocess.run(
        [program, "--query-gpu=driver_version", "--format=csv,noheader"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return answer.stdout.split("\n", 1)[0].strip() or None
