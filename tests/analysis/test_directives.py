from __future__ import annotations

import ast

import pytest

from tests.analysis.scenes import Scene, scene
from upcast_lint.analysis.directives import Directives, read_directives
from upcast_lint.source import Source


def states_distinct(code: str, name: str = "idx", call: str = "gather") -> bool:
    """Whether the comments of `code` state `name` distinct at the last such call."""
    found = scene(code)
    node = found.calls(call)[-1]
    index = ast.parse(name, mode="eval").body
    return found.directives.states_distinct(index, [node], found.facts)


def states_no_grad(code: str, call: str = "gather") -> bool:
    found = scene(code)
    node = found.calls(call)[-1]
    return found.directives.states_no_grad([node], found.facts)


SILENT = {
    "no comment": """
        def f(x, idx):
            return x.gather(-1, idx)
    """,
    "the text in a string": """
        def f(x, idx):
            return x.gather(-1, idx), "# upcast-lint: distinct(idx)"
    """,
    "the text in a docstring": """
        def f(x, idx):
            '''Say

            # upcast-lint: distinct(idx)
            '''
            return x.gather(-1, idx)
    """,
    "a comment that quotes the directive": """
        def f(x, idx):
            return x.gather(-1, idx)  # see `# upcast-lint: distinct(idx)`
    """,
    "another tool's name": """
        def f(x, idx):
            return x.gather(-1, idx)  # my-upcast-lint: distinct(idx)
    """,
    "another directive": """
        def f(x, idx):
            return x.gather(-1, idx)  # upcast-lint: ignore[UPC001] distinct(idx)
    """,
    "another name": """
        def f(x, idx):
            return x.gather(-1, idx)  # upcast-lint: distinct(other)
    """,
    "a longer name": """
        def f(x, idx):
            return x.gather(-1, idx)  # upcast-lint: distinct(idx2)
    """,
    "no name": """
        def f(x, idx):
            return x.gather(-1, idx)  # upcast-lint: distinct()
    """,
    "brackets that never close": """
        def f(x, idx):
            return x.gather(-1, idx)  # upcast-lint: distinct(idx
    """,
    "no expression": """
        def f(x, idx):
            return x.gather(-1, idx)  # upcast-lint: distinct(idx idx)
    """,
    "the statement before": """
        def f(x, idx):
            y = x + 1  # upcast-lint: distinct(idx)
            return x.gather(-1, idx)
    """,
    "the statement after": """
        def f(x, idx):
            y = x.gather(-1, idx)
            return y  # upcast-lint: distinct(idx)
    """,
    "a lone comment with an empty line between": """
        def f(x, idx):
            # upcast-lint: distinct(idx)

            return x.gather(-1, idx)
    """,
    "a lone comment below": """
        def f(x, idx):
            y = x.gather(-1, idx)
            # upcast-lint: distinct(idx)
            return y
    """,
    "a lone comment above the first statement is not the function's": """
        def f(x, idx):
            # upcast-lint: distinct(idx)
            y = x + 1
            return x.gather(-1, idx)
    """,
    "the suite of the statement whose header holds the read": """
        def f(x, idx):
            if x.gather(-1, idx).any():
                return 1  # upcast-lint: distinct(idx)
    """,
    "the header of the block around": """
        def f(x, idx):
            if x is not None:  # upcast-lint: distinct(idx)
                return x.gather(-1, idx)
    """,
    "another function": """
        def g(x, idx):  # upcast-lint: distinct(idx)
            return 1
        def f(x, idx):
            return x.gather(-1, idx)
    """,
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_not_stated(code: str) -> None:
    assert not states_distinct(code)


STATED = {
    "on the row": """
        def f(x, idx):
            return x.gather(-1, idx)  # upcast-lint: distinct(idx)
    """,
    "with a reason": """
        def f(x, idx):
            return x.gather(-1, idx)  # upcast-lint: distinct(idx) by topk (no pad)
    """,
    "after another comment": """
        def f(x, idx):
            return x.gather(-1, idx)  # noqa: E501  # upcast-lint: distinct(idx)
    """,
    "one of several names": """
        def f(x, idx):
            return x.gather(-1, idx)  # upcast-lint: distinct(other, idx)
    """,
    "with other spaces": """
        def f(x, idx):
            return x.gather(-1, idx)  #upcast-lint:distinct( idx )
    """,
    "on a middle row": """
        def f(x, idx):
            return x.gather(
                -1,  # upcast-lint: distinct(idx)
                idx,
            )
    """,
    "on the last row": """
        def f(x, idx):
            return x.gather(
                -1,
                idx,
            )  # upcast-lint: distinct(idx)
    """,
    "above": """
        def f(x, idx):
            # upcast-lint: distinct(idx)
            return x.gather(-1, idx)
    """,
    "above, with another comment between": """
        def f(x, idx):
            # upcast-lint: distinct(idx)
            # the teacher does not pad
            return x.gather(-1, idx)
    """,
    "on the header that holds the read": """
        def f(x, idx):
            if x.gather(-1, idx).any():  # upcast-lint: distinct(idx)
                return 1
    """,
    "on the def": """
        def f(x, idx):  # upcast-lint: distinct(idx)
            y = x + 1
            return x.gather(-1, idx)
    """,
    "on the last row of the def": """
        def f(
            x,
            idx,
        ):  # upcast-lint: distinct(idx)
            y = x + 1
            return x.gather(-1, idx)
    """,
    "above the def": """
        # upcast-lint: distinct(idx)
        def f(x, idx):
            y = x + 1
            return x.gather(-1, idx)
    """,
    "above the decorators": """
        # upcast-lint: distinct(idx)
        @decorator
        @torch.no_grad()
        def f(x, idx):
            return x.gather(-1, idx)
    """,
    "between decorator and def": """
        @decorator
        # upcast-lint: distinct(idx)
        def f(x, idx):
            return x.gather(-1, idx)
    """,
    "on the def around the function": """
        def outer(idx):  # upcast-lint: distinct(idx)
            def f(x):
                return x.gather(-1, idx)
            return f
    """,
    "in a one-line suite": """
        def f(x, idx):
            if idx is not None: return x.gather(-1, idx)  # upcast-lint: distinct(idx)
    """,
}


@pytest.mark.parametrize("code", STATED.values(), ids=STATED)
def test_stated(code: str) -> None:
    assert states_distinct(code)


@pytest.mark.parametrize(
    "name", ["batch.idx", "batch['idx']", "ids[:, 1]", "pick(a, b)"]
)
def test_an_expression_is_stated_in_any_spelling(name: str) -> None:
    code = f"""
        def f(x, batch, ids):
            return x.gather(-1, 0)  # upcast-lint: distinct({name.replace("'", '"')})
    """
    assert states_distinct(code, name)


NO_GRAD_SILENT = {
    "no comment": "x.gather(-1, idx)",
    "a longer word": "x.gather(-1, idx)  # upcast-lint: no-gradient",
    "another spelling": "x.gather(-1, idx)  # upcast-lint: no_grad",
    "distinct": "x.gather(-1, idx)  # upcast-lint: distinct(idx)",
}


@pytest.mark.parametrize("code", NO_GRAD_SILENT.values(), ids=NO_GRAD_SILENT)
def test_no_grad_not_stated(code: str) -> None:
    assert not states_no_grad(code)


@pytest.mark.parametrize(
    "code",
    [
        "x.gather(-1, idx)  # upcast-lint: no-grad",
        "x.gather(-1, idx)  # upcast-lint: no-grad, only scored",
        "# upcast-lint: no-grad\nx.gather(-1, idx)",
        "x.gather(-1, idx)  # upcast-lint: distinct(i)  # upcast-lint: no-grad",
    ],
)
def test_no_grad_stated(code: str) -> None:
    assert states_no_grad(code)


def test_any_of_several_nodes_may_be_spoken_of() -> None:
    found = scene("""
        def f(x, idx):
            y = x.float()  # upcast-lint: distinct(idx)
            return y.gather(-1, idx)
    """)
    index = ast.parse("idx", mode="eval").body
    read, cast = found.call("gather"), found.call("float")
    assert not _states(found, index, read)
    assert _states(found, index, read, cast)


def _states(found: Scene, index: ast.expr, *nodes: ast.AST) -> bool:
    return found.directives.states_distinct(index, nodes, found.facts)


def test_a_source_without_the_mark_is_not_tokenized() -> None:
    source = Source.from_bytes(b"x = (\n", "broken.py")
    assert read_directives(source) == Directives()


def test_a_source_that_does_not_tokenize_states_nothing() -> None:
    source = Source.from_bytes(b"x = (  # upcast-lint: no-grad\n", "broken.py")
    assert read_directives(source) == Directives()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_are_counted_with_every_line_end(end: str) -> None:
    lines = ["import torch", "y = 1", "z = 2  # upcast-lint: no-grad", ""]
    source = Source.from_bytes(end.join(lines).encode(), "ends.py")
    assert [each.row for each in read_directives(source).stated] == [3]
