"""What is known to give the same of a strided and of a dense tensor, measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from upcast_lint.analysis import ops
from upcast_lint.analysis.ops import Role, Settles
from upcast_lint.analysis.words import words

from .support import random_bf16

Tensor = torch.Tensor

SHAPES = ((5, 70, 13), (3, 7, 257))
ORDERS = ((0, 1, 2), (2, 1, 0), (0, 2, 1))
SELECTIONS: tuple[Callable[[Tensor], Tensor], ...] = (
    lambda x: x[:, :, 3],
    lambda x: x[:, -1],
    lambda x: x[0],
    lambda x: x[:, :2],
    lambda x: x[..., ::2],
    lambda x: x[:, -1].T,
)


def _sources() -> Iterator[Tensor]:
    """Tensors of several shapes, their axes in several orders in memory."""
    for seed, shape in enumerate(SHAPES):
        for order in ORDERS:
            stored = random_bf16(*(shape[axis] for axis in order), seed=seed) * 3
            stored[0] = stored[0].round() * stored[0].sign()
            yield stored.permute([order.index(axis) for axis in range(3)])


def _like(v: Tensor) -> Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randn(v.shape, generator=generator, dtype=v.dtype)


def _index(v: Tensor) -> Tensor:
    return (torch.arange(v.numel()) % v.shape[-1]).view(v.shape)


_ARGUMENTS: dict[str, Callable[[Tensor], tuple[Any, ...]]] = {
    **dict.fromkeys(
        words(
            """
            add sub subtract mul multiply div divide true_divide maximum minimum eq ne
            lt le gt ge isin equal allclose isclose logical_and logical_or logical_xor
            mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy_with_logits
            """
        ),
        lambda v: (_like(v),),
    ),
    **dict.fromkeys(("clamp", "clip"), lambda v: (-1, 1)),
    **dict.fromkeys(("clamp_min", "clamp_max"), lambda v: (0.3,)),
    "lerp": lambda v: (_like(v), 0.3),
    **dict.fromkeys(("addcmul", "addcdiv"), lambda v: (_like(v), _like(v))),
    "masked_fill": lambda v: (_like(v) > 0, -9.0),
    **dict.fromkeys(("gather", "take_along_dim"), lambda v: (-1, _index(v))),
    "take_along_dim": lambda v: (_index(v), -1),
    "index_select": lambda v: (0, torch.tensor([0, 0])),
    "take": lambda v: (torch.tensor([0, 1]),),
    "masked_select": lambda v: (_like(v) > 0,),
    "index_fill": lambda v: (0, torch.tensor([0]), 1.0),
    "index_copy": lambda v: (0, torch.tensor([0]), _like(v)[:1]),
    "scatter": lambda v: (-1, _index(v), 1.0),
    "repeat": lambda v: (*[2] * v.dim(),),
    "tile": lambda v: ((2,),),
    "repeat_interleave": lambda v: (2, 0),
    "flip": lambda v: ((0,),),
    "dropout": lambda v: (0.3, True),
    "full_like": lambda v: (2.0,),
    "roll": lambda v: (1, 0),
    "pad": lambda v: ((1, 2),),
    "topk": lambda v: (1,),
    "kthvalue": lambda v: (1,),
    **dict.fromkeys(
        words("cummax cummin softmax log_softmax softmin logsumexp"), lambda v: (-1,)
    ),
    **dict.fromkeys(("median", "mode"), lambda v: (-1,)),
    "bucketize": lambda v: (torch.tensor([-1.0, 0.0, 1.0]),),
    "kl_div": lambda v: (_like(v).softmax(-1),),
    "nll_loss": lambda v: (_index(v)[..., 0],),
    "cross_entropy": lambda v: (_index(v)[..., 0],),
}
_FLAT = frozenset(("nll_loss", "cross_entropy", "tril", "triu", "embedding"))
_SPECIAL: dict[str, Callable[[Tensor], Any]] = {
    "where": lambda v: torch.where(_like(v) > 0, v, 0.0),
    "searchsorted": lambda v: torch.searchsorted(torch.tensor([-1.0, 0.0, 1.0]), v),
    "embedding": lambda v: F.embedding(torch.tensor([0, 0]), v),
    **{
        name: lambda v, name=name: getattr(v, name)()
        for name in ("half", "bfloat16", "long", "int", "short", "char", "bool")
    },
    "byte": lambda v: v.abs().byte(),
    "empty_like": lambda v: torch.empty_like(v).zero_(),
    "one_hot": lambda v: F.one_hot(v.abs().long().clamp(max=5)),
    "multinomial": lambda v: (v.abs() + 0.1).reshape(-1, v.shape[-1]).multinomial(1),
    **{
        name: lambda v, name=name: getattr(torch, name)([v, _like(v)])
        for name in ("cat", "concat", "concatenate", "stack")
    },
}


def _apply(name: str, v: Tensor) -> list[Tensor]:
    torch.manual_seed(0)
    if name in _SPECIAL:
        found = _SPECIAL[name](v)
    else:
        given = _ARGUMENTS.get(name, lambda v: ())(v)
        function = (
            getattr(F, name, None) if name not in dir(torch) else getattr(torch, name)
        ) or getattr(torch.Tensor, name)
        found = function(v, *given)
    results = found if isinstance(found, tuple) else (found,)
    return [torch.as_tensor(each) for each in results]


def _strides(t: Tensor) -> list[int]:
    return [s for s, size in zip(t.stride(), t.shape, strict=True) if size > 1]


SETTLING = sorted(
    name
    for name in ops.names_of(*Role)
    for operation in (ops.tensor(name),)
    if operation is not None and operation.settles is Settles.YES
)


@pytest.mark.parametrize("name", SETTLING)
def test_what_is_known_to_settle_a_view_does(name: str) -> None:
    ran = False
    for x in _sources():
        for select in SELECTIONS:
            views = select(x.float()), select(x).float()
            if name in _FLAT and views[0].dim() != 2:
                continue
            before, after = (_apply(name, v) for v in views)
            for a, b in zip(before, after, strict=True):
                assert torch.equal(a.nan_to_num(7.0), b.nan_to_num(7.0))
                assert torch.equal(a.signbit(), b.signbit())
                assert _strides(a) == _strides(b)
            ran = True
    assert ran
