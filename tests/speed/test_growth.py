"""Work grows with the size of a file, not with its square.

Measured in lines of Python that run, which are the same each time: a fourfold size
takes four times as many, a square sixteen times.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from textwrap import indent
from types import FrameType

import pytest

from upcast_lint.analysis.facts import Facts, Module
from upcast_lint.analysis.syntax import ScopeNode
from upcast_lint.analysis.width import lineage
from upcast_lint.checker import Checked, FixMode, Job, check_bytes
from upcast_lint.finding import Confidence
from upcast_lint.linter import Options
from upcast_lint.source import Source

FEW, MANY = 20, 80
MOST = 6.5
"""Times the work at most, for four times the size."""


def lines_run(function: Callable[[], object]) -> int:
    """How many lines of Python run while a function does."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def check(text: str, fix: FixMode = FixMode.NONE) -> Checked:
    return check_bytes(
        text.encode(), "model.py", Job(Options(least=Confidence.LOW), fix=fix)
    )


def method_of(body: str, count: int, end: str = "") -> str:
    """A method of which the body is repeated, with `N` numbered."""
    parts = [body.replace("N", str(number)) for number in range(count)]
    head = "import torch\n\n\nclass C:\n    def f(self, x, i, c, g):\n"
    return head + indent("".join(parts) + end + "return x\n", " " * 8)


def times_the_work(few: str, many: str, fix: FixMode = FixMode.NONE) -> float:
    check(few, fix)  # what is imported and cached is not counted
    first = lines_run(lambda: check(few, fix))
    return lines_run(lambda: check(many, fix)) / first


CASTS = {
    "of many names": "aN = xN.float()\nbN = aN.gather(-1, iN)\n",
    "of one name": "a = x.float()\nb = a.gather(-1, i)\n",
    "of one name that is bound anew": "x = g(N)\na = x.float()\nb = a.gather(-1, i)\n",
    "in one expression": "g(x.float().gather(-1, i))\n",
    "in loops": "for _ in g:\n    a = x.float()\n    g(a.gather(-1, i))\n",
    "in branches": "if c == N:\n    aN = x.float()\n    return aN.gather(-1, i)\n",
    "of which one branch reads all": (
        "a = g(N).float()\nif c:\n    g(a[:, -1])\nelse:\n    g(a.sum())\n"
    ),
    "that a guard decides": (
        "if x.dtype != torch.float32:\n    x = x.float()\ng(x[:, -1])\nx = g(N)\n"
    ),
    "before arithmetic": "yN = x.float() / 2\ng(yN[:, -1])\n",
    "of what is written to": "a = x.float()\nx.add_(1)\ng(a.gather(-1, i))\n",
    "under a comment": "# in fp32\nxN_fp32 = x.float()\ng(xN_fp32[:, -1])\n",
    "of attributes": "a = self.tN.float() / self.scale\ng(a[:, -1])\n",
    "in nested functions": "def hN(y):\n    return y.float().gather(-1, i)\n",
    "in lambdas": "hN = lambda y: y.float().gather(-1, i)\n",
    "of parts": "aN, bN = x.float().chunk(2, -1)\ng(aN.sum())\n",
    "of masks": "mN = x > N\na = x.float()\ng(a[mN])\n",
}


@pytest.mark.parametrize("body", CASTS.values(), ids=CASTS)
def test_casts_in_one_method(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # What the width of a source rests on is bounded, at more than these functions have.
    monkeypatch.setattr(lineage, "_MOST_EXPRESSIONS", 10)
    few, many = method_of(body, FEW), method_of(body, MANY)
    assert times_the_work(few, many) < MOST


BINDINGS = {
    "in branches": "if c: x = g(x)\n",
    "in place in branches": "if c: x += N\n",
    "before handlers": "try:\n    x = g(x)\nexcept ValueError:\n    pass\n",
    "in handlers": "try:\n    x = g(x)\nexcept ValueError:\n    x = c(x)\n",
    "under a manager that swallows": "with suppress(c):\n    x = g(x)\n",
    "in loops": "for _ in c:\n    x = g(x)\n",
    "in conditions": "x = g(x) if c else x\n",
    "of other names": "if c: yN = g(yN)\n",
}


@pytest.mark.parametrize("body", BINDINGS.values(), ids=BINDINGS)
def test_bindings_before_a_cast(body: str) -> None:
    cast = "a = x.float()\ng(a.gather(-1, i))\n"
    few, many = method_of(body, 2 * FEW, cast), method_of(body, 2 * MANY, cast)
    assert times_the_work(few, many) < MOST


def test_fixes_of_one_method() -> None:
    body = CASTS["of many names"]
    few, many = method_of(body, 2 * FEW), method_of(body, 2 * MANY)
    assert len(check(many, FixMode.UNSAFE).fixed) == 2 * MANY
    assert times_the_work(few, many, FixMode.UNSAFE) < MOST


def test_a_fix_in_a_long_file() -> None:
    text = method_of(CASTS["of one name"], 1)
    few, many = text + "y = 1\n" * 1000, text + "y = 1\n" * 4000
    one_parse = lines_run(lambda: check(many)) - lines_run(lambda: check(few))
    fixed = lines_run(lambda: check(many, FixMode.UNSAFE))
    fixed -= lines_run(lambda: check(few, FixMode.UNSAFE))
    assert fixed < 3 * one_parse


def test_what_is_known_of_functions_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alive: list[int] = []

    def watched(module: Module, scope: ScopeNode) -> Facts:
        if len(alive) % 50 == 0:
            known = sum(isinstance(each, Facts) for each in gc.get_objects())
            alive.append(known)
        else:
            alive.append(0)
        return made(module, scope)

    made = Module.facts
    monkeypatch.setattr(Module, "facts", watched)
    text = "def fN(x, i):\n    return x.float().gather(-1, i)\n\n\n"
    parts = [text.replace("N", str(number)) for number in range(500)]
    assert len(check("".join(parts)).findings) == 500
    assert len(alive) >= 500 and max(alive) < 250


def test_a_word_is_sought_once() -> None:
    class Sought(str):
        times = 0

        def __contains__(self, word: object) -> bool:
            Sought.times += 1
            return super().__contains__(word)  # type: ignore[operator]

    source = Source("model.py", b"", Sought("x = 1\n"), "utf-8", False)
    assert not source.has("global") and not source.has("global") and source.has("x")
    assert Sought.times == 2
