"""How many axes an expression can have, as far as the code tells.

A name has a rank where each definition that may reach it has one, or where the scope
unpacks its shape (`b, s = labels.shape`) on every way to it. What is not known may have
any rank.

Limits: what is handed in as a mask and summed along dimension 1 or the last one, which
gives the length of each sequence, is taken to have two axes
(`attention_mask.sum(dim=1)`).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .. import ops
from ..definition_guard import Guard
from ..facts import Facts
from ..graph.order import always_follows, dominates
from ..names import Binding, Definition, Reaching
from ..ops import Axes, Role
from ..scalars import Operand, classify_operand
from ..shape_reads import unpacked_size
from ..tensor_calls import TensorCall, is_builtin, torch_function
from ..values import integer, truth
from .axes import ANY_RANK, MOST_AXES, flattened_axes, normal
from .items import plain_items
from .receivers import operation
from .results import gives_several, picked

_SAME_RANK = frozenset(
    (
        Axes.SAME,
        Axes.FLIP,
        Axes.SWAP,
        Axes.SWAP_FIRST,
        Axes.SWAP_LAST,
        Axes.REVERSE,
        Axes.PERMUTE,
        Axes.MOVE,
        Axes.ALONG,
    )
)


@dataclass(slots=True)
class Shapes:
    """The possible ranks of the expressions of one scope."""

    facts: Facts
    _guard: Guard = field(default_factory=Guard)
    _known: dict[ast.expr, frozenset[int]] = field(default_factory=dict)
    _operands: dict[ast.expr, Operand] = field(default_factory=dict)

    def ranks(self, node: ast.expr) -> frozenset[int]:
        """The possible ranks of an expression."""
        if not self._guard.is_idle():
            return self._ranks(node)
        if node not in self._known:
            self._known[node] = self._ranks(node)
        return self._known[node]

    def operand(self, node: ast.expr) -> Operand:
        """Whether an operand is a number or a tensor."""
        if node not in self._operands:
            self._operands[node] = classify_operand(node, self.facts)
        return self._operands[node]

    def _ranks(self, node: ast.expr) -> frozenset[int]:
        facts = self.facts
        pick = picked(node, facts)
        if pick is not None:
            ranks = self._result(pick.call)
            if pick.call.name == "unique" and pick.position:
                ranks |= self.ranks(pick.call.tensor)  # the inverse has its shape
            return ranks
        match node:
            case ast.Name():
                return self._name(node)
            case ast.Constant():
                return frozenset((0,))
            case ast.Subscript(value=base, slice=index):
                return self._subscript(base, index)
            case ast.Attribute(value=base, attr=name):
                return self.ranks(base) if ops.is_view(name) else ANY_RANK
            case ast.UnaryOp(operand=operand):
                return self.ranks(operand)
            case ast.BinOp(left=left, right=right):
                return self._joint(left, right)
            case ast.Compare(left=left, comparators=[right]):
                return self._joint(left, right)
            case ast.List(elts=[first, *_]):
                return frozenset(r + 1 for r in self.ranks(first) if r < MOST_AXES)
            case ast.Call():
                return self._call(node)
            case _:
                return ANY_RANK

    def _name(self, node: ast.Name) -> frozenset[int]:
        reaching = self.facts.names.of(node)
        if self._guard.is_spent():
            return ANY_RANK
        if reaching:
            found = frozenset[int]().union(
                *(self._guard.within(d, self._definition, ANY_RANK) for d in reaching)
            )
            if found != ANY_RANK:
                return found
        for statement, rank in self.facts.once(_unpacked_ranks).get(reaching, ()):
            if reaching and self._comes_before(statement, node):
                return frozenset((rank,))
        return ANY_RANK

    def _comes_before(self, statement: ast.stmt, node: ast.Name) -> bool:
        """Whether a statement has run, or is about to run, where a name is read."""
        facts = self.facts
        return dominates(statement, node, facts) or (
            always_follows(node, statement, facts)
        )

    def _definition(self, definition: Definition) -> frozenset[int]:
        value = definition.assigned
        return ANY_RANK if value is None else self.ranks(value)

    def _joint(self, *operands: ast.expr) -> frozenset[int]:
        """The ranks of what broadcasting operands gives."""
        joint = frozenset((0,))
        for operand in operands:
            is_number = self.operand(operand) is Operand.NUMBER
            ranks = frozenset((0,)) if is_number else self.ranks(operand)
            joint = frozenset(max(a, b) for a in joint for b in ranks)
        return joint

    def _subscript(self, base: ast.expr, index: ast.expr) -> frozenset[int]:
        made = operation(self.facts.value(base), self.facts)
        if made is not None and gives_several(made):
            return ANY_RANK  # an element of a tuple
        items = plain_items(index, self.facts)
        if items is None:
            return frozenset((1,)) if self._picks_from(base, index) else ANY_RANK
        consumed, change = items.kept + items.dropped, items.added - items.dropped
        return frozenset(
            rank + change
            for rank in self.ranks(base)
            if rank >= consumed and rank + change in ANY_RANK
        )

    def _picks_from(self, base: ast.expr, index: ast.expr) -> bool:
        """Whether an index is a mask made of all that it picks from."""
        match self.facts.value(index):
            case ast.Compare(left=ast.Name() as left, comparators=[other]) if (
                isinstance(base, ast.Name)
            ):
                names = self.facts.names
                return (
                    left.id == base.id
                    and names.of(left) == names.of(base)
                    and self.operand(other) is Operand.NUMBER
                )
            case _:
                return False

    def _call(self, node: ast.Call) -> frozenset[int]:
        dotted = torch_function(node, self.facts)
        made = None if dotted is None else ops.function(dotted)
        if self._is_range(node) or (made is not None and made.axes is Axes.VECTOR):
            return frozenset((1,))
        is_literal = made is not None and made.axes is Axes.LITERAL
        if is_literal and node.args and isinstance(node.args[0], ast.List):
            return self.ranks(node.args[0])
        call = operation(node, self.facts)
        return ANY_RANK if call is None else self._result(call)

    def _is_range(self, node: ast.expr) -> bool:
        match node:
            case ast.Call(func=function, args=[inner]) if is_builtin(
                function, "list", self.facts
            ):
                return self._is_range(inner)
            case ast.Call(func=function):
                return is_builtin(function, "range", self.facts)
            case _:
                return False

    def _result(self, call: TensorCall) -> frozenset[int]:
        operation, tensor = call.operation, call.tensor
        if operation.role is Role.PARTS:
            return ANY_RANK
        match operation.axes:
            case Axes.INSERT:
                return frozenset(r + 1 for r in self.ranks(tensor) if r < MOST_AXES)
            case Axes.DROP:
                return self._squeezed(call)
            case Axes.SIZES | Axes.EXPAND | Axes.REPEAT:
                return self._sized(call)
            case Axes.FLATTEN:
                return self._flattened(call)
            case Axes.REMOVE | Axes.DIAGONAL:
                return frozenset(r - 1 for r in self.ranks(tensor) if r)
            case Axes.UNFLATTEN:
                return self._unflattened(call)
            case Axes.COORDINATES:
                is_tuple = truth(call.given("as_tuple"))
                return frozenset((1,) if is_tuple else (2,))
            case Axes.VECTOR:
                return frozenset((1,))
            case Axes.SAMPLES:
                return self.ranks(tensor) & {1, 2}
            case Axes.REDUCE:
                return self._reduced(call)
            case Axes.OF_OTHER:
                return self.ranks(call.given("other") or tensor)
            case Axes.BROADCAST if operation.name == "where" and not call.others:
                return frozenset((1,))
            case Axes.BROADCAST:
                return self._joint(tensor, *call.others)
            case axes if axes in _SAME_RANK:
                return self.ranks(tensor)
            case _ if operation.name == "unique" and call.given("dim") is None:
                return frozenset((1,))
            case _:
                return ANY_RANK

    def _squeezed(self, call: TensorCall) -> frozenset[int]:
        ranks = self.ranks(call.tensor)
        if call.given("dim") is not None:
            return ranks | {r - 1 for r in ranks if r}
        return frozenset(range(max(ranks, default=MOST_AXES) + 1))

    def _sized(self, call: TensorCall) -> frozenset[int]:
        sizes = call.sizes()
        if not sizes or any(isinstance(size, ast.Starred) for size in sizes):
            least = sum(not isinstance(size, ast.Starred) for size in sizes)
            return frozenset(rank for rank in ANY_RANK if rank >= least)
        is_one_shape = len(call.positional) == 1 and sizes == call.positional
        if is_one_shape and integer(sizes[0]) is None:
            return ANY_RANK
        return frozenset((len(sizes),))

    def _unflattened(self, call: TensorCall) -> frozenset[int]:
        match call.given("sizes"):
            case ast.Tuple(elts=sizes) | ast.List(elts=sizes) if not any(
                isinstance(size, ast.Starred) for size in sizes
            ):
                more = len(sizes) - 1
                dim = call.number("dim")
                return frozenset(
                    r + more
                    for r in self.ranks(call.tensor)
                    if r + more <= MOST_AXES
                    and (dim is None or normal(dim, r) is not None)
                )
            case _:
                return ANY_RANK

    def _flattened(self, call: TensorCall) -> frozenset[int]:
        if not call.others:
            return frozenset((1,))
        start, end = flattened_axes(call)
        if start is None or end is None:
            return ANY_RANK
        found = set()
        for rank in self.ranks(call.tensor):
            first, last = normal(start, rank), normal(end, rank)
            if first is not None and last is not None and first <= last:
                found.add(rank - last + first)
        return frozenset(found)

    def _reduced(self, call: TensorCall) -> frozenset[int]:
        dim, kept = call.number("dim"), call.given("keepdim")
        if kept is not None:
            ranks = self.ranks(call.tensor)
            return ranks if truth(kept) else ANY_RANK
        if dim is None:
            is_known = call.given("dim") is None
            return frozenset((0,)) if is_known else ANY_RANK
        ranks = self.ranks(call.tensor)
        if ranks == ANY_RANK and call.name == "sum" and self._sums_mask(call):
            return frozenset((1,))
        return frozenset(max(r - 1, 0) for r in ranks)

    def _sums_mask(self, call: TensorCall) -> bool:
        """Whether a sum gives lengths of sequences, by the name of what it sums."""
        match call.tensor:
            case ast.Name(id=name) as tensor:
                is_given = all(
                    each.binding is Binding.PARAMETER
                    for each in self.facts.names.of(tensor)
                )
            case ast.Attribute(attr=name):
                is_given = True
            case _:
                return False
        is_mask = is_given and "mask" in name.lower().split("_")
        return is_mask and call.number("dim") in (1, -1)


def known_rank(node: ast.expr, facts: Facts) -> int | None:
    """The number of axes of an expression, where the code leaves but one."""
    found = Shapes(facts).ranks(node)
    return next(iter(found)) if len(found) == 1 else None


def _unpacked_ranks(facts: Facts) -> dict[Reaching, list[tuple[ast.stmt, int]]]:
    """Where shapes are unpacked, and the ranks of theirs, by what reaches the name."""
    found: dict[Reaching, list[tuple[ast.stmt, int]]] = {}
    for definition in facts.names.definitions:
        size = unpacked_size(definition) if definition.index == 0 else None
        if size is not None and size.rank and isinstance(size.tensor, ast.Name):
            places = found.setdefault(facts.names.of(size.tensor), [])
            places.append((facts.tree.statement(size.tensor), size.rank))
    return found
