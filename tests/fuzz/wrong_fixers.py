"""Deliberately wrong fixers: the real engine with one check taken out.

Each stands for a mistake that a codemod could make. The fuzzer has to catch every one
of them, or its silence would mean nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

from upcast_lint import safety
from upcast_lint.analysis import consumers, effects, gradients, reads
from upcast_lint.analysis.indices import Proof
from upcast_lint.analysis.reads import Consumption, Kind, StepKind
from upcast_lint.rewrite import edits, plan, text

from .attack import Tier


@dataclass(frozen=True, slots=True)
class WrongFixer:
    name: str
    tier: Tier
    """The tier whose promise it breaks."""
    broken: Callable[[], Any]
    """A context in which the engine makes the mistake."""


@contextmanager
def _forgets_full_reads() -> Iterator[None]:
    """Takes a reduction of the whole copy for a read that needs no data."""
    real = consumers.Consumers.of

    def of(self: consumers.Consumers, node: ast.expr) -> Consumption:
        found = real(self, node)
        if found.kind is Kind.FULL and found.reason.startswith("read whole"):
            return replace(found, kind=Kind.METADATA)
        return found

    with patch.object(consumers.Consumers, "of", of):
        yield


@contextmanager
def _ignores_writes_to_the_source() -> Iterator[None]:
    with patch.object(effects.Effects, "writes_to", lambda *arguments: []):
        yield


@contextmanager
def _ignores_writes_to_the_copy() -> Iterator[None]:
    real = consumers.Consumers.of

    def of(self: consumers.Consumers, node: ast.expr) -> Consumption:
        found = real(self, node)
        return replace(found, kind=Kind.METADATA) if found.kind is Kind.WRITE else found

    # The copy may be the source: what writes to one is known as a write to the other.
    with patch.object(consumers.Consumers, "of", of), _ignores_writes_to_the_source():
        yield


@contextmanager
def _drops_copy_true() -> Iterator[None]:
    real = text.cast_text

    def cast_text(*arguments: Any) -> str:
        return real(*arguments).replace(", copy=True", "")

    with patch.object(edits, "cast_text", cast_text):
        yield


@contextmanager
def _sinks_past_rebinding() -> Iterator[None]:
    """Reads the source by its name, whatever that name means by then."""
    with patch.object(plan, "_can_rename", lambda *arguments: True):
        yield


@contextmanager
def _ignores_repeats() -> Iterator[None]:
    def nothing(self: Any, selection: reads.Selection) -> None:
        return None

    with patch.object(safety._Assessor, "_repeats", nothing):
        yield


@contextmanager
def _ignores_strides() -> Iterator[None]:
    with patch.object(safety._Assessor, "_strides", lambda self, moved: None):
        yield


@contextmanager
def _ignores_several_reads() -> Iterator[None]:
    with patch.object(safety._Assessor, "_several", lambda self, found: None):
        yield


@contextmanager
def _takes_any_no_grad_for_proof() -> Iterator[None]:
    """Believes that no gradient flows because `no_grad` stands somewhere."""
    real = gradients.no_gradient

    def no_gradient(*arguments: Any) -> Proof | None:
        facts = arguments[3]
        if "_grad()" in facts.source.text or "inference_mode" in facts.source.text:
            return Proof("somewhere")
        return real(*arguments)

    with patch.object(safety, "no_gradient", no_gradient):
        yield


@contextmanager
def _moves_arithmetic_below_the_cast() -> Iterator[None]:
    real = consumers.Consumers.of

    def of(self: consumers.Consumers, node: ast.expr) -> Consumption:
        found = real(self, node)
        step = found.step
        if step is not None and step.kind is StepKind.LIFT:
            return replace(found, step=replace(step, kind=StepKind.VIEW))
        return found

    with patch.object(consumers.Consumers, "of", of):
        yield


@contextmanager
def _ignores_changed_operands() -> Iterator[None]:
    with patch.object(plan, "_operands_are_stable", lambda *arguments: True):
        yield


WRONG_FIXERS = (
    WrongFixer("forgets a full read", Tier.UNSAFE, _forgets_full_reads),
    WrongFixer(
        "ignores writes to the source", Tier.SAFE, _ignores_writes_to_the_source
    ),
    WrongFixer("ignores writes to the copy", Tier.UNSAFE, _ignores_writes_to_the_copy),
    WrongFixer("drops copy=True", Tier.SAFE, _drops_copy_true),
    WrongFixer("sinks past a rebinding", Tier.UNSAFE, _sinks_past_rebinding),
    WrongFixer("ignores changed operands", Tier.UNSAFE, _ignores_changed_operands),
    WrongFixer("ignores repeats", Tier.SAFE, _ignores_repeats),
    WrongFixer("ignores several reads", Tier.SAFE, _ignores_several_reads),
    WrongFixer("ignores strides", Tier.SAFE, _ignores_strides),
    WrongFixer("ignores where gradients flow", Tier.SAFE, _takes_any_no_grad_for_proof),
    WrongFixer(
        "moves arithmetic below the cast", Tier.UNSAFE, _moves_arithmetic_below_the_cast
    ),
)
