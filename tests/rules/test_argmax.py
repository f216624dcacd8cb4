"""UPC007: argmax and argmin."""

from __future__ import annotations

import pytest

from .helpers import codes, fixed, found, with_torch

SILENT = {
    "the copy is returned as well": """
        def best(logits):
            wide = logits.float()
            return wide.argmax(-1), wide
    """,
    "the copy is normalised as well": """
        def best(logits):
            logits = logits.float()
            return logits.argmax(-1), logits.logsumexp(-1)
    """,
    "arithmetic comes before the comparison": """
        def best(logits, temperature):
            return (logits.float() / temperature).argmax(-1)
    """,
    "noise comes before the comparison": """
        def sample(logits, noise):
            return (logits.float() + noise).argmax(-1)
    """,
    "a mask cannot be compared before the cast": """
        def first_hit(logits, limit):
            hits = logits > limit
            return hits.float().argmax(-1)
    """,
    "float8 has no argmax": """
        def best(store):
            assert store.dtype == torch.float8_e4m3fn
            return store.float().argmax(-1)
    """,
    "the cast narrows": """
        def best(logits):
            return logits.to(torch.bfloat16).argmax(-1)
    """,
    "the cast may narrow": """
        def best(logits, other):
            return logits.to(other.dtype).argmax(-1)
    """,
    "the source is float64": """
        def best(hidden, weight):
            scores = (hidden @ weight).double()
            return scores.float().argmax(-1)
    """,
    "the copy is written to": """
        def best(logits, banned):
            wide = logits.float()
            wide[..., banned] = -1.0
            return wide.argmax(-1)
    """,
    "the result goes into a buffer": """
        def best(logits, buffer):
            torch.argmax(logits.float(), dim=-1, out=buffer)
    """,
    "arguments are unpacked": """
        def best(logits, *where):
            return logits.float().argmax(*where)
    """,
    "the softmax is compared": """
        def best(logits):
            return logits.float().softmax(-1).argmax(-1)
    """,
    "all positions are sorted": """
        def order(logits):
            return logits.float().argsort(-1)
    """,
}

HITS = {
    "along a dimension": (
        """
        def best(logits):
            return logits.float().argmax(dim=-1)
        """,
        """
        def best(logits):
            return logits.argmax(dim=-1)
        """,
    ),
    "along a dimension that stays": (
        """
        def best(logits):
            return torch.argmax(logits.to(torch.float32), -1, keepdim=True)
        """,
        """
        def best(logits):
            return torch.argmax(logits, -1, keepdim=True)
        """,
    ),
    "over everything": (
        """
        def best(logits):
            return logits.double().argmax().item()
        """,
        """
        def best(logits):
            return logits.argmax().item()
        """,
    ),
    "the smallest": (
        """
        def worst(logits):
            return torch.argmin(input=logits.float(), dim=1)
        """,
        """
        def worst(logits):
            return torch.argmin(input=logits, dim=1)
        """,
    ),
    "through a name": (
        """
        def best(logits):
            logits = logits.float()
            if logits.shape[0] == 0:
                return None
            return logits.argmax(-1)
        """,
        """
        def best(logits):
            if logits.shape[0] == 0:
                return None
            return logits.argmax(-1)
        """,
    ),
    "in a walrus": (
        """
        def best(logits):
            if (token := logits.float().argmax(-1)).numel() == 0:
                return None
            return token
        """,
        """
        def best(logits):
            if (token := logits.argmax(-1)).numel() == 0:
                return None
            return token
        """,
    ),
    "of the negated copy": (
        """
        def worst(logits):
            return (-logits.float()).argmax(-1)
        """,
        """
        def worst(logits):
            return (-logits).argmax(-1)
        """,
    ),
    "in the greedy branch": (
        """
        def choose(logits, greedy):
            logits = logits.float()
            if greedy:
                return logits.argmax(-1)
            probs = logits.softmax(-1)
            return probs.multinomial(1), logits.logsumexp(-1)
        """,
        """
        def choose(logits, greedy):
            if greedy:
                return logits.argmax(-1)
            logits = logits.float()
            probs = logits.softmax(-1)
            return probs.multinomial(1), logits.logsumexp(-1)
        """,
    ),
    "under a guard on the dtype": (
        """
        def best(logits):
            if logits.dtype != torch.float32:
                logits = logits.float()
            return logits.argmax(-1)
        """,
        """
        def best(logits):
            return logits.argmax(-1)
        """,
    ),
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_silent_where(body: str) -> None:
    assert codes(with_torch(body)) == []


@pytest.mark.parametrize(("before", "after"), HITS.values(), ids=HITS)
def test_removes_the_cast(before: str, after: str) -> None:
    assert set(codes(with_torch(before))) == {"UPC007"}
    assert fixed(with_torch(before)) == with_torch(after)
    assert found(with_torch(after)) == []


def test_unsafe_where_the_dtype_is_anyones_guess() -> None:
    code = with_torch("""
        def first(grid):
            return grid.float().argmax(-1)
    """)
    assert fixed(code) == code
    assert "grid.argmax(-1)" in fixed(code, unsafe=True)
    (finding,) = found(code)
    assert finding.condition == "`grid` has a float type no wider than float32"


def test_message_says_that_no_cast_is_needed() -> None:
    (finding,) = found(
        with_torch("""
        def best(logits):
            return logits.float().argmax(-1)
        """)
    )
    assert finding.message == (
        "`logits` is upcast to float32 whole, but only `argmax` reads it, "
        "which needs no cast"
    )
