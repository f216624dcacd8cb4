"""Parents, scopes, suites and loops of a syntax tree."""

from __future__ import annotations

import ast

import pytest

from upcast_lint.analysis.syntax import (
    ScopeNode,
    parameters,
    walk_scope,
)

from .helpers import call_of, facts_of


def scope_name(scope: ScopeNode) -> str:
    return getattr(scope, "name", type(scope).__name__)


SCOPES = {
    "the module": ("use(x)", "Module"),
    "a branch of the module": ("if c: use(x)", "Module"),
    "a function": ("def f(): use(x)", "f"),
    "an async function": ("async def f(): use(x)", "f"),
    "a nested function": ("def f():\n def g(): use(x)", "g"),
    "a method": ("class C:\n def f(self): use(x)", "f"),
    "a class body": ("class C: use(x)", "C"),
    "a lambda": ("f = lambda: use(x)", "Lambda"),
    "a default runs outside": ("def f():\n def g(y=use(x)): pass", "f"),
    "a keyword's default runs outside": ("def f(*, y=use(x)): pass", "Module"),
    "a lambda's default runs outside": ("f = lambda y=use(x): y", "Module"),
    "a decorator runs outside": ("@use(x)\ndef f(): pass", "Module"),
    "a decorator of a class runs outside": ("@use(x)\nclass C: pass", "Module"),
    "a base runs outside": ("class C(use(x)): pass", "Module"),
    "an annotation is evaluated outside": ("def f(y: use(x)): pass", "Module"),
    "a comprehension belongs to its function": ("def f(): [use(x) for x in y]", "f"),
    "a generator belongs to its function": ("def f(): g(use(x) for x in y)", "f"),
}


@pytest.mark.parametrize(("code", "expected"), SCOPES.values(), ids=SCOPES.keys())
def test_scope(code: str, expected: str) -> None:
    facts = facts_of(code)
    assert scope_name(facts.tree.scope(call_of(facts, "use"))) == expected


LOOPS = {
    "no loop": ("use(x)", 0),
    "the iterable runs once": ("for i in use(x): pass", 0),
    "the else of a for runs once": ("for i in n: pass\nelse: use(x)", 0),
    "the else of a while runs once": ("while c: pass\nelse: use(x)", 0),
    "the first iterable of a comprehension": ("[i for i in use(x)]", 0),
    "a loop around the function": ("for i in n:\n def f(): use(x)", 0),
    "a branch is no loop": ("if c: use(x)", 0),
    "the body of a for": ("for i in n: use(x)", 1),
    "the body of a while": ("while c: use(x)", 1),
    "the test of a while": ("while use(x): pass", 1),
    "the body of an async for": ("async def f():\n async for i in n: use(x)", 1),
    "two loops": ("for i in n:\n while c: use(x)", 2),
    "an iterable in a loop": ("for i in n:\n for j in use(x): pass", 1),
    "an element of a comprehension": ("[use(x) for i in n]", 1),
    "a condition of a comprehension": ("[i for i in n if use(x)]", 1),
    "a second iterable": ("[j for i in n for j in use(x)]", 1),
    "a key of a dict": ("{use(x): i for i in n}", 1),
    "a comprehension in a loop": ("for i in n: [use(x) for j in m]", 2),
}


@pytest.mark.parametrize(("code", "expected"), LOOPS.values(), ids=LOOPS.keys())
def test_enclosing_loops(code: str, expected: int) -> None:
    facts = facts_of(code)
    assert len(facts.tree.enclosing_loops(call_of(facts, "use"))) == expected


PLACES = {
    "the module": ("a\nuse(x)\nb", ("Module", "body", 1)),
    "a function": ("def f():\n a\n use(x)", ("FunctionDef", "body", 1)),
    "an arm": ("if c: use(x)", ("If", "body", 0)),
    "an else": ("if c: pass\nelse: use(x)", ("If", "orelse", 0)),
    "an elif": ("if c: pass\nelif d: use(x)", ("If", "body", 0)),
    "a loop": ("for i in n:\n a\n b\n use(x)", ("For", "body", 2)),
    "the else of a loop": ("for i in n: a\nelse: use(x)", ("For", "orelse", 0)),
    "a try": ("try: use(x)\nexcept E: b", ("Try", "body", 0)),
    "a handler": ("try: a\nexcept E: use(x)", ("ExceptHandler", "body", 0)),
    "a finally": ("try: a\nfinally: use(x)", ("Try", "finalbody", 0)),
    "a with": ("with m: use(x)", ("With", "body", 0)),
    "a case": ("match c:\n case 1: use(x)", ("match_case", "body", 0)),
}


@pytest.mark.parametrize(("code", "expected"), PLACES.values(), ids=PLACES.keys())
def test_place(code: str, expected: tuple[str, str, int]) -> None:
    facts = facts_of(code)
    statement = facts.tree.statement(call_of(facts, "use"))
    place = facts.tree.place(statement)
    assert (type(place.owner).__name__, place.field, place.index) == expected
    assert place.suite[place.index] is statement


def test_the_statement_of_a_statement_is_itself() -> None:
    facts = facts_of("def f(): use(x)")
    statement = facts.tree.module.body[0]
    assert facts.tree.statement(statement) is statement


def test_a_node_contains_itself_and_what_is_below_it() -> None:
    facts = facts_of("def f(): use(x)")
    call = call_of(facts, "use")
    function = facts.tree.module.body[0]
    assert facts.tree.contains(function, call)
    assert facts.tree.contains(call, call)
    assert not facts.tree.contains(call, function)


def test_a_scope_is_walked_without_the_scopes_in_it() -> None:
    facts = facts_of(
        """
        def f(a=outside):
            here
            def g(b=default): inside
            h = lambda c=second: inside
            @decorator
            class C(base, metaclass=meta): inside
            return [element for i in iterable]
        """
    )
    names = {n.id for n in walk_scope(facts.scope) if isinstance(n, ast.Name)}
    assert names == {
        "here",
        "default",
        "second",
        "decorator",
        "base",
        "meta",
        "element",
        "iterable",
        "i",
        "h",
    }


def test_parameters_are_in_the_order_of_the_text() -> None:
    scope = facts_of("def f(a, /, b, *c, d, **e): pass").scope
    assert isinstance(scope, ast.FunctionDef)
    assert [p.arg for p in parameters(scope)] == ["a", "b", "c", "d", "e"]
