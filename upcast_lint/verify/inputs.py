"""Make the tensors that a specification describes, the same ones for the same seed."""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from .specification import DType, Input, LiteralInput, Provenance, TensorInput


class Layout(enum.Enum):
    """How float tensors lie in memory."""

    CONTIGUOUS = "contiguous"
    STRIDED = "strided"
    """Every second element of a row twice as long: not dense."""
    TRANSPOSED = "transposed"
    """Dense, with the last two dimensions swapped in memory."""


class Values(enum.Enum):
    """What float tensors hold."""

    RANDOM = "random"
    TIES = "ties"
    """Few distinct values, so that maxima and order are tied."""
    SPECIAL = "special"
    """Both infinities, NaN, both zeros, the smallest and the largest finite value."""
    EMPTY = "empty"
    """No elements: the leading dimension of the first float tensor has size 0."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Everything that decides the inputs besides their specification."""

    low: DType
    layout: Layout = Layout.CONTIGUOUS
    values: Values = Values.RANDOM
    seed: int = 0
    device: str = "cpu"

    def __str__(self) -> str:
        words = self.low.value, self.layout.value, self.values.value
        return f"{' '.join(words)} seed {self.seed} on {self.device}"


LOW_DTYPES = (DType.BF16, DType.F16, DType.F32)
"""What a cast to float32 widens, and float32, which it leaves alone."""

SEEDS = 6

_TORCH = {
    DType.BF16: torch.bfloat16,
    DType.F16: torch.float16,
    DType.F32: torch.float32,
    DType.F64: torch.float64,
    DType.I32: torch.int32,
    DType.I64: torch.int64,
    DType.BOOL: torch.bool,
}


def torch_dtype(dtype: DType) -> torch.dtype:
    """The torch dtype; raises KeyError on `low`, which is none."""
    return _TORCH[dtype]


def all_conditions(
    lows: Iterable[DType], device: str, seeds: int = SEEDS
) -> Iterator[Conditions]:
    """Every dtype in every layout with every kind of values.

    `seeds` times where the values vary and lie as they mostly do, twice elsewhere, and
    once where there are none.
    """
    for low, layout, values in itertools.product(lows, Layout, Values):
        times = 2
        if values is Values.EMPTY:
            times = 1
        elif values is not Values.SPECIAL and layout is Layout.CONTIGUOUS:
            times = seeds
        for seed in range(times):
            yield Conditions(low, layout, values, seed, device)


def make_inputs(inputs: Iterable[Input], conditions: Conditions) -> dict[str, Any]:
    """The arguments by name. Made on the CPU first, so that devices agree on them."""
    inputs = tuple(inputs)
    generator = torch.Generator().manual_seed(conditions.seed)
    leading = _leading_size(inputs)
    made: dict[str, Any] = {}
    for each in inputs:
        if isinstance(each, LiteralInput):
            made[each.name] = each.value
            continue
        shape = each.shape
        if conditions.values is Values.EMPTY and shape and shape[0] == leading:
            shape = (0, *shape[1:])
        if each.dtype.is_float:
            made[each.name] = _floats(each, shape, conditions, generator)
        elif each.dtype is DType.BOOL:
            made[each.name] = _mask(each, shape, generator).to(conditions.device)
        else:
            made[each.name] = _index(each, shape, generator).to(conditions.device)
    return made


def source_name(inputs: Iterable[Input]) -> str | None:
    """The source of the cast: the first float tensor of dtype `low`, if any."""
    return next(
        (
            each.name
            for each in inputs
            if isinstance(each, TensorInput) and each.dtype is DType.LOW
        ),
        None,
    )


def _leading_size(inputs: tuple[Input, ...]) -> int | None:
    for each in inputs:
        if isinstance(each, TensorInput) and each.dtype.is_float and each.shape:
            return each.shape[0]
    return None


def _floats(
    each: TensorInput,
    shape: tuple[int, ...],
    conditions: Conditions,
    generator: torch.Generator,
) -> torch.Tensor:
    low = conditions.low if each.dtype is DType.LOW else each.dtype
    dtype = torch_dtype(low)
    numbers = torch.randn(shape, generator=generator, dtype=torch.float64) * 2
    if conditions.values is Values.TIES:
        numbers = (numbers * 0.6).round()
    if conditions.values is Values.SPECIAL:
        numbers = _sprinkle(numbers, dtype, generator)
    tensor = _lay_out(numbers.to(dtype).to(conditions.device), conditions.layout)
    return tensor.requires_grad_(each.requires_grad)


def _sprinkle(
    numbers: torch.Tensor, dtype: torch.dtype, generator: torch.Generator
) -> torch.Tensor:
    """Replace about a third of the elements by special values."""
    limits = torch.finfo(dtype)
    finite = limits.max, limits.min, limits.smallest_normal, limits.tiny / 2
    special = torch.tensor(
        [math.inf, -math.inf, math.nan, -0.0, 0.0, *finite], dtype=torch.float64
    )
    choice = torch.randint(len(special), numbers.shape, generator=generator)
    chosen = torch.rand(numbers.shape, generator=generator) < 1 / 3
    return torch.where(chosen, special[choice], numbers)


def _lay_out(tensor: torch.Tensor, layout: Layout) -> torch.Tensor:
    match layout:
        case Layout.STRIDED if tensor.dim() >= 1:
            wider = tensor.new_zeros((*tensor.shape[:-1], 2 * tensor.shape[-1]))
            return wider[..., ::2].copy_(tensor)
        case Layout.TRANSPOSED if tensor.dim() >= 2:
            return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
        case _:
            return tensor


def _mask(
    each: TensorInput, shape: tuple[int, ...], generator: torch.Generator
) -> torch.Tensor:
    if each.provenance is Provenance.PADDED:
        mask = torch.ones(shape, dtype=torch.bool)
        mask[..., shape[-1] // 2 :] = False
        return mask
    return torch.rand(shape, generator=generator) < 0.4


def _index(
    each: TensorInput, shape: tuple[int, ...], generator: torch.Generator
) -> torch.Tensor:
    assert each.bound is not None
    match each.provenance:
        case Provenance.ANY:
            index = torch.randint(each.bound, shape, generator=generator)
        case Provenance.REPEATED:
            few = min(each.bound, 2)
            index = torch.randint(few, shape, generator=generator)
        case Provenance.DISTINCT:
            index = _distinct(shape, each.bound, generator)
        case Provenance.PADDED:
            index = _distinct(shape, each.bound, generator)
            positions = index if index.dim() < 2 else index.transpose(0, -2)
            positions[positions.shape[0] // 2 :] = 0
    return index.to(torch_dtype(each.dtype))


def _distinct(
    shape: tuple[int, ...], bound: int, generator: torch.Generator
) -> torch.Tensor:
    """Integers below `bound`, none twice along the last dimension."""
    if not shape:
        return torch.randint(bound, (), generator=generator)
    order = torch.rand((*shape[:-1], bound), generator=generator).argsort(dim=-1)
    return order[..., : shape[-1]].contiguous()
