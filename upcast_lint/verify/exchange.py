"""What passes between `gate` and the child processes that run a user's function."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """Run `function` with the module at `path` made from `text`.

    `memory` is in bytes; the child may take that much beyond what importing takes.
    `instance` is an expression for the object whose method it is; `maker` the path of a
    file with a function `inputs()`; `entry` the path of the module that holds the
    function, where it is another one. Each is empty where there is none.
    """

    path: str
    function: str
    text: str
    inputs: str
    memory: int
    device: str = "cpu"
    instance: str = ""
    maker: str = ""
    entry: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Request:
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Measured:
    """What a child says of a version as a whole.

    `peak` is in bytes for a forward and backward pass on the inputs as they are
    specified; `seconds` its time, None where the inputs are too small to tell.
    `failure` says why there are no outcomes.
    """

    peak: int = 0
    seconds: float | None = None
    failure: str | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Measured:
        """Raises ValueError where the text is nothing that a child writes."""
        try:
            measured = cls(**json.loads(text))
        except TypeError as error:
            raise ValueError(str(error)) from error
        kinds = int, float | None, str | None
        fields = measured.peak, measured.seconds, measured.failure
        if not all(map(isinstance, fields, kinds)):
            raise ValueError("fields of another type")
        return measured


@dataclass(frozen=True, slots=True)
class Verdict:
    """What running both versions showed.

    On `raised` of the inputs compared the original raised, which shows nothing: a
    version that raises can be replaced by any. Differences are in words, the first of
    each output and gradient; `largest_…` is the largest absolute one. Peaks are bytes;
    `seconds` are times before and after. `failure` says why nothing is proved, and the
    rest is then empty.
    """

    comparisons: int = 0
    raised: int = 0
    outputs: tuple[str, ...] = ()
    gradients: tuple[str, ...] = ()
    largest_output: float | None = None
    largest_gradient: float | None = None
    restrided: bool = False
    peak_before: int = 0
    peak_after: int = 0
    seconds: tuple[float, float] | None = None
    failure: str | None = None

    @property
    def passes(self) -> bool:
        return not (self.failure or self.outputs or self.gradients)
