"""Which names stay, which go, and what is written for a type that is read."""

from __future__ import annotations

import pytest

from .helpers import expected, rewritten, unfixed

KEPT = {
    "the source is bound anew": (
        """
        def f(x, i):
            w = x.float()
            x = x.sum()
            return w.gather(-1, i), x
        """,
        """
        def f(x, i):
            w = x
            x = x.sum()
            return w.gather(-1, i).float(), x
        """,
    ),
    "the source may be bound anew in a round of the loop": (
        """
        def f(x, i, c):
            out = []
            for k in i:
                w = x.float()
                if c:
                    x = x + 1
                out.append(w.gather(-1, k))
            return out
        """,
        """
        def f(x, i, c):
            out = []
            for k in i:
                w = x
                if c:
                    x = x + 1
                out.append(w.gather(-1, k).float())
            return out
        """,
    ),
    "the source is deleted": (
        """
        def f(x, i):
            w = x.float()
            del x
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            w = x
            del x
            return w.gather(-1, i).float()
        """,
    ),
    "the source is deleted among others": (
        """
        def f(x, i, a):
            w = x.float()
            del (a, x)
            return w.gather(-1, i)
        """,
        """
        def f(x, i, a):
            w = x
            del (a, x)
            return w.gather(-1, i).float()
        """,
    ),
    "the source is a global that a function rebinds": (
        """
        def f(i):
            w = TABLE.float()
            reset()
            return w.gather(-1, i)
        def reset():
            global TABLE
            TABLE = None
        """,
        """
        def f(i):
            w = TABLE
            reset()
            return w.gather(-1, i).float()
        def reset():
            global TABLE
            TABLE = None
        """,
    ),
    "a walrus of the reading statement binds the source": (
        """
        def f(x, i):
            w = x.float()
            return g(x := i), w.gather(-1, i)
        """,
        """
        def f(x, i):
            w = x
            return g(x := i), w.gather(-1, i).float()
        """,
    ),
    "a comprehension hides the source": (
        """
        def f(x, i):
            w = x.float()
            return [w.gather(-1, x) for x in i]
        """,
        """
        def f(x, i):
            w = x
            return [w.gather(-1, x).float() for x in i]
        """,
    ),
    "the source is an attribute": (
        """
        def f(o, i):
            w = o.logits.float()
            return w.gather(-1, i)
        """,
        """
        def f(o, i):
            w = o.logits
            return w.gather(-1, i).float()
        """,
    ),
    "the source is a call": (
        """
        def f(o, i):
            w = o.head(i).float()
            return w.gather(-1, i), w.shape
        """,
        """
        def f(o, i):
            w = o.head(i)
            return w.gather(-1, i).float(), w.shape
        """,
    ),
    "two targets": (
        """
        def f(x, i):
            a = b = x.float()
            return a.gather(-1, i), b.shape
        """,
        """
        def f(x, i):
            a = b = x
            return a.gather(-1, i).float(), b.shape
        """,
    ),
    "a walrus": (
        """
        def f(x, i):
            if (w := x.float()) is not None:
                return w.gather(-1, i)
        """,
        """
        def f(x, i):
            if (w := x) is not None:
                return w.gather(-1, i).float()
        """,
    ),
    "an unpacked display": (
        """
        def f(x, i):
            w, n = x.float(), 3
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            w, n = x, 3
            return w.gather(-1, i).float()
        """,
    ),
    "a swap": (
        """
        def f(x, z, i):
            x, z = z.float(), x
            return x.gather(-1, i)
        """,
        """
        def f(x, z, i):
            x, z = z, x
            return x.gather(-1, i).float()
        """,
    ),
    "a module may be imported from": (
        """
        W = X.float()
        Y = W.gather(-1, I)
        """,
        """
        W = X
        Y = W.gather(-1, I).float()
        """,
    ),
    "a named view": (
        """
        def f(x, i):
            w = x.float().T
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            w = x.T
            return w.gather(-1, i).float()
        """,
    ),
}

DROPPED = {
    "another name": (
        """
        def f(x, i):
            w = x.float()
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float()
        """,
    ),
    "its own name": (
        """
        def f(x, i):
            x = x.float()
            return x.gather(-1, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float()
        """,
    ),
    "an annotated name": (
        """
        def f(x, i):
            w: torch.Tensor = x.float()
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float()
        """,
    ),
    "metadata read the source": (
        """
        def f(x, i):
            w = x.float()
            n = w.shape[0] + w.size(1) + len(w) + w.ndim
            assert isinstance(w, torch.Tensor) and w.device == i.device
            return w.gather(-1, i), n
        """,
        """
        def f(x, i):
            n = x.shape[0] + x.size(1) + len(x) + x.ndim
            assert isinstance(x, torch.Tensor) and x.device == i.device
            return x.gather(-1, i).float(), n
        """,
    ),
    "several reads": (
        """
        def f(x, i, k):
            w = x.float()
            a = w.gather(-1, i)
            return a, w.gather(-1, k)
        """,
        """
        def f(x, i, k):
            a = x.gather(-1, i).float()
            return a, x.gather(-1, k).float()
        """,
    ),
    "a deleted name": (
        """
        def f(x, i):
            w = x.float()
            y = w.gather(-1, i)
            del w
            return y
        """,
        """
        def f(x, i):
            y = x.gather(-1, i).float()
            return y
        """,
    ),
    "a name deleted with others, first": (
        """
        def f(x, i, a):
            w = x.float()
            y = w.gather(-1, i)
            del w, a
            return y
        """,
        """
        def f(x, i, a):
            y = x.gather(-1, i).float()
            del a
            return y
        """,
    ),
    "a name deleted with others, last": (
        """
        def f(x, i, a):
            w = x.float()
            y = w.gather(-1, i)
            del a, w
            return y
        """,
        """
        def f(x, i, a):
            y = x.gather(-1, i).float()
            del a
            return y
        """,
    ),
    "a name deleted alone in its arm": (
        """
        def f(x, i, a):
            w = x.float()
            y = w.gather(-1, i)
            if a:
                del w
            return y
        """,
        """
        def f(x, i, a):
            y = x.gather(-1, i).float()
            if a:
                pass
            return y
        """,
    ),
    "its own name, deleted": (
        """
        def f(x, i):
            x = x.float()
            y = x.gather(-1, i)
            del x
            return y
        """,
        """
        def f(x, i):
            y = x.gather(-1, i).float()
            del x
            return y
        """,
    ),
    "a name that is bound to something else later": (
        """
        def f(x, i):
            w = x.float()
            y = w.gather(-1, i)
            w = None
            return y, w
        """,
        """
        def f(x, i):
            y = x.gather(-1, i).float()
            w = None
            return y, w
        """,
    ),
    "the rebinding follows the read": (
        """
        def f(x, i):
            w = x.float()
            y = w.gather(-1, i)
            x = None
            return y
        """,
        """
        def f(x, i):
            y = x.gather(-1, i).float()
            x = None
            return y
        """,
    ),
    "the only statement of an arm": (
        """
        def f(x, i, c):
            if c:
                w = x.float()
            else:
                return None
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                pass
            else:
                return None
            return x.gather(-1, i).float()
        """,
    ),
    "in a loop": (
        """
        def f(xs, i):
            for x in xs:
                w = x.float()
                g(w.gather(-1, i))
        """,
        """
        def f(xs, i):
            for x in xs:
                g(x.gather(-1, i).float())
        """,
    ),
    "a name of the enclosing function": (
        """
        def f(x):
            def h(i):
                w = x.float()
                return w.gather(-1, i)
            return h
        """,
        """
        def f(x):
            def h(i):
                return x.gather(-1, i).float()
            return h
        """,
    ),
}

REWRITES = {**KEPT, **DROPPED}


@pytest.mark.parametrize(("code", "after"), REWRITES.values(), ids=REWRITES.keys())
def test_names(code: str, after: str) -> None:
    assert rewritten(code) == expected(after)


TYPES = {
    "the type that the cast spells": (
        """
        def f(x, i):
            w = x.to(torch.float64)
            return w.gather(-1, i), g(dtype=w.dtype)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).to(torch.float64), g(dtype=torch.float64)
        """,
    ),
    "the type of `float()`": (
        """
        def f(x, i):
            x = x.float()
            return x.gather(-1, i), torch.finfo(x.dtype).min
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float(), torch.finfo(torch.float32).min
        """,
    ),
    "the type of `double()`": (
        """
        def f(x, i):
            w = x.double()
            return w.gather(-1, i), w.dtype
        """,
        """
        def f(x, i):
            return x.gather(-1, i).double(), torch.float64
        """,
    ),
    "of a tensor that a long call makes like it": (
        """
        def f(x, i):
            w = x.float()
            z = torch.zeros_like(
                w,  # its shape
            )
            return w.gather(-1, i), z
        """,
        """
        def f(x, i):
            z = torch.zeros_like(
                x, dtype=torch.float32,  # its shape
            )
            return x.gather(-1, i).float(), z
        """,
    ),
    "behind a redundant guard": (
        """
        def f(x, i):
            if x.dtype != torch.float32:
                x = x.float()
            return x.gather(-1, i), x.dtype
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float(), torch.float32
        """,
    ),
    "the type of the source, read before": (
        """
        def f(x, i):
            d = x.dtype
            x = x.float()
            return x.gather(-1, i).to(d)
        """,
        """
        def f(x, i):
            d = x.dtype
            return x.gather(-1, i).float().to(d)
        """,
    ),
    "of a copy that is kept": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                full(w)
                return w.dtype
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                w = x.float()
                full(w)
                return w.dtype
            return x.gather(-1, i).float()
        """,
    ),
}


@pytest.mark.parametrize(("code", "after"), TYPES.values(), ids=TYPES.keys())
def test_types(code: str, after: str) -> None:
    assert rewritten(code) == expected(after)


UNFIXED = {
    "the class of the copy": (
        """
        def f(x, i):
            w = x.float()
            return w.gather(-1, i), type(w)
        """,
        "the class of the copy is asked for",
    ),
    "torch has no name here": (
        """
        def f(x, i, torch):
            w = x.float()
            return w.gather(-1, i), w.dtype
        """,
        "the copy's type is read, and `torch` has no name here",
    ),
    "the type of a copy that may not be made": (
        """
        def f(x, i, c):
            if c:
                x = x.float()
            d = x.dtype
            s = x.gather(-1, i)
            return s, d
        """,
        "the type of a copy is read that may not be made",
    ),
    "the device of a copy that was moved": (
        """
        def f(x, device):
            w = x.to(device, torch.float32)
            return w[:, -1], w.device
        """,
        "the device of the copy is read",
    ),
    "an argument of the cast is bound anew": (
        """
        def f(x, i, t):
            w = x.to(torch.float32, non_blocking=t)
            t = True
            return w.gather(-1, i), t
        """,
        "an argument of the cast changes before the selection",
    ),
}


@pytest.mark.parametrize(("code", "reason"), UNFIXED.values(), ids=UNFIXED.keys())
def test_unfixed(code: str, reason: str) -> None:
    assert unfixed(code) == [reason]
