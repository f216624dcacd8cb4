"""What a run casts: no rewrite may cast more whole tensors on any path than before.

Casts are counted where torch makes them, whatever wrote them. The largest cast of a run
before the rewrite is one of the whole source: gathers, slices and masks are smaller at
these sizes. A run after it may make as many of that size, and none that is larger.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .execution import Function, load, restored_modes
from .inputs import Size, Variant, build

_CASTS = (torch.ops.aten._to_copy, torch.ops.aten.to)
"""In inference mode `to` is not taken apart into what it does."""


class WideningCasts(TorchDispatchMode):
    """Keeps the number of elements of each cast from a float type to a wider one."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.overloadpacket in _CASTS and _widens(args[0].dtype, result.dtype):
            self.sizes.append(result.numel())
        return result


def _widens(source: torch.dtype, target: torch.dtype) -> bool:
    return (
        source.is_floating_point
        and target.is_floating_point
        and target.itemsize > source.itemsize
    )


def costlier(before: str, after: str, name: str, seed: int) -> str | None:
    """How some run of `name` casts more after a rewrite than before, or None."""
    was, now = load(before, name), load(after, name)
    for variant in _variants(seed):
        first, second = casts(was, variant), casts(now, variant)
        if first is None or second is None:
            continue
        found = _more(first, second)
        if found is not None:
            return f"{found}: {variant}"
    return None


def casts(function: Function, variant: Variant) -> list[int] | None:
    """The sizes of the widening casts of a run, or None where it raises."""
    names = list(inspect.signature(function).parameters)
    counted = WideningCasts()
    with warnings.catch_warnings(), restored_modes():
        warnings.simplefilter("ignore")
        torch.default_generator.manual_seed(variant.seed)
        given = build(names, variant).arguments
        try:
            with counted:
                function(**given)
        except Exception:
            return None
    return counted.sizes


def _variants(seed: int) -> list[Variant]:
    """Wide inputs without repeats, on which flags decide each way."""
    return [
        Variant(seed, flag=flag, train=train, count=count, size=Size.WIDE)
        for flag, train, count in product((True, False), (True, False), (1, 2))
    ]


def _more(before: Sequence[int], after: Sequence[int]) -> str | None:
    whole = max(before, default=0)
    if max(after, default=0) > whole:
        return f"casts {max(after)} elements at once, {whole} before"
    was, now = before.count(whole), after.count(whole)
    return f"casts {now} whole tensors, {was} before" if now > was else None
