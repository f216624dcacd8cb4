"""What an elementwise method is given decides whether it is lifted over."""

from __future__ import annotations

import pytest

from .test_consumers import read


@pytest.mark.parametrize(
    "statement",
    [
        "return x.float().clamp(y)[..., 0]",
        "return x.float().clamp(min=y)[..., 0]",
        "return x.float().clamp(0, y)[..., 0]",
        "return x.float().clamp(0, max=y)[..., 0]",
        "return x.float().clamp(m)[..., 0]",
        "return x.float().clamp(0, out=y)[..., 0]",
        "return torch.clamp(x.float(), y)[..., 0]",
        "return x.float().view(torch.int32)[..., 0]",
        "return x.float().view(t.dtype)[..., 0]",
        "return x.float().view(dtype=torch.int32)[..., 0]",
        "return x.float().mul(2, out=y)[..., 0]",
        "return x.float().add(2, alpha=3)[..., 0]",
        "return x.float().mul(2, 3)[..., 0]",
        "return x.float().mul()[..., 0]",
        "return x.float().mul(other=2)[..., 0]",
        "y = None is x.float() is n",
    ],
)
def test_read_whole(statement: str) -> None:
    assert read(statement)[0] == "FULL"


@pytest.mark.parametrize(
    "statement",
    [
        "return x.float().clamp(0)[..., -1]",
        "return x.float().clamp(min=0, max=None)[..., -1]",
        "return x.float().clamp(None, 1.0)[..., -1]",
    ],
)
def test_lifted(statement: str) -> None:
    kind, steps = read(statement)
    assert kind == "SELECTION"
    assert len(steps) == 1
