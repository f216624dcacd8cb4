"""Questions: what tells the copy from its source beside the elements."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from .support import error_of, random_bf16
from .tool import assert_displayed, assert_safe, assert_silent, assert_unsafe


def h56_class_of_the_elements(x: torch.Tensor) -> tuple[bool, torch.Tensor]:
    wide = x.float()
    return isinstance(wide, torch.FloatTensor), wide[:, -1]


def h56_class_of_the_elements_naive(x: torch.Tensor) -> tuple[bool, torch.Tensor]:
    return isinstance(x, torch.FloatTensor), x[:, -1].float()


def h56_class_of_tensors(x: torch.Tensor) -> tuple[bool, torch.Tensor]:
    wide = x.float()
    return isinstance(wide, torch.Tensor), wide[:, -1]


def h56_class_of_tensors_after(x: torch.Tensor) -> tuple[bool, torch.Tensor]:
    return isinstance(x, torch.Tensor), x[:, -1].float()


def test_h56_a_class_says_what_the_elements_are_is_real() -> None:
    x = random_bf16(2, 4)
    assert h56_class_of_the_elements(x)[0]
    assert not h56_class_of_the_elements_naive(x)[0]
    parameter = torch.nn.Parameter(x)
    assert not isinstance(parameter.float(), torch.nn.Parameter)


def test_h56_a_class_that_the_cast_leaves_is_respected() -> None:
    assert_displayed(h56_class_of_the_elements, "the class of the copy")
    assert_safe(h56_class_of_tensors, h56_class_of_tensors_after)


def h57_cast_in_a_try(x: Any) -> torch.Tensor | None:
    try:
        wide = x.float()
    except AttributeError:
        return None
    return wide[:, -1]


def h57_cast_in_a_try_naive(x: Any) -> torch.Tensor | None:
    return x[:, -1].float()


def h57_all_in_a_try(x: Any) -> torch.Tensor | None:
    try:
        return x.float()[-1]
    except AttributeError:
        return None


def h57_all_in_a_try_after(x: Any) -> torch.Tensor | None:
    try:
        return x[-1].float()
    except AttributeError:
        return None


def test_h57_what_is_no_tensor_raises_where_it_is_cast_is_real() -> None:
    assert h57_cast_in_a_try(None) is None
    assert error_of(h57_cast_in_a_try_naive, None) is TypeError
    several = [random_bf16(2, 4)]
    assert h57_all_in_a_try(several) is None
    assert h57_all_in_a_try_after(several) is not None


def test_h57_a_handler_of_what_the_cast_raises_is_respected() -> None:
    assert_displayed(h57_cast_in_a_try, "may catch what the cast raises")
    assert_unsafe(h57_all_in_a_try, h57_all_in_a_try_after, "`x` is a tensor")


def h58_memory_format(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.float32, memory_format=torch.channels_last)[:, 0]


def h58_memory_format_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, 0].to(torch.float32, memory_format=torch.channels_last)


def test_h58_a_memory_format_has_a_rank_is_real() -> None:
    x = random_bf16(2, 3, 4, 5)
    assert h58_memory_format(x).shape == (2, 4, 5)
    assert error_of(h58_memory_format_naive, x) is RuntimeError


def test_h58_a_memory_format_of_another_rank_is_respected() -> None:
    assert_displayed(h58_memory_format, "the memory format may not be one")


def h59_text_of_the_expression(x: torch.Tensor) -> str:
    wide = x.float()
    return f"{wide[0, 0]=}"


def h59_text_of_the_expression_naive(x: torch.Tensor) -> str:
    return f"{x[0, 0].float()=}"


def test_h59_a_replacement_field_prints_its_expression_is_real() -> None:
    x = random_bf16(2, 4)
    assert h59_text_of_the_expression(x) != h59_text_of_the_expression_naive(x)


def test_h59_an_expression_that_is_printed_is_respected() -> None:
    assert_displayed(h59_text_of_the_expression, "prints the text of the expression")


def h60_text_of_the_result(x: torch.Tensor) -> str:
    return repr(x.float()[-1])


def h60_text_of_the_result_after(x: torch.Tensor) -> str:
    return repr(x[-1].float())


def test_h60_a_text_names_the_last_step_of_the_graph_is_real() -> None:
    x = random_bf16(2, 4).requires_grad_()
    assert h60_text_of_the_result(x) != h60_text_of_the_result_after(x)
    plain = x.detach()
    assert h60_text_of_the_result(plain) == h60_text_of_the_result_after(plain)


def test_h60_a_text_of_the_result_is_respected() -> None:
    assert_unsafe(h60_text_of_the_result, h60_text_of_the_result_after, "`grad_fn`")


def h61_walrus_in_the_index(x: torch.Tensor, t: int) -> torch.Tensor:
    return (x.float() / t)[:, (t := 1)]


def h61_walrus_in_the_index_naive(x: torch.Tensor, t: int) -> torch.Tensor:
    return x[:, (t := 1)].float() / t


def test_h61_the_index_is_evaluated_before_the_arithmetic_is_real() -> None:
    x = random_bf16(2, 4)
    before, after = h61_walrus_in_the_index(x, 2), h61_walrus_in_the_index_naive(x, 2)
    assert not torch.equal(before, after)


def test_h61_an_index_that_changes_the_arithmetic_is_respected() -> None:
    assert_displayed(h61_walrus_in_the_index, "the order of evaluation would change")


def h62_gradient_at_the_copy(x: torch.Tensor, flag: bool) -> Any:
    wide = x.float()
    total = wide[:, -1].sum()
    if flag:
        return torch.autograd.grad(total, wide)
    return total


def h62_gradient_at_the_copy_naive(x: torch.Tensor, flag: bool) -> Any:
    total = x[:, -1].float().sum()
    if flag:
        wide = x.float()
        return torch.autograd.grad(total, wide)
    return total


def test_h62_another_cast_is_another_node_of_the_graph_is_real() -> None:
    x = random_bf16(2, 4).requires_grad_()
    assert h62_gradient_at_the_copy(x, True)[0].shape == x.shape
    with pytest.raises(RuntimeError, match="not have been used"):
        h62_gradient_at_the_copy_naive(x, True)


def test_h62_a_gradient_at_the_copy_is_respected() -> None:
    assert_displayed(h62_gradient_at_the_copy, "gradients are asked for at the copy")


def h63_list_of_layers(layers: torch.nn.ModuleList) -> torch.nn.Module:
    return layers.float()[0]


def h63_list_of_layers_naive(layers: torch.nn.ModuleList) -> torch.nn.Module:
    return layers[0].float()


def _layers() -> torch.nn.ModuleList:
    layers = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(2))
    return layers.bfloat16()


def test_h63_a_module_is_cast_as_a_whole_is_real() -> None:
    whole, first = _layers(), _layers()
    h63_list_of_layers(whole)
    h63_list_of_layers_naive(first)
    assert whole[1].weight.dtype is torch.float32
    assert first[1].weight.dtype is torch.bfloat16


def test_h63_what_may_be_a_module_is_respected() -> None:
    assert_silent(h63_list_of_layers)


def h75_cast_of_another_class(x: torch.Tensor) -> torch.Tensor:
    class Scaled:
        def __init__(self, values: torch.Tensor) -> None:
            self.values = values

        def float(self) -> torch.Tensor:
            return self.values.float() * 2

        def __getitem__(self, index: Any) -> torch.Tensor:
            return self.values[index]

    def last(scores: Any) -> torch.Tensor:
        return scores.float()[:, -1]

    return last(Scaled(x))


def h75_cast_of_another_class_naive(x: torch.Tensor) -> torch.Tensor:
    class Scaled:
        def __init__(self, values: torch.Tensor) -> None:
            self.values = values

        def float(self) -> torch.Tensor:
            return self.values.float() * 2

        def __getitem__(self, index: Any) -> torch.Tensor:
            return self.values[index]

    def last(scores: Any) -> torch.Tensor:
        return scores[:, -1].float()

    return last(Scaled(x))


def test_h75_a_class_has_a_cast_of_its_own_is_real() -> None:
    x = torch.ones(2, 4).bfloat16()
    assert h75_cast_of_another_class(x).eq(2).all()
    assert h75_cast_of_another_class_naive(x).eq(1).all()


def test_h75_what_may_have_a_cast_of_its_own_is_respected() -> None:
    assert_unsafe(
        h75_cast_of_another_class,
        h75_cast_of_another_class_naive,
        "`scores` is no `Scaled`",
    )
