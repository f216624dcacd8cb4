"""Every fixture of every rule holds on every kind of input."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from upcast_lint.verify.fixture import load_specimen
from upcast_lint.verify.judge import judge

RULES = Path(__file__).resolve().parents[2] / "rules"
FIXTURES = sorted(RULES.glob("*/fixtures/*.py"))


def name(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", FIXTURES, ids=name)
def test_on_the_cpu(path: Path) -> None:
    for report in judge(load_specimen(path), "cpu"):
        assert report.holds, (report.claim, report.failures)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("path", FIXTURES, ids=name)
def test_on_cuda(path: Path) -> None:
    for report in judge(load_specimen(path), "cuda"):
        assert report.holds, (report.claim, report.failures)
