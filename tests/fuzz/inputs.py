"""The inputs a program runs on: one set for each variant of a run."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType, SimpleNamespace

import torch
from torch import nn

from .parameters import ORDINARY, PARAMETERS, Parameter, Role


class Layout(enum.Enum):
    DENSE = "dense"
    STRIDED = "strided"
    """Every second element of a wider tensor."""
    TRANSPOSED = "transposed"


class Origin(enum.Enum):
    """How the tensors that may get a gradient come to be."""

    PLAIN = "no gradient"
    LEAF = "leaf"
    MADE = "made from a leaf"
    """May be written to in place."""


class Size(enum.Enum):
    """How long the dimensions are."""

    SMALL = MappingProxyType({"B": 2, "S": 3, "V": 8, "K": 3, "J": 2, "H": 4})
    LARGE = MappingProxyType({"B": 3, "S": 41, "V": 129, "K": 9, "J": 2, "H": 65})
    """Enough for a reduction to add in another order over another layout."""
    WIDE = MappingProxyType({"B": 8, "S": 8, "V": 600, "K": 2, "J": 2, "H": 8})
    """Any index that is given is small beside what it may select from."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run a program."""

    seed: int
    dtype: torch.dtype = torch.bfloat16
    layout: Layout = Layout.DENSE
    origin: Origin = Origin.PLAIN
    flag: bool = True
    train: bool = False
    count: int = 2
    coarse: bool = False
    """Few different values, so that ties occur."""
    special: bool = False
    """Some infinities and NaN."""
    repeats: bool = False
    """Indices occur more than once."""
    callback: str = "same"
    integers: torch.dtype | None = None
    """What tensors hold whose names do not say that they are floats."""
    size: Size = Size.SMALL


DTYPES = (torch.bfloat16, torch.float16, torch.float32)
_INTEGERS = (torch.int64, torch.uint8, torch.bool)


def variants(seed: int, count: int) -> list[Variant]:
    """`count` variants that between them cover every type, origin and flag.

    The first is the plainest. The last two are large, the one before them may hold
    integers.
    """
    random = Random(seed ^ 0x5EED)
    found = [Variant(seed)]
    for number in range(1, count):
        large = number >= count - 2 and count > 3
        whole = number == count - 3 and count > 6
        found.append(
            Variant(
                seed=seed + number,
                dtype=DTYPES[number % 3],
                layout=random.choice((Layout.DENSE, *Layout)),
                origin=(Origin.MADE, Origin.LEAF, Origin.PLAIN, Origin.MADE)[
                    random.randrange(4) if large else number % 4
                ],
                flag=bool(number % 2),
                train=random.random() < 0.5,
                count=random.choice((1, 2)),
                coarse=random.random() < 0.4,
                special=not large and random.random() < 0.2,
                repeats=random.random() < 0.6,
                callback=random.choice(("same", "fresh", "touch")),
                integers=random.choice(_INTEGERS) if whole else None,
                size=Size.LARGE if large else Size.SMALL,
            )
        )
    return found


@dataclass(slots=True)
class Inputs:
    """What one run gets, and what its caller keeps hold of."""

    arguments: dict[str, object]
    leaves: dict[str, torch.Tensor] = field(default_factory=dict)


def build(names: Mapping[str, object] | list[str], variant: Variant) -> Inputs:
    """The arguments for parameters of these names."""
    inputs = Inputs({})
    for name in names:
        # Each has its own stream: dropping one leaves the others as they were.
        salt = sum(ord(c) * 31**n for n, c in enumerate(name))
        generator = torch.Generator().manual_seed(variant.seed * 1009 + salt % 9973)
        parameter = PARAMETERS[name]
        inputs.arguments[name] = _argument(name, parameter, variant, generator, inputs)
    return inputs


def _argument(
    name: str,
    parameter: Parameter,
    variant: Variant,
    generator: torch.Generator,
    inputs: Inputs,
) -> object:
    sizes = variant.size.value
    shape = [sizes[dim] for dim in parameter.dims]
    match parameter.role:
        case Role.LOW:
            return _floats(name, shape, variant, generator, inputs)
        case Role.OUTPUT:
            logits = _floats("logits", shape, variant, generator, inputs)
            return SimpleNamespace(logits=logits, temperature=0.7)
        case Role.SINGLE:
            return torch.rand(shape, generator=generator) + 0.5
        case Role.INDEX:
            return _indices(shape, sizes[parameter.bound], variant, generator)
        case Role.MASK:
            return torch.rand(shape, generator=generator) < 0.6
        case Role.FACTOR:
            return 0.7 if variant.count == 1 else 1.5
        case Role.COUNT:
            return variant.count
        case Role.FLAG:
            return variant.flag if name == "flag" else variant.train
        case Role.LIST:
            return []
        case Role.OBJECT:
            return SimpleNamespace()
        case Role.CALLBACK:
            return CALLBACKS[variant.callback]
        case Role.MODULE:
            return _module(generator)


def _module(generator: torch.Generator) -> nn.Module:
    layers = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)).to(torch.bfloat16)
    for weight in layers.parameters():
        weight.data.normal_(generator=generator)
    return layers


def _same(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


def _fresh(tensor: torch.Tensor) -> torch.Tensor:
    return tensor * 2


def _touch(tensor: torch.Tensor) -> torch.Tensor:
    tensor.detach().mul_(0.5)
    return tensor


CALLBACKS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "same": _same,
    "fresh": _fresh,
    "touch": _touch,
}


def _floats(
    name: str,
    shape: list[int],
    variant: Variant,
    generator: torch.Generator,
    inputs: Inputs,
) -> torch.Tensor:
    wider = list(shape)
    if variant.layout is Layout.STRIDED:
        wider[-1] *= 2
    elif variant.layout is Layout.TRANSPOSED:
        wider.reverse()
    values = torch.randn(wider, generator=generator) * 2
    if variant.coarse:
        values = values.round()
    if variant.special:
        where = torch.rand(wider, generator=generator)
        values[where < 0.06] = float("inf")
        values[where > 0.94] = float("-inf")
        values[(where > 0.45) & (where < 0.49)] = float("nan")
    integers = None if ORDINARY.search(name) else variant.integers
    tensor = values.to(variant.dtype)
    if integers is not None:
        tensor = (values.nan_to_num(0, 0, 0).abs() * 9).to(integers)
    if variant.layout is Layout.STRIDED:
        tensor = tensor[..., ::2]
    elif variant.layout is Layout.TRANSPOSED:
        tensor = tensor.permute(*reversed(range(len(wider))))
    if variant.origin is Origin.PLAIN or integers is not None:
        return tensor
    leaf = tensor.requires_grad_()
    inputs.leaves[name] = leaf
    return leaf if variant.origin is Origin.LEAF else leaf * 1


def _indices(
    shape: list[int], bound: int, variant: Variant, generator: torch.Generator
) -> torch.Tensor:
    if variant.repeats:
        few = max(2, bound // 3)
        return torch.randint(0, few, shape, generator=generator)
    lines = torch.rand([*shape[:-1], bound], generator=generator).argsort(-1)
    if shape[-1] > bound:
        return torch.randint(0, bound, shape, generator=generator)
    return lines[..., : shape[-1]].contiguous()
