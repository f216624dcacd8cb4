"""Compare what two runs gave: bits of outputs, values of gradients.

Outputs must agree in shape, dtype and bits. Where both are NaN the payload is
forgiven: casts and gathers of halves rewrite it on the CPU. Gradients must be
`torch.equal`; the sign of zero is forgiven, since a negative gradient that
underflows is -0.0 when it is rounded after the sum and +0.0 when before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from .execution import Outcome

_OURS = ("NameError", "UnboundLocalError")
"""Errors that only a bad rewrite makes."""
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


@dataclass(frozen=True, slots=True)
class Mismatch:
    """What differs and how, and the largest finite difference if there is one."""

    where: str
    what: str
    largest: float | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Empty tuples mean equality. `restrided` names outputs whose strides changed."""

    outputs: tuple[Mismatch, ...]
    gradients: tuple[Mismatch, ...]
    restrided: tuple[str, ...]


def compare(before: Outcome, after: Outcome) -> Comparison:
    """Compare the outputs, written inputs, errors and gradients of two runs.

    An error counts as an output where only the run after it raises. Where the one
    before raised, nothing that it gave can be lost.
    """
    if before.error is not None:
        broken = after.error in _OURS and after.error != before.error
        return Comparison(_raises(before, after) if broken else (), (), ())
    if after.error is not None:
        return Comparison(_raises(before, after), (), ())
    return Comparison(
        (
            *_compare_all(before.outputs, after.outputs, compare_outputs),
            *_compare_all(before.inputs, after.inputs, compare_outputs),
        ),
        _compare_all(before.gradients, after.gradients, compare_gradients),
        tuple(
            where
            for where, strides in before.strides.items()
            if strides != after.strides.get(where)
        ),
    )


def compare_outputs(where: str, before: object, after: object) -> Mismatch | None:
    """How two outputs differ, or None where they are the same to the bit."""
    if not isinstance(before, torch.Tensor) or not isinstance(after, torch.Tensor):
        return _compare_plain(where, before, after)
    if unlike := _unlike(where, before, after):
        return unlike
    if not before.is_floating_point():
        return _count(where, "elements differ", before, after, before != after)
    nan = before.isnan()
    if not torch.equal(nan, after.isnan()):
        return Mismatch(where, "NaN in other places")
    differs = _bits(before.masked_fill(nan, 0)) != _bits(after.masked_fill(nan, 0))
    return _count(where, "elements differ in their bits", before, after, differs)


def compare_gradients(where: str, before: object, after: object) -> Mismatch | None:
    """How two gradients differ, or None where they are equal."""
    if not isinstance(before, torch.Tensor) or not isinstance(after, torch.Tensor):
        return _compare_plain(where, before, after)
    if unlike := _unlike(where, before, after):
        return unlike
    differs = (before != after) & ~(before.isnan() & after.isnan())
    return _count(where, "elements of the gradient differ", before, after, differs)


def _compare_all(
    before: Mapping[str, object],
    after: Mapping[str, object],
    compare_one: Callable[[str, object, object], Mismatch | None],
) -> tuple[Mismatch, ...]:
    found = []
    for where in dict.fromkeys((*before, *after)):
        if where not in before or where not in after:
            side = "before" if where in before else "after"
            found.append(Mismatch(where, f"exists only {side}"))
        elif mismatch := compare_one(where, before[where], after[where]):
            found.append(mismatch)
    return tuple(found)


def _compare_plain(where: str, before: object, after: object) -> Mismatch | None:
    """Compare values of which at least one is no tensor.

    Classes are the same by name, since each version of a module defines its own.
    Objects that compare by identity cannot be told to be the same.
    """
    was, now = _kind(before), _kind(after)
    if was != now:
        return Mismatch(where, f"a {was} before, a {now} after")
    if isinstance(before, dict):
        return Mismatch(where, f"a {was} cannot be compared")
    if before == after or (before != before and after != after):  # or both NaN
        return None
    if type(before).__eq__ is object.__eq__:
        return Mismatch(where, f"a {was} cannot be compared")
    return Mismatch(where, f"{before!r} before, {after!r} after")


def _kind(value: object) -> str:
    """The name of a class; a dictionary stands for what no process can hand over."""
    return str(value["type"]) if isinstance(value, dict) else type(value).__qualname__


def _unlike(where: str, before: torch.Tensor, after: torch.Tensor) -> Mismatch | None:
    """A difference in shape or dtype."""
    if before.shape != after.shape:
        was, now = tuple(before.shape), tuple(after.shape)
        return Mismatch(where, f"shape {was} before, {now} after")
    if before.dtype != after.dtype:
        return Mismatch(where, f"{before.dtype} before, {after.dtype} after")
    return None


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(_BITS[tensor.element_size()])


def _count(
    where: str,
    what: str,
    before: torch.Tensor,
    after: torch.Tensor,
    differs: torch.Tensor,
) -> Mismatch | None:
    count = int(differs.sum())
    if not count:
        return None
    gaps = (before[differs].double() - after[differs].double()).abs()
    finite = gaps[gaps.isfinite()]
    largest = float(finite.max()) if finite.numel() else None
    return Mismatch(where, f"{count} of {before.numel()} {what}", largest)


def _raises(before: Outcome, after: Outcome) -> tuple[Mismatch, ...]:
    what = f"{before.error or 'no error'} before, {after.error} after"
    return (Mismatch("raises", f"{what}: {after.message}" if after.message else what),)
