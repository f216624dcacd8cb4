"""Run a function, keep all that its caller could see, and compare two such runs.

Outputs, written inputs and errors must be the same to the bit, NaN payloads aside;
gradients must be `torch.equal` after the sign of zero is normalised. What shared its
memory with something else that the caller holds must still do so, and nothing more:
the caller may write to it. Strides may differ. Where the function raised before, it may
go on now, for a selection of what was not dense may work, and then raise what comes
next; it must not begin to raise.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from math import isclose
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from .inputs import CALLBACKS, Inputs, Variant, build

Function = Callable[..., object]
_OURS = ("NameError", "UnboundLocalError")
"""Errors that a bad rewrite makes."""
_NO_TENSOR = ("AttributeError", "TypeError")
"""What a cast of something else raises, and so may a `finally` that it now meets."""
_ADDRESS = re.compile(r" at 0x\w+")
_INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


@dataclass(frozen=True, slots=True)
class Run:
    error: str | None
    outputs: Mapping[str, object]
    inputs: Mapping[str, object]
    """The arguments as they are afterwards."""
    gradients: Mapping[str, torch.Tensor | None]
    backward_error: str | None
    shared: frozenset[tuple[str, str]]
    """Outputs that have elements in common with others, or with the arguments."""
    mode: str
    """The gradient mode that it leaves behind."""


def load(text: str, name: str) -> Function:
    """The function that a program defines. Raises what its module raises."""
    namespace: dict[str, object] = {"__name__": "program"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "program.py", "exec"), namespace)
    function = namespace[name]
    assert callable(function)
    return function


def execute(function: Function, variant: Variant, backward: bool) -> Run:
    """One run. `backward`: also find the gradients, from random ones of the outputs."""
    names = list(inspect.signature(function).parameters)
    with warnings.catch_warnings(), restored_modes():
        warnings.simplefilter("ignore")
        torch.default_generator.manual_seed(variant.seed)
        inputs = build(names, variant)
        given = dict(inputs.arguments)
        error: str | None = None
        outputs: dict[str, object] = {}
        try:
            returned = function(**given)
            outputs = dict(_flat("returned", returned))
        except Exception as raised:
            error = type(raised).__name__
        mode = _mode()
        after = {
            path: value
            for name, value in inputs.arguments.items()
            for path, value in _flat(name, value)
        }
        gradients: dict[str, torch.Tensor | None] = {}
        backward_error: str | None = None
        if backward and error is None and inputs.leaves:
            backward_error = _backward({**outputs, **after}, inputs, variant)
            gradients = {name: leaf.grad for name, leaf in inputs.leaves.items()}
    shared = _shared(outputs, after)
    return Run(error, outputs, after, gradients, backward_error, shared, mode)


@contextmanager
def restored_modes() -> Iterator[None]:
    """Gradients are on, as before, whatever a program entered and did not leave."""
    with torch.inference_mode(False), torch.enable_grad():
        yield


def _mode() -> str:
    inference = torch.is_inference_mode_enabled()
    return f"gradients {torch.is_grad_enabled()}, inference {inference}"


def _flat(path: str, value: object) -> Iterator[tuple[str, object]]:
    """All that can be reached from a value. Functions without arguments are called."""
    match value:
        case torch.Tensor() | int() | float() | str() | None:
            yield path, value
        case list() | tuple():
            yield f"{path} length", len(value)
            for number, item in enumerate(value):
                yield from _flat(f"{path}[{number}]", item)
        case dict():
            yield f"{path} keys", str(list(value))
            for key, item in value.items():
                yield from _flat(f"{path}[{key!r}]", item)
        case SimpleNamespace():
            yield from _flat(path, vars(value))
        case np.ndarray() if value.dtype.kind in "biuf":
            yield f"{path} in numpy", torch.from_numpy(value)
        case np.generic():
            yield f"{path} in numpy", value.item()
        case nn.Module():
            yield from _flat(path, dict(value.state_dict()))
        case _ if type(value).__module__ == "program" and hasattr(value, "__dict__"):
            yield from _flat(path, vars(value))
        case _ if value in CALLBACKS.values():
            yield path, "the callback"
        case _ if inspect.isfunction(value):
            yield from _called(path, value)
        case _:
            yield path, f"{type(value).__name__} {_ADDRESS.sub('', str(value))}"


def _called(path: str, function: Callable[[], object]) -> Iterator[tuple[str, object]]:
    try:
        value = function()
    except Exception as error:
        yield f"{path}()", f"raises {type(error).__name__}"
        return
    if inspect.isfunction(value):
        yield f"{path}()", "a function"
    else:
        yield from _flat(f"{path}()", value)


def _shared(
    outputs: Mapping[str, object], inputs: Mapping[str, object]
) -> frozenset[tuple[str, str]]:
    """The pairs of outputs, or of an output and an argument, with common elements."""
    tensors = [
        (path, value)
        for path, value in [*outputs.items(), *inputs.items()]
        if isinstance(value, torch.Tensor) and value.numel()
    ]
    return frozenset(
        (path, other)
        for (path, one), (other, two) in combinations(tensors, 2)
        if path in outputs and _overlap(one, two)
    )


def _overlap(one: torch.Tensor, two: torch.Tensor) -> bool:
    if one.untyped_storage().data_ptr() != two.untyped_storage().data_ptr():
        return False
    return bool(torch.isin(_places(one), _places(two)).any())


def _places(tensor: torch.Tensor) -> torch.Tensor:
    """Where the elements of a tensor begin in its storage, in bytes."""
    at = torch.tensor(tensor.storage_offset())
    for size, step in zip(tensor.shape, tensor.stride(), strict=True):
        at = at[..., None] + torch.arange(size) * step
    return at.flatten() * tensor.element_size()


def _backward(
    reachable: Mapping[str, object], inputs: Inputs, variant: Variant
) -> str | None:
    roots: list[torch.Tensor] = []
    upstream: list[torch.Tensor] = []
    generator = torch.Generator().manual_seed(variant.seed + 7)
    for value in reachable.values():
        if not isinstance(value, torch.Tensor) or not value.requires_grad:
            continue
        if any(value is leaf for leaf in inputs.leaves.values()):
            continue
        roots.append(value)
        upstream.append(torch.randn(value.shape, generator=generator).to(value.dtype))
    if not roots:
        return None
    try:
        torch.autograd.backward(roots, upstream)
    except Exception as error:
        return type(error).__name__
    return None


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What a condition on the finding says may differ."""

    gradients: bool = False
    last_bits: bool = False
    """The order of additions, or the kernel that an element meets, may change."""
    zero_signs: bool = False
    texts: bool = False
    """What a tensor looks like in a text may change."""
    sharing: bool = False
    """Which results share memory with each other may change."""
    values: bool = False
    """The source may have been written to, or be gone: only types can be compared."""


EXACT = Tolerance()


def difference(before: Run, after: Run, tolerance: Tolerance = EXACT) -> str | None:
    """How two runs differ in words, or None."""
    if before.error is not None:
        if after.error in _OURS and before.error not in (*_OURS, *_NO_TENSOR):
            return f"raises {after.error}, raised {before.error} before"
        return None
    if after.error is not None and tolerance.values and after.error not in _OURS:
        return None
    if after.error is not None:
        return f"raises {after.error}, did not raise before"
    for what, was, now in (
        ("outputs", before.outputs, after.outputs),
        ("inputs", before.inputs, after.inputs),
    ):
        if list(was) != list(now):
            return f"{what} {list(now)} instead of {list(was)}"
        for path, value in was.items():
            found = _unlike(value, now[path], tolerance)
            if found is not None:
                return f"{path}: {found}"
    if before.mode != after.mode:
        return f"leaves {after.mode} behind, not {before.mode}"
    if before.shared != after.shared and not tolerance.sharing:
        pairs = sorted(before.shared ^ after.shared)
        return f"shares memory otherwise: {pairs}"
    if tolerance.gradients or before.backward_error is not None:
        return None
    if after.backward_error is not None:
        return f"backward raises {after.backward_error}, did not raise before"
    for name, gradient in before.gradients.items():
        found = _unlike_gradient(gradient, after.gradients[name])
        if found is not None:
            return f"gradient of {name}: {found}"
    return None


def _unlike(before: object, after: object, tolerance: Tolerance) -> str | None:
    if isinstance(before, torch.Tensor) and isinstance(after, torch.Tensor):
        if tolerance.values and before.shape != after.shape:
            return None
        return _unlike_tensors(before, after, tolerance)
    said = f"{_shown(after)} instead of {_shown(before)}"
    if type(before) is not type(after):
        return said
    if tolerance.texts and isinstance(before, str):
        return None
    if tolerance.values or before == after or (before != before and after != after):
        return None
    if tolerance.last_bits and isinstance(before, float) and isinstance(after, float):
        return None if isclose(before, after, rel_tol=1e-4, abs_tol=1e-4) else said
    return said


def _unlike_tensors(
    before: torch.Tensor, after: torch.Tensor, tolerance: Tolerance
) -> str | None:
    kept = (
        ("shape", "dtype") if tolerance.values else ("shape", "dtype", "requires_grad")
    )
    for name in kept:
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            return f"{name} {now} instead of {was}"
    if tolerance.values:
        return None
    before, after = before.detach(), after.detach()
    if not before.is_floating_point():
        return None if torch.equal(before, after) else _said(before, after)
    if torch.equal(_bits(before), _bits(after)):
        return None
    if tolerance.zero_signs:
        before, after = before + 0.0, after + 0.0
    nan = before.isnan()
    if not torch.equal(nan, after.isnan()):
        return f"NaN elsewhere: {_said(before, after)}"
    if torch.equal(_bits(before.masked_fill(nan, 0)), _bits(after.masked_fill(nan, 0))):
        return None
    if tolerance.last_bits and torch.allclose(
        before.double(), after.double(), rtol=1e-4, atol=1e-4, equal_nan=True
    ):
        return None
    return _said(before, after)


def _said(before: torch.Tensor, after: torch.Tensor) -> str:
    return (
        f"{after.flatten().tolist()[:40]} instead of {before.flatten().tolist()[:40]}"
    )


def _shown(value: object) -> str:
    return "a tensor" if isinstance(value, torch.Tensor) else repr(value)


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(_INTEGERS[tensor.element_size()])


def _unlike_gradient(
    before: torch.Tensor | None, after: torch.Tensor | None
) -> str | None:
    if before is None or after is None:
        return None if before is after else f"{_shown(after)}, was {_shown(before)}"
    if before.dtype != after.dtype or before.shape != after.shape:
        return f"{after.dtype} {after.shape} instead of {before.dtype} {before.shape}"
    nan = before.isnan()
    same = torch.equal(nan, after.isnan()) and torch.equal(
        before.masked_fill(nan, 0), after.masked_fill(nan, 0)
    )
    return None if same else _said(before, after)
