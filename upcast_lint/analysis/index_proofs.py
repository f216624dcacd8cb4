"""Proofs that the lines of an index hold no index twice, or just one.

Terms
-----
once
    An axis of size one: its lines hold one index, which cannot repeat, whatever is
    done to its value.
wrap
    Negative indices count from the end, so -1 and n-1 are one element. `gather` and
    `index_select` reject them; subscripts and `take` accept them.

A name proves nothing: what is made distinct can be padded later. A proof through a name
also needs that nothing writes, or may write, to it before the read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from .directives import Directives
from .facts import Facts
from .index_axes import Line, normal, origin
from .index_ranks import Shapes
from .index_results import Picked, gives_several, picked, picked_by
from .names import Binding, Definition
from .scalars import Operand, classify_operand
from .stability import is_rebound_inside, is_stable
from .tensor_calls import (
    TensorCall,
    integer,
    is_builtin,
    tensor_call,
    torch_function,
    truth,
    words,
)

_ONE = "one index along the dimension"

_KEEPING = words(
    "argmax argmin max min amax amin sum mean any all median mode kthvalue logsumexp"
)
"""Reductions that take `dim` and `keepdim`."""

_ELEMENTWISE = words(
    """
    clamp clip clamp_min clamp_max abs neg remainder fmod floor_divide add sub mul div
    masked_fill where logical_not bool maximum minimum add_ sub_ clamp_ masked_fill_
    """
)
_ALONG = words("sort argsort cumsum cummax cummin")
_INTEGER_TYPES = words("torch.int64 torch.long torch.int32 torch.int")


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a fact holds. `stated`: a comment or the configuration says so."""

    reason: str
    stated: bool = False


def joint(proofs: Sequence[Proof | None]) -> Proof | None:
    """The joint proof of several facts; None if one is open, or there are none."""
    found = [proof for proof in proofs if proof is not None]
    if not found or len(found) < len(proofs):
        return None
    strongest = next((each for each in found if each.reason != _ONE), found[0])
    return Proof(strongest.reason, any(each.stated for each in found))


@dataclass(slots=True)
class Prover:
    """Proves what one read needs of its index.

    `at` are the nodes of which a directive may speak, the read last.
    """

    facts: Facts
    directives: Directives
    at: Sequence[ast.AST]
    wraps: bool = False
    shapes: Shapes = field(init=False)
    _busy: set[Definition] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.shapes = Shapes(self.facts)

    def stated(self, node: ast.expr) -> Proof | None:
        """The proof by a directive that names an expression."""
        if not self.directives.states_distinct(node, self.at, self.facts):
            return None
        return Proof(f"stated: distinct({ast.unparse(node)})", stated=True)

    def injective(self, node: ast.expr, rank: int) -> Proof | None:
        """That no two elements of a tensor of this rank are equal."""
        once = [self.once(Line(node, axis, rank)) for axis in range(rank)]
        wide = [axis for axis, proof in enumerate(once) if proof is None]
        if len(wide) > 1:
            return None
        return joint(
            [
                self.distinct(Line(node, axis, rank)) if axis in wide else proof
                for axis, proof in enumerate(once)
            ]
        )

    # One index

    def once(self, line: Line) -> Proof | None:
        """That an axis has the size one."""
        node = line.node
        pick = None if isinstance(node, ast.Name) else picked(node, self.facts)
        if pick is not None:
            return self._once_in(pick.call, line)
        match node:
            case ast.Name():
                return self._through(
                    node,
                    lambda value: self.once(Line(value, line.axis, line.rank)),
                    lambda pick: self._once_in(pick.call, line),
                )
            case ast.BinOp(left=left, right=right):
                return self._once_each((left, right), line)
            case ast.UnaryOp(operand=operand):
                return self._once_each((operand,), line)
            case ast.Call():
                call = tensor_call(node, self.facts)
                found = None if call is None else self._once_in(call, line)
                return found or self._from_origin(line, self.once)
            case _:
                return self._from_origin(line, self.once)

    def _once_in(self, call: TensorCall, line: Line) -> Proof | None:
        tensor, name = call.tensor, call.name
        if name in _KEEPING:
            return self._once_reduced(call, line)
        if name in ("topk", "multinomial"):
            axis = self._order_axis(call) if name == "topk" else -1
            count = call.argument(0, "k" if name == "topk" else "num_samples")
            if axis is not None and normal(axis, line.rank) == line.axis:
                return Proof(_ONE) if integer(count) == 1 else None
            return self.once(Line(tensor, line.axis, line.rank))
        if name in _ALONG:
            return self.once(Line(tensor, line.axis, line.rank))
        if name in _ELEMENTWISE:
            others = (*call.positional, *call.keywords.values())
            return self._once_each((tensor, *others), line)
        return None

    def _once_reduced(self, call: TensorCall, line: Line) -> Proof | None:
        at = 1 if call.name == "kthvalue" else 0
        dim = call.argument(at, "dim")
        kept = call.argument(at + 1, "keepdim")
        axis = None if dim is None else integer(dim)
        if dim is not None and axis is None:
            return None
        if truth(kept) is True:
            if axis is None or normal(axis, line.rank) == line.axis:
                return Proof(_ONE)
            return self.once(Line(call.tensor, line.axis, line.rank))
        gone = normal(axis, line.rank + 1)
        if (kept is not None and truth(kept) is None) or gone is None:
            return None
        return self.once(
            Line(call.tensor, line.axis + (line.axis >= gone), line.rank + 1)
        )

    def _once_each(self, operands: Iterable[ast.expr], line: Line) -> Proof | None:
        """That operands which broadcast together all have the size one."""
        tensors = [
            operand
            for operand in operands
            if classify_operand(operand, self.facts) is not Operand.NUMBER
            and not (isinstance(operand, ast.Constant) and operand.value is None)
        ]
        return joint([self.once(Line(t, line.axis, line.rank)) for t in tensors])

    # Distinct indices

    def distinct(self, line: Line) -> Proof | None:
        """That no line of an axis holds an index twice."""
        node = line.node
        found = self.stated(node) or self.once(line)
        if found is not None:
            return found
        if isinstance(node, ast.Name):
            return self._through(
                node,
                lambda value: self.distinct(Line(value, line.axis, line.rank)),
                lambda pick: self._distinct_in(pick, line),
                unwritten=True,
            )
        pick = picked(node, self.facts)
        if pick is not None:
            return self._distinct_in(pick, line)
        match node:
            case ast.BinOp(op=operator, left=left, right=right):
                return self._shifted(operator, left, right, line)
            case ast.List() | ast.Call() if line.rank == 1:
                found = self._vector(node)
        if found is None and isinstance(node, ast.Call):
            call = tensor_call(node, self.facts)
            found = None if call is None else self._ordered(call, line)
        return found or self._from_origin(line, self.distinct)

    def _distinct_in(self, pick: Picked, line: Line) -> Proof | None:
        call = pick.call
        if not all(self._is_stable(name) for name in pick.through):
            return None
        match call.name:
            case "topk" | "sort":
                axis = self._order_axis(call)
                if axis is None or normal(axis, line.rank) != line.axis:
                    return None
                if pick.position == 1:
                    return Proof(f"indices of `{call.name}`")
                return self.distinct(Line(call.tensor, line.axis, line.rank))
            case "nonzero" | "where":
                is_vector = pick.count == 1 or self.shapes.ranks(call.tensor) == {1}
                return Proof("coordinates of `nonzero`") if is_vector else None
            case "unique" if pick.position == 0 and line.rank == 1:
                return self._unique(call)
            case _:
                return None

    def _unique(self, call: TensorCall) -> Proof | None:
        is_flat = call.argument(3, "dim") is None and not self.wraps
        return Proof("values of `unique`") if is_flat else None

    def _shifted(
        self, operator: ast.operator, left: ast.expr, right: ast.expr, line: Line
    ) -> Proof | None:
        """Adding one number, or multiplying by one, keeps different indices so."""
        if self.wraps:
            return None
        match operator:
            case ast.Add():
                pairs = [(left, right), (right, left)]
            case ast.Sub():
                pairs = [(left, right)]
            case ast.Mult():
                pairs = [(left, right), (right, left)]
            case _:
                return None
        for tensor, number in pairs:
            if isinstance(operator, ast.Mult):
                is_kept = (integer(number) or 0) > 0
            else:
                is_kept = classify_operand(number, self.facts) is Operand.NUMBER
            if is_kept:
                return self.distinct(Line(tensor, line.axis, line.rank))
        return None

    def _ordered(self, call: TensorCall, line: Line) -> Proof | None:
        match call.name:
            case "argsort":
                axis = self._order_axis(call)
                is_along = axis is not None and normal(axis, line.rank) == line.axis
                return Proof("indices of `argsort`") if is_along else None
            case "multinomial":
                replacement = call.argument(1, "replacement")
                is_last = line.axis == line.rank - 1
                is_distinct = replacement is None or truth(replacement) is False
                reason = "`multinomial` without replacement"
                return Proof(reason) if is_last and is_distinct else None
            case "unique" if line.rank == 1 and not gives_several(call):
                return self._unique(call)
            case "squeeze":
                return self._squeezed_nonzero(call, line)
            case _:
                return None

    def _squeezed_nonzero(self, call: TensorCall, line: Line) -> Proof | None:
        """`nonzero` has a column for each axis: a vector only of one column."""
        inner = tensor_call(self.facts.value(call.tensor), self.facts)
        if inner is None or inner.name not in ("nonzero", "argwhere"):
            return None
        if gives_several(inner) or line.rank != 1:
            return None
        if isinstance(call.tensor, ast.Name) and not self._is_stable(call.tensor):
            return None
        dim = integer(call.argument(0, "dim"))
        is_column = dim in (1, -1) or self.shapes.ranks(inner.tensor) == {1}
        return Proof("coordinates of `nonzero`") if is_column else None

    def _vector(self, node: ast.List | ast.Call) -> Proof | None:
        """A vector that is made of different numbers."""
        if isinstance(node, ast.List):
            return _different(node)
        dotted = torch_function(node, self.facts)
        match dotted:
            case "torch.arange":
                return self._range(node, "arange")
            case "torch.randperm":
                return Proof("`randperm`") if _keeps(node, self.facts) else None
            case "torch.tensor" | "torch.as_tensor" | "torch.LongTensor":
                inner = node.args[0] if node.args else None
                if isinstance(inner, ast.List | ast.Call) and _keeps(node, self.facts):
                    return self._vector(inner)
                return None
        if is_builtin(node.func, "range", self.facts):
            return self._range(node, "range")
        if is_builtin(node.func, "list", self.facts) and len(node.args) == 1:
            inner = node.args[0]
            return self._vector(inner) if isinstance(inner, ast.Call) else None
        return None

    def _range(self, node: ast.Call, name: str) -> Proof | None:
        if any(isinstance(each, ast.Starred) for each in node.args):
            return None
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        given = list(node.args)
        start = given[0] if len(given) > 1 else keywords.get("start")
        step = given[2] if len(given) > 2 else keywords.get("step")
        if not _keeps(node, self.facts) or (step is not None and not integer(step)):
            return None
        if self.wraps:
            first = 0 if start is None else integer(start)
            if first is None or first < 0 or (integer(step) or 1) < 0:
                return None
        return Proof(f"`{name}`")

    # Names

    def _from_origin(
        self, line: Line, prove: Callable[[Line], Proof | None]
    ) -> Proof | None:
        lines = origin(line, self.shapes.ranks, self.facts)
        if lines is None:
            return None
        return Proof(_ONE) if not lines else joint([prove(each) for each in lines])

    def _through(
        self,
        name: ast.Name,
        prove: Callable[[ast.expr], Proof | None],
        prove_pick: Callable[[Picked], Proof | None],
        unwritten: bool = False,
    ) -> Proof | None:
        """The proof for each value that a name may have."""
        reaching = self.facts.names.of(name)
        if (
            not reaching
            or reaching & self._busy
            or is_rebound_inside(name.id, self.facts)
        ):
            return None
        self._busy |= reaching
        proofs: list[Proof | None] = []
        try:
            for each in reaching:
                if each.binding is Binding.ASSIGNED and each.value is not None:
                    proofs.append(prove(each.value))
                else:
                    pick = picked_by(each, self.facts)
                    proofs.append(None if pick is None else prove_pick(pick))
        finally:
            self._busy -= reaching
        found = joint(proofs)
        if found is None or not unwritten or found.stated:
            return found
        return found if self._is_stable(name) else None

    def _is_stable(self, name: ast.Name) -> bool:
        return is_stable(name, self.at[-1] if self.at else name, self.facts)

    def _order_axis(self, call: TensorCall) -> int | None:
        """The dimension that `topk`, `sort` or `argsort` works along, if plain."""
        if call.name == "topk":
            count = call.argument(0, "k")
            if count is None or self._is_tensor(count):
                return None  # a method `topk(scores, k)` of something else
            dim = call.argument(1, "dim")
        else:
            dim = call.argument(0, "dim")
        return -1 if dim is None else integer(dim)

    def _is_tensor(self, node: ast.expr) -> bool:
        return classify_operand(node, self.facts) is Operand.TENSOR


def _different(node: ast.List) -> Proof | None:
    """A literal list of different integers of one sign."""
    values = [integer(element) for element in node.elts]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or len(set(known)) < len(known):
        return None
    one_sign = all(v >= 0 for v in known) or all(v < 0 for v in known)
    return Proof("a literal list of different indices") if one_sign else None


def _keeps(node: ast.Call, facts: Facts) -> bool:
    """Whether a factory makes integers of full width."""
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    dtype = keywords.get("dtype")
    if None in keywords or "out" in keywords:
        return False
    return dtype is None or facts.resolve(dtype) in _INTEGER_TYPES
