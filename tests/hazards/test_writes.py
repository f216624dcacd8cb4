"""Writes: to the copy, to the source, and by the read itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

from .support import error_of, random_bf16
from .tool import assert_safe, assert_silent, assert_unsafe

ZERO = torch.zeros(2, 1, dtype=torch.long)


def h01_slice_of_a_noop_cast(x: torch.Tensor) -> torch.Tensor:
    return x.float()[:, -1].add_(1)


def h01_slice_of_a_noop_cast_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, -1].float().add_(1)


def h01_gather_of_a_noop_cast(x: torch.Tensor) -> torch.Tensor:
    return x.float().gather(-1, ZERO).add_(1)


@pytest.mark.parametrize(
    "function", [h01_slice_of_a_noop_cast, h01_slice_of_a_noop_cast_naive]
)
def test_h01_a_slice_of_a_noop_cast_aliases_the_source_is_real(
    function: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    for dtype, is_written in ((torch.float32, True), (torch.bfloat16, False)):
        x = torch.zeros(2, 4, dtype=dtype)
        function(x)
        assert bool(x.any()) is is_written
    x = torch.zeros(2, 4)
    h01_gather_of_a_noop_cast(x)
    assert not x.any()


def h01_gather_of_a_noop_cast_naive(x: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, ZERO).float().add_(1)


def test_h01_a_result_that_is_written_to_is_respected() -> None:
    """A slice is a view of the source on both sides, a gather on neither."""
    assert_safe(h01_slice_of_a_noop_cast, h01_slice_of_a_noop_cast_naive)
    assert_unsafe(h01_gather_of_a_noop_cast, h01_gather_of_a_noop_cast_naive, "repeats")


def h02_copy_written_between(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    wide.div_(0.7)
    return wide[:, :2]


def h02_copy_written_between_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, :2].float()


def h02_write_moved_to_the_source(x: torch.Tensor) -> torch.Tensor:
    narrow = x[:, :2]
    narrow.div_(0.7)
    return narrow.float()


def test_h02_a_write_to_the_copy_between_is_real() -> None:
    x = torch.ones(2, 4).bfloat16()
    before = h02_copy_written_between(x)
    assert torch.equal(x, torch.ones(2, 4).bfloat16())
    assert not torch.equal(before, h02_copy_written_between_naive(x))
    h02_write_moved_to_the_source(x)
    assert not torch.equal(x, torch.ones(2, 4).bfloat16())


def h02_copy_written_through_a_view(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    wide[:, -1].add_(1)
    return wide[:, -2:]


def h02_copy_written_through_a_view_naive(x: torch.Tensor) -> torch.Tensor:
    x[:, -1].float().add_(1)
    return x[:, -2:].float()


def test_h02_a_write_through_a_view_of_the_copy_is_real() -> None:
    x = torch.zeros(2, 4).bfloat16()
    assert h02_copy_written_through_a_view(x).any()
    assert not h02_copy_written_through_a_view_naive(x).any()


def test_h02_a_copy_that_is_written_to_is_respected() -> None:
    assert_silent(h02_copy_written_between)
    assert_silent(h02_copy_written_through_a_view)


def h03_source_written_between(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    x.add_(1)
    return wide[:, :2]


def h03_source_written_between_naive(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x[:, :2].float()


def test_h03_a_write_to_the_source_between_is_real() -> None:
    before = h03_source_written_between(torch.zeros(2, 4).bfloat16())
    after = h03_source_written_between_naive(torch.zeros(2, 4).bfloat16())
    assert before.eq(0).all() and after.eq(1).all()


def h03_source_written_between_selected_first(x: torch.Tensor) -> torch.Tensor:
    wide = x[:, :2].float()
    x.add_(1)
    return wide


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_h03_a_selection_before_the_write_is_equal_is_real(dtype: torch.dtype) -> None:
    """A float32 source is written to through its slice as through its copy."""
    before = h03_source_written_between(torch.zeros(2, 4, dtype=dtype))
    after = h03_source_written_between_selected_first(torch.zeros(2, 4, dtype=dtype))
    assert torch.equal(before, after)


def h03_gathered_after_the_write(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    x.add_(1)
    return wide.gather(-1, ZERO)


def h03_gathered_after_the_write_naive(x: torch.Tensor) -> torch.Tensor:
    picked = x.gather(-1, ZERO).float()
    x.add_(1)
    return picked


def test_h03_a_gather_before_the_write_differs_in_float32_is_real() -> None:
    assert h03_gathered_after_the_write(torch.zeros(2, 4)).eq(1).all()
    assert h03_gathered_after_the_write_naive(torch.zeros(2, 4)).eq(0).all()


def test_h03_a_source_that_is_written_to_is_respected() -> None:
    """A slice may move above the write, where it is a view; a gather may not."""
    assert_unsafe(
        h03_source_written_between,
        h03_source_written_between_selected_first,
        "backward does not mind that the source is written to",
    )
    assert_silent(h03_gathered_after_the_write)


def h16_embedding_that_renormalises(
    ids: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    return F.embedding(ids, weight.float(), max_norm=1.0)


def h16_embedding_that_renormalises_naive(
    ids: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    return F.embedding(ids, weight, max_norm=1.0).float()


def test_h16_max_norm_writes_the_weight_is_real() -> None:
    ids, weight = torch.tensor([0, 1]), random_bf16(4, 16)
    kept = weight.clone()
    before = h16_embedding_that_renormalises(ids, weight)
    assert torch.equal(weight, kept)
    after = h16_embedding_that_renormalises_naive(ids, weight)
    assert not torch.equal(weight, kept)
    assert not torch.equal(before, after)


def test_h16_a_weight_that_the_lookup_writes_is_respected() -> None:
    assert_silent(h16_embedding_that_renormalises)


def h23_forced_copy(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.float32, copy=True)[:, :2].add_(1)


def h23_forced_copy_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, :2].to(torch.float32).add_(1)


def test_h23_a_lost_copy_true_is_real() -> None:
    x = torch.zeros(2, 4)
    h23_forced_copy(x)
    assert not x.any()
    h23_forced_copy_naive(x)
    assert x.any()


def h23_forced_copy_kept(x: torch.Tensor) -> torch.Tensor:
    return x[:, :2].to(torch.float32, copy=True).add_(1)


def test_h23_copy_true_goes_with_the_cast_is_respected() -> None:
    x = torch.zeros(2, 4)
    h23_forced_copy_kept(x)
    assert not x.any()
    assert_safe(h23_forced_copy, h23_forced_copy_kept)


def h36_source_written_before_backward(x: torch.Tensor) -> torch.Tensor:
    picked = x.float().gather(-1, ZERO)
    with torch.no_grad():
        x.zero_()
    return picked


def h36_source_written_before_backward_naive(x: torch.Tensor) -> torch.Tensor:
    picked = x.gather(-1, ZERO).float()
    with torch.no_grad():
        x.zero_()
    return picked


SAVES_ITS_INPUT: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], bool]] = {
    "gather": (lambda x: x.gather(-1, ZERO), True),
    "take": (lambda x: x.take(ZERO), True),
    "masked_select": (lambda x: x.masked_select(torch.ones(2, 4).bool()), True),
    "take_along_dim": (lambda x: x.take_along_dim(ZERO, -1), True),
    "amax": (lambda x: x.amax(-1), True),
    "amin": (lambda x: x.amin(-1), True),
    "abs": (lambda x: x.abs(), True),
    "neg": (lambda x: x.neg(), False),
    "max": (lambda x: x.max(-1).values, False),
    "embedding": (lambda x: F.embedding(ZERO, x), False),
    "index_select": (lambda x: x.index_select(-1, ZERO[0]), False),
    "indexing": (lambda x: x[..., ZERO[0]], False),
    "slice": (lambda x: x[:, :1], False),
    "topk": (lambda x: x.topk(1, -1).values, False),
}


def run_backward(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = torch.ones(2, 4).bfloat16().requires_grad_() * 1
    function(x).sum().backward()


def test_h36_a_write_to_the_source_before_backward_is_real() -> None:
    assert error_of(run_backward, h36_source_written_before_backward) is None
    naive = h36_source_written_before_backward_naive
    assert error_of(run_backward, naive) is RuntimeError


@pytest.mark.parametrize("name", SAVES_ITS_INPUT)
def test_h36_only_some_reads_save_their_input_is_real(name: str) -> None:
    select, saves = SAVES_ITS_INPUT[name]

    def read_then_write(x: torch.Tensor) -> torch.Tensor:
        picked = select(x)
        with torch.no_grad():
            x.zero_()
        return picked

    assert error_of(run_backward, read_then_write) is (RuntimeError if saves else None)


def test_h36_a_source_that_is_reused_before_backward_is_respected() -> None:
    assert_unsafe(
        h36_source_written_before_backward,
        h36_source_written_before_backward_naive,
        "`x` is written to by `zero_` after it was selected from",
    )


def h38_slice_of_a_leaf_written(x: torch.Tensor) -> torch.Tensor:
    return x.float()[:, -1].add_(1)


def h38_slice_of_a_leaf_written_naive(x: torch.Tensor) -> torch.Tensor:
    return x[:, -1].float().add_(1)


def test_h38_a_write_to_a_slice_of_a_float32_leaf_raises_in_both_is_real() -> None:
    for function in h38_slice_of_a_leaf_written, h38_slice_of_a_leaf_written_naive:
        leaf = torch.zeros(2, 4, requires_grad=True)
        assert error_of(function, leaf) is RuntimeError
        assert error_of(function, leaf.detach().bfloat16().requires_grad_()) is None


def test_h38_a_write_that_raises_in_both_is_respected() -> None:
    assert_safe(h38_slice_of_a_leaf_written, h38_slice_of_a_leaf_written_naive)


def h49_hidden_print(
    x: torch.Tensor, print: Callable[[torch.Tensor], object]
) -> torch.Tensor:
    wide = x.float()
    print(x)
    return wide.gather(-1, ZERO)


def h49_hidden_print_naive(
    x: torch.Tensor, print: Callable[[torch.Tensor], object]
) -> torch.Tensor:
    print(x)
    return x.gather(-1, ZERO).float()


def h49_hidden_list(
    x: torch.Tensor, list: Callable[[torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    wide = x.float()
    list(x).zero_()
    return wide.gather(-1, ZERO)


def h49_hidden_list_naive(
    x: torch.Tensor, list: Callable[[torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    list(x).zero_()
    return x.gather(-1, ZERO).float()


def test_h49_what_hides_a_built_in_may_write_is_real() -> None:
    for function, naive, hiding in (
        (h49_hidden_print, h49_hidden_print_naive, torch.Tensor.zero_),
        (h49_hidden_list, h49_hidden_list_naive, torch.Tensor.detach),
    ):
        assert function(torch.ones(2, 4).bfloat16(), hiding).all()
        assert not naive(torch.ones(2, 4).bfloat16(), hiding).any()


def test_h49_a_built_in_that_is_hidden_is_respected() -> None:
    for hazard, naive, name in (
        (h49_hidden_print, h49_hidden_print_naive, "print"),
        (h49_hidden_list, h49_hidden_list_naive, "list"),
    ):
        assert_unsafe(hazard, naive, f"`{name}` does not change `x`")


@torch.no_grad()
def h71_own_copy_scaled(x: torch.Tensor, heat: float) -> torch.Tensor:
    wide = x.to(torch.float32, copy=True)
    wide /= heat
    return wide[:, -1]


@torch.no_grad()
def h71_own_copy_scaled_lifted(x: torch.Tensor, heat: float) -> torch.Tensor:
    wide = x[:, -1].to(torch.float32, copy=True)
    wide /= heat
    return wide


@torch.no_grad()
def h71_own_copy_scaled_naive(x: torch.Tensor, heat: float) -> torch.Tensor:
    wide = x[:, -1].float()
    wide /= heat
    return wide


@torch.no_grad()
def h71_copy_scaled(x: torch.Tensor, heat: float) -> torch.Tensor:
    wide = x.float()
    wide /= heat
    return wide[:, -1]


def test_h71_arithmetic_written_to_what_may_be_the_source_is_real() -> None:
    for function, kept in (
        (h71_own_copy_scaled, 1.0),
        (h71_own_copy_scaled_lifted, 1.0),
        (h71_own_copy_scaled_naive, 0.5),
        (h71_copy_scaled, 0.5),
    ):
        x = torch.ones(2, 4)
        assert function(x, 2.0).eq(0.5).all()
        assert x[:, -1].eq(kept).all()


def test_h71_arithmetic_written_to_the_copy_is_respected() -> None:
    assert_safe(h71_own_copy_scaled, h71_own_copy_scaled_lifted)
    assert_silent(h71_copy_scaled)


def h73_object_answers(x: torch.Tensor) -> torch.Tensor:
    class Meter:
        def __bool__(self) -> bool:
            x.zero_()
            return True

    meter = Meter()
    wide = x.float()
    assert meter
    return wide[:, -1]


def h73_object_answers_naive(x: torch.Tensor) -> torch.Tensor:
    class Meter:
        def __bool__(self) -> bool:
            x.zero_()
            return True

    meter = Meter()
    assert meter
    return x[:, -1].float()


def test_h73_a_test_of_truth_runs_code_is_real() -> None:
    assert h73_object_answers(torch.ones(2, 4).bfloat16()).eq(1).all()
    assert h73_object_answers_naive(torch.ones(2, 4).bfloat16()).eq(0).all()


def test_h73_a_class_of_the_file_that_answers_is_respected() -> None:
    assert_unsafe(
        h73_object_answers, h73_object_answers_naive, "`__bool__` does not change `x`"
    )


def h74_class_body(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()

    class Settings:
        total = x.mul_(2).sum()

    return wide[:, -1] * Settings.total.sign()


def h74_class_body_naive(x: torch.Tensor) -> torch.Tensor:
    class Settings:
        total = x.mul_(2).sum()

    return x[:, -1].float() * Settings.total.sign()


def test_h74_a_definition_runs_code_is_real() -> None:
    assert h74_class_body(torch.ones(2, 4).bfloat16()).eq(1).all()
    assert h74_class_body_naive(torch.ones(2, 4).bfloat16()).eq(2).all()


def test_h74_the_body_of_a_class_is_respected() -> None:
    assert_unsafe(
        h74_class_body,
        h74_class_body_naive,
        "the class `Settings` does not change `x`",
    )
