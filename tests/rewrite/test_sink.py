"""Where the cast goes for the paths that read the whole copy."""

from __future__ import annotations

import pytest

from .helpers import expected, rewritten, unfixed

UNFIXED = {
    "the test of an elif reads it": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                return w.gather(-1, i)
            elif full(w):
                return None
        """,
        "an `elif` reads the whole copy",
    ),
    "a read outside the block of the cast": (
        """
        def f(x, i, c):
            with m:
                w = x.float()
            if c:
                return full(w)
            return w.gather(-1, i)
        """,
        "the whole copy is read outside the cast's block",
    ),
    "two names of the copy in one arm": (
        """
        def f(x, i, c):
            w = x.float()
            v = w.view(-1)
            if c:
                return full(w, v)
            return w.gather(-1, i)
        """,
        "the whole copy is read under several names",
    ),
    "an arm on one line needs the name": (
        """
        def f(x, i, c):
            w = x.float()
            if c: a = full(w); return a, w
            return w.gather(-1, i)
        """,
        "the statement has no line of its own",
    ),
}


NOTHING_SAVED = {
    "two arms after one another may both read it": """
    def f(x, i, c, d):
        w = x.float()
        if c: full(w)
        if d: full(w)
        return w.gather(-1, i)
    """,
    "an arm that leaves on one of its paths alone": """
    def f(x, i, c, d):
        w = x.float()
        if c:
            if d: return full(w)
            full(w)
        if d: return full(w)
        return w.gather(-1, i)
    """,
    "a loop is not entered": """
    def f(x, i, c):
        w = x.float()
        for k in i:
            if c: full(w)
            else: w.gather(-1, k)
    """,
    "a try is not entered": """
    def f(x, i, c):
        w = x.float()
        try:
            if c: return full(w)
        except E: pass
        return w.gather(-1, i)
    """,
    "a with is not entered": """
    def f(x, i, c):
        w = x.float()
        with m:
            if c: return full(w)
            return w.gather(-1, i)
    """,
    "an arm of an expression": """
    def f(x, i, c):
        w = x.float()
        return full(w) if c else w.gather(-1, i)
    """,
}


@pytest.mark.parametrize("code", NOTHING_SAVED.values(), ids=NOTHING_SAVED)
def test_no_finding_where_every_path_would_still_cast_the_whole(code: str) -> None:
    assert unfixed(code) == []


@pytest.mark.parametrize(("code", "reason"), UNFIXED.values(), ids=UNFIXED.keys())
def test_unfixed(code: str, reason: str) -> None:
    assert unfixed(code) == [reason]


SILENT = {
    "every path reads it whole": """
        def f(x, i, c):
            w = x.float()
            if c: full(w)
            else: full(w)
            return w.gather(-1, i)
    """,
    "the guard of a case reads it whole": """
        def f(x, i, c):
            w = x.float()
            match c:
                case 1 if full(w): return 1
                case _: return w.gather(-1, i)
    """,
    "a break does not lead past the full read": """
        def f(x, i, c):
            for k in i:
                try:
                    w = x.float()
                    if c: break
                    full(w)
                finally: pass
                y = w.gather(-1, k)
    """,
    "the loop before reads it whole": """
        def f(x, i):
            w = x.float()
            for k in i: full(w)
            return w.gather(-1, i)
    """,
    "a finally reads it whole": """
        def f(x, i):
            w = x.float()
            try: return w.gather(-1, i)
            finally: full(w)
    """,
    "the test reads it whole": """
        def f(x, i):
            w = x.float()
            if full(w): return w.gather(-1, i)
    """,
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT.keys())
def test_silent(code: str) -> None:
    assert unfixed(code) == []


SUNK = {
    "into the one statement that needs it": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                return full(w)
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                return full(x.float())
            return x.gather(-1, i).float()
        """,
    ),
    "to the head of an arm with two reads": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                n = 1
                a = full(w)
                return a, w
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                n = 1
                w = x.float()
                a = full(w)
                return a, w
            return x.gather(-1, i).float()
        """,
    ),
    "into the else": (
        """
        def f(x, i, c):
            x = x.float()
            if c:
                return x.gather(-1, i)
            else:
                return full(x)
        """,
        """
        def f(x, i, c):
            if c:
                return x.gather(-1, i).float()
            else:
                return full(x.float())
        """,
    ),
    "behind the arm that leaves": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                return w.gather(-1, i)
            a = w.sum()
            return a + w.mean()
        """,
        """
        def f(x, i, c):
            if c:
                return x.gather(-1, i).float()
            w = x.float()
            a = w.sum()
            return a + w.mean()
        """,
    ),
    "into several arms of a chain": (
        """
        def f(x, i, c):
            w = x.float()
            if c == 1:
                return full(w)
            elif c == 2:
                a = full(w)
                return a, w
            elif c == 3:
                return w.gather(-1, i)
            else:
                return w.index_select(0, i)
        """,
        """
        def f(x, i, c):
            if c == 1:
                return full(x.float())
            elif c == 2:
                w = x.float()
                a = full(w)
                return a, w
            elif c == 3:
                return x.gather(-1, i).float()
            else:
                return x.index_select(0, i).float()
        """,
    ),
    "before a chain of which every arm needs it": (
        """
        def f(x, i, c, d):
            w = x.float()
            if c:
                return w.gather(-1, i)
            if d:
                return full(w)
            else:
                return full(w, 1)
        """,
        """
        def f(x, i, c, d):
            if c:
                return x.gather(-1, i).float()
            w = x.float()
            if d:
                return full(w)
            else:
                return full(w, 1)
        """,
    ),
    "into the innermost arm": (
        """
        def f(x, i, c, d):
            w = x.float()
            if c:
                if d:
                    return full(w)
                return w.gather(-1, i)
            return w.index_select(0, i)
        """,
        """
        def f(x, i, c, d):
            if c:
                if d:
                    return full(x.float())
                return x.gather(-1, i).float()
            return x.index_select(0, i).float()
        """,
    ),
    "into arms that leave, one after another": (
        """
        def f(x, i, c, d):
            w = x.float()
            if c:
                return full(w)
            if d:
                a = full(w)
                return a, w
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c, d):
            if c:
                return full(x.float())
            if d:
                w = x.float()
                a = full(w)
                return a, w
            return x.gather(-1, i).float()
        """,
    ),
    "into an arm that leaves, and behind it": (
        """
        def f(x, i, c, d):
            w = x.float()
            if c:
                return w.gather(-1, i)
            if d:
                return full(w)
            a = w.sum()
            return a + w.mean()
        """,
        """
        def f(x, i, c, d):
            if c:
                return x.gather(-1, i).float()
            if d:
                return full(x.float())
            w = x.float()
            a = w.sum()
            return a + w.mean()
        """,
    ),
    "into arms that break and continue": (
        """
        def f(xs, i, c, d):
            for x in xs:
                w = x.float()
                if c:
                    full(w)
                    break
                if d:
                    full(w)
                    continue
                use(w.gather(-1, i))
        """,
        """
        def f(xs, i, c, d):
            for x in xs:
                if c:
                    full(x.float())
                    break
                if d:
                    full(x.float())
                    continue
                use(x.gather(-1, i).float())
        """,
    ),
    "into the cases of a match": (
        """
        def f(x, i, c):
            w = x.float()
            match c:
                case 1:
                    full(w)
                    return w
                case 2 if c > 1:
                    return w.gather(-1, i)
                case 3: return full(w)
        """,
        """
        def f(x, i, c):
            match c:
                case 1:
                    w = x.float()
                    full(w)
                    return w
                case 2 if c > 1:
                    return x.gather(-1, i).float()
                case 3: return full(x.float())
        """,
    ),
    "before a loop": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                for k in i:
                    full(w, k)
                return None
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                w = x.float()
                for k in i:
                    full(w, k)
                return None
            return x.gather(-1, i).float()
        """,
    ),
    "before a comprehension": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                return [full(w, k) for k in i]
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                w = x.float()
                return [full(w, k) for k in i]
            return x.gather(-1, i).float()
        """,
    ),
    "before a while that tests it": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                while full(w):
                    pass
                return None
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                w = x.float()
                while full(w):
                    pass
                return None
            return x.gather(-1, i).float()
        """,
    ),
    "before a try": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                try:
                    return full(w)
                except E:
                    return None
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                w = x.float()
                try:
                    return full(w)
                except E:
                    return None
            return x.gather(-1, i).float()
        """,
    ),
    "before a with": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                with torch.no_grad():
                    return full(w)
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                w = x.float()
                with torch.no_grad():
                    return full(w)
            return x.gather(-1, i).float()
        """,
    ),
    "above a statement that may write first": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                return full(x.zero_(), w)
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                w = x.float()
                return full(x.zero_(), w)
            return x.gather(-1, i).float()
        """,
    ),
    "before a raise": (
        """
        def f(x, i):
            w = x.float()
            if i is None:
                raise ValueError(w)
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            if i is None:
                w = x.float()
                raise ValueError(w)
            return x.gather(-1, i).float()
        """,
    ),
    "above a decorated function": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                @full(w)
                def g(): pass
                return w
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                w = x.float()
                @full(w)
                def g(): pass
                return w
            return x.gather(-1, i).float()
        """,
    ),
    "what stands behind it reads the copy": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                full(w)
                return w.gather(-1, i)
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                w = x.float()
                full(w)
                return w.gather(-1, i)
            return x.gather(-1, i).float()
        """,
    ),
    "metadata behind it keep the name": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                y = full(w)
                return y.view(w.shape)
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                w = x.float()
                y = full(w)
                return y.view(w.shape)
            return x.gather(-1, i).float()
        """,
    ),
    "under the name of a view": (
        """
        def f(x, i, c):
            v = x.float().view(-1, 3)
            if c:
                a = full(v)
                return a, v
            return v.gather(-1, i)
        """,
        """
        def f(x, i, c):
            v = x.reshape(-1, 3)
            if c:
                v = v.float()
                a = full(v)
                return a, v
            return v.gather(-1, i).float()
        """,
    ),
    "the source is an attribute": (
        """
        def f(o, i, c):
            w = o.logits.float()
            if c:
                return full(w)
            return w.gather(-1, i)
        """,
        """
        def f(o, i, c):
            w = o.logits
            if c:
                return full(w.float())
            return w.gather(-1, i).float()
        """,
    ),
    "the source is a call, which is made once": (
        """
        def f(o, i, c):
            w = o.head(i).float()
            if c:
                return full(w)
            return w.gather(-1, i)
        """,
        """
        def f(o, i, c):
            w = o.head(i)
            if c:
                return full(w.float())
            return w.gather(-1, i).float()
        """,
    ),
    "with everything that the cast says": (
        """
        def f(x, i, c):
            w = x.to(dtype=torch.float32, copy=True)
            if c:
                return full(w)
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                return full(x.to(dtype=torch.float32, copy=True))
            return x.gather(-1, i).to(dtype=torch.float32, copy=True)
        """,
    ),
    "in the function form": (
        """
        def f(x, i, c):
            w = torch.Tensor.float(x)
            if c:
                return full(w)
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c:
                return full(torch.Tensor.float(x))
            return torch.Tensor.float(x.gather(-1, i))
        """,
    ),
    "an arm on one line": (
        """
        def f(x, i, c):
            w = x.float()
            if c: return full(w)
            return w.gather(-1, i)
        """,
        """
        def f(x, i, c):
            if c: return full(x.float())
            return x.gather(-1, i).float()
        """,
    ),
}


@pytest.mark.parametrize(("code", "after"), SUNK.values(), ids=SUNK.keys())
def test_sunk(code: str, after: str) -> None:
    assert rewritten(code) == expected(after)
