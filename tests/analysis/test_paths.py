"""What the paths from a cast demand of its copy.

In the snippets `start()` is the cast, `narrow()` a selection and `full()` a read of
the whole copy. A path is shown by the letters of what it meets: `N`, `F`, `NF`, or
`-` for nothing.
"""

from __future__ import annotations

import ast

import pytest

from upcast_lint.analysis.facts import Facts
from upcast_lint.analysis.graph import Point
from upcast_lint.analysis.graph.paths import FULL, NARROW, Paths
from upcast_lint.wording import negation

from .helpers import call_of, calls_of, facts_of

_SHOWN = {0: "-", NARROW: "N", FULL: "F", NARROW | FULL: "NF"}


def paths_of(facts: Facts) -> Paths:
    demands: dict[Point, int] = {c: NARROW for c in calls_of(facts, "narrow")}
    demands |= {c: FULL for c in calls_of(facts, "full")}
    return Paths(call_of(facts, "start"), demands, facts)


def paths(code: str) -> str:
    """The kinds of path, in a fixed order."""
    found = paths_of(facts_of(code)).from_origin()
    return " ".join(_SHOWN[d] for d in sorted(found))


STRAIGHT = {
    "nothing reads it": ("start()", "-"),
    "what stands before does not count": ("narrow()\nstart()", "-"),
    "one selection": ("start()\nnarrow()", "N"),
    "one full read": ("start()\nfull()", "F"),
    "both": ("start()\nnarrow()\nfull()", "NF"),
    "in one statement": ("g(start(), narrow())", "N"),
    "a read around the cast": ("narrow(start())", "N"),
    "after a return": (
        """
        def f():
            start()
            return narrow()
            full()
        """,
        "N",
    ),
    "in every simple statement": (
        """
        def f():
            start()
            x = narrow()
            x += narrow()
            del x[narrow()]
            assert narrow()
            x: int = full()
        """,
        "NF",
    ),
    "a nested function is not run": (
        """
        def f():
            start()
            def g(): full()
        """,
        "-",
    ),
    "a nested class is not looked into": (
        """
        def f():
            start()
            class C: full()
        """,
        "-",
    ),
    "a lambda is not run": ("start()\nx = lambda: full()", "-"),
    "an await": ("async def f():\n start()\n await narrow()", "N"),
    "a yield": ("def f():\n start()\n yield narrow()", "N"),
    "a comprehension runs": ("start()\n[narrow() for i in n]", "N"),
}

BRANCHES = {
    "one arm": ("start()\nif c: narrow()", "- N"),
    "exclusive arms": ("start()\nif c: narrow()\nelse: full()", "N F"),
    "a test": ("start()\nif narrow(): full()", "N NF"),
    "an arm that leaves": (
        """
        def f():
            start()
            if c: return full()
            narrow()
        """,
        "N F",
    ),
    "an arm that raises is not counted": (
        """
        start()
        if c: raise full()
        narrow()
        """,
        "N",
    ),
    "an elif chain": (
        """
        start()
        if c: full()
        elif d: narrow()
        elif e: pass
        else: full()
        """,
        "- N F",
    ),
    "what follows is met in either case": (
        """
        start()
        if c: narrow()
        full()
        """,
        "F NF",
    ),
    "the cast in an arm": (
        """
        if c:
            start()
            narrow()
        else:
            full()
        """,
        "N",
    ),
    "what follows the arm of the cast": (
        """
        if c:
            start()
        narrow()
        """,
        "N",
    ),
    "the cast in a test": ("if start(): narrow()\nelse: full()", "N F"),
    "a conditional expression": ("start()\nx = narrow() if c else full()", "N F"),
    "the test of a conditional expression": ("start()\nx = a if narrow() else b", "N"),
    "behind `and`": ("start()\nc and narrow()", "- N"),
    "before `and`": ("start()\nnarrow() and full()", "N NF"),
    "behind `or` twice": ("start()\nc or narrow() or full()", "- N NF"),
    "a match": (
        """
        start()
        match c:
            case 1: narrow()
            case 2: full()
        """,
        "- N F",
    ),
    "the subject of a match": ("start()\nmatch narrow():\n case 1: pass", "N"),
    "the guard of a case": (
        """
        start()
        match c:
            case 1 if full(): narrow()
            case _: pass
        """,
        "- F NF",
    ),
    "the cast in a case": (
        """
        match c:
            case 1:
                start()
                narrow()
            case 2:
                full()
        """,
        "N",
    ),
    "a match that leaves": (
        """
        def f():
            start()
            match c:
                case 1: return full()
            narrow()
        """,
        "N F",
    ),
}

LOOPS = {
    "a body runs once at least": ("start()\nfor i in n: narrow()", "N"),
    "an iterable": ("start()\nfor i in narrow(): pass", "N"),
    "a while": ("start()\nwhile c: full()", "F"),
    "the test of a while": ("start()\nwhile narrow(): pass", "N"),
    "a branch in a body": ("start()\nfor i in n:\n if c: narrow()", "- N"),
    "one round narrow, the next full": (
        """
        start()
        for i in n:
            if c: narrow()
            else: full()
        """,
        "N F NF",
    ),
    "a break before the read": (
        """
        start()
        for i in n:
            if c: break
            narrow()
        """,
        "- N",
    ),
    "a continue before the read": (
        """
        start()
        for i in n:
            if c: continue
            full()
        """,
        "- F",
    ),
    "the else runs where nothing breaks": (
        """
        start()
        for i in n:
            if c:
                narrow()
                break
        else:
            full()
        """,
        "N F",
    ),
    "an endless loop that breaks": (
        """
        start()
        while True:
            narrow()
            if c: break
        """,
        "N",
    ),
    "a return in a loop": (
        """
        def f():
            start()
            for i in n:
                if c: return full()
            narrow()
        """,
        "N F",
    ),
    "the cast in a loop is made anew each round": (
        """
        for i in n:
            start()
            narrow()
        full()
        """,
        "NF",
    ),
    "the rest of a loop after a continue": (
        """
        for i in n:
            start()
            if c: continue
            narrow()
        """,
        "- N",
    ),
    "an inner break stays in its loop": (
        """
        start()
        for i in n:
            for j in m:
                break
            narrow()
        """,
        "N",
    ),
}

EXCEPTIONS = {
    "a body that goes well": (
        """
        def f():
            start()
            try: narrow()
            except E: return
        """,
        "- N",
    ),
    "a handler may follow the body": (
        """
        start()
        try: full()
        except E: narrow()
        """,
        "N F NF",
    ),
    "a handler that raises is not counted": (
        """
        start()
        try: narrow()
        except E: raise
        """,
        "N",
    ),
    "the else follows the body": (
        """
        start()
        try: narrow()
        except E: raise
        else: full()
        """,
        "NF",
    ),
    "a finally is met by all": (
        """
        def f():
            start()
            try:
                if c: return narrow()
            finally:
                full()
        """,
        "F NF",
    ),
    "a finally of a break": (
        """
        start()
        for i in n:
            try:
                if c: break
            finally:
                narrow()
            full()
        """,
        "N NF",
    ),
    "a handler after a body that raises": (
        """
        start()
        try:
            full()
            raise E
        except E: narrow()
        """,
        "N NF",
    ),
    "a handler after a body that returns": (
        """
        def f():
            start()
            try:
                full()
                return g()
            except E: narrow()
        """,
        "N F NF",
    ),
    "a raise that the with suppresses": (
        """
        start()
        with contextlib.suppress(E):
            full()
            raise E
        narrow()
        """,
        "NF",
    ),
    "the cast in the body": (
        """
        try:
            start()
            narrow()
        finally:
            full()
        """,
        "NF",
    ),
    "the else after a cast in the body": (
        """
        try:
            start()
        except E:
            raise
        else:
            narrow()
        """,
        "N",
    ),
    "the cast in a handler": (
        """
        try:
            full()
        except E:
            start()
            narrow()
        """,
        "N",
    ),
    "the cast in a finally": (
        """
        try:
            full()
        finally:
            start()
            narrow()
        """,
        "N",
    ),
    "a with": ("start()\nwith narrow(): full()", "NF"),
    "the cast in a with": ("with m:\n start()\n narrow()\nfull()", "NF"),
    "a return in a with": (
        """
        def f():
            start()
            with m:
                return narrow()
            full()
        """,
        "N",
    ),
    "the cast in the header of a with": ("with start(): narrow()", "N"),
}

ALL = {**STRAIGHT, **BRANCHES, **LOOPS, **EXCEPTIONS}


@pytest.mark.parametrize(("code", "expected"), ALL.values(), ids=ALL.keys())
def test_paths(code: str, expected: str) -> None:
    assert paths(code) == expected


ALWAYS_FULL = {
    "one arm": ("if c: full()", False),
    "exclusive arms": ("if c: narrow()\n else: full()", False),
    "nothing": ("if c: pass", False),
    "only raising": ("if c: raise E\n else: raise E", False),
    "both arms": ("if c: full()\n else: full()", True),
    "the test": ("if full(): narrow()", True),
    "the other arm raises": ("if c: full()\n else: raise E", True),
    "both return": ("if c: return full()\n else: return full()", True),
}


@pytest.mark.parametrize(
    ("code", "expected"), ALWAYS_FULL.values(), ids=ALWAYS_FULL.keys()
)
def test_needs_full_on_every_path(code: str, expected: bool) -> None:
    facts = facts_of(f"def f():\n start()\n {code}\n")
    function = facts.scope
    assert isinstance(function, ast.FunctionDef)
    statement = function.body[1]
    assert isinstance(statement, ast.If)
    found = paths_of(facts)
    assert found.needs_full_on_every_path(statement) is expected


NEGATIONS = {
    "flag": "not flag",
    "not flag": "flag",
    "self.flag": "not self.flag",
    "is_on(x)": "not is_on(x)",
    "flags[0]": "not flags[0]",
    "x is None": "x is not None",
    "x is not None": "x is None",
    "x == 1": "x != 1",
    "x != 1": "x == 1",
    "x < 1": "x >= 1",
    "x <= 1": "x > 1",
    "x > 1": "x <= 1",
    "x >= 1": "x < 1",
    "x in xs": "x not in xs",
    "x not in xs": "x in xs",
    "a < b < c": "not (a < b < c)",
    "a and b": "not a or not b",
    "a or b": "not a and not b",
    "not a and b": "a or not b",
    "a and (b or c)": "not a or (not b and not c)",
    "a or (b and c)": "not a and (not b or not c)",
    "not (a or b)": "a or b",
    "a + b": "not (a + b)",
    "lambda: a": "not (lambda: a)",
    "a if b else c": "not (a if b else c)",
    "-a": "not (-a)",
}


@pytest.mark.parametrize(("test", "expected"), NEGATIONS.items(), ids=NEGATIONS.keys())
def test_negation(test: str, expected: str) -> None:
    assert negation(ast.parse(test, mode="eval").body) == expected
