"""Which definitions of a name may reach a use.

Every snippet asks about the name in `use(name)`; a definition is shown as the value
that is assigned, or as the way in which the name is bound.
"""

from __future__ import annotations

import ast
from textwrap import dedent, indent

import pytest

from upcast_lint.analysis.graph.chains import names_of
from upcast_lint.analysis.names import Binding, free_names
from upcast_lint.analysis.syntax import Tree
from upcast_lint.analysis.work import TooMuchWork

from .helpers import calls_of, described, facts_of, reaching

STRAIGHT = {
    "a parameter": ("def f(x): use(x)", {"parameter"}),
    "a name of the module": ("def f(): use(x)", {"free"}),
    "the last assignment counts": (
        """
        def f(x):
            x = a
            x = b
            use(x)
        """,
        {"b"},
    ),
    "the right side is read before the name is bound": (
        """
        def f(x):
            x = use(x)
        """,
        {"parameter"},
    ),
    "an assignment after the use does not reach it": (
        """
        def f(x):
            use(x)
            x = a
        """,
        {"parameter"},
    ),
    "an annotation without a value binds nothing": (
        """
        def f(x):
            x: int
            use(x)
        """,
        {"parameter"},
    ),
    "an annotated assignment": (
        """
        def f(x):
            x: int = a
            use(x)
        """,
        {"a"},
    ),
    "an augmented assignment rebinds": (
        """
        def f(x):
            x += a
            use(x)
        """,
        {"augmented"},
    ),
    "a chained assignment binds every target": (
        """
        def f():
            x = y = a
            use(x)
        """,
        {"a"},
    ),
    "a display is unpacked by place": (
        """
        def f():
            x, y = a, b
            use(y)
        """,
        {"b"},
    ),
    "a swap": (
        """
        def f(x, y):
            x, y = y, x
            use(x)
        """,
        {"y"},
    ),
    "a nested display": (
        """
        def f():
            (x, y), z = (a, b), c
            use(y)
        """,
        {"b"},
    ),
    "a list display": (
        """
        def f():
            [x, y] = [a, b]
            use(x)
        """,
        {"a"},
    ),
    "an unpacked call": (
        """
        def f():
            x, y = pair()
            use(y)
        """,
        {"pair()[1]"},
    ),
    "a display that does not fit is one value": (
        """
        def f():
            x, y = *rest, a
            use(x)
        """,
        {"(*rest, a)[0]"},
    ),
    "a starred target": (
        """
        def f():
            first, *x = a
            use(x)
        """,
        {"other"},
    ),
    "names beside a starred target": (
        """
        def f():
            x, *rest = a
            use(x)
        """,
        {"other"},
    ),
    "a store to an attribute binds no name": (
        """
        def f(x):
            x.data = a
            use(x)
        """,
        {"parameter"},
    ),
    "a store to an item binds no name": (
        """
        def f(x):
            x[0] = a
            use(x)
        """,
        {"parameter"},
    ),
    "a deleted name": (
        """
        def f(x):
            del x
            use(x)
        """,
        {"deleted"},
    ),
    "a name deleted among others": (
        """
        def f(x, y):
            del y, x
            use(x)
        """,
        {"deleted"},
    ),
    "a name deleted in parentheses": (
        """
        def f(x, y):
            del (y, [x])
            use(x)
        """,
        {"deleted"},
    ),
    "a deleted item": (
        """
        def f(x):
            del x[0]
            use(x)
        """,
        {"parameter"},
    ),
    "an import": (
        """
        def f():
            import x.y
            use(x)
        """,
        {"imported"},
    ),
    "a renamed import": (
        """
        def f():
            from m import y as x
            use(x)
        """,
        {"imported"},
    ),
    "a nested function": (
        """
        def f(x):
            def x(): pass
            use(x)
        """,
        {"other"},
    ),
    "a nested class": (
        """
        def f(x):
            class x: pass
            use(x)
        """,
        {"other"},
    ),
    "a walrus": (
        """
        def f(x):
            g(x := a)
            use(x)
        """,
        {"a"},
    ),
    "a walrus is read to its right": (
        """
        def f(x):
            g((x := a), use(x))
        """,
        {"a"},
    ),
    "a walrus is not read to its left": (
        """
        def f(x):
            g(use(x), (x := a))
        """,
        {"parameter"},
    ),
    "a module": ("x = a\nuse(x)", {"a"}),
    "code after return is not reached": (
        """
        def f(x):
            return
            use(x)
        """,
        set(),
    ),
    "every kind of parameter": (
        "def f(a, /, b, *c, d, **x): use(x)",
        {"parameter"},
    ),
    "an async function": (
        """
        async def f(x):
            x = await a
            use(x)
        """,
        {"await a"},
    ),
}

BRANCHES = {
    "both arms": (
        """
        def f(x):
            if c: x = a
            else: x = b
            use(x)
        """,
        {"a", "b"},
    ),
    "one arm": (
        """
        def f(x):
            if c: x = a
            use(x)
        """,
        {"a", "parameter"},
    ),
    "an arm that leaves": (
        """
        def f(x):
            if c:
                x = a
                return
            use(x)
        """,
        {"parameter"},
    ),
    "an arm that raises": (
        """
        def f(x):
            if c: x = a
            else: raise E
            use(x)
        """,
        {"a"},
    ),
    "bound in one arm alone": (
        """
        def f():
            if c: x = a
            use(x)
        """,
        {"a", "free"},
    ),
    "an elif chain": (
        """
        def f(x):
            if c: x = a
            elif d: x = b
            else: x = e
            use(x)
        """,
        {"a", "b", "e"},
    ),
    "the test of an elif": (
        """
        def f(x):
            if c: x = a
            elif use(x): pass
        """,
        {"parameter"},
    ),
    "a walrus in a test": (
        """
        def f(x):
            if (x := a): use(x)
        """,
        {"a"},
    ),
    "a walrus behind `and` may not run": (
        """
        def f(x):
            if c and (x := a): pass
            use(x)
        """,
        {"a", "parameter"},
    ),
    "a walrus before `and` runs": (
        """
        def f(x):
            if (x := a) and c: pass
            use(x)
        """,
        {"a"},
    ),
    "a walrus in an arm of a conditional expression": (
        """
        def f(x):
            y = (x := a) if c else b
            use(x)
        """,
        {"a", "parameter"},
    ),
    "a walrus in both arms of a conditional expression": (
        """
        def f(x):
            y = (x := a) if c else (x := b)
            use(x)
        """,
        {"a", "b"},
    ),
    "a match with a wildcard": (
        """
        def f(x):
            match c:
                case 1: x = a
                case _: x = b
            use(x)
        """,
        {"a", "b"},
    ),
    "a match that may fit nothing": (
        """
        def f(x):
            match c:
                case 1: x = a
                case 2: x = b
            use(x)
        """,
        {"a", "b", "parameter"},
    ),
    "a guarded wildcard may not fit": (
        """
        def f(x):
            match c:
                case _ if d: x = a
            use(x)
        """,
        {"a", "parameter"},
    ),
    "a capture whose guard fails stays bound": (
        """
        def f(x):
            match c:
                case x if d: pass
                case _: use(x)
        """,
        {"other"},
    ),
    "a walrus in a guard that fails stays bound": (
        """
        def f(x):
            match c:
                case 1 if (x := a): pass
            use(x)
        """,
        {"a", "parameter"},
    ),
    "a captured name": (
        """
        def f(x):
            match c:
                case [x, *_]: use(x)
        """,
        {"other"},
    ),
    "a capture of a star, a mapping and an `as`": (
        """
        def f(x):
            match c:
                case [1, *x] | {**x} | (2 as x): use(x)
        """,
        {"other"},
    ),
    "a value pattern is a read": (
        """
        def f(x):
            x = a
            match c:
                case x.y: pass
            use(x)
        """,
        {"a"},
    ),
}

LOOPS = {
    "a body may not run": (
        """
        def f(x):
            for i in n: x = a
            use(x)
        """,
        {"a", "parameter"},
    ),
    "a body sees the round before": (
        """
        def f(x):
            for i in n:
                use(x)
                x = a
        """,
        {"a", "parameter"},
    ),
    "a body that binds first": (
        """
        def f(x):
            for i in n:
                x = a
                use(x)
        """,
        {"a"},
    ),
    "two names passed on from round to round": (
        """
        def f(x, y):
            for i in n:
                use(x)
                x = y
                y = a
        """,
        {"parameter", "y"},
    ),
    "the loop's own name": (
        """
        def f():
            for x in xs: use(x)
        """,
        {"each of xs"},
    ),
    "the loop's own name afterwards": (
        """
        def f():
            for x in xs: pass
            use(x)
        """,
        {"each of xs", "free"},
    ),
    "unpacked by the loop": (
        """
        def f():
            for i, x in xs: use(x)
        """,
        {"other"},
    ),
    "the iterable is read once": (
        """
        def f(x):
            for i in use(x): x = a
        """,
        {"parameter"},
    ),
    "a break": (
        """
        def f(x):
            for i in n:
                x = a
                if c:
                    x = b
                    break
                x = d
            use(x)
        """,
        {"b", "d", "parameter"},
    ),
    "a continue": (
        """
        def f(x):
            for i in n:
                use(x)
                if c:
                    x = b
                    continue
                x = d
        """,
        {"b", "d", "parameter"},
    ),
    "the else of a loop does not see its breaks": (
        """
        def f(x):
            for i in n:
                x = a
                break
            else:
                use(x)
        """,
        {"parameter"},
    ),
    "after the else of a loop": (
        """
        def f(x):
            for i in n:
                if c:
                    x = a
                    break
            else:
                x = b
            use(x)
        """,
        {"a", "b"},
    ),
    "a while may not run": (
        """
        def f(x):
            while c: x = a
            use(x)
        """,
        {"a", "parameter"},
    ),
    "a while reads its test again": (
        """
        def f(x):
            while use(x): x = a
        """,
        {"a", "parameter"},
    ),
    "a walrus in the test of a while": (
        """
        def f(x):
            while (x := a): pass
            use(x)
        """,
        {"a"},
    ),
    "an endless loop ends by its break alone": (
        """
        def f(x):
            while True:
                x = a
                if c: break
                x = b
            use(x)
        """,
        {"a"},
    ),
    "an endless loop without a break": (
        """
        def f(x):
            while 1: x = a
            use(x)
        """,
        set(),
    ),
    "a break of the inner loop": (
        """
        def f(x):
            for i in n:
                for j in m:
                    x = a
                    break
                use(x)
        """,
        {"a", "parameter"},
    ),
    "three names need three rounds": (
        """
        def f(x, y, z):
            while c:
                use(x)
                x = y
                y = z
                z = a
        """,
        {"parameter", "y"},
    ),
    "an async loop": (
        """
        async def f(x):
            async for x in xs: use(x)
        """,
        {"each of xs"},
    ),
}

EXCEPTIONS = {
    "a handler sees any prefix of the body": (
        """
        def f(x):
            try:
                x = a
                x = b
            except E:
                use(x)
        """,
        {"parameter", "a", "b"},
    ),
    "a body that leaves still reaches its handler": (
        """
        def f(x):
            try:
                x = a
                return g()
            except E:
                use(x)
        """,
        {"parameter", "a"},
    ),
    "the else follows the whole body": (
        """
        def f(x):
            try: x = a
            except E: pass
            else: use(x)
        """,
        {"a"},
    ),
    "the else is not seen by the handler": (
        """
        def f(x):
            try: pass
            except E: use(x)
            else: x = a
        """,
        {"parameter"},
    ),
    "after body and handler": (
        """
        def f(x):
            try: x = a
            except E: x = b
            use(x)
        """,
        {"a", "b"},
    ),
    "after a handler that raises": (
        """
        def f(x):
            try: x = a
            except E: raise
            use(x)
        """,
        {"a"},
    ),
    "the caught exception": (
        """
        def f(x):
            try: pass
            except E as x: use(x)
        """,
        {"other"},
    ),
    "the type of an exception is read": (
        """
        def f(x):
            try: x = a
            except use(x): pass
        """,
        {"parameter", "a"},
    ),
    "what a raise reads": (
        """
        def f(x):
            raise E from use(x)
        """,
        {"parameter"},
    ),
    "a finally sees everything": (
        """
        def f(x):
            try: x = a
            except E: x = b
            finally: use(x)
        """,
        {"parameter", "a", "b"},
    ),
    "what a finally binds holds afterwards": (
        """
        def f(x):
            try: x = a
            finally: x = b
            use(x)
        """,
        {"b"},
    ),
    "a finally after a body that went well": (
        """
        def f(x):
            try: x = a
            finally: pass
            use(x)
        """,
        {"a"},
    ),
    "a break runs the finally": (
        """
        def f(x):
            for i in n:
                try: break
                finally: x = a
            use(x)
        """,
        {"a", "parameter"},
    ),
    "a continue runs the finally": (
        """
        def f(x):
            for i in n:
                use(x)
                try: continue
                finally: x = a
        """,
        {"a", "parameter"},
    ),
    "a break runs the finally alone": (
        """
        def f(x):
            while True:
                try:
                    x = a
                    break
                finally: x = b
            use(x)
        """,
        {"b"},
    ),
    "groups of exceptions": (
        """
        def f(x):
            try: x = a
            except* E: use(x)
        """,
        {"parameter", "a"},
    ),
    "a with passes exceptions on": (
        """
        def f(x):
            with m: x = a
            use(x)
        """,
        {"a"},
    ),
    "a with that suppresses them": (
        """
        def f(x):
            with contextlib.suppress(E):
                x = a
            use(x)
        """,
        {"a", "parameter"},
    ),
    "the name of a context": (
        """
        def f():
            with m as x: use(x)
        """,
        {"other"},
    ),
    "a context uses the one before it": (
        """
        def f():
            with m as x, use(x): pass
        """,
        {"other"},
    ),
}

COMPREHENSIONS = {
    "the variable of a comprehension": (
        """
        def f(x):
            return [use(x) for x in xs]
        """,
        {"each of xs"},
    ),
    "the variable does not leak": (
        """
        def f(x):
            y = [x for x in xs]
            use(x)
        """,
        {"parameter"},
    ),
    "the first iterable is read outside": (
        """
        def f(x):
            return [x for x in use(x)]
        """,
        {"parameter"},
    ),
    "a later iterable sees the variables before it": (
        """
        def f(x):
            return [y for x in xs for y in use(x)]
        """,
        {"each of xs"},
    ),
    "a condition": (
        """
        def f(x):
            return {x for x in xs if use(x)}
        """,
        {"each of xs"},
    ),
    "a dict": (
        """
        def f(x):
            return {k: use(x) for x in xs}
        """,
        {"each of xs"},
    ),
    "a walrus in a comprehension leaks, and may not run": (
        """
        def f(x):
            y = [(x := a) for i in n]
            use(x)
        """,
        {"a", "parameter"},
    ),
    "a variable shadows the copy inside alone": (
        """
        def f(x):
            x = a
            y = [use(x) for i in n]
        """,
        {"a"},
    ),
    "a generator": (
        """
        def f(x):
            return sum(use(x) for x in xs)
        """,
        {"each of xs"},
    ),
}

ALL = {**STRAIGHT, **BRANCHES, **LOOPS, **EXCEPTIONS, **COMPREHENSIONS}


@pytest.mark.parametrize(("code", "expected"), ALL.values(), ids=ALL.keys())
def test_reaching(code: str, expected: set[str]) -> None:
    assert reaching(code) == expected


CAPTURED = {
    "nothing": ("def f(x): return x", set()),
    "a comprehension is no scope of its own": (
        "def f(x): return [x for i in n]",
        set(),
    ),
    "what a nested function keeps to itself": (
        """
        def f(x):
            def g(x): return x
        """,
        set(),
    ),
    "a local of a nested function": (
        """
        def f(x):
            def g():
                x = 1
                return x
        """,
        set(),
    ),
    "a default is read here": (
        """
        def f(x):
            def g(y=x): return y
        """,
        set(),
    ),
    "a decorator is read here": (
        """
        def f(x):
            @x
            def g(): pass
        """,
        set(),
    ),
    "a lambda's default is read here": ("def f(x): return lambda y=x: y", set()),
    "a nested function": (
        """
        def f(x):
            def g(): return x
        """,
        {"x"},
    ),
    "a lambda": ("def f(x): return lambda: x", {"x"}),
    "a lambda in a comprehension": ("def f(x): return [lambda: x for i in n]", {"x"}),
    "a class body": (
        """
        def f(x):
            class C: y = x
        """,
        {"x"},
    ),
    "two levels down": (
        """
        def f(x):
            def g():
                def h(): return x
        """,
        {"x"},
    ),
    "a nonlocal": (
        """
        def f(x):
            def g():
                nonlocal x
                x = 1
        """,
        {"x"},
    ),
    "a global of its own": (
        """
        def f():
            global x
            x = 1
        """,
        {"x"},
    ),
}


@pytest.mark.parametrize(("code", "expected"), CAPTURED.values(), ids=CAPTURED.keys())
def test_captured(code: str, expected: set[str]) -> None:
    captured = facts_of(code, "f").names.captured
    assert captured & {"x"} == expected


def test_a_name_that_a_nested_function_rebinds_is_told_from_one_it_reads() -> None:
    code = """
        def f(x, y):
            def g():
                nonlocal x
                x = y
        """
    names = facts_of(code, "f").names
    assert names.rebound == {"x"}
    assert {"x", "y"} <= names.captured


def test_each_load_is_a_use_of_every_definition_that_reaches_it() -> None:
    facts = facts_of(
        """
        def f(x):
            if c: x = a
            use(x)
            use(x)
        """
    )
    loads = [call.args[0] for call in calls_of(facts, "use")]
    for definition in facts.names.named("x"):
        assert facts.names.uses(definition) == loads


def test_only_gives_the_definition_where_there_is_just_one() -> None:
    facts = facts_of(
        """
        def f(x):
            use(x)
            if c: x = a
            use(x)
        """
    )
    first, second = (call.args[0] for call in calls_of(facts, "use"))
    assert isinstance(first, ast.Name) and isinstance(second, ast.Name)
    found = facts.names.only(first)
    assert found is not None and found.binding is Binding.PARAMETER
    assert facts.names.only(second) is None


def test_what_holds_before_a_statement_covers_every_round_of_a_loop() -> None:
    facts = facts_of(
        """
        def f(x):
            for i in n:
                use(x)
                x = a
        """
    )
    (call,) = calls_of(facts, "use")
    before = facts.names.before(facts.tree.statement(call), "x")
    assert before is not None
    assert {described(d) for d in before} == {"parameter", "a"}


def test_a_definition_is_one_however_often_its_loop_is_walked() -> None:
    facts = facts_of(
        """
        def f(x):
            for i in n:
                x = g(x)
        """
    )
    assert len(facts.names.named("x")) == 2


def test_a_class_body_is_a_scope() -> None:
    code = """
        class C:
            x = a
            use(x)
        """
    assert reaching(code, "C") == {"a"}


def test_a_lambda_is_a_scope() -> None:
    assert reaching("f = lambda x: use(x)", "<lambda>") == {"parameter"}


FREE = {
    "its parameters are its own": ("def f(x): return x", set()),
    "a local": ("def f():\n x = 1\n return x", set()),
    "an import": ("def f():\n import x\n return x", set()),
    "a caught exception": ("def f():\n try: pass\n except E as x: x", {"E"}),
    "a nested function's name": ("def f():\n def x(): pass\n return x", set()),
    "a read": ("def f(): return x", {"x"}),
    "a read in a nested lambda": ("def f(): return lambda y: x + y", {"x"}),
    "a global that it binds": ("def f():\n global x\n x = 1", {"x"}),
}


@pytest.mark.parametrize(("code", "expected"), FREE.values(), ids=FREE.keys())
def test_free_names(code: str, expected: set[str]) -> None:
    function = ast.parse(dedent(code)).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert free_names(function) == expected


def test_deep_loops_end() -> None:
    code = "def f(x):\n"
    for depth in range(12):
        code += f"{' ' * (depth + 1)}for i{depth} in n:\n"
    code += f"{' ' * 13}x = g(x)\n use(x)\n"
    module = ast.parse(code)
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)
    names = names_of(function, Tree.of(module))
    assert len(names.named("x")) == 2


def test_loops_in_one_another_cost_what_they_say() -> None:
    heads = [f"{' ' * n}for a in b:" for n in range(90)]
    module = ast.parse("\n".join([*heads, f"{' ' * 90}x = a"]))
    assert names_of(module, Tree.of(module)).named("x")


def test_a_cleanup_in_another_doubles_the_work() -> None:
    def cleaned(depth: int) -> ast.Module:
        text = "x = a"
        for _ in range(depth):
            text = "try: pass\nfinally:\n" + indent(text, " ")
        return ast.parse(text)

    module = cleaned(4)
    assert names_of(module, Tree.of(module)).named("x")
    module = cleaned(40)
    with pytest.raises(TooMuchWork):
        names_of(module, Tree.of(module))
