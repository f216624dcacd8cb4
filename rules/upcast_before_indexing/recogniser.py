"""UPC003: indexing by masks and tensors of integers, and masked_select."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from upcast_lint.analysis.indices import Proof, distinct_pairs, known_rank
from upcast_lint.analysis.indices.extent import may_expand
from upcast_lint.analysis.pieces.cuts import cuts_of, has_one_element
from upcast_lint.analysis.pieces.rounds import judge_rounds, levels_of
from upcast_lint.analysis.pieces.small_pieces import becomes_number
from upcast_lint.analysis.pieces.subscripts import (
    ADVANCED,
    Item,
    ItemKind,
    label_of,
    may_be_integer,
    subscript_items,
)
from upcast_lint.analysis.reads import Form, Gradient, Piece, Selection, Use


def recognise(use: Use) -> Selection | None:
    if use.form is Form.SUBSCRIPT:
        return _indexing(use)
    if use.name == "masked_select":
        return _masked_select(use)
    return None


def _masked_select(use: Use) -> Selection | None:
    bound = use.bind()
    if bound is None or "mask" not in bound:
        return None
    assert isinstance(use.node, ast.Call)
    # The smaller of tensor and mask is expanded, and its elements repeat.
    may_repeat = any(
        has_one_element(axis, use) for axis in (0, 1, -1)
    ) or _has_more_axes(bound["mask"], use)
    return Selection(
        node=use.node,
        label="masked_select",
        narrow=f"the elements where `{_text(bound['mask'], use)}` holds",
        gradient=Gradient.REPEATS if may_repeat else Gradient.EXACT,
        index=bound["mask"],
        takes_index_tensor=True,
    )


def _has_more_axes(mask: ast.expr, use: Use) -> bool:
    """Whether a mask has axes that what it picks from lacks."""
    of_mask = known_rank(mask, use.facts)
    of_source = known_rank(use.cast.source, use.facts)
    return of_mask is not None and of_source is not None and of_mask > of_source


def _indexing(use: Use) -> Selection | None:
    assert isinstance(use.node, ast.Subscript)
    items = subscript_items(use.node, use.facts)
    if items is None:
        return None
    advanced = [item for item in items if item.kind in ADVANCED]
    if not advanced:
        return None
    masks = [item for item in advanced if item.kind is ItemKind.MASK]
    is_exact = len(masks) == len(advanced) == 1
    first = advanced[0]
    return Selection(
        node=use.node,
        label=label_of(use.node, use.facts),
        narrow=_kept(items, advanced, use),
        axis=first.axis if len(advanced) == 1 else None,
        kept="N" if masks else "K",
        gradient=Gradient.EXACT if is_exact else Gradient.REPEATS,
        index=first.node if len(advanced) == 1 else use.node.slice,
        distinct=None if is_exact else _distinct(items, use),
        may_be_view=all(may_be_integer(item, use.facts) for item in advanced),
        takes_index_tensor=any(not isinstance(i.node, ast.List) for i in advanced),
        rows=_rows(items, use),
        piece=_piece(items, use),
        disjoint_rounds=judge_rounds(cuts_of(items), use).disjoint,
    )


def _text(node: ast.expr, use: Use) -> str:
    return " ".join(use.facts.text(node).split())


def _kept(items: Sequence[Item], advanced: Sequence[Item], use: Use) -> str | None:
    """What is kept in words; None for a permutation, and for numbers one by one."""
    assert isinstance(use.node, ast.expr)
    if becomes_number(use.node, use.facts) and levels_of(use.node, use):
        return None
    if len(advanced) == 1:
        node = advanced[0].node
        if has_one_element(advanced[0].axis, use):
            return None
        others = [i for i in items if i.is_integer or i.kind is ItemKind.SLICE]
        if not others and may_expand(node, use.cast.source, use.facts):
            return None
        if advanced[0].kind is ItemKind.MASK:
            return f"the elements where `{_text(node, use)}` holds"
    named = " and ".join(f"`{_text(item.node, use)}`" for item in advanced)
    return f"the elements that {named} name"


def _distinct(items: Sequence[Item], use: Use) -> Proof | None:
    """The proof that the combined indices do not repeat."""
    nodes = [item.node for item in items if item.kind is not ItemKind.NEW]
    return distinct_pairs(nodes, use.facts, use.directives, use.cast.call, use.node)


def _rows(items: Sequence[Item], use: Use) -> ast.expr | None:
    """The only index, where it acts on dimension 0 and picks rows one by one."""
    chosen = [item for item in items if item.kind is not ItemKind.WHOLE]
    if len(chosen) != 1 or chosen[0].axis != 0:
        return None
    node = chosen[0].node
    if isinstance(node, ast.List) or known_rank(node, use.facts) in (1, None):
        return node
    return None


def _piece(items: Sequence[Item], use: Use) -> Piece | None:
    """A mask taken for a bound: first come the rows it names, then the others."""
    chosen = [item for item in items if item.kind is not ItemKind.WHOLE]
    if len(chosen) != 1 or chosen[0].kind is not ItemKind.MASK:
        return None
    axis, mask = chosen[0].axis, use.facts.value(chosen[0].node)
    if axis is None:
        return None
    if isinstance(mask, ast.UnaryOp) and isinstance(mask.op, ast.Invert):
        return Piece(axis, f"where {_spelled(mask.operand, use)}", None)
    return Piece(axis, None, f"where {_spelled(chosen[0].node, use)}")


def _spelled(node: ast.expr, use: Use) -> str:
    """The text of a mask, with the bindings of its names."""
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return f"{_text(node, use)} {[use.facts.names.numbers(name) for name in names]}"
