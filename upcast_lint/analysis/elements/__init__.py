"""What kind of elements a source has, as far as its file shows.

`argmax` has no kernel for bool and `gather` none for float8, so a read may be moved
above a cast only where the source is known to hold ordinary floats. A cast of what
is float32 already does nothing, and the linter has nothing to say about it.

Rules
-----
1. What an expression does decides first: a comparison makes bools, `log_softmax`
   makes floats. Where several definitions reach a name they must agree.
2. Then tests of the type around the cast, then names, then what else the scope does
   with the tensor. Names against (`mask`, `input_ids`, `w_q`) come before names for.
3. `if x.dtype != torch.float32: x = x.float()` counts as FLOAT: who asks whether a
   tensor is single precision thinks of the other precisions, and needs no question to
   convert a mask. A name against or an opposite test outweighs it.
4. A tensor made in the default dtype (`torch.rand(n)`) is FLOAT and not WIDE, for
   model code runs under `set_default_dtype(torch.bfloat16)`. Integers times a float
   constant are WIDE all the same: nobody casts those who means the default dtype.
5. WIDE means at least as wide as the cast that the source stands in.

Limits: attributes are known by name and, where `__init__` of the same class makes
them, by that; parameters by name and annotation; other functions not at all.
"""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass

from ..casts import recognise_cast
from ..facts import Facts
from ..names import Binding
from ..width.lineage import trail
from ..width.words import dotted_words, spelling
from .dtype_tests import kind_by_tests
from .kinds import kind_of_expression
from .names import kind_by_annotation, kind_by_name
from .types import Sort, Typed
from .uses import chosen_while_decoding, treated_as_float


class Elements(enum.Enum):
    FLOAT = enum.auto()
    """Ordinary floats: fp16, bf16 or fp32."""
    NOT_FLOAT = enum.auto()
    """Bools, integers, or storage such as float8 and quantised types."""
    WIDE = enum.auto()
    """Already what the cast makes of it."""
    UNKNOWN = enum.auto()


@dataclass(frozen=True, slots=True)
class ElementType:
    elements: Elements
    reason: str
    """In a few words, for the report; empty where nothing is known."""


_ELEMENTS = {
    Sort.INTEGRAL: Elements.NOT_FLOAT,
    Sort.STORAGE: Elements.NOT_FLOAT,
    Sort.WHOLE_NUMBER: Elements.UNKNOWN,
    Sort.REAL_NUMBER: Elements.UNKNOWN,
    Sort.FLOAT: Elements.FLOAT,
    Sort.UNKNOWN: Elements.UNKNOWN,
}


def element_type(source: ast.expr, facts: Facts) -> ElementType:
    """The elements of the expression that a cast converts."""
    typed = _kind(source, facts)
    if typed is None:
        return ElementType(Elements.UNKNOWN, "")
    match typed.kind:
        case Sort.FLOAT64:
            return ElementType(Elements.WIDE, typed.reason)
        case Sort.FLOAT32:
            is_wide = _target(source, facts) != "float64"
            wide = Elements.WIDE if is_wide else Elements.FLOAT
            return ElementType(wide, typed.reason)
        case kind:
            return ElementType(_ELEMENTS[kind], typed.reason)


def _kind(source: ast.expr, facts: Facts) -> Typed | None:
    """The first kind of evidence that speaks, in the order of the rules above."""
    made = kind_of_expression(source, facts)
    nodes = trail(source, facts)
    spellings = {text for node in nodes if (text := spelling(node)) is not None}
    stored = kind_by_tests(source, spellings, facts)
    if stored is not None and stored.kind is Sort.STORAGE:
        return stored
    if made.kind is not Sort.UNKNOWN:
        return made
    return (
        stored
        or _annotated(nodes, facts)
        or _named(nodes)
        or treated_as_float(nodes, facts)
        or chosen_while_decoding(source, facts)
    )


def _annotated(nodes: list[ast.expr], facts: Facts) -> Typed | None:
    for node in nodes:
        if not isinstance(node, ast.Name):
            continue
        definition = facts.names.only(node)
        if (
            definition is not None
            and definition.binding is Binding.PARAMETER
            and isinstance(definition.node, ast.arg)
        ):
            return kind_by_annotation(definition.node, facts)
    return None


def _named(nodes: list[ast.expr]) -> Typed | None:
    """What the nearest name says that says something."""
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            typed = kind_by_name(dotted_words(node))
            if typed is not None:
                return typed
    return None


def _target(source: ast.expr, facts: Facts) -> str | None:
    """The type that the cast around a source converts to."""
    for node in facts.tree.ancestors(source):
        if isinstance(node, ast.Call):
            cast = recognise_cast(node, facts)
            return cast.dtype if cast is not None and cast.source is source else None
        if not isinstance(node, ast.Attribute):
            break
    return None
