"""The dimensions of a source, for the estimate of memory."""

from __future__ import annotations

import ast

from ..facts import Facts
from ..values import is_ellipsis, items_of
from .lineage import Lineage, operation, step_operand
from .shapes import canonical, written_shapes
from .uses import axis_names, table_lookup
from .words import dotted_words, is_integer, names_embedding_table, spoken

_LOGITS = ("B", "S", "V")
_TABLE = ("V", "D")


def dimensions(
    source: ast.expr, lineage: Lineage, facts: Facts, is_vocab_wide: bool
) -> tuple[str, ...]:
    """The best that the evidence supports, outermost axis first.

    Empty where a source that is not vocab-wide has no shape written down.
    """
    for shape in written_shapes(lineage.definitions, source, facts):
        if shape.ends_in_vocabulary or not is_vocab_wide:
            return _sliced(shape.dimensions, _own_steps(source, facts), facts)
    unpacked = tuple(canonical(n) for n in axis_names(lineage, facts) if n != "_")
    if len(unpacked) > 1 and (unpacked[-1] == "V" or not is_vocab_wide):
        return _sliced(unpacked, lineage.trail, facts)
    if not is_vocab_wide:
        return ()
    is_table = any(names_embedding_table(dotted_words(n)) for n in lineage.trail)
    if is_table or table_lookup(lineage, facts) is not None:
        return _TABLE
    if _is_one_row(lineage, facts):
        return ("B", "V")
    return _sliced(_LOGITS, lineage.trail, facts)


def _own_steps(source: ast.expr, facts: Facts) -> list[ast.expr]:
    """The steps that the source expression itself takes from a name."""
    steps: list[ast.expr] = []
    node: ast.expr | None = source
    while node is not None:
        steps.append(node)
        node = step_operand(node, facts)
    return steps


def _is_one_row(lineage: Lineage, facts: Facts) -> bool:
    """Whether the tensor is `[B, V]`: named for one token, or normalised over 1."""
    for node in lineage.trail:
        match node:
            case ast.Name() | ast.Attribute():
                said = spoken(dotted_words(node).rpartition(".")[2])
                if "_last_token_" in said or "_next_token_" in said:
                    return True
            case ast.Call() if operation(node, facts) in ("softmax", "log_softmax"):
                if any(
                    k.arg == "dim" and is_integer(k.value, 1) for k in node.keywords
                ):
                    return True
            case _:
                pass
    return False


def _sliced(
    dimensions: tuple[str, ...], steps: list[ast.expr], facts: Facts
) -> tuple[str, ...]:
    """The dimensions after the slices among `steps`, which stand last one first."""
    for step in reversed(steps):
        match step:
            case ast.Subscript():
                dimensions = _indexed(dimensions, step.slice, facts)
            case ast.Call(args=[ast.Constant(value=0)]) if (
                operation(step, facts) == "squeeze" and len(dimensions) > 2
            ):
                dimensions = dimensions[1:]
            case _:
                pass
    return dimensions


def _indexed(
    dimensions: tuple[str, ...], index: ast.expr, facts: Facts
) -> tuple[str, ...]:
    elements = items_of(index)
    if elements and is_ellipsis(elements[0]):
        missing = len(dimensions) - len(elements) + 1
        elements = [ast.Slice()] * missing + elements[1:]
    if len(elements) > len(dimensions) or len(dimensions) < 2:
        return dimensions
    if len(elements) == 1 and _is_mask(elements[0], facts):
        return ("rows", dimensions[-1])
    kept: list[str] = []
    for axis, name in enumerate(dimensions):
        element = elements[axis] if axis < len(elements) else ast.Slice()
        if axis < len(dimensions) - 1:
            kept += _kept(name, element)
        else:
            kept.append(name)
    return tuple(kept)


def _kept(name: str, element: ast.expr) -> list[str]:
    match element:
        case ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant()):
            return []
        case ast.Slice(lower=ast.UnaryOp(operand=ast.Constant(value=1)), upper=None):
            return []
        case ast.Slice(lower=ast.expr() as lower, upper=ast.expr() as upper) if not (
            _is_small(lower) and _is_small(upper)
        ):
            return ["chunk"]
        case _:
            return [name]


def _is_small(bound: ast.expr) -> bool:
    """A constant, as in `[1:-1]`, which keeps nearly everything."""
    if isinstance(bound, ast.UnaryOp):
        bound = bound.operand
    return isinstance(bound, ast.Constant)


def _is_mask(node: ast.expr, facts: Facts) -> bool:
    made = facts.value(node)
    return (
        isinstance(made, ast.Compare)
        or (isinstance(made, ast.UnaryOp) and isinstance(made.op, ast.Invert))
        or "_mask_" in spoken(dotted_words(node))
    )
