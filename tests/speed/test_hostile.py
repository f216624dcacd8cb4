"""Texts on which a careless search takes time quadratic in their length."""

from __future__ import annotations

import time

import pytest

from upcast_lint.screen.excerpt import excerpt
from upcast_lint.screen.tiers import Rows, suspects
from upcast_lint.source import Source

SIZE = 160_000
MOST = 4.0
"""Seconds of CPU; what is linear takes a tenth of it, what is not, minutes."""
HEAD = "def f(x, scores, V):\n    y = x.float()\n"
TEXTS = {
    "casts below a function": ("def f(): pass\n", "x = y.float()\n", ""),
    "casts in a class": ("class C:\n    def f(): pass\n", "    x = y.float()\n", ""),
    "types below a function": ("def f(): pass\n", "x = torch.float32\n", ""),
    "types in a class": ("class C:\n    def f(): pass\n", "    x = torch.double\n", ""),
    "types and conversions": ("", "W = torch.float32\nx.to(W)\n", ""),
    "classes without methods": ("", "class C:\n    x = y.float()\n", ""),
    "suspect functions": ("", "def f(x, i):\n    return x.float()[0]\n", ""),
    "types on a line": (f"{HEAD}    x = [", "torch.float32, ", "]\n"),
    "a type of many parts": (f"{HEAD}    x = torch", ".float32", "\n"),
    "blanks before a type": (f"{HEAD}    x = torch.", " ", "float32\n"),
    "escaped quotes": (f"{HEAD}'\n", "\\'", "\n"),
    "escaped quotes of long strings": (HEAD, '    """\\', "\n"),
    "form feeds": (HEAD, "\f", "\n"),
    "form feeds and blanks": (HEAD, "\f ", "\n"),
    "blanks in an index": (f"{HEAD}# -1", " ", "x\n"),
    "quotients in a shape": (f"{HEAD}#", "v/", "\n"),
    "a name in a list": (f"{HEAD}    g(y)\n    x = [", "g, ", "]\n"),
    "a name that stands for others": (
        f"{HEAD}    g(y)\n",
        "    gN = gM\n    gN(y)\n",
        "",
    ),
    "copies with names": (HEAD, "    yN = x.float()\n", ""),
    "copies that are given to one call": (
        f"{HEAD}    (",
        "yN := x.float(), ",
        ")\n    g(" + ", ".join(f"y{n}" for n in range(SIZE // 17)) + ")\n",
    ),
    "a copy with many names": (f"{HEAD}    y0 = y\n", "    yM = yN\n", ""),
    "functions that are imported": ("", "from torch import gather as g\n", HEAD),
}


def seconds(text: str) -> float:
    source = Source("model.py", b"", f"import torch\n{text}", "utf-8", False)
    began = time.process_time()
    rows: list[Rows] | None = None
    for any_width in (False, True):
        rows = suspects(source.text, any_width)
    if rows:
        excerpt(source, rows)
    return time.process_time() - began


@pytest.mark.parametrize("parts", TEXTS.values(), ids=TEXTS)
def test_a_long_text(parts: tuple[str, str, str]) -> None:
    first, repeated, last = parts
    middle = "".join(
        repeated.replace("N", str(n)).replace("M", str(n + 1))
        for n in range(SIZE // len(repeated))
    )
    assert seconds(f"{first}{middle}{last}") < MOST
