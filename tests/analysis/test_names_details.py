"""Names in code that no path reaches."""

from __future__ import annotations

import pytest

from .helpers import facts_of, reaching

DEAD = {
    "a comprehension": "return\n    y = [a for a in b]",
    "two loops in a comprehension": "return\n    y = [a for c in b for a in c]",
    "a lambda": "return\n    y = lambda a: a",
    "a walrus": "return\n    y = (a := b)",
}


@pytest.mark.parametrize("code", DEAD.values(), ids=DEAD)
def test_dead_code_is_walked(code: str) -> None:
    assert facts_of(f"def f(b):\n    {code}\n").names.definitions


def test_a_break_of_an_inner_loop_runs_the_finally() -> None:
    code = """
        def f(x):
            for i in n:
                for j in m:
                    try: break
                    finally: x = a
                use(x)
    """
    assert reaching(code) == {"a", "parameter"}


def test_a_break_of_the_outer_loop_is_told_from_that_of_the_inner() -> None:
    code = """
        def f(x):
            for i in n:
                if c: break
                for j in m:
                    try: break
                    finally: x = a
                use(x)
    """
    assert reaching(code) == {"a", "parameter"}


def test_two_loops_of_a_comprehension_keep_the_names_of_the_function() -> None:
    code = """
        def f(a, b):
            a = c
            y = [a for d in b for a in d]
            use(a)
    """
    assert reaching(code) == {"c"}
