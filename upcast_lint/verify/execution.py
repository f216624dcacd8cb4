"""Run one function on one set of inputs and keep all that can be seen of it."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import inspect
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import GeneratorType, ModuleType
from typing import Any

import torch

from .fixture import Arguments, Case
from .inputs import Conditions, Values, make_inputs
from .specification import parse_inputs


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave; mappings go from where something is to what it is.

    `outputs` are the leaves of the result, detached, and the types of its
    containers; `inputs` the tensors as they stand after the run; `gradients` one
    entry for each input that requires a gradient, None where none arrived.
    `error` is the type of the exception that ended the run, `message` its text;
    `strides` are those of the outputs.
    """

    outputs: Mapping[str, object]
    inputs: Mapping[str, object]
    gradients: Mapping[str, object]
    error: str | None = None
    message: str = ""
    strides: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


Prepared = tuple[Callable[..., Any], dict[str, Any]]
"""A function and its inputs, some of which may be for others: see `parameters_of`."""
Prepare = Callable[[Conditions], Prepared]


def run_case(function: Callable[..., Any], case: Case, given: Conditions) -> Outcome:
    """Run `function` on inputs of its own, forward and backward.

    The global generators start from the same seed, so that dropout repeats.
    """
    return observe(prepared(function, case, given), case, given)


def prepared(function: Callable[..., Any], case: Case, given: Conditions) -> Prepared:
    return function, make_inputs(parse_inputs(case.inputs), given)


def observe(ready: Prepared, case: Case, given: Conditions) -> Outcome:
    """The same on inputs that are made already."""
    function, inputs = ready
    tensors = {k: v for k, v in inputs.items() if isinstance(v, torch.Tensor)}
    _seed_generators(given)
    try:
        outputs = call_with_gradients(function, case, inputs, given)
    except Exception as error:  # whatever the code under test raises is its outcome
        name = type(error).__qualname__
        return Outcome({}, _detached(tensors), {}, name, str(error))
    gradients = {k: v.grad for k, v in tensors.items() if v.requires_grad}
    strides = {
        where: leaf.stride()
        for where, leaf in outputs.items()
        if isinstance(leaf, torch.Tensor) and leaf.layout is torch.strided
    }
    return Outcome(_detached(outputs), _detached(tensors), gradients, strides=strides)


def call_with_gradients(
    function: Callable[..., Any],
    case: Case,
    inputs: Arguments,
    given: Conditions,
) -> dict[str, object]:
    """Call `function`, run its backward pass, and return the leaves of its result."""
    around = case.around or contextlib.nullcontext
    with around(parameters_of(function, inputs)) as arguments:
        result = function(**arguments)
        outputs = leaves(result)
        if case.objective is not None:
            roots = [case.objective(result, inputs)]
            upstream = [torch.ones_like(roots[0])]
        else:
            roots = [leaf for leaf in outputs.values() if _has_gradient(leaf)]
            upstream = _upstream(roots, given.seed)
        if roots and all(root.requires_grad for root in roots):
            torch.autograd.backward(roots, upstream)
    return outputs


def is_safe_on_device(prepare: Prepare, case: Case, given: Conditions) -> bool:
    """Whether it is safe to run a function on its inputs on their device.

    Without elements an index may be out of range. The CPU raises then; CUDA fails an
    assertion that ends all further work in the process.
    """
    if given.device == "cpu" or given.values is not Values.EMPTY:
        return True
    on_cpu = dataclasses.replace(given, device="cpu")
    return observe(prepare(on_cpu), case, on_cpu).error is None


def parameters_of(function: Callable[..., Any], inputs: Arguments) -> Arguments:
    """Those inputs that are parameters of `function`.

    The rest is for the objective, or belongs to the object of a method (`self.weight`).
    """
    inputs = {name: value for name, value in inputs.items() if "." not in name}
    parameters = inspect.signature(function).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return inputs
    return {name: value for name, value in inputs.items() if name in parameters}


def leaves(
    value: object, where: str = "result", around: tuple[int, ...] = ()
) -> dict[str, object]:
    """The leaves of nested containers, and their types, by where they stand.

    A generator is run to its end; arrays of numpy are tensors. Objects are what their
    attributes are, where they have some and cannot be called. `around` are the
    identities of what holds the value, which may hold itself.
    """
    if id(value) in around:
        return {where: "itself"}
    match value:
        case dict():
            children = {f"{where}[{key!r}]": item for key, item in value.items()}
        case list() | tuple() | GeneratorType():
            children = {f"{where}[{i}]": item for i, item in enumerate(value)}
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            children = {
                f"{where}.{field.name}": getattr(value, field.name)
                for field in dataclasses.fields(value)
            }
        case enum.Enum():
            return {where: str(value)}
        case _ if type(value).__module__ == "numpy":
            return {where: torch.as_tensor(value)}
        case _ if _has_attributes(value):
            children = {f"{where}.{name}": item for name, item in vars(value).items()}
        case _:
            return {where: value}
    found: dict[str, object] = {where: type(value).__qualname__}
    for path, child in children.items():
        found |= leaves(child, path, (*around, id(value)))
    return found


def _has_attributes(value: object) -> bool:
    return bool(getattr(value, "__dict__", None)) and not (
        callable(value) or isinstance(value, torch.Tensor | ModuleType)
    )


def _has_gradient(leaf: object) -> bool:
    return isinstance(leaf, torch.Tensor) and leaf.requires_grad


def _upstream(roots: list[Any], seed: int) -> list[torch.Tensor]:
    """Random upstream gradients: an even upstream would hide most differences."""
    generator = torch.Generator().manual_seed(seed + 7919)
    return [
        torch.randn(root.shape, generator=generator).to(root.device, root.dtype)
        for root in roots
    ]


def _seed_generators(given: Conditions) -> None:
    """As `torch.manual_seed` does, which formats a traceback for each absent device."""
    random.seed(given.seed)
    torch.default_generator.manual_seed(given.seed)
    if given.device == "cuda":
        torch.cuda.manual_seed(given.seed)


def _detached(values: Mapping[str, object]) -> dict[str, object]:
    return {
        where: value.detach() if isinstance(value, torch.Tensor) else value
        for where, value in values.items()
    }
