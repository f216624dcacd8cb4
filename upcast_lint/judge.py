"""From a flow to a finding: is there one, how safe is its rewrite, what to say."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .across import handings_of, read_elsewhere
from .analysis import ops
from .analysis.casts import Cast, cast_inside, recognise_cast
from .analysis.coverage import covers_everything
from .analysis.directives import Directives
from .analysis.effects import Certainty, Effects, effects_of
from .analysis.elements import Elements, ElementType, element_type
from .analysis.facts import Facts
from .analysis.flow import Flow, Read, follow, narrow_reads, paths_of, wasteful_reads
from .analysis.graph.order import may_run_between
from .analysis.graph.paths import NARROW, Paths
from .analysis.modules import may_be_container
from .analysis.own_casts import other_of_cast
from .analysis.pieces.rereads import is_taken_again
from .analysis.pieces.sizes import known_sizes
from .analysis.reads import Kind, Selection, Use, Waste
from .analysis.syntax import ScopeNode
from .analysis.width.verdict import Width, judge_width
from .finding import Confidence, Edit, Finding, Fix, Position, Range, Safety
from .finding import Read as ReportedRead
from .rewrite.hoist import hoist_selection
from .rewrite.plan import Plan, plan_of_one, plan_rewrite
from .rewrite.refusals import NothingSaved, Unfixable
from .rule import Rule
from .run_rules import fault
from .safety import Assessment, assess, values_of
from .source import Source
from .wording import Wording

_HEADS = ("lm_head", "output_layer", "head")
_DEEPEST = 3
"""Functions that a copy is followed through."""
_LOOKING = ("locals", "vars", "eval", "exec", "dir", "globals")
_FRAMES = ("inspect.currentframe", "inspect.stack", "sys._getframe")
"""What gives the names of whoever calls it, or of those who call that."""
_KERNEL_LANGUAGES = ("triton", "tilelang", "numba", "jax", "mlx", "cutlass", "taichi")


@dataclass(frozen=True, slots=True)
class Demands:
    """What the caller asks for."""

    least: Confidence
    vocab_names: tuple[str, ...]
    not_vocab_names: tuple[str, ...]
    inference: bool
    writes_fixes: bool = True
    """Whether edits are wanted, or only what is found."""
    depth: int = 0
    """How many functions the copy has been handed through."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    edits: tuple[Edit, ...]
    assessment: Assessment
    reason: str = ""
    """Why there is no rewrite, where there is none."""


def findings_of(
    facts: Facts,
    candidates: Sequence[ast.Call],
    rules: Sequence[Rule],
    directives: Directives,
    demands: Demands,
) -> Iterator[Finding]:
    """The findings of one scope; `candidates` are its calls that may be casts."""
    if _is_kernel(facts):
        return
    by_code = {rule.code: rule for rule in rules}

    def recognise(use: Use) -> tuple[str, Selection | Waste] | None:
        for rule in rules:
            found = rule.recognise(use)
            if found is not None:
                return rule.code, found
        return None

    for candidate in candidates:
        cast = recognise_cast(candidate, facts) or cast_inside(candidate, facts)
        if cast is None:
            continue
        facts.tree.work.spend(len(facts.names.definitions) + len(facts.nodes(ast.Call)))
        width: Width | None = None
        if demands.least is not Confidence.LOW:  # the cheaper question first
            width = _width_of(cast, facts, demands)
            if not width.grounds.confidence.reaches(demands.least):
                continue
        flow = follow(cast, facts, directives, recognise)
        if flow.is_loop_carried:
            continue
        wasteful = wasteful_reads(flow, facts)
        if wasteful:
            width = width or _width_of(cast, facts, demands)
            adviser = _Judge(
                facts,
                flow,
                paths_of(flow, facts),
                effects_of(facts),
                directives,
                demands,
                width,
            )
            yield adviser.advice(by_code, wasteful)
        if not flow.selections():
            yield from _found_elsewhere(flow, facts, rules, directives, demands)
            continue
        if may_be_container(cast.source, flow.selections(), facts):
            continue
        other = other_of_cast(cast, flow.selections(), facts)
        if other is not None and other.is_evident:
            continue
        if facts.once(_sees_names):
            continue
        flow.reads = [_demoted(read, flow, facts) for read in flow.reads]
        paths = paths_of(flow, facts)
        if NARROW not in paths.from_origin() or covers_everything(flow, facts):
            continue
        elements = element_type(cast.source, facts)
        if elements.elements in (Elements.NOT_FLOAT, Elements.WIDE):
            continue
        width = width or _width_of(cast, facts, demands)
        judge = _Judge(
            facts, flow, paths, effects_of(facts), directives, demands, width
        )
        finding = judge.finding(by_code, elements)
        if finding is not None:
            yield finding


def _found_elsewhere(
    flow: Flow,
    facts: Facts,
    rules: Sequence[Rule],
    directives: Directives,
    demands: Demands,
) -> Iterator[Finding]:
    """The finding at a cast whose copy only functions of the project read."""
    handings = handings_of(flow, facts)
    if not handings or demands.depth >= _DEEPEST:
        return
    cast = flow.cast
    elements = element_type(cast.source, facts)
    if elements.elements in (Elements.NOT_FLOAT, Elements.WIDE):
        return
    inside = replace(demands, least=Confidence.LOW, depth=demands.depth + 1)

    def judge(there: Facts, calls: Sequence[ast.Call]) -> Iterator[Finding]:
        is_here = there.source.path == facts.source.path
        stated = directives if is_here else Directives()
        return findings_of(there, calls, rules, stated, inside)

    found = read_elsewhere(cast, handings, facts, judge)
    if found is None:
        return
    width = _width_of(cast, facts, demands)
    first, takers = found.inner[0], found.related
    words = Wording(facts, flow, width)
    safety = Safety.DISPLAY if found.fix is None else found.fix.safety
    where = facts.source.node_range(cast.call)
    note = "not rewritten: the copy is read in another function, to cast there"
    pairs = zip(found.functions, takers, strict=True)
    others = dict.fromkeys(f"`{name}`" for name, taker in pairs if taker.path)
    if others:
        names = " and ".join(others)
        note = f"not rewritten: give {names} the source, to cast there what is selected"
    inner = [read for each in found.inner for read in each.reads]
    yield first._replace(
        message=words.message_elsewhere(found.functions),
        range=where,
        cast=where,
        cast_label=words.cast_label(),
        reads=tuple(read for read in inner if read.path is None),
        grounds=width.grounds,
        condition=first.condition if found.fix else None,
        safety=safety,
        fix=found.fix,
        suppression_rows=_rows_of([cast.call], facts),
        notes=() if found.fix else (note,),
        related=(
            *takers,
            *(read for read in inner if read.path is not None),
            *(read for each in found.inner for read in each.related),
        ),
    )


def too_large(scope: ScopeNode, source: Source) -> Finding:
    """The note that a scope was given up, which nothing is known of then."""
    match scope:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            what = f"function `{name}`"
        case ast.ClassDef(name=name):
            what = f"class `{name}`"
        case ast.Lambda():
            what = "a lambda"
        case ast.Module():
            what = "the module"
    start = Position(1, 1)
    if not isinstance(scope, ast.Module):
        start = source.node_range(scope).start
    note = fault(f"{what} is too large to be analysed", start)
    return note._replace(suppression_rows=(start.row,))


def _width_of(cast: Cast, facts: Facts, demands: Demands) -> Width:
    return judge_width(cast.source, facts, demands.vocab_names, demands.not_vocab_names)


def _is_kernel(facts: Facts) -> bool:
    """Whether a scope is compiled by another language, with tensors of its own."""
    decorators = getattr(facts.scope, "decorator_list", [])
    for decorator in decorators:
        head = decorator.func if isinstance(decorator, ast.Call) else decorator
        dotted = _outer_resolve(head, facts)
        if dotted.split(".")[0] in _KERNEL_LANGUAGES:
            return True
    return False


def _outer_resolve(node: ast.expr, facts: Facts) -> str:
    text = ast.unparse(node)
    head = text.split(".")[0]
    for names in facts.imports.outer:
        for definition in names.named(head):
            if isinstance(definition.node, ast.alias):
                parent = facts.tree.parents[definition.node]
                if isinstance(parent, ast.ImportFrom):
                    return parent.module or ""
                return definition.node.name
    return head


def _sees_names(facts: Facts) -> bool:
    """Whether a scope, or what it calls, looks at its names: none may be dropped."""
    looking: frozenset[str] = frozenset()
    if "f_locals" in facts.source.text:
        looking = facts.tree.once(facts.tree.module, _looking_at_frames)
    return any(
        (isinstance(call.func, ast.Name) and call.func.id in _LOOKING)
        or facts.resolve(call.func) in _FRAMES
        or getattr(call.func, "attr", getattr(call.func, "id", "")) in looking
        for call in facts.nodes(ast.Call)
    )


def _looking_at_frames(module: ast.Module) -> frozenset[str]:
    """The names of the functions of a file that look at what their callers bind."""
    names = {dotted.rpartition(".")[2] for dotted in _FRAMES}
    return frozenset(
        function.name
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(
            isinstance(part, ast.Attribute) and part.attr == "f_locals"
            for part in ast.walk(function)
        )
        and any(
            getattr(part, "attr", getattr(part, "id", "")) in names
            for part in ast.walk(function)
        )
    )


def _demoted(read: Read, flow: Flow, facts: Facts) -> Read:
    """What is no selection after all: it compares after arithmetic, or is repeated."""
    selection = read.selection
    if is_taken_again(read, flow, facts):
        assert selection is not None
        reason = f"`{selection.label}` takes the same in every round"
        return replace(read, kind=Kind.FULL, selection=None, reason=reason)
    if (
        selection is not None
        and selection.order_only
        and (read.lifts or flow.is_mixed or flow.scalings)
    ):
        return replace(
            read,
            kind=Kind.FULL,
            selection=None,
            reason=f"compared by `{selection.label}` after arithmetic",
        )
    return read


def _dimensions(flow: Flow, width: Width, facts: Facts) -> tuple[str, ...]:
    """The dimensions of the copy: numbers where the code states them, else names."""
    sizes = known_sizes(flow.cast.source, facts)
    if sizes is None:
        return width.dimensions
    if None not in sizes:
        return tuple(map(str, sizes))
    if len(sizes) != len(width.dimensions):
        return ()
    pairs = zip(sizes, width.dimensions, strict=True)
    return tuple(name if size is None else str(size) for size, name in pairs)


def _rows_of(nodes: Sequence[ast.AST], facts: Facts) -> tuple[int, ...]:
    """The first and last rows of the statements around nodes."""
    rows: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.comprehension):
            node = node.iter
        statement = facts.tree.statement(node)
        if isinstance(statement, ast.Lambda):
            continue
        rows.add(statement.lineno)
        last = statement.end_lineno or statement.lineno
        body = getattr(statement, "body", None)
        if isinstance(body, list):
            last = max(getattr(node, "end_lineno", 0) or 0, statement.lineno)
        rows.add(last)
    return tuple(sorted(rows))


class _Judge:
    def __init__(
        self,
        facts: Facts,
        flow: Flow,
        paths: Paths,
        effects: Effects,
        directives: Directives,
        demands: Demands,
        width: Width,
    ) -> None:
        self.facts = facts
        self.flow = flow
        self.paths = paths
        self.effects = effects
        self.directives = directives
        self.demands = demands
        self.width = replace(width, dimensions=_dimensions(flow, width, facts))
        self.source = facts.source

    def finding(self, rules: dict[str, Rule], elements: ElementType) -> Finding | None:
        verdict = self._verdict(elements)
        if verdict is None:
            return None
        reads = narrow_reads(self.flow, self.paths, self.facts)
        words = Wording(self.facts, self.flow, self.width)
        code = reads[0].code
        rule = rules[code]
        cast = self.flow.cast
        safety = verdict.assessment.safety if verdict.edits else Safety.DISPLAY
        message = words.message(reads)
        fix = condition = None
        if verdict.edits:
            fix = Fix(safety, words.fix_message(), verdict.edits)
            condition = "; ".join(verdict.assessment.conditions) or None
        notes = [f"not rewritten: {verdict.reason}"] if verdict.reason else []
        notes += [f"rests on {a}" for a in verdict.assessment.assumptions]
        return Finding(
            code=code,
            name=rule.name,
            message=message,
            range=self._location(reads[0]),
            cast=self.source.node_range(cast.call),
            cast_label=words.cast_label(),
            reads=tuple(words.reported(r) for r in reads),
            grounds=self.width.grounds,
            condition=condition,
            safety=safety,
            fix=fix,
            estimate=words.estimate(reads),
            suppression_rows=_rows_of(
                [self.flow.cast.call, *(read.node for read in reads)], self.facts
            ),
            notes=tuple(notes),
            related=words.returned(),
        )

    def advice(self, rules: dict[str, Rule], reads: Sequence[Read]) -> Finding:
        """What to say of reads that waste what they make, which nothing rewrites."""
        rule = rules[reads[0].code]
        words = Wording(self.facts, self.flow, self.width)
        wastes = [read.waste for read in reads if read.waste is not None]
        return Finding(
            code=rule.code,
            name=rule.name,
            message=words.waste(wastes),
            range=self._location(reads[0]),
            cast=self.source.node_range(self.flow.cast.call),
            cast_label=words.cast_label(),
            reads=tuple(
                ReportedRead(self.source.node_range(w.node), f"keeps {w.kept}")
                for w in wastes
            ),
            grounds=self.width.grounds,
            estimate=words.wasted(wastes),
            suppression_rows=_rows_of(
                [self.flow.cast.call, *(read.node for read in reads)], self.facts
            ),
            notes=(f"not rewritten: {wastes[0].advice}",),
        )

    def _verdict(self, elements: ElementType) -> _Verdict | None:
        """The rewrite and its safety; None where the finding would be wrong."""
        if self.flow.of_kind(Kind.WRITE):
            return None
        try:
            plan = plan_rewrite(self.flow, self.paths, self.facts)
        except NothingSaved:
            return None
        except Unfixable as reason:
            lifted = self._lifted_to_cast(elements)
            return lifted or self._displayed(str(reason))
        assessment = assess(
            plan,
            self.facts,
            self.directives,
            elements,
            self.demands.inference,
        )
        if self._written_result(plan):
            return None
        if assessment.blockers and self._is_overwritten():
            return self._hoisted(assessment)
        if assessment.blockers:
            return _Verdict((), assessment, assessment.blockers[0])
        if not self.demands.writes_fixes:
            return _Verdict((), assessment)
        from .rewrite.edits import write_plan  # libcst, for those with an edit

        try:
            edits = write_plan(plan, self.facts, self._is_dense())
        except Unfixable as reason:
            return _Verdict((), assessment, str(reason))
        return _Verdict(edits, assessment)

    def _hoisted(self, assessment: Assessment) -> _Verdict | None:
        if len(self.flow.carriers) != 1 or any(r.steps for r in self.flow.reads):
            return None
        edits = hoist_selection(self.flow, self.facts)
        if not edits or len(assessment.blockers) > 1:
            return None
        return _Verdict(edits, assessment.before_write())

    def _lifted_to_cast(self, elements: ElementType) -> _Verdict | None:
        """What stands between, of some paths or in place, stays where it is."""
        if not (
            self.flow.is_mixed
            or self.flow.scalings
            or any(step.row for read in self.flow.reads for step in read.steps)
        ):
            return None
        if not all(demand & NARROW for demand in self.paths.from_origin()):
            return None
        edits = hoist_selection(self.flow, self.facts, may_copy=True)
        if not edits:
            return None
        lifts = {s: None for c in self.flow.carriers.values() for s in c.steps}
        lifts |= dict.fromkeys(self.flow.scalings)
        read = replace(self.flow.reads[0], steps=tuple(lifts))
        plan = plan_of_one(replace(self.flow, reads=[read]), read)
        assessment = assess(
            plan,
            self.facts,
            self.directives,
            elements,
            self.demands.inference,
            in_place=True,
        )
        if assessment.blockers:
            return _Verdict((), assessment, assessment.blockers[0])
        return _Verdict(edits, assessment)

    def _displayed(self, reason: str) -> _Verdict:
        return _Verdict((), Assessment(), reason)

    def _is_overwritten(self) -> bool:
        """Whether the source evidently changes between the cast and a selection."""
        return any(
            write.certainty is Certainty.WRITES
            and may_run_between(self.flow.start, write.node, read.node, self.facts)
            for write in self.effects.writes_to(self.flow.cast.source)
            for read in self.flow.selections()
        )

    def _written_result(self, plan: Plan) -> bool:
        """Whether a view of the copy is written through while others read the copy."""
        views = [
            m
            for m in plan.moved
            if m.read.selection is not None and m.read.selection.is_view
        ]
        data = [r for r in self.flow.reads if r.kind is not Kind.METADATA]
        if not views or len(data) == 1:
            return False
        return any(
            self.effects.written_through(node) is Certainty.WRITES
            for moved in views
            for node in values_of(moved, self.facts)
        )

    def _is_dense(self) -> bool:
        """Whether the source has no gaps in memory, by how it is made."""
        value = self.facts.value(self.flow.cast.source)
        if isinstance(value, ast.Call):
            function = value.func
            name = function.attr if isinstance(function, ast.Attribute) else ""
            made = ops.tensor(name)
            return name in _HEADS or (made is not None and made.is_compact)
        return False

    # Places

    def _location(self, read: Read) -> Range:
        """The read's statement for one-expression forms, else the cast."""
        tree = self.facts.tree
        cast = self.flow.cast
        statement = tree.statement(cast.call)
        if self.flow.carriers or tree.statement(read.node) is not statement:
            return self.source.node_range(cast.call)
        if isinstance(statement, ast.Assign | ast.Return | ast.Expr | ast.AugAssign):
            return self.source.node_range(statement)
        node = read.node if isinstance(read.node, ast.expr) else cast.call
        return self.source.node_range(node)
