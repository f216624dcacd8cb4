"""Top-k distillation over a vocabulary that is sharded between ranks.

The parallel arms of the fixture `upcast-before-gather/topk_distillation`: to the
linter they are unknown calls that read everything they are handed. Shapes: logits
`[B, S, V_local]`, global column numbers `[B, S, K]`, of which a shard holds those from
`start` up to `start + V_local`.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import distributed


class ShardedTopkLogprobs(torch.autograd.Function):  # type: ignore[misc]
    """Log probabilities of K columns `[B, S, K]` under a softmax over all shards.

    Keeps the logits and works them through `chunk` positions at a time, so that no
    more than `[B, chunk, V_local]` is alive in float32 beside them.
    """

    @staticmethod
    def forward(
        ctx: Any,
        logits: torch.Tensor,
        columns: torch.Tensor,
        start: int,
        chunk: int,
        group: distributed.ProcessGroup,
    ) -> torch.Tensor:
        picked = []
        for part, wanted in zip(
            torch.split(logits, chunk, dim=1),
            torch.split(columns, chunk, dim=1),
            strict=True,
        ):
            logprobs = _log_softmax(part.float(), group)
            local, is_here = _local_columns(wanted, start, logits.shape[-1])
            found = logprobs.gather(-1, local).masked_fill(~is_here, 0)
            distributed.all_reduce(found, group=group)
            picked.append(found)
        ctx.save_for_backward(logits, columns)
        ctx.start, ctx.chunk, ctx.group = start, chunk, group
        return torch.cat(picked, dim=1)

    @staticmethod
    def backward(ctx: Any, *upstreams: torch.Tensor) -> Any:
        logits, columns = ctx.saved_tensors
        gradients = []
        for part, wanted, upstream in zip(
            torch.split(logits, ctx.chunk, dim=1),
            torch.split(columns, ctx.chunk, dim=1),
            torch.split(upstreams[0], ctx.chunk, dim=1),
            strict=True,
        ):
            probabilities = _log_softmax(part.float(), ctx.group).exp()
            local, is_here = _local_columns(wanted, ctx.start, logits.shape[-1])
            gradient = probabilities * -upstream.sum(-1, keepdim=True)
            gradient.scatter_add_(-1, local, upstream.masked_fill(~is_here, 0))
            gradients.append(gradient.to(logits.dtype))
        return torch.cat(gradients, dim=1), None, None, None, None


class ShardedEntropy(torch.autograd.Function):  # type: ignore[misc]
    """`sum(p * log p)` over the whole vocabulary, `[B, S]`."""

    @staticmethod
    def forward(
        ctx: Any, logits: torch.Tensor, group: distributed.ProcessGroup
    ) -> torch.Tensor:
        logprobs = _log_softmax(logits.float(), group)
        entropy = (logprobs.exp() * logprobs).sum(-1)
        distributed.all_reduce(entropy, group=group)
        ctx.save_for_backward(logits, entropy)
        ctx.group = group
        return entropy

    @staticmethod
    def backward(ctx: Any, *upstreams: torch.Tensor) -> Any:
        logits, entropy = ctx.saved_tensors
        logprobs = _log_softmax(logits.float(), ctx.group)
        gradient = logprobs.exp() * (logprobs - entropy.unsqueeze(-1))
        return (gradient * upstreams[0].unsqueeze(-1)).to(logits.dtype), None


def gather_sharded(
    logits: torch.Tensor,
    columns: torch.Tensor,
    start: int,
    group: distributed.ProcessGroup | None,
) -> torch.Tensor:
    """The logits `[B, S, K]` at global columns, from whichever shards hold them."""
    local, is_here = _local_columns(columns, start, logits.shape[-1])
    found = logits.gather(-1, local).masked_fill(~is_here, 0)
    return found if group is None else _apply(_SumOfShards, found, group)


def positions_of_rank(
    values: torch.Tensor, group: distributed.ProcessGroup
) -> torch.Tensor:
    """The stretch of dimension 1 that this rank of a context-parallel group holds."""
    size, rank = distributed.get_world_size(group), distributed.get_rank(group)
    return values.chunk(size, dim=1)[rank]


def gather_positions(
    values: torch.Tensor, group: distributed.ProcessGroup
) -> torch.Tensor:
    """Dimension 1 put together again from the ranks of a context-parallel group."""
    return _apply(_GatheredPositions, values, group)


class _SumOfShards(torch.autograd.Function):  # type: ignore[misc]
    """Every rank receives the sum, and the loss of every rank is the same."""

    @staticmethod
    def forward(
        ctx: Any, values: torch.Tensor, group: distributed.ProcessGroup
    ) -> torch.Tensor:
        total = values.clone()
        distributed.all_reduce(total, group=group)
        return total

    @staticmethod
    def backward(ctx: Any, *upstreams: torch.Tensor) -> Any:
        return upstreams[0], None


class _GatheredPositions(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(
        ctx: Any, values: torch.Tensor, group: distributed.ProcessGroup
    ) -> torch.Tensor:
        ctx.group = group
        size = distributed.get_world_size(group)
        parts = [torch.empty_like(values) for _ in range(size)]
        distributed.all_gather(parts, values.contiguous(), group=group)
        return torch.cat(parts, dim=1)

    @staticmethod
    def backward(ctx: Any, *upstreams: torch.Tensor) -> Any:
        return positions_of_rank(upstreams[0], ctx.group), None


@contextlib.contextmanager
def one_rank_group() -> Iterator[distributed.ProcessGroup]:
    """A gloo group of this process alone, met in a file rather than on a port."""
    with tempfile.TemporaryDirectory() as folder:
        distributed.init_process_group(
            "gloo",
            init_method=(Path(folder) / "rendezvous").as_uri(),
            rank=0,
            world_size=1,
        )
        try:
            world = distributed.group.WORLD
            assert world is not None
            yield world
        finally:
            distributed.destroy_process_group()


def _apply(
    function: type[torch.autograd.Function],
    values: torch.Tensor,
    group: distributed.ProcessGroup,
) -> torch.Tensor:
    result: torch.Tensor = function.apply(values, group)
    return result


def _local_columns(
    columns: torch.Tensor, start: int, width: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Column numbers within the shard, clamped to it, and which of them it holds."""
    local = columns - start
    return local.clamp(0, width - 1), (local >= 0) & (local < width)


def _log_softmax(logits: torch.Tensor, group: distributed.ProcessGroup) -> torch.Tensor:
    largest = logits.amax(-1, keepdim=True)
    distributed.all_reduce(largest, distributed.ReduceOp.MAX, group=group)
    shifted = logits - largest
    total = shifted.exp().sum(-1, keepdim=True)
    distributed.all_reduce(total, group=group)
    return shifted - total.log()
