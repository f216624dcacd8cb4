"""How safe a plan is, and why: each condition under which nothing would change.

No condition left: safe. A condition that the code does not prove: unsafe. A blocker:
the rewrite could fail or change outputs, so it is only displayed.

The facts about torch are those of `docs/hazards.md`, each with a test that shows it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from .analysis import modules, ops
from .analysis.aliases import path_of
from .analysis.calls import known_call
from .analysis.casts import recognise_cast
from .analysis.coverage import keep_disjoint_parts
from .analysis.directives import Directives
from .analysis.effects import Certainty, Effects, Write, effects_of
from .analysis.elements import Elements, ElementType
from .analysis.elements.zeros import is_never_negative_zero
from .analysis.exceptions import catchers, is_evidently_tensor
from .analysis.facts import Facts
from .analysis.flow import Flow, Read
from .analysis.gradients import no_gradient
from .analysis.gradients.modes import (
    GradientMode,
    enters_disabled_region,
    enters_enabled_region,
    enters_inference,
    gradient_mode,
    leaves_disabled_region,
)
from .analysis.handed import Handed, ways_of
from .analysis.indices import is_mask, known_rank
from .analysis.names import Binding, Definition
from .analysis.ops import Memory
from .analysis.order import Line, Stretch, may_run_before_any, may_run_between
from .analysis.own_casts import other_of_cast
from .analysis.paths import Paths
from .analysis.reads import Gradient, Kind, Selection, StepKind
from .analysis.rows import Rows, rows_of
from .analysis.scalars.steadiness import changes_between
from .analysis.shown import text_of, view_test_of
from .analysis.subclasses import annotated_subclass
from .analysis.syntax import FUNCTIONS, start_of
from .analysis.takers import gives_no_gradient, reads_metadata
from .finding import Safety
from .rewrite.plan import Moved, Plan
from .rewrite.sink import Placement

_MASK = re.compile(r"mask|keep|valid", re.I)

_MOST_PAIRED = 16
"""Of more reads, some two are taken to meet on a path."""

_SHARING = (Memory.VIEW, Memory.EITHER, Memory.HOLDS, Memory.UNKNOWN)
_HARMLESS = (Kind.METADATA, Kind.DTYPE, Kind.DELETE)

_SEVERAL = (
    "the copy is read more than once on a path: gradients are then added in the "
    "source's dtype; or no gradient flows"
)


@dataclass(slots=True)
class Assessment:
    """`conditions` would make an unsafe plan safe; `blockers` forbid it.

    `assumptions` are facts that the user states and the plan rests on.
    """

    conditions: list[str] = field(default_factory=list)
    blockers: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)

    @property
    def safety(self) -> Safety:
        if self.blockers:
            return Safety.DISPLAY
        return Safety.UNSAFE if self.conditions else Safety.SAFE

    def need(self, condition: str) -> None:
        if condition not in self.conditions:
            self.conditions.append(condition)

    def block(self, reason: str) -> None:
        if reason not in self.blockers:
            self.blockers.append(reason)


def assess(
    plan: Plan,
    facts: Facts,
    effects: Effects,
    directives: Directives,
    element_type: ElementType,
    inference: bool,
    *,
    in_place: bool = False,
) -> Assessment:
    """Judge a plan for a cast whose source has elements of `element_type`.

    Where it is carried out `in_place`, the selection goes to the cast, and nothing
    that happens between the two matters.
    """
    assessor = _Assessor(
        plan,
        facts,
        effects,
        directives,
        element_type,
        inference,
        Assessment(),
        in_place,
    )
    return assessor.run()


@dataclass(slots=True)
class _Assessor:
    plan: Plan
    facts: Facts
    effects: Effects
    directives: Directives
    element_type: ElementType
    inference: bool
    out: Assessment
    in_place: bool

    def run(self) -> Assessment:
        reads = [m.read for m in self.plan.moved]
        if not self.in_place:
            self._writes(reads)
        self._exceptions(reads)
        self._containers(reads)
        self._signs()
        for moved in self.plan.moved:
            self._elements(moved)
            self._ties(moved)
            self._device(moved.read)
            self._handed_on(moved)
            self._lifts(moved.read)
            self._view_tests(moved)
        views = [
            (moved, ways_of(values_of(moved, self.facts), self.facts))
            for moved in self.plan.moved
            if _selection(moved.read).is_view or _selection(moved.read).may_be_view
        ]
        self._strides(views)
        self._shared(views)
        self._gradients(reads)
        self._scope()
        return self.out

    @property
    def flow(self) -> Flow:
        return self.plan.flow

    # What else happens to the source

    def _writes(self, reads: Sequence[Read]) -> None:
        """Nothing may write to the source, nor through an alias to the copy."""
        source = self.flow.cast.source
        writes = self.effects.writes_to(source)
        self._happen(source, writes, reads, self.plan.placements)
        known = {write.node for write in writes}
        for read in reads:
            if read.load is not None:
                others = [
                    write
                    for write in self.effects.writes_to(read.load)
                    if write.node not in known
                ]
                self._happen(read.load, others, [read], ())

    def _happen(
        self,
        tensor: ast.expr,
        writes: Sequence[Write],
        reads: Sequence[Read],
        placements: Sequence[Placement],
    ) -> None:
        """Note the writes to a tensor that may come before a selection or a cast."""
        call, facts = self.flow.cast.call, self.facts
        nodes = [r.node for r in reads]
        before_read = Stretch(call, nodes, facts)
        places = [p.statement for p in placements]
        before_cast = Stretch(call, places, facts, before_last=True)
        name = self.facts.shown(tensor)
        for write in writes:
            is_certain = write.certainty is Certainty.WRITES
            if not is_certain and write.says(name) in self.out.conditions:
                continue
            if not (
                before_read.holds(write.node)
                and may_run_before_any(call, write.node, nodes, facts)
            ) and not (
                before_cast.holds(write.node)
                and may_run_before_any(
                    call, write.node, places, facts, before_last=True
                )
            ):
                continue
            if is_certain:
                self.out.block(f"`{name}` {write.label} before the selection")
            else:
                self.out.need(write.says(name))

    def _containers(self, reads: Sequence[Read]) -> None:
        """A list of modules, or a class of the file, casts and selects as well."""
        source = self.flow.cast.source
        if self.element_type.elements is not Elements.FLOAT and not (
            modules.is_evidently_tensor(source, reads, self.facts)
        ):
            self.out.need(f"`{self.facts.shown(source)}` is a tensor, and no module")
        other = other_of_cast(self.flow.cast, reads, self.facts)
        if other is not None:
            self.out.need(f"`{self.facts.shown(source)}` is no `{other.name}`")

    def _exceptions(self, reads: Sequence[Read]) -> None:
        """What the cast raises has to be caught where it was."""
        call, facts = self.flow.cast.call, self.facts
        around = catchers(call, facts)
        if around and (
            self.flow.cast.device is not None
            or not is_evidently_tensor(self.flow.cast, facts)
        ):
            places = [*(r.node for r in reads)]
            places += [p.statement for p in self.plan.placements]
            line = getattr(around[0], "lineno", call.lineno)
            if any(catchers(place, facts) != around for place in places):
                self.out.block(f"line {line} may catch what the cast raises")
            else:
                self.out.need(
                    f"`{facts.shown(self.flow.cast.source)}` is a tensor: what else "
                    f"its cast raises may be caught on line {line}"
                )
        for read in reads:
            for step in read.lifts:
                around = catchers(step.node, facts)
                if around and catchers(read.node, facts) != around:
                    line = getattr(around[0], "lineno", call.lineno)
                    self.out.block(f"line {line} may catch what the arithmetic raises")

    def _sunk(self) -> list[Read]:
        return self.flow.full_reads() if self.plan.placements else []

    def _handed_on(self, moved: Moved) -> None:
        """A view of the copy may be written to by what it is passed to."""
        if not _selection(moved.read).is_view:
            return
        data = [r for r in self.flow.reads if r.kind not in _HARMLESS]
        self.facts.tree.work.spend(len(data))
        if all(
            other is moved.read or keep_disjoint_parts(moved.read, other)
            for other in data
        ):
            return
        for value in values_of(moved, self.facts):
            parent = self.facts.tree.parents[value]
            call = parent if isinstance(parent, ast.Call) else None
            if self.effects.written_through(value) is not None:
                who = "nothing" if call is None else f"`{self.facts.shown(call.func)}`"
                self.out.need(
                    f"{who} writes to what the selection gives"
                    if call is None
                    else f"{who} writes to nothing it is given"
                )

    # What the operation accepts

    def _elements(self, moved: Moved) -> None:
        selection = _selection(moved.read)
        subclass = annotated_subclass(self.flow.cast.source, self.facts)
        if subclass is not None:
            self.out.need(f"the cast of a `{subclass}` only converts its elements")
        if self.element_type.elements is Elements.FLOAT:
            return
        source = self.facts.shown(self.flow.cast.source)
        if selection.order_only:
            self.out.need(
                f"`{source}` has a float type no wider than {self.flow.cast.dtype}"
            )
        elif selection.needs_float:
            self.out.need(
                f"`{source}` has an ordinary float type, for which "
                f"`{selection.label}` is implemented"
            )

    def _signs(self) -> None:
        """`-x` and `abs`, which come to work on the source, differ for other types."""
        if self.element_type.elements is Elements.FLOAT:
            return
        chains = [c.steps for c in self.flow.carriers.values()]
        chains += [read.steps for read in self.flow.reads]
        if any(s.is_sign and s.kind is StepKind.VIEW for c in chains for s in c):
            source = self.facts.shown(self.flow.cast.source)
            self.out.need(f"`{source}` has a float type")

    def _ties(self, moved: Moved) -> None:
        selection = _selection(moved.read)
        if selection.unstable_ties and moved.uses_indices:
            self.out.need(
                f"no two elements are equal where `{selection.label}` has to choose, "
                "or any of them will do"
            )
        if (
            selection.unstable_zeros
            and not any(s.is_abs for s in moved.read.steps)
            and not is_never_negative_zero(self.flow.cast.source, self.facts)
        ):
            self.out.need(
                f"zeros of both signs do not tie in `{selection.label}`, "
                "or the sign of a zero does not matter"
            )

    def _device(self, read: Read) -> None:
        selection = _selection(read)
        moves = self.flow.cast.device is not None or any(
            step.is_transfer for step in read.steps
        )
        if moves and selection.takes_index_tensor:
            self.out.block("the cast also moves the tensor to the index's device")

    def _rows(self, vector: ast.Name, selection: Selection) -> None:
        """What selects rows has to select from the vector of the rows as well."""
        rows = selection.rows
        rank = None if rows is None else known_rank(rows, self.facts)
        if rows is None or isinstance(rows, ast.Slice):
            return
        if any(isinstance(part, ast.Call) for part in ast.walk(rows)):
            self.out.block(f"`{self.facts.shown(rows)}` would be evaluated twice")
            return
        if rank == 1 and not _gives_tuple(self.facts.value(rows)):
            return
        name = self.facts.shown(rows)
        if (
            rank is not None
            or isinstance(self.facts.value(rows), ast.Call)
            or is_mask(rows, self.facts)
            or _MASK.search(name)
        ):
            self.out.block(f"`{name}` may not fit `{vector.id}`")
        else:
            self.out.need(f"`{name}` has one dimension")

    def _lifts(self, read: Read) -> None:
        selection = _selection(read)
        for step in read.lifts:
            if step.condition is not None:
                self.out.need(step.condition)
            if step.row is not None and (
                rows_of(selection, read.operand, step, self.facts) is not Rows.WHOLE
            ):
                self.out.need(
                    f"`{selection.label}` takes whole rows, and leaves dimension "
                    f"{step.row.dim} alone, which `{step.row.name}` works along"
                )
            if step.aligned is not None:
                self._rows(step.aligned, selection)
            changes = changes_between(step.node, step.operand, read.node, self.facts)
            for change in () if self.in_place else changes:
                if change.is_certain:
                    self.out.block(change.condition)
                else:
                    self.out.need(change.condition)
            if (
                leaves_disabled_region(step.node, read.node, self.facts)
                or enters_disabled_region(step.node, read.node, self.facts)
                or gradient_mode(step.node, self.facts)
                is not gradient_mode(read.node, self.facts)
            ):
                self.out.block("the arithmetic runs with other gradients")
            if step.aligned is not None and any(
                may_run_between(step.node, write.node, read.node, self.facts)
                for write in self.effects.writes_to(step.aligned)
            ):
                self.out.block(f"`{step.aligned.id}` changes before the selection")

    def _strides(self, views: Sequence[tuple[Moved, Handed]]) -> None:
        """A view of the copy is strided; what a cast makes of a view is dense."""
        for _, handed in views:
            if handed.sensitive is not None:
                self.out.need(
                    f"`{handed.sensitive}` gives the same bits for a dense tensor as "
                    "for a strided view"
                )

    def _view_tests(self, moved: Moved) -> None:
        for node in values_of(moved, self.facts):
            name = view_test_of(node, self.facts)
            if name is not None:
                self.out.block(f"`{name}` tells a view of the copy from a cast")

    def _shared(self, views: Sequence[tuple[Moved, Handed]]) -> None:
        """Views of one copy share memory; what casts make of them does not."""
        data = [r for r in self.flow.reads if r.kind not in _HARMLESS]
        for moved, handed in views:
            if handed.is_made_dense and (handed.is_kept or handed.written):
                self.out.need(
                    f"nothing writes to `{_selection(moved.read).label}` or to what "
                    "`contiguous` makes of it, which shared no memory"
                )
            others = [
                other
                for other in data
                if other is not moved.read
                and not keep_disjoint_parts(moved.read, other)
            ]
            if handed.written is not None and any(
                self._may_meet(moved.read, other) for other in others
            ):
                self.out.need(
                    f"{handed.written} writes to nothing that another part of the copy "
                    "shows"
                )
            if handed.may_be_kept and any(
                _keeps(read, self.facts) and self._may_meet(moved.read, read)
                for read in self.flow.full_reads()
            ):
                self.out.need(
                    f"nothing writes to `{_selection(moved.read).label}` or to the "
                    "copy, which shared memory"
                )
        for (a, of_a), (b, of_b) in combinations(views, 2):
            if (
                of_a.may_be_kept
                and of_b.may_be_kept
                and not keep_disjoint_parts(a.read, b.read)
                and self._may_meet(a.read, b.read)
            ):
                self.out.need(
                    f"nothing writes to `{_selection(a.read).label}` or "
                    f"`{_selection(b.read).label}`, which shared memory"
                )

    def _may_meet(self, a: Read, b: Read) -> bool:
        """Whether one run may make both reads."""
        return a.node is b.node or 3 in _both(self.flow, a.node, b.node, self.facts)

    # Gradients

    def _gradients(self, reads: Sequence[Read]) -> None:
        cast = self.flow.cast
        self._inference()
        others = [r.node for r in self._sunk()]
        proof = no_gradient(
            cast.call,
            cast.source,
            [*(r.node for r in reads), *others],
            self.facts,
            self.directives,
            self.inference,
        )
        if proof is not None:
            if proof.stated:
                self.out.assumptions.append(proof.reason)
            return
        if self._sinks_into_mode():
            self.out.block("the cast of the whole would run in another gradient mode")
            return
        flowing = [m.read for m in self.plan.moved if m.sites]
        for read in filter(self._may_stop_flowing, flowing):
            if gradient_mode(read.node, self.facts) is GradientMode.DISABLED:
                self.out.block("the selection is a view, taken with gradients off")
                return
            self.out.need("gradients are on where the selection, a view, is taken")
        if any(self._starts_flowing(r) for r in flowing):
            self.out.block("the cast runs without gradients, the selection with them")
            return
        for read in flowing:
            self._own_gradient(read)
        self._texts()
        self._several(flowing)
        if flowing:
            self._later_writes(flowing)
        if self.in_place:
            return
        self._uses_between(
            [*(r.node for r in flowing), *(p.statement for p in self.plan.placements)]
        )

    def _inference(self) -> None:
        """What is cast in inference mode cannot be saved for a backward pass."""
        nodes: list[ast.AST] = [p.statement for p in self.plan.placements]
        nodes += [
            m.read.node
            for m in self.plan.moved
            if m.sites and _selection(m.read).is_view
        ]
        call = self.flow.cast.call
        if any(enters_inference(call, node, self.facts) for node in nodes):
            self.out.need("what is cast in inference mode is not used outside of it")

    def _sinks_into_mode(self) -> bool:
        """Whether the cast of the whole would run in another gradient mode."""
        call, facts = self.flow.cast.call, self.facts
        return any(
            leaves_disabled_region(call, place.statement, facts)
            or enters_disabled_region(call, place.statement, facts)
            for place in self.plan.placements
        )

    def _starts_flowing(self, read: Read) -> bool:
        """Whether gradients are off at the cast and may be on at the selection."""
        call, node, facts = self.flow.cast.call, read.node, self.facts
        return (
            leaves_disabled_region(call, node, facts)
            or enters_enabled_region(call, node, facts)
            or (
                gradient_mode(call, facts) is GradientMode.DISABLED
                and gradient_mode(node, facts) is not GradientMode.DISABLED
            )
        )

    def _may_stop_flowing(self, read: Read) -> bool:
        """Whether only the selection may run without gradients, and is a view.

        torch marks such a view as requiring gradients if what it shows does; a cast
        of it there does not.
        """
        call, facts = self.flow.cast.call, self.facts
        mode = gradient_mode(read.node, facts)
        return (
            _selection(read).is_view
            and mode is not GradientMode.ENABLED
            and (
                gradient_mode(call, facts) is not mode
                or enters_disabled_region(call, read.node, facts)
            )
        )

    def _texts(self) -> None:
        """The text of a tensor names the step of backward that made it."""
        values = (v for m in self.plan.moved for v in values_of(m, self.facts))
        for value in values:
            text = text_of(value, self.facts)
            if text is not None:
                line = getattr(text, "lineno", value.lineno)
                self.out.need(
                    f"nothing reads the `grad_fn` in the text made on line {line}, or "
                    "no gradient flows"
                )
                return

    def _own_gradient(self, read: Read) -> None:
        selection = _selection(read)
        if selection.gradient is Gradient.TIES:
            self.out.need(
                f"no two elements tie in `{selection.label}`, or no gradient flows"
            )
        elif selection.gradient is Gradient.REPEATS:
            if selection.distinct is None:
                self._repeats(selection)
            elif selection.distinct.stated:
                self.out.assumptions.append(selection.distinct.reason)
        for step in read.lifts:
            if step.row is not None:
                self.out.need(
                    f"no gradient flows, or the rows that nobody reads give "
                    f"`{step.row.name}` no NaN"
                )
            elif not step.exact_gradient:
                self.out.need(
                    "no gradient flows, or the arithmetic before the selection has a "
                    "finite derivative everywhere"
                )
        loops = [
            loop
            for loop in self.facts.tree.enclosing_loops(read.node)
            if not self.facts.tree.contains(loop, self.flow.cast.call)
        ]
        if loops and selection.disjoint_rounds is None:
            self.out.need(
                "no element is selected in two rounds of the loop, or no gradient flows"
            )

    def _repeats(self, selection: Selection) -> None:
        index = selection.index
        text = "the index" if index is None else f"`{self.facts.shown(index)}`"
        advice = (
            ""
            if not isinstance(index, ast.Name)
            else f"; safe with `# upcast-lint: distinct({index.id})` or under no_grad"
        )
        self.out.need(
            "gradients are summed in the source's dtype if an index repeats in "
            f"{text}{advice}"
        )

    def _several(self, reads: Sequence[Read]) -> None:
        """Contributions to one source are added in its own dtype."""
        flowing = [
            m.read
            for m in self.plan.moved
            if m.read in reads
            and not all(
                gives_no_gradient(n, self.facts) for n in values_of(m, self.facts)
            )
        ]
        nodes: list[tuple[ast.AST, Read | None]] = [(r.node, r) for r in flowing]
        nodes += [(p.statement, None) for p in self.plan.placements]
        if len(nodes) > _MOST_PAIRED:
            self.out.need(_SEVERAL)
            return
        for (a, read_a), (b, read_b) in combinations(nodes, 2):
            if keep_disjoint_parts(read_a, read_b):
                continue
            if a is b or 3 in _both(self.flow, a, b, self.facts):
                self.out.need(_SEVERAL)
                return

    def _later_writes(self, reads: Sequence[Read]) -> None:
        source = self.flow.cast.source
        if not any(map(_saves_source, reads)):
            return
        name = self.facts.shown(source)
        for write in self.effects.writes_to(source):
            if not any(
                start_of(write.node) > start_of(r.node)
                or self._share_loop(write.node, r.node)
                for r in reads
            ):
                continue
            if write.certainty is Certainty.WRITES:
                self.out.need(
                    f"`{name}` {write.label} after it was selected from, which "
                    "backward refuses; or no gradient flows"
                )
                return
            self._not_later(write.says(name))
        if self.effects.is_written_by_nested(source):
            self._not_later(f"no nested function changes `{name}`")

    def _not_later(self, condition: str) -> None:
        if condition not in self.out.conditions:  # else it may not at any time
            self.out.need(f"{condition}; or no gradient flows")

    def _share_loop(self, a: ast.AST, b: ast.AST) -> bool:
        """Whether a loop runs both, so that either may come after the other."""
        loops = self.facts.tree.enclosing_loops(b)
        return any(loop in loops for loop in self.facts.tree.enclosing_loops(a))

    def _uses_between(self, places: Sequence[ast.AST]) -> None:
        """Three contributions to a gradient are added in the order of the uses."""
        cast, facts = self.flow.cast, self.facts
        stretch = Stretch(cast.call, places, facts, before_last=True)
        aliases = self._uncast(cast.source)
        uses: list[ast.AST] = [
            node
            for node in stretch.of(facts.once(_loads))
            if self._is_use(node, aliases)
        ]
        if aliases & facts.names.captured or self.effects.is_held(cast.source):
            uses += filter(stretch.holds, self.effects.impure_calls)
        if any(
            may_run_before_any(cast.call, node, places, facts, before_last=True)
            for node in uses
        ):
            self.out.need(
                f"`{facts.shown(cast.source)}` is also used between the cast and the "
                "selection: the order in which gradients are added may change; or no "
                "gradient flows"
            )

    def _uncast(self, source: ast.expr) -> set[str]:
        """What shows the source, other casts included that may give it back.

        A cast counts where it is of what was found before it.
        """
        aliases = self.effects.views_of(source)
        for definition, shown in self.facts.once(_recasts):
            if (
                definition.name not in aliases
                and not shown.isdisjoint(aliases)
                and definition not in self.flow.carriers
            ):
                aliases.add(definition.name)
        return aliases

    def _is_use(self, node: ast.AST, aliases: set[str]) -> bool:
        return (
            isinstance(node, ast.Name | ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and node not in self.flow.loads
            and path_of(node) in aliases
            and not self.facts.tree.contains(self.flow.origin, node)
            and not reads_metadata(node, self.facts)
        )

    def _scope(self) -> None:
        if isinstance(self.facts.scope, FUNCTIONS):
            return
        names = [d.name for d in self.flow.carriers if d.binding is Binding.ASSIGNED]
        if not names:
            return
        if isinstance(self.facts.scope, ast.ClassDef):
            self.out.need(f"nothing reads `{names[0]}` from the class")
        else:
            self.out.need(f"nothing imports `{names[0]}` from this module")


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


def _loads(facts: Facts) -> Line:
    """The names and attributes that a scope reads."""
    nodes: list[ast.Name | ast.Attribute] = [
        *facts.nodes(ast.Name),
        *facts.nodes(ast.Attribute),
    ]
    return Line(node for node in nodes if isinstance(node.ctx, ast.Load))


def _gives_tuple(index: ast.expr) -> bool:
    """Whether an index is the tuple that `where` and `nonzero` give of a mask."""
    if not isinstance(index, ast.Call):
        return False
    name = getattr(index.func, "attr", getattr(index.func, "id", ""))
    return (name == "where" and len(index.args) == 1) or (
        name == "nonzero" and any(k.arg == "as_tuple" for k in index.keywords)
    )


def _keeps(read: Read, facts: Facts) -> bool:
    """Whether a view of the whole copy may outlive a read of it, and be written to."""
    match read.node:
        case ast.BinOp() | ast.Compare():
            return False
        case ast.Call() as call:
            known = known_call(call, facts)
            return known is None or known.operation.memory in _SHARING
        case _:
            return True


def _saves_source(read: Read) -> bool:
    """Whether backward of the selection, or of a step before it, needs the source."""
    taken = ops.tensor(_selection(read).label)
    saves = taken is not None and taken.saves_input
    return saves or any(step.is_abs for step in read.steps)


def _selection(read: Read) -> Selection:
    assert read.selection is not None
    return read.selection


def _both(flow: Flow, a: ast.AST, b: ast.AST, facts: Facts) -> frozenset[int]:
    return Paths(flow.origin, {a: 1, b: 2}, facts).from_origin()


def values_of(moved: Moved, facts: Facts) -> list[ast.expr]:
    """The expressions that hold what a selection gives, or the loads of its name."""
    found: list[ast.expr] = []
    for site in moved.sites:
        if site.node is not None:
            found.append(site.node)
            continue
        assert site.statement is not None
        for definition in facts.names.made_by(site.statement):
            if definition.name == site.name:
                found += facts.names.uses.get(definition, [])
    return found
