"""The piece that a slice keeps, where sizes and names decide what it is."""

from __future__ import annotations

import ast

import pytest

from upcast_lint.analysis.indices.items import is_one
from upcast_lint.analysis.pieces.subscripts import ItemKind, index_kind
from upcast_lint.analysis.reads import Kind

from .helpers import facts_of, flow_of, used

PIECES = {
    "the last by number, of a size that is written": (
        "x.view(4, n).float()[3]",
        (0, "3", None),
    ),
    "counted from the end, of a size that is written": (
        "x.view(4, n).float()[-2]",
        (0, "2", "3"),
    ),
    "counted from the end, of a size that is left open": (
        "x.view(-1, 4).float()[-2]",
        (0, "-2", "-1"),
    ),
    "counted from the end, of a size by name": (
        "x.view(n, 4).float()[-2]",
        (0, "-2", "-1"),
    ),
    "up to the size that is written": (
        "x.view(n, 4).float()[:, 2:4]",
        (1, "2", None),
    ),
    "up to the size of another dimension": (
        "x.view(4, n).float()[:, 1:4]",
        (1, "1", "4"),
    ),
    "of a dimension before the last": (
        "x.view(n, 4, m).float()[:, 2:4]",
        (1, "2", None),
    ),
    "of a dimension that the view does not have": (
        "x.view(4).float()[:, 1:4]",
        (1, "1", "4"),
    ),
    "after sizes that are passed on": (
        "x.view(*n, 4).float()[..., 1:4]",
        (-1, "1", None),
    ),
    "before sizes that are passed on": (
        "x.view(4, *n).float()[1:4]",
        (0, "1", None),
    ),
    "between sizes that are not passed on": (
        "x.view(4, *n, m).float()[..., 1:4, :, :]",
        (-3, "1", "4"),
    ),
    "one by number": ("x.float()[1]", (0, "1", "2")),
    "the last": ("x.float()[-1]", (0, "-1", None)),
    "from a length": ("x.float()[len(n) : m]", (0, "len(n)", "m")),
    "narrow from the start": ("x.float().narrow(1, 0, n)", (1, None, "n")),
    "narrow from a name": ("x.float().narrow(1, n, m)", (1, "n", "n + m")),
    "narrow by numbers": ("x.float().narrow(1, 2, 3)", (1, "2", "5")),
}


@pytest.mark.parametrize(("expression", "expected"), PIECES.values(), ids=PIECES)
def test_piece(expression: str, expected: tuple[int, str | None, str | None]) -> None:
    flow, _ = flow_of(f"def f(x, n, m):\n return {expression}\n")
    (read,) = flow.reads
    assert read.selection is not None
    piece = read.selection.piece
    assert piece is not None
    assert (piece.dimension, piece.lower, piece.upper) == expected


def test_a_bound_that_may_change_makes_no_piece() -> None:
    flow, _ = flow_of("def f(x, n, m):\n return x.float()[load(n) : m]\n")
    (read,) = flow.reads
    assert read.selection is not None
    assert read.selection.piece is None


@pytest.mark.parametrize("text", ["0:1", ":1", "2:3", "-2:-1", "-1:"])
def test_a_slice_takes_one(text: str) -> None:
    assert is_one(_slice(text))


@pytest.mark.parametrize("text", ["0:2", ":", "1:", "-1:0", "-2:1", "n:n", "-2:", ":0"])
def test_a_slice_may_take_another_number(text: str) -> None:
    assert not is_one(_slice(text))


def _slice(text: str) -> ast.Slice:
    node = ast.parse(f"x[{text}]", mode="eval").body
    assert isinstance(node, ast.Subscript)
    assert isinstance(node.slice, ast.Slice)
    return node.slice


KINDS = {
    "[True, False]": ItemKind.MASK,
    "[True, n]": None,
    "[True, 1]": None,
    "[0, 1]": ItemKind.TENSOR,
    "[0, n]": ItemKind.TENSOR,
    "[]": None,
    "[[0, 1]]": None,
    "0": ItemKind.INTEGER,
    "True": None,
    "'a'": None,
    "None": ItemKind.NEW,
    "...": ItemKind.WHOLE,
    ":": ItemKind.WHOLE,
    "1:": ItemKind.SLICE,
}


@pytest.mark.parametrize(("text", "kind"), KINDS.items())
def test_the_kind_of_an_item(text: str, kind: ItemKind | None) -> None:
    facts = facts_of(f"def f(x, n):\n use(x[{text}])\n")
    node = used(facts)
    assert isinstance(node, ast.Subscript)
    assert index_kind(node.slice, facts) is kind


@pytest.mark.parametrize("made", ["load(n)", "load(n), n", "n", ""])
def test_what_a_function_of_the_file_makes_may_be_anything(made: str) -> None:
    code = f"""
        def make(n):
            return {made}
        def f(n):
            x, y = make(n)
            return x.float()[:2]
    """
    flow, _ = flow_of(code, "f")
    (read,) = flow.reads
    assert read.selection is not None
    assert read.selection.narrow is not None


def test_one_row_that_a_function_of_the_file_makes_is_read_whole() -> None:
    code = """
        def make(n):
            return n, load(n).unsqueeze(0)
        def f(n):
            y, x = make(n)
            return x.float()[0]
    """
    flow, _ = flow_of(code, "f")
    (read,) = flow.reads
    assert read.kind is Kind.FULL


@pytest.mark.parametrize(
    "operand",
    [
        "x.unsqueeze(-1).clone().float()[..., 0]",
        "x.unsqueeze(-1).float()[..., 0]",
        "x.unsqueeze(0).clone().float()[0]",
    ],
)
def test_one_element_of_an_axis_that_has_no_more_is_everything(operand: str) -> None:
    flow, _ = flow_of(f"def f(x):\n return {operand}\n")
    (read,) = flow.reads
    assert read.kind is Kind.FULL


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("k, (a, j) in enumerate(zip(t, range(n)))", ItemKind.INTEGER),
        ("k, j in enumerate(range(n))", ItemKind.INTEGER),
        ("j, a in enumerate(t)", ItemKind.INTEGER),
        ("a, j in zip(t, range(n))", ItemKind.INTEGER),
        ("a, j in load(t, range(n))", ItemKind.LIKELY_INTEGER),
        ("a, j in zip(range(n), t)", ItemKind.LIKELY_INTEGER),
    ],
)
def test_the_counter_of_a_loop(header: str, kind: ItemKind) -> None:
    facts = facts_of(f"def f(x, t, n):\n for {header}:\n  use(x[j])\n")
    node = used(facts)
    assert isinstance(node, ast.Subscript)
    assert index_kind(node.slice, facts) is kind
