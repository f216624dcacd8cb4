"""The stretch of text in which all that runs between nodes stands."""

from __future__ import annotations

import ast
from textwrap import indent

import pytest

from upcast_lint.analysis.facts import Facts
from upcast_lint.analysis.order import (
    SUSPENSIONS,
    Line,
    Stretch,
    may_run_before_any,
    may_run_between,
)

from .helpers import facts_of

BODIES = {
    "straight on": "a = first(x)\nb = c\nlast(a)\nd = e\n",
    "inside the last": "a = first(x)\nlast(a, g(h(b)))\n",
    "a loop around the last": "a = first(x)\nfor i in n:\n    last(a)\n    b = c\n",
    "a loop around both": "for i in n:\n    b = c\n    a = first(x)\n    last(a)\n",
    "two that are last": "first(x)\nif c:\n    last(a)\n    b\nelse:\n    last(i)\n",
    "a comprehension": "a = first(x)\nlast([i for i in a if g(i)])\n[j for j in c]\n",
    "an f-string": "a = first(x)\nlast(f'''{a}\n{\nb}''', f'{c:{d}}')\n",
    "on one row": "a = first(x); b = c; last(a); d = e\n",
    "a loop before the last": "a = first(x)\nwhile c:\n    b = a\nlast(b)\n",
}


@pytest.mark.parametrize("before_last", [False, True])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_it_leaves_out_nothing_that_may_run(body: str, before_last: bool) -> None:
    facts = facts_of(f"def f(x, c, n):\n{indent(body, '    ')}")
    nodes = [node for node in ast.walk(facts.scope) if node is not facts.scope]
    calls = {
        name: [
            node
            for node in nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == name
        ]
        for name in ("first", "last")
    }
    (first,), lasts = calls["first"], calls["last"]
    stretch = Stretch(first, lasts, facts, before_last=before_last)
    held = list(stretch.of(Line(nodes)))
    run = [
        node
        for node in nodes
        if may_run_before_any(first, node, lasts, facts, before_last=before_last)
    ]
    assert run
    assert all(node in held and stretch.holds(node) for node in run)


def node_of(facts: Facts, text: str) -> ast.AST:
    """The outermost node with a text."""
    return next(
        node
        for node in ast.walk(facts.scope)
        if isinstance(node, ast.expr | ast.stmt) and facts.text(node) == text
    )


BETWEEN = {
    "a call": "a = first(x)\nmiddle(c)\nlast(a)",
    "an argument of the last": "a = first(x)\nlast(middle(c), a)",
    "beside the last": "a = first(x)\nb = g(middle(c), last(a))",
    "in a loop around the last": (
        "a = first(x)\nfor i in n:\n    last(a)\n    middle(c)"
    ),
    "in one branch of two": "a = first(x)\nif c:\n    middle(c)\nlast(a)",
}
OUTSIDE = {
    "before the first": "middle(c)\na = first(x)\nlast(a)",
    "behind the last": "a = first(x)\nlast(a)\nmiddle(c)",
    "behind a loop around the last": (
        "a = first(x)\nfor i in n:\n    last(a)\nmiddle(c)"
    ),
    "in the other branch": "a = first(x)\nif c:\n    middle(c)\nelse:\n    last(a)",
    "in a loop around both": (
        "for i in n:\n    a = first(x)\n    last(a)\n    middle(c)"
    ),
}


def runs_between(body: str, *, before_last: bool = False) -> bool:
    facts = facts_of(f"def f(x, c, n):\n{indent(body, '    ')}\n")
    first, middle = node_of(facts, "first(x)"), node_of(facts, "middle(c)")
    last = next(
        node
        for node in ast.walk(facts.scope)
        if isinstance(node, ast.Call) and facts.text(node.func) == "last"
    )
    return may_run_between(first, middle, last, facts, before_last=before_last)


@pytest.mark.parametrize("body", OUTSIDE.values(), ids=OUTSIDE)
def test_what_does_not_run_between(body: str) -> None:
    assert not runs_between(body)


@pytest.mark.parametrize("body", BETWEEN.values(), ids=BETWEEN)
def test_what_may_run_between(body: str) -> None:
    assert runs_between(body)


def test_an_argument_runs_before_what_it_is_given_to() -> None:
    body = BETWEEN["an argument of the last"]
    assert not runs_between(body, before_last=True)


def test_what_is_given_the_last_runs_behind_it() -> None:
    facts = facts_of("def f(x):\n    a = first(x)\n    b = g(last(a))\n")
    nodes = [node_of(facts, each) for each in ("first(x)", "g(last(a))", "last(a)")]
    assert not may_run_between(*nodes, facts)


STORES = {
    "of what is read": ("x[0] = last(a)", False),
    "of what is made of it": ("x[0] = g(last(a))", False),
    "to several targets": ("z = x[0] = last(a)", False),
    "before the read": ("x[0] = c\nlast(a)", True),
    "behind the read": ("last(a)\nx[0] = c", False),
}


@pytest.mark.parametrize(("body", "runs"), STORES.values(), ids=STORES)
def test_a_store_waits_for_its_value(body: str, runs: bool) -> None:
    facts = facts_of(f"def f(x, c):\n    a = first(x)\n{indent(body, '    ')}\n")
    nodes = [node_of(facts, each) for each in ("first(x)", "x[0]", "last(a)")]
    assert may_run_between(*nodes, facts) == runs


SUSPENDED = {
    "an await": "await last(a)",
    "a yield": "yield last(a)",
    "a yield from": "yield from last(a)",
    "an asynchronous loop": "async for i in last(a):\n    g(i)",
    "an asynchronous manager": "async with last(a):\n    g(c)",
}


@pytest.mark.parametrize("code", SUSPENDED.values(), ids=SUSPENDED)
def test_other_code_runs_where_the_function_waits(code: str) -> None:
    facts = facts_of(f"async def f(x, c):\n    a = first(x)\n{indent(code, '    ')}\n")
    first, last = node_of(facts, "first(x)"), node_of(facts, "last(a)")
    waits = next(n for n in ast.walk(facts.scope) if isinstance(n, SUSPENSIONS))
    assert may_run_between(first, waits, last, facts)


def test_it_leaves_out_what_stands_elsewhere() -> None:
    facts = facts_of("def f(x):\n    b = c\n    a = first(x)\n    last(a)\n    d = e\n")
    before, first, last, behind = facts.scope.body  # type: ignore[union-attr]
    stretch = Stretch(first, [last], facts)  # type: ignore[arg-type]
    assert list(stretch.of(Line([behind, before]))) == []  # type: ignore[list-item]
    assert not stretch.holds(before)
    assert not stretch.holds(behind)


def test_it_leaves_out_what_stands_outside_of_a_loop_around_both() -> None:
    facts = facts_of(
        "def f(x):\n    b = c\n    for i in x:\n        a = first(x)\n        last(a)\n"
    )
    before, first, last = (node_of(facts, t) for t in ("b = c", "first(x)", "last(a)"))
    assert not Stretch(first, [last], facts).holds(before)


def test_it_ends_before_the_last_where_that_is_asked_for() -> None:
    facts = facts_of("def f(x, c):\n    a = first(x)\n    last(a, g(c))\n")
    first, last, inside = (
        node_of(facts, t) for t in ("first(x)", "last(a, g(c))", "g(c)")
    )
    assert Stretch(first, [last], facts).holds(inside)
    assert not Stretch(first, [last], facts, before_last=True).holds(inside)
