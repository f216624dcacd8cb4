"""A plan written out as edits of the source text."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..analysis.casts import Cast
from ..analysis.facts import Facts
from ..analysis.flow import Carrier
from ..analysis.questions import decides_alone, is_made_like, settled_answer
from ..analysis.reads import Kind, Result, Selection, Step, StepKind
from ..finding import Edit
from .lines import Lines
from .names import occurrences, shorter_name
from .plan import Moved, Plan, ValueSite
from .replacement_fields import check_fields
from .sink import Placement
from .text import (
    Text,
    Unfixable,
    cast_text,
    drop_cast,
    indentation,
    is_blank_or_comment,
    is_elif,
    line_end,
    rest_of_line,
)

_RESHAPES = {"view": "reshape", "view_as": "reshape_as"}
_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.IfExp)


def write_plan(plan: Plan, facts: Facts, known_dense: bool) -> tuple[Edit, ...]:
    """The edits of a plan. Raises Unfixable where the text has no place for them.

    `known_dense` states that the source has no gaps in memory, so that `view` works on
    it as on its copy.
    """
    return _Writer(plan, facts, known_dense).write()


class _Writer:
    def __init__(self, plan: Plan, facts: Facts, known_dense: bool) -> None:
        self.plan = plan
        self.flow = plan.flow
        self.cast: Cast = plan.flow.cast
        self.facts = facts
        self.source = facts.source
        self.text = Text(facts.source)
        self.known_dense = known_dense
        self.lines = Lines(self.text, facts)
        self.renamed: dict[ast.Name, str] = {}

    def write(self) -> tuple[Edit, ...]:
        if not self.known_dense:
            self._reshape_views()
        self._rename_dropped()
        self._rename_misleading()
        self._write_types()
        chained = self._remove_cast()
        self._strip_lifts()
        for moved in self.plan.moved:
            self._move(moved, chained)
        for placement in self.plan.placements:
            self._write_placement(placement)
        self.lines.flush()
        check_fields(self.text, self._touched(), self.facts)
        return self.text.edits()

    def _touched(self) -> list[ast.AST]:
        reads = [m.read.node for m in self.plan.moved]
        return [self.cast.call, *reads, *self.flow.loads, *self.renamed]

    # The cast goes

    def _remove_cast(self) -> list[str] | None:
        """Take the cast out; what `drop_cast` says of its line in a chain."""
        first = self._first_carrier()
        guard = self.flow.guard
        if first is not None and first.definition in self.plan.dropped:
            statement = self.facts.tree.statement(self.cast.call)
            if guard is not None and isinstance(guard.holder, ast.If):
                statement = guard.holder
            if is_elif(statement, self.source):
                raise Unfixable("the guard of the cast is an `elif`")
            self._keep_comments(self.lines.drop(statement))
            return None
        if guard is not None:
            if isinstance(guard.holder, ast.If):
                raise Unfixable("a guarded cast binds another name")
            start = self.source.node_start(guard.holder)
            end = self.source.node_end(guard.holder)
            self.text.replace(start, end, self.source.segment(self.cast.source))
            self._take_comments()
            return None
        chained = drop_cast(self.cast, self.text)
        return self._take_comments(chained)

    def _take_comments(self, chained: list[str] | None = None) -> list[str] | None:
        """Let what speaks of the cast go with it to another statement.

        `chained` are comments in its chain; they are given back where it stays in one.
        """
        statement = self.facts.tree.statement(self.cast.call)
        homes = self._homes()
        if not homes or statement in homes:
            return chained
        comments = list(chained or ())
        if not hasattr(statement, "body"):
            comments = [*self.lines.take_comments(statement), *comments]
        self._keep_comments(comments)
        return None

    def _first_carrier(self) -> Carrier | None:
        for carrier in self.flow.carriers.values():
            if carrier.load is None and not carrier.own:
                return carrier
        for definition in self.plan.dropped:
            carrier = self.flow.carriers[definition]
            if carrier.load is None:
                return carrier
        return None

    def _keep_comments(self, comments: Sequence[str]) -> None:
        """Put the comments of a dropped cast where the cast first goes."""
        homes = self._homes()
        if not homes:
            return
        for line in comments:
            self.lines.insert_before(homes[0], line)

    def _homes(self) -> list[ast.stmt]:
        """The statements that the cast goes to, in order."""
        homes = [p.statement for p in self.plan.placements]
        homes += [
            self.facts.tree.statement(m.read.node)
            for m in self.plan.moved
            if isinstance(m.read.node, ast.expr)
        ]
        return sorted(homes, key=lambda s: s.lineno)

    # Names and types

    def _rename_dropped(self) -> None:
        """Let loads of dropped carriers read the source by its own name."""
        names = self.facts.names
        inline = {p.loads[0] for p in self.plan.placements if p.is_inline}
        for definition in self.plan.dropped:
            name = getattr(self.cast.source, "id", "")
            if name == definition.name:
                continue
            for load in names.uses(definition):
                if load in inline or self._is_kept(load):
                    continue
                statement = self.facts.tree.statement(load)
                if isinstance(statement, ast.Delete):
                    self.lines.forget(statement, load)
                    continue
                self.renamed[load] = name
                self._replace_node(load, name)

    def _rename_misleading(self) -> None:
        """A name such as `logits_fp32` must not be left to the bare tensor."""
        if self.plan.placements:
            return
        names = self.facts.names
        for definition in self.flow.carriers:
            if definition in self.plan.dropped or not all(
                d in self.flow.carriers for d in names.named(definition.name)
            ):
                continue
            short = shorter_name(definition.name, self.facts)
            if short is not None:
                for name in self.facts.once(occurrences)[definition.name]:
                    self.renamed[name] = short
                    self._replace_node(name, short)

    def _is_kept(self, load: ast.Name) -> bool:
        return any(p.gives(load, self.facts) for p in self.plan.placements)

    def _replace_node(self, node: ast.expr, content: str) -> None:
        self.text.replace(
            self.source.node_start(node), self.source.node_end(node), content
        )

    def _write_types(self) -> None:
        """Write out the element type where it was read from the copy."""
        for read in self.flow.of_kind(Kind.DTYPE):
            if read.load is not None and self._is_kept(read.load):
                continue
            if is_made_like(read.node):
                self._write_type_argument(read.node)
                continue
            assert isinstance(read.node, ast.expr)
            if decides_alone(read.node, self.facts):
                raise Unfixable("a test would only ask for the type of the cast")
            if isinstance(read.node, ast.Attribute) and read.node.attr == "dtype":
                answer: str | None = self._type_text()
            else:
                answer = settled_answer(read.node, self.cast)
            if answer is None:
                raise Unfixable("the class of the copy is asked for")
            self.text.discard_within(
                self.source.node_start(read.node), self.source.node_end(read.node)
            )
            self._replace_node(read.node, answer)

    def _write_type_argument(self, call: ast.Call) -> None:
        """`dtype=torch.float32` for a tensor that is made like the copy."""
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if not given:
            raise Unfixable("a tensor of the copy's type is made")
        end = max(map(self.source.node_end, given))
        rest = self.source.text[end : self.source.node_end(call)]
        if "".join(rest.split()) not in (")", ",)"):
            raise Unfixable("the type of the copy is written in a long call")
        self.text.insert(end, f", dtype={self._type_text()}")

    def _type_text(self) -> str:
        spelled = self.cast.dtype_node
        if isinstance(spelled, ast.Name | ast.Attribute):
            return self.source.segment(spelled)
        torch = self.facts.imports.name_of_torch()
        if torch is None:
            raise Unfixable("the copy's type is read, and `torch` has no name here")
        return f"{torch}.{self.cast.dtype}"

    def _reshape_views(self) -> None:
        """`view` may refuse a source with gaps where it took the dense copy."""
        done: set[Step] = set()
        steps = [s for m in self.plan.moved for s in m.read.steps]
        steps += [
            step
            for carrier in self.flow.carriers.values()
            for step in carrier.own
            if not any(p.covers(carrier.node, self.facts) for p in self.plan.placements)
        ]
        for step in steps:
            if not step.needs_dense or step in done:
                continue
            done.add(step)
            assert isinstance(step.node, ast.Call)
            function = step.node.func
            if not isinstance(function, ast.Attribute):
                raise Unfixable("a view of the copy may need dense memory")
            end = self.source.node_end(function)
            self.text.replace(end - len(function.attr), end, _RESHAPES[function.attr])

    # Lifts

    def _strip_lifts(self) -> None:
        """Carriers of arithmetic become carriers of the bare tensor."""
        for definition, carrier in self.flow.carriers.items():
            if not _has_lift(carrier.own):
                continue
            if definition in self.plan.dropped:
                if carrier.load is not None:
                    statement = self.facts.tree.statement(carrier.node)
                    self._keep_comments(self.lines.drop(statement))
                continue
            bare, _ = self._views(self._start(carrier.load), carrier.own)
            start = self.source.node_start(carrier.node)
            end = self.source.node_end(carrier.node)
            self.text.discard_within(start, end)
            self.text.replace(start, end, bare)

    def _start(self, load: ast.Name | None) -> str:
        if load is None:
            text = self.source.segment(self.cast.source)
            return text if _is_atom(self.cast.source) else f"({text})"
        return self.renamed.get(load, load.id)

    def _views(self, start: str, steps: Sequence[Step]) -> tuple[str, bool]:
        """The views of a chain, and whether their text is that of an operator."""
        out, is_operator = start, False
        for step in steps:
            if step.kind is StepKind.VIEW:
                operand = _operand(step.node, step.operand, out, is_operator)
                out = self.text.spliced(step.node, step.operand, operand)
                is_operator = isinstance(step.node, _OPERATORS)
        return out, is_operator

    # Selections and casts

    def _move(self, moved: Moved, chained: list[str] | None) -> None:
        read = moved.read
        if read.lifts:
            self._move_under_lifts(moved)
            return
        for site in moved.sites:
            self._cast_site(site, chained if read.load is None else None)

    def _cast_site(self, site: ValueSite, chained: list[str] | None) -> None:
        if site.node is None:
            self._cast_name(site)
            return
        if self.plan.keeps_guard:
            self._guard_site(site)
            return
        start, end = self.source.node_start(site.node), self.source.node_end(site.node)
        wrapped = cast_text(self.cast, "\0", self.source)
        head, _, tail = wrapped.partition("\0")
        if head:
            self.text.insert(start, head)
        if chained is not None and not head:
            row = self.source.position(end).row
            rest, _ = rest_of_line(self.source, end)
            if is_blank_or_comment(rest):
                start_of_line = line_end(self.source, row) + indentation(
                    self.source, self._cast_row()
                )
                tail = "".join(start_of_line + line for line in [*chained, tail])
                end += len(rest)
            elif chained:
                raise Unfixable("comments stand above the cast")
        self.text.insert(end, tail)

    def _cast_row(self) -> int:
        function = self.cast.call.func
        assert function.end_lineno is not None
        return function.end_lineno

    def _cast_name(self, site: ValueSite) -> None:
        """`name = name.float()` after the statement that binds it."""
        assert site.name is not None and site.statement is not None
        line = f"{site.name} = {cast_text(self.cast, site.name, self.source)}"
        statement = site.statement
        if isinstance(statement, ast.For):
            body = statement.body[0]
            if body.lineno == statement.iter.end_lineno:
                raise Unfixable("the loop has no lines of its own")
            self.lines.insert_before(body, line)
            return
        self.lines.insert_after(statement, line)

    def _guard_site(self, site: ValueSite) -> None:
        assert self.flow.guard is not None and site.node is not None
        statement = self.facts.tree.parents[site.node]
        assert isinstance(statement, ast.Assign)
        target = statement.targets[0]
        assert isinstance(target, ast.Name)
        test = self.source.segment(self.flow.guard.test)
        if "\n" in test or "\r" in test:
            raise Unfixable("the guard is spelled over several lines")
        cast = cast_text(self.cast, target.id, self.source)
        if isinstance(self.flow.guard.holder, ast.If):
            owner = self.flow.guard.holder
            inner = indentation(self.source, owner.body[0].lineno)
            outer = indentation(self.source, owner.lineno)
            step = inner[len(outer) :] or "    "
            self.lines.insert_after(statement, f"if {test}:")
            self.lines.insert_after(statement, f"{step}{target.id} = {cast}")
        elif self.flow.guard.holder.body is self.cast.call:
            line = f"{target.id} = {cast} if {test} else {target.id}"
            self.lines.insert_after(statement, line)
        else:
            line = f"{target.id} = {target.id} if {test} else {cast}"
            self.lines.insert_after(statement, line)

    def _move_under_lifts(self, moved: Moved) -> None:
        """Rebuild `lift(cast(x))[index]` as `lift(cast(x[index]))`."""
        read = moved.read
        selection = read.selection
        assert selection is not None
        if selection.result is not Result.VALUES or not isinstance(
            selection.node, ast.expr
        ):
            raise Unfixable("the selection gives several tensors out of arithmetic")
        if self.plan.keeps_guard:
            raise Unfixable("the cast is conditional")
        out, operator = self._views(self._start(read.load), read.own)
        out = _operand(selection.node, read.operand, out, operator)
        out = self.text.spliced(selection.node, read.operand, out)
        out = cast_text(self.cast, out, self.source)
        operator = False
        for step in read.lifts:
            out = self._lifted(step, out, operator, selection)
            operator = isinstance(step.node, _OPERATORS)
        if operator and self._needs_parentheses(selection.node):
            out = f"({out})"
        start = self.source.node_start(selection.node)
        end = self.source.node_end(selection.node)
        self.text.discard_within(start, end)
        self.text.replace(start, end, out)

    def _lifted(
        self, step: Step, operand: str, operator: bool, selection: Selection
    ) -> str:
        operand = _operand(step.node, step.operand, operand, operator)
        if step.aligned is None:
            return self.text.spliced(step.node, step.operand, operand)
        rows = selection.rows
        if rows is None:
            raise Unfixable("a vector in the arithmetic has to be selected as well")
        name = step.aligned.id
        before = Text(self.source)
        before.replace(
            self.source.node_start(step.aligned),
            self.source.node_end(step.aligned),
            f"{name}[{self.source.segment(rows)}]",
        )
        return before.spliced(step.node, step.operand, operand)

    def _needs_parentheses(self, node: ast.expr) -> bool:
        parent = self.facts.tree.parents[node]
        match parent:
            case ast.Call():
                return node is parent.func
            case (
                ast.Assign()
                | ast.AnnAssign()
                | ast.Return()
                | ast.keyword()
                | ast.Expr()
                | ast.Tuple()
                | ast.List()
            ):
                return False
            case ast.Subscript():
                return node is parent.value
            case _:
                start, end = self.text.parenthesised(node, _around(parent, node))
                return (start, end) == (
                    self.source.node_start(node),
                    self.source.node_end(node),
                )

    def _write_placement(self, placement: Placement) -> None:
        cast = self.cast
        reaching = {d for load in placement.loads for d in self.facts.names.of(load)}
        dropped = reaching & self.plan.dropped
        inner = self.source.segment(cast.source) if dropped else placement.name
        if inner != placement.name and reaching != dropped:
            raise Unfixable("the whole copy is made in more than one way")
        if placement.is_inline:
            load = placement.loads[0]
            self.text.discard_within(
                self.source.node_start(load), self.source.node_end(load)
            )
            self._replace_node(load, cast_text(cast, inner, self.source))
            return
        line = f"{placement.name} = {cast_text(cast, inner, self.source)}"
        self.lines.insert_before(placement.statement, line)


def _operand(node: ast.expr, operand: ast.expr, content: str, is_operator: bool) -> str:
    """The text of an operand of `node`, in parentheses where it needs them."""
    if not is_operator or (isinstance(node, ast.Call) and operand in node.args):
        return content
    return f"({content})"


def _has_lift(steps: Sequence[Step]) -> bool:
    return any(s.kind is StepKind.LIFT for s in steps)


def _is_atom(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)


def _around(parent: ast.AST, node: ast.expr) -> ast.expr:
    return parent if isinstance(parent, ast.expr) else node
