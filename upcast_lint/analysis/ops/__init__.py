"""What is known of operations, in one table: of torch, numpy and Python itself.

A row of the table is `kinds memory (takes) {writes} names…`; an indented line goes on
with the one above.

kinds
    Where the names stand: `m` methods of a tensor, `t` functions of `torch`, `F` of
    `torch.nn.functional`, `s` of `torch.special`, `n` of `numpy`, `r` of
    `numpy.random`, `a` methods of an array, `b` built-in functions, `c` methods of
    strings and containers, `g` methods of a logger.
memory
    What the result shares with the operands: `view` all of it, `either` all or
    nothing, `holds` what they are, as a container does, `fresh` nothing, and `value`
    is no tensor.
takes
    The parameters behind the tensor of a method, all those of a function. One with a
    `=` may be missing, with `=+` its default is true; `*` stands for any number; `...`
    says that they are not written down.
writes
    The parameters that are written to; `flag>name` where the flag is given and not
    false. `self` is what a method is called on, `0` the first argument; `+self` comes
    to hold what it is given.
names
    One with a `?` is told by its name alone to be a tensor's no more than another
    object's: `update`, `sum`, `to`.

What is not in the table is not known.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..operators import words
from . import others, tensors


class Memory(enum.Enum):
    VIEW = "view"
    EITHER = "either"
    HOLDS = "holds"
    FRESH = "fresh"
    VALUE = "value"
    UNKNOWN = "unknown"
    """Of functions that are known by their module alone."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    is_required: bool
    is_true: bool
    """Whether a flag is on where it is not given."""


@dataclass(frozen=True, slots=True)
class Written:
    """`target` is written to, if `flag` is given and not false."""

    target: str
    flag: str | None


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    memory: Memory
    takes: tuple[Parameter, ...] | None
    """None where the parameters are not written down."""
    writes: tuple[Written, ...]
    is_distinctive: bool
    """Whether hardly anything but a tensor has a method of this name."""

    def bind(self, call: ast.Call) -> Arguments | None:
        """Which argument each parameter gets, or None if they do not fit."""
        if self.takes is None:
            is_open = any(isinstance(each, ast.Starred) for each in call.args)
            return Arguments({}, not (is_open and self.writes))
        found: dict[str, ast.expr] = {}
        is_complete = True
        names = iter(self.takes)
        for argument in call.args:
            if isinstance(argument, ast.Starred):
                is_complete = False
                break
            parameter = next(names, None)
            if parameter is None:
                return None
            if parameter.name.startswith("*"):
                break
            found[parameter.name] = argument
        known = {parameter.name for parameter in self.takes}
        for keyword in _keywords(call):
            if keyword.arg is None:
                is_complete = False
            elif keyword.arg in ("out", "input", "generator") or keyword.arg in known:
                found[keyword.arg] = keyword.value
            else:
                return None
        if is_complete and any(
            each.is_required and each.name not in found for each in self.takes
        ):
            return None
        return Arguments(found, is_complete)


@dataclass(frozen=True, slots=True)
class Arguments:
    """`is_complete`: none is hidden behind a star."""

    of: dict[str, ast.expr]
    is_complete: bool


def _keywords(call: ast.Call) -> Iterator[ast.keyword]:
    """The keywords of a call, those of a `**{"name": value}` among them."""
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg is None and isinstance(value, ast.Dict):
            for key, each in zip(value.keys, value.values, strict=True):
                name = key.value if isinstance(key, ast.Constant) else None
                yield ast.keyword(name if isinstance(name, str) else None, each)
        else:
            yield keyword


def method(name: str) -> Operation | None:
    """The method of a tensor by this name; in place, if it ends with an underscore."""
    found = _table().get(("m", name))
    if found is None and name.endswith("_") and not name.endswith("__"):
        plain = _table().get(("m", name[:-1]))
        if plain is not None:
            written = (Written("self", None),)
            return Operation(name, Memory.EITHER, plain.takes, written, True)
    return found


def array_method(name: str) -> Operation | None:
    return _table().get(("a", name))


def container_method(name: str) -> Operation | None:
    return _table().get(("c", name))


def logger_method(name: str) -> Operation | None:
    return _table().get(("g", name))


def stores(name: str) -> bool:
    """Whether a container has a method of this name that makes it hold something."""
    found = container_method(name)
    return found is not None and any(w.target == "+self" for w in found.writes)


def is_collective(dotted: str) -> bool:
    """Whether a function writes to all that it is given."""
    module = dotted.rpartition(".")[0]
    return module == others.COLLECTIVES and dotted not in _names(others.RESTS)


def builtin(name: str) -> Operation | None:
    return _table().get(("b", name))


_HOMES = {
    "torch": "t",
    "torch.nn.functional": "F",
    "torch.special": "s",
    "numpy": "n",
    "numpy.random": "r",
}
_INNER = ("torch.Tensor", "torch.nn.init")
"""Where methods stand as functions, and where functions write to their first."""


def function(dotted: str) -> Operation | None:
    """The function by this name; None where it is not known to be harmless."""
    module, _, name = dotted.rpartition(".")
    if module in _INNER or (
        name.endswith("_") and (module in _HOMES or module.startswith("torch."))
    ):
        return _of_tensor(module, name)
    found = _table().get((_HOMES.get(module, ""), name))
    if found is not None:
        return found
    if dotted in _names(others.RESTS):
        return Operation(name, Memory.HOLDS, None, (), False)
    if dotted in _names(others.CALLERS):
        return None
    if any(_is_in(dotted, each) for each in _names(others.NUMBERS)):
        return Operation(name, Memory.VALUE, None, (), False)
    if any(_is_in(dotted, each) for each in _names(others.MODULES)):
        return Operation(name, Memory.UNKNOWN, None, (), False)
    return None


def _of_tensor(module: str, name: str) -> Operation | None:
    """A function whose first argument is the tensor of the method of the name."""
    found = method(name)
    if name.endswith("_") and not name.endswith("__"):
        if module.startswith("torch.nn.utils"):
            return None
        return Operation(name, Memory.EITHER, None, (Written("0", None),), False)
    if found is None:
        return None
    first = Parameter("self", is_required=True, is_true=False)
    takes = None if found.takes is None else (first, *found.takes)
    return Operation(name, found.memory, takes, found.writes, False)


def _is_in(dotted: str, module: str) -> bool:
    """Whether a name is the module's own, or of a class of it."""
    head = dotted.rpartition(".")[0]
    if head == module:
        return True
    outer, _, owner = head.rpartition(".")
    return outer == module and (owner[:1].isupper() or owner == "datetime")


def methods_that_compute() -> frozenset[str]:
    """The names of the methods of a tensor that write to nothing."""
    return frozenset(
        name
        for (kind, name), each in _table().items()
        if kind == "m" and not each.writes
    )


def pure_builtins() -> frozenset[str]:
    return frozenset(name for kind, name in _table() if kind == "b")


@cache
def _names(text: str) -> frozenset[str]:
    return words(text)


@cache
def _table() -> dict[tuple[str, str], Operation]:
    """The operations by kind and name; read when first asked for."""
    table: dict[tuple[str, str], Operation] = {}
    for text in (
        tensors.METHODS,
        tensors.INPLACE,
        tensors.FUNCTIONS,
        others.NUMPY,
        others.PYTHON,
    ):
        for row in text.replace("\n    ", " ").strip().splitlines():
            _read(row, table)
    return table


def _read(row: str, table: dict[tuple[str, str], Operation]) -> None:
    head, _, rest = row.partition("(")
    kinds, memory = head.split()
    parameters, _, rest = rest.partition(")")
    written, names = "", rest
    if "{" in rest:
        written, _, names = rest.partition("}")
    takes = None if parameters == "..." else tuple(map(_parameter, parameters.split()))
    writes = tuple(map(_written, written.replace("{", "").split()))
    for name in names.split():
        bare = name.rstrip("?")
        for kind in kinds:
            own = takes
            if own is not None and kind in "tFs" and "m" in kinds:
                own = (Parameter("input", is_required=True, is_true=False), *own)
            table[kind, bare] = Operation(
                bare, Memory(memory), own, writes, bare == name
            )


def _parameter(text: str) -> Parameter:
    name, equals, default = text.partition("=")
    return Parameter(name, not (equals or name.startswith("*")), default == "+")


def _written(text: str) -> Written:
    flag, arrow, target = text.rpartition(">")
    return Written(target, flag if arrow else None)
