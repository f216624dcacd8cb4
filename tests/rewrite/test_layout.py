"""The edits keep comments, line ends, parentheses and whatever else stands there."""

from __future__ import annotations

from itertools import pairwise

import pytest

from upcast_lint.finding import Safety
from upcast_lint.linter import lint, mend
from upcast_lint.source import Source

from .helpers import OPTIONS, expected, mended, rewritten, unfixed

COMMENTS = {
    "a chain with a comment above the cast": (
        """
        def f(x, k, n):
            return (
                x
                # single precision for what follows
                .float()
                .narrow(1, k, n)  # only the window
                .clamp(min=-3.0)
            )
        """,
        """
        def f(x, k, n):
            return (
                x
                .narrow(1, k, n)  # only the window
                # single precision for what follows
                .float()
                .clamp(min=-3.0)
            )
        """,
    ),
    "a chain with the cast on its own line": (
        """
        def f(x, i):
            return (
                x
                .float()
                .gather(-1, i)
            )
        """,
        """
        def f(x, i):
            return (
                x
                .gather(-1, i)
                .float()
            )
        """,
    ),
    "a comment behind the cast of a chain": (
        """
        def f(x, i):
            return (
                x.float()  # wide
                .gather(-1, i)  # pick
                .sum()
            )
        """,
        """
        def f(x, i):
            return (
                x  # wide
                .gather(-1, i).float()  # pick
                .sum()
            )
        """,
    ),
    "comments of the dropped statement go with the cast": (
        """
        def f(x, i):
            n = 1

            # full precision
            w = x.float()  # wide
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            n = 1

            # full precision
            # wide
            return x.gather(-1, i).float()
        """,
    ),
    "comments of the dropped statement go to the arm": (
        """
        def f(x, i, c):
            # full precision
            w = x.float()
            if c:
                # whole
                a = full(w)
                return a, w
            return w.gather(-1, i)  # pick
        """,
        """
        def f(x, i, c):
            if c:
                # full precision
                w = x.float()
                # whole
                a = full(w)
                return a, w
            return x.gather(-1, i).float()  # pick
        """,
    ),
    "a comment that speaks of more than the cast stays": (
        """
        def f(x, i):
            # the head
            n = 1
            w = x.float()
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            # the head
            n = 1
            return x.gather(-1, i).float()
        """,
    ),
    "comments inside a guard that goes": (
        """
        def f(x, i):
            if x.dtype != torch.float32:
                # keep it precise
                x = x.float()  # wide
            return x.gather(-1, i)
        """,
        """
        def f(x, i):
            # keep it precise
            # wide
            return x.gather(-1, i).float()
        """,
    ),
    "a comment at another depth stays": (
        """
        def f(x, i, c):
            if c:
                c = 1
                # deeper
            w = x.float()
            return w.gather(-1, i), c
        """,
        """
        def f(x, i, c):
            if c:
                c = 1
                # deeper
            return x.gather(-1, i).float(), c
        """,
    ),
    "a comment behind the read": (
        """
        def f(x, i):
            y = x.float().gather(-1, i)  # pick
            return y
        """,
        """
        def f(x, i):
            y = x.gather(-1, i).float()  # pick
            return y
        """,
    ),
    "comments within the arguments of the read": (
        """
        def f(x, i):
            return x.float().gather(
                -1,  # the last
                i,  # the columns
            )
        """,
        """
        def f(x, i):
            return x.gather(
                -1,  # the last
                i,  # the columns
            ).float()
        """,
    ),
    "a comment behind the line of the cast": (
        """
        def f(x, i):
            return (
                x  # the source
                .float()  # single precision
                .gather(-1, i)  # the labels
                .neg()
            )
        """,
        """
        def f(x, i):
            return (
                x  # the source
                .gather(-1, i)  # the labels
                .float()  # single precision
                .neg()
            )
        """,
    ),
    "a comment above a cast that stays on the line of the read": (
        """
        def f(x, i):
            return (
                x
                # single precision
                .float()
                .gather(-1, i).neg()
            )
        """,
        """
        def f(x, i):
            return (
                x
                # single precision
                .gather(-1, i).float().neg()
            )
        """,
    ),
    "a comment above a cast that is not needed": (
        """
        def f(x):
            return (
                x
                # single precision
                .float()  # for the order
                .argmax(-1)
            )
        """,
        """
        def f(x):
            return (
                x
                # single precision
                # for the order
                .argmax(-1)
            )
        """,
    ),
    "a comment inside a cast whose statement goes": (
        """
        def f(x, i):
            w = x.to(  # why
                torch.float32,
            )
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            # why
            return x.gather(-1, i).to(torch.float32)
        """,
    ),
    "a comment inside a cast that moves along its line": (
        """
        def f(x, i):
            return x.to(
                torch.float32,  # why
            ).gather(-1, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).to(
                torch.float32,  # why
            )
        """,
    ),
    "a string that looks like a comment": (
        '''
        def f(x, i, c):
            w = x.float()
            if c:
                s = """
                # text"""
                full(w)
                return s, w
            return w.gather(-1, i)
        ''',
        '''
        def f(x, i, c):
            if c:
                s = """
                # text"""
                w = x.float()
                full(w)
                return s, w
            return x.gather(-1, i).float()
        ''',
    ),
    "a string that looks like a comment, above the cast": (
        '''
        def f(x, i):
            s = """
            # text"""
            w = x.float()
            return w.gather(-1, i), s
        ''',
        '''
        def f(x, i):
            s = """
            # text"""
            return x.gather(-1, i).float(), s
        ''',
    ),
}

SHAPES = {
    "blank lines around the dropped statement": (
        """
        def f(x, i):
            n = 1

            w = x.float()

            return w.gather(-1, i), n
        """,
        """
        def f(x, i):
            n = 1

            return x.gather(-1, i).float(), n
        """,
    ),
    "below a docstring": (
        '''
        def f(x, i):
            """Pick."""
            x = x.float()
            return x.gather(-1, i)
        ''',
        '''
        def f(x, i):
            """Pick."""
            return x.gather(-1, i).float()
        ''',
    ),
    "arguments of the cast over several lines": (
        """
        def f(x, i):
            w = x.to(
                torch.float32,
                copy=True,
            )
            return w.gather(-1, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).to(torch.float32, copy=True)
        """,
    ),
    "continued lines": (
        """
        def f(x, i):
            y = x \\
                .float() \\
                .gather(-1, i)
            return y
        """,
        """
        def f(x, i):
            y = x \\
                .gather(-1, i) \\
                .float()
            return y
        """,
    ),
    "a line that goes on behind the cast": (
        """
        def f(x, i):
            return (
                x
                .float().gather(-1, i)
                .neg()
            )
        """,
        """
        def f(x, i):
            return (
                x
                .gather(-1, i).float()
                .neg()
            )
        """,
    ),
    "a line end inside the brackets of the read": (
        """
        def f(x, i):
            return torch.gather(x
                .float(), -1, i)
        """,
        """
        def f(x, i):
            return torch.gather(x, -1, i).float()
        """,
    ),
    "arithmetic over several lines": (
        """
        def f(x, i, t):
            scaled = (
                x.float()
                / t
            )
            return scaled[:, i], 1
        """,
        """
        def f(x, i, t):
            return (
                x[:, i].float()
                / t
            ), 1
        """,
    ),
    "a source in parentheses": (
        """
        def f(x, y, i):
            return ((x + y)).float().gather(-1, i)
        """,
        """
        def f(x, y, i):
            return ((x + y)).gather(-1, i).float()
        """,
    ),
    "an awaited source": (
        """
        async def f(m, i):
            return (await m.run()).float().gather(-1, i)
        """,
        """
        async def f(m, i):
            return (await m.run()).gather(-1, i).float()
        """,
    ),
    "a conditional source": (
        """
        def f(x, y, i, c):
            return (x if c else y).float().gather(-1, i)
        """,
        """
        def f(x, y, i, c):
            return (x if c else y).gather(-1, i).float()
        """,
    ),
    "a source of several lines": (
        """
        def f(m, i):
            return m(
                i,
                k=1,
            ).logits.float().gather(-1, i)
        """,
        """
        def f(m, i):
            return m(
                i,
                k=1,
            ).logits.gather(-1, i).float()
        """,
    ),
    "the function form around arithmetic": (
        """
        def f(x, y, i):
            return torch.Tensor.float(x + y).gather(-1, i)
        """,
        """
        def f(x, y, i):
            return torch.Tensor.float((x + y).gather(-1, i))
        """,
    ),
    "a walrus around it": (
        """
        def f(x):
            if (best := x.float().argmax(-1)).numel() == 0:
                return None
            return best
        """,
        """
        def f(x):
            if (best := x.argmax(-1)).numel() == 0:
                return None
            return best
        """,
    ),
    "a format": (
        """
        def f(x, i):
            return f"{x.float().gather(-1, i)!r:>10} {i}"
        """,
        """
        def f(x, i):
            return f"{x.gather(-1, i).float()!r:>10} {i}"
        """,
    ),
    "an assertion": (
        """
        def f(x, i):
            assert x.float().gather(-1, i).sum() > 0, "none"
        """,
        """
        def f(x, i):
            assert x.gather(-1, i).float().sum() > 0, "none"
        """,
    ),
    "a semicolon behind the read": (
        """
        def f(x, i):
            y = x.float().gather(-1, i); return y
        """,
        """
        def f(x, i):
            y = x.gather(-1, i).float(); return y
        """,
    ),
    "a suite on one line": (
        """
        def f(x, i): return x.float().gather(-1, i)
        """,
        """
        def f(x, i): return x.gather(-1, i).float()
        """,
    ),
    "quotes and spaces stay": (
        """
        def f(x, i):
            y = x . float() . gather( dim = -1 , index = i ) ; z = 'a' "b"
            return y, z
        """,
        """
        def f(x, i):
            y = x . gather( dim = -1 , index = i ) . float() ; z = 'a' "b"
            return y, z
        """,
    ),
    "letters beyond ASCII before it": (
        """
        def f(größe, i):
            return "äöü€", größe.float().gather(-1, i), "ß"
        """,
        """
        def f(größe, i):
            return "äöü€", größe.gather(-1, i).float(), "ß"
        """,
    ),
    "a lambda": (
        """
        f = lambda x, i: x.float().gather(-1, i)
        """,
        """
        f = lambda x, i: x.gather(-1, i).float()
        """,
    ),
    "a default": (
        """
        def f(x, i):
            def g(a=x.float().gather(-1, i)): return a
            return g
        """,
        """
        def f(x, i):
            def g(a=x.gather(-1, i).float()): return a
            return g
        """,
    ),
    "a decorator": (
        """
        def f(x, i, deco):
            w = x.float()
            @deco(w.gather(-1, i))
            def g(): pass
            return g
        """,
        """
        def f(x, i, deco):
            @deco(x.gather(-1, i).float())
            def g(): pass
            return g
        """,
    ),
    "a class body": (
        """
        class C:
            best = X.float().argmax(-1)
        """,
        """
        class C:
            best = X.argmax(-1)
        """,
    ),
}

REWRITES = {**COMMENTS, **SHAPES}


@pytest.mark.parametrize(("code", "after"), REWRITES.values(), ids=REWRITES.keys())
def test_layout(code: str, after: str) -> None:
    assert rewritten(code) == expected(after)


UNFIXED = {
    "a directive on the statement that would go": (
        """
        def f(x, i):
            w = x.float()  # noqa: F841
            return w.gather(-1, i)
        """,
        "a comment speaks to a tool about the line of the cast",
    ),
    "a statement before it on the line": (
        """
        def f(x, i):
            a = 1; w = x.float()
            return w.gather(-1, i)
        """,
        "the cast shares its line with another statement",
    ),
    "a statement behind it on the line": (
        """
        def f(x, i):
            w = x.float(); y = w.gather(-1, i)
            return y
        """,
        "the cast shares its line with another statement",
    ),
    "a comment inside a cast that is written twice": (
        """
        def f(x, i, k):
            w = x.exp().to(  # why
                torch.float32,
            )
            return w.gather(-1, i), w.gather(-1, k)
        """,
        "a comment has no place in the rewrite",
    ),
    "a comment inside a cast that goes for good": (
        """
        def f(x):
            return x.float(  # why
            ).argmax(-1)
        """,
        "a comment has no place in the rewrite",
    ),
}


@pytest.mark.parametrize(("code", "reason"), UNFIXED.values(), ids=UNFIXED.keys())
def test_unfixed(code: str, reason: str) -> None:
    assert unfixed(code) == [reason]


PAIRS = {
    "values that are unpacked": (
        """
        def f(x):
            v, i = x.float().topk(5)
            return v, i
        """,
        """
        def f(x):
            v, i = x.topk(5)
            v = v.float()
            return v, i
        """,
    ),
    "only positions are used": (
        """
        def f(x):
            _, i = x.float().max(-1)
            return i
        """,
        """
        def f(x):
            _, i = x.max(-1)
            return i
        """,
    ),
    "attributes of the pair": (
        """
        def f(x):
            t = x.float().topk(5, dim=-1)
            return t.values, t.indices
        """,
        """
        def f(x):
            t = x.topk(5, dim=-1)
            return t.values.float(), t.indices
        """,
    ),
    "items of the pair": (
        """
        def f(x):
            t = x.float().max(dim=-1)
            return t[0] - 1, t[1]
        """,
        """
        def f(x):
            t = x.max(dim=-1)
            return t[0].float() - 1, t[1]
        """,
    ),
    "one attribute at once": (
        """
        def f(x):
            return x.float().topk(5).values.sum()
        """,
        """
        def f(x):
            return x.topk(5).values.float().sum()
        """,
    ),
    "pieces of a loop": (
        """
        def f(x):
            for part in x.float().split(4):
                # one at a time
                g(part)
                h(part)
        """,
        """
        def f(x):
            for part in x.split(4):
                part = part.float()
                # one at a time
                g(part)
                h(part)
        """,
    ),
    "pieces of a comprehension": (
        """
        def f(x):
            return [part.sum() for part in x.float().split(4)]
        """,
        """
        def f(x):
            return [part.float().sum() for part in x.split(4)]
        """,
    ),
}


@pytest.mark.parametrize(("code", "after"), PAIRS.values(), ids=PAIRS.keys())
def test_values_and_pieces(code: str, after: str) -> None:
    assert rewritten(code) == expected(after)


PAIRS_LEFT = {
    "the pair is returned": (
        """
        def f(x):
            return x.float().topk(5)
        """,
        "values and indices are passed on together",
    ),
    "the name of the pair is captured": (
        """
        def f(x):
            t = x.float().topk(5)
            return lambda: t.values
        """,
        "the result is captured by a nested function",
    ),
    "the name of the pair may be another": (
        """
        def f(x, c, t):
            if c:
                t = x.float().topk(5)
            return t.values
        """,
        "the result is not the only value of its name",
    ),
    "unpacked on one line": (
        """
        def f(x, c):
            if c: v, i = x.float().topk(5); return v, i
        """,
        "the statement has no line of its own",
    ),
    "a piece that is read twice in a comprehension": (
        """
        def f(x):
            return [p.sum() + p.mean() for p in x.float().split(4)]
        """,
        "the pieces of an iteration are read more than once",
    ),
    "a loop on one line": (
        """
        def f(x):
            for part in x.float().split(4): g(part)
        """,
        "the loop has no lines of its own",
    ),
}


@pytest.mark.parametrize(("code", "reason"), PAIRS_LEFT.values(), ids=PAIRS_LEFT.keys())
def test_values_and_pieces_that_are_left(code: str, reason: str) -> None:
    assert unfixed(code) == [reason]


BODY = (
    "import torch\ndef f(x, i, c):\n    w = x.float()\n    if c:\n"
    "        a = full(w)\n        return a, w\n    return w.gather(-1, i)\n"
)
AFTER = (
    "import torch\ndef f(x, i, c):\n    if c:\n        w = x.float()\n"
    "        a = full(w)\n        return a, w\n    return x.gather(-1, i).float()\n"
)


def test_the_end_of_each_line_stays() -> None:
    assert mended(BODY).text == AFTER
    for ending in ("\r\n", "\r"):
        before, after = (t.replace("\n", ending) for t in (BODY, AFTER))
        assert mended(before).text == after


def test_mixed_line_ends_stay_where_they_are() -> None:
    lines = BODY.splitlines()
    before = "".join(
        f"{line}\r\n" if n == 4 else f"{line}\n" for n, line in enumerate(lines)
    )
    after = mended(before).text
    assert after.count("\r\n") in (1, 2)
    assert after.replace("\r\n", "\n") == AFTER


def test_a_missing_end_of_the_last_line_stays_missing() -> None:
    assert mended(BODY.removesuffix("\n")).text == AFTER.removesuffix("\n")


def test_a_missing_end_where_a_line_is_added_at_the_end() -> None:
    head = "import torch\ndef f(x):\n    v, i = "
    before = f"{head}x.float().topk(5)\n    use(v, i)"
    after = f"{head}x.topk(5)\n    v = v.float()\n    use(v, i)"
    assert mended(before).text == after


def test_a_line_is_added_behind_a_last_line_without_an_end() -> None:
    before = "import torch\nv, i = X.float().topk(5)\ndef f(): return v"
    after = "import torch\nv, i = X.topk(5)\nv = v.float()\ndef f(): return v"
    assert mended(before).text == after
    before = "import torch\ndef f(): return v, i\nv, i = X.float().topk(5)"
    after = "import torch\ndef f(): return v, i\nv, i = X.topk(5)\nv = v.float()"
    assert mended(before).text == after


def test_tabs_stay() -> None:
    before, after = (t.replace("    ", "\t") for t in (BODY, AFTER))
    assert mended(before).text == after


def test_a_form_feed_stays() -> None:
    before, after = (t.replace("def", "\x0cdef") for t in (BODY, AFTER))
    assert mended(before).text == after


def test_a_byte_order_mark_and_an_encoding_stay() -> None:
    text = f"# -*- coding: latin-1 -*-\n# Größe\n{BODY}"
    after = f"# -*- coding: latin-1 -*-\n# Größe\n{AFTER}"
    source = Source.from_bytes(text.encode("latin-1"), "test.py")
    findings = lint(source, OPTIONS)
    assert source.encode(mend(source, OPTIONS, findings).text) == after.encode(
        "latin-1"
    )
    marked = Source.from_bytes(b"\xef\xbb\xbf" + BODY.encode(), "test.py")
    findings = lint(marked, OPTIONS)
    mended_text = mend(marked, OPTIONS, findings).text
    assert marked.encode(mended_text) == b"\xef\xbb\xbf" + AFTER.encode()


def test_what_is_not_edited_stays_byte_for_byte() -> None:
    rest = "\n\nclass  C :\n\tx = ( 1 ,2)  # odd\n\n\n\n\tdef g( self ) : pass\n"
    assert mended(BODY + rest).text == AFTER + rest


def test_a_fix_is_one_set_of_edits_that_do_not_overlap() -> None:
    (finding,) = lint(Source.from_bytes(BODY.encode(), "test.py"), OPTIONS)
    assert finding.fix is not None and finding.fix.safety is Safety.UNSAFE
    ranges = [edit.range for edit in finding.fix.edits]
    assert ranges == sorted(ranges)
    for left, right in pairwise(ranges):
        assert left.end <= right.start


TWICE = {
    "one beside the other": (
        "x.float().gather(-1, i) + y.double().gather(-1, i)",
        "x.gather(-1, i).float() + y.gather(-1, i).double()",
    ),
    "one in the index of the other": (
        "x.float().gather(-1, y.float().argmax(-1, keepdim=True))",
        "x.gather(-1, y.argmax(-1, keepdim=True)).float()",
    ),
}


@pytest.mark.parametrize(("before", "after"), TWICE.values(), ids=TWICE.keys())
def test_two_casts_of_one_statement_take_two_rounds(before: str, after: str) -> None:
    head = "import torch\ndef f(x, y, i):\n    return "
    once = mended(f"{head}{before}\n")
    assert len(once.fixed) == 1
    assert mended(once.text).text == f"{head}{after}\n"


def test_a_fix_replaces_whole_statements() -> None:
    text = BODY.replace("a = full(w)", "a = full(w, w)")
    (finding,) = lint(Source.from_bytes(text.encode(), "test.py"), OPTIONS)
    assert finding.fix is not None
    assert [edit.content for edit in finding.fix.edits] == [
        "",
        "w = x.float()\n        ",
        "return x.gather(-1, i).float()",
    ]
