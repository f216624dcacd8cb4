"""What passes between `gate` and the child process that runs a user's function."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """Run `function` of the module at `path`, once from each text.

    `memory` is in bytes; the child may take that much beyond what importing takes.
    """

    path: str
    function: str
    before: str
    after: str
    inputs: str
    memory: int
    device: str = "cpu"

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Request:
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What running both versions showed.

    On `raised` of the inputs compared both versions raise the same error, which shows
    little. Differences are in words, the first of each output and gradient;
    `largest_…` is the largest absolute one. Peaks are bytes for a forward and backward
    pass on the inputs as they are specified; `seconds` are its times before and after,
    None where the inputs are too small to tell. `failure` says why there was nothing to
    compare, and the rest is then empty.
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

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Verdict:
        fields = json.loads(text)
        for name in ("outputs", "gradients"):
            fields[name] = tuple(fields[name])
        if fields["seconds"] is not None:
            fields["seconds"] = tuple(fields["seconds"])
        return cls(**fields)
