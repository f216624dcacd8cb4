"""A fixture whose `after` is wrong fails: the judge can see each way to be wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from upcast_lint.finding import Safety
from upcast_lint.verify.fixture import Case, Fixture, Memory, Relation, Specimen
from upcast_lint.verify.judge import CaseReport, judge
from upcast_lint.verify.specification import DType

GATHER = "x=low[2,5,24] grad; i=i64[2,5,6]<24 distinct"
LABEL = "x=low[2,5,24] grad; i=i64[2,5,1]<24"


def report(
    before: Callable[..., Any],
    after: Callable[..., Any],
    case: Case,
    wide: DType = DType.F32,
) -> CaseReport:
    fixture = Fixture(Safety.SAFE, (case,), wide)
    (found,) = judge(Specimen("rule/case", "", before, after, fixture), "cpu")
    return found


def gather_first(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, i).float()


def cast_first(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x.float().gather(-1, i)


def without_the_cast(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, i)


def through_another_dtype(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, i).bfloat16().float()


def index_swapped(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, i.flip(-1)).float()


def dimension_swapped(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x.gather(1, i.clamp(max=4)).float()


def gradient_cut(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x.detach().gather(-1, i).float().requires_grad_(x.requires_grad)


def gradient_scaled(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    picked = x.gather(-1, i).float()
    picked.register_hook(lambda upstream: 2 * upstream)
    return picked


def source_written(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    picked = x.gather(-1, i).float()
    x.data[..., 0] = 0
    return picked


def raising(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x.gather(-1, i + 24).float()


def contiguous_only(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x.view(-1, 24).gather(-1, i.view(-1, 1)).float().view(i.shape)


@pytest.mark.parametrize(
    ("after", "complaint"),
    [
        (without_the_cast, "torch.float32 before, torch.bfloat16 after"),
        (through_another_dtype, "f16"),
        (index_swapped, "bits"),
        (dimension_swapped, "bits"),
        (gradient_cut, "gradients differ"),
        (gradient_scaled, "gradients differ"),
        (source_written, "x: "),
        (raising, "raises: no error before, RuntimeError after"),
    ],
)
def test_a_wrong_gather(after: Callable[..., Any], complaint: str) -> None:
    found = report(cast_first, after, Case("distinct", GATHER))
    assert not found.holds
    assert complaint in " ".join(found.failures)


def test_an_after_that_needs_a_contiguous_source() -> None:
    found = report(cast_first, contiguous_only, Case("a label", LABEL))
    assert "strided" in found.failures[0] or "transposed" in found.failures[0]


def test_a_repeat_that_is_claimed_equal() -> None:
    case = Case("repeated", GATHER.replace("distinct", "repeated"))
    found = report(cast_first, gather_first, case)
    assert "gradients differ" in found.failures[0]


def test_a_difference_that_does_not_show() -> None:
    case = Case("distinct", GATHER, gradients=Relation.DIFFER)
    found = report(cast_first, gather_first, case)
    assert found.failures == (
        "gradients never differ for bf16",
        "gradients never differ for f16",
    )


def test_a_wrong_gradient_among_those_that_differ() -> None:
    repeated = GATHER.replace("distinct", "repeated")
    case = Case("repeated", repeated, gradients=Relation.DIFFER)
    assert report(cast_first, gather_first, case).holds
    found = report(cast_first, gradient_scaled, case)
    assert "gradients differ by more than rounding on f32" in found.failures[0]


def forced_copy(x: torch.Tensor) -> torch.Tensor:
    return x.detach().to(torch.float32, copy=True)[:, -1:].add_(1)


def forced_copy_after(x: torch.Tensor) -> torch.Tensor:
    return x.detach()[:, -1:].to(torch.float32, copy=True).add_(1)


def forced_copy_lost(x: torch.Tensor) -> torch.Tensor:
    return x.detach()[:, -1:].to(torch.float32).add_(1)


def test_a_lost_copy_shows_where_the_cast_does_nothing() -> None:
    case = Case("written in place", "x=low[3,24] grad")
    assert report(forced_copy, forced_copy_after, case).holds
    found = report(forced_copy, forced_copy_lost, case)
    assert "f32" in found.failures[0] and "x: " in found.failures[0]


def test_a_wide_copy_that_stays_is_seen_by_the_spy_and_by_the_peak() -> None:
    found = report(cast_first, lambda x, i: x.float().gather(-1, i), Case("", GATHER))
    assert "the peak does not fall" in found.failures[0]
    assert "a wide copy is still made, by aten._to_copy.default" in found.failures[1]


def test_a_case_without_a_wide_copy_shows_nothing() -> None:
    found = report(gather_first, gather_first, Case("", GATHER))
    assert "no wide copy is made even before: the case shows nothing" in found.failures


def test_a_second_copy_on_a_path_that_reads_everything() -> None:
    def once(x: torch.Tensor) -> torch.Tensor:
        wide = x.float()
        return wide.logsumexp(-1) + wide.sum(-1)

    def twice(x: torch.Tensor) -> torch.Tensor:
        return x.float().logsumexp(-1) + x.float().sum(-1)

    case = Case("", "x=low[3,24]", memory=Memory.NO_WORSE)
    assert report(once, once, case).holds
    assert any("copies are made" in each for each in report(once, twice, case).failures)


def test_a_fixture_that_only_raises_shows_nothing() -> None:
    found = report(raising, raising, Case("", GATHER))
    assert "before raises on bf16" in found.failures[0]
    assert "RuntimeError: " in found.failures[0]


def test_an_open_relation_is_counted_and_not_judged() -> None:
    repeated = GATHER.replace("distinct", "repeated")
    found = report(
        cast_first, gather_first, Case("", repeated, gradients=Relation.OPEN)
    )
    assert found.holds and found.gradients_unequal


def test_a_helper_that_rounds(distillation: Specimen) -> None:
    """The student's log probabilities rounded to the source's dtype."""

    def after(**arguments: Any) -> Any:
        student, teacher, entropy = distillation.after(**arguments)
        return student.to(arguments["student_logits"].dtype).float(), teacher, entropy

    plain_arm = replace(distillation.fixture, cases=distillation.fixture.cases[:1])
    (found,) = judge(replace(distillation, after=after, fixture=plain_arm), "cpu")
    assert "outputs differ" in found.failures[0]
