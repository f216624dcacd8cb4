"""Where a copy goes: the names that carry it and the reads that it meets."""

from __future__ import annotations

import ast

import pytest

from upcast_lint.analysis.flow import Flow, paths_of
from upcast_lint.analysis.graph.paths import FULL, NARROW

from .helpers import flow_of, reads_of

READS = {
    "nothing reads it": ("def f(x):\n w = x.float()", []),
    "one name": (
        """
        def f(x, i):
            w = x.float()
            return w.gather(-1, i)
        """,
        ["selection: w.gather(-1, i)"],
    ),
    "its own name": (
        """
        def f(x, i):
            x = x.float()
            return x.gather(-1, i)
        """,
        ["selection: x.gather(-1, i)"],
    ),
    "what stands before the cast": (
        """
        def f(x, i):
            y = x.sum()
            x = x.float()
            return x.gather(-1, i)
        """,
        ["selection: x.gather(-1, i)"],
    ),
    "a name that is bound anew": (
        """
        def f(x, i):
            w = x.float()
            a = w.gather(-1, i)
            w = g()
            return w.sum()
        """,
        ["selection: w.gather(-1, i)"],
    ),
    "an alias": (
        """
        def f(x, i):
            w = x.float()
            v = w
            return v.gather(-1, i), w.shape
        """,
        ["selection: v.gather(-1, i)", "metadata: w.shape"],
    ),
    "a named view": (
        """
        def f(x, i):
            w = x.float().view(-1, 3)
            v = w.T
            return v.gather(-1, i)
        """,
        ["selection: v.gather(-1, i)"],
    ),
    "an annotated name": (
        """
        def f(x, i):
            w: object = x.float()
            return w.gather(-1, i)
        """,
        ["selection: w.gather(-1, i)"],
    ),
    "two targets": (
        """
        def f(x, i):
            a = b = x.float()
            return a.gather(-1, i), b.sum()
        """,
        ["selection: a.gather(-1, i)", "full: b.sum()"],
    ),
    "an attribute among the targets": (
        """
        def f(self, x, i):
            w = self.w = x.float()
            return w.gather(-1, i)
        """,
        ["full: w = self.w = x.float()", "selection: w.gather(-1, i)"],
    ),
    "an unpacked display": (
        """
        def f(x, i):
            w, n = x.float(), 3
            return w.gather(-1, i)
        """,
        ["selection: w.gather(-1, i)"],
    ),
    "a display that is kept as well": (
        """
        def f(x, i):
            t = w, n = x.float(), 3
            return w.gather(-1, i)
        """,
        ["full: x.float(), 3", "selection: w.gather(-1, i)"],
    ),
    "a walrus": (
        """
        def f(x, i):
            if (w := x.float()) is not None:
                return w.gather(-1, i)
        """,
        ["metadata: (w := x.float()) is not None", "selection: w.gather(-1, i)"],
    ),
    "a deleted name": (
        """
        def f(x, i):
            w = x.float()
            y = w.gather(-1, i)
            del w
        """,
        ["selection: w.gather(-1, i)", "delete: del w"],
    ),
    "a step in place": (
        """
        def f(x, i):
            w = x.float()
            w += 1
            return w.gather(-1, i)
        """,
        ["write: w += 1"],
    ),
    "a step in place with the copy": (
        """
        def f(x, y):
            w = x.float()
            y += w
        """,
        ["full: y += w"],
    ),
    "the copy is cast again": (
        """
        def f(x, i):
            w = x.float()
            w = w.float()
            return w.gather(-1, i)
        """,
        ["full: w.float()"],
    ),
    "both arms": (
        """
        def f(x, i, c):
            w = x.float()
            if c:
                return w.sum()
            return w.gather(-1, i)
        """,
        ["full: w.sum()", "selection: w.gather(-1, i)"],
    ),
    "an arm that binds another value": (
        """
        def f(x, y, i, c):
            w = x.float()
            if c: w = y
            return w.gather(-1, i)
        """,
        ["full: w"],
    ),
    "an arm that is cast alone, under another name": (
        """
        def f(x, y, i, c):
            if c: w = x.float()
            else: w = y
            return w.gather(-1, i)
        """,
        ["full: w"],
    ),
    "not bound on every path": (
        """
        def f(x, i, c):
            if c: w = x.float()
            return w.gather(-1, i)
        """,
        ["full: w"],
    ),
    "what is made of a mixed name is not the copy": (
        """
        def f(x, y, i, c):
            w = x.float()
            if c: w = y
            v = w.view(-1)
            return v.gather(-1, i)
        """,
        ["full: w"],
    ),
    "captured by a nested function": (
        """
        def f(x, i):
            w = x.float()
            def g(): return w.gather(-1, i)
            return g
        """,
        ["full: x.float()"],
    ),
    "captured by a lambda": (
        """
        def f(x, i):
            w = x.float()
            return lambda: w.gather(-1, i)
        """,
        ["full: x.float()"],
    ),
    "captured by a class": (
        """
        def f(x, i):
            w = x.float()
            class C: v = w
        """,
        ["full: x.float()"],
    ),
    "a global": (
        """
        def f(x, i):
            global w
            w = x.float()
            return w.gather(-1, i)
        """,
        ["full: x.float()"],
    ),
    "an alias that is captured": (
        """
        def f(x, i):
            w = x.float()
            v = w
            return w.gather(-1, i), lambda: v
        """,
        ["full: w", "selection: w.gather(-1, i)"],
    ),
    "a comprehension is no capture": (
        """
        def f(x, i):
            w = x.float()
            return [w.gather(-1, k) for k in i]
        """,
        ["selection: w.gather(-1, k)"],
    ),
    "a generator runs later": (
        """
        def f(x, i):
            w = x.float()
            return (w.gather(-1, k) for k in i)
        """,
        ["full: w"],
    ),
    "a variable of a comprehension with the same name": (
        """
        def f(x, i):
            w = x.float()
            return [w for w in i], w.gather(-1, i)
        """,
        ["selection: w.gather(-1, i)"],
    ),
    "after a handler": (
        """
        def f(x, y, i):
            w = y
            try: w = x.float()
            except E: pass
            return w.gather(-1, i)
        """,
        ["full: w"],
    ),
    "after a handler that leaves": (
        """
        def f(x, y, i):
            try: w = x.float()
            except E: return None
            return w.gather(-1, i)
        """,
        ["selection: w.gather(-1, i)"],
    ),
    "a loop reads it again and again": (
        """
        def f(x, i):
            w = x.float()
            for k in i:
                g(w.gather(-1, k))
        """,
        ["selection: w.gather(-1, k)"],
    ),
    "an endless loop": (
        """
        def f(x, i):
            while True:
                w = x.float()
                if g(): break
            return w.gather(-1, i)
        """,
        ["selection: w.gather(-1, i)"],
    ),
    "a type": (
        """
        def f(x, i):
            w = x.float()
            return w.gather(-1, i).to(w.dtype)
        """,
        ["selection: w.gather(-1, i)", "dtype: w.dtype"],
    ),
    "two reads of one statement": (
        """
        def f(x, i, k):
            w = x.float()
            return w.gather(-1, i) + w.gather(-1, k)
        """,
        ["selection: w.gather(-1, i)", "selection: w.gather(-1, k)"],
    ),
    "the index is made from the copy": (
        """
        def f(x):
            w = x.float()
            return w.gather(-1, w.argmax(-1, keepdim=True))
        """,
        [
            "selection: w.gather(-1, w.argmax(-1, keepdim=True))",
            "selection: w.argmax(-1, keepdim=True)",
        ],
    ),
    "an async function": (
        """
        async def f(x, i):
            w = x.float()
            await g()
            return w.gather(-1, i)
        """,
        ["selection: w.gather(-1, i)"],
    ),
}


@pytest.mark.parametrize(("code", "expected"), READS.values(), ids=READS.keys())
def test_reads(code: str, expected: list[str]) -> None:
    assert reads_of(code) == expected


NOT_GUARDED = {
    "no condition": "x = x.float()",
    "more in the arm": "if c:\n  n = 1\n  x = x.float()",
    "another arm": "if c: x = x.float()\n else: n = 1",
    "an elif behind": "if c: x = x.float()\n elif n: n = 1",
    "a loop": "for k in i: x = x.float()",
    "a condition that casts": "x = x if x.float() is None else x",
    "a conditional expression with another tensor": "x = x.float() if c else y",
    "a conditional expression with another arm": "x = x.float() if c else None",
}

GUARDED = {
    "a flag": ("if c: x = x.float()", "c", False),
    "a narrow type": (
        "if x.dtype == torch.bfloat16: x = x.float()",
        "x.dtype == torch.bfloat16",
        False,
    ),
    "its own type": (
        "if x.dtype != torch.float32: x = x.float()",
        "x.dtype != torch.float32",
        True,
    ),
    "its own type, but a forced copy": (
        "if x.dtype != torch.float32: x = x.to(torch.float32, copy=True)",
        "x.dtype != torch.float32",
        False,
    ),
    "its own type, but a move as well": (
        "if x.dtype != torch.float32: x = x.to(c, torch.float32)",
        "x.dtype != torch.float32",
        False,
    ),
    "a conditional expression": ("x = x.float() if c else x", "c", False),
    "a conditional expression on its type": (
        "x = x.float() if x.dtype != torch.float32 else x",
        "x.dtype != torch.float32",
        True,
    ),
    "a conditional expression, turned round": (
        "x = x if c else x.float()",
        "c",
        False,
    ),
}


def guarded_flow(statement: str) -> Flow:
    code = f"def f(x, y, c, n, i):\n {statement}\n return x.gather(-1, i)\n"
    return flow_of(code)[0]


@pytest.mark.parametrize("statement", NOT_GUARDED.values(), ids=NOT_GUARDED.keys())
def test_no_guard(statement: str) -> None:
    assert guarded_flow(statement).guard is None


@pytest.mark.parametrize(
    ("statement", "test", "is_redundant"), GUARDED.values(), ids=GUARDED.keys()
)
def test_guard(statement: str, test: str, is_redundant: bool) -> None:
    flow = guarded_flow(statement)
    assert flow.guard is not None
    assert ast.unparse(flow.guard.test) == test
    assert flow.guard.is_redundant is is_redundant
    assert [r.kind.name for r in flow.reads] == ["SELECTION"]


PARTIAL = {
    "cast on every path": ("x = x.float()", False),
    "a conditional expression": ("x = x.float() if c else x", False),
    "a guard": ("if c: x = x.float()", True),
    "an arm of several statements": ("if c:\n  n = 1\n  x = x.float()", True),
    "an arm that another one follows": ("if c: x = x.float()\n else: n = 1", True),
}


@pytest.mark.parametrize(
    ("statement", "expected"), PARTIAL.values(), ids=PARTIAL.keys()
)
def test_partial(statement: str, expected: bool) -> None:
    assert guarded_flow(statement).is_partial is expected


def test_a_source_that_is_bound_anew_is_no_partial_copy() -> None:
    code = """
        def f(x, y, i, c):
            if c: x = x.float()
            else: x = y
            return x.gather(-1, i)
    """
    assert reads_of(code) == ["full: x"]


CARRIED = {
    "a loop after the cast": (
        """
        def f(x, n):
            w = x.float()
            for k in n: g(w[k])
        """,
        False,
    ),
    "made anew each round": (
        """
        def f(x, n):
            for k in n:
                w = x.float()
                g(w[k])
        """,
        False,
    ),
    "read by the next round": (
        """
        def f(x, n):
            w = None
            while True:
                g(w)
                w = x.float()
        """,
        False,
    ),
    "read by the next round as well": (
        """
        def f(x, n):
            for k in n:
                if g(k):
                    w = x.float()
                h(w[k])
                w = x.float()
        """,
        False,
    ),
    "the source is cast again each round": (
        """
        def f(x, n):
            for k in n:
                if k: g(x[0])
                x = x.float()
        """,
        True,
    ),
    "not surely made by a round before": (
        """
        def f(xs, n):
            while g():
                if n:
                    use(w[0])
                w = xs.float()
        """,
        False,
    ),
}


@pytest.mark.parametrize(("code", "expected"), CARRIED.values(), ids=CARRIED.keys())
def test_loop_carried(code: str, expected: bool) -> None:
    flow, _ = flow_of(code)
    assert flow.is_loop_carried is expected


LIFTED = {
    "one way": (
        """
        def f(x, i, c):
            w = x.float() / 2
            return w.gather(-1, i)
        """,
        ["SELECTION"],
    ),
    "two ways": (
        """
        def f(x, i, c):
            w = x.float()
            if c: v = w / 2
            else: v = w
            return v.gather(-1, i)
        """,
        ["SELECTION"],
    ),
    "two views of one lift": (
        """
        def f(x, i, c):
            w = x.float() / 2
            if c: v = w.T
            else: v = w
            return v.gather(-1, i)
        """,
        ["SELECTION"],
    ),
}


@pytest.mark.parametrize(("code", "kinds"), LIFTED.values(), ids=LIFTED.keys())
def test_lifts(code: str, kinds: list[str]) -> None:
    flow, _ = flow_of(code)
    assert {r.kind.name for r in flow.reads if r.kind.name != "METADATA"} >= set(kinds)


def test_steps_lead_through_every_name() -> None:
    flow, _ = flow_of(
        """
        def f(x, i):
            w = x.float() / 2
            v = w.T
            return v.view(-1).gather(-1, i)
        """
    )
    (read,) = flow.reads
    assert [ast.unparse(s.node) for s in read.steps] == [
        "x.float() / 2",
        "w.T",
        "v.view(-1)",
    ]
    assert [ast.unparse(s.node) for s in read.own] == ["v.view(-1)"]
    assert [ast.unparse(s.node) for s in read.lifts] == ["x.float() / 2"]
    assert read.load is not None and read.load.id == "v"


def test_the_loads_of_a_flow_are_those_that_give_the_copy() -> None:
    flow, _ = flow_of(
        """
        def f(x, i):
            y = x.sum()
            x = x.float()
            return x.gather(-1, i), x.shape
        """
    )
    assert sorted(load.lineno for load in flow.loads) == [7, 7]


def test_a_write_counts_as_a_full_demand() -> None:
    flow, facts = flow_of(
        """
        def f(x, i, c):
            w = x.float()
            if c:
                w.zero_()
            else:
                return w.gather(-1, i)
        """
    )
    assert paths_of(flow, facts).from_origin() == {NARROW, FULL}
