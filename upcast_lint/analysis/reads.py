"""What one consumer does with a copy.

Terms
-----
use
    One expression that holds the copy, together with what consumes it.
selection
    A consumer that takes elements out; the rules recognise them.
step
    A consumer whose result is again the copy in another guise: a *view* commutes
    with the cast exactly and may stay below it; a *lift* (arithmetic with scalars,
    a softmax of which rows are selected, a move to another device) must stay after the
    cast, so the selection is lifted over it.
"""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass

from . import ops
from .casts import Cast
from .directives import Directives
from .facts import Facts
from .indices import Proof
from .ops import Operation


class Form(enum.Enum):
    """How a consumer takes its operand."""

    METHOD = enum.auto()
    """`operand.name(…)`."""
    FUNCTION = enum.auto()
    """`torch.name(…, operand, …)`; also of `torch.nn.functional`, `torch.Tensor`."""
    SUBSCRIPT = enum.auto()
    """`operand[…]`."""
    ITERATION = enum.auto()
    """`for element in operand`, in a statement or a comprehension."""


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """One use of a copy, as the rules see it."""

    operand: ast.expr
    node: ast.expr | ast.For | ast.AsyncFor | ast.comprehension
    """The consumer: a call, a subscript, or what iterates."""
    form: Form
    name: str
    """Of the method or function, without its module; else empty."""
    cast: Cast
    facts: Facts
    directives: Directives

    @property
    def operation(self) -> Operation | None:
        """The operation of torch that a call is, by its form and name."""
        if self.form is Form.METHOD:
            return ops.method(self.name)
        if self.form is not Form.FUNCTION or not isinstance(self.node, ast.Call):
            return None
        return ops.function(self.facts.resolve(self.node.func) or "")

    def bind(self) -> dict[str, ast.expr] | None:
        """The arguments of a call by parameter, as the table of operations has them.

        None where an argument is starred, has another name, or is given twice, where
        the result is written to a tensor, and where this use's operand is not the
        tensor that the operation acts on.
        """
        call, operation = self.node, self.operation
        if operation is None or not isinstance(call, ast.Call):
            return None
        bound = operation.bind(call)
        if bound is None or not bound.is_complete or "out" in bound.of:
            return None
        if self.form is Form.FUNCTION:
            first = operation.takes[0].name if operation.takes else ""
            if bound.of.get(operation.of or first) is not self.operand:
                return None
        return bound.of


class Result(enum.Enum):
    """What a selection gives."""

    VALUES = enum.auto()
    """A tensor of selected elements."""
    INDICES = enum.auto()
    """Only positions: the cast is not needed at all."""
    PAIR = enum.auto()
    """A named tuple of values and indices."""
    ELEMENTS = enum.auto()
    """One piece after another, bound by the iteration."""
    PARTS = enum.auto()
    """A tuple of parts, some of which are unpacked or taken out by number."""


class Gradient(enum.Enum):
    """How a selection's gradient reaches the source."""

    EXACT = enum.auto()
    """Each element of the source gets one contribution at most."""
    REPEATS = enum.auto()
    """An index that occurs twice adds two contributions."""
    TIES = enum.auto()
    """Equal elements share a contribution, or it is open which of them gets it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of one dimension that a slice keeps, as source text (None: open)."""

    dimension: int
    lower: str | None
    upper: str | None
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection, as a rule judges it.

    `narrow` says in words what it keeps, such as "the columns in `idx`"; None where it
    keeps nearly everything, and then it counts as a full read.
    """

    node: ast.expr | ast.For | ast.AsyncFor | ast.comprehension
    label: str
    narrow: str | None
    axis: int | None = None
    """The dimension it narrows, where that is a number."""
    kept: str = "K"
    """How much of that dimension is kept, as a shape would say it; empty: none."""
    result: Result = Result.VALUES
    gradient: Gradient = Gradient.EXACT
    index: ast.expr | None = None
    distinct: Proof | None = None
    """The proof that no element is taken twice, where `gradient` is REPEATS."""
    is_view: bool = False
    """The result shares memory with what it is taken from."""
    may_be_view: bool = False
    """It is a view if the index is an integer, which the code does not rule out."""
    order_only: bool = False
    """Compares elements: right only for a cast that keeps them apart."""
    unstable_ties: bool = False
    """Which of several equal elements it names is not documented."""
    unstable_zeros: bool = False
    """Gives a zero of either sign where zeros of both signs tie."""
    needs_float: bool = False
    """Not implemented for some element types that the cast accepts."""
    takes_index_tensor: bool = False
    """Reads an index that must stand on the tensor's device."""
    rows: ast.expr | None = None
    """The index, where it is the only one and acts on dimension 0."""
    piece: Piece | None = None
    element: ast.Name | None = None
    """The target that an iteration binds to each piece."""
    disjoint_rounds: Proof | None = None
    """In a loop: the proof that no two rounds take the same element."""


@dataclass(frozen=True, slots=True)
class Waste:
    """A full read of whose result little is kept, as a rule judges it.

    No rewrite mends it; `advice` says what people do.
    """

    label: str
    """The operation that reads the copy whole."""
    kept: str
    """What is kept of its result, in words, such as "the columns in `idx`"."""
    node: ast.expr
    """What keeps it."""
    makes: int
    """How many tensors of the cast's type and size are made, the copy included."""
    advice: str


class Kind(enum.Enum):
    """What a read needs of the copy."""

    SELECTION = enum.auto()
    METADATA = enum.auto()
    """Neither data nor element type."""
    DTYPE = enum.auto()
    """The element type, and no data."""
    FULL = enum.auto()
    WRITE = enum.auto()
    """Writes to the copy in place."""
    DELETE = enum.auto()
    """`del name`: ends the copy's life."""


class StepKind(enum.Enum):
    VIEW = enum.auto()
    LIFT = enum.auto()


@dataclass(frozen=True, slots=True)
class RowWise:
    """An operation that gives each row along one dimension for itself."""

    name: str
    dim: int
    """As it is written: from the end where negative."""
    reduces: bool
    """The dimension is gone."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """`node` is the copy again, made from `operand`."""

    kind: StepKind
    node: ast.expr
    operand: ast.expr
    condition: str | None = None
    """What must hold for the step to commute with a selection; None if it does."""
    exact_gradient: bool = True
    """Its gradient at an element that nobody reads is zero, and else unrounded."""
    row: RowWise | None = None
    """Commutes with what takes whole rows alone."""
    aligned: ast.Name | None = None
    """A vector along dimension 0 that the arithmetic pairs with the copy's rows."""
    repeats: bool = False
    """Shows elements more than once; commutes with picks along the last axis alone."""
    needs_dense: bool = False
    is_abs: bool = False
    is_sign: bool = False
    """Touches the sign alone: exact for floats, and only below other arithmetic."""
    is_transfer: bool = False
    """Moves the tensor to another device."""
    gives_parts: bool = False
    """Gives a tuple of parts, which jointly are the copy."""
    part: int | None = None
    """The number of the part that is taken out of such a tuple."""
    leaves_torch: bool = False
    """Gives an array or a list, on which little means what it means on a tensor."""


@dataclass(frozen=True, slots=True)
class Consumption:
    """What consumes an operand: a step, or a read of some kind with its reason."""

    step: Step | None = None
    kind: Kind | None = None
    node: ast.AST | None = None
    reason: str = ""
    selection: Selection | None = None
    code: str = ""
    """The code of the rule that knows the selection."""
