"""What the runs of both versions gave, as data, and the verdict on it.

A child process writes the outcome of each run as tensors and plain values, and nothing
else is read back (`weights_only`): no object of the user's code, whose `==` could say
anything, comes to the process that compares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from .comparison import Mismatch, compare
from .exchange import Measured, Verdict
from .execution import Outcome
from .inputs import LOW_DTYPES, SEEDS, Conditions, all_conditions
from .specification import DType, Input, TensorInput, parse_inputs

MEASURED = "measured.json"
_MALFORMED = (
    UnpicklingError,
    EOFError,
    RuntimeError,
    KeyError,
    TypeError,
    AttributeError,
)
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_NAMED = (
    torch.dtype,
    torch.device,
    torch.layout,
    torch.memory_format,
    torch.Size,
    type,
)


def conditions_of(inputs: str, maker: str, device: str) -> Iterator[Conditions]:
    """What both versions are run on; of inputs that a file makes only seeds vary."""
    parsed = parse_inputs(inputs)
    lows = _low_dtypes(parsed)
    if maker or not any(isinstance(each, TensorInput) for each in parsed):
        for seed in range(SEEDS):
            yield Conditions(lows[0], seed=seed, device=device)
        return
    yield from all_conditions(lows, device)


def data_of(outcome: Outcome) -> dict[str, Any]:
    """An outcome as what `torch.load` reads back without running anything."""
    return {
        "outputs": _plain(outcome.outputs),
        "inputs": _plain(outcome.inputs),
        "gradients": _plain(outcome.gradients),
        "strides": {where: list(each) for where, each in outcome.strides.items()},
        "error": outcome.error,
        "message": outcome.message,
    }


def judge_outcomes(before: Path, after: Path, conditions: list[Conditions]) -> Verdict:
    """Compare what two children wrote into their folders."""
    try:
        was, now = _measured(before), _measured(after)
    except ValueError as error:
        return Verdict(failure=f"the results cannot be read: {error}")
    for measured, version in ((was, ""), (now, "rewritten: ")):
        if measured.failure is not None:
            return Verdict(failure=version + measured.failure)
    outputs: dict[str, Mismatch] = {}
    gradients: dict[str, Mismatch] = {}
    restrided = False
    count = raised = 0
    message = "there was nothing to run"
    for number in range(len(conditions)):
        paths = before / str(number), after / str(number)
        if not any(path.exists() for path in paths):
            continue  # it cannot be run on the device
        try:
            first, second = map(_outcome, paths)
        except (OSError, ValueError) as error:
            return Verdict(failure=f"the results cannot be read: {error}")
        found = compare(first, second)
        count += 1
        if first.error is not None:
            raised += 1
            message = f"{first.error}: {first.message}"
        restrided |= bool(found.restrided)
        for mismatches, kept in (
            (found.outputs, outputs),
            (found.gradients, gradients),
        ):
            for mismatch in mismatches:
                _keep_largest(kept, mismatch)
    if raised == count and not outputs:
        why = "it raises on every input, which proves nothing"
        return Verdict(failure=f"{why}: {message}")
    seconds = None
    if was.seconds is not None and now.seconds is not None:
        seconds = was.seconds, now.seconds
    return Verdict(
        comparisons=count,
        raised=raised,
        outputs=tuple(map(str, outputs.values())),
        gradients=tuple(map(str, gradients.values())),
        largest_output=_largest(outputs),
        largest_gradient=_largest(gradients),
        restrided=restrided,
        peak_before=was.peak,
        peak_after=now.peak,
        seconds=seconds,
    )


def _measured(folder: Path) -> Measured:
    path = folder / MEASURED
    if not path.exists():
        return Measured(failure="the code ended the process")
    return Measured.from_json(path.read_text(encoding="utf-8"))


def _outcome(path: Path) -> Outcome:
    """Raises ValueError where a file is not what `data_of` gives, or OSError."""
    try:
        data = torch.load(path, weights_only=True, map_location="cpu")
        return Outcome(
            data["outputs"],
            data["inputs"],
            data["gradients"],
            data["error"],
            data["message"],
            {where: tuple(each) for where, each in data["strides"].items()},
        )
    except _MALFORMED as error:
        raise ValueError(str(error).split("\n", 1)[0]) from error


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    return {where: _plain_value(value) for where, value in values.items()}


def _plain_value(value: object) -> object:
    """A tensor of torch's own class, a value of a built-in one, or what names it.

    What is neither is a dictionary, which compares as something that cannot be.
    """
    if isinstance(value, torch.Tensor):
        tensor = value.detach().as_subclass(torch.Tensor)
        if tensor.layout is not torch.strided:
            tensor = tensor.to_dense()
        return tensor.cpu().contiguous().clone()
    if type(value) in _PLAIN:
        return value
    if isinstance(value, type):
        return f"class {value.__qualname__}"
    if isinstance(value, _NAMED):
        return f"{type(value).__qualname__} {value}"
    return {"type": type(value).__qualname__}


def _low_dtypes(inputs: tuple[Input, ...]) -> tuple[DType, ...]:
    """The dtypes that `low` goes through; one where the inputs name their own."""
    is_open = any(
        isinstance(each, TensorInput) and each.dtype is DType.LOW for each in inputs
    )
    return LOW_DTYPES if is_open else LOW_DTYPES[:1]


def _keep_largest(kept: dict[str, Mismatch], mismatch: Mismatch) -> None:
    """Keep one mismatch for each place, the one with the largest difference."""
    known = kept.get(mismatch.where)
    if known is None or (known.largest or 0) < (mismatch.largest or 0):
        kept[mismatch.where] = mismatch


def _largest(mismatches: dict[str, Mismatch]) -> float | None:
    sizes = [each.largest for each in mismatches.values() if each.largest is not None]
    return max(sizes, default=None)
