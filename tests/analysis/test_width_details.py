"""Shapes that are written down, and words, where one more or less tells."""

from __future__ import annotations

import pytest

from upcast_lint.analysis.width.words import (
    names_log_probs,
    names_logits,
    names_scores,
)

from .test_width import judge


def cast_of(comment: str, name: str = "grid") -> str:
    return f"""
        def pick({name}, places):
            {name} = {name} + 1  # {comment}
            return {name}.float().gather(-1, places)
    """


@pytest.mark.parametrize(
    "shape", ["[N, D]", "[heads, V]", "(b, s, k, v)", "[B, heads, S, V]", "[V]"]
)
def test_a_written_shape_that_is_no_vocabulary(shape: str) -> None:
    verdict = judge(cast_of(shape))
    assert not verdict.is_vocab_wide
    assert verdict.grounds.because == ()


@pytest.mark.parametrize("shape", ["[B, S, V]", "[b, s, vocab_size]", "[N, V]"])
def test_a_written_shape_of_a_vocabulary_is_evidence(shape: str) -> None:
    assert judge(cast_of(shape)).grounds.because == (f"{shape} in a comment (line 5)",)


def test_batch_sequence_and_a_v_are_not_enough_alone() -> None:
    assert not judge(cast_of("[B, S, V]")).is_vocab_wide
    assert judge(cast_of("[b, s, vocab_size]")).is_vocab_wide


def test_tokens_are_batch_and_sequence_beside_a_vocabulary_alone() -> None:
    assert judge(cast_of("[num_tokens, vocab_size]")).dimensions == ("B", "S", "V")
    assert judge(cast_of("[num_tokens, D]")).dimensions == ("num_tokens", "D")


def test_a_size_that_is_called_the_vocabulary() -> None:
    code = """
        def pick(grid, places):
            vocab_size = grid.size(-1)
            return grid.float().gather(-1, places % vocab_size)
    """
    assert "`vocab_size = grid.size(-1)` (line 5)" in judge(code).grounds.because


def test_the_shape_that_is_written_is_that_of_a_narrow_source() -> None:
    assert judge(cast_of("[N, D]")).dimensions == ("N", "D")
    assert judge(cast_of("[bsz, heads, D]")).dimensions == ("B", "heads", "D")


def test_a_written_shape_that_is_no_vocabulary_is_not_that_of_a_wide_source() -> None:
    verdict = judge(cast_of("[N, D]"), vocab=("grid",))
    assert verdict.is_vocab_wide
    assert verdict.dimensions == ("B", "S", "V")


def test_keys_and_values_are_no_shape() -> None:
    assert judge(cast_of("(b, s, k, v)")).dimensions == ()


def test_rows_of_a_matrix_that_a_mask_chooses() -> None:
    code = """
        def pick(grid, keep_mask, places):
            grid = grid + 1  # [N, D]
            return grid[keep_mask].float().gather(-1, places)
    """
    assert judge(code).dimensions == ("rows", "D")


def test_five_dimensions_in_an_annotation() -> None:
    code = """
        def pick(grid: Float[Tensor, "b s h w d"], places):
            return grid.float().gather(-1, places)
    """
    assert judge(code).dimensions == ("B", "S", "h", "w", "d")


def test_six_dimensions_in_an_annotation_are_none() -> None:
    code = """
        def pick(grid: Float[Tensor, "b s h w d e"], places):
            return grid.float().gather(-1, places)
    """
    assert judge(code).dimensions == ()


@pytest.mark.parametrize(
    ("source", "dimensions"),
    [
        ("logits[..., -1, :]", ("B", "V")),
        ("logits[..., 0, :]", ("B", "V")),
        ("logits[..., lo:hi, :]", ("B", "chunk", "V")),
        ("logits[:, lo:hi]", ("B", "chunk", "V")),
    ],
)
def test_dimensions_after_slices(source: str, dimensions: tuple[str, ...]) -> None:
    code = f"""
        def pick(logits, input_ids, lo, hi):
            return ({source}).float().argmax(-1)
    """
    assert judge(code).dimensions == dimensions


def test_the_input_of_a_function_by_keyword() -> None:
    code = """
        def pick(lm_logits, places):
            return torch.softmax(dim=-1, input=lm_logits).float().gather(-1, places)
    """
    assert "named `lm_logits`" in judge(code).grounds.because


def test_an_operation_is_no_name() -> None:
    code = """
        def pick(grid, places):
            return grid.log_softmax(-1).float().gather(-1, places)
    """
    assert judge(code).grounds.because == ("`log_softmax` of it (line 5)",)


def test_one_mention_in_the_context_is_shown() -> None:
    code = """
        def pick(logits, input_ids):
            return logits.float().argmax(-1)
    """
    assert any("input_ids" in reason for reason in judge(code).grounds.because)


@pytest.mark.parametrize("name", ["log_probs", "mask_log_probs", "scale_logprobs"])
def test_a_name_of_log_probabilities(name: str) -> None:
    assert names_log_probs(name)


@pytest.mark.parametrize("name", ["", "log_probs_mask", "logprobs_idx", "probs"])
def test_no_name_of_log_probabilities(name: str) -> None:
    assert not names_log_probs(name)


def test_a_name_of_logits_by_its_last_word() -> None:
    assert names_logits("scale_logits")
    assert not names_logits("logits_scale")


def test_a_name_of_scores_by_its_last_word() -> None:
    assert names_scores("token_scores")
    assert not names_scores("scores_mask")
    assert not names_scores("")


@pytest.mark.parametrize(
    ("index", "is_last"),
    [("[:, -1:]", True), ("[:, -1]", True), ("[:, 1:]", False), ("[:, 1]", False)],
)
def test_the_last_position_is_told_from_the_second(index: str, is_last: bool) -> None:
    code = f"""
        def pick(logits, n):
            return logits.float(){index}
    """
    because = judge(code).grounds.because
    assert ("its last position is read (line 5)" in because) is is_last
