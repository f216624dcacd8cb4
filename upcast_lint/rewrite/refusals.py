"""Why a rewrite is not made."""

from __future__ import annotations


class Unfixable(Exception):
    """The rewrite is known, but has no place in the code as it is written."""


class NothingSaved(Unfixable):
    """Whatever is moved, every path casts as much as before."""
