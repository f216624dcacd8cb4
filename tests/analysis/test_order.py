"""The stretch of text in which all that runs between nodes stands."""

from __future__ import annotations

import ast
from textwrap import indent

import pytest

from upcast_lint.analysis.order import Line, Stretch, may_run_before_any

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


def test_it_leaves_out_what_stands_elsewhere() -> None:
    facts = facts_of("def f(x):\n    b = c\n    a = first(x)\n    last(a)\n    d = e\n")
    before, first, last, behind = facts.scope.body  # type: ignore[union-attr]
    stretch = Stretch(first, [last], facts)  # type: ignore[arg-type]
    assert list(stretch.of(Line([behind, before]))) == []  # type: ignore[list-item]
