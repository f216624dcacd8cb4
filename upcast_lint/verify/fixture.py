"""The format of a fixture: one rewrite as two functions, with what is claimed of it.

A fixture is a module `rules/<rule>/fixtures/<situation>.py` with

- a docstring that states the claim,
- `before` and `after`, of the same signature; `after` is to the letter what the
  fixer makes of `before`; in the display tier, where it makes nothing, what people do,
- `FIXTURE`, a `Fixture`: the tier, and the cases on which both are run.

It is test, documentation example and `verify` case at once. This module does not
import torch, a fixture does.
"""

from __future__ import annotations

import enum
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..finding import Safety
from .specification import DType, SpecificationError, parse_inputs

Arguments = Mapping[str, Any]


class Relation(enum.Enum):
    """How something after the rewrite relates to the same before it."""

    EQUAL = "equal"
    """On every input."""
    DIFFER = "differ"
    """For each dtype that is widened, on at least one seed.

    Where the cast does nothing, gradients may differ by rounding at most.
    """
    OPEN = "open"
    """Not known, or different from device to device: reported, not judged."""


class Memory(enum.Enum):
    """What the rewrite does to memory on the path that a case takes."""

    SHRINKS = "shrinks"
    """The peak falls, and no new tensor of the wide dtype is as large as the source."""
    NO_WORSE = "no worse"
    """The path reads the whole copy: the peak does not rise."""
    UNMEASURED = "unmeasured"
    """Tensor subclasses and collectives hide allocations from the accounting."""


@dataclass(frozen=True, slots=True)
class Case:
    """One set of inputs, and what must hold on it.

    `inputs` follows the grammar of `specification`; those that are not parameters
    of the functions are there for the objective. Gradients are those of
    `objective(result, inputs)`, a scalar; without one, every output receives a random
    upstream gradient. `around` may put a context round the call and change the
    arguments, to provide what no literal can: a process group, a tensor subclass.
    """

    claim: str
    inputs: str
    outputs: Relation = Relation.EQUAL
    gradients: Relation = Relation.EQUAL
    memory: Memory = Memory.SHRINKS
    objective: Callable[[Any, Arguments], Any] | None = None
    around: Callable[[Arguments], AbstractContextManager[Arguments]] | None = None


@dataclass(frozen=True, slots=True)
class Fixture:
    """`wide` is the dtype that the cast widens to."""

    tier: Safety
    cases: tuple[Case, ...]
    wide: DType = DType.F32


@dataclass(frozen=True, slots=True)
class Specimen:
    """A fixture that is loaded. `name` is `rule-name/situation`."""

    name: str
    claim: str
    before: Callable[..., Any]
    after: Callable[..., Any]
    fixture: Fixture


class FixtureError(Exception):
    """A fixture module that does not follow the format, by its path."""


def load_specimen(path: Path) -> Specimen:
    """Import the fixture at `path`; raises FixtureError where it breaks the format."""
    rule = path.parent.parent.name.replace("_", "-")
    module = _import(path)
    fixture = getattr(module, "FIXTURE", None)
    before, after = getattr(module, "before", None), getattr(module, "after", None)
    if not isinstance(fixture, Fixture):
        raise FixtureError(f"{path}: FIXTURE is missing or not a Fixture")
    if not callable(before) or not callable(after):
        raise FixtureError(f"{path}: before or after is missing")
    if inspect.signature(before) != inspect.signature(after):
        raise FixtureError(f"{path}: before and after differ in their signatures")
    if not module.__doc__:
        raise FixtureError(f"{path}: the docstring that states the claim is missing")
    if not fixture.cases:
        raise FixtureError(f"{path}: no cases")
    for case in fixture.cases:
        try:
            parse_inputs(case.inputs)
        except SpecificationError as error:
            raise FixtureError(f"{path}: case {case.claim!r}: {error}") from error
    all_equal = all(
        case.outputs is case.gradients is Relation.EQUAL for case in fixture.cases
    )
    is_made = fixture.tier is not Safety.DISPLAY
    if is_made and (fixture.tier is Safety.SAFE) is not all_equal:
        raise FixtureError(
            f"{path}: a fixture is safe if and only if everything is equal in all cases"
        )
    claim = module.__doc__.strip().splitlines()[0]
    return Specimen(f"{rule}/{path.stem}", claim, before, after, fixture)


def _import(path: Path) -> ModuleType:
    """A module of its own for each path, also where two rules share a file name."""
    name = f"_upcast_lint_fixture_{path.parent.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FixtureError(f"{path}: not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a fixture is code, and may need what is not there
        reason = f"{type(error).__name__}: {error}"
        raise FixtureError(f"{path}: cannot be imported: {reason}") from error
    return module
