"""UPC005 at its edges: bounds below zero, and what counts as spread."""

from __future__ import annotations

import pytest

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
