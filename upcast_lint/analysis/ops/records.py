"""The rows of the table of operations as records: what each column says."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple


class Memory(enum.Enum):
    VIEW = "view"
    EITHER = "either"
    HOLDS = "holds"
    FRESH = "fresh"
    VALUE = "value"
    UNKNOWN = "unknown"
    """Of functions that are known by their module alone."""


class Role(enum.Enum):
    """What an operation does with the elements of its tensor."""

    VIEW = "view"
    """Each element once, in another shape or layout."""
    SIGN = "sign"
    """The same elements but for their sign."""
    EXPAND = "expand"
    """Elements more than once."""
    PART = "part"
    """Some elements, by where they stand."""
    PARTS = "parts"
    """Several parts that jointly are the tensor."""
    PICK = "pick"
    """The elements that an index or a mask names."""
    ORDER = "order"
    """What comparing elements tells: the largest, their order, where they are."""
    COPY = "copy"
    CAST = "cast"
    """The same elements in another type."""
    MOVE = "move"
    """The same elements on another device."""
    EXPORT = "export"
    """The elements for another library."""
    METADATA = "metadata"
    """An answer that needs neither the elements nor their type."""
    TYPE = "type"
    """An answer that the type of the elements alone decides."""
    ARITHMETIC = "arithmetic"
    """Each result is the nearest number to that of one element and the other one."""
    ELEMENTWISE = "elementwise"
    """A function of one element, and of numbers."""
    TEST = "test"
    """A mask, of one element of each operand."""
    ROW = "row"
    """A function of all elements along a dimension, or of all there are."""
    PRODUCT = "product"
    """Sums of products of elements."""
    JOIN = "join"
    FACTORY = "factory"
    """A tensor of given numbers."""
    LIKE = "like"
    """A tensor of the shape, the type and the device of another."""
    NEW = "new"
    """A tensor of the type and the device of another."""
    MODE = "mode"
    """The gradient mode."""
    OTHER = "other"


_GUISES = (Role.VIEW, Role.CAST, Role.MOVE)


class Gives(enum.Enum):
    """The type of the elements of the result."""

    SAME = "same"
    """As the tensor's."""
    FLOAT = "float"
    """As the tensor's if that is a float, else the default."""
    PROMOTED = "promoted"
    """What the operands are promoted to."""
    DIVIDED = "divided"
    """The same, of integers the default float."""
    SUMMED = "summed"
    """As the tensor's, of bools and small integers int64."""
    WHOLE = "whole"
    """Bools or integers."""
    DEFAULT = "default"
    """The default float."""
    LITERAL = "literal"
    """As the given numbers."""
    COUNTED = "counted"
    """int64, unless a float is given."""
    ASKED = "asked"
    """What an argument names."""
    OTHERS = "like"
    """As the type of the other tensor."""
    JOINED = "joined"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    COMPLEX = "complex"
    BOOL = "bool"
    INT8 = "int8"
    UINT8 = "uint8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UNKNOWN = "unknown"

    @property
    def is_integral(self) -> bool:
        """Whether the elements are bools or integers whatever the tensor holds."""
        return self in _INTEGRAL


_INTEGRAL = frozenset(
    (
        Gives.WHOLE,
        Gives.BOOL,
        Gives.INT8,
        Gives.UINT8,
        Gives.INT16,
        Gives.INT32,
        Gives.INT64,
    )
)


class Axes(enum.Enum):
    """What becomes of the axes of the tensor."""

    SAME = "same"
    FLIP = "flip"
    """The same sizes; the elements along an axis stay together."""
    SWAP = "swap"
    """`dim0` and `dim1` change places."""
    SWAP_FIRST = "swap-first"
    """0 and the last one do, of two at most."""
    SWAP_LAST = "swap-last"
    """The last two do."""
    REVERSE = "reverse"
    PERMUTE = "permute"
    """In the order of the arguments."""
    MOVE = "move"
    """`source` becomes `destination`."""
    INSERT = "insert"
    """`dim` is new and has the size one."""
    DROP = "drop"
    """`dim`, or every axis, goes if it has the size one."""
    FLATTEN = "flatten"
    """`start_dim` to `end_dim` become one."""
    UNFLATTEN = "unflatten"
    """`dim` becomes `sizes`."""
    SIZES = "sizes"
    """The arguments are the new sizes of the same elements."""
    EXPAND = "expand"
    """The arguments are the new sizes, -1 for one that stays."""
    REPEAT = "repeat"
    """The arguments say how often each axis is repeated."""
    OF_OTHER = "like"
    """Those of the other tensor."""
    BROADCAST = "broadcast"
    """Those of all operands."""
    REDUCE = "reduce"
    """`dim` goes, or stays with the size one where `keepdim` is on; all go without."""
    ALONG = "along"
    """`dim` gets another size."""
    REMOVE = "remove"
    """`dim` goes."""
    DIAGONAL = "diagonal"
    INDEX = "index"
    """Those of the index."""
    VECTOR = "vector"
    """One."""
    COORDINATES = "coordinates"
    """One row for each element that is found."""
    SAMPLES = "samples"
    """The last one gets another size, of two at most."""
    GIVEN = "given"
    """The sizes are given."""
    LITERAL = "literal"
    """Those of the given lists."""
    UNKNOWN = "unknown"


class Bits(enum.Enum):
    """What the bits of a result depend on, besides the elements it is made of.

    Measured on a CPU, of float32 (`tests/hazards/test_settling.py`,
    `tests/hazards/test_values.py`).
    """

    ELEMENT = "element"
    """Nothing: an element gives the same bits wherever it stands."""
    ROW = "row"
    """Nothing outside of the row, and no gradient of an unread row reaches others."""
    ROW_OUTPUT = "row-output"
    """The same; but the gradient of an unread row may be NaN instead of zero."""
    PLACE = "place"
    """Whether the element falls into a vector or into what is left over."""
    UNKNOWN = "unknown"


class Settles(enum.Enum):
    """Whether a strided and a dense tensor give the same, in the same layout."""

    YES = "yes"
    ALONG = "along"
    """Where a dimension is given; else the sign of a zero may differ."""
    UNKNOWN = "no"


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


class Operation(NamedTuple):
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

    @property
    def may_share(self) -> bool:
        """Whether the result may share memory with an operand."""
        return self.memory in (Memory.VIEW, Memory.EITHER)

    @property
    def passes_on(self) -> bool:
        """Whether the result is a view of the tensor, itself, or its elements anew."""
        return (
            self.memory is Memory.VIEW or "itself" in self.flags or self.role in _GUISES
        )

    @property
    def sees_memory(self) -> bool:
        """Whether the result depends on where in memory the tensor lies."""
        return "memory" in self.flags

    @property
    def needs_dense(self) -> bool:
        """Whether it fails on some strided tensors whose dense copy it accepts."""
        return "dense" in self.flags

    @property
    def makes_dense(self) -> bool:
        """Whether the result lies without gaps."""
        return "makes-dense" in self.flags

    @property
    def cuts_gradient(self) -> bool:
        """Whether no gradient flows back through it."""
        return self.gives.is_integral or "cuts" in self.flags

    @property
    def is_flat(self) -> bool:
        """Whether its derivative is zero wherever there is one."""
        return "flat" in self.flags

    @property
    def keeps_elements(self) -> bool:
        """Whether each result is an element or a bound, bit for bit."""
        return "keeps" in self.flags

    @property
    def is_positive(self) -> bool:
        """Whether no result is a negative zero, or less."""
        return "positive" in self.flags

    @property
    def saves_input(self) -> bool:
        """Whether its backward needs the tensor as it was."""
        return "saves" in self.flags

    @property
    def repeats(self) -> bool:
        """Whether the result is seldom smaller than what it is made from."""
        return "spreads" in self.flags

    @property
    def gives_pair(self) -> bool:
        """Whether it gives values and their indices, at least along a dimension."""
        return bool(self.flags & {"pair", "pair=along"})

    @property
    def pairs_along(self) -> bool:
        """Whether it gives the indices, too, where a dimension is given alone."""
        return "pair=along" in self.flags

    @property
    def gives_several(self) -> bool:
        """Whether it gives a tuple of tensors, at least along a dimension."""
        return self.gives_pair or self.role is Role.PARTS or "several" in self.flags

    @property
    def raises_to_power(self) -> bool:
        """Whether it is exact for some exponents only."""
        return "powers" in self.flags

    @property
    def gives_number(self) -> bool:
        """Whether it gives a number of Python, whatever it is given."""
        return bool(self.flags & {"number", "count"})

    @property
    def folds(self) -> bool:
        """Whether it gives a number where it is given numbers."""
        return "folds" in self.flags

    @property
    def consumes(self) -> bool:
        """Whether a built-in function runs the iterators that it is given."""
        return "consumes" in self.flags

    @property
    def is_lazy(self) -> bool:
        """Whether it takes what it is given when its own result is consumed."""
        return "lazy" in self.flags

    @property
    def hands_on(self) -> bool:
        """Whether a built-in function gives back what it finds in its argument."""
        return "iterates" in self.flags

    @property
    def only_looks(self) -> bool:
        """Whether a built-in function keeps nothing of its argument."""
        return "looks" in self.flags

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
            if name is None:
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
