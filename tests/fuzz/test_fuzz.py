"""The engine against random programs, and wrong engines against the fuzzer."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from .attack import Tier, attack, fix
from .campaign import Tally, campaign, smallest
from .execution import execute, load
from .inputs import variants
from .programs import ENTRY, Program, program_of, program_text
from .topics import TOPICS
from .wrong_fixers import WRONG_FIXERS, WrongFixer

FIXED_SAMPLE = 2_000
WITHIN = 2_000


def _check(tally: Tally) -> None:
    reports = [smallest(failure).report() for failure in tally.failures[:3]]
    assert not tally.failures, "\n\n".join([*reports, tally.figures()])


@pytest.mark.parametrize("tier", list(Tier))
def test_fixed_sample_is_unchanged_by_fixes(
    tier: Tier, say: Callable[[str], None]
) -> None:
    half = FIXED_SAMPLE // 2
    first = 0 if tier is Tier.SAFE else half
    tally = campaign(tier, range(first, first + half))
    say(f"{tier.value}, fixed sample: {tally.figures()}")
    _check(tally)
    assert tally.ran >= 0.60 * tally.programs
    # Many topics forbid a safe fix; those that allow one must not become rare.
    least = 0.18 if tier is Tier.SAFE else 0.40
    assert tally.rewritten >= least * tally.programs


@settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(random=st.randoms(use_true_random=False), seed=st.integers(0, 2**20))
def test_program_drawn_by_hypothesis_is_unchanged_by_safe_fixes(
    random: Random, seed: int
) -> None:
    result = attack(Program(seed, program_text(random)), Tier.SAFE)
    note(result.report())
    assert result.mismatch is None


def test_same_seed_gives_the_same_program() -> None:
    assert [program_of(s) for s in range(50)] == [program_of(s) for s in range(50)]


@pytest.mark.parametrize("about", TOPICS)
def test_programs_about_a_topic_run_and_are_rewritten(about: str) -> None:
    programs = [program_of(seed, about) for seed in range(24)]
    half = len(programs) // 2
    # The second variant is of float16, which numpy has.
    runs = [
        execute(load(program.text, ENTRY), variants(program.seed, 2)[1], False)
        for program in programs
    ]
    assert sum(run.error is None for run in runs) >= half
    assert sum(fix(p.text, Tier.UNSAFE).text is not None for p in programs) >= half // 3


@pytest.mark.parametrize("wrong", WRONG_FIXERS, ids=lambda wrong: wrong.name)
def test_wrong_fixer_is_caught(wrong: WrongFixer, say: Callable[[str], None]) -> None:
    for seed in range(WITHIN):
        program = program_of(seed, wrong.about)
        with wrong.broken():
            result = attack(program, wrong.tier)
        if result.mismatch is None or not result.rewritten:
            continue
        # What the real engine gets wrong as well proves nothing.
        if attack(program, wrong.tier).mismatch is None:
            say(f"wrong fixer that {wrong.name}: caught by program {seed}")
            return
    pytest.fail(f"not caught within {WITHIN} programs")
