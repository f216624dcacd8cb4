"""What is known of operations, in one table: of torch, numpy and Python itself.

A row of the table is `kinds memory words… (takes) {writes} names…`; a line that is
indented goes on with the one above.

kinds
    Where the names stand: `m` methods of a tensor, `p` its attributes, `t` functions of
    `torch`, `F` of `torch.nn.functional`, `s` of `torch.special`, `l` of
    `torch.linalg`, `N` classes of `torch.nn`, `n` functions of `numpy`, `r` of
    `numpy.random`, `a` methods of an array, `b` built-in functions, `c` methods of
    strings and containers, `g` methods of a logger.
memory
    What the result shares with the operands: `view` all of it, `either` all or
    nothing, `holds` what they are, as a container does, `fresh` nothing, and `value`
    is no tensor.
words
    The role, one of `Role`; `gives=`, `axes=` and `bits=` with a value of `Gives`,
    `Axes` and `Bits`; `of=` the parameter that the elements come from, if not the
    first; and flags, each told by the property of `Operation` that reads it. What a
    role implies for all of its rows stands in `_IMPLIED` alone.
takes
    The parameters behind the tensor of a method, all those of a function. `a|b` is one
    parameter under two names. One with a `=` may be missing, and has the default that
    is written behind it, `+` for true; `*` stands for any number; `...` says that they
    are not written down.
writes
    The parameters that are written to; `flag>name` where the flag is given and not
    false. `self` is what a method is called on, `0` the first argument; `+self` comes
    to hold what it is given.
names
    One with a `?` is told by its name alone to be a tensor's no more than another
    object's: `update`, `sum`, `to`.

What is not in the table is not known. A row is read when it is asked for.
"""

from __future__ import annotations

from functools import cache

from . import creation, elementwise, others, selections, views
from .columns import Axes, Bits, Gives, Memory, Role, Settles
from .records import Arguments, Operation, Parameter, Written, read_row, role_of

__all__ = [
    "Arguments",
    "Axes",
    "Bits",
    "Gives",
    "Memory",
    "Operation",
    "Parameter",
    "Role",
    "Settles",
    "Written",
]

_TENSOR_KINDS = "mtFsl"


def method(name: str) -> Operation | None:
    """The method of a tensor by this name; in place, if it ends with an underscore."""
    found = _row("m", name)
    if found is None and name.endswith("_") and not name.endswith("__"):
        plain = _row("m", name[:-1])
        if plain is not None:
            return plain._replace(
                name=name,
                memory=Memory.EITHER,
                writes=(Written("self", None),),
                is_distinctive=True,
            )
    return found


def attribute(name: str) -> Operation | None:
    """The attribute of a tensor by this name, where it is no method."""
    return _row("p", name)


def is_view(attribute_name: str) -> bool:
    """Whether an attribute of a tensor, such as `mT`, is a view of it."""
    known = attribute(attribute_name)
    return known is not None and known.role is Role.VIEW


def tensor(name: str) -> Operation | None:
    """The method, or else the function of torch, by this name.

    For what is asked of a name without its module: `softmax` of `F.softmax(x)`.
    """
    found = method(name)
    for kind in _TENSOR_KINDS[1:]:
        found = found or _row(kind, name)
    return found


def array_method(name: str) -> Operation | None:
    return _row("a", name)


def container_method(name: str) -> Operation | None:
    return _row("c", name)


def logger_method(name: str) -> Operation | None:
    return _row("g", name)


def builtin(name: str) -> Operation | None:
    return _row("b", name)


def stores(name: str) -> bool:
    """Whether a container has a method of this name that makes it hold something."""
    found = container_method(name)
    return found is not None and any(w.target == "+self" for w in found.writes)


def is_collective(dotted: str) -> bool:
    """Whether a function writes to all that it is given."""
    module = dotted.rpartition(".")[0]
    return module == others.COLLECTIVES and dotted not in _names(others.RESTS)


_HOMES = {
    "torch": "t",
    "torch.nn.functional": "F",
    "torch.special": "s",
    "torch.linalg": "l",
    "torch.nn": "N",
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
    found = _row(_HOMES.get(module, ""), name)
    if found is not None:
        return found
    if dotted in _names(others.RESTS):
        return Operation(name, Memory.HOLDS)
    if dotted in _names(others.CALLERS):
        return None
    if any(_is_in(dotted, each) for each in _names(others.NUMBERS)):
        return Operation(name, Memory.VALUE)
    if any(_is_in(dotted, each) for each in _names(others.MODULES)):
        return Operation(name, Memory.UNKNOWN)
    return None


def _of_tensor(module: str, name: str) -> Operation | None:
    """A function whose first argument is the tensor of the method of the name."""
    found = method(name)
    if name.endswith("_") and not name.endswith("__"):
        if module.startswith("torch.nn.utils"):
            return None
        return Operation(name, Memory.EITHER, writes=(Written("0", None),))
    return None if found is None else found.as_function()


def _is_in(dotted: str, module: str) -> bool:
    """Whether a name is the module's own, or of a class of it."""
    head = dotted.rpartition(".")[0]
    if head == module:
        return True
    outer, _, owner = head.rpartition(".")
    return outer == module and (owner[:1].isupper() or owner == "datetime")


@cache
def casts() -> frozenset[str]:
    """The names of the methods and functions that may give a wider float type."""
    return frozenset(
        name for name in names_of(Role.CAST) if (tensor(name) or _NONE).may_widen
    )


@cache
def row_wise() -> frozenset[str]:
    """The names of the operations over which what takes whole rows is lifted."""
    return frozenset(
        name for name in names_of(Role.ROW) if (tensor(name) or _NONE).lifts_rows
    )


@cache
def casting_inside() -> frozenset[str]:
    """The names of those that cast what they are given, where a type is given, too."""
    return frozenset(
        name
        for name in row_wise()
        if any(each.name == "dtype" for each in (tensor(name) or _NONE).takes or ())
    )


_NONE = Operation("", Memory.UNKNOWN)


@cache
def names_of(*roles: Role) -> frozenset[str]:
    """The names of the methods, attributes and functions of torch of some roles."""
    return frozenset(
        name
        for (kind, name), (head, _) in _rows().items()
        if kind in f"{_TENSOR_KINDS}p" and role_of(head) in roles
    )


@cache
def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


@cache
def _rows() -> dict[tuple[str, str], tuple[str, bool]]:
    """The head of the row by kind and name, and whether the name is distinctive."""
    found: dict[tuple[str, str], tuple[str, bool]] = {}
    for module in (views, elementwise, selections, creation, others):
        for table in module.TABLES:
            for row in table.replace("\n    ", " ").strip().splitlines():
                end = (row.rfind("}") if "}" in row else row.rindex(")")) + 1
                kinds = row[: row.index(" ")]
                for name in row[end:].split():
                    bare = name.rstrip("?")
                    for kind in kinds:
                        found[kind, bare] = row[:end], bare == name
    return found


@cache
def _row(kind: str, name: str) -> Operation | None:
    known = _rows().get((kind, name))
    if known is None:
        return None
    head, is_distinctive = known
    found = read_row(head)._replace(name=name, is_distinctive=is_distinctive)
    is_both = kind in "tFs" and "m" in head[: head.index(" ")]
    return found.as_function("input") if is_both else found
