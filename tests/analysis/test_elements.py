"""What kind of elements a source is taken to have.

Each snippet has one cast; what stays unknown comes first, then what speaks against.
"""

from __future__ import annotations

import ast
import textwrap

import pytest

from upcast_lint.analysis.casts import Cast, recognise_cast
from upcast_lint.analysis.elements import Elements, ElementType, element_type
from upcast_lint.analysis.facts import Facts, Module
from upcast_lint.source import Source

_IMPORTS = "import torch\nimport torch.nn.functional as F\n"


def last_cast(code: str) -> tuple[Cast, Facts]:
    """The last cast in the text, for some snippets convert what they cast again."""
    text = _IMPORTS + textwrap.dedent(code)
    module = Module.parse(Source.from_bytes(text.encode(), "sample.py"))
    found: list[tuple[Cast, Facts]] = []
    for node in ast.walk(module.tree.module):
        facts = module.facts(module.tree.scope(node))
        cast = recognise_cast(node, facts)
        if cast is not None:
            found.append((cast, facts))
    return max(found, key=lambda each: (each[0].call.lineno, _end(each[0].call)))


def _end(node: ast.expr) -> int:
    assert node.end_col_offset is not None
    return node.end_col_offset


def judge(code: str) -> ElementType:
    cast, facts = last_cast(code)
    return element_type(cast.source, facts)


def judge_expression(expression: str, before: str = "") -> ElementType:
    """The verdict on `expression` cast in a function of neutral parameters."""
    lines = "".join(f"            {line}\n" for line in before.splitlines())
    return judge(f"""
        def f(x, y, n, self):
{lines}            return ({expression}).float()[:, -1]
    """)


UNKNOWN = {
    "under_a_test_against_single_precision": """
        def f(x):
            if x.dtype != torch.float32:
                x = x.float()
            return x.argmax(-1)
    """,
    "a_matrix_product": """
        def f(x, y):
            return (x @ y).float().argmax(-1)
    """,
    "the_weight_of_a_head": """
        def f(self):
            return self.lm_head.weight.float().argmax(-1)
    """,
    "a_neutral_parameter": """
        def f(grid):
            return grid.float().gather(-1, 0)
    """,
    "argmax_in_a_function_that_decodes_nothing": """
        def first(grid):
            return grid.float().argmax(dim=-1)
    """,
    "a_slice_in_a_decoding_function": """
        def greedy(grid):
            return grid.float()[:, -1]
    """,
    "an_attribute_of_something": """
        def f(state):
            return state.grid.float()[:, -1]
    """,
    "an_unknown_call": """
        def f(load):
            return load().float()[:, -1]
    """,
    "to_the_type_of_an_unknown_tensor": """
        def f(x, y):
            return x.to(y.dtype).float()[:, -1]
    """,
    "to_an_unknown_type": """
        def f(x, dtype):
            return x.to(dtype).float()[:, -1]
    """,
    "zeros_of_an_unknown_type": """
        def f(x):
            return torch.zeros(4, dtype=x.dtype).float()[:, -1]
    """,
    "one_of_two_definitions_unknown": """
        def f(x, flag):
            if flag:
                x = x.half()
            return x.float()[:, -1]
    """,
    "arithmetic_with_whole_numbers": """
        def f(x):
            return (x * 2 + 1).float()[:, -1]
    """,
    "a_float_use_of_the_copy_only": """
        def f(x):
            wide = x.float()
            return wide[:, -1], torch.softmax(wide, -1)
    """,
    "an_assertion_in_another_branch": """
        def f(x, flag):
            if flag:
                assert x.dtype == torch.bool
                return None
            return x.float()[:, -1]
    """,
    "tokens_that_may_be_embedded": """
        def f(noisy_tokens):
            return noisy_tokens.float()[:, -1]
    """,
}


@pytest.mark.parametrize("situation", UNKNOWN)
def test_unknown(situation: str) -> None:
    verdict = judge(UNKNOWN[situation])
    assert verdict == ElementType(Elements.UNKNOWN, "")


@pytest.mark.parametrize(
    "expression",
    [
        "x == y",
        "(x > 0) & (y > 0)",
        "~x",
        "x.bool()",
        "x.long()",
        "x.to(torch.int64)",
        "x.to(y.device, torch.uint8)",
        "x.to(torch.float8_e4m3fn)",
        "x.view(torch.float8_e5m2)",
        "x.type(torch.bool)",
        "torch.isin(x, y)",
        "torch.isnan(x)",
        "x.eq(y)",
        "x.argmax(-1)",
        "x.topk(4).indices",
        "x.topk(4)[1]",
        "torch.max(x, dim=-1)[1]",
        "torch.arange(n)",
        "torch.arange(0, n, 2)[None].expand(4, -1)",
        "torch.randint(0, 9, (n,))",
        "torch.tensor([1, 2, 3])",
        "torch.full((n,), 7)",
        "torch.bincount(x)",
        "F.one_hot(x)",
        "(x != 0).cumsum(-1)",
        "(x != 0).view(-1)[y]",
        "torch.zeros(n, dtype=torch.bool)",
        "torch.zeros_like(x == y)",
        "torch.where(x > 0, 1, 0).long()",
        "torch.cat([x > 0, y > 0])",
    ],
)
def test_not_float_by_what_makes_it(expression: str) -> None:
    verdict = judge_expression(expression)
    assert verdict.elements is Elements.NOT_FLOAT, verdict
    assert verdict.reason


@pytest.mark.parametrize(
    "name",
    [
        "mask",
        "loss_mask",
        "input_ids",
        "labels",
        "prompt_lengths",
        "num_tokens",
        "num_logits",
        "token_count",
        "is_clipped",
        "packed_weight",
        "qw_packed",
        "quantized_weight",
        "x_fp8",
        "weight_int8",
        "w_q",
        "codes",
    ],
)
def test_not_float_by_name(name: str) -> None:
    verdict = judge(f"def f({name}):\n    return {name}.float()[:, -1]\n")
    assert verdict.elements is Elements.NOT_FLOAT, verdict


NOT_FLOAT = {
    "an_assertion_of_float8_by_identity": """
        def f(store, places):
            assert store.dtype is torch.float8_e4m3fn
            return store.to(torch.float32).gather(0, places)
    """,
    "a_branch_for_float8_beside_the_cast": """
        def f(x):
            if x.dtype == torch.float8_e4m3fn:
                x = unpack(x)
            return x.float()[:, -1]
    """,
    "a_test_for_quantised_storage": """
        def f(logits):
            if logits.is_quantized:
                return None
            return logits.float()[:, -1]
    """,
    "an_instance_of_a_quantised_tensor": """
        def f(x):
            if isinstance(x, QuantizedTensor):
                return x.float()[:, -1]
    """,
    "a_predicate_for_a_storage_type": """
        def f(x):
            if is_nvfp4tensor(x):
                return x.float()[:, -1]
    """,
    "a_branch_for_bools": """
        def f(x):
            if x.dtype == torch.bool:
                return x.float().argmax(-1)
    """,
    "an_annotation_of_longs": """
        def f(x: torch.LongTensor):
            return x.float()[:, -1]
    """,
    "a_jaxtyping_annotation_of_bools": """
        def f(x: Bool[Tensor, "b s"]):
            return x.float().argmax(-1)
    """,
    "one_of_two_definitions_a_mask": """
        def f(x, y, flag):
            picked = torch.exp(x)
            if flag:
                picked = y > 0
            return picked.float().argmax(-1)
    """,
    "a_mask_despite_a_test_for_single_precision": """
        def f(x, y):
            seen = x > y
            if seen.dtype != torch.float32:
                seen = seen.float()
            return seen.argmax(-1)
    """,
    "a_mask_in_a_decoding_function": """
        def greedy(done_mask):
            return done_mask.float().argmax(-1)
    """,
    "an_item_of_a_batch": """
        def f(batch):
            return batch["attention_mask"].float()[:, -1]
    """,
    "an_integer_buffer_of_the_class": """
        class A:
            def __init__(self):
                self.steps_done = torch.zeros(4, dtype=torch.int64)

            def f(self):
                return self.steps_done.float()[:, -1]
    """,
}


@pytest.mark.parametrize("situation", NOT_FLOAT)
def test_not_float(situation: str) -> None:
    verdict = judge(NOT_FLOAT[situation])
    assert verdict.elements is Elements.NOT_FLOAT, verdict
    assert verdict.reason


@pytest.mark.parametrize(
    "expression",
    [
        "x.float()",
        "x.double()",
        "x.to(torch.float32)[:, 0]",
        "torch.zeros(n, dtype=torch.float32)",
        "torch.rand(n, dtype=torch.float)",
        "torch.arange(n, dtype=torch.float32) / 2",
        "torch.full((n,), 0.5, dtype=torch.float64)",
        "torch.softmax(x.float(), -1)",
        "(torch.arange(n) + 1) * 0.5",
        "1.0 / torch.arange(1, 9)",
        "x.float() * 2.0 + 1",
        "torch.softmax(x, -1, dtype=torch.float32)",
    ],
)
def test_wide_by_what_makes_it(expression: str) -> None:
    verdict = judge_expression(expression)
    assert verdict.elements is Elements.WIDE, verdict


@pytest.mark.parametrize(
    "expression",
    [
        "x.float() * y",
        "y * x.float()",
        "torch.zeros(n)",
        "torch.rand(n)",
    ],
)
def test_not_wide_where_promotion_or_the_default_type_may_decide(
    expression: str,
) -> None:
    assert judge_expression(expression).elements is Elements.FLOAT


def test_float32_is_not_wide_for_a_cast_to_float64() -> None:
    code = """
        def f(x):
            x = x.float()
            return x.double()[:, -1]
    """
    assert judge(code).elements is Elements.FLOAT


def test_float64_is_wide_for_a_cast_to_float32() -> None:
    code = """
        def f(x):
            x = x.double()
            return x.float()[:, -1]
    """
    assert judge(code).elements is Elements.WIDE


def test_wide_where_every_branch_converts() -> None:
    code = """
        def f(x, y, flag):
            z = x.float() if flag else y.float()
            return z.float()[:, -1]
    """
    assert judge(code).elements is Elements.WIDE


def test_not_wide_where_one_branch_converts() -> None:
    code = """
        def f(x, flag):
            if flag:
                x = x.float()
            return x.float()[:, -1]
    """
    assert judge(code).elements is Elements.UNKNOWN


def test_wide_where_the_class_declares_a_parameter_so() -> None:
    code = """
        class A(torch.nn.Module):
            def __init__(self):
                self.table = torch.nn.Parameter(torch.zeros(4, dtype=torch.float32))

            def f(self, places):
                return self.table.to(torch.float32)[places]
    """
    assert judge(code).elements is Elements.WIDE


def test_not_wide_where_the_class_assigns_it_twice() -> None:
    code = """
        class A:
            def __init__(self):
                self.table = torch.zeros(4, dtype=torch.float32)

            def load(self, table):
                self.table = table

            def f(self, places):
                return self.table.float()[places]
    """
    assert judge(code).elements is Elements.UNKNOWN


@pytest.mark.parametrize(
    "expression",
    [
        "x.half()",
        "x.to(torch.bfloat16)",
        "F.log_softmax(x, dim=-1)",
        "x.softmax(-1)",
        "x.exp()",
        "x / y",
        "x * 0.5",
        "torch.exp(x).view(-1)[y]",
        "torch.exp(x).topk(4).values",
        "torch.cat([x.half(), y.half()])",
        "x.grad",
        "self.model(x).logits",
    ],
)
def test_float_by_what_makes_it(expression: str) -> None:
    verdict = judge_expression(expression)
    assert verdict.elements is Elements.FLOAT, verdict
    assert verdict.reason


FLOAT = {
    "named_logits": """
        def f(logits):
            return logits.float()[:, -1]
    """,
    "masked_logits_are_no_mask": """
        def f(masked_logits):
            return masked_logits.float()[:, -1]
    """,
    "argmax_in_a_decoding_function": """
        def greedy(grid):
            if (best := grid.float().argmax(dim=-1)).numel() == 0:
                return None
            return best.tolist()
    """,
    "under_a_test_for_half_precision": """
        def f(x):
            if x.dtype in (torch.float16, torch.bfloat16):
                x = x.float()
            return x.argmax(-1)
    """,
    "after_an_assertion_of_its_type": """
        def f(x):
            assert x.dtype == torch.bfloat16
            return x.float().argmax(-1)
    """,
    "under_a_test_for_floating_point": """
        def f(x):
            return x.float().argmax(-1) if x.is_floating_point() else x
    """,
    "annotated_with_jaxtyping": """
        def f(x: BFloat16[Tensor, "b s v"]):
            return x.float().argmax(-1)
    """,
    "a_softmax_of_the_same_tensor": """
        def f(x):
            weights = torch.softmax(x, dim=-1)
            return x.float().argmax(-1), weights
    """,
    "filled_with_infinity": """
        def f(x, hidden):
            x.masked_fill_(hidden, float("-inf"))
            return x.float().argmax(-1)
    """,
    "asked_for_its_smallest_number": """
        def f(x):
            floor = torch.finfo(x.dtype).min
            return x.float().argmax(-1), floor
    """,
    "asked_for_a_gradient": """
        def f(x):
            x.requires_grad_()
            return x.float()[:, -1]
    """,
}


@pytest.mark.parametrize("situation", FLOAT)
def test_float(situation: str) -> None:
    verdict = judge(FLOAT[situation])
    assert verdict.elements is Elements.FLOAT, verdict
    assert verdict.reason


def test_a_loop_that_carries_a_name_ends() -> None:
    code = """
        def f(x, n):
            x = torch.exp(x)
            for _ in range(n):
                x = x * x
            return x.float()[:, -1]
    """
    assert judge(code).elements is Elements.FLOAT


def test_definitions_that_double_the_work_end() -> None:
    lines = "\n".join("    x = x * x + x" for _ in range(300))
    code = f"def f(x):\n{lines}\n    return x.float()[:, -1]\n"
    assert judge(code).elements is Elements.UNKNOWN


def test_a_very_long_sum_ends() -> None:
    code = f"def f(x):\n    return ({' + '.join(['x'] * 300)}).float()[:, -1]\n"
    assert judge(code).elements is Elements.UNKNOWN
