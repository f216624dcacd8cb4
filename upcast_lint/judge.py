"""From a flow to a finding: is there one, how safe is its rewrite, what to say."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .analysis.casts import Cast, recognise_cast
from .analysis.directives import Directives
from .analysis.effects import Certainty, Effects, effects_of
from .analysis.elements import Elements, ElementType, element_type
from .analysis.facts import Facts
from .analysis.flow import Flow, Read, follow, paths_of
from .analysis.order import may_run_between
from .analysis.paths import NARROW, Paths, negation
from .analysis.reads import Kind, Result, Selection, StepKind, Use
from .analysis.syntax import walk_scope
from .analysis.width.verdict import Width, judge_width
from .finding import Edit, Estimate, Finding, Fix, Range, Safety
from .finding import Read as ReportedRead
from .rewrite.edits import write_plan
from .rewrite.hoist import hoist_selection
from .rewrite.plan import Plan, plan_rewrite
from .rewrite.text import Unfixable
from .rule import Rule
from .safety import Assessment, assess, values_of

_KERNEL_LANGUAGES = ("triton", "tilelang", "numba", "jax", "mlx", "cutlass", "taichi")


@dataclass(frozen=True, slots=True)
class Demands:
    """What the caller asks for."""

    any_width: bool
    vocab_names: tuple[str, ...]
    not_vocab_names: tuple[str, ...]
    inference: bool


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

    def recognise(use: Use) -> tuple[str, Selection] | None:
        for rule in rules:
            selection = rule.recognise(use)
            if selection is not None:
                return rule.code, selection
        return None

    for candidate in candidates:
        cast = recognise_cast(candidate, facts)
        if cast is None:
            continue
        width: Width | None = None
        if not demands.any_width:  # the cheaper question first
            width = _width_of(cast, facts, demands)
            if not width.is_vocab_wide:
                continue
        flow = follow(cast, facts, directives, recognise)
        if not flow.selections() or flow.is_loop_carried:
            continue
        if _is_module(cast.source, facts) or _sees_names(facts):
            continue
        flow.reads = [_demoted(read) for read in flow.reads]
        paths = paths_of(flow, facts)
        if NARROW not in paths.from_origin() or _covers_everything(flow, facts):
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


def _is_module(source: ast.expr, facts: Facts) -> bool:
    """Whether a source evidently is a `torch.nn.Module`, which casts in place."""
    value = facts.value(source)
    if not isinstance(value, ast.Call):
        return False
    module, _, name = (facts.resolve(value.func) or "").rpartition(".")
    return module in ("torch.nn", "torch.nn.modules") and name != "Parameter"


def _sees_names(facts: Facts) -> bool:
    """Whether a scope looks at its own names, so that none may be dropped."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("locals", "vars", "eval", "exec")
        for node in walk_scope(facts.scope)
    )


def _demoted(read: Read) -> Read:
    """A selection that compares elements cannot be lifted over arithmetic."""
    selection = read.selection
    if selection is not None and selection.order_only and read.lifts:
        return replace(
            read,
            kind=Kind.FULL,
            selection=None,
            reason=f"compared by `{selection.label}` after arithmetic",
        )
    return read


def _covers_everything(flow: Flow, facts: Facts) -> bool:
    """Whether selections that keep a part each keep the whole together, on one path."""
    reads = [r for r in flow.selections() if r.selection and r.selection.piece]
    for first in reads:
        alike = [
            read
            for read in reads
            if read.steps == first.steps and _dimension(read) == _dimension(first)
        ]
        for chain in (_chain_from(first, alike), _interleaved(first, alike)):
            if chain and _meet_on_a_path(chain, flow, facts):
                return True
    return False


def _dimension(read: Read) -> int | None:
    piece = read.selection.piece if read.selection else None
    return piece.dimension if piece else None


def _bounds(read: Read) -> tuple[str | None, str | None, str | None]:
    assert read.selection is not None and read.selection.piece is not None
    piece = read.selection.piece
    return piece.lower, piece.upper, piece.step


def _chain_from(first: Read, reads: Sequence[Read]) -> list[Read]:
    """Slices that follow on one another, from an open start to an open end."""
    chain = [first]
    if _bounds(first)[0] is not None:
        return []
    while _bounds(chain[-1])[1] is not None:
        upper = _bounds(chain[-1])[1]
        following = [r for r in reads if _bounds(r)[0] == upper and r not in chain]
        if not following:
            return []
        chain.append(following[0])
    return chain if len(chain) > 1 else []


def _interleaved(first: Read, reads: Sequence[Read]) -> list[Read]:
    """Slices with one step and different starts, such as `[::2]` and `[1::2]`."""
    lower, _, step = _bounds(first)
    if step is None:
        return []
    others = [r for r in reads if _bounds(r)[2] == step and _bounds(r)[0] != lower]
    return [first, others[0]] if others else []


def _meet_on_a_path(reads: Sequence[Read], flow: Flow, facts: Facts) -> bool:
    demands: dict[ast.AST, int] = {}
    for number, read in enumerate(reads):
        demands[read.node] = demands.get(read.node, 0) | 1 << number
    everything = (1 << len(reads)) - 1
    return everything in Paths(flow.origin, demands, facts).from_origin()


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
        self.width = width
        self.source = facts.source

    def finding(self, rules: dict[str, Rule], elements: ElementType) -> Finding | None:
        verdict = self._verdict(elements)
        if verdict is None:
            return None
        reads = self.flow.selections()
        code = reads[0].code
        rule = rules[code]
        cast = self.flow.cast
        safety = verdict.assessment.safety if verdict.edits else Safety.DISPLAY
        message = self._message(reads)
        fix = None
        if verdict.edits:
            fix = Fix(safety, self._fix_message(), verdict.edits)
        condition = "; ".join(verdict.assessment.conditions) or None
        notes = [f"not rewritten: {verdict.reason}"] if verdict.reason else []
        notes += [f"rests on {a}" for a in verdict.assessment.assumptions]
        return Finding(
            code=code,
            name=rule.name,
            message=message,
            range=self._location(reads[0]),
            cast=self.source.node_range(cast.call),
            cast_label=self._cast_label(),
            reads=tuple(self._reported(r) for r in reads),
            because=self.width.because or ("`--width any` reports every width",),
            condition=condition,
            safety=safety,
            fix=fix,
            estimate=(
                Estimate(cast.itemsize, self.width.dimensions)
                if self.width.dimensions
                else None
            ),
            suppression_rows=self._suppression_rows(reads),
            notes=tuple(notes),
        )

    def _verdict(self, elements: ElementType) -> _Verdict | None:
        """The rewrite and its safety; None where the finding would be wrong."""
        if self.flow.of_kind(Kind.WRITE):
            return None
        try:
            plan = plan_rewrite(self.flow, self.paths, self.facts)
        except Unfixable as reason:
            return self._displayed(str(reason))
        assessment = assess(
            plan,
            self.facts,
            self.effects,
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
        try:
            edits = write_plan(plan, self.facts, self._is_dense())
        except Unfixable as reason:
            return _Verdict((), assessment, str(reason))
        return _Verdict(edits, assessment)

    def _hoisted(self, assessment: Assessment) -> _Verdict | None:
        edits = hoist_selection(self.flow, self.effects, self.facts)
        if not edits or len(assessment.blockers) > 1:
            return None
        assessment.blockers.clear()
        assessment.need("backward does not mind that the source is written to")
        return _Verdict(edits, assessment)

    def _displayed(self, reason: str) -> _Verdict:
        return _Verdict((), Assessment(), reason)

    def _is_overwritten(self) -> bool:
        """Whether the source evidently changes between the cast and a selection."""
        return any(
            write.certainty is Certainty.WRITES
            and may_run_between(self.flow.cast.call, write.node, read.node, self.facts)
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
            self._is_written(node)
            for moved in views
            for node in values_of(moved, self.facts)
        )

    def _is_written(self, node: ast.expr) -> bool:
        """Whether a value, or the name it is bound to, is written to in place."""
        parent = self.facts.tree.parents[node]
        match parent:
            case ast.Attribute(attr=name):
                return name.endswith("_") or not isinstance(parent.ctx, ast.Load)
            case ast.Subscript():
                return not isinstance(parent.ctx, ast.Load)
            case ast.AugAssign():
                return parent.target is node
            case ast.Assign() | ast.NamedExpr() | ast.AnnAssign():
                names = {
                    d.name for d in self.facts.names.definitions if d.value is node
                }
                return any(
                    write.certainty is Certainty.WRITES and write.path in names
                    for write in self.effects.writes
                )
            case _:
                return False

    def _is_dense(self) -> bool:
        """Whether the source has no gaps in memory, by how it is made."""
        value = self.facts.value(self.flow.cast.source)
        if isinstance(value, ast.Call):
            function = value.func
            name = function.attr if isinstance(function, ast.Attribute) else ""
            return name in (
                "contiguous",
                "reshape",
                "log_softmax",
                "softmax",
                "matmul",
                "linear",
                "clone",
                "lm_head",
                "output_layer",
                "head",
            )
        return False

    # Words

    def _cast_label(self) -> str:
        shape = ", ".join(self.width.dimensions)
        return f"cast of [{shape}]" if shape else "cast"

    def _message(self, reads: Sequence[Read]) -> str:
        cast = self.flow.cast
        name = _shortened(self.source.segment(cast.source))
        labels = list(
            dict.fromkeys(f"`{r.selection.label}`" for r in reads if r.selection)
        )
        listed = _listed(labels)
        verb = "reads" if len(labels) == 1 else "read"
        when = self._condition(reads)
        if (
            all(
                r.selection is not None and r.selection.result is Result.INDICES
                for r in reads
            )
            and not self.flow.full_reads()
        ):
            return (
                f"`{name}` is upcast to {cast.dtype} whole, but only {listed} {verb} "
                "it, which needs no cast"
            )
        return (
            f"`{name}` is upcast to {cast.dtype} whole, but only {listed} {verb} it"
            f"{when}"
        )

    def _condition(self, reads: Sequence[Read]) -> str:
        """In which branch the selection is, where others read the whole copy."""
        if not self.flow.full_reads():
            return ""
        conditions = self._conditions_of(reads[0])
        return f" when {' and '.join(conditions)}" if conditions else ""

    def _conditions_of(self, read: Read) -> list[str]:
        tree = self.facts.tree
        out: list[str] = []
        child: ast.AST = read.node
        for parent in tree.ancestors(read.node):
            if tree.contains(parent, self.flow.cast.call):
                out += self._passed(parent, child)
                break
            if isinstance(parent, ast.If):
                test = parent.test
                if child in parent.body:
                    if any(self.paths.has_full_read(s) for s in self._else_of(parent)):
                        out.append(ast.unparse(test))
                elif child in parent.orelse and any(
                    self.paths.has_full_read(s) for s in parent.body
                ):
                    out.append(negation(test))
            out += self._passed(parent, child)
            child = parent
        return list(dict.fromkeys(reversed(out)))

    def _else_of(self, branch: ast.If) -> list[ast.stmt]:
        """What runs instead of a branch: its `else`, or the rest if it leaves."""
        if branch.orelse or not _leaves(branch.body):
            return branch.orelse
        place = self.facts.tree.place(branch)
        return place.suite[place.index + 1 :]

    def _passed(self, parent: ast.AST, child: ast.AST) -> list[str]:
        """Conditions of earlier branches that read the whole copy and leave."""
        out: list[str] = []
        for name in ("body", "orelse", "finalbody"):
            suite = getattr(parent, name, None)
            if not isinstance(suite, list) or child not in suite:
                continue
            for statement in suite[: suite.index(child)]:
                if (
                    isinstance(statement, ast.If)
                    and any(self.paths.has_full_read(s) for s in statement.body)
                    and _leaves(statement.body)
                ):
                    out.append(negation(statement.test))
        return out[::-1]

    def _fix_message(self) -> str:
        reads = self.flow.selections()
        if all(r.selection and r.selection.result is Result.INDICES for r in reads):
            return "Remove the cast"
        return "Select first, then cast the result"

    def _reported(self, read: Read) -> ReportedRead:
        selection = read.selection
        assert selection is not None
        node = selection.node
        start = self.source.node_start(read.operand)
        end = self.source.node_end(read.operand)
        if not isinstance(node, ast.expr):
            where = self.source.node_range(node.iter)
        elif node.lineno < self.source.position(end).row and (
            self.source.node_start(node) == start
        ):
            where = self.source.range(end, self.source.node_end(node))
        else:
            where = self.source.node_range(node)
        return ReportedRead(where, f"keeps {self._kept(read, selection)}")

    def _kept(self, read: Read, selection: Selection) -> str:
        dimensions = list(self.width.dimensions)
        axis = selection.axis
        if (
            axis is None
            or any(s.kind is StepKind.VIEW for s in read.steps)
            or not -len(dimensions) <= axis < len(dimensions)
        ):
            return selection.narrow or ""
        if selection.kept:
            dimensions[axis] = selection.kept
        else:
            del dimensions[axis]
        return f"[{', '.join(dimensions)}]"

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

    def _suppression_rows(self, reads: Sequence[Read]) -> tuple[int, ...]:
        rows: set[int] = set()
        for node in [self.flow.cast.call, *(r.node for r in reads)]:
            if isinstance(node, ast.comprehension):
                node = node.iter
            statement = self.facts.tree.statement(node)
            if isinstance(statement, ast.Lambda):
                continue
            rows.add(statement.lineno)
            last = statement.end_lineno or statement.lineno
            body = getattr(statement, "body", None)
            if isinstance(body, list):
                last = max(getattr(node, "end_lineno", 0) or 0, statement.lineno)
            rows.add(last)
        return tuple(sorted(rows))


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _listed(words: list[str]) -> str:
    if len(words) <= 1:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _leaves(suite: list[ast.stmt]) -> bool:
    """Whether a suite ends by leaving the statements behind its own."""
    return isinstance(suite[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
