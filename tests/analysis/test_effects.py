"""What may write to a tensor, and when.

In `WRITES` and its like the tensor is `x`; in the snippets of order, `first()`,
`middle()` and `last()` stand for a cast, a write and a read.
"""

from __future__ import annotations

import ast
from textwrap import dedent, indent

import pytest

from upcast_lint.analysis.aliases import Sharing
from upcast_lint.analysis.aliases import shared_paths as shared
from upcast_lint.analysis.effects import Certainty, Effects
from upcast_lint.analysis.graph import Begin
from upcast_lint.analysis.graph.order import may_run_between

from .helpers import IMPORTS, call_of, facts_of

_HEAD = f"{IMPORTS}import torch.distributed as dist\nimport numpy as np\n"


def writes(body: str, source: str = "x") -> set[str]:
    """The certainties with which a function body writes to `source`."""
    head = "def f(self, x: torch.Tensor, y: torch.Tensor, i, g):"
    code = f"{_HEAD}{head}\n{indent(dedent(body), ' ')}\n"
    effects = Effects(facts_of(code, "f"))
    found = effects.writes_to(ast.parse(source, mode="eval").body)
    return {write.certainty.name for write in found}


NONE = {
    "a read": "y = x + 1",
    "an assignment rebinds": "x = y",
    "a method that reads": "x.sum()",
    "its length": "len(x)",
    "printed": "print(x)",
    "its size": "n = x.shape[0]\nn += 1",
    "a function of torch": "torch.softmax(x, -1)",
    "a function of functional": "F.relu(x)",
    "a comparison of a test": "torch.testing.assert_close(x, y)",
    "relu that is told not to": "F.relu(x, False)",
    "an index of another": "y[x] = 1",
    "a value that is stored": "y[0] = x.sum()",
    "the other operand": "y += x",
    "the argument of an in-place method": "y.add_(x)",
    "the source of a copy": "y.copy_(x)",
    "another tensor": "y.zero_()",
    "another tensor by `out=`": "torch.add(x, 1, out=y)",
    "a result of arithmetic": "z = x * 2\nz.zero_()",
    "a gathered part": "z = x.gather(-1, i)\nz.zero_()",
    "a clone": "z = x.clone()\nz.zero_()",
    "a forced copy": "z = x.to(torch.float32, copy=True)\nz.zero_()",
    "a sum": "total = 0\ntotal += x.sum()",
    "a store to an attribute of another": "self.n = 1",
    "numbers made from it": "n = len(x)\nn += 1",
    "a rank asked for": "dist.get_rank(x)",
    "a nested function that reads": "def h(): return x.sum(dim=-1)\nh()",
    "an attribute of another object": "y.logits.zero_()",
}


@pytest.mark.parametrize("body", NONE.values(), ids=NONE.keys())
def test_no_write(body: str) -> None:
    assert writes(body) == set()


CERTAIN = {
    "a nested function that is called": "def h(): x.zero_()\nh()",
    "an augmented assignment": "x += 1",
    "an augmented assignment to an item": "x[0] *= 2",
    "a store": "x[0] = 1",
    "a store to a slice": "x[:, 1:] = 0",
    "a deleted item": "del x[0]",
    "a store by unpacking": "x[0], n = 1, 2",
    "a store by a loop": "for x[0] in y: pass",
    "a store to its data": "x.data = y",
    "a switch of its gradient": "x.requires_grad = True",
    "an in-place method": "x.zero_()",
    "a chain of in-place methods": "x.zero_().add_(1)",
    "an in-place function": "torch.relu_(x)",
    "an in-place function of functional": "F.relu_(x)",
    "`out=`": "torch.add(y, 1, out=x)",
    "`out=` with several": "torch.topk(y, 2, out=(x, i))",
    "`inplace=`": "F.relu(x, inplace=True)",
    "a positional `inplace`": "F.relu(x, True)",
    "a positional `inplace` of dropout": "F.dropout(x, 0.5, True, True)",
    "an initialiser": "torch.nn.init.zeros_(x)",
    "a collective": "dist.all_reduce(x)",
    "a gathered list": "dist.all_gather([x], y)",
    "numpy through a view": "np.copyto(x.numpy(), y)",
    "a view": "x.view(-1).zero_()",
    "a part": "x[0].zero_()",
    "its data": "x.data.zero_()",
    "a detached view": "x.detach().zero_()",
    "a transposed view": "x.T.zero_()",
    "a move that may do nothing": "x.to(y.device).zero_()",
    "a cast that may do nothing": "x.float().zero_()",
    "one of two": "(x if g else y).zero_()",
    "one of several": "(y or x).zero_()",
    "an alias": "z = x\nz.zero_()",
    "an alias that is written later": "z = x\nx = y\nz.zero_()",
    "an alias of an alias": "z = x\nw = z\nw.zero_()",
    "a named view": "z = x.view(-1)\nz.zero_()",
    "an unpacked view": "a, b = x.chunk(2)\nb.zero_()",
    "a starred view": "a, *b = x.split(2)\nb[0].zero_()",
    "what it is made from": "x = y.view(-1)\ny.zero_()",
    "a sibling": "x = y[0]\nz = y[1]\nz.zero_()",
    "a loop over its rows": "for z in x: z.zero_()",
    "a loop over a list": "for z in [x, y]: z.zero_()",
    "a counted loop": "for n, z in enumerate([x, y]): z.zero_()",
    "a zipped loop": "for a, b in zip([x], [y]): a.zero_()",
    "a comprehension": "[z.zero_() for z in [x, y]]",
    "a walrus": "if (z := x) is not None: z.zero_()",
    "a list": "z = [x]\nz[0].zero_()",
    "a dict": "z = {'a': x}\nz['a'].zero_()",
    "an appended item": "z = []\nz.append(x)\nz[0].zero_()",
    "an item of a dict": "z = {}\nz['a'] = x\nz['a'].zero_()",
    "a dict that is updated": "z = {}\nz.update(a=x)\nz['a'].zero_()",
    "an attribute": "self.cache = x\nself.cache.zero_()",
    "an attribute by setattr": "setattr(self, 'cache', x)\nself.zero_()",
    "a captured pattern": "match x:\n case z: z.zero_()",
}


@pytest.mark.parametrize("body", CERTAIN.values(), ids=CERTAIN.keys())
def test_write(body: str) -> None:
    assert "WRITES" in writes(body)


POSSIBLE = {
    "an unknown method of another tensor": "y.fill(0)",
    "an unknown call that is not given it": "g(y)",
    "its shape": "g(x.shape, x.dtype, x.device)",
    "an unknown function": "g(x)",
    "an unknown function by keyword": "g(y=x)",
    "an unknown function of many": "g(*[x])",
    "an unknown function of a view": "g(x.view(-1))",
    "an unknown function of an alias": "z = x\ng(z)",
    "an unknown function of a list": "z = [x]\ng(z)",
    "an unknown method of it": "x.fill(0)",
    "an unknown method of another": "self.work(x)",
    "a function that maps": "list(map(g, [x]))",
    "a custom operator": "torch.ops.mine.scale(x)",
    "a nested function that hands it on": "def h(): g(x)\nh()",
    "the name of a context": "with g(x) as z: z.zero_()",
    "what an unknown call gives back": "z = g(x)\nz.zero_()",
    "a lambda": "h = lambda: x.zero_()\nh()",
    "a nested function that is passed on": "def h(): x.zero_()\ng(h)",
    "a generator that is suspended": "yield",
}


@pytest.mark.parametrize("body", POSSIBLE.values(), ids=POSSIBLE.keys())
def test_possible_write(body: str) -> None:
    assert writes(body) == {"MAY_WRITE"}


HIDDEN = {
    "printed": "print(x)",
    "sorted": "z = sorted(x, key=1)",
    "what a list gives back": "z = list([x])\nz.zero_()",
    "set by name": "setattr(self, 'n', x)",
}


@pytest.mark.parametrize("body", HIDDEN.values(), ids=HIDDEN.keys())
@pytest.mark.parametrize(
    "hiding",
    [
        "def {0}(*given): given[0].zero_()",
        "from mine import {0}",
        "class {0}: pass",
        "for {0} in y: pass",
    ],
)
def test_a_built_in_that_the_file_hides_may_write(body: str, hiding: str) -> None:
    name = body.removeprefix("z = ").partition("(")[0]
    for code in (
        f"{_HEAD}{hiding.format(name)}\ndef f(self, x, y):\n{indent(body, ' ')}\n",
        f"{_HEAD}def f(self, x, y, {name}):\n{indent(body, ' ')}\n",
    ):
        effects = Effects(facts_of(code, "f"))
        assert effects.writes_to(ast.Name("x", ast.Load()))


HELD = {
    "another attribute is set": ("self.n = 1", set()),
    "a method of its holder that mappings have": ("self.items()", {"MAY_WRITE"}),
    "a method of its holder": ("self.step()", {"MAY_WRITE"}),
    "its holder passed on": ("g(self)", {"MAY_WRITE"}),
    "its own in-place method": ("self.logits.zero_()", {"WRITES"}),
    "an alias": ("z = self.logits\nz.zero_()", {"WRITES"}),
}


@pytest.mark.parametrize(("body", "expected"), HELD.values(), ids=HELD.keys())
def test_an_attribute(body: str, expected: set[str]) -> None:
    assert writes(body, "self.logits") == expected


def test_any_unknown_call_may_write_to_what_another_scope_binds() -> None:
    assert writes("g(y)", "TABLE") == {"MAY_WRITE"}
    assert writes("print(y)", "TABLE") == set()
    assert writes("torch.relu(y)", "TABLE") == set()


def test_an_await_lets_everything_change() -> None:
    for statement in ("await y", "async with y: pass", "async for n in y: pass"):
        code = f"async def f(x, y):\n {statement}\n"
        found = Effects(facts_of(code)).writes_to(ast.parse("x", mode="eval").body)
        assert {write.certainty for write in found} == {Certainty.MAY_WRITE}, statement


SHARED = {
    "1": set(),
    "x + 1": set(),
    "x.shape": set(),
    "x.sum()": set(),
    "-x": set(),
    "torch.zeros(3)": set(),
    "torch.clone(x)": set(),
    "math.sqrt(x)": set(),
    "len(x)": set(),
    "x": {"x"},
    "x[0]": {"x"},
    "x.T": {"x"},
    "x.view(-1)": {"x"},
    "x.logits": {"x.logits"},
    "x.a.b": {"x.a.b"},
    "x[0].logits": {"x"},
    "g(x).logits": set(),
    "x if c else y": {"x", "y"},
    "x or y": {"x", "y"},
    "(x, y)": {"x", "y"},
    "[x, *y]": {"x", "y"},
    "{1: x}": {"x"},
    "[x for x in y]": {"x", "y"},
    "g(x, k=y)": set(),
    "torch.transpose(x, 0, 1)": {"x"},
    "list(x)": {"x"},
    "(z := x)": {"x"},
    "x.float()": {"x"},
    "x.to(torch.float32, copy=True)": set(),
}


@pytest.mark.parametrize(("text", "expected"), SHARED.items(), ids=SHARED.keys())
def test_shared_paths(text: str, expected: set[str]) -> None:
    facts = facts_of(f"{IMPORTS}import math\ndef f(x, y, g, c):\n return {text}\n", "f")
    assert isinstance(facts.scope, ast.FunctionDef)
    statement = facts.scope.body[0]
    assert isinstance(statement, ast.Return) and statement.value is not None
    assert shared(statement.value, facts) == expected


FURTHER = {
    "x.view(-1)": [{"x"}, {"x"}, {"x"}],
    "x.float().T": [set(), {"x"}, {"x"}],
    "g(x, k=y[0]).logits": [set(), set(), {"x", "y"}],
    "x + y": [set(), set(), set()],
}


@pytest.mark.parametrize(("text", "expected"), FURTHER.items(), ids=FURTHER.keys())
def test_how_far_a_tensor_is_followed(text: str, expected: list[set[str]]) -> None:
    facts = facts_of(f"{IMPORTS}def f(x, y, g):\n return {text}\n")
    assert isinstance(facts.scope, ast.FunctionDef)
    statement = facts.scope.body[0]
    assert isinstance(statement, ast.Return) and statement.value is not None
    value = statement.value
    assert [shared(value, facts, sharing) for sharing in Sharing] == expected


def between(code: str, *, before_last: bool = False) -> bool:
    facts = facts_of(code)
    first, middle, last = (call_of(facts, n) for n in ("first", "middle", "last"))
    point = Begin(last) if before_last else last
    return may_run_between(first, middle, point, facts)


NOT_BETWEEN = {
    "before": "middle()\nfirst()\nlast()",
    "after": "first()\nlast()\nmiddle()",
    "the other arm": "first()\nif c: middle()\nelse: last()",
    "an arm that leaves": """
        def f():
            first()
            if c:
                middle()
                return
            last()
    """,
    "an arm that raises": """
        first()
        if c:
            middle()
            raise E
        last()
    """,
    "another case": """
        first()
        match c:
            case 1: middle()
            case 2: last()
    """,
    "what takes the result of the last": "first()\nmiddle(last())",
    "a loop around all of them": "for i in n:\n first()\n last()\n middle()",
}


@pytest.mark.parametrize("code", NOT_BETWEEN.values(), ids=NOT_BETWEEN.keys())
def test_not_between(code: str) -> None:
    assert not between(code)


BETWEEN = {
    "in between": "first()\nmiddle()\nlast()",
    "in one statement": "g(first(), middle(), last())",
    "within the last": "first()\nlast(middle())",
    "in an arm": "first()\nif c: middle()\nlast()",
    "in the test": "first()\nif middle(): last()",
    "in a loop before": "first()\nfor i in n: middle()\nlast()",
    "later in a loop that repeats": "first()\nfor i in n:\n last()\n middle()",
    "later in the test of a loop": "first()\nwhile middle(): last()",
    "a loop outside of a loop": """
        first()
        for i in n:
            for j in m: last()
            middle()
    """,
    "in a with": "first()\nwith m: middle()\nlast()",
    "in a try": "first()\ntry: middle()\nfinally: last()",
    "in a try that is left": """
        def f():
            first()
            try:
                middle()
                return g()
            except E: last()
    """,
    "in a try that raises": """
        first()
        try:
            middle()
            raise E
        except E: last()
    """,
    "in the guard of a case": """
        first()
        match c:
            case 1 if middle(): pass
            case _: last()
    """,
    "in an arm that continues": """
        first()
        for i in n:
            if c:
                middle()
                continue
            last()
    """,
}


@pytest.mark.parametrize("code", BETWEEN.values(), ids=BETWEEN.keys())
def test_between(code: str) -> None:
    assert between(code)


def test_what_stands_inside_the_last_may_be_left_out() -> None:
    assert not between("first()\nlast(middle())", before_last=True)
    assert between("first()\nmiddle()\nlast()", before_last=True)


def test_an_iterator_that_is_made_of_itself() -> None:
    body = "for n in i:\n x = list(x)\n x = list(x)"
    assert "WRITES" not in writes(body)
