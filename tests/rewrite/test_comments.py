"""Comments: each of the input is in the output, once, and none stays behind a cast."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from itertools import product

import pytest

from upcast_lint.checker import FixMode, Job, check_bytes
from upcast_lint.finding import Confidence
from upcast_lint.linter import Options

SHAPES = {
    "dropped": (
        "def f(x, i):",
        "    wide = x.float()",
        "    n = x.shape[0]",
        "    return wide.gather(-1, i), n",
    ),
    "kept": (
        "def f(x, i):",
        "    wide = x.exp().float()",
        "    n = wide.shape[0]",
        "    return wide.gather(-1, i), n",
    ),
    "guarded": (
        "def f(x, i):",
        "    if x.dtype != torch.float32:",
        "        x = x.float()",
        "    return x.gather(-1, i)",
    ),
    "sunk": (
        "def f(x, i, flag):",
        "    wide = x.float()",
        "    if flag:",
        "        return wide.sum()",
        "    return wide.gather(-1, i)",
    ),
    "one expression": (
        "def f(x, i):",
        "    return x.float().gather(-1, i)",
    ),
    "chained": (
        "def f(x, i):",
        "    picked = (",
        "        x",
        "        .float()",
        "        .gather(-1, i)",
        "    )",
        "    return picked",
    ),
    "chained and kept": (
        "def f(x, i):",
        "    wide = (",
        "        x",
        "        .exp()",
        "        .float()",
        "    )",
        "    return wide.gather(-1, i)",
    ),
    "a function": (
        "def f(x, i):",
        "    wide = torch.Tensor.float(",
        "        x,",
        "    )",
        "    return wide.gather(-1, i)",
    ),
    "given a type": (
        "def f(x, i):",
        "    wide = x.to(",
        "        torch.float32,",
        "    )",
        "    return wide.gather(-1, i)",
    ),
    "arithmetic": (
        "def f(x, i):",
        "    wide = x.float()",
        "    wide = wide / 2.0",
        "    return wide[:, -1]",
    ),
    "of the loop": (
        "def f(x, i):",
        "    wide = x.float()",
        "    out = []",
        "    for s in range(0, x.shape[1], 2):",
        "        out.append(wide[:, s : s + 2].exp())",
        "    return out",
    ),
    "shared": (
        "def f(x, i):",
        "    n = 1; wide = x.exp().float(); k = 2",
        "    return wide.gather(-1, i), n, k",
    ),
    "argmax": (
        "def f(x, i):",
        "    logits = x.float()",
        "    return logits.argmax(-1)",
    ),
}
SAID = ("upcast to fp32 for stability", "what comes next")
PRAGMAS = ("type: ignore", "noqa: E501", "pragma: no cover", "fmt: skip", "pyright: x")


def comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(t.string.strip() for t in tokens if t.type == tokenize.COMMENT)


def fixed(text: str) -> str | None:
    job = Job(Options(least=Confidence.LOW), fix=FixMode.UNSAFE)
    checked = check_bytes(text.encode(), "comments.py", job)
    assert checked.refusal is None, checked.refusal
    return None if checked.data is None else checked.data.decode()


def commented(lines: tuple[str, ...], above: str, behind: str, only: int) -> str:
    """The lines with comments above and at the end of each, or of one alone."""
    out = ["import torch", ""]
    for number, line in enumerate(lines):
        pad = line[: len(line) - len(line.lstrip())]
        is_meant = only in (-1, number)
        if above and number and is_meant:
            out.append(f"{pad}# {above} {number}a")
        mark = f"  # {behind} {number}b" if behind and is_meant else ""
        out.append(line + mark)
    return "\n".join(out) + "\n"


LAYOUTS = [
    (name, above, behind, only)
    for name, lines in SHAPES.items()
    for above, behind in product(("", *SAID), ("", *SAID, *PRAGMAS))
    for only in range(-1, len(lines))
    if above or behind
]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_comment_is_there_once(shape: str) -> None:
    for name, above, behind, only in LAYOUTS:
        if name != shape:
            continue
        before = commented(SHAPES[name], above, behind, only)
        after = fixed(before)
        if after is not None:
            assert comments(after) == comments(before), after
            ast.parse(after)


@pytest.mark.parametrize("shape", SHAPES)
def test_most_layouts_are_rewritten(shape: str) -> None:
    plain = [
        commented(SHAPES[shape], above, behind, only)
        for name, above, behind, only in LAYOUTS
        if name == shape and behind not in PRAGMAS
    ]
    assert sum(fixed(text) is not None for text in plain) > len(plain) / 2


def test_a_comment_on_the_cast_goes_with_it() -> None:
    before = commented(SHAPES["kept"], SAID[0], SAID[0], 1)
    assert fixed(before) == (
        "import torch\n\ndef f(x, i):\n    wide = x.exp()\n    n = wide.shape[0]\n"
        f"    # {SAID[0]} 1a\n    # {SAID[0]} 1b\n"
        "    return wide.gather(-1, i).float(), n\n"
    )


def test_another_comment_stays_where_it_is() -> None:
    before = commented(SHAPES["kept"], SAID[1], SAID[1], 1)
    assert fixed(before) == (
        f"import torch\n\ndef f(x, i):\n    # {SAID[1]} 1a\n"
        f"    wide = x.exp()  # {SAID[1]} 1b\n    n = wide.shape[0]\n"
        "    return wide.gather(-1, i).float(), n\n"
    )


def test_a_line_that_speaks_to_a_tool_stays() -> None:
    assert fixed(commented(SHAPES["dropped"], "", PRAGMAS[0], 1)) is None
    kept = fixed(commented(SHAPES["kept"], "", PRAGMAS[0], 1))
    assert kept is not None and f"wide = x.exp()  # {PRAGMAS[0]} 1b" in kept
