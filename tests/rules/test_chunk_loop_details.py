"""UPC005 at its edges: bounds below zero, and what counts as spread."""

from __future__ import annotations

import re
from textwrap import indent

import pytest

from upcast_lint.finding import Safety

from .helpers import codes, found, with_torch

BELOW = {
    "the first bound is counted from the end": """
        def score(logits, n):
            wide = logits.float()
            out = []
            for start in range(0, n, 4):
                out.append(wide[start - 1 : start + 3].logsumexp(-1))
            return out
    """,
    "a bound by name is counted from the end": """
        def score(logits, n, step):
            wide = logits.float()
            out = []
            for i in range(n):
                out.append(wide[i * step - 1 : i * step + step - 1].logsumexp(-1))
            return out
    """,
    "all bounds are shifted by a name": """
        def score(logits, n, shift):
            wide = logits.float()
            out = []
            for start in range(0, n, 4):
                out.append(wide[start + shift : start + shift + 4].logsumexp(-1))
            return out
    """,
}


@pytest.mark.parametrize("code", BELOW.values(), ids=BELOW)
def test_rounds_may_overlap_where(code: str) -> None:
    (finding,) = found(with_torch(code))
    assert "no element is selected in two rounds" in (finding.condition or "")


def test_a_piece_that_gets_a_first_dimension_is_not_spread() -> None:
    code = """
        def backward(grads, probs, step):
            grads = grads.to(torch.float32)
            out = []
            for start in range(0, len(probs), step):
                chunk = grads[start : start + step]
                out.append(chunk.unsqueeze({}) * probs[start : start + step])
            return out
    """
    assert codes(with_torch(code.format(-1))) == []
    assert codes(with_torch(code.format(0))) == ["UPC005"]


def test_rounds_that_count_down_do_not_overlap() -> None:
    code = """
        def score(logits, n):
            wide = logits.float()
            out = []
            for start in range(n, -1, -4):
                out.append(wide[start : start + 4].logsumexp(-1))
            return out
    """
    (finding,) = found(with_torch(code))
    assert "no element is selected in two rounds" not in (finding.condition or "")


def test_rounds_that_count_down_by_a_name_are_reported() -> None:
    code = """
        def score(logits, n, step):
            wide = logits.float()
            out = []
            for start in range(n, -1, -step):
                out.append(wide[start : start + step].logsumexp(-1))
            return out
    """
    assert codes(with_torch(code)) == ["UPC005"]


OVERLAP = "no element is selected in two rounds"
APART = {
    "a bound by name": "lo = i * 4\ntake(wide[lo : lo + 4])",
    "a bound by the name of a name": "k = i + 1\nlo = k * 4\ntake(wide[lo : lo + 4])",
    "a bound that is unpacked": "lo, k = i * 4, i\ntake(wide[lo : lo + 4])",
    "a bound by a length": "lo = i * len(x)\ntake(wide[lo : lo + len(x)])",
}
PERHAPS = {
    "a bound that is made in place": "lo = i\nlo *= 4\ntake(wide[lo : lo + 4])",
    "a bound by an unknown function": "lo = g(i) * 4\ntake(wide[lo : lo + 4])",
}
TOGETHER = {
    "a bound by name, by too little": "lo = i * 2\ntake(wide[lo : lo + 4])",
    "a step by an unknown function": "take(wide[i * g(x) : i * g(x) + g(x)])",
    "a step by what a function gives": "take(wide[i * g(x)() : i * g(x)() + g(x)()])",
    "a step by a walrus": "take(wide[i * (k := 3) : i * (k := 3) + (k := 3)])",
}
WHILE_APART = {
    "each begins where the last ended": (
        "lo = 0\nwhile lo < n:\n"
        "    hi = min(lo + 4, n)\n    take(wide[lo:hi])\n    lo = hi"
    ),
    "one of two ends is near": (
        "lo = 0\nwhile lo < n:\n"
        "    hi = min(g(lo), lo + 4)\n    take(wide[lo:hi])\n    lo = hi"
    ),
    "by a step": "lo = 0\nwhile lo < n:\n    take(wide[lo : lo + 4])\n    lo += 4",
}
WHILE_PERHAPS = {
    "the first begins at the end": (
        "lo = -1\nwhile lo < n:\n"
        "    hi = min(lo + 4, n)\n    take(wide[lo:hi])\n    lo = hi"
    ),
    "the first begins somewhere": (
        "lo = g()\nwhile lo < n:\n"
        "    hi = min(lo + 4, n)\n    take(wide[lo:hi])\n    lo = hi"
    ),
    "an end by an unknown function": (
        "lo = 0\nwhile lo < n:\n    hi = g(lo)\n    take(wide[lo:hi])\n    lo = hi"
    ),
    "an end by twice the beginning": (
        "lo = 0\nwhile lo < n:\n"
        "    hi = min(2 * lo + 4, n)\n    take(wide[lo:hi])\n    lo = hi"
    ),
    "an end that is not near": (
        "lo = 0\nwhile lo < n:\n"
        "    hi = min(g(lo), n)\n    take(wide[lo:hi])\n    lo = hi"
    ),
    "a round that goes on sometimes": (
        "lo = 0\nwhile lo < n:\n"
        "    hi = min(lo + 4, n)\n    take(wide[lo:hi])\n    if x:\n        lo = hi"
    ),
    "a round that may be cut short": (
        "lo = 0\nwhile lo < n:\n    hi = min(lo + 4, n)\n    take(wide[lo:hi])\n"
        "    if x:\n        continue\n    lo = hi"
    ),
    "a round that may begin again": (
        "lo = 0\nwhile lo < n:\n    hi = min(lo + 4, n)\n    take(wide[lo:hi])\n"
        "    lo = hi\n    if x:\n        lo = 0"
    ),
    "a round that begins elsewhere": (
        "lo = 0\nwhile lo < n:\n"
        "    hi = min(lo + 4, n)\n    take(wide[lo:hi])\n    lo = g(hi)"
    ),
    "rounds of another loop": (
        "lo = 0\nfor _ in x:\n"
        "    hi = min(lo + 4, n)\n    take(wide[lo:hi])\n    lo = hi"
    ),
    "a step in another loop": (
        "lo = 0\nfor _ in x:\n    take(wide[lo : lo + 4])\n    lo += 4"
    ),
}


def rounds(body: str) -> str:
    """A function that takes pieces of a copy; `take` collects something of each."""
    body = re.sub(r"take\((.*)\)", r"out.append(\1.logsumexp(-1))", body)
    head = "wide = logits.float()\nout = []\n"
    code = indent(f"{head}{body}\nreturn out\n", "    ")
    return with_torch(f"def score(logits, n, x):\n{code}")


def counted(body: str) -> str:
    return f"for i in range(n):\n{indent(body, '    ')}"


SAFE = {**{name: counted(body) for name, body in APART.items()}, **WHILE_APART}
NONE = {
    **{name: counted(body) for name, body in TOGETHER.items()},
    "a step by a name of two values": (
        "if x:\n    step = 4\nelse:\n    step = 8\n"
        "for i in range(n):\n    take(wide[i * step : i * step + step])"
    ),
}
UNSAFE = {**{name: counted(body) for name, body in PERHAPS.items()}, **WHILE_PERHAPS}


@pytest.mark.parametrize("body", NONE.values(), ids=NONE)
def test_rounds_that_overlap_or_are_told_too_little_of(body: str) -> None:
    assert codes(rounds(body)) == []


@pytest.mark.parametrize("body", UNSAFE.values(), ids=UNSAFE)
def test_rounds_are_not_known_to_be_apart(body: str) -> None:
    (finding,) = found(rounds(body))
    assert OVERLAP in (finding.condition or "")
    assert finding.fix is not None and finding.fix.safety is Safety.UNSAFE


@pytest.mark.parametrize("body", SAFE.values(), ids=SAFE)
def test_rounds_are_apart(body: str) -> None:
    (finding,) = found(rounds(body))
    assert finding.code == "UPC005"
    assert OVERLAP not in (finding.condition or "")


@pytest.mark.parametrize(
    "body",
    [
        "out.append((wide[i : i + 1] * x).sum())",
        "row = wide[i : i + 1]\nout.append((row * x).sum())",
        "out.append((wide[i : i + 1, : n // 4] * x).sum())",
    ],
)
def test_one_row_that_is_spread_by_arithmetic(body: str) -> None:
    assert codes(rounds(counted(body))) == []


@pytest.mark.parametrize(
    "body",
    [
        "out.append(g(wide[i : i + 1]))",
        "row = wide[i : i + 1]\nout.append(g(row))",
        "out.append((wide[i * 2 : i * 2 + 2] * x).sum())",
    ],
)
def test_rows_that_are_not_spread(body: str) -> None:
    assert codes(rounds(counted(body))) == ["UPC005"]
