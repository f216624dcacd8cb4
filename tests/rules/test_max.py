"""UPC009: max, min, amax and amin."""

from __future__ import annotations

import pytest

from .helpers import codes, fixed, found, with_torch

SILENT = {
    "two tensors are compared": """
        def larger(logits, other):
            return torch.max(logits.float(), other)
    """,
    "two tensors are compared by a method": """
        def larger(logits, other_logits):
            return logits.float().max(other_logits)
    """,
    "two tensors are compared by keyword": """
        def larger(logits, other):
            return torch.max(logits.float(), other=other)
    """,
    "an elementwise maximum is taken": """
        def larger(logits, other):
            return torch.maximum(logits.float(), other)
    """,
    "Python compares": """
        def largest(logits):
            return max(logits.float())
    """,
    "numpy compares": """
        import numpy as np

        def largest(logits):
            return np.max(logits.float())
    """,
    "the copy is shifted by its maximum": """
        def stable(logits):
            wide = logits.float()
            return (wide - wide.amax(-1, keepdim=True)).exp()
    """,
    "the copy is shifted in place": """
        def stable(logits):
            wide = logits.float()
            wide -= wide.amax(-1, keepdim=True)
            return wide.exp()
    """,
    "maxima so far are taken": """
        def running(logits):
            return logits.float().cummax(-1).values
    """,
    "arithmetic comes before the comparison": """
        def largest(logits):
            return logits.float().exp().amax(-1)
    """,
    "the result goes into a buffer": """
        def largest(logits, buffer):
            torch.amax(logits.float(), -1, out=buffer)
    """,
    "float8 has no amax": """
        def largest(store):
            assert store.dtype == torch.float8_e4m3fn
            return store.float().amax(-1)
    """,
    "integers are no narrower": """
        def longest(words):
            lengths = (words != 0).sum(-1)
            return lengths.float().max()
    """,
    "arguments are unpacked": """
        def largest(logits, *where):
            return logits.float().max(*where)
    """,
}

SAFE = {
    "values and indices": (
        """
        def best(logits):
            wide = logits.float()
            values, tokens = wide.max(dim=-1)
            return values.exp(), tokens
        """,
        """
        def best(logits):
            values, tokens = logits.max(dim=-1)
            values = values.float()
            return values.exp(), tokens
        """,
    ),
    "values alone": (
        """
        def worst(logits):
            return torch.min(logits.float(), -1, keepdim=True).values
        """,
        """
        def worst(logits):
            return torch.min(logits, -1, keepdim=True).values.float()
        """,
    ),
    "values by their position": (
        """
        def best(logits, axis: int):
            return logits.float().max(axis)[0]
        """,
        """
        def best(logits, axis: int):
            return logits.max(axis)[0].float()
        """,
    ),
    "indices alone": (
        """
        def best(logits):
            return logits.float().max(-1).indices
        """,
        """
        def best(logits):
            return logits.max(-1).indices
        """,
    ),
    "one number where no gradient flows": (
        """
        @torch.no_grad()
        def peak(logits):
            return logits.abs().float().max().item()
        """,
        """
        @torch.no_grad()
        def peak(logits):
            return logits.abs().max().float().item()
        """,
    ),
    "several dimensions where no gradient flows": (
        """
        @torch.no_grad()
        def scales(logits):
            return logits.float().abs().amax(dim=(1, 3), keepdim=True)
        """,
        """
        @torch.no_grad()
        def scales(logits):
            return logits.abs().amax(dim=(1, 3), keepdim=True).float()
        """,
    ),
    "in one branch": (
        """
        def best(logits, with_entropy):
            logits = logits.float()
            if with_entropy:
                return logits.softmax(-1), logits.logsumexp(-1)
            return logits.max(-1).values
        """,
        """
        def best(logits, with_entropy):
            if with_entropy:
                logits = logits.float()
                return logits.softmax(-1), logits.logsumexp(-1)
            return logits.max(-1).values.float()
        """,
    ),
}

UNSAFE = {
    "ties of amax share a gradient": (
        """
        def largest(logits):
            return logits.float().amax(-1)
        """,
        """
        def largest(logits):
            return logits.amax(-1).float()
        """,
    ),
    "ties of amin share a gradient": (
        """
        def smallest(logits):
            return torch.amin(logits.float(), dim=(0, 1))
        """,
        """
        def smallest(logits):
            return torch.amin(logits, dim=(0, 1)).float()
        """,
    ),
    "ties of all elements share a gradient": (
        """
        def largest(logits):
            return torch.max(logits.float())
        """,
        """
        def largest(logits):
            return torch.max(logits).float()
        """,
    ),
    "the dtype is anyone's guess": (
        """
        def largest(grid):
            return grid.float().max(-1).values
        """,
        """
        def largest(grid):
            return grid.max(-1).values.float()
        """,
    ),
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_silent_where(body: str) -> None:
    assert codes(with_torch(body)) == []


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE)
def test_casts_what_is_left(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC009"]
    assert fixed(with_torch(before)) == with_torch(after)
    assert found(with_torch(after)) == []


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE)
def test_unsafe_where(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC009"]
    assert fixed(with_torch(before)) == with_torch(before)
    assert fixed(with_torch(before), unsafe=True) == with_torch(after)


def test_condition_speaks_of_ties() -> None:
    (finding,) = found(
        with_torch("""
        def largest(logits):
            return logits.float().amax(-1)
        """)
    )
    assert finding.condition is not None
    assert "no two elements tie in `amax`" in finding.condition
