"""A condition under which alone the cast runs: it goes, follows, or forbids."""

from __future__ import annotations

import pytest

from .helpers import expected, rewritten, unfixed

UNFIXED = {
    "the values are bound together with the indices": """
        def f(x, c, k):
            if c:
                x = x.float()
            s, i = x.topk(k)
            return s, i
    """,
    "the values are read at two places": """
        def f(x, c):
            if c:
                x = x.float()
            s = x.max(-1)
            return s.values + s[0]
    """,
    "the parts are bound together": """
        def f(x, c):
            if c:
                x = x.float()
            a, b = x.split([1, 2], -1)
            return a
    """,
    "the read is no statement of its own": """
        def f(x, i, c):
            if c:
                x = x.float()
            return x.gather(-1, i)
    """,
    "the test holds a call": """
        def f(x, i, c):
            if c():
                x = x.float()
            s = x.gather(-1, i)
            return s
    """,
    "the test reads what a call may change": """
        def f(self, x, i):
            if self.wide:
                x = x.float()
            self.step()
            s = x.gather(-1, i)
            return s
    """,
    "the test's name is bound anew": """
        def f(x, i, c):
            if c:
                x = x.float()
            c = False
            s = x.gather(-1, i)
            return s
    """,
    "the result hides a name of the test": """
        def f(x, i, c):
            if c:
                x = x.float()
            c = x.gather(-1, i)
            return c
    """,
    "another arm reads it whole": """
        def f(x, i, c, d):
            if c:
                x = x.float()
            if d:
                return full(x)
            s = x.gather(-1, i)
            return s
    """,
    "arithmetic lies between": """
        def f(x, i, c):
            if c:
                x = x.float()
            s = (x / 2).gather(-1, i)
            return s
    """,
    "more in the arm": """
        def f(x, i, c):
            if c:
                n = 1
                x = x.float()
            s = x.gather(-1, i)
            return s
    """,
    "another arm of its own": """
        def f(x, i, c):
            if c:
                x = x.float()
            else:
                n = 1
            s = x.gather(-1, i)
            return s
    """,
    "a forced copy": """
        def f(x, i):
            if x.dtype != torch.float32:
                x = x.to(torch.float32, copy=True)
            return x.gather(-1, i)
    """,
    "the result goes to an attribute": """
        def f(self, x, i, c):
            if c:
                x = x.float()
            self.s = x.gather(-1, i)
    """,
}


@pytest.mark.parametrize("code", UNFIXED.values(), ids=UNFIXED.keys())
def test_unfixed(code: str) -> None:
    assert unfixed(code) == ["the cast is conditional"]


def test_an_elif_is_left() -> None:
    code = """
        def f(x, i, a):
            if a:
                print(a)
            elif x.dtype != torch.float32:
                x = x.float()
            return x.gather(-1, i)
    """
    assert unfixed(code) == ["the cast is conditional"]


DISAPPEARS = {
    "a test of its type": (
        """
        def f(x, i):
            if x.dtype != torch.float32:
                x = x.float()
            return x.gather(-1, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float()
        """,
    ),
    "on one line": (
        """
        def f(x, i):
            if x.dtype != torch.float32: x = x.float()
            return x.gather(-1, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float()
        """,
    ),
    "by `not`": (
        """
        def f(x, i):
            if not x.dtype == torch.float32:
                x = x.to(torch.float32)
            return x.gather(-1, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).to(torch.float32)
        """,
    ),
    "a conditional expression": (
        """
        def f(x, i):
            w = x.float() if x.dtype != torch.float32 else x
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float()
        """,
    ),
    "with a full read in another arm": (
        """
        def f(x, i, c):
            if x.dtype != torch.float32:
                x = x.float()
            if c:
                return full(x)
            return x.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                return full(x.float())
            return x.gather(-1, i).float()
        """,
    ),
    "in a conditional expression in parentheses": (
        """
        def f(x, i):
            return (x.float() if x.dtype != torch.float32 else x).gather(-1, i)
        """,
        """
        def f(x, i):
            return (x).gather(-1, i).float()
        """,
    ),
}

FOLLOWS = {
    "a flag": (
        """
        def f(x, i, c):
            if c:
                x = x.float()
            s = x.gather(-1, i)
            return s
        """,
        """
        def f(x, i, c):
            s = x.gather(-1, i)
            if c:
                s = s.float()
            return s
        """,
    ),
    "a narrow type": (
        """
        def f(x, i):
            if x.dtype == torch.bfloat16:
                x = x.float()
            s = x.gather(-1, i)
            return s
        """,
        """
        def f(x, i):
            s = x.gather(-1, i)
            if x.dtype == torch.bfloat16:
                s = s.float()
            return s
        """,
    ),
    "in the step of the file": (
        """
        def f(x, i, c):
          if c:
            x = x.float()
          s = x.gather(-1, i)
          return s
        """,
        """
        def f(x, i, c):
          s = x.gather(-1, i)
          if c:
            s = s.float()
          return s
        """,
    ),
    "behind each of two reads": (
        """
        def f(x, i, k, c):
            if c:
                x = x.float()
            s = x.gather(-1, i)
            t = x.gather(-1, k)
            return s, t
        """,
        """
        def f(x, i, k, c):
            s = x.gather(-1, i)
            if c:
                s = s.float()
            t = x.gather(-1, k)
            if c:
                t = t.float()
            return s, t
        """,
    ),
    "over several lines": (
        """
        def f(x, i, c, d):
            if (
                c
                and d
            ):
                x = x.float()
            s = x.gather(-1, i)
            return s
        """,
        """
        def f(x, i, c, d):
            s = x.gather(-1, i)
            if (
                c
                and d
            ):
                s = s.float()
            return s
        """,
    ),
    "a conditional expression": (
        """
        def f(x, i, c):
            w = x.float() if c else x
            s = w.gather(-1, i)
            return s
        """,
        """
        def f(x, i, c):
            s = x.gather(-1, i)
            s = s.float() if c else s
            return s
        """,
    ),
    "a conditional expression, turned round": (
        """
        def f(x, i, c):
            w = x if c else x.float()
            s = w.gather(-1, i)
            return s
        """,
        """
        def f(x, i, c):
            s = x.gather(-1, i)
            s = s if c else s.float()
            return s
        """,
    ),
}


@pytest.mark.parametrize(("code", "after"), DISAPPEARS.values(), ids=DISAPPEARS.keys())
def test_disappears(code: str, after: str) -> None:
    assert rewritten(code) == expected(after)


@pytest.mark.parametrize(("code", "after"), FOLLOWS.values(), ids=FOLLOWS.keys())
def test_follows(code: str, after: str) -> None:
    assert rewritten(code) == expected(after)
