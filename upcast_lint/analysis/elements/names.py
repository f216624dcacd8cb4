"""What names and annotations say of the elements of a tensor."""

from __future__ import annotations

import ast

from .. import ops
from ..facts import Facts
from ..ops import Gives
from ..width.words import names_log_probs, names_logits, word_set, words
from .types import Kind, Typed, kind_of

_WHOLE = word_set(
    """
    mask masks ids id labels label lengths length lens len count counts num idx index
    indices positions ranks steps flags padding nonpad cond correct matches valid is
    """
)
"""Last words of the names of bools and integers."""
_WHOLE_FIRST = word_set("num count")
_BOOL_FIRST = word_set("is has should")
_STORED = word_set("quant quantized quantised qweight qzeros nvfp nf mxfp uint")
_CODED = word_set("codes codebook bytes byte")
"""Integers, unless they are what the logits beside them are of."""
_PACKED = "packed"
_PACKED_INTO = word_set("weight weights w qw int bits nibbles zeros scales scale")
"""What is packed into integers; sequences are packed, too, and stay what they are."""
_STORED_PARTS = ("fp8", "int8", "int4", "float8", "fp4", "uint8", "w_q", "wq_packed")

_ANNOTATIONS = {
    "Float": Kind.FLOAT,
    "BFloat16": Kind.FLOAT,
    "Float16": Kind.FLOAT,
    "Half": Kind.FLOAT,
    "Float32": Kind.FLOAT32,
    "Float64": Kind.FLOAT64,
    "Int": Kind.INTEGRAL,
    "Int32": Kind.INTEGRAL,
    "Int64": Kind.INTEGRAL,
    "Integer": Kind.INTEGRAL,
    "UInt8": Kind.INTEGRAL,
    "Bool": Kind.INTEGRAL,
}
"""jaxtyping's types."""


def kind_by_name(dotted: str) -> Typed | None:
    """What the name of a tensor says, or None where it says nothing."""
    last = dotted.rpartition(".")[2]
    said = words(last)
    if not said:
        return None
    if _names_storage(last, said):
        return Typed(Kind.STORAGE, f"`{last}` names quantised storage")
    if said[0] in _WHOLE_FIRST:
        return Typed(Kind.INTEGRAL, f"`{last}` names a number of things")
    if names_logits(last) or names_log_probs(last):
        return Typed(Kind.FLOAT, f"named `{last}`")
    if said[-1] in _WHOLE or said[0] in _BOOL_FIRST or "mask" in said:
        return Typed(Kind.INTEGRAL, f"`{last}` names bools or integers")
    return None


def _names_storage(name: str, said: tuple[str, ...]) -> bool:
    if not _STORED.isdisjoint(said) or any(p in name.lower() for p in _STORED_PARTS):
        return True
    if not _CODED.isdisjoint(said):
        return not (names_logits(name) or names_log_probs(name))
    return _PACKED in said and not _PACKED_INTO.isdisjoint(said)


def kind_by_annotation(parameter: ast.arg, facts: Facts) -> Typed | None:
    """What the annotation of a parameter says of its elements."""
    if parameter.annotation is None:
        return None
    for part in ast.walk(parameter.annotation):
        match part:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                kind = _kind_of_annotation(name, facts.resolve(part))
                if kind is not Kind.UNKNOWN:
                    return Typed(kind, f"`{parameter.arg}` is annotated `{name}`")
            case _:
                pass
    return None


def _kind_of_annotation(name: str, dotted: str | None) -> Kind:
    """The kind that a type or a class names; `FloatTensor` is written for any float."""
    kind = kind_of(dotted or "")
    if kind is not Kind.UNKNOWN:
        return kind
    made = ops.tensor(name) if name.endswith("Tensor") else None
    if made is None or made.gives is Gives.UNKNOWN:
        return _ANNOTATIONS.get(name, Kind.UNKNOWN)
    return Kind.INTEGRAL if made.gives.is_integral else Kind.FLOAT
