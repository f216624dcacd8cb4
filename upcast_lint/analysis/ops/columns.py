"""What the columns of the table of operations can say."""

from __future__ import annotations

import enum


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
    LOSS = "loss"
    """One number, or one for each row, of a tensor and its targets."""
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
