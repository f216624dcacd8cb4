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
