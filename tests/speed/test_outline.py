"""Functions cut out of texts by indentation."""

from __future__ import annotations

import ast
from random import Random
from textwrap import dedent

import pytest

from upcast_lint.screen.outline import Outline

FUNCTIONS = {
    "a function": "def f(x):\n    here\n\n\nx = 1\n",
    "an async function": "async def f(x):\n    here\n",
    "a method": "class C:\n    a = 1\n    def f(x):\n        here\n    b = 2\n",
    "a nested function": "def f(x):\n    def g():\n        here\n    return g\n",
    "after lines that are no further in": "def f(\n    x,\n):\n# so\n    here\n",
    "with tabs": "class C:\n\tdef f(x):\n\t\there\n\tdef g(): pass\n",
    "with one blank": "class C:\n def f(x):\n  here\n def g(): pass\n",
    "an async method": "class C:\n    async def f(x):\n        here\n",
    "in the last of two classes": (
        "class A:\n  def a(): pass\nclass B:\n    def f(x):\n        here\n"
    ),
}
NONE = {
    "the module": "def f(x): pass\nhere\n",
    "a class": "class C:\n    def f(x): pass\n    here\n",
    "a condition": "if a:\n    def f(x):\n        here\n",
    "a class in a class": (
        "class A:\n  class B:\n    def f(x):\n      here\n  def g(): pass\n"
    ),
    "a class in a class by one blank": (
        "class A:\n class B:\n  def f(x):\n   here\n def g(): pass\n"
    ),
    "a class in a class by tabs": (
        "class A:\n\tclass B:\n\t\tdef f(x):\n\t\t\there\n\tdef g(): pass\n"
    ),
    "a class before its methods": "class C:\n    here\n    def f(x): pass\n",
    "a class after the methods of another": (
        "class B:\n    def f(x): pass\nclass C:\n    here\n"
    ),
}


@pytest.mark.parametrize("above", ["", "a = 1\ndef z(): pass\n"])
@pytest.mark.parametrize("text", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_outermost_function(text: str, above: str) -> None:
    text = above + text
    span = Outline(text).function_at(text.index("here"))
    assert span is not None
    chunk = dedent(text[span.start : span.end])
    assert chunk.lstrip("async ").startswith("def f(") and "here" in chunk
    compile(chunk, "chunk", "exec")


@pytest.mark.parametrize("above", ["", "a = 1\ndef z(): pass\n"])
@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_no_function(text: str, above: str) -> None:
    text = above + text
    assert Outline(text).function_at(text.index("here")) is None


MIXED = """\
def a(): pass
async def b(x):
    if x:
        return 1


    return 2
c = 1
class D:
    d = 1
    async def e(self):
        def f():
            pass
        return f
    g = 2

    def h(self): pass
class I:
\tdef j(self):
\t\treturn 1
\t@k
\tdef l(self): pass
class M: pass
class N:
  o = 1
class P:
    def q(self): pass
r = 1
def s(
    x,
): return 1
class T:
  def u(self):
    return 1
"""


def functions_by_line(text: str) -> dict[int, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of the module and of its classes, by each line that they have."""
    body = ast.parse(text).body
    classes = [each for each in body if isinstance(each, ast.ClassDef)]
    return {
        line: node
        for node in (*body, *(inner for each in classes for inner in each.body))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }


@pytest.mark.parametrize("text", [MIXED, "\n" + MIXED, "c = 1\n" + MIXED])
@pytest.mark.parametrize("order", ["ascending", "descending", "any"])
def test_functions_are_those_of_the_parser(text: str, order: str) -> None:
    expected = functions_by_line(text)
    ends = [at - 1 for at, sign in enumerate(text) if sign == "\n" and at]
    lines = [at for at in ends if text[at] != "\n"]
    match order:
        case "descending":
            lines.reverse()
        case "any":
            Random(0).shuffle(lines)
    outline = Outline(text)
    for at in lines:
        node = expected.get(text.count("\n", 0, at) + 1)
        span = outline.function_at(at)
        assert (span is None) == (node is None), text[at - 9 : at + 1]
        if span is not None and node is not None:
            part = text[span.start : span.end]
            node.decorator_list.clear()
            assert [ast.dump(each) for each in ast.parse(dedent(part)).body] == [
                ast.dump(node)
            ]
            assert part.endswith("\n")


@pytest.mark.parametrize("order", [1, -1])
def test_holders_in_any_order(order: int) -> None:
    outline = Outline(MIXED)
    found = {}
    for word in ("a()", "e(self", "h(self", "j(self", "q(self", "s(")[::order]:
        span = outline.function_at(MIXED.index(word) + 1)
        assert span is not None
        found[word] = outline.holder_of(span)
    assert found == {
        "a()": "",
        "e(self": "class D:\n",
        "h(self": "class D:\n",
        "j(self": "class I:\n",
        "q(self": "class P:\n",
        "s(": "",
    }


def test_what_may_stand_in_a_string() -> None:
    text = 'def f():\n    """\ndef g():\n    here\n    """\n'
    outline = Outline(text)
    span = outline.function_at(text.index("here"))
    assert span is not None
    assert outline.may_be_in_string(span.start)
    assert not outline.may_be_in_string(0)


def at_words(text: str) -> dict[str, int]:
    """Where each of the names stands that a text binds to 0."""
    return {
        word: text.index(f"{word} = 0") for word in "abcdefg" if f"{word} =" in text
    }


PLACES = """\
a = 0
class A(Base):
    b = 0
    def m(self):
        c = 0
# so
class B(Other): d = 0
async def f():
    e = 0
f = 0
def g(): g = 0
"""
HOLDERS = {
    "a class": "class C(B):\n    def f(x):\n        here\n",
    "the second of two classes": (
        "class A:\n    def f(x): pass\nclass C(B):\n    def f(x):\n        here\n"
    ),
}
NO_HOLDERS = {
    "at the beginning": "def f(x):\n    here\n",
    "after a class": "class C(B):\n    def f(x): pass\ndef f(x):\n    here\n",
    "after a statement": "a = 1\ndef f(x):\n    here\n",
}


@pytest.mark.parametrize("text", HOLDERS.values(), ids=HOLDERS)
def test_the_class_of_a_method(text: str) -> None:
    outline = Outline(text)
    span = outline.function_at(text.index("here"))
    assert span is not None
    assert outline.holder_of(span) == "class C(B):\n"


@pytest.mark.parametrize("text", NO_HOLDERS.values(), ids=NO_HOLDERS)
def test_a_function_of_no_class(text: str) -> None:
    outline = Outline(text)
    span = outline.function_at(text.index("here"))
    assert span is not None
    assert outline.holder_of(span) == ""


def test_what_stands_in_a_class() -> None:
    outline = Outline(PLACES)
    found = {w for w, at in at_words(PLACES).items() if outline.is_in_class(at)}
    assert found == {"b", "c", "d"}


def test_the_line_after_a_class_is_not_in_it() -> None:
    text = "class A:\n    a = 1\nb = 2\n"
    assert not Outline(text).is_in_class(text.index("b"))


def test_what_stands_between_functions_and_classes() -> None:
    outline = Outline(PLACES)
    found = {}
    for word, at in at_words(PLACES).items():
        start, end = outline.gap_at(at)
        found[word] = PLACES[start:].split("\n")[0], PLACES[end:].split("\n")[0]
    assert found == {
        "a": ("a = 0", "class A(Base):"),
        "b": ("class A(Base):", "class B(Other): d = 0"),
        "c": ("class A(Base):", "class B(Other): d = 0"),
        "d": ("class B(Other): d = 0", "async def f():"),
        "e": ("async def f():", "def g(): g = 0"),
        "f": ("async def f():", "def g(): g = 0"),
        "g": ("def g(): g = 0", ""),
    }


@pytest.mark.parametrize("quotes", ['"""', "'''"])
@pytest.mark.parametrize("step", [1, -1])
def test_what_stands_between_strings_of_several_lines(quotes: str, step: int) -> None:
    text = "a = Q b Q\nc = Q d Q\ne = Q f Q\n".replace("Q", quotes)
    outline = Outline(text)
    found = {w: outline.may_be_in_string(text.index(w)) for w in "abcdef"[::step]}
    assert found == {word: word in "bdf" for word in "abcdef"}
