"""Selections that move up over arithmetic, which stays above the cast."""

from __future__ import annotations

import pytest

from .helpers import expected, rewritten, unfixed

EXPRESSIONS = {
    "(x.float() / 2).gather(-1, i)": "x.gather(-1, i).float() / 2",
    "(2 * x.float()).gather(-1, i)": "2 * x.gather(-1, i).float()",
    "(x.float() + 1).gather(-1, i)": "x.gather(-1, i).float() + 1",
    "(1 - x.float()).gather(-1, i)": "1 - x.gather(-1, i).float()",
    "(x.float() / 2 + 1).gather(-1, i)": "x.gather(-1, i).float() / 2 + 1",
    "((x.float() + 1) / 2).gather(-1, i)": "(x.gather(-1, i).float() + 1) / 2",
    "(x.float().div(2)).gather(-1, i)": "x.gather(-1, i).float().div(2)",
    "x.float().div(2).gather(-1, i)": "x.gather(-1, i).float().div(2)",
    "x.float().clamp(min=0).gather(-1, i)": "x.gather(-1, i).float().clamp(min=0)",
    "torch.mul(x.float(), 2).gather(-1, i)": "torch.mul(x.gather(-1, i).float(), 2)",
    "torch.tanh(x.float() / t).gather(-1, i)": (
        "torch.tanh(x.gather(-1, i).float() / t)"
    ),
    "(t * torch.tanh(x.float() / t))[:, -1]": "t * torch.tanh(x[:, -1].float() / t)",
    "(x.float() / 2).view(-1, 3).gather(-1, i)": (
        "x.reshape(-1, 3).gather(-1, i).float() / 2"
    ),
    "x.float().T.mul(2).gather(-1, i)": "x.T.gather(-1, i).float().mul(2)",
    "torch.gather(x.float() / 2, -1, i)": "torch.gather(x, -1, i).float() / 2",
    "torch.gather(input=x.float() / 2, dim=-1, index=i)": (
        "torch.gather(input=x, dim=-1, index=i).float() / 2"
    ),
    "(y.h(i).float() / 2).gather(-1, i)": "y.h(i).gather(-1, i).float() / 2",
    "((y + i).float() / 2).gather(-1, i)": "(y + i).gather(-1, i).float() / 2",
    "(torch.Tensor.float(x) / 2).gather(-1, i)": (
        "torch.Tensor.float(x.gather(-1, i)) / 2"
    ),
    "(x.to(torch.float32, copy=True) / 2).gather(-1, i)": (
        "x.gather(-1, i).to(torch.float32, copy=True) / 2"
    ),
    "(-x.float()).gather(-1, i)": "(-x).gather(-1, i).float()",
    "(-(x.float() / 2)).gather(-1, i)": "-(x.gather(-1, i).float() / 2)",
    "x.float().cpu()[:, -1]": "x[:, -1].float().cpu()",
}


@pytest.mark.parametrize(("before", "after"), EXPRESSIONS.items())
def test_an_expression(before: str, after: str) -> None:
    code = "def f(x, y, i, t):\n    return {}\n"
    assert rewritten(code.format(before)) == code.format(after)


PARENTHESES = {
    "(x.float() / 2).gather(-1, i).sum()": "(x.gather(-1, i).float() / 2).sum()",
    "2 ** (x.float() / 2).gather(-1, i)": "2 ** (x.gather(-1, i).float() / 2)",
    "-(x.float() / 2).gather(-1, i)": "-(x.gather(-1, i).float() / 2)",
    "y - (x.float() + 1).gather(-1, i)": "y - (x.gather(-1, i).float() + 1)",
    "(x.float() + 1).gather(-1, i)[None]": "(x.gather(-1, i).float() + 1)[None]",
    "(x.float() + 1).gather(-1, i) > 0": "(x.gather(-1, i).float() + 1) > 0",
    "g((x.float() + 1).gather(-1, i))": "g(x.gather(-1, i).float() + 1)",
    "g(k=(x.float() + 1).gather(-1, i))": "g(k=x.gather(-1, i).float() + 1)",
    "[(x.float() + 1).gather(-1, i)]": "[x.gather(-1, i).float() + 1]",
    "((x.float() + 1).gather(-1, i))": "(x.gather(-1, i).float() + 1)",
    "((x.float() + 1).gather(-1, i)).sum()": "(x.gather(-1, i).float() + 1).sum()",
    "y[(x.float() + 1).gather(-1, i)]": "y[x.gather(-1, i).float() + 1]",
    "not (x.float() + 1).gather(-1, i)": "not (x.gather(-1, i).float() + 1)",
    "(x.float() + 1).gather(-1, i) if c else y": (
        "(x.gather(-1, i).float() + 1) if c else y"
    ),
}


@pytest.mark.parametrize(("before", "after"), PARENTHESES.items())
def test_parentheses(before: str, after: str) -> None:
    code = "def f(x, y, i, c, g):\n    return {}\n"
    assert rewritten(code.format(before)) == code.format(after)


NAMED = {
    "a name for the arithmetic": (
        """
        def f(x, i):
            s = x.float() / 0.7
            return s.gather(-1, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float() / 0.7
        """,
    ),
    "a view of it": (
        """
        def f(x, i):
            s = x.float().view(-1, 5) / 0.7
            return s.gather(-1, i)
        """,
        """
        def f(x, i):
            s = x.reshape(-1, 5)
            return s.gather(-1, i).float() / 0.7
        """,
    ),
    "two reads": (
        """
        def f(x, i):
            s = x.float() * 2
            return s.gather(-1, i), s.index_select(0, i)
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float() * 2, x.index_select(0, i).float() * 2
        """,
    ),
    "a vector along the rows": (
        """
        def f(bank, scale, chosen):
            full = bank.float() * scale[:, None, None]
            return full.index_select(0, chosen)
        """,
        """
        def f(bank, scale, chosen):
            return bank.index_select(0, chosen).float() * scale[chosen][:, None, None]
        """,
    ),
    "the shape is read": (
        """
        def f(x, i):
            s = x.float() / 2
            return s.gather(-1, i), s.shape
        """,
        """
        def f(x, i):
            return x.gather(-1, i).float() / 2, x.shape
        """,
    ),
}


@pytest.mark.parametrize(("code", "after"), NAMED.values(), ids=NAMED.keys())
def test_named(code: str, after: str) -> None:
    assert rewritten(code) == expected(after)


UNFIXED = {
    "the result is read whole elsewhere": (
        """
        def f(x, i, c):
            s = x.float() / 2
            if c: return full(s)
            return s.gather(-1, i)
        """,
        "the result of arithmetic on the copy is read whole",
    ),
    "its type is read": (
        """
        def f(x, i):
            s = x.float() / 2
            return s.gather(-1, i), s.dtype
        """,
        "the result of arithmetic on the copy is read whole",
    ),
    "the operand is bound anew": (
        """
        def f(x, i, t):
            s = x.float() / t
            t = 2
            return s.gather(-1, i), t
        """,
        "an operand changes before the selection",
    ),
    "the operand changes from round to round": (
        """
        def f(x, i, t: float):
            out = []
            for k in i:
                s = x.float() / t
                if k: t = t + 1
                out.append(s.gather(-1, k))
            return out
        """,
        "an operand changes before the selection",
    ),
    "the operand is computed once": (
        """
        def f(x, i, g):
            s = x.float() / float(g())
            return s.gather(-1, i)
        """,
        "an operand changes before the selection",
    ),
    "two calls would swap": (
        """
        def f(x, it):
            return (x.float() / float(next(it))).gather(-1, next(it))
        """,
        "an operand changes before the selection",
    ),
    "the vector is written to": (
        """
        def f(bank, scale, chosen):
            full = bank.float() * scale[:, None, None]
            scale.zero_()
            return full.index_select(0, chosen)
        """,
        "`scale` changes before the selection",
    ),
    "the vector cannot be selected": (
        """
        def f(bank, scale, chosen):
            full = bank.float() * scale[:, None, None]
            return full.gather(-1, chosen)
        """,
        "a vector in the arithmetic has to be selected as well",
    ),
    "pieces of the result": (
        """
        def f(x):
            return [part.sum() for part in (x.float() / 2).split(4)]
        """,
        "the selection gives several tensors out of arithmetic",
    ),
    "the device of a moved copy is read": (
        """
        def f(x):
            w = x.float().cuda()
            return w[:, -1], w.device
        """,
        "the device of the copy is read",
    ),
}


@pytest.mark.parametrize(("code", "reason"), UNFIXED.values(), ids=UNFIXED.keys())
def test_unfixed(code: str, reason: str) -> None:
    assert unfixed(code) == [reason]


SILENT = {
    "a selection that compares": "(x.float() / 2).argmax(-1)",
    "the largest after arithmetic": "(-x.float() * 2).max(-1).values",
    "a tensor is added": "(x.float() + y.float()).gather(-1, i)",
    "a softmax": "x.float().softmax(-1).gather(-1, i)",
    "a power": "(x.float() ** 2).gather(-1, i)",
    "a comparison": "(x.float() > 0.5).gather(-1, i)",
}


@pytest.mark.parametrize("expression", SILENT.values(), ids=SILENT.keys())
def test_silent(expression: str) -> None:
    assert unfixed(f"def f(x, y, i):\n    return {expression}\n") == []


STEADY = [
    *("/ math.pi", "/ t", ".div(t)", "/ len(t)", ".div(len(t))", "/ float(t)"),
    *("/ int(t)", "/ math.sqrt(t)", "/ math.log(t)", "/ math.exp(t)"),
]
AT_ONCE = ["/ self.t", ".div(self.t)", "/ t.size(-1)", "/ t.dim()", ".mul(t.size(0))"]


@pytest.mark.parametrize("step", [*STEADY, *AT_ONCE])
def test_an_operand_in_the_statement_of_the_read(step: str) -> None:
    code = "import math\ndef f(self, x, t):\n    return {}\n"
    before, after = f"(x.float(){step})[:, -1]", f"x[:, -1].float(){step}"
    assert rewritten(code.format(before)) == code.format(after)


@pytest.mark.parametrize("step", STEADY)
def test_an_operand_that_is_the_same_in_a_later_statement(step: str) -> None:
    code = "import math\ndef f(self, x, t):\n{}"
    before = f"    y = x.float(){step}\n    t_ = g()\n    return y[:, -1]\n"
    after = f"    t_ = g()\n    return x[:, -1].float(){step}\n"
    assert rewritten(code.format(before)) == code.format(after)


@pytest.mark.parametrize("step", [*AT_ONCE, "/ t.item()", "/ max(self.t, 1e-6)"])
def test_an_operand_that_nothing_changes_before_a_later_statement(step: str) -> None:
    before = f"def f(self, x, t):\n    y = x.float(){step}\n    return y[:, -1]\n"
    after = f"def f(self, x, t):\n    return x[:, -1].float(){step}\n"
    assert rewritten(before) == after


CHANGED = {
    "an attribute is set": ("/ self.t", "self.t = 2"),
    "the attribute of another is set": ("/ self.a.t", "other.a = a"),
    "set by its name": ("/ self.t", "setattr(self, 't', 2)"),
    "deleted": ("/ self.t", "del self.t"),
    "set in place": ("/ self.t", "self.t *= 2"),
    "a tensor is written to": ("/ t.item()", "t.mul_(2)"),
    "a tensor made a number is written to": ("/ float(t)", "t[0] = 2"),
}


@pytest.mark.parametrize("step, between", CHANGED.values(), ids=CHANGED.keys())
def test_an_operand_that_changes_before_a_later_statement(
    step: str, between: str
) -> None:
    body = f"    y = x.float(){step}\n    {between}\n    return y[-1]\n"
    (reason,) = unfixed(f"def f(self, x, t):\n{body}")
    assert "before the selection" in reason
