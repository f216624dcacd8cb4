"""A plan written out: what becomes of each expression and statement that it touches."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property, partial

import libcst as cst

from ..analysis.casts import Cast
from ..analysis.facts import Facts
from ..analysis.flow import Carrier, Read
from ..analysis.questions import decides_alone, is_made_like, settled_answer
from ..analysis.reads import Kind, Result, Selection, Step, StepKind
from ..finding import Edit
from .chains import CastLine
from .expressions import CastSpelling, bare, fitted, operand, within
from .names import occurrences, shorter_name
from .passages import indentation
from .plan import Moved, Plan, ValueSite
from .refusals import Unfixable
from .sink import Placement, is_elif
from .statements import Statements

_RESHAPES = {"view": "reshape", "view_as": "reshape_as"}


def write_plan(plan: Plan, facts: Facts, known_dense: bool) -> tuple[Edit, ...]:
    """The edits of a plan. Raises Unfixable where the code has no place for them.

    `known_dense` states that the source has no gaps in memory, so that `view` works on
    it as on its copy.
    """
    try:
        return _Writer(plan, facts, known_dense).write()
    except RecursionError as error:
        raise Unfixable("a statement is nested too deeply") from error


def write_hoist(
    cast: Cast, selection: ast.expr, taken_from: ast.expr, facts: Facts
) -> tuple[Edit, ...]:
    """The edits that select at the cast, from its source. Raises Unfixable."""
    statements = Statements(facts)

    def selected(source: cst.BaseExpression) -> cst.BaseExpression:
        found: cst.BaseExpression = statements.rebuilt(
            selection, {taken_from: operand(source)}
        )
        return bare(found)

    statements.change(cast.source, selected)
    statements.replace(selection, lambda: statements.changed(taken_from))
    return statements.edits()


def write_sources(casts: Sequence[Cast], facts: Facts) -> tuple[Edit, ...]:
    """The edits that leave of each cast its source. Raises Unfixable."""
    statements = Statements(facts)
    for cast in casts:
        statements.replace(cast.call, partial(statements.changed, cast.source))
    return statements.edits()


class _Writer:
    def __init__(self, plan: Plan, facts: Facts, known_dense: bool) -> None:
        self.plan = plan
        self.flow = plan.flow
        self.cast: Cast = plan.flow.cast
        self.facts = facts
        self.tree = facts.tree
        self.known_dense = known_dense
        self.statements = Statements(facts)
        self.dot: cst.Dot | None = None
        """What is written before the cast where it stays in its statement."""

    def write(self) -> tuple[Edit, ...]:
        if not self.known_dense:
            self._reshape_views()
        self._rename_dropped()
        self._rename_misleading()
        self._write_types()
        self._remove_cast()
        self._strip_lifts()
        for moved in self.plan.moved:
            self._move(moved)
        for placement in self.plan.placements:
            self._write_placement(placement)
        return self.statements.edits()

    @cached_property
    def spelling(self) -> CastSpelling:
        call = self.statements.node(self.cast.call)
        stays = not self.statements.is_gone(self.cast.call)
        return CastSpelling(call, self.cast.is_method, keeps_comments=stays)

    # The cast goes

    def _remove_cast(self) -> None:
        first = self._first_carrier()
        guard = self.flow.guard
        statement = self.tree.statement(self.cast.call)
        if first is not None and first.definition in self.plan.dropped:
            if guard is not None and isinstance(guard.holder, ast.If):
                statement = guard.holder
            if is_elif(statement, self.facts.source):
                raise Unfixable("the guard of the cast is an `elif`")
            self._keep_comments(self.statements.drop(statement))
            return
        homes = self._homes()
        leaves = bool(homes) and statement not in homes
        comments: list[str] = []
        if leaves and not hasattr(statement, "body"):
            comments += self.statements.take_comments(statement)
        if guard is None:
            self.statements.replace(self.cast.call, self._source)
            comments += self._close_line(leaves)
        elif isinstance(guard.holder, ast.If):
            raise Unfixable("a guarded cast binds another name")
        else:
            self.statements.replace(guard.holder, self._source)
        if leaves:
            self._keep_comments(comments)

    def _source(self) -> cst.BaseExpression:
        found: cst.BaseExpression = self.statements.changed(self.cast.source)
        return operand(found)

    def _close_line(self, leaves: bool) -> list[str]:
        """Join what stands around the cast; the comments that leave with it."""
        if not self.cast.is_method:
            return []
        targets = [
            site.node
            for moved in self.plan.moved
            if not moved.read.lifts
            for site in moved.sites
            if site.node is not None and self._is_here(site.node, moved)
        ]
        target = targets[0] if targets and not self.plan.keeps_guard else None
        line = CastLine(self.cast.call, target, self.statements, self.tree)
        comments = line.close(leaves)
        self.dot = line.dot
        return comments

    def _is_here(self, node: ast.expr, moved: Moved) -> bool:
        """Whether the cast goes behind a later link of its own chain."""
        start = self.facts.source.node_start
        return moved.read.load is None and start(node) == start(self.cast.call)

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
        for comment in comments:
            for home in self._homes()[:1]:
                self.statements.put_before(home, comment)

    def _homes(self) -> list[ast.stmt]:
        """The statements that the cast goes to, in order."""
        homes = [p.statement for p in self.plan.placements]
        homes += [
            self.tree.statement(m.read.node)
            for m in self.plan.moved
            if isinstance(m.read.node, ast.expr)
        ]
        return sorted(homes, key=lambda s: s.lineno)

    # Names and types

    def _rename_dropped(self) -> None:
        """Let loads of dropped carriers read the source by its own name."""
        names = self.facts.names
        inline = {p.loads[0] for p in self.plan.placements if p.is_inline}
        deleted: dict[ast.Delete, list[ast.Name]] = {}
        for definition in self.plan.dropped:
            name = getattr(self.cast.source, "id", "")
            if name == definition.name:
                continue
            for load in names.uses(definition):
                if load in inline or self._is_kept(load):
                    continue
                statement = self.tree.statement(load)
                if isinstance(statement, ast.Delete):
                    deleted.setdefault(statement, []).append(load)
                else:
                    self._rename(load, name)
        for statement, loads in deleted.items():
            self.statements.drop_names(statement, loads)

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
                    self._rename(name, short)

    def _rename(self, name: ast.Name, new: str) -> None:
        self.statements.change(name, lambda each: each.with_changes(value=new))

    def _is_kept(self, load: ast.Name) -> bool:
        return any(p.gives(load, self.facts) for p in self.plan.placements)

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
                answer: cst.BaseExpression | None = self._type()
            else:
                answer = self._settled(read.node)
            if answer is None:
                raise Unfixable("the class of the copy is asked for")
            self.statements.replace(read.node, partial(_itself, answer))

    def _settled(self, node: ast.expr) -> cst.BaseExpression | None:
        text = settled_answer(node, self.cast)
        return None if text is None else cst.parse_expression(text)

    def _write_type_argument(self, call: ast.Call) -> None:
        """`dtype=torch.float32` for a tensor that is made like the copy."""
        if not call.args and not call.keywords:
            raise Unfixable("a tensor of the copy's type is made")
        dtype = cst.Arg(
            self._type(),
            cst.Name("dtype"),
            equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
        )
        self.statements.change(call, lambda each: _with_argument(each, dtype))

    def _type(self) -> cst.BaseExpression:
        spelled = self.cast.dtype_node
        if isinstance(spelled, ast.Name | ast.Attribute):
            found: cst.BaseExpression = self.statements.node(spelled)
            return bare(found)
        torch = self.facts.imports.name_of_torch()
        if torch is None:
            raise Unfixable("the copy's type is read, and `torch` has no name here")
        return cst.parse_expression(f"{torch}.{self.cast.dtype}")

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
            if not isinstance(step.node.func, ast.Attribute):
                raise Unfixable("a view of the copy may need dense memory")
            self.statements.change(step.node.func, _reshaped)

    # Lifts

    def _strip_lifts(self) -> None:
        """Carriers of arithmetic become carriers of the bare tensor."""
        for definition, carrier in self.flow.carriers.items():
            if not _has_lift(carrier.own):
                continue
            if definition not in self.plan.dropped:
                views = partial(self._views, carrier.load, carrier.own)
                self.statements.replace(carrier.node, views)
            elif carrier.load is not None:
                statement = self.tree.statement(carrier.node)
                self._keep_comments(self.statements.drop(statement))

    def _views(
        self, load: ast.Name | None, steps: Sequence[Step]
    ) -> cst.BaseExpression:
        """The views of a chain that begins with a load, or with the source."""
        out = self._source() if load is None else self.statements.changed(load)
        for step in steps:
            if step.kind is StepKind.VIEW:
                places = {step.operand: _operand_of(step, out)}
                out = self.statements.rebuilt(step.node, places)
        return out

    def _move_under_lifts(self, moved: Moved) -> None:
        """Rebuild `lift(cast(x))[index]` as `lift(cast(x[index]))`."""
        selection = moved.read.selection
        assert selection is not None
        if selection.result is not Result.VALUES or not isinstance(
            selection.node, ast.expr
        ):
            raise Unfixable("the selection gives several tensors out of arithmetic")
        if self.plan.keeps_guard:
            raise Unfixable("the cast is conditional")
        if selection.rows is None and any(s.aligned for s in moved.read.lifts):
            raise Unfixable("a vector in the arithmetic has to be selected as well")
        self.statements.replace(
            selection.node, partial(self._lifted, moved.read, selection, selection.node)
        )

    def _lifted(
        self, read: Read, selection: Selection, node: ast.expr
    ) -> cst.BaseExpression:
        out = operand(self._views(read.load, read.own))
        out = bare(self.statements.rebuilt(node, {read.operand: out}))
        if not self.cast.is_inside:
            out = self.spelling.of(out)
        last: ast.expr | None = None
        for step in read.lifts:
            content = out if step.operand is last else _operand_of(step, out)
            places = {step.operand: content}
            if step.aligned is not None:
                assert selection.rows is not None
                rows = self.statements.changed(selection.rows)
                places[step.aligned] = cst.Subscript(
                    self.statements.changed(step.aligned), [_element(rows)]
                )
            out = self.statements.rebuilt(step.node, places)
            last = step.node
        is_enclosed = bool(self.statements.node(node).lpar)
        return fitted(out, self._needs_parentheses(node), is_enclosed)

    def _needs_parentheses(self, node: ast.expr) -> bool:
        """Whether arithmetic in the place of a node does."""
        parent = self.tree.parents[node]
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
                return True

    # Selections and casts

    def _move(self, moved: Moved) -> None:
        if moved.read.lifts:
            self._move_under_lifts(moved)
            return
        for site in moved.sites:
            if site.node is None:
                self._cast_name(site)
            elif self.plan.keeps_guard:
                self._guard_site(site.node)
            else:
                dot = self.dot if self._is_here(site.node, moved) else None
                self._cast_site(site.node, dot)

    def _cast_site(self, node: ast.expr, dot: cst.Dot | None) -> None:
        spelling = self.spelling
        self.statements.change(
            node, lambda each: within(each, spelling.of(bare(each), dot))
        )

    def _cast_name(self, site: ValueSite) -> None:
        """`name = name.float()` after the statement that binds it."""
        assert site.name is not None and site.statement is not None
        line = _assignment(site.name, self.spelling.of(cst.Name(site.name)))
        statement = site.statement
        if isinstance(statement, ast.For):
            body = statement.body[0]
            if body.lineno == statement.iter.end_lineno:
                raise Unfixable("the loop has no lines of its own")
            self.statements.put_before(body, line)
            return
        self.statements.put_behind(statement, line)

    def _guard_site(self, node: ast.expr) -> None:
        """The cast of what is bound, behind the binding and under its guard."""
        guard = self.flow.guard
        statement = self.tree.parents[node]
        assert guard is not None and isinstance(statement, ast.Assign)
        target = statement.targets[0]
        assert isinstance(target, ast.Name)
        name = cst.Name(target.id)
        test = self.statements.node(guard.test)
        cast = self.spelling.of(name)
        line: cst.BaseStatement
        if isinstance(guard.holder, ast.If):
            source, holder = self.facts.source, guard.holder
            inner = indentation(source, holder.body[0].lineno)
            step = inner[len(indentation(source, holder.lineno)) :] or "    "
            cast_line = _assignment(target.id, cast)
            line = cst.If(test, cst.IndentedBlock([cast_line], indent=step))
        elif guard.holder.body is self.cast.call:
            line = _assignment(target.id, cst.IfExp(test, cast, name))
        else:
            line = _assignment(target.id, cst.IfExp(test, name, cast))
        self.statements.put_behind(statement, line)

    def _write_placement(self, placement: Placement) -> None:
        cast = self.cast
        reaching = {d for load in placement.loads for d in self.facts.names.of(load)}
        dropped = reaching & self.plan.dropped
        name = getattr(cast.source, "id", "") if dropped else placement.name
        if name != placement.name and reaching != dropped:
            raise Unfixable("the whole copy is made in more than one way")
        whole = self.spelling.of(cst.Name(name))
        if placement.is_inline:
            self.statements.replace(placement.loads[0], partial(_itself, whole))
            return
        line = _assignment(placement.name, whole)
        self.statements.put_before(placement.statement, line)


def _element(index: cst.BaseExpression | cst.Slice) -> cst.SubscriptElement:
    found = index if isinstance(index, cst.Slice) else cst.Index(index)
    return cst.SubscriptElement(found)


def _reshaped(function: cst.Attribute) -> cst.Attribute:
    name = cst.Name(_RESHAPES[function.attr.value])
    return function.with_changes(attr=name)


def _itself(node: cst.BaseExpression) -> cst.BaseExpression:
    return node


def _assignment(name: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    target = cst.AssignTarget(cst.Name(name))
    return cst.SimpleStatementLine([cst.Assign([target], value)])


def _with_argument(call: cst.Call, argument: cst.Arg) -> cst.Call:
    """A call with one more argument, and the last one's comma and space behind it."""
    *others, last = call.args
    argument = argument.with_changes(
        comma=last.comma, whitespace_after_arg=last.whitespace_after_arg
    )
    last = last.with_changes(
        comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=cst.SimpleWhitespace("")
    )
    return call.with_changes(args=[*others, last, argument])


def _operand_of(step: Step, content: cst.BaseExpression) -> cst.BaseExpression:
    """What is put into a step, in parentheses where it needs them there."""
    if isinstance(step.node, ast.Call) and step.operand in step.node.args:
        return fitted(content, needs_parentheses=False, is_enclosed=True)
    return operand(content)


def _has_lift(steps: Sequence[Step]) -> bool:
    return any(s.kind is StepKind.LIFT for s in steps)
