"""The rows of the table of operations as records, to which calls are bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from .columns import Axes, Bits, Gives, Memory, Role, Settles

_GUISES = (Role.VIEW, Role.CAST, Role.MOVE)


class Parameter(NamedTuple):
    name: str
    """With a star where it takes any number of arguments."""
    is_required: bool
    default: str
    """The default as it is written in the table; empty if it is not."""

    @property
    def is_true(self) -> bool:
        """Whether a flag is on where it is not given."""
        return self.default == "+"


class Written(NamedTuple):
    """`target` is written to, if `flag` is given and not false."""

    target: str
    flag: str | None


class Arguments(NamedTuple):
    """`is_complete`: none is hidden behind a star."""

    of: dict[str, ast.expr]
    is_complete: bool


_SYNONYMS = {
    "axis": "dim",
    "keepdims": "keepdim",
    "tensor": "input",
    "self": "input",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
}
"""Names of parameters that torch accepts for its own, most of them numpy's."""

_ALWAYS = ("out", "input", "generator")


class _Row(NamedTuple):
    name: str
    memory: Memory
    takes: tuple[Parameter, ...] | None = None
    """None where the parameters are not written down."""
    writes: tuple[Written, ...] = ()
    is_distinctive: bool = False
    """Whether hardly anything but a tensor has a method of this name."""
    role: Role = Role.OTHER
    gives: Gives = Gives.UNKNOWN
    axes: Axes = Axes.UNKNOWN
    bits: Bits = Bits.UNKNOWN
    settles: Settles = Settles.UNKNOWN
    of: str = ""
    """The parameter that the elements come from; empty: the first, or the receiver."""
    others: tuple[tuple[str, str], ...] = ()
    """Other names of parameters, each with that in `takes`."""
    flags: frozenset[str] = frozenset()


class _Flag:
    """What a flag says of a row that has it."""

    def __init__(self, flag: str) -> None:
        self.flag = flag

    def __get__(self, row: _Row, owner: type[_Row]) -> bool:
        return self.flag in row.flags


class Operation(_Row):
    """A row of the table, and what follows from its columns."""

    __slots__ = ()

    keeps_whole = _Flag("itself")
    """Whether the result is the tensor itself, or holds what it holds."""
    sees_memory = _Flag("memory")
    """Whether the result depends on where in memory the tensor lies."""
    needs_dense = _Flag("dense")
    """Whether it fails on some strided tensors whose dense copy it accepts."""
    packs = _Flag("packs")
    """Whether it copies a strided tensor, and gives a dense one back as it is."""
    is_compact = _Flag("compact")
    """Whether the result evidently has no gaps in memory."""
    forgets_memory = _Flag("forgets")
    """Whether nothing is left of the tensor but numbers of Python."""
    wants_floats = _Flag("floats")
    """Whether it is not implemented for integers, nor converts them."""
    names_type = _Flag("typed")
    """Whether an argument may name the type of the result."""
    chooses = _Flag("chooses")
    """Whether it names one of many, or a few: a class, a token."""
    scales = _Flag("scales")
    """Whether it multiplies or divides."""
    takes_size = _Flag("by-size")
    """Whether it is told the size of its parts."""
    takes_count = _Flag("by-count")
    """Whether it is told the number of its parts."""
    takes_ends = _Flag("by-ends")
    """Whether it is told where its parts end, where it is given a list."""
    is_flat = _Flag("flat")
    """Whether its derivative is zero wherever there is one."""
    keeps_elements = _Flag("keeps")
    """Whether each result is an element or a bound, bit for bit."""
    is_positive = _Flag("positive")
    """Whether no result is a negative zero, or less."""
    saves_input = _Flag("saves")
    """Whether its backward needs the tensor as it was."""
    repeats = _Flag("spreads")
    """Whether the result is seldom smaller than what it is made from."""
    pairs_along = _Flag("pair=along")
    """Whether it gives the indices, too, where a dimension is given alone."""
    lifts_rows = _Flag("lifts")
    """Whether what takes whole rows is lifted over it."""
    raises_to_power = _Flag("powers")
    """Whether it is exact for some exponents only."""
    is_steady = _Flag("steady")
    """Whether a call with the same arguments gives the same number later."""
    folds = _Flag("folds")
    """Whether it gives a number where it is given numbers."""
    gives_anything = _Flag("open")
    """Whether a built-in function may give an object of any kind."""
    consumes_all = _Flag("consumes")
    """Whether it runs an iterator to its end."""
    is_lazy = _Flag("lazy")
    """Whether it takes what it is given when its own result is consumed."""
    calls = _Flag("calls")
    """Whether it calls its first argument."""
    hands_on = _Flag("hands-on")
    """Whether a built-in function gives back what it finds in its argument."""
    only_looks = _Flag("looks")
    """Whether a built-in function keeps nothing of its argument."""

    @property
    def may_share(self) -> bool:
        """Whether the result may share memory with an operand."""
        return self.memory in (Memory.VIEW, Memory.EITHER)

    @property
    def passes_on(self) -> bool:
        """Whether the result is a view of the tensor, itself, or its elements anew."""
        return self.memory is Memory.VIEW or self.keeps_whole or self.role in _GUISES

    @property
    def may_widen(self) -> bool:
        """Whether it converts to a wide float, or to a type that it is told."""
        is_wide = self.gives in (Gives.FLOAT32, Gives.FLOAT64) or self.names_type
        return self.role is Role.CAST and is_wide

    @property
    def tells_device(self) -> bool:
        """Whether the result depends on the device of the tensor."""
        return "placed" in self.flags or self.role in (Role.LIKE, Role.NEW)

    @property
    def takes_dimension(self) -> bool:
        return any(parameter.name == "dim" for parameter in self.takes or ())

    @property
    def cuts_gradient(self) -> bool:
        """Whether no gradient flows back through it."""
        return self.gives.is_integral or "cuts" in self.flags

    @property
    def gives_pair(self) -> bool:
        """Whether it gives values and their indices, at least along a dimension."""
        return bool(self.flags & {"pair", "pair=along"})

    @property
    def gives_several(self) -> bool:
        """Whether it gives a tuple of tensors, at least along a dimension."""
        return self.gives_pair or self.role is Role.PARTS or "several" in self.flags

    @property
    def gives_number(self) -> bool:
        """Whether it gives a number of Python, whatever it is given."""
        if "number" in self.flags:
            return True
        return "steady" in self.flags and not self.folds

    @property
    def consumes(self) -> bool:
        """Whether a built-in function runs an iterator, to its end or one step."""
        return self.consumes_all or "takes-one" in self.flags

    @property
    def keeps_sizes(self) -> bool:
        """Whether the result has the shape of the tensor."""
        return self.axes in (Axes.SAME, Axes.FLIP)

    def default(self, name: str) -> str:
        """The default of a parameter as the table writes it; empty if it does not."""
        return next((p.default for p in self.takes or () if p.name == name), "")

    def as_function(self, first: str = "self") -> Operation:
        """The method as a function, whose first argument is the tensor."""
        if self.takes is None:
            return self
        return self._replace(takes=(Parameter(first, True, ""), *self.takes))

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
        for keyword in keywords_of(call):
            if keyword.arg is None:
                is_complete = False
                continue
            name = self.canonical(keyword.arg)
            if name is None or name in found:
                return None
            found[name] = keyword.value
        if is_complete and any(
            each.is_required and each.name not in found for each in self.takes
        ):
            return None
        return Arguments(found, is_complete)

    def canonical(self, keyword: str) -> str | None:
        """The parameter that a keyword names; None if there is none."""
        known = {parameter.name.lstrip("*") for parameter in self.takes or ()}
        if keyword in known:
            return keyword
        name = dict(self.others).get(keyword) or _SYNONYMS.get(keyword, keyword)
        return name if name in known or name in _ALWAYS else None


def keywords_of(call: ast.Call) -> Iterator[ast.keyword]:
    """The keywords of a call, those of a `**{"name": value}` among them."""
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg is None and isinstance(value, ast.Dict):
            for key, each in zip(value.keys, value.values, strict=True):
                name = key.value if isinstance(key, ast.Constant) else None
                yield ast.keyword(name if isinstance(name, str) else None, each)
        else:
            yield keyword


_IMPLIED = {
    Role.VIEW: "gives=same",
    Role.SIGN: "gives=same axes=same bits=element settles",
    Role.EXPAND: "gives=same spreads",
    Role.PART: "gives=same",
    Role.PARTS: "gives=same",
    Role.PICK: "gives=same settles",
    Role.ORDER: "settles",
    Role.COPY: "gives=same",
    Role.MOVE: "gives=same",
    Role.ARITHMETIC: "axes=broadcast bits=element settles",
    Role.ELEMENTWISE: "axes=same",
    Role.TEST: "gives=bool",
    Role.ROW: "gives=float",
    Role.LOSS: "gives=float settles",
    Role.LIKE: "gives=same axes=same settles",
    Role.NEW: "gives=same",
    Role.JOIN: "gives=joined",
}
"""What all rows of a role say, unless they say otherwise."""


_ROLES = {role.value: role for role in Role}


@cache
def role_of(head: str) -> Role:
    front = head[: head.index("(")]
    return next((_ROLES[w] for w in front.split()[2:] if w in _ROLES), Role.OTHER)


@cache
def read_row(head: str) -> Operation:
    """A row without its names."""
    front, _, rest = head.partition("(")
    _, memory, *said = front.split()
    role = role_of(head)
    columns: dict[str, str] = {}
    flags: set[str] = set()
    for word in (*_IMPLIED.get(role, "").split(), *said):
        column, equals, value = word.partition("=")
        if column in ("gives", "axes", "bits", "of", "settles"):
            columns[column] = value if equals else "yes"
        elif word not in _ROLES:
            flags.add(word)
    parameters, _, rest = rest.partition(")")
    takes = None
    others: list[tuple[str, str]] = []
    if parameters != "...":
        spelled = parameters.split()
        takes = tuple(_parameter(each, others) for each in spelled)
    return Operation(
        "",
        Memory(memory),
        takes,
        tuple(map(_written, rest.strip(" {}").split())),
        role=role,
        gives=Gives(columns.get("gives", "unknown")),
        axes=Axes(columns.get("axes", "unknown")),
        bits=Bits(columns.get("bits", "unknown")),
        settles=Settles(columns.get("settles", "no")),
        of=columns.get("of", ""),
        others=tuple(others),
        flags=frozenset(flags),
    )


def _parameter(text: str, others: list[tuple[str, str]]) -> Parameter:
    spelled, equals, default = text.partition("=")
    name, *more = spelled.split("|")
    others += ((each, name) for each in more)
    return Parameter(name, not (equals or name.startswith("*")), default)


def _written(text: str) -> Written:
    flag, arrow, target = text.rpartition(">")
    return Written(target, flag if arrow else None)
