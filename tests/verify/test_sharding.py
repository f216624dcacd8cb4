"""The parallel arms of the helper compute what their dense counterparts do."""

from __future__ import annotations

import pytest
import torch

from upcast_lint.verify.sharding import (
    ShardedEntropy,
    ShardedTopkLogprobs,
    gather_positions,
    gather_sharded,
    one_rank_group,
    positions_of_rank,
)

COLUMNS = torch.arange(4).expand(2, 6, 4).contiguous()


@pytest.fixture
def logits() -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(2, 6, 16, generator=generator).requires_grad_()


def gradient(output: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    upstream = torch.randn(output.shape, generator=torch.Generator().manual_seed(1))
    (found,) = torch.autograd.grad(output, logits, upstream)
    return found


@pytest.mark.parametrize("chunk", [1, 4, 6])
def test_logprobs(logits: torch.Tensor, chunk: int) -> None:
    dense = logits.log_softmax(-1).gather(-1, COLUMNS)
    with one_rank_group() as group:
        sharded = ShardedTopkLogprobs.apply(logits, COLUMNS, 0, chunk, group)
        torch.testing.assert_close(sharded, dense)
        torch.testing.assert_close(gradient(sharded, logits), gradient(dense, logits))


def test_entropy(logits: torch.Tensor) -> None:
    logprobs = logits.log_softmax(-1)
    dense = (logprobs.exp() * logprobs).sum(-1)
    with one_rank_group() as group:
        sharded = ShardedEntropy.apply(logits, group)
        torch.testing.assert_close(sharded, dense)
        torch.testing.assert_close(gradient(sharded, logits), gradient(dense, logits))


def test_columns_of_another_shard_are_zero(logits: torch.Tensor) -> None:
    found = gather_sharded(logits, COLUMNS, start=2, group=None)
    assert not found[..., :2].any()
    assert torch.equal(found[..., 2:], logits[..., :2])


def test_summed_columns_keep_their_gradient(logits: torch.Tensor) -> None:
    with one_rank_group() as group:
        summed = gather_sharded(logits, COLUMNS, 0, group)
        dense = logits.gather(-1, COLUMNS)
        assert torch.equal(summed, dense)
        assert torch.equal(gradient(summed, logits), gradient(dense, logits))


def test_positions_are_cut_and_put_together_again(logits: torch.Tensor) -> None:
    with one_rank_group() as group:
        whole = gather_positions(positions_of_rank(logits, group), group)
        assert torch.equal(whole, logits)
        assert torch.equal(gradient(whole, logits), gradient(logits * 1, logits))
