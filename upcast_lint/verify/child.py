"""The child process: run a user's function in both versions and write the verdict.

    python -m upcast_lint.verify.child REQUEST VERDICT

Runs the user's code with the rights of the user, under a limit of memory; the parent
keeps the time. What the code prints goes where the parent sends it: the verdict goes
into a file of its own.
"""

from __future__ import annotations

import importlib
import inspect
import statistics
import sys
import time
from collections.abc import Callable
from math import prod
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from .comparison import Mismatch, compare
from .exchange import Request, Verdict
from .execution import call_with_gradients, is_runnable, run_case
from .fixture import Case
from .inputs import LOW_DTYPES, Conditions, all_conditions, make_inputs
from .judge import peak_memory
from .specification import DType, Input, TensorInput, parse_inputs

TIMED_FROM = 1_000_000
"""Elements of the largest input: below, a run takes as long as the noise around it."""

_TIMED_RUNS = 21
_FEWEST_RUNS = 3
_TIMED_SECONDS = 5.0


def main(arguments: list[str]) -> int:
    request_path, verdict_path = map(Path, arguments)
    request = Request.from_json(request_path.read_text(encoding="utf-8"))
    if request.device == "cpu":
        limit_memory(request.memory)
    verdict_path.write_text(examine(request).to_json(), encoding="utf-8")
    return 0


def examine(request: Request) -> Verdict:
    """Load both versions, run them on every kind of input, compare and measure."""
    try:
        before = load_function(request, request.before)
        after = load_function(request, request.after)
    except Exception as error:  # whatever the module does when it is imported
        return Verdict(failure=f"cannot load: {type(error).__name__}: {error}")
    inputs = parse_inputs(request.inputs)
    if strangers := _strangers(before, inputs):
        return Verdict(failure=f"{request.function} takes no {', '.join(strangers)}")
    return compare_functions(before, after, request, inputs)


def compare_functions(
    before: Callable[..., Any],
    after: Callable[..., Any],
    request: Request,
    inputs: tuple[Input, ...],
) -> Verdict:
    case = Case(request.function, request.inputs)
    plain = Conditions(_low_dtypes(inputs)[0], device=request.device)
    outcome = run_case(before, case, plain)
    if outcome.error:
        return Verdict(
            failure=f"{request.function} raises {outcome.error} on the inputs given: "
            f"{outcome.message}"
        )
    outputs: dict[str, Mismatch] = {}
    gradients: dict[str, Mismatch] = {}
    restrided = False
    count = raised = 0
    for given in all_conditions(_low_dtypes(inputs), request.device):
        if not is_runnable(before, case, given):
            continue
        outcome = run_case(before, case, given)
        found = compare(outcome, run_case(after, case, given))
        count += 1
        raised += outcome.error is not None and not found.outputs
        restrided |= bool(found.restrided)
        for mismatches, kept in (
            (found.outputs, outputs),
            (found.gradients, gradients),
        ):
            for mismatch in mismatches:
                _keep_largest(kept, mismatch)
    seconds = None
    if _largest_size(inputs) >= TIMED_FROM:
        seconds = median_seconds((before, after), case, plain)
    return Verdict(
        comparisons=count,
        raised=raised,
        outputs=tuple(map(str, outputs.values())),
        gradients=tuple(map(str, gradients.values())),
        largest_output=_largest(outputs),
        largest_gradient=_largest(gradients),
        restrided=restrided,
        peak_before=peak_memory(before, case, plain),
        peak_after=peak_memory(after, case, plain),
        seconds=seconds,
    )


def load_function(request: Request, text: str) -> Callable[..., Any]:
    """The function from `text`, executed as if it stood in the file at `path`.

    The file's siblings and its package can be imported, as they can where it stands.
    """
    path = Path(request.path).resolve()
    root, package = _package_of(path)
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    if package:
        importlib.import_module(package)
    name = f"{package}.{path.stem}" if package else path.stem
    module = ModuleType(name)
    module.__file__ = str(path)
    module.__package__ = package
    sys.modules[name] = module
    exec(compile(text, str(path), "exec"), module.__dict__)
    function: Callable[..., Any] = attrgetter(request.function)(module)
    return function


def median_seconds(
    versions: tuple[Callable[..., Any], Callable[..., Any]],
    case: Case,
    given: Conditions,
) -> tuple[float, float]:
    """Wall-clock times of a forward and backward pass, after one to warm up.

    The versions take turns, so that a busy moment of the machine meets both.
    """
    times: tuple[list[float], list[float]] = ([], [])
    begun = time.perf_counter()
    for turn in range(1 + _TIMED_RUNS):
        if turn > _FEWEST_RUNS and time.perf_counter() - begun > _TIMED_SECONDS:
            break
        for function, taken in zip(versions, times, strict=True):
            taken.append(_seconds(function, case, given))
    before, after = (statistics.median(taken[1:]) for taken in times)
    return before, after


def _seconds(function: Callable[..., Any], case: Case, given: Conditions) -> float:
    inputs = make_inputs(parse_inputs(case.inputs), given)
    if given.device == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    call_with_gradients(function, case, inputs, given)
    if given.device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def limit_memory(size: int) -> None:
    """Let this process take `size` bytes more, where the system can enforce that."""
    try:
        import resource
    except ImportError:  # not a Unix
        return
    pages = Path("/proc/self/statm")
    used = 0
    if pages.exists():
        used = int(pages.read_text().split()[0]) * resource.getpagesize()
    _, ceiling = resource.getrlimit(resource.RLIMIT_AS)
    wanted = used + size
    if ceiling == resource.RLIM_INFINITY or wanted < ceiling:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, ceiling))


def _package_of(path: Path) -> tuple[Path, str]:
    """The folder to import from, and the dotted package the file belongs to."""
    folder = path.parent
    parts: list[str] = []
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


def _strangers(function: Callable[..., Any], inputs: tuple[Input, ...]) -> list[str]:
    """Inputs that the function does not take."""
    parameters = inspect.signature(function).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return []
    return [each.name for each in inputs if each.name not in parameters]


def _largest_size(inputs: tuple[Input, ...]) -> int:
    """In elements."""
    sizes = (prod(each.shape) for each in inputs if isinstance(each, TensorInput))
    return max(sizes, default=0)


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
