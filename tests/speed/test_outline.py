"""Functions cut out of texts by indentation."""

from __future__ import annotations

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
}


@pytest.mark.parametrize("text", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_outermost_function(text: str) -> None:
    span = Outline(text).function_at(text.index("here"))
    assert span is not None
    chunk = dedent(text[span.start : span.end])
    assert chunk.lstrip("async ").startswith("def f(") and "here" in chunk
    compile(chunk, "chunk", "exec")


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_no_function(text: str) -> None:
    assert Outline(text).function_at(text.index("here")) is None


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
