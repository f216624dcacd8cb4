"""The inputs of a function, as one readable line of text.

    logits=bf16[2,8,64] grad; idx=i64[2,8,4]<64 distinct; mask=bool[2,8]; t=0.7

Items are separated by semicolons. An item is a name and either a tensor or a
Python literal. A tensor is a dtype, its sizes, for integers an upper bound that no
element reaches, and words that say what the dtype does not:

`grad`
    the tensor is a leaf that requires a gradient;
`distinct`
    no value occurs twice along the last dimension;
`repeated`
    values do occur twice along the last dimension;
`padded`
    distinct, but the second half of the positions (the last dimension but one; of
    a vector, the last) is all zeros. A padded boolean tensor is False in the second
    half of its last dimension, and so masks a padded index of one dimension more.

The dtype `low` stands for each dtype in turn that the cast under test widens.
"""

from __future__ import annotations

import ast
import enum
import re
from dataclasses import dataclass


class DType(enum.Enum):
    LOW = "low"
    BF16 = "bf16"
    F16 = "f16"
    F32 = "f32"
    F64 = "f64"
    I32 = "i32"
    I64 = "i64"
    BOOL = "bool"

    @property
    def is_float(self) -> bool:
        return not self.is_integer and self is not DType.BOOL

    @property
    def is_integer(self) -> bool:
        return self in (DType.I32, DType.I64)


class Provenance(enum.Enum):
    """What is known about the elements of an index or a mask."""

    ANY = "any"
    DISTINCT = "distinct"
    REPEATED = "repeated"
    PADDED = "padded"


@dataclass(frozen=True, slots=True)
class TensorInput:
    """`bound` is the exclusive upper end of an integer tensor, else None."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    requires_grad: bool = False
    bound: int | None = None
    provenance: Provenance = Provenance.ANY


@dataclass(frozen=True, slots=True)
class LiteralInput:
    name: str
    value: object


Input = TensorInput | LiteralInput


class SpecificationError(ValueError):
    """The text does not follow the grammar of this module."""


_TENSOR = re.compile(
    r"(?P<dtype>\w+)\s*\[(?P<sizes>[\d,\s]*)\]\s*(?:<\s*(?P<bound>\d+))?"
    r"(?P<words>(?:\s+[a-z]+)*)\s*"
)
_NAME = re.compile(r"[A-Za-z_]\w*")


def parse_inputs(text: str) -> tuple[Input, ...]:
    """The inputs that `text` describes; raises SpecificationError."""
    inputs = tuple(_parse_item(item.strip()) for item in _split_items(text))
    names = [each.name for each in inputs]
    for name in names:
        if names.count(name) > 1:
            raise SpecificationError(f"input {name!r} is given twice")
    return inputs


def _split_items(text: str) -> list[str]:
    """Split at semicolons that stand outside string literals."""
    items = re.findall(r"(?:'[^']*'|\"[^\"]*\"|[^;'\"])+", text)
    return [item for item in items if item.strip()]


def _parse_item(item: str) -> Input:
    name, equals, value = item.partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not _NAME.fullmatch(name) or not value:
        raise SpecificationError(f"expected NAME=TENSOR or NAME=LITERAL, got {item!r}")
    if matched := _TENSOR.fullmatch(value):
        return _parse_tensor(name, matched)
    try:
        return LiteralInput(name, ast.literal_eval(value))
    except (ValueError, SyntaxError):
        raise SpecificationError(
            f"{name}: {value!r} is neither a tensor such as bf16[2,8,64] nor a literal"
        ) from None


def _parse_tensor(name: str, matched: re.Match[str]) -> TensorInput:
    try:
        dtype = DType(matched["dtype"])
    except ValueError:
        known = ", ".join(each.value for each in DType)
        raise SpecificationError(
            f"{name}: unknown dtype {matched['dtype']!r}; known are {known}"
        ) from None
    sizes = [size.strip() for size in matched["sizes"].split(",")]
    if "" in sizes[:-1]:
        raise SpecificationError(f"{name}: a size is missing in [{matched['sizes']}]")
    requires_grad = False
    provenance = Provenance.ANY
    for word in matched["words"].split():
        if word == "grad":
            requires_grad = True
            continue
        try:
            provenance = Provenance(word)
        except ValueError:
            raise SpecificationError(f"{name}: unknown word {word!r}") from None
    tensor = TensorInput(
        name,
        dtype,
        tuple(int(size) for size in sizes if size),
        requires_grad,
        int(matched["bound"]) if matched["bound"] else None,
        provenance,
    )
    _check_tensor(tensor)
    return tensor


def _check_tensor(tensor: TensorInput) -> None:
    name, dtype = tensor.name, tensor.dtype
    if tensor.requires_grad and not dtype.is_float:
        raise SpecificationError(f"{name}: {dtype.value} has no gradient")
    if dtype.is_float and tensor.provenance is not Provenance.ANY:
        raise SpecificationError(
            f"{name}: {tensor.provenance.value!r} is said of an index or a mask"
        )
    if dtype.is_integer and not tensor.bound:
        raise SpecificationError(
            f"{name}: an integer tensor needs a bound, as in {dtype.value}[2,8]<64"
        )
    if not dtype.is_integer and tensor.bound is not None:
        raise SpecificationError(f"{name}: only an integer tensor has a bound")
    length = tensor.shape[-1] if tensor.shape else 1
    needs_distinct = tensor.provenance in (Provenance.DISTINCT, Provenance.PADDED)
    if tensor.bound is not None and needs_distinct and length > tensor.bound:
        raise SpecificationError(
            f"{name}: no {length} distinct values below {tensor.bound}"
        )
