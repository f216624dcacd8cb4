from __future__ import annotations

import pytest

from upcast_lint.verify.specification import (
    DType,
    LiteralInput,
    Provenance,
    SpecificationError,
    TensorInput,
    parse_inputs,
)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x", "expected NAME=TENSOR"),
        ("x=", "expected NAME=TENSOR"),
        ("2x=1", "expected NAME=TENSOR"),
        ("x=bf17[2]", "unknown dtype 'bf17'"),
        ("x=bf16[2,,3]", "a size is missing"),
        ("x=bf16[2] gard", "unknown word 'gard'"),
        ("x=bf16[2] distinct", "said of an index"),
        ("x=bf16[2]<4", "only an integer tensor has a bound"),
        ("i=i64[2]", "needs a bound"),
        ("i=i64[2]<0", "needs a bound"),
        ("i=i64[2]<4 grad", "i64 has no gradient"),
        ("i=i64[2,9]<4 distinct", "no 9 distinct values below 4"),
        ("i=i64[2,9]<4 padded", "no 9 distinct values below 4"),
        ("x=open('f')", "neither a tensor"),
        ("x=1; x=2", "given twice"),
    ],
)
def test_what_does_not_parse_says_why(text: str, complaint: str) -> None:
    with pytest.raises(SpecificationError, match=complaint.replace("(", r"\(")):
        parse_inputs(text)


def test_every_part_of_the_grammar() -> None:
    text = "logits=bf16[2, 8,64] grad; idx=i64[2,8,4]<64 distinct; m=bool[2,8]; t=0.7"
    assert parse_inputs(text) == (
        TensorInput("logits", DType.BF16, (2, 8, 64), requires_grad=True),
        TensorInput(
            "idx", DType.I64, (2, 8, 4), bound=64, provenance=Provenance.DISTINCT
        ),
        TensorInput("m", DType.BOOL, (2, 8)),
        LiteralInput("t", 0.7),
    )


def test_a_scalar_tensor_has_no_sizes() -> None:
    assert parse_inputs("x=f32[]") == (TensorInput("x", DType.F32, ()),)


def test_literals_may_hold_semicolons_and_brackets() -> None:
    assert parse_inputs("a='x; y'; b=[1, 2]; c=None;") == (
        LiteralInput("a", "x; y"),
        LiteralInput("b", [1, 2]),
        LiteralInput("c", None),
    )
