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

import libcst as cst

from upcast_lint import across, safety
from upcast_lint.analysis import consumers, effects, flow, gradients, reads
from upcast_lint.analysis.effects import collecting, record
from upcast_lint.analysis.indices import Proof
from upcast_lint.analysis.reads import Consumption, Kind, StepKind
from upcast_lint.analysis.rows import Rows
from upcast_lint.rewrite import hoist, plan, sink
from upcast_lint.rewrite.expressions import CastSpelling
from upcast_lint.safety import arithmetic, case, kinds, memory
from upcast_lint.safety import gradients as in_backward
from upcast_lint.safety.hazard import Hazard

from .attack import Tier


@dataclass(frozen=True, slots=True)
class WrongFixer:
    name: str
    tier: Tier
    """The tier whose promise it breaks."""
    broken: Callable[[], Any]
    """A context in which the engine makes the mistake."""
    about: str | None = None
    """The topic of the programs that have to show it; any programs otherwise."""


@contextmanager
def _without(*hazards: Hazard) -> Iterator[None]:
    """An engine that knows nothing of some hazards."""
    left = tuple(each for each in safety.HAZARDS if each not in hazards)
    with patch.object(safety, "HAZARDS", left):
        yield


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
    real = CastSpelling.__init__

    def init(self: CastSpelling, call: cst.Call, *others: Any, **named: Any) -> None:
        kept = [arg for arg in call.args if not _is_copy(arg)]
        real(self, call.with_changes(args=kept), *others, **named)

    with patch.object(CastSpelling, "__init__", init):
        yield


def _is_copy(argument: cst.Arg) -> bool:
    return argument.keyword is not None and argument.keyword.value == "copy"


@contextmanager
def _sinks_past_rebinding() -> Iterator[None]:
    """Reads the source by its name, whatever that name means by then."""
    with patch.object(plan, "_can_rename", lambda *arguments: True):
        yield


@contextmanager
def _ignores_repeats() -> Iterator[None]:
    with _without(in_backward.repeats):
        yield


@contextmanager
def _ignores_strides() -> Iterator[None]:
    with _without(memory.strided):
        yield


@contextmanager
def _ignores_several_reads() -> Iterator[None]:
    with _without(in_backward.several):
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

    with patch.object(case, "no_gradient", no_gradient):
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


@contextmanager
def _takes_methods_for_pure() -> Iterator[None]:
    """Believes that no method writes to anything."""
    real = collecting.Collector._call

    def _call(self: collecting.Collector, call: ast.Call) -> None:
        if not isinstance(call.func, ast.Attribute):
            real(self, call)

    with patch.object(collecting.Collector, "_call", _call):
        yield


@contextmanager
def _takes_functions_for_pure() -> Iterator[None]:
    real = collecting.Collector._call

    def _call(self: collecting.Collector, call: ast.Call) -> None:
        if not isinstance(call.func, ast.Name):
            real(self, call)

    with patch.object(collecting.Collector, "_call", _call):
        yield


@contextmanager
def _forgets_holders() -> Iterator[None]:
    """Takes what an object or a container holds for out of the reach of calls."""
    real = record.Record.note

    def note(self: record.Record, write: effects.Write) -> None:
        if write.path != record.HELD:
            real(self, write)

    with (
        patch.object(record.Record, "note", note),
        patch.object(effects, "holders_of", lambda path: {path}),
        patch.object(collecting.Collector, "_store", lambda *arguments: None),
    ):
        yield


@contextmanager
def _forgets_aliases() -> Iterator[None]:
    with patch.object(record.Record, "derive", lambda *arguments: None):
        yield


@contextmanager
def _forgets_nested_functions() -> Iterator[None]:
    with patch.object(collecting.Collector, "_nested", lambda *arguments: None):
        yield


@contextmanager
def _forgets_writers_by_contract() -> Iterator[None]:
    """Reads `F.relu(x, True)` for a call that gives something new."""
    with patch.object(collecting.Collector, "_known_target", lambda *arguments: None):
        yield


@contextmanager
def _takes_questions_for_neutral() -> Iterator[None]:
    """Takes what asks for the type of the copy for a question about its shape."""
    real = consumers.Consumers.of

    def of(self: consumers.Consumers, node: ast.expr) -> Consumption:
        found = real(self, node)
        return replace(found, kind=Kind.METADATA) if found.kind is Kind.DTYPE else found

    with patch.object(consumers.Consumers, "of", of):
        yield


@contextmanager
def _forgets_gradient_modes() -> Iterator[None]:
    with _without(
        arithmetic.arithmetic_in_other_mode,
        in_backward.cast_in_other_mode,
        in_backward.view_without_gradient,
        in_backward.view_may_lack_gradient,
        in_backward.gradient_begins,
    ):
        yield


@contextmanager
def _takes_everything_for_floats() -> Iterator[None]:
    with _without(kinds.narrowed, kinds.no_ordinary_float, kinds.sign_of_other_type):
        yield


@contextmanager
def _forgets_other_callers() -> Iterator[None]:
    """Moves a cast into a function that others call without one."""
    with patch.object(across, "_casts_of_callers", lambda handing, cast, facts: [cast]):
        yield


@contextmanager
def _casts_in_every_arm() -> Iterator[None]:
    """Casts wherever the whole copy is read, instead of once before."""
    with (
        patch.object(sink._Sinker, "_leaves", lambda *arguments: True),
        patch.object(sink._Sinker, "_sinks_into", lambda self, s: any(sink._arms(s))),
        patch.object(plan, "casts_twice", lambda *arguments: False),
    ):
        yield


@contextmanager
def _takes_columns_for_rows() -> Iterator[None]:
    """Lifts over a softmax whatever is taken of it, along whichever axis it works."""

    def rows(*arguments: Any) -> Rows:
        return Rows.WHOLE

    with (
        patch.object(flow, "rows_of", rows),
        patch.object(flow, "rows_cut", rows),
        patch.object(arithmetic, "rows_of", rows),
    ):
        yield


@contextmanager
def _lifts_over_products() -> Iterator[None]:
    """Takes a row of a product for the product of a row."""
    real = consumers.Consumers.of

    def of(self: consumers.Consumers, node: ast.expr) -> Consumption:
        found, parent = real(self, node), self.facts.tree.parents[node]
        match parent:
            case ast.BinOp(op=ast.MatMult(), left=left) if left is node:
                row = reads.RowWise("matmul", -1, False)
                step = reads.Step(StepKind.LIFT, parent, node, row=row)
                return Consumption(step)
            case _:
                return found

    with patch.object(consumers.Consumers, "of", of):
        yield


@contextmanager
def _selects_too_early() -> Iterator[None]:
    """Gathers at the cast by an index that changes before the selection."""
    with patch.object(hoist, "_copies_the_same", lambda *arguments: True):
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
    WrongFixer("takes methods for pure", Tier.SAFE, _takes_methods_for_pure, "methods"),
    WrongFixer(
        "takes functions for pure", Tier.SAFE, _takes_functions_for_pure, "holders"
    ),
    WrongFixer("forgets holders", Tier.SAFE, _forgets_holders, "holders"),
    WrongFixer("forgets aliases", Tier.SAFE, _forgets_aliases, "aliases"),
    WrongFixer(
        "forgets nested functions", Tier.SAFE, _forgets_nested_functions, "aliases"
    ),
    WrongFixer(
        "forgets writers by contract",
        Tier.SAFE,
        _forgets_writers_by_contract,
        "writers",
    ),
    WrongFixer(
        "takes questions for neutral",
        Tier.UNSAFE,
        _takes_questions_for_neutral,
        "queries",
    ),
    WrongFixer("forgets gradient modes", Tier.SAFE, _forgets_gradient_modes, "modes"),
    WrongFixer("takes everything for floats", Tier.SAFE, _takes_everything_for_floats),
    WrongFixer("forgets other callers", Tier.SAFE, _forgets_other_callers, "functions"),
    WrongFixer("casts in every arm", Tier.UNSAFE, _casts_in_every_arm, "ends"),
    WrongFixer(
        "takes columns for rows", Tier.UNSAFE, _takes_columns_for_rows, "rowwise"
    ),
    WrongFixer("lifts over products", Tier.SAFE, _lifts_over_products, "rowwise"),
    WrongFixer("selects too early", Tier.UNSAFE, _selects_too_early, "lifted"),
)
