"""Names in code that no path reaches."""

from __future__ import annotations

import ast
from textwrap import indent

import pytest

from .helpers import calls_of, described, facts_of, reaching

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


BODIES = {
    "in a row": "use(x)\nx = a\nuse(x)\nx = b\nx = c\nuse(x)",
    "in branches": "if c:\n    x = a\n    use(x)\nelse:\n    use(x)\n    x = b\nuse(x)",
    "in a loop": "for i in n:\n    use(x)\n    x = a\n    use(x)\nuse(x)",
    "in two loops": (
        "for i in n:\n    for j in m:\n        use(x)\n        x = a\n    x = b\nuse(x)"
    ),
    "before a jump": (
        "for i in n:\n    if c:\n        x = a\n        break\n    use(x)\n    x = b\n"
        "use(x)"
    ),
    "in what is tried": (
        "try:\n    x = a\n    use(x)\n    x = b\nexcept E:\n    use(x)\n    x = c\n"
        "finally:\n    use(x)\nuse(x)"
    ),
    "under a manager": "with g() as x:\n    use(x)\n    x = a\nuse(x)",
    "in a match": (
        "match c:\n    case [x]:\n        use(x)\n    case _:\n        x = a\nuse(x)"
    ),
    "then deleted": "x = a\nuse(x)\ndel x\nx = b\nuse(x)",
    "by a walrus": "use(x)\nif (x := a):\n    use(x)\nuse(x)",
    "beside other names": "y = x\nuse(x)\ny, x = a\nuse(x)\nz = y\nuse(x)",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_holds_before_a_statement_is_what_reaches_its_loads(body: str) -> None:
    facts = facts_of(f"def f(x):\n{indent(body, '    ')}\n")
    calls = calls_of(facts, "use")
    assert len(calls) == body.count("use(x)")
    for call in calls:
        (name,) = call.args
        assert isinstance(name, ast.Name)
        before = facts.names.before(facts.tree.statement(call), "x")
        assert before == facts.names.of(name)


def before(body: str) -> set[str] | None:
    facts = facts_of(f"def f(x):\n{indent(body, '    ')}\n")
    (call,) = calls_of(facts, "use")
    found = facts.names.before(facts.tree.statement(call), "y")
    return None if found is None else {described(each) for each in found}


@pytest.mark.parametrize(
    "body",
    [
        "use(x)",
        "use(x)\ny = a",
        "y = a\nreturn\nuse(x)",
        "if c:\n    y = a\n    g()\nelse:\n    use(x)",
    ],
)
def test_a_name_that_is_not_bound_before(body: str) -> None:
    assert before(body) is None


@pytest.mark.parametrize(
    "body", ["if c:\n    y = a\nuse(x)", "for i in n:\n    use(x)\n    y = a"]
)
def test_a_name_that_is_perhaps_bound_before(body: str) -> None:
    assert before(body) == {"a", "free"}


def test_all_that_may_have_run_reaches_a_finally() -> None:
    code = """
        def f(x):
            try:
                x = a
                g()
            finally:
                use(x)
    """
    assert reaching(code) == {"a", "parameter"}


def test_definitions_by_what_makes_and_what_gives_them() -> None:
    code = "def f(x):\n    y = z = g(x)\n    y, w = x\n    for v in x: pass\n"
    facts = facts_of(code)
    first, second, loop = facts.scope.body  # type: ignore[union-attr]
    assert [d.name for d in facts.names.made_by(first)] == ["y", "z"]  # type: ignore[arg-type]
    assert [d.name for d in facts.names.made_by(second)] == ["y", "w"]  # type: ignore[arg-type]
    assert [d.name for d in facts.names.made_by(loop)] == ["v"]  # type: ignore[arg-type]
    assert facts.names.made_by(facts.tree.module) == []
    (call,) = calls_of(facts, "g")
    assert [d.name for d in facts.names.giving(call)] == ["y", "z"]
    assert facts.names.giving(call.func) == []


def test_definitions_are_ordered_as_they_are_made() -> None:
    facts = facts_of("def f(x):\n    use(free)\n    y = x\n    x = y\n")
    names = facts.names
    own = names.definitions
    assert [d.name for d in own] == ["x", "y", "x"]
    (use,) = calls_of(facts, "use")
    assert isinstance(use.args[0], ast.Name)
    free = names.of(use.args[0])
    assert free
    for given in ([*own, *free], [*free, *reversed(own)]):
        assert names.in_order(given) == own
