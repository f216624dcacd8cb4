"""The selection lifted up to the cast, where the source is written to in between."""

from __future__ import annotations

import pytest

from .helpers import expected, rewritten, unfixed

SILENT = {
    "elements that are copied out": """
        def f(x, i):
            w = x.float()
            x.div_(2)
            return w.gather(-1, i)
    """,
    "two reads": """
        def f(x):
            w = x.float()
            x.div_(2)
            return w[:, -1], w[:, 0]
    """,
    "the shape as well": """
        def f(x):
            w = x.float()
            x.div_(2)
            return w[:, -1], w.shape
    """,
    "a view between": """
        def f(x):
            w = x.float()
            x.div_(2)
            return w.T[:, -1]
    """,
    "arithmetic between": """
        def f(x):
            w = x.float() / 2
            x.div_(2)
            return w[:, -1]
    """,
    "a guard": """
        def f(x):
            if x.dtype != torch.float32:
                x = x.float()
            x.div_(2)
            return x[:, -1]
    """,
    "the bound is made in between": """
        def f(x, n):
            w = x.float()
            x.div_(2)
            n = n + 1
            return w[:, :n]
    """,
    "the bound is an attribute": """
        def f(self, x):
            w = x.float()
            x.div_(2)
            return w[:, : self.n]
    """,
    "the bound is a call": """
        def f(x, g):
            w = x.float()
            x.div_(2)
            return w[:, : g()]
    """,
    "an element that may not be there": """
        def f(x, n):
            w = x.float()
            x.div_(2)
            if n > 5:
                return w[:, 5]
    """,
    "an element that a name gives": """
        def f(x, step):
            w = x.float()
            x.div_(2)
            return w[:, step]
    """,
    "a round of a loop": """
        def f(x, n):
            w = x.float()
            for k in n:
                x.div_(2)
                g(w[:, -1])
    """,
    "a mask": """
        def f(x, mask):
            w = x.float()
            x.div_(2)
            return w[mask > 0]
    """,
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT.keys())
def test_silent(code: str) -> None:
    assert unfixed(code) == []


HOISTED = {
    "the function form": (
        """
        def f(x):
            w = torch.Tensor.float(x)
            x.div_(2)
            return w[:, -1]
        """,
        """
        def f(x):
            w = torch.Tensor.float(x[:, -1])
            x.div_(2)
            return w
        """,
    ),
    "the last step": (
        """
        def f(x, t):
            w = x.float()
            x.div_(t)
            return w[:, -1], x.argmax(dim=-1)
        """,
        """
        def f(x, t):
            w = x[:, -1].float()
            x.div_(t)
            return w, x.argmax(dim=-1)
        """,
    ),
    "a slice whose bounds hold": (
        """
        def f(x, lo, hi):
            w = x.to(torch.float32)
            x[0] = 1
            return w[:, lo : hi - 1]
        """,
        """
        def f(x, lo, hi):
            w = x[:, lo : hi - 1].to(torch.float32)
            x[0] = 1
            return w
        """,
    ),
    "written through an alias": (
        """
        def f(x):
            v = x.view(-1)
            w = x.float()
            v.zero_()
            return w[:, -1]
        """,
        """
        def f(x):
            v = x.view(-1)
            w = x[:, -1].float()
            v.zero_()
            return w
        """,
    ),
    "written in a loop between": (
        """
        def f(x, n):
            w = x.float()
            for k in n:
                x.div_(2)
            return w[:, -1]
        """,
        """
        def f(x, n):
            w = x[:, -1].float()
            for k in n:
                x.div_(2)
            return w
        """,
    ),
    "under its own name": (
        """
        def f(x, y):
            v = x
            x = x.float()
            v.zero_()
            return x[:, -1]
        """,
        """
        def f(x, y):
            v = x
            x = x[:, -1].float()
            v.zero_()
            return x
        """,
    ),
}


@pytest.mark.parametrize(("code", "after"), HOISTED.values(), ids=HOISTED.keys())
def test_hoisted(code: str, after: str) -> None:
    assert rewritten(code) == expected(after)
