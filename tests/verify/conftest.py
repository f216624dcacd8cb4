from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from upcast_lint.verify.fixture import Specimen, load_specimen

HERE = Path(__file__).resolve().parent
RULES = HERE.parents[1] / "rules"
TORCH_FREE = ("test_plan.py", "test_specification.py", "test_without_torch.py")

if importlib.util.find_spec("torch") is None:
    collect_ignore = [
        path.name for path in HERE.glob("test_*.py") if path.name not in TORCH_FREE
    ]
else:
    import torch

    torch.set_num_threads(1)


@pytest.fixture
def distillation() -> Specimen:
    folder = RULES / "upcast_before_gather" / "fixtures"
    return load_specimen(folder / "topk_distillation.py")
