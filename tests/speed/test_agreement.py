"""Odd sources, in which the screen finds what the full analysis finds."""

from __future__ import annotations

import pytest

from upcast_lint import linter
from upcast_lint.finding import Confidence
from upcast_lint.linter import Options
from upcast_lint.source import Source

FUNCTION = """\
def f(logits, labels, vocab_size):
    logits = {cast}
    return {read}
"""
PICKED = FUNCTION.format(cast="logits.float()", read="pick(logits, -1, labels)")
CONVERTED = FUNCTION.format(cast="logits.to(WIDE)", read="logits.gather(-1, labels)")
GATHERED = FUNCTION.format(cast="logits.float()", read="logits.gather(-1, labels)")
OPTIONS = (Options(), Options(least=Confidence.LOW), Options(vocab_names=("logits",)))

IMPORTS = {
    "after a comment": "from torch import (\n    nn,  # n, n\n    gather as pick,\n)",
    "after a comment with a bracket": (
        "from torch import (  # :)\n    gather as pick,\n)"
    ),
    "before another statement": "from torch import gather as pick; x = 1",
}
TYPES = {
    "a walrus in a condition": "if (WIDE := torch.float32):\n    pass",
    "a walrus in an argument": "g(1, WIDE := torch.float32)",
    "a walrus in a default": "def g(x=(WIDE := torch.float32)):\n    pass",
    "below a comment that opens a bracket": "# g(\nWIDE = torch.float32",
    "after a string that opens a bracket": 's = g("g(", 1); WIDE = torch.float32',
    "a target on several lines": "(WIDE,\n OTHER) = (torch.float32, 1)",
}
LAYOUTS = {
    "a line that is continued at the margin": GATHERED.replace(
        "    return", "    n = 1 + \\\n2\n    return"
    ),
    "a function behind a form feed": f"def g():\n    pass\n\n\n\f{GATHERED}",
    "a method behind a form feed": (
        "class C:\n    def g():\n        pass\n\n\f"
        + "".join(f"    {line}\n" for line in GATHERED.splitlines())
    ),
    "comments above a function on one line": (
        "# [B, S, vocab_size]\n# and more\n"
        "def f(x, i): return (\n    x.float()\n    .gather(-1, i)\n)\n"
    ),
}
TEXT = 'def {}():\n    return """\nhello\n"""\n'
AROUND = {
    "between strings with text at the margin": (
        f"{TEXT.format('a')}\n\n{GATHERED}\n\n{TEXT.format('b')}"
    ),
    "below a name between such strings": (
        f"{TEXT.format('a')}\n\npick = torch.gather\n\n\n{TEXT.format('b')}\n\n{PICKED}"
    ),
    "between strings with functions": (
        'def a():\n    return """\ndef b():\n    pass\n"""\n\n\n'
        f'{GATHERED}\n\ndef c():\n    return """\ndef d():\n    pass\n"""\n'
    ),
    "below a default that binds a name": (
        f"def g(x=(pick := torch.gather)):\n    pass\n\n\n{PICKED}"
    ),
    "under a condition that a function rebinds": (
        "FLAG = True\n\n\ndef g():\n    global FLAG\n    FLAG = False\n\n\n"
        "def f(logits, vocab_size):\n    if FLAG:\n        logits = logits.float()\n"
        "    last = logits[:, -1]\n    last.add_(1)\n    first = logits[:, 0]\n"
        "    return last, first\n"
    ),
    "of what a function returns": (
        "def g(x):\n    return x\n\n\ndef f(logits, labels, vocab_size):\n"
        "    rows, _ = g(logits)\n    rows = rows.float()\n    return rows[:2]\n"
    ),
    "indexed by what another method takes for a tensor": (
        "class C:\n    def g(self):\n        return self.step.view(-1)\n\n"
        "    def f(self, logits, vocab_size):\n"
        "        return logits.float()[self.step]\n"
    ),
    "in a function that takes the copy": (
        "def pick(x, i):\n    return x.gather(-1, i)\n\n\n"
        "def f(logits, i, vocab_size):\n    return pick(logits.float(), i)\n"
    ),
    "in a method that takes the copy by name": (
        "class C:\n    def pick(self, x):\n        return x[:, -1]\n\n"
        "    def f(self, logits, vocab_size):\n"
        "        wide = logits.float()\n        return self.pick(wide), wide.shape\n"
    ),
    "in a function behind another": (
        "def inner(x):\n    return x[0, 1, 2]\n\n\n"
        "def outer(x, n):\n    return inner(x) / n\n\n\n"
        "def f(logits, vocab_size):\n    return outer(logits.float(), 2)\n"
    ),
    "of what a function casts": (
        'def up(x: "Tensor"):\n    """In float32."""\n    return x.float()\n\n\n'
        "def f(logits, vocab_size):\n    wide = up(logits)\n    return wide[:, -1]\n"
    ),
    "of what a function casts, at once": (
        "def up(x): return x.to(torch.float32)\n\n\n"
        "def f(logits, vocab_size):\n    return up(logits)[:, -1]\n"
    ),
    "of an attribute that is set in parentheses": (
        "class C:\n    def g(self, x):\n        (self.mask) = torch.softmax(x, -1)\n\n"
        "    def f(self, i, vocab_size):\n"
        "        return self.mask.float().gather(-1, i)\n"
    ),
}
ALIASES = {
    "in brackets": "[pick, other] = [torch.gather, 1]",
    "in parentheses": "(pick) = torch.gather",
    "one of several in one another": "(pick, (a, b)) = torch.gather, (1, 2)",
    "beside an element": "(a[g('x')], pick) = 1, torch.gather",
    "on several lines": "other, pick = (\n    1,\n    torch.gather,\n)",
    "broken at its dot": "pick = (torch\n    . gather)",
    "below a comment": "pick = (  # one\n    torch.gather\n)",
    "continued": "pick \\\n    = \\\n    torch.gather",
    "with a long annotation": "pick: Callable[\n    [int], str\n] = torch.gather",
    "by way of many": "a = torch.gather\nb = a\nc = b\nd = c\ne = d\npick = e",
}


def check(text: str) -> None:
    source = Source.from_bytes(f"import torch\n\n\n{text}".encode(), "model.py")
    total = 0
    for options in OPTIONS:
        full = linter.lint_rows(source, options, None)
        assert linter.lint(source, options) == full
        total += len(full)
    assert total


@pytest.mark.parametrize("head", IMPORTS.values(), ids=IMPORTS)
def test_an_imported_function(head: str) -> None:
    check(f"{head}\n\n\n{PICKED}")


@pytest.mark.parametrize("head", TYPES.values(), ids=TYPES)
def test_a_type_with_a_name(head: str) -> None:
    check(f"{head}\n\n\n{CONVERTED}")


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_a_layout(text: str) -> None:
    check(text)


@pytest.mark.parametrize("text", AROUND.values(), ids=AROUND)
def test_a_function(text: str) -> None:
    check(text)


@pytest.mark.parametrize("head", ALIASES.values(), ids=ALIASES)
def test_a_function_by_another_name(head: str) -> None:
    check(f"{head}\n\n\n{PICKED}")
