"""Casts that have a line of their own."""

from __future__ import annotations

from .helpers import expected, rewritten


def test_comments_above_a_cast_on_its_own_line_go_with_it() -> None:
    code = """
        def f(x, i):
            return (
                x
                # the kernel wants it
                # in single precision
                .float()
                .gather(-1, i)
            )
    """
    assert rewritten(code) == expected("""
        def f(x, i):
            return (
                x
                .gather(-1, i)
                # the kernel wants it
                # in single precision
                .float()
            )
    """)
