"""What stands in a subscript of a tensor: which items, of which kind, on which axis.

Terms
-----
item
    One index between the commas of `x[a, b]`, or the only one.
basic
    Slices, integers, `None` and `...`: they give a view.
advanced
    Masks and tensors (or lists) of integers: they copy elements out.

A name alone does not tell an integer from a tensor. It is an integer where the code
proves it, *likely* one by its name or where it counts a loop, and else it is taken for
a tensor of integers: of that less is known, so less is promised.
"""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass

from ..facts import Facts
from ..indices import is_mask, known_rank
from ..names import Binding, Definition
from ..receivers import Receiver, receiver_of
from ..scalars import Operand, classify_operand
from ..scalars.evidence import is_used_as_tensor
from ..tensor_calls import is_builtin
from ..values import is_ellipsis, items_of
from ..words import words


class ItemKind(enum.Enum):
    WHOLE = enum.auto()
    """`:` or `...`."""
    NEW = enum.auto()
    """`None`."""
    SLICE = enum.auto()
    INTEGER = enum.auto()
    LIKELY_INTEGER = enum.auto()
    """An integer or a tensor with one element, as far as names tell."""
    MASK = enum.auto()
    TENSOR = enum.auto()
    """Integers in a tensor or a list; also what may be a mask."""


ADVANCED = frozenset((ItemKind.MASK, ItemKind.TENSOR))
_ONE = frozenset((ItemKind.INTEGER, ItemKind.LIKELY_INTEGER))


@dataclass(frozen=True, slots=True)
class Item:
    """`axis` is the dimension that the item acts on: from the end where negative."""

    node: ast.expr
    kind: ItemKind
    axis: int | None

    @property
    def is_integer(self) -> bool:
        return self.kind in _ONE


def subscript_items(subscript: ast.Subscript, facts: Facts) -> tuple[Item, ...] | None:
    """The items of a subscript, or None where one is no index that is known here."""
    nodes = items_of(subscript.slice)
    kinds: list[ItemKind] = []
    for node in nodes:
        kind = index_kind(node, facts)
        if kind is None:
            return None
        kinds.append(kind)
    dots = [n for n, node in enumerate(nodes) if is_ellipsis(node)]
    if len(dots) > 1:
        return None
    middle = dots[0] if dots else len(nodes)
    front = _axes(nodes[:middle], kinds[:middle], facts)
    back = _axes(nodes[:middle:-1], kinds[:middle:-1], facts)
    axes = [
        *front,
        *([None] if dots else []),
        *(None if axis is None else -1 - axis for axis in reversed(back)),
    ]
    return tuple(map(Item, nodes, kinds, axes))


def _axes(
    nodes: list[ast.expr], kinds: list[ItemKind], facts: Facts
) -> list[int | None]:
    """The axis of each item, counted from the first."""
    found: list[int | None] = []
    axis: int | None = 0
    for node, kind in zip(nodes, kinds, strict=True):
        if kind is ItemKind.NEW:
            found.append(None)
            continue
        found.append(axis)
        width = 1
        if kind is ItemKind.MASK:
            width = known_rank(node, facts) or 0
        elif kind is ItemKind.TENSOR and is_mask(node, facts) is None:
            width = 1 if isinstance(node, ast.List | ast.ListComp) else 0
        axis = axis + width if axis is not None and width else None
    return found


def may_be_integer(item: Item, facts: Facts) -> bool:
    """Whether an item is taken for a tensor only because nothing else is known."""
    return (
        item.kind is ItemKind.TENSOR
        and not isinstance(item.node, ast.List | ast.ListComp)
        and receiver_of(item.node, facts) is not Receiver.TENSOR
        and not known_rank(item.node, facts)
    )


def index_kind(node: ast.expr, facts: Facts) -> ItemKind | None:
    """What one item of a subscript is; None for keys, tuples and numpy's indices."""
    match node:
        case ast.Slice(lower=None, upper=None, step=None):
            return ItemKind.WHOLE
        case ast.Slice():
            return ItemKind.SLICE
        case ast.Constant(value=None):
            return ItemKind.NEW
        case ast.Constant(value=value):
            if value is Ellipsis:
                return ItemKind.WHOLE
            return ItemKind.INTEGER if type(value) is int else None
        case ast.List(elts=elements):
            return _list_kind(elements)
        case ast.NamedExpr(value=value):
            return index_kind(value, facts)
        case ast.ListComp():
            return ItemKind.TENSOR
        case ast.Starred() | ast.JoinedStr() | ast.Tuple() | ast.Dict() | ast.Set():
            return None
        case _:
            return _computed_kind(node, facts)


def _list_kind(elements: list[ast.expr]) -> ItemKind | None:
    constants = [e.value for e in elements if isinstance(e, ast.Constant)]
    if constants and all(isinstance(value, bool) for value in constants):
        return ItemKind.MASK if len(constants) == len(elements) else None
    if not elements or any(type(value) is not int for value in constants):
        return None
    if any(isinstance(e, ast.Slice | ast.Starred | ast.List) for e in elements):
        return None
    return ItemKind.TENSOR


def _computed_kind(node: ast.expr, facts: Facts) -> ItemKind | None:
    if _is_foreign(facts.value(node), facts):
        return None
    if is_mask(node, facts) is True:
        return ItemKind.MASK
    if isinstance(node, ast.Name) and not is_used_as_tensor(node.id, facts):
        value = facts.value(node)
        if isinstance(value, ast.BinOp):
            return _computed_kind(value, facts)
    match classify_operand(node, facts):
        case Operand.NUMBER | Operand.ASSUMED_NUMBER:
            return ItemKind.INTEGER
        case Operand.TENSOR:
            return ItemKind.TENSOR
        case _:
            pass
    if isinstance(node, ast.Name) and _counts(node, facts):
        return ItemKind.INTEGER
    return ItemKind.LIKELY_INTEGER if _is_likely(node, facts) else ItemKind.TENSOR


def _is_foreign(value: ast.expr, facts: Facts) -> bool:
    """Whether a value is no single index: a key, a tuple, a `slice`, numpy's."""
    match value:
        case ast.Constant():
            return type(value.value) is not int
        case ast.Tuple() | ast.JoinedStr() | ast.Dict():
            return True
        case ast.Call(func=function):
            if is_builtin(function, "slice", facts) or is_builtin(
                function, "tuple", facts
            ):
                return True
            return (facts.resolve(function) or "").startswith("numpy.")
        case _:
            return False


_LIKELY_WORDS = words("id step layer rank head expert epoch row col dim")
_LETTERS = frozenset("ijkn")
_LOOP_LETTERS = frozenset("abcdefghijklnopqrstuvwxyz")


def _is_likely(node: ast.expr, facts: Facts) -> bool:
    """Whether a name is one that integers have, or arithmetic has an integer in it."""
    match node:
        case ast.BinOp(left=left, right=right):
            kinds = [_computed_kind(side, facts) for side in (left, right)]
            tensors = [
                classify_operand(side, facts) is Operand.TENSOR
                for side in (left, right)
            ]
            return any(kind in _ONE for kind in kinds) and not any(tensors)
        case ast.Name(id=name):
            pass
        case ast.Attribute(attr=name):
            pass
        case _:
            return False
    if name in _LETTERS or name.lower().rpartition("_")[2] in _LIKELY_WORDS:
        return True
    return (
        name in _LOOP_LETTERS
        and isinstance(node, ast.Name)
        and any(
            isinstance(d.node, ast.For | ast.comprehension)
            for d in facts.names.of(node)
        )
    )


def _counts(node: ast.Name, facts: Facts) -> bool:
    """Whether a name counts the rounds of a loop: `range` or `enumerate` in sight."""
    return any(
        counter(definition, facts) is not None for definition in facts.names.of(node)
    )


@dataclass(frozen=True, slots=True)
class Counter:
    """The values `start, start + step, …` before `stop`; None: 0, no end, 1."""

    start: ast.expr | None
    stop: ast.expr | None
    step: ast.expr | None


_WRAPPERS = words("tqdm reversed list tuple sorted iter track")


def counter(definition: Definition, facts: Facts) -> Counter | None:
    """What a loop's own variable counts, if the loop is over `range` or `enumerate`."""
    loop = definition.node
    if not isinstance(loop, ast.For | ast.comprehension):
        return None
    if definition.binding not in (Binding.ITERATED, Binding.OTHER):
        return None
    return _counted(loop.target, loop.iter, definition.name, facts)


def _counted(
    target: ast.expr, iterable: ast.expr, name: str, facts: Facts
) -> Counter | None:
    iterable = facts.value(iterable)
    if not isinstance(iterable, ast.Call):
        return None
    callee, given = _callee(iterable.func), iterable.args
    if callee in _WRAPPERS and given:
        return _counted(target, given[0], name, facts)
    match target:
        case ast.Name(id=same) if same == name:
            return _range(iterable, callee)
        case ast.Tuple(elts=[ast.Name(id=first), rest]) if callee == "enumerate":
            if first == name:
                start = given[1] if len(given) > 1 else None
                start = next((k.value for k in iterable.keywords), start)
                return Counter(start, None, None)
            return _counted(rest, given[0], name, facts) if given else None
        case ast.Tuple(elts=targets) if callee == "zip" and len(targets) == len(given):
            for each, argument in zip(targets, given, strict=True):
                found = _counted(each, argument, name, facts)
                if found is not None:
                    return found
    return None


def _callee(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _range(call: ast.Call, callee: str) -> Counter | None:
    if callee not in ("range", "trange") or any(
        isinstance(argument, ast.Starred) for argument in call.args
    ):
        return None
    match call.args:
        case [stop]:
            return Counter(None, stop, None)
        case [start, stop]:
            return Counter(start, stop, None)
        case [start, stop, step]:
            return Counter(start, stop, step)
        case _:
            return None


def label_of(node: ast.expr, facts: Facts) -> str:
    """What a message calls a selection: `[:, -1]`, or the name of a method."""
    match node:
        case ast.Subscript(slice=index):
            text = f"[{' '.join(facts.text(index).split())}]"
            return text if len(text) <= 40 else "[…]"
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name
        case _:
            return facts.text(node)
