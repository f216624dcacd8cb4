"""The report in its three forms, with and without a card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from upcast_lint.verify.distillation import MeasuredRow, Measurement, PeakRow
from upcast_lint.verify.judge import CaseReport
from upcast_lint.verify.report import (
    Environment,
    Report,
    markdown_lines,
    terminal_lines,
    write_report,
)


def case(claim: str, failures: tuple[str, ...] = (), **fields: int) -> CaseReport:
    counts = {"outputs_unequal": 0, "gradients_unequal": 0, "restrided": 0, **fields}
    peaks = {"peak_before": 2048, "peak_after": 200}
    return CaseReport(
        "a-rule/a_fixture", claim, "unsafe", "cuda", 87, failures, **counts, **peaks
    )


@pytest.fixture
def report() -> Report:
    return Report(
        Environment(
            "2026-01-31",
            "0.1.0",
            "2.13.0",
            "13.0",
            "3.12.1",
            "Linux x86_64",
            "A card",
            "1.2",
        ),
        (
            case("distinct"),
            case("a | b", gradients_unequal=42),
            case("wrong", ("outputs differ on bf16",), outputs_unequal=3),
        ),
        (PeakRow(2048, 3 * 2**30, 2**30),),
        (MeasuredRow(8192, Measurement(2**31, 9.25, 20.5), None),),
        12.34,
    )


def test_the_terminal_table_groups_by_fixture(report: Report) -> None:
    lines = list(terminal_lines(report))
    assert lines[0] == "a-rule/a_fixture (unsafe)"
    assert lines[1].startswith("  ok   cuda distinct    87 inputs  outputs equal")
    assert lines[1].endswith("peak 2.0 KiB -> 200 B")
    assert "gradients differ on 42" in lines[2]
    assert lines[3].startswith("  FAIL cuda wrong")
    assert lines[4].strip() == "outputs differ on bf16"
    assert "  S=2048: 3.00 GiB before, 1.00 GiB after (computed)" in lines
    assert lines[-1] == (
        "  S=8192: 2.00 GiB, forward 9.25 ms, with backward 20.50 ms before, "
        "out of memory after (measured)"
    )


def test_the_document_names_the_card_and_escapes_bars(report: Report) -> None:
    document = "\n".join(markdown_lines(report))
    assert "| card | A card |" in document and "| driver | 1.2 |" in document
    assert "a \\| b" in document
    assert "**no**: outputs differ on bf16" in document
    assert "| 8192 | 2.00 GiB, forward 9.25 ms, with backward 20.50 ms |" in document
    assert "3 cases of 1 fixture, 261 comparisons in 12.3 s: 1 failed." in document


def test_the_json_holds_every_field(report: Report, tmp_path: Path) -> None:
    as_json, _ = write_report(report, tmp_path / "deep" / "folder")
    data = json.loads(as_json.read_text(encoding="utf-8"))
    assert data["environment"]["driver"] == "1.2"
    assert data["measured"][0]["before"]["forward_ms"] == 9.25
    assert data["measured"][0]["after"] is None
    assert data["cases"][2]["failures"] == ["outputs differ on bf16"]
