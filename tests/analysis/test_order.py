"""What may run between points, what dominates one, and what always follows it."""

from __future__ import annotations

import ast
from textwrap import indent

import pytest

from upcast_lint.analysis.facts import Facts
from upcast_lint.analysis.graph import Begin
from upcast_lint.analysis.graph.order import (
    SUSPENSIONS,
    Between,
    always_follows,
    dominates,
    may_follow,
    may_run_between,
    meet,
)

from .helpers import facts_of


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
    point = Begin(last) if before_last else last
    return may_run_between(first, middle, point, facts)


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
    "an await of what is read": ("await last(a)", False),
    "a yield of what is read": ("yield last(a)", False),
    "an await before": ("await g(c)\nlast(a)", True),
    "a yield beside": ("g((yield), last(a))", True),
    "an asynchronous loop over it": ("async for i in last(a):\n    g(i)", False),
    "an asynchronous loop around it": ("async for i in c:\n    last(a)", True),
    "an asynchronous manager made of it": ("async with last(a):\n    g(c)", False),
    "an asynchronous manager around it": ("async with c:\n    last(a)", True),
}


@pytest.mark.parametrize(("code", "runs"), SUSPENDED.values(), ids=SUSPENDED)
def test_other_code_runs_where_the_function_waits(code: str, runs: bool) -> None:
    facts = facts_of(f"async def f(x, c):\n    a = first(x)\n{indent(code, '    ')}\n")
    first, last = node_of(facts, "first(x)"), node_of(facts, "last(a)")
    waits = next(n for n in ast.walk(facts.scope) if isinstance(n, SUSPENSIONS))
    assert may_run_between(first, waits, last, facts) == runs


def test_all_that_runs_between() -> None:
    facts = facts_of("def f(x):\n    b = c\n    a = first(x)\n    last(a)\n    d = e\n")
    first, last = node_of(facts, "first(x)"), node_of(facts, "last(a)")
    found = list(Between(first, [last], facts).entries())
    assert [each.id for each in found if isinstance(each, ast.Name)] == ["last", "a"]


DOMINATES = {
    "straight on": ("one(x)\nother(x)", True),
    "behind it": ("other(x)\none(x)", False),
    "in a branch": ("if c:\n    one(x)\nother(x)", False),
    "before a branch": ("one(x)\nif c:\n    other(x)", True),
    "a branch that leaves": ("if c:\n    return\none(x)\nother(x)", True),
    "in a loop": ("for i in n:\n    one(x)\nother(x)", False),
    "in an endless loop": ("while True:\n    one(x)\n    if c: break\nother(x)", True),
    "the round before": ("for i in n:\n    other(x)\n    one(x)", False),
    "in what is tried": ("try:\n    one(x)\nexcept E:\n    other(x)", False),
    "in what is tried, and then": (
        "try:\n    one(x)\nfinally:\n    g()\nother(x)",
        True,
    ),
    "where an exception stops": (
        "with suppress(E):\n    one(x)\nother(x)",
        False,
    ),
    "in every case": (
        "match c:\n    case 1:\n        return\n    case _:\n        one(x)\nother(x)",
        True,
    ),
    "behind `and`": ("c and one(x)\nother(x)", False),
    "in a condition of the other": ("other(x) if one(x) else c", True),
}


@pytest.mark.parametrize(("body", "expected"), DOMINATES.values(), ids=DOMINATES)
def test_what_dominates(body: str, expected: bool) -> None:
    facts = facts_of(f"def f(x, c, n):\n{indent(body, '    ')}\n")
    one, other = node_of(facts, "one(x)"), node_of(facts, "other(x)")
    assert dominates(one, other, facts) == expected


FOLLOWS = {
    "straight on": ("one(x)\nother(x)", True),
    "before it": ("other(x)\none(x)", False),
    "in a branch": ("one(x)\nif c:\n    other(x)", False),
    "in both branches": ("if c:\n    one(x)\nother(x)", True),
    "behind one that leaves": ("one(x)\nif c:\n    return\nother(x)", False),
    "behind one that raises": ("one(x)\nif c:\n    raise E\nother(x)", True),
    "in a loop": ("one(x)\nfor i in n:\n    other(x)", False),
    "on every way out": ("try:\n    return one(x)\nfinally:\n    other(x)", True),
    "in the round after": (
        "for i in n:\n    if i:\n        other(x)\n    one(x)",
        False,
    ),
}


@pytest.mark.parametrize(("body", "expected"), FOLLOWS.values(), ids=FOLLOWS)
def test_what_always_follows(body: str, expected: bool) -> None:
    facts = facts_of(f"def f(x, c, n):\n{indent(body, '    ')}\n")
    one, other = node_of(facts, "one(x)"), node_of(facts, "other(x)")
    assert always_follows(one, other, facts) == expected


MEET = {
    "straight on": ("first(x)\none(x)\nother(x)", True, True),
    "the other way round": ("first(x)\nother(x)\none(x)", True, False),
    "in two branches": (
        "first(x)\nif c:\n    one(x)\nelse:\n    other(x)",
        False,
        False,
    ),
    "in two rounds": (
        "first(x)\nfor i in n:\n    if i:\n        one(x)\n    else:\n        other(x)",
        True,
        True,
    ),
    "in two rounds with an origin each": (
        "for i in n:\n    first(x)\n    if i:\n        one(x)\n"
        "    else:\n        other(x)",
        False,
        True,
    ),
    "a branch that leaves": (
        "first(x)\nif c:\n    return one(x)\nother(x)",
        False,
        False,
    ),
}


@pytest.mark.parametrize(("body", "both", "later"), MEET.values(), ids=MEET)
def test_what_one_run_passes(body: str, both: bool, later: bool) -> None:
    facts = facts_of(f"def f(x, c, n):\n{indent(body, '    ')}\n")
    first, one, other = (node_of(facts, f"{n}(x)") for n in ("first", "one", "other"))
    assert meet(first, one, other, facts) == both
    assert may_follow(one, other, facts) == later
