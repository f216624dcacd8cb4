"""The element types of torch: their names, and what may be done with them.

A row is `sort name others…`.
"""

from __future__ import annotations

from functools import cache

_TYPES = """
float   float16 half
float   bfloat16
float   float32 float
float   float64 double
whole   bool
whole   uint8
whole   int8
whole   int16 short
whole   int32 int
whole   int64 long
complex complex32 chalf
complex complex64 cfloat
complex complex128 cdouble
stored  float8_e4m3fn
stored  float8_e5m2
stored  float8_e4m3fnuz
stored  float8_e5m2fnuz
stored  float8_e8m0fnu
stored  float4_e2m1fn_x2
stored  qint8
stored  quint8
stored  qint32
"""

INDEX_TYPES = ("torch.int64", "torch.int32")
"""Types of indices that keep every integer that is an index as it is."""


@cache
def aliases() -> dict[str, str]:
    """The one name of each type, by the others: `torch.int64` of `torch.long`."""
    return {
        f"torch.{other}": f"torch.{name}"
        for row in _TYPES.strip().splitlines()
        for _, name, *others in (row.split(),)
        for other in others
    }


@cache
def sorts() -> dict[str, str]:
    """Of which sort a type is (`float`, `whole`, `complex`, `stored`), by its name."""
    return {
        f"torch.{name}": sort
        for row in _TYPES.strip().splitlines()
        for sort, name, *_ in (row.split(),)
    }
