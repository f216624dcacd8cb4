"""Which calls are widening casts, and what is known of them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import pytest

from upcast_lint.analysis.casts import Cast, cast_candidates, is_guard_for
from upcast_lint.analysis.facts import Facts

from .helpers import casts_of, facts_of

_IMPORTS = """\
import torch
import torch as tc
import numpy as np
import jax.numpy as jnp
import mlx.core as mx
import triton.language as tl
from torch import Tensor, double as f64, float32 as f32
WIDE = torch.float32
"""


def casts(expression: str, parameters: str = "x, y, device, kind, a") -> list[Cast]:
    code = f"{_IMPORTS}def f(self, {parameters}):\n return {expression}\n"
    return casts_of(facts_of(code, "f"))


NOT_CASTS = {
    "a plain method": "x.view(-1)",
    "half": "x.half()",
    "bfloat16": "x.bfloat16()",
    "long": "x.long()",
    "to a narrower type": "x.to(torch.bfloat16)",
    "to float16 in an older spelling": "x.to(torch.half)",
    "to an integer type": "x.to(torch.int64)",
    "to a device": "x.to(device)",
    "to a device by name": 'x.to("cuda")',
    "to the device of another": "x.to(y.device)",
    "to the type of another": "x.to(y.dtype)",
    "like another": "x.to(y)",
    "like another by keyword": "x.to(other=y)",
    "to nothing": "x.to()",
    "to a type that a parameter gives": "x.to(kind)",
    "to a type of the object": "x.to(self.dtype)",
    "to a type by keyword, unknown": "x.to(dtype=kind)",
    "to a device and an unknown type": "x.to(device, kind)",
    "type_as": "x.type_as(y)",
    "type without an argument asks": "x.type()",
    "type of a string": 'x.type("torch.FloatTensor")',
    "type of a tensor class": "x.type(torch.FloatTensor)",
    "type with more than it takes": "x.type(torch.float32, False)",
    "type of numpy": "x.type(np.float32)",
    "numpy": "x.to(np.float32)",
    "astype": "x.astype(np.float32)",
    "jax": "x.to(jnp.float32)",
    "mlx": "x.to(mx.float32)",
    "triton": "x.to(tl.float32)",
    "the built-in float": "float(x)",
    "a function of the module": "torch.float(x)",
    "an attribute that is not called": "x.float",
    "float with an argument": "x.float(3)",
    "float with an unknown keyword": "x.float(out=y)",
    "starred arguments": "x.to(*a)",
    "keywords of unknown names": "x.to(torch.float32, **a)",
    "an unknown keyword": "x.to(torch.float32, layout=a)",
    "more arguments than it has": "x.to(torch.float32, True, True, a)",
    "the function form without a tensor": "torch.Tensor.float()",
    "the function form of starred arguments": "torch.Tensor.float(*a)",
    "a string for the type": 'x.to("float32")',
    "a type chosen by a condition": "x.to(torch.float32 if a else torch.float16)",
    "a conversion of a new tensor": "torch.tensor(x, dtype=torch.float32)",
    "as_tensor": "torch.as_tensor(x, dtype=torch.float32)",
}


@pytest.mark.parametrize("expression", NOT_CASTS.values(), ids=NOT_CASTS.keys())
def test_no_cast(expression: str) -> None:
    assert casts(expression) == []


@dataclass(frozen=True)
class Expected:
    source: str = "x"
    dtype: str = "float32"
    spelled: str | None = None
    is_method: bool = True
    device: str | None = None
    copies: bool = False


CASTS = {
    "x.float()": Expected(),
    "x.double()": Expected(dtype="float64"),
    "x.float(memory_format=torch.preserve_format)": Expected(),
    "x.to(torch.float32)": Expected(spelled="torch.float32"),
    "x.to(torch.float)": Expected(spelled="torch.float"),
    "x.to(torch.double)": Expected(dtype="float64", spelled="torch.double"),
    "x.to(tc.float64)": Expected(dtype="float64", spelled="tc.float64"),
    "x.to(f32)": Expected(spelled="f32"),
    "x.to(f64)": Expected(dtype="float64", spelled="f64"),
    "x.to(WIDE)": Expected(spelled="WIDE"),
    "x.to(dtype=torch.float32)": Expected(spelled="torch.float32"),
    "x.to(torch.float32, copy=True)": Expected(spelled="torch.float32", copies=True),
    "x.to(torch.float32, copy=False)": Expected(spelled="torch.float32"),
    "x.to(torch.float32, copy=a)": Expected(spelled="torch.float32", copies=True),
    "x.to(torch.float32, False, True)": Expected(spelled="torch.float32", copies=True),
    "x.to(torch.float32, True)": Expected(spelled="torch.float32"),
    "x.to(torch.float32, non_blocking=True)": Expected(spelled="torch.float32"),
    "x.to(device, torch.float32)": Expected(spelled="torch.float32", device="device"),
    "x.to('cuda', torch.float32)": Expected(spelled="torch.float32", device="'cuda'"),
    "x.to(device, dtype=torch.float32)": Expected(
        spelled="torch.float32", device="device"
    ),
    "x.to(dtype=torch.float32, device=y.device)": Expected(
        spelled="torch.float32", device="y.device"
    ),
    "x.to(torch.float32, device=device)": Expected(
        spelled="torch.float32", device="device"
    ),
    "x.to(device, torch.float32, False, True)": Expected(
        spelled="torch.float32", device="device", copies=True
    ),
    "x.to(torch.float32, memory_format=torch.contiguous_format)": Expected(
        spelled="torch.float32"
    ),
    "x.type(torch.float32)": Expected(spelled="torch.float32"),
    "x.type(dtype=torch.float64)": Expected(dtype="float64", spelled="torch.float64"),
    "x.type(torch.float32, non_blocking=True)": Expected(spelled="torch.float32"),
    "torch.Tensor.float(x)": Expected(is_method=False),
    "torch.Tensor.double(x)": Expected(dtype="float64", is_method=False),
    "torch.Tensor.to(x, torch.float32)": Expected(
        spelled="torch.float32", is_method=False
    ),
    "Tensor.to(x, dtype=f32, copy=True)": Expected(
        spelled="f32", is_method=False, copies=True
    ),
    "torch.Tensor.type(x, torch.float32)": Expected(
        spelled="torch.float32", is_method=False
    ),
    "(x + y).float()": Expected(source="x + y"),
    "self.head(x).float()": Expected(source="self.head(x)"),
    "a.logits.float()": Expected(source="a.logits"),
    "a['logits'].float()": Expected(source="a['logits']"),
    "(x if a else y).float()": Expected(source="x if a else y"),
}


@pytest.mark.parametrize(("expression", "expected"), CASTS.items(), ids=CASTS.keys())
def test_cast(expression: str, expected: Expected) -> None:
    (cast,) = casts(expression)
    assert _summary(cast) == expected


def _summary(cast: Cast) -> Expected:
    def text(node: ast.expr | None) -> str | None:
        return None if node is None else ast.unparse(node)

    return Expected(
        ast.unparse(cast.source),
        cast.dtype,
        text(cast.dtype_node),
        cast.is_method,
        text(cast.device),
        cast.copies,
    )


def test_each_of_two_casts_in_a_row_is_one() -> None:
    inner, outer = casts("x.float().double()")
    assert outer.source is inner.call


def test_a_type_that_a_local_name_stands_for() -> None:
    code = f"{_IMPORTS}def f(x):\n t = torch.float32\n return x.to(t)\n"
    (cast,) = casts_of(facts_of(code, "f"))
    assert cast.dtype == "float32"


def test_the_size_of_an_element() -> None:
    assert [c.itemsize for c in casts("x.float() + y.double()")] == [4, 8]


def test_candidates_are_grouped_by_the_scope_that_runs_them() -> None:
    code = """
        a.float()
        def f(x=b.to(c)):
            d.double()
            g = lambda: e.type(h)
            i.view(j)
    """
    tree = facts_of(code).tree
    found = {
        getattr(scope, "name", type(scope).__name__): [ast.unparse(c) for c in calls]
        for scope, calls in cast_candidates(tree).items()
    }
    assert found == {
        "Module": ["a.float()", "b.to(c)"],
        "f": ["d.double()"],
        "Lambda": ["e.type(h)"],
    }


OTHER_TESTS = {
    "the same type": "x.dtype == torch.float32",
    "another type": "x.dtype != torch.float64",
    "a narrow type": "x.dtype != torch.bfloat16",
    "is the narrow type": "x.dtype == torch.bfloat16",
    "another tensor": "y.dtype != torch.float32",
    "an attribute of it": "x.grad.dtype != torch.float32",
    "another attribute": "x.device != torch.float32",
    "one of several": "x.dtype not in (torch.float32,)",
    "a flag": "flag",
    "more than the type": "x.dtype != torch.float32 and flag",
    "a comparison of three": "x.dtype != torch.float32 != flag",
    "the negation of another test": "not x.dtype != torch.float32",
    "whether it is a float": "not x.is_floating_point()",
}

SAME_TESTS = {
    "not equal": "x.dtype != torch.float32",
    "is not": "x.dtype is not torch.float32",
    "not equal, turned round": "torch.float32 != x.dtype",
    "another name of the type": "x.dtype != f32",
    "not with equal": "not x.dtype == torch.float32",
    "not with is": "not (x.dtype is torch.float32)",
    "not with equal, turned round": "not torch.float == x.dtype",
}


def guarded(test: str, cast: str = "x.float()") -> tuple[ast.expr, Cast, Facts]:
    code = f"{_IMPORTS}def f(x, y, flag, device):\n if {test}:\n  x = {cast}\n"
    facts = facts_of(code, "f")
    (found,) = casts_of(facts)
    branch = facts.tree.parents[facts.tree.statement(found.call)]
    assert isinstance(branch, ast.If)
    return branch.test, found, facts


@pytest.mark.parametrize("test", OTHER_TESTS.values(), ids=OTHER_TESTS.keys())
def test_a_condition_that_is_not_redundant(test: str) -> None:
    assert not is_guard_for(*guarded(test))


@pytest.mark.parametrize("test", SAME_TESTS.values(), ids=SAME_TESTS.keys())
def test_a_condition_that_is_redundant(test: str) -> None:
    assert is_guard_for(*guarded(test))


def test_a_condition_on_an_attribute_of_another_object() -> None:
    test, cast, facts = guarded("out.logits.dtype != torch.float32", "out.x.float()")
    assert not is_guard_for(test, cast, facts)
    test, cast, facts = guarded("out.x.dtype != torch.float32", "out.x.float()")
    assert is_guard_for(test, cast, facts)
