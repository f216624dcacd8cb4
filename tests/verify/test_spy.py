from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from upcast_lint.verify.spy import WideTensors

Selection = Callable[[torch.Tensor], torch.Tensor]

INDEX = torch.zeros(2, 4, 1, dtype=torch.long)
ROWS = torch.tensor([0])
NARROW: dict[str, Selection] = {
    "method": lambda x: x.gather(-1, INDEX).float(),
    "function": lambda x: torch.gather(x, -1, INDEX).float(),
    "take_along_dim": lambda x: torch.take_along_dim(x, INDEX, dim=-1).float(),
    "indexing": lambda x: x[..., ROWS].float(),
    "index_select": lambda x: x.index_select(-1, ROWS).float(),
    "aten": lambda x: torch.ops.aten.gather(x, -1, INDEX).to(torch.float32),
}
WIDE: dict[str, Selection] = {
    "float": lambda x: x.float().gather(-1, INDEX),
    "to": lambda x: x.to(torch.float32).gather(-1, INDEX),
    "promotion": lambda x: (x + torch.zeros(1, 1, 1)).gather(-1, INDEX),
    "larger": lambda x: torch.cat([x, x], dim=-1).float()[..., :1],
    "backward only": lambda x: _WideBackward.apply(x),
}


class _WideBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
        return x.gather(-1, INDEX).float()

    @staticmethod
    def backward(ctx: object, *upstreams: torch.Tensor) -> torch.Tensor:
        return torch.zeros(2, 4, 16).scatter_add_(-1, INDEX, upstreams[0]).bfloat16()


def wide_tensors(select: Selection) -> list[str]:
    x = torch.randn(2, 4, 16).bfloat16().requires_grad_()
    with WideTensors(torch.float32, x.numel()) as spy:
        select(x).sum().backward()
    return list(spy.made)


@pytest.mark.parametrize("spelling", NARROW)
def test_no_spelling_of_a_narrow_read_is_caught(spelling: str) -> None:
    assert wide_tensors(NARROW[spelling]) == []


@pytest.mark.parametrize("spelling", WIDE)
def test_every_spelling_of_a_wide_copy_is_caught(spelling: str) -> None:
    assert wide_tensors(WIDE[spelling])


def test_a_view_of_a_wide_tensor_is_not_new() -> None:
    x = torch.randn(2, 4, 16)
    with WideTensors(torch.float32, x.numel()) as spy:
        x.view(8, 16).transpose(0, 1).add_(1)
    assert spy.made == []
