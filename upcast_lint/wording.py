"""What a finding says, in words."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .analysis.casts import Cast
from .analysis.facts import Facts
from .analysis.flow import Flow, Read
from .analysis.indices.ranks import known_rank
from .analysis.pieces.sizes import known_sizes
from .analysis.reads import Kind, Result, Selection, StepKind, Waste
from .analysis.values import is_whole, items_of
from .analysis.width.verdict import Width
from .finding import Estimate
from .finding import Read as ReportedRead


@dataclass(frozen=True, slots=True)
class Wording:
    """The words for one flow, whose source is as wide as `width` says."""

    facts: Facts
    flow: Flow
    width: Width

    def cast_label(self) -> str:
        shape = ", ".join(self.width.dimensions)
        return f"cast of [{shape}]" if shape else "cast"

    def estimate(self, reads: Sequence[Read]) -> Estimate | None:
        """What the rewrite spares on the paths that only select, if a shape is known.

        No size of a dimension is made up: what the code does not state has a name.
        """
        dimensions = self.width.dimensions
        if not dimensions or any(map(self._has_more_axes, reads)):
            return None
        kept: list[tuple[str, ...]] = []
        for read in reads:
            part = self._kept_dimensions(read)
            if part is None:
                return Estimate(self.flow.cast.itemsize, dimensions, None)
            if part:
                kept.append(part)
        made = 2 if all(_makes_another(read, self.flow.cast) for read in reads) else 1
        itemsize = self.flow.cast.itemsize
        return Estimate(itemsize, dimensions, tuple(kept), made)

    def waste(self, wastes: Sequence[Waste]) -> str:
        """The message about reads that give much of which little is kept."""
        cast = self.flow.cast
        listed = _listed(list(dict.fromkeys(f"`{w.label}`" for w in wastes)))
        kept = _listed(list(dict.fromkeys(w.kept for w in wastes)))
        return (
            f"`{self.facts.shown(cast.source)}` is upcast to {cast.dtype} whole for "
            f"{listed}, of which only {kept} are kept"
        )

    def wasted(self, wastes: Sequence[Waste]) -> Estimate | None:
        """The copy and what is made of it, if a shape is known."""
        if not self.width.dimensions:
            return None
        made = max(waste.makes for waste in wastes)
        itemsize = self.flow.cast.itemsize
        return Estimate(itemsize, self.width.dimensions, tensors=made)

    def _has_more_axes(self, read: Read) -> bool:
        """Whether a subscript of the copy has more items than the shape has axes."""
        node = read.node
        if read.steps or not isinstance(node, ast.Subscript):
            return False
        is_axis = [
            not isinstance(i, ast.Constant) or type(i.value) is int
            for i in items_of(node.slice)
        ]
        return sum(is_axis) > len(self.width.dimensions)

    def _kept_dimensions(self, read: Read) -> tuple[str, ...] | None:
        """The dimensions of what is still cast: none of them, or None if not known."""
        selection = read.selection
        if selection is None:
            return None
        if selection.result is Result.INDICES:
            return ()
        if selection.result not in (Result.VALUES, Result.PAIR):
            return None
        if any(s.kind is StepKind.VIEW for s in read.steps):
            return None
        dimensions = list(self.width.dimensions)
        if isinstance(selection.node, ast.Subscript):
            sizes = known_sizes(selection.node, self.facts)
            if sizes is not None and None not in sizes:
                return tuple(map(str, sizes)) or ("1",)
        if selection.label == "gather" and selection.index is not None:
            sizes = known_sizes(selection.index, self.facts)
            if sizes is not None and None not in sizes:
                return tuple(map(str, sizes))
        axis = selection.axis
        if axis is None or not -len(dimensions) <= axis < len(dimensions):
            return None
        if isinstance(selection.node, ast.Subscript) and not (
            _cuts_one_axis(selection.node) and self._is_line(selection)
        ):
            return None
        if any(
            loop is not None
            for loop in self.facts.tree.enclosing_loops(read.node)
            if not self.facts.tree.contains(loop, self.flow.cast.call)
        ):
            return None  # the pieces of several rounds may live on for backward
        dimensions[axis] = selection.kept or "1"
        return tuple(dimensions)

    def _is_line(self, selection: Selection) -> bool:
        """Whether an index acts on one axis: no tensor or mask of several."""
        index = selection.index
        return index is None or known_rank(index, self.facts) == 1

    def message(self, reads: Sequence[Read]) -> str:
        cast = self.flow.cast
        name = self.facts.shown(cast.source)
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

    def returned(self) -> tuple[ReportedRead, ...]:
        """Where a function of the file returns the cast."""
        cast = self.flow.cast
        if cast.returned is None or not isinstance(cast.call.func, ast.Name):
            return ()
        where = self.facts.source.node_range(cast.returned)
        return (ReportedRead(where, f"`{cast.call.func.id}` returns the cast"),)

    def message_elsewhere(self, functions: Sequence[str]) -> str:
        """The message where only functions that take the copy read it."""
        cast = self.flow.cast
        names = [f"`{name}`" for name in dict.fromkeys(functions)]
        reads = "reads only a part" if len(names) == 1 else "read only parts"
        return (
            f"`{self.facts.shown(cast.source)}` is upcast to {cast.dtype} whole, "
            f"but {_listed(names)} {reads} of it"
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
                    if self._reads_whole(self._else_of(parent)):
                        out.append(ast.unparse(test))
                elif child in parent.orelse and self._reads_whole(parent.body):
                    out.append(negation(test))
            out += self._passed(parent, child)
            child = parent
        return list(dict.fromkeys(reversed(out)))

    def _reads_whole(self, suite: Iterable[ast.stmt]) -> bool:
        """Whether the whole copy is read in a statement of a suite."""
        nodes = [r.node for k in (Kind.FULL, Kind.WRITE) for r in self.flow.of_kind(k)]
        contains = self.facts.tree.contains
        return any(contains(statement, n) for statement in suite for n in nodes)

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
                    and self._reads_whole(statement.body)
                    and _leaves(statement.body)
                ):
                    out.append(negation(statement.test))
        return out[::-1]

    def fix_message(self) -> str:
        reads = self.flow.selections()
        if all(r.selection and r.selection.result is Result.INDICES for r in reads):
            return "Remove the cast"
        return "Select first, then cast the result"

    def reported(self, read: Read) -> ReportedRead:
        selection = read.selection
        assert selection is not None
        node = selection.node
        start = self.facts.source.node_start(read.operand)
        end = self.facts.source.node_end(read.operand)
        if not isinstance(node, ast.expr):
            where = self.facts.source.node_range(node.iter)
        elif node.lineno < self.facts.source.position(end).row and (
            self.facts.source.node_start(node) == start
        ):
            where = self.facts.source.range(end, self.facts.source.node_end(node))
        else:
            where = self.facts.source.node_range(node)
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


def _makes_another(read: Read, cast: Cast) -> bool:
    """Whether a row-wise operation makes a tensor of the size beside the copy.

    One that casts inside may make no copy.
    """
    made = [step for step in read.steps if step.row and not step.row.reduces]
    return any(step.node is not cast.call for step in made)


def _cuts_one_axis(subscript: ast.Subscript) -> bool:
    """Whether a subscript leaves all axes but one as they are."""
    return sum(not is_whole(item) for item in items_of(subscript.slice)) == 1


def _listed(words: list[str]) -> str:
    if len(words) <= 1:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _leaves(suite: list[ast.stmt]) -> bool:
    """Whether a suite ends by leaving the statements behind its own."""
    return isinstance(suite[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def negation(test: ast.expr) -> str:
    """The opposite of a condition, in Python's words."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.unparse(operand)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            opposite = _OPPOSITES.get(type(op))
            if opposite is not None:
                return f"{ast.unparse(left)} {opposite} {ast.unparse(right)}"
        case ast.BoolOp(op=op, values=values):
            word = " and " if isinstance(op, ast.Or) else " or "
            return word.join(_in_parentheses(negation(v), word) for v in values)
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            return f"not {ast.unparse(test)}"
        case _:
            pass
    return f"not ({ast.unparse(test)})"


def _in_parentheses(text: str, word: str) -> str:
    other = " or " if word == " and " else " and "
    return f"({text})" if other in text else text


_OPPOSITES: Mapping[type[ast.cmpop], str] = {
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.In: "not in",
    ast.NotIn: "in",
}
