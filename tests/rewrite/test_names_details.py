"""Names that say float32 are given up with the cast, where nothing else has them."""

from __future__ import annotations

from .helpers import expected, rewritten, unfixed


def test_a_misleading_name_of_the_copy_is_shortened() -> None:
    code = """
        def f(load, i):
            logits_fp32 = load().float()
            return logits_fp32.gather(-1, i) - logits_fp32[..., 0]
    """
    assert rewritten(code) == expected("""
        def f(load, i):
            logits = load()
            return logits.gather(-1, i).float() - logits[..., 0].float()
    """)


def test_a_misleading_name_that_is_bound_again_stays() -> None:
    code = """
        def f(load, i):
            logits_fp32 = load().float()
            y = logits_fp32.gather(-1, i) - logits_fp32[..., 0]
            logits_fp32 = 3
            return y * logits_fp32
    """
    assert rewritten(code) == expected("""
        def f(load, i):
            logits_fp32 = load()
            y = logits_fp32.gather(-1, i).float() - logits_fp32[..., 0].float()
            logits_fp32 = 3
            return y * logits_fp32
    """)


def test_an_argument_that_is_computed_moves_within_its_statement_alone() -> None:
    code = """
        def f(x, i, c):
            return x.to(torch.float32, non_blocking=ask(c)).gather(-1, i)
    """
    assert rewritten(code) == expected("""
        def f(x, i, c):
            return x.gather(-1, i).to(torch.float32, non_blocking=ask(c))
    """)
    code = """
        def f(x, i, c):
            w = x.to(torch.float32, non_blocking=ask(c))
            for k in i:
                c.append(w.gather(-1, k))
    """
    assert unfixed(code) == ["an argument of the cast is computed"]
