"""What is cut out of a source around the functions that are suspect."""

from __future__ import annotations

import ast

from upcast_lint.screen.excerpt import excerpt
from upcast_lint.source import Source

TEXT = '''\
import torch

SIZE = 3


@cached
async def other(
    x,
):
    return x


class Other(torch.nn.Module):
    y = 1

    def f(self):
        return self.y


class Held:
    """A class."""

    z = 2

    def __init__(self, x):
        self.ids = torch.tensor(x)

    @property
    def g(self):
        """Docs:
\tby a tab.
        """
        return self.z

    def suspect(self, x):
        y = x.float()
        return y[self.ids]


def last(x): return x
'''
LEFT = '''\
import torch

SIZE = 3


@cached
def other(): return


class Other: pass


class Held:
    """A class."""

    z = 2

    def __init__(self, x):
        self.ids = torch.tensor(x)

    @property
    def g(): return

    def suspect(self, x):
        y = x.float()
        return y[self.ids]


def last(): return
'''


def source(text: str) -> Source:
    return Source("x.py", b"", text, "utf-8", False)


def rows(text: str, name: str) -> tuple[int, int]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            assert node.end_lineno is not None
            return node.lineno, node.end_lineno
    raise LookupError(name)


def test_names_are_left_of_what_is_cut() -> None:
    part = excerpt(source(TEXT), [rows(TEXT, "suspect")])
    assert part is not None
    assert ast.dump(ast.parse(part.text)) == ast.dump(ast.parse(LEFT))


def test_rows_stay_what_they_are() -> None:
    at = rows(TEXT, "suspect")
    part = excerpt(source(TEXT), [at])
    assert part is not None
    assert rows(part.text, "suspect") == at
    assert part.text.count("\n") == TEXT.count("\n")


def test_nothing_is_cut_out_of_a_suspect_function() -> None:
    text = "def f(x):\n    y = x\n    def g():\n        return y\n\n    return g\n"
    part = excerpt(source(text), [rows(text, "f")])
    assert part is not None
    assert part.text == text


def test_several_suspects_of_one_class() -> None:
    methods = [f"    def {name}(self):\n        return 1\n\n" for name in "abc"]
    text = "class C:\n" + "".join(methods)
    part = excerpt(source(text), [rows(text, "a"), rows(text, "c")])
    assert part is not None
    assert part.text == text.replace("b(self):\n        return 1", "b(): return\n")


def test_nothing_is_cut_where_that_is_not_clear() -> None:
    text = "class \\\n  A: pass\ndef last(x):\n    return x\n"
    assert excerpt(source(text), [rows(text, "last")]) is None
