"""Which functions to verify and on what, as a small TOML file next to the code.

[[function]]
file = "loss.py"            # from the folder of the TOML file
name = "token_logprobs"     # or Class.static_method
inputs = "logits=bf16[2,8,64] grad; labels=i64[2,8]<64"
seconds = 60                # optional, as all that follows
memory-gib = 4
self = "Head(vocab=64)"     # the object of a method, as an expression in the module
inputs-from = "inputs.py"   # a file with a function `inputs()`, in place of `inputs`
entry = "train.py::step"    # what is called instead of the function
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files import read_regular
from .specification import SpecificationError, parse_inputs

DEFAULT_SECONDS = 60.0
DEFAULT_MEMORY_GIB = 4.0
_GIB = 2**30
_MOST = 1_000_000
_REQUIRED = ("file", "name")
_TEXTS = ("inputs", "self", "inputs-from", "entry")
_LIMITS = ("seconds", "memory-gib")


class PlanError(Exception):
    """The plan cannot be read, or does not say what it must."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A function to verify. `path` is absolute, `memory` in bytes.

    `instance` is an expression for the object whose method it is, `maker` a file that
    makes the inputs, and `entry` with `entry_function` what is called instead.
    """

    path: Path
    function: str
    inputs: str
    seconds: float = DEFAULT_SECONDS
    memory: int = int(DEFAULT_MEMORY_GIB * _GIB)
    instance: str = ""
    maker: Path | None = None
    entry: Path | None = None
    entry_function: str = ""

    @property
    def called(self) -> str:
        return self.entry_function or self.function


@dataclass(frozen=True, slots=True)
class Plan:
    subjects: tuple[Subject, ...]

    def find(self, path: Path, function: str) -> Subject | None:
        """The entry for a function, if the plan has one."""
        wanted = path.resolve()
        for subject in self.subjects:
            if subject.path == wanted and subject.function == function:
                return subject
        return None


def read_plan(path: Path) -> Plan:
    """Read and check a plan; raises PlanError, which names the file and the entry."""
    try:
        data = tomllib.loads(read_regular(str(path))[0].decode())
    except OSError as error:
        raise PlanError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{path}: {error}") from error
    entries = data.pop("function", None)
    if data or not isinstance(entries, list):
        raise PlanError(f"{path}: expected [[function]] tables and nothing else")
    return Plan(tuple(_read_entry(path, entry) for entry in entries))


def _read_entry(path: Path, entry: Any) -> Subject:
    if not isinstance(entry, dict):
        raise PlanError(f"{path}: expected [[function]] tables and nothing else")
    name = entry.get("name", "?")
    wanted = _REQUIRED if "inputs-from" in entry else (*_REQUIRED, "inputs")
    for key in (*wanted, *(key for key in _TEXTS if key in entry)):
        if not isinstance(entry.get(key), str):
            raise PlanError(f"{path}: function {name!r}: {key} must be a string")
    for key in entry:
        if key not in (*_REQUIRED, *_TEXTS, *_LIMITS):
            raise PlanError(f"{path}: function {name!r}: unknown key {key!r}")
    for key in _LIMITS:
        limit = entry.get(key, 1)
        is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
        if not (is_number and 0 < limit <= _MOST):
            most = f"must be above 0 and at most {_MOST}"
            raise PlanError(f"{path}: function {name!r}: {key} {most}")
    inputs = entry.get("inputs", "")
    try:
        parse_inputs(inputs)
        file = (path.parent / entry["file"]).resolve()
        maker = _beside(path, entry.get("inputs-from"))
        called, called_function = None, ""
        if "entry" in entry:
            called_file, called_function = split_target(entry["entry"])
            called = _beside(path, called_file)
    except (SpecificationError, OSError, ValueError) as error:
        raise PlanError(f"{path}: function {name!r}: {error}") from error
    return Subject(
        file,
        name,
        inputs,
        float(entry.get("seconds", DEFAULT_SECONDS)),
        int(entry.get("memory-gib", DEFAULT_MEMORY_GIB) * _GIB),
        entry.get("self", ""),
        maker,
        called,
        called_function,
    )


def split_target(text: str) -> tuple[str, str]:
    """File and function of `FILE::FUNCTION`; raises ValueError."""
    file, separator, function = text.rpartition("::")
    if not separator or not file or not function:
        raise ValueError(f"expected FILE::FUNCTION, got {text!r}")
    return file, function


def _beside(path: Path, file: str | None) -> Path | None:
    return None if file is None else (path.parent / file).resolve()
