"""Inputs and gradients for the hazards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

SEEDS = range(40)


def random_bf16(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator).bfloat16()


def gradient(
    function: Callable[..., torch.Tensor],
    x: torch.Tensor,
    *arguments: Any,
    upstream: torch.Tensor | None = None,
    seed: int = 0,
) -> torch.Tensor:
    """The gradient of `x`, under a random upstream gradient if none is given."""
    leaf = x.detach().clone().requires_grad_()
    result = function(leaf, *arguments)
    if upstream is None:
        generator = torch.Generator().manual_seed(seed)
        upstream = torch.randn(result.shape, generator=generator)
    result.backward(upstream)
    assert leaf.grad is not None
    return leaf.grad


def count_differing(
    before: Callable[..., torch.Tensor],
    after: Callable[..., torch.Tensor],
    x: torch.Tensor,
    *arguments: Any,
) -> int:
    """On how many seeds of the upstream gradient the gradients of `x` differ."""
    return sum(
        not torch.equal(
            gradient(before, x, *arguments, seed=seed),
            gradient(after, x, *arguments, seed=seed),
        )
        for seed in SEEDS
    )


def error_of(function: Callable[..., Any], *arguments: Any) -> type[Exception] | None:
    try:
        function(*arguments)
    except Exception as error:
        return type(error)
    return None
