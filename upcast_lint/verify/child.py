"""The child process: run one version of a user's function and keep what it gives.

    python -m upcast_lint.verify.child REQUEST FOLDER

Runs the user's code with the rights of the user, under a limit of memory; `watch`
keeps the time. It judges nothing: into FOLDER go the outcome of each run, as tensors
and plain values, and what was measured. `outcomes` compares them in another process,
in which the user's code never was.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import linecache
import statistics
import sys
import time
from collections.abc import Callable
from importlib.machinery import ModuleSpec, SourceFileLoader
from operator import attrgetter
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import torch

from .exchange import Measured, Request
from .execution import (
    Prepare,
    Prepared,
    call_with_gradients,
    is_safe_on_device,
    observe,
)
from .fixture import Case
from .inputs import Conditions, make_inputs
from .judge import peak_memory
from .outcomes import MEASURED, conditions_of, data_of
from .specification import parse_inputs

TIMED_FROM = 1_000_000
"""Elements of the largest input: below, a run takes as long as the noise around it."""

_TIMED_RUNS = 21
_FEWEST_RUNS = 3
_TIMED_SECONDS = 5.0


class Unrunnable(Exception):
    """The function cannot be called as it was asked for; `str` says why."""


def main(arguments: list[str]) -> int:
    request_path, folder = map(Path, arguments)
    request = Request.from_json(request_path.read_text(encoding="utf-8"))
    if request.device == "cpu":
        limit_memory(request.memory)
    examine(request, folder)
    return 0


def examine(request: Request, folder: Path) -> None:
    """Write the outcome on every kind of input into `folder`, and what was measured."""
    try:
        measured = _run_all(request, folder)
    except Unrunnable as error:
        measured = Measured(failure=str(error))
    (folder / MEASURED).write_text(measured.to_json(), encoding="utf-8")


def _run_all(request: Request, folder: Path) -> Measured:
    prepare = load(request)
    case = Case(request.function, request.inputs)
    conditions = list(conditions_of(request.inputs, request.maker, request.device))
    raised = ""
    for number, given in enumerate(conditions):
        if not is_safe_on_device(prepare, case, given):
            continue
        outcome = observe(prepare(given), case, given)
        torch.save(data_of(outcome), folder / str(number))
        if number == 0 and outcome.error:
            raised = f"{outcome.error}: {outcome.message}"
    if raised:  # nothing to measure; whether it ever works is seen by who compares
        return Measured()
    plain = conditions[0]
    _, inputs = prepare(plain)
    sizes = [each.numel() for each in inputs.values() if isinstance(each, torch.Tensor)]
    is_large = max(sizes, default=0) >= TIMED_FROM
    return Measured(
        peak_memory(prepare, case, plain),
        median_seconds(prepare, case, plain) if is_large else None,
    )


def load(request: Request) -> Prepare:
    """What makes the function and its inputs, anew for each run.

    Raises Unrunnable.
    """
    try:
        module = load_module(request)
        maker = _load_maker(request.maker) if request.maker else None
        owner, _, method = request.function.rpartition(".")
        if request.instance or not _is_bare_method(module, owner, method):
            attrgetter(request.function)(module)
    except Exception as error:  # whatever the module does when it is imported
        raise Unrunnable(f"cannot load: {type(error).__name__}: {error}") from error
    parsed = parse_inputs(request.inputs)

    def prepare(given: Conditions) -> Prepared:
        torch.manual_seed(given.seed)
        if maker is not None:
            inputs = _on(given.device, dict(maker()))
        else:
            inputs = make_inputs(parsed, given)
        holder = inputs.pop("self", None)
        if request.instance:
            holder = eval(request.instance, vars(module))
        if holder is None:
            return attrgetter(request.function)(module), inputs
        if isinstance(holder, torch.nn.Module):
            holder = holder.to(given.device)
            named = (*holder.named_parameters(), *holder.named_buffers())
            inputs |= {f"self.{name}": tensor for name, tensor in named}
        return getattr(holder, method), inputs

    try:
        function, inputs = prepare(
            next(conditions_of(request.inputs, request.maker, "cpu"))
        )
    except Exception as error:  # of the user's expression, or of the class
        raise Unrunnable(f"no inputs: {type(error).__name__}: {error}") from error
    if _is_bare_method(module, owner, method) and function is attrgetter(
        request.function
    )(module):
        raise Unrunnable(
            f"{request.function} needs an object: give one by --self, as in "
            f"--self '{owner}(…)'"
        )
    if strangers := _strangers(function, list(inputs)):
        raise Unrunnable(f"{request.function} takes no {', '.join(strangers)}")
    return prepare


def load_module(request: Request) -> ModuleType:
    """The module that holds the function, in a process that knows `path` by `text`.

    Whoever imports the module at `path` gets it made from the text. Its siblings and
    its package can be imported, as they can where it stands.
    """
    path = Path(request.path).resolve()
    sys.meta_path.insert(0, _Rewritten(path, request.text))
    # Whoever looks up the source of a function finds the version that runs.
    linecache.cache[str(path)] = (
        len(request.text),
        None,
        request.text.splitlines(keepends=True),
        str(path),
    )
    module = _import(path)
    return _import(Path(request.entry).resolve()) if request.entry else module


class _Rewritten(SourceFileLoader):
    """Finds and loads one module, from a text instead of its file."""

    def __init__(self, path: Path, text: str) -> None:
        super().__init__(_module_name(path), str(path))
        self._text = text

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = compile(self._text, self.path, "exec", dont_inherit=True)
        return code


def _import(path: Path) -> ModuleType:
    root = str(_package_of(path)[0])
    if root not in sys.path:
        sys.path.insert(0, root)
    name = _module_name(path)
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) != str(path):
        del sys.modules[name]  # one of the same name, such as a script's `types`
    return importlib.import_module(name)


def _load_maker(path: str) -> Callable[[], Any]:
    """The function `inputs` of a file that may import the module under test."""
    maker: Callable[[], Any] = _import(Path(path).resolve()).inputs
    return maker


def _is_bare_method(module: ModuleType, owner: str, method: str) -> bool:
    """Whether the function is one of a class and takes an object first."""
    if not owner:
        return False
    held = inspect.getattr_static(attrgetter(owner)(module), method, None)
    return not isinstance(held, staticmethod | classmethod)


def _on(device: str, values: dict[str, Any]) -> dict[str, Any]:
    """The same with the tensors on a device; leaves stay leaves."""
    for name, value in values.items():
        if isinstance(value, torch.Tensor) and value.device.type != device:
            moved = value.detach().to(device)
            values[name] = moved.requires_grad_(value.requires_grad)
    return values


def median_seconds(prepare: Prepare, case: Case, given: Conditions) -> float:
    """Wall-clock time of a forward and backward pass, after one to warm up."""
    taken: list[float] = []
    begun = time.perf_counter()
    for turn in range(1 + _TIMED_RUNS):
        if turn > _FEWEST_RUNS and time.perf_counter() - begun > _TIMED_SECONDS:
            break
        taken.append(_seconds(prepare(given), case, given))
    return statistics.median(taken[1:])


def _seconds(prepared: Prepared, case: Case, given: Conditions) -> float:
    function, inputs = prepared
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
        resource.setrlimit(resource.RLIMIT_AS, (wanted, wanted))


def _package_of(path: Path) -> tuple[Path, str]:
    """The folder to import from, and the dotted package the file belongs to."""
    folder = path.parent
    parts: list[str] = []
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


def _module_name(path: Path) -> str:
    package = _package_of(path)[1]
    if path.name == "__init__.py" and package:
        return package
    stem = path.stem.replace(".", "_")
    return f"{package}.{stem}" if package else stem


def _strangers(function: Callable[..., Any], names: list[str]) -> list[str]:
    """Inputs that the function does not take."""
    parameters = inspect.signature(function).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return []
    return [name for name in names if "." not in name and name not in parameters]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
