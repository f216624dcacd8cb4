"""How the gradient comes back: backward of the selection works on the source, now.

Where no gradient flows at all, which is proved or stated, `Case` has no flowing
selection, and nothing here differs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from ..analysis import ops
from ..analysis.aliases import path_of
from ..analysis.casts import recognise_cast
from ..analysis.coverage import keep_disjoint_parts
from ..analysis.effects import Certainty, Write, effects_of
from ..analysis.facts import Facts
from ..analysis.flow import Read
from ..analysis.gradients.modes import (
    GradientMode,
    enters_disabled_region,
    enters_enabled_region,
    enters_inference,
    gradient_mode,
    leaves_disabled_region,
)
from ..analysis.graph import Begin, Point
from ..analysis.graph.order import Between, may_follow, meet
from ..analysis.names import Definition
from ..analysis.reads import Gradient
from ..analysis.shown import text_of
from ..analysis.takers import gives_no_gradient, reads_metadata
from .case import Case, Taken
from .changes import may_change, unless
from .hazard import Words, assumption, blocker, condition

_MOST_PAIRED = 16
"""Of more reads, some two are taken to meet on a path."""


@assumption("{}")
def stated(case: Case) -> Iterator[Words]:
    if case.no_gradient is not None and case.no_gradient.stated:
        yield (case.no_gradient.reason,)


# Modes


@condition("what is cast in inference mode is not used outside of it")
def inference_tensor(case: Case) -> Iterator[Words]:
    """It cannot be saved for a backward pass."""
    views = [t for t in case.taken if t.moved.sites and t.selection.is_view]
    nodes = [*case.places, *(each.read.node for each in views)]
    if any(enters_inference(case.cast.call, node, case.facts) for node in nodes):
        yield ()


@blocker("the cast of the whole would run in another gradient mode")
def cast_in_other_mode(case: Case) -> Iterator[Words]:
    call = case.cast.call
    for place in case.flowing_places:
        if leaves_disabled_region(call, place, case.facts) or enters_disabled_region(
            call, place, case.facts
        ):
            yield ()


@blocker("the selection is a view, taken with gradients off")
def view_without_gradient(case: Case) -> Iterator[Words]:
    for mode in _modes_of_views(case):
        if mode is GradientMode.DISABLED:
            yield ()


@condition("gradients are on where the selection, a view, is taken")
def view_may_lack_gradient(case: Case) -> Iterator[Words]:
    for mode in _modes_of_views(case):
        if mode is not GradientMode.DISABLED:
            yield ()


def _modes_of_views(case: Case) -> Iterator[GradientMode]:
    """The modes of views that, other than their casts, may run without gradients.

    torch marks such a view as requiring gradients if what it shows does; a cast of it
    there does not.
    """
    call, facts = case.cast.call, case.facts
    for each in case.flowing:
        mode = gradient_mode(each.read.node, facts)
        if (
            each.selection.is_view
            and mode is not GradientMode.ENABLED
            and (
                gradient_mode(call, facts) is not mode
                or enters_disabled_region(call, each.read.node, facts)
            )
        ):
            yield mode


@blocker("the cast runs without gradients, the selection with them")
def gradient_begins(case: Case) -> Iterator[Words]:
    call, facts = case.cast.call, case.facts
    for node in (each.read.node for each in case.flowing):
        if (
            leaves_disabled_region(call, node, facts)
            or enters_enabled_region(call, node, facts)
            or (
                gradient_mode(call, facts) is GradientMode.DISABLED
                and gradient_mode(node, facts) is not GradientMode.DISABLED
            )
        ):
            yield ()


# One selection


@condition("no two elements tie in `{}`, or no gradient flows")
def ties(case: Case) -> Iterator[Words]:
    for each in case.flowing:
        if each.selection.gradient is Gradient.TIES:
            yield (each.selection.label,)


@condition("gradients are summed in the source's dtype if an index repeats in {}")
def repeats(case: Case) -> Iterator[Words]:
    for selection in (each.selection for each in case.flowing):
        if selection.gradient is Gradient.REPEATS and selection.distinct is None:
            match selection.index:
                case None:
                    yield ("the index",)
                case ast.Name(id=name):
                    yield (
                        f"`{name}`; safe with `# upcast-lint: distinct({name})` or "
                        "under no_grad",
                    )
                case index:
                    yield (f"`{case.facts.shown(index)}`",)


@condition(
    "gradients are summed in the source's dtype where `{}` shows an element twice; or "
    "no gradient flows"
)
def expanded(case: Case) -> Iterator[Words]:
    for each in case.flowing:
        for step in each.read.steps:
            if step.repeats:
                yield (case.facts.shown(step.node),)


@assumption("{}")
def stated_distinct(case: Case) -> Iterator[Words]:
    for each in case.flowing:
        proof = each.selection.distinct
        if each.selection.gradient is Gradient.REPEATS and proof and proof.stated:
            yield (proof.reason,)


@condition("no gradient flows, or the rows that nobody reads give `{}` no NaN")
def nan_of_rows(case: Case) -> Iterator[Words]:
    for each in case.flowing:
        for step in each.read.lifts:
            if step.row is not None:
                yield (step.row.name,)


@condition(
    "no gradient flows, or the arithmetic before the selection has a finite "
    "derivative everywhere"
)
def infinite_derivative(case: Case) -> Iterator[Words]:
    for each in case.flowing:
        for step in each.read.lifts:
            if step.row is None and not step.exact_gradient:
                yield ()


@condition("no element is selected in two rounds of the loop, or no gradient flows")
def rounds(case: Case) -> Iterator[Words]:
    tree = case.facts.tree
    for each in case.flowing:
        is_repeated = any(
            not tree.contains(loop, case.cast.call)
            for loop in tree.enclosing_loops(each.read.node)
        )
        if is_repeated and each.selection.disjoint_rounds is None:
            yield ()


@condition(
    "nothing reads the `grad_fn` in the text made on line {}, or no gradient flows"
)
def step_in_text(case: Case) -> Iterator[Words]:
    """The text of a tensor names the step of backward that made it."""
    for each in case.flowing:
        for value in each.values:
            text = text_of(value, case.facts)
            if text is not None:
                yield (str(getattr(text, "lineno", value.lineno)),)
                return


# Several uses of the source


@condition(
    "the copy is read more than once on a path: gradients are then added in the "
    "source's dtype; or no gradient flows"
)
def several(case: Case) -> Iterator[Words]:
    facts = case.facts
    reads = [
        each.read
        for each in case.flowing
        if not all(gives_no_gradient(value, facts) for value in each.values)
    ]
    points: list[tuple[Point, Read | None]] = [(read.node, read) for read in reads]
    points += [(Begin(place), None) for place in case.flowing_places]
    if len(points) > _MOST_PAIRED:
        yield ()
        return
    for (a, read_a), (b, read_b) in combinations(points, 2):
        if not keep_disjoint_parts(read_a, read_b) and (
            a is b or meet(case.flow.start, a, b, facts)
        ):
            yield ()
            return


@condition(
    "`{}` {} after it was selected from, which backward refuses; or no gradient flows"
)
def changed_later(case: Case) -> Iterator[Words]:
    for write in _later_writes(case):
        if write.certainty is Certainty.WRITES:
            yield case.source, write.label


@condition("{}; or no gradient flows")
def may_change_later(case: Case) -> Iterator[Words]:
    """The same, unless it may not change at any time."""
    writes = _later_writes(case)
    texts = [
        unless(case.source, write)
        for write in writes
        if write.certainty is Certainty.MAY_WRITE
    ]
    is_open = len(texts) == len(writes) and any(map(_saves_source, case.flowing))
    if is_open and case.effects.is_written_by_nested(case.cast.source):
        texts.append(f"no nested function changes `{case.source}`")
    sooner = set(may_change.find(case))
    yield from ((text,) for text in texts if (text,) not in sooner)


def _later_writes(case: Case) -> list[Write]:
    """What may write to a source that backward needs, up to what does for certain."""
    found: list[Write] = []
    nodes = [each.read.node for each in case.flowing]
    if any(map(_saves_source, case.flowing)):
        for write in case.effects.writes_to(case.cast.source):
            if any(may_follow(node, write.node, case.facts) for node in nodes):
                found.append(write)
                if write.certainty is Certainty.WRITES:
                    break
    return found


def _saves_source(taken: Taken) -> bool:
    """Whether backward of the selection, or of a step before it, needs the source."""
    known = ops.tensor(taken.selection.label)
    saves = known is not None and known.saves_input
    return saves or any(step.is_abs for step in taken.read.steps)


@condition(
    "`{}` is also used between the cast and the selection: the order in which "
    "gradients are added may change; or no gradient flows"
)
def order_of_uses(case: Case) -> Iterator[Words]:
    """Three contributions to a gradient are added in the order of the uses."""
    cast, facts, effects = case.cast, case.facts, case.effects
    places = [*(each.read.node for each in case.flowing), *case.flowing_places]
    if case.in_place or not places:
        return
    lasts = [Begin(p) for p in places if not facts.tree.contains(p, cast.call)]
    between = Between(case.flow.start, lasts, facts)
    aliases = _uncast(case)
    is_used = any(_is_use(node, aliases, case) for node in between.entries())
    if not is_used and (aliases & facts.names.captured or effects.is_held(cast.source)):
        is_used = any(map(between.holds, effects.impure_calls))
    if is_used:
        yield (case.source,)


def _uncast(case: Case) -> set[str]:
    """What shows the source, other casts included that may give it back.

    A cast counts where it is of what was found before it.
    """
    aliases = case.effects.views_of(case.cast.source)
    for definition, shown in case.facts.once(_recasts):
        if (
            definition.name not in aliases
            and not shown.isdisjoint(aliases)
            and definition not in case.flow.carriers
        ):
            aliases.add(definition.name)
    return aliases


def _recasts(facts: Facts) -> list[tuple[Definition, set[str]]]:
    """The definitions that are assigned casts, with the paths that show the source."""
    found: list[tuple[Definition, set[str]]] = []
    for definition in facts.names.definitions:
        if isinstance(definition.value, ast.Call):
            cast = recognise_cast(definition.value, facts)
            if cast is not None and not cast.copies:
                shown = effects_of(facts).views_of(cast.source)
                found.append((definition, shown))
    return found


def _is_use(node: object, aliases: set[str], case: Case) -> bool:
    return (
        isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and node not in case.flow.loads
        and path_of(node) in aliases
        and not case.facts.tree.contains(case.flow.origin, node)
        and not reads_metadata(node, case.facts)
    )
