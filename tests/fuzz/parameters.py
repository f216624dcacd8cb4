"""The parameters of generated functions: what a name means, in every program.

A name alone says what to pass, so a program is its text and nothing else. Names speak
to the engine as they do in real code: `logits` are floats, `x` is anything.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from .tensors import Dims


class Role(enum.Enum):
    LOW = enum.auto()
    SINGLE = enum.auto()
    """A float32 tensor in every run."""
    INDEX = enum.auto()
    MASK = enum.auto()
    FACTOR = enum.auto()
    COUNT = enum.auto()
    FLAG = enum.auto()
    OUTPUT = enum.auto()
    """An object with `logits` and `temperature`."""
    LIST = enum.auto()
    OBJECT = enum.auto()
    CALLBACK = enum.auto()
    MODULE = enum.auto()
    """Two linear layers in bfloat16."""


@dataclass(frozen=True, slots=True)
class Parameter:
    role: Role
    dims: Dims = ()
    bound: str = ""
    """Indices are below this dimension."""


LOGITS: Dims = ("B", "S", "V")
GRIDS = ("x", "logits", "student_logits", "grid", "lm_logits")
ROWS = ("scores", "step_logits", "line")
TABLES = ("table", "embed_weight")

ORDINARY = re.compile(r"logits|logprobs")
"""Names that say that a tensor has an ordinary float type."""

PARAMETERS: dict[str, Parameter] = {
    **{name: Parameter(Role.LOW, LOGITS) for name in GRIDS},
    "other": Parameter(Role.LOW, LOGITS),
    **{name: Parameter(Role.LOW, ("B", "V")) for name in ROWS},
    **{name: Parameter(Role.LOW, ("V", "H")) for name in TABLES},
    "hidden": Parameter(Role.LOW, ("B", "S", "H")),
    "head_weight": Parameter(Role.LOW, ("V", "H")),
    "idx": Parameter(Role.INDEX, ("B", "S", "K"), "V"),
    "topk_indices": Parameter(Role.INDEX, ("B", "S", "K"), "V"),
    "labels": Parameter(Role.INDEX, ("B", "S"), "V"),
    "cols": Parameter(Role.INDEX, ("K",), "V"),
    "picks": Parameter(Role.INDEX, ("J",), "S"),
    "rows": Parameter(Role.INDEX, ("J",), "B"),
    "pos": Parameter(Role.INDEX, ("B",), "S"),
    "mask": Parameter(Role.MASK, ("B", "S")),
    "wanted": Parameter(Role.MASK, LOGITS),
    "row_scale": Parameter(Role.SINGLE, ("B",)),
    "t": Parameter(Role.FACTOR),
    "temperature": Parameter(Role.FACTOR),
    "n": Parameter(Role.COUNT),
    "flag": Parameter(Role.FLAG),
    "train": Parameter(Role.FLAG),
    "out": Parameter(Role.OUTPUT, LOGITS),
    "box": Parameter(Role.LIST),
    "store": Parameter(Role.OBJECT),
    "fn": Parameter(Role.CALLBACK),
    "model": Parameter(Role.MODULE),
}
