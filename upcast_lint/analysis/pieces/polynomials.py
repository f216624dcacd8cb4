"""Bounds of pieces as polynomials of names, with integers for factors.

One name is the *variable*, which goes on from round to round; all others stay as they
are, and stand for their text.
"""

from __future__ import annotations

Monomial = tuple[str, ...]
Polynomial = dict[Monomial, int]
"""The factor of each product of names; none of them is zero."""

VARIABLE = "·"


def total(a: Polynomial, b: Polynomial) -> Polynomial:
    out = dict(a)
    for monomial, factor in b.items():
        out[monomial] = out.get(monomial, 0) + factor
    return {monomial: factor for monomial, factor in out.items() if factor}


def difference(a: Polynomial, b: Polynomial) -> Polynomial:
    return total(a, product(b, {(): -1}))


def product(a: Polynomial, b: Polynomial) -> Polynomial:
    out: Polynomial = {}
    for left, m in a.items():
        for right, n in b.items():
            monomial = tuple(sorted((*left, *right)))
            out[monomial] = out.get(monomial, 0) + m * n
    return {monomial: factor for monomial, factor in out.items() if factor}


def split(polynomial: Polynomial) -> tuple[Polynomial | None, Polynomial | None]:
    """The factor of the variable and the rest; None where it is not linear."""
    slope: Polynomial = {}
    rest: Polynomial = {}
    for monomial, factor in polynomial.items():
        match monomial.count(VARIABLE):
            case 0:
                rest[monomial] = factor
            case 1:
                slope[tuple(m for m in monomial if m != VARIABLE)] = factor
            case _:
                return None, None
    return slope, rest


def is_at_most(length: Polynomial, stride: Polynomial) -> bool:
    if length in (stride, product(stride, {(): -1})):
        return True
    if length.keys() <= {()} and stride.keys() <= {()}:
        return length.get((), 0) <= abs(stride.get((), 0))
    return False
