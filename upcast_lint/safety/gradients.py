"""How the gradient comes back: backward of the selection works on the source, now.

Where no gradient flows at all, which is proved or stated, `Situation` has no flowing
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
from .changes import may_change, unless
from .hazard import Words, assumption, blocker, condition
from .situation import Situation, Taken

_MOST_PAIRED = 16
"""Of more reads, some two are taken to meet on a path."""


@assumption("{}")
def stated(here: Situation) -> Iterator[Words]:
    if here.no_gradient is not None and here.no_gradient.stated:
        yield (here.no_gradient.reason,)


# Modes


@condition("what is cast in inference mode is not used outside of it")
def inference_tensor(here: Situation) -> Iterator[Words]:
    """It cannot be saved for a backward pass."""
    views = [t for t in here.taken if t.moved.sites and t.selection.is_view]
    nodes = [*here.places, *(each.read.node for each in views)]
    if any(enters_inference(here.cast.call, node, here.facts) for node in nodes):
        yield ()


@blocker("the cast of the whole would run in another gradient mode")
def cast_in_other_mode(here: Situation) -> Iterator[Words]:
    call = here.cast.call
    for place in here.flowing_places:
        if leaves_disabled_region(call, place, here.facts) or enters_disabled_region(
            call, place, here.facts
        ):
            yield ()


@blocker("the selection is a view, taken with gradients off")
def view_without_gradient(here: Situation) -> Iterator[Words]:
    for mode in _modes_of_views(here):
        if mode is GradientMode.DISABLED:
            yield ()


@condition("gradients are on where the selection, a view, is taken")
def view_may_lack_gradient(here: Situation) -> Iterator[Words]:
    for mode in _modes_of_views(here):
        if mode is not GradientMode.DISABLED:
            yield ()


def _modes_of_views(here: Situation) -> Iterator[GradientMode]:
    """The modes of views that, other than their casts, may run without gradients.

    torch marks such a view as requiring gradients if what it shows does; a cast of it
    there does not.
    """
    call, facts = here.cast.call, here.facts
    for each in here.flowing:
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
def gradient_begins(here: Situation) -> Iterator[Words]:
    call, facts = here.cast.call, here.facts
    for node in (each.read.node for each in here.flowing):
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
def ties(here: Situation) -> Iterator[Words]:
    for each in here.flowing:
        if each.selection.gradient is Gradient.TIES:
            yield (each.selection.label,)


@condition("gradients are summed in the source's dtype if an index repeats in {}")
def repeats(here: Situation) -> Iterator[Words]:
    for selection in (each.selection for each in here.flowing):
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
                    yield (f"`{here.facts.shown(index)}`",)


@condition(
    "gradients are summed in the source's dtype where `{}` shows an element twice; or "
    "no gradient flows"
)
def expanded(here: Situation) -> Iterator[Words]:
    for each in here.flowing:
        for step in each.read.steps:
            if step.repeats:
                yield (here.facts.shown(step.node),)


@assumption("{}")
def stated_distinct(here: Situation) -> Iterator[Words]:
    for each in here.flowing:
        proof = each.selection.distinct
        if each.selection.gradient is Gradient.REPEATS and proof and proof.stated:
            yield (proof.reason,)


@condition("no gradient flows, or the rows that nobody reads give `{}` no NaN")
def nan_of_rows(here: Situation) -> Iterator[Words]:
    for each in here.flowing:
        for step in each.read.lifts:
            if step.row is not None:
                yield (step.row.name,)


@condition(
    "no gradient flows, or the arithmetic before the selection has a finite "
    "derivative everywhere"
)
def infinite_derivative(here: Situation) -> Iterator[Words]:
    for each in here.flowing:
        for step in each.read.lifts:
            if step.row is None and not step.exact_gradient:
                yield ()


@condition("no element is selected in two rounds of the loop, or no gradient flows")
def rounds(here: Situation) -> Iterator[Words]:
    tree = here.facts.tree
    for each in here.flowing:
        is_repeated = any(
            not tree.contains(loop, here.cast.call)
            for loop in tree.enclosing_loops(each.read.node)
        )
        if is_repeated and each.selection.disjoint_rounds is None:
            yield ()


@condition(
    "nothing reads the `grad_fn` in the text made on line {}, or no gradient flows"
)
def step_in_text(here: Situation) -> Iterator[Words]:
    """The text of a tensor names the step of backward that made it."""
    for each in here.flowing:
        for value in each.values:
            text = text_of(value, here.facts)
            if text is not None:
                yield (str(getattr(text, "lineno", value.lineno)),)
                return


# Several uses of the source


@condition(
    "the copy is read more than once on a path: gradients are then added in the "
    "source's dtype; or no gradient flows"
)
def several(here: Situation) -> Iterator[Words]:
    facts = here.facts
    reads = [
        each.read
        for each in here.flowing
        if not all(gives_no_gradient(value, facts) for value in each.values)
    ]
    points: list[tuple[Point, Read | None]] = [(read.node, read) for read in reads]
    points += [(Begin(place), None) for place in here.flowing_places]
    if len(points) > _MOST_PAIRED:
        yield ()
        return
    for (a, read_a), (b, read_b) in combinations(points, 2):
        if not keep_disjoint_parts(read_a, read_b) and (
            a is b or meet(here.flow.start, a, b, facts)
        ):
            yield ()
            return


@condition(
    "`{}` {} after it was selected from, which backward refuses; or no gradient flows"
)
def changed_later(here: Situation) -> Iterator[Words]:
    for write in _later_writes(here):
        if write.certainty is Certainty.WRITES:
            yield here.source, write.label


@condition("{}; or no gradient flows")
def may_change_later(here: Situation) -> Iterator[Words]:
    """The same, unless it may not change at any time."""
    writes = _later_writes(here)
    texts = [
        unless(here.source, write)
        for write in writes
        if write.certainty is Certainty.MAY_WRITE
    ]
    is_open = len(texts) == len(writes) and any(map(_saves_source, here.flowing))
    if is_open and here.effects.is_written_by_nested(here.cast.source):
        texts.append(f"no nested function changes `{here.source}`")
    sooner = set(may_change.find(here))
    yield from ((text,) for text in texts if (text,) not in sooner)


def _later_writes(here: Situation) -> list[Write]:
    """What may write to a source that backward needs, up to what does for certain."""
    found: list[Write] = []
    nodes = [each.read.node for each in here.flowing]
    if any(map(_saves_source, here.flowing)):
        for write in here.effects.writes_to(here.cast.source):
            if any(may_follow(node, write.node, here.facts) for node in nodes):
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
def order_of_uses(here: Situation) -> Iterator[Words]:
    """Three contributions to a gradient are added in the order of the uses."""
    cast, facts, effects = here.cast, here.facts, here.effects
    places = [*(each.read.node for each in here.flowing), *here.flowing_places]
    if here.in_place or not places:
        return
    lasts = [Begin(p) for p in places if not facts.tree.contains(p, cast.call)]
    between = Between(here.flow.start, lasts, facts)
    aliases = _uncast(here)
    is_used = any(_is_use(node, aliases, here) for node in between.entries())
    if not is_used and (aliases & facts.names.captured or effects.is_held(cast.source)):
        is_used = any(map(between.holds, effects.impure_calls))
    if is_used:
        yield (here.source,)


def _uncast(here: Situation) -> set[str]:
    """What shows the source, other casts included that may give it back.

    A cast counts where it is of what was found before it.
    """
    aliases = here.effects.views_of(here.cast.source)
    for definition, shown in here.facts.once(_recasts):
        if (
            definition.name not in aliases
            and not shown.isdisjoint(aliases)
            and definition not in here.flow.carriers
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


def _is_use(node: object, aliases: set[str], here: Situation) -> bool:
    return (
        isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and node not in here.flow.loads
        and path_of(node) in aliases
        and not here.facts.tree.contains(here.flow.origin, node)
        and not reads_metadata(node, here.facts)
    )
