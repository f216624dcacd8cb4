"""What one consumer does with a copy.

Each expression holds one cast, `x.float()`; the test looks at what takes it, through
all steps that are the copy in another guise.
"""

from __future__ import annotations

import ast
from textwrap import indent

import pytest

from upcast_lint.analysis.reads import Kind, Step, StepKind

from .helpers import IMPORTS, flow_of

_PARAMETERS = "self, x, y, i, n, c, g, t, device, m: torch.Tensor"


def body(statement: str) -> str:
    return f"def f({_PARAMETERS}):\n{indent(statement, ' ')}\n"


def read(statement: str) -> tuple[str, list[Step]]:
    """The kind of the one read, and the steps that lead to it."""
    flow, _ = flow_of(body(statement))
    (found,) = flow.reads
    return found.kind.name, list(found.steps)


FULL = {
    "a return": "return x.float()",
    "a yield": "yield x.float()",
    "an argument": "g(x.float())",
    "a keyword argument": "g(k=x.float())",
    "keywords": "g(**x.float())",
    "a starred argument": "g(*x.float())",
    "an argument of a method": "y.add(x.float())",
    "the callee": "x.float()(y)",
    "a list": "y = [x.float()]",
    "a tuple": "y = x.float(), n",
    "a set": "y = {x.float()}",
    "a value of a dict": "y = {n: x.float()}",
    "a key of a dict": "y = {x.float(): n}",
    "a store to an attribute": "self.x = x.float()",
    "a store to an item": "y[0] = x.float()",
    "two targets, one an attribute": "y = self.x = x.float()",
    "a starred target": "a, *b = x.float(), n, n",
    "a condition": "if x.float(): pass",
    "a condition of an expression": "y = n if x.float() else n",
    "an arm of an expression": "y = x.float() if c else n",
    "an operand of `or`": "y = x.float() or n",
    "an operand of `not`": "y = not x.float()",
    "a comparison": "y = x.float() > n",
    "an identity that is no test for None": "y = x.float() is x",
    "an exponent": "return torch.pow(2, x.float())",
    "the larger of two": "return torch.maximum(n, x.float())",
    "a scaled summand": "return torch.add(2, x.float(), alpha=3)",
    "a sum of tensors": "return x.float() + m",
    "a matrix product": "return x.float() @ y",
    "a power": "return x.float() ** 2",
    "a modulus": "return x.float() % 2",
    "an operand that may be a tensor": "return x.float() + y",
    "a step in place": "y += x.float()",
    "a format": 'return f"{x.float()}"',
    "a context": "with x.float(): pass",
    "a subject": "match x.float():\n case 1: pass",
    "an exception": "raise x.float()",
    "an assertion": "assert x.float()",
    "an unpacking": "a, b = x.float()",
    "an index": "return y[x.float()]",
    "a bound of a slice": "return y[x.float():]",
    "an awaited value": "yield (yield x.float())",
    "a default of a nested function": "def h(k=x.float()): pass",
    "a decorator": "@x.float()\ndef h(): pass",
    "a sum": "return x.float().sum()",
    "a softmax": "return x.float().log_softmax(-1)",
    "a softmax of functional": "return F.log_softmax(x.float(), -1)",
    "a function of torch": "return torch.logsumexp(x.float(), -1)",
    "an unknown method": "return x.float().full_tensor()",
    "an attribute that is no metadata": "return x.float().requires_grad",
    "its strides": "return x.float().stride()",
    "its gradient": "return x.float().grad",
    "a second cast": "return x.float().half()",
    "a conversion to numpy": "return x.float().numpy()",
    "a list of numbers": "return x.float().tolist()",
    "a hook": "x.float().register_hook(g)",
    "a comparison by method": "return x.float().eq(n)",
    "a fill": "return x.float().masked_fill(y, 0)",
    "a clone": "return x.float().clone()",
    "an expansion": "return x.float().expand(2, -1)",
    "a change of bits": "return x.float().view(torch.int32)",
    "a change of bits by keyword": "return x.float().view(dtype=torch.int32)",
    "a move to the type of another": "return x.float().to(y)",
    "a move to a device and a type": "return x.float().to(device, torch.int8)",
    "a contiguous copy in another format": (
        "return x.float().contiguous(memory_format=torch.channels_last)"
    ),
    "a rounding division": "return x.float().div(2, rounding_mode='floor')",
    "a scaled sum": "return x.float().add(2, alpha=3)",
    "the index of a gather": "return torch.gather(y, -1, x.float())",
    "the index of a gather by keyword": "return torch.gather(y, -1, index=x.float())",
    "the index of an embedding": "return F.embedding(x.float(), y)",
    "a gather with an unknown argument": "return x.float().gather(-1, i, k=n)",
    "a gather of starred arguments": "return x.float().gather(*i)",
    "a gather with a sparse gradient": (
        "return torch.gather(x.float(), -1, i, sparse_grad=True)"
    ),
    "a scatter": "return x.float().scatter(-1, i, 0)",
    "a stack": "return torch.stack([x.float()])",
    "a sort": "return x.float().sort(-1)",
    "a function of another library": "return len.__call__(x.float())",
}

METADATA = {
    "its shape": "return x.float().shape",
    "a part of its shape": "return x.float().shape[0]",
    "its dimensions": "return x.float().ndim",
    "its device": "return x.float().device",
    "its size": "return x.float().size(-1)",
    "its length": "return len(x.float())",
    "its class": "return isinstance(x.float(), torch.Tensor)",
    "whether it is a tensor": "return torch.is_tensor(x.float())",
    "whether there is one": "if x.float() is None: pass",
    "whether there is one, turned round": "if None is not x.float(): pass",
    "nothing": "x.float()",
}

WRITES = {
    "an in-place method": "x.float().mul_(2)",
    "an in-place function": "torch.relu_(x.float())",
    "`out=`": "torch.relu(x.float(), out=y)",
    "`out=` of a product": "torch.mul(2, x.float(), out=y)",
    "a store": "x.float()[0] = 1",
    "a deleted item": "del x.float()[0]",
    "a step in place to an item": "x.float()[0] += 1",
    "a store to an attribute": "x.float().data = y",
    "a required gradient": "x.float().requires_grad_()",
    "detached in place": "x.float().detach_()",
}

TYPES = {
    "its type": "return x.float().dtype",
    "the limits of its type": "return torch.finfo(x.float().dtype).min",
    "the size of its elements": "return x.float().element_size()",
}

SELECTIONS = {
    "gather": "return x.float().gather(-1, i)",
    "gather by keyword": "return x.float().gather(dim=-1, index=i)",
    "gather as a function": "return torch.gather(x.float(), -1, i)",
    "gather as a function by keyword": (
        "return torch.gather(input=x.float(), dim=-1, index=i)"
    ),
    "gather as an unbound method": "return torch.Tensor.gather(x.float(), -1, i)",
    "take_along_dim": "return x.float().take_along_dim(i, -1)",
    "take": "return x.float().take(i)",
    "index_select": "return x.float().index_select(0, i)",
    "embedding": "return F.embedding(i, x.float())",
    "argmax": "return x.float().argmax(-1)",
    "topk": "return x.float().topk(5).values",
    "max": "return x.float().max(-1).values",
    "an iteration": "for y in x.float(): g(y)",
    "an iteration over chunks": "for y in x.float().split(2): g(y)",
    "a row": "return x.float()[-1]",
    "the last step": "return x.float()[:, -1]",
    "rows of an index": "return x.float()[i]",
}

BY_KIND = {
    **{(Kind.FULL, k): v for k, v in FULL.items()},
    **{(Kind.METADATA, k): v for k, v in METADATA.items()},
    **{(Kind.WRITE, k): v for k, v in WRITES.items()},
    **{(Kind.DTYPE, k): v for k, v in TYPES.items()},
    **{(Kind.SELECTION, k): v for k, v in SELECTIONS.items()},
}


@pytest.mark.parametrize(
    ("kind", "statement"),
    [(key[0], statement) for key, statement in BY_KIND.items()],
    ids=[f"{key[0].name.lower()}-{key[1]}" for key in BY_KIND],
)
def test_kind(kind: Kind, statement: str) -> None:
    assert read(statement)[0] == kind.name


def test_a_built_in_that_the_file_hides_is_unknown() -> None:
    code = f"def len(v): return v.sum()\n{body('return len(x.float())')}"
    flow, _ = flow_of(code, "f")
    assert [r.kind for r in flow.reads] == [Kind.FULL]


def test_a_built_in_that_a_parameter_hides_is_unknown() -> None:
    flow, _ = flow_of("def f(x, len): return len(x.float())")
    assert [r.kind for r in flow.reads] == [Kind.FULL]


VIEWS = [
    "x.float().view(-1, n)",
    "x.float().reshape(n, -1)",
    "x.float().transpose(0, 1)",
    "x.float().permute(1, 0)",
    "x.float().squeeze(0)",
    "x.float().unsqueeze(0)",
    "x.float().flatten(0, 1)",
    "x.float().contiguous()",
    "x.float().detach()",
    "x.float().t()",
    "x.float().T",
    "x.float().mT",
    "x.float().data",
    "x.float().to_local()",
    "x.float()[None]",
    "x.float()[..., None]",
    "x.float()[:, :]",
    "-x.float()",
    "x.float().neg()",
    "x.float().abs()",
    "torch.transpose(x.float(), 0, 1)",
    "torch.squeeze(input=x.float(), dim=0)",
    "torch.Tensor.view(x.float(), -1)",
    "torch.abs(x.float())",
]

LIFTS = [
    "x.float() / 2",
    "x.float() * 0.5",
    "x.float() + 1",
    "1 - x.float()",
    "2 * x.float()",
    "x.float().div(2)",
    "x.float().mul(0.5)",
    "torch.mul(x.float(), 2)",
    "torch.mul(2, x.float())",
    "x.float() / t",
    "x.float().tanh()",
    "torch.tanh(x.float())",
    "x.float().clamp(min=-1)",
    "x.float().exp()",
    "F.relu(x.float())",
    "x.float().cpu()",
    "x.float().cuda()",
    "x.float().to('cuda')",
    "x.float().to(device)",
    "x.float().to(y.device, non_blocking=True)",
    "x.float() * t[:, None]",
]


@pytest.mark.parametrize("expression", VIEWS)
def test_a_view_is_followed(expression: str) -> None:
    kind, steps = read(f"return ({expression}).argmax(-1)")
    assert kind == "SELECTION"
    assert [s.kind for s in steps] == [StepKind.VIEW]


@pytest.mark.parametrize("expression", LIFTS)
def test_arithmetic_is_lifted_over(expression: str) -> None:
    kind, steps = read(f"return ({expression}).gather(-1, i)")
    assert kind == "SELECTION"
    assert [s.kind for s in steps] == [StepKind.LIFT]


def test_steps_are_in_the_order_of_evaluation() -> None:
    _, steps = read("return (x.float().view(-1, n) / 2).neg().gather(-1, i)")
    assert [ast.unparse(s.node) for s in steps] == [
        "x.float().view(-1, n)",
        "x.float().view(-1, n) / 2",
        "(x.float().view(-1, n) / 2).neg()",
    ]
    assert [s.kind for s in steps] == [StepKind.VIEW, StepKind.LIFT, StepKind.LIFT]


def test_a_view_after_arithmetic_stays_a_view() -> None:
    _, steps = read("return (x.float() / 2).view(-1, n).gather(-1, i)")
    assert [s.kind for s in steps] == [StepKind.LIFT, StepKind.VIEW]


NO_CONDITION = ["x.float() / 2", "1 - x.float()", "x.float().clamp(0, 1)"]

CONDITIONS = {
    "x.float() / t": "`t` is a number",
    "x.float() * self.scale": "`self.scale` is a number",
    "x.float().sigmoid()": "the kernel of `sigmoid` treats every element alike",
    "x.float() * t[:, None]": "`t` has one element for each row",
}


@pytest.mark.parametrize("expression", NO_CONDITION)
def test_a_lift_without_a_condition(expression: str) -> None:
    (step,) = read(f"return ({expression}).gather(-1, i)")[1]
    assert step.condition is None


@pytest.mark.parametrize(("expression", "expected"), CONDITIONS.items())
def test_a_lift_with_a_condition(expression: str, expected: str) -> None:
    (step,) = read(f"return ({expression}).gather(-1, i)")[1]
    assert step.condition == expected


EXACT = {
    "x.float() / 2": True,
    "x.float() * -0.5": True,
    "1 - x.float()": True,
    "x.float().clamp(0, 1)": True,
    "x.float() * 0": False,
    "x.float() * float('inf')": False,
    "x.float() * float('nan')": False,
    "1 / x.float()": False,
    "torch.div(1, x.float())": False,
    "x.float() / t": False,
    "x.float().tanh()": False,
    "x.float().sqrt()": False,
    "x.float() * t[:, None]": False,
}


@pytest.mark.parametrize(("expression", "expected"), EXACT.items(), ids=EXACT.keys())
def test_the_gradient_of_a_lift(expression: str, expected: bool) -> None:
    (step,) = read(f"return ({expression}).gather(-1, i)")[1]
    assert step.exact_gradient is expected


def test_a_view_that_needs_dense_memory() -> None:
    (step,) = read("return x.float().view(-1, n).gather(-1, i)")[1]
    assert step.needs_dense
    (step,) = read("return x.float().reshape(-1, n).gather(-1, i)")[1]
    assert not step.needs_dense


def test_a_move_to_another_device_is_marked() -> None:
    (step,) = read("return x.float().to(device).gather(-1, i)")[1]
    assert step.is_transfer


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("return x.float()", "returned"),
        ("g(x.float())", "passed to `g`"),
        ("y = [x.float()]", "put into a container"),
        ("self.y = x.float()", "stored"),
        ("return x.float().sum()", "read whole by `sum`"),
        ("return x.float() + y", "read whole by arithmetic"),
        ("return y[x.float()]", "used as an index"),
        ("x.float().zero_()", "written to by `zero_`"),
    ],
)
def test_the_reason_of_a_read(statement: str, reason: str) -> None:
    flow, _ = flow_of(body(statement))
    assert [r.reason for r in flow.reads] == [reason]


def test_the_imports_of_the_snippets_are_those_of_the_helpers() -> None:
    assert "import torch.nn.functional as F" in IMPORTS
