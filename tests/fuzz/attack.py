"""Fix a program with the engine, run both versions, and say what came of it."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from upcast_lint.checker import FixMode, Job, check_bytes
from upcast_lint.finding import Confidence
from upcast_lint.linter import Options

from .costs import costlier
from .execution import Tolerance, difference, execute, load
from .inputs import ORDINARY, Variant, build, variants
from .parameters import PARAMETERS
from .programs import ENTRY, Program

VARIANTS = 12
_PATH = "program.py"
_UNCHANGING = re.compile(r"`([\w.]+)` does not change")
_KNOWN = frozenset(("fn", "touch", "same", "fresh", "keep", "column"))
"""Functions of which it is known here when they write to what they are given."""
_NAMED = re.compile(r"^\s*\(?([\w, ]+) :?= (?!.*(?:float|double))", re.M)
_ONE_DIMENSION = re.compile(r"`(\w+)` has one dimension")


class Tier(enum.Enum):
    SAFE = "safe"
    UNSAFE = "unsafe"

    @property
    def mode(self) -> FixMode:
        return FixMode(self.value)


@dataclass(frozen=True, slots=True)
class Fixed:
    """`text` is None where the engine left the program as it was."""

    text: str | None
    conditions: tuple[str, ...] = ()
    fault: str | None = None
    """An exception of the engine, or a refusal: it made a text and took it back."""


@dataclass(frozen=True, slots=True)
class Attack:
    program: Program
    tier: Tier
    ran: bool
    """The function as generated did not raise on its plainest inputs."""
    fixed: Fixed
    mismatch: str | None = None
    variant: Variant | None = None
    """The inputs that show the mismatch."""

    @property
    def rewritten(self) -> bool:
        return self.fixed.text is not None

    def report(self) -> str:
        """All that is needed to see the failure."""
        return "\n".join(
            (
                f"--- seed {self.program.seed}, tier {self.tier.value}: before",
                self.program.text,
                "--- after",
                self.fixed.text or "(not rewritten)",
                f"--- conditions: {'; '.join(self.fixed.conditions) or 'none'}",
                f"--- difference: {self.mismatch}",
                f"--- inputs: {self.variant}",
            )
        )


def fix(text: str, tier: Tier) -> Fixed:
    """What the engine makes of a program."""
    job = Job(Options(least=Confidence.LOW), fix=tier.mode)
    try:
        checked = check_bytes(text.encode(), _PATH, job)
    except Exception as error:
        return Fixed(None, fault=f"the engine raised {error!r}")
    conditions = tuple(f.condition for f in checked.fixed if f.condition is not None)
    fault = checked.refusal and f"the engine refused its own text: {checked.refusal}"
    if fault is not None and "without a binding" in fault:
        fault = None  # code behind a `return` reads the name
    if checked.data is None:
        return Fixed(None, conditions, fault)
    return Fixed(checked.data.decode(), conditions, fault)


def attack(program: Program, tier: Tier, count: int = VARIANTS) -> Attack:
    """Fix and compare. Programs that are not rewritten are only run once."""
    before = load(program.text, ENTRY)
    plain, *others = variants(program.seed, count)
    backward = tier is Tier.SAFE
    first = execute(before, plain, backward)
    ran = first.error is None
    fixed = fix(program.text, tier)
    if fixed.text is None or _hides_refused_views(program.text):
        return Attack(program, tier, ran, fixed, fixed.fault)
    try:
        after = load(fixed.text, ENTRY)
    except Exception as error:
        return Attack(program, tier, ran, fixed, f"does not load: {error!r}")
    tolerance = tolerance_of(fixed.conditions, tier)
    pairs = [(plain, first), *((v, None) for v in others)]
    for variant, run in pairs:
        if _breaks_condition(program.text, variant, fixed.conditions):
            continue
        was = run or execute(before, variant, backward)
        found = difference(was, execute(after, variant, backward), tolerance)
        if found is not None:
            return Attack(program, tier, ran, fixed, found, variant)
    found = fixed.fault
    if found is None and not _may_expand(program.text):
        found = costlier(program.text, fixed.text, ENTRY, program.seed)
    return Attack(program, tier, ran, fixed, found)


def _hides_refused_views(text: str) -> bool:
    """Whether a program goes another way where `view` refuses a tensor with gaps.

    A rewrite may make it succeed, so that the paths differ and nothing compares.
    """
    return "except RuntimeError" in text and ".view(" in text


def _may_expand(text: str) -> bool:
    """Whether an index may be longer than what it takes from, and nothing shows it.

    It names one element many times, its axis was just added and is counted from the
    end of a tensor of unknown rank, or it is a mask that may be true everywhere.
    """
    if any(each in text for each in ("torch.zeros(", "torch.cat(", "labels > ")):
        return True
    if "[..., None]" in text or "unsqueeze(-" in text:
        return True
    has_new_axis = "[None]" in text or "unsqueeze(" in text
    return has_new_axis and ("index_select" in text or "take_along_dim" in text)


def tolerance_of(conditions: tuple[str, ...], tier: Tier) -> Tolerance:
    """What the conditions of unsafe fixes allow to differ, on the CPU."""
    said = "; ".join(conditions)
    return Tolerance(
        gradients=tier is Tier.UNSAFE,
        last_bits=(
            "for a strided view" in said
            or "treats every element alike" in said
            or "however it lies in memory" in said
        ),
        zero_signs="zeros of both signs" in said,
        values=_speaks_of_writes(said),
        texts="`grad_fn` in the text" in said,
        sharing="which shared" in said or "another part of the copy" in said,
    )


def _speaks_of_writes(said: str) -> bool:
    """Whether conditions rule out writes that this program may well make."""
    return (
        "shares no memory" in said
        or "another part of the copy shows" in said
        or "nested function changes" in said
        or not _KNOWN.issuperset(_UNCHANGING.findall(said))
        or said.count("does not change") > len(_UNCHANGING.findall(said))
    )


def _is_tensor_given(variant: Variant) -> bool:
    """Whether the sources that may be none, or no tensor, are tensors."""
    number = build(["n"], variant).arguments["n"]
    return variant.flag and variant.train and isinstance(number, int) and number > 1


def _names_floats(text: str) -> bool:
    """Whether a tensor comes to have a name that says it holds floats."""
    return any(map(ORDINARY.search, _NAMED.findall(text)))


def _breaks_condition(text: str, variant: Variant, conditions: tuple[str, ...]) -> bool:
    """Whether these inputs break what an unsafe fix is conditional on."""
    said = "; ".join(conditions)
    for name in _ONE_DIMENSION.findall(said):
        if name in PARAMETERS and build([name], variant).arguments[name].dim() != 1:
            return True
    if "takes whole rows" in said:
        return True
    if "gradients are on where" in said and (
        not variant.train or "set_grad_enabled(not train)" in text
    ):
        return True
    if variant.integers is not None and ("float type" in said or _names_floats(text)):
        return True
    if "is a tensor: what else" in said and not _is_tensor_given(variant):
        return True
    if "does not change" not in said:
        return False
    return "touch(" in text or ("fn(" in text and variant.callback == "touch")
