"""What else in a scope is the same tensor as an expression: where it came from and
what becomes of it.

Terms
-----
trail
    The expressions that a source was made of, the source first, followed backwards
    through names, views, slices, casts and elementwise arithmetic.
step
    A call or subscript on the way that keeps the tensor recognisably the same: a
    view, a slice, a cast, a softmax.
use
    A read of the tensor, or of a name that holds it, by something that is no step.

Limits: evidence, never proof. All definitions that may reach a name are followed, a
binary operation is followed into its left operand, and nothing is followed through
attributes, containers or other functions.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from .. import ops
from ..facts import Facts
from ..names import Binding, Definition
from ..ops import Axes, Gives, Operation, Role
from .words import token_name

_NORMALISING = ("softmax", "log_softmax")
_STEPS = (
    Role.VIEW,
    Role.SIGN,
    Role.COPY,
    Role.MOVE,
    Role.ARITHMETIC,
    Role.ELEMENTWISE,
)
_MODULES = ("torch.", "torch.nn.functional.", "torch.Tensor.")
_MOST_EXPRESSIONS = 200
"""No honest function has a longer trail; generated ones must not cost a run."""


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """`consumer` takes `tensor`, which is the traced tensor or a step on from it."""

    tensor: ast.expr
    consumer: ast.AST


@dataclass(frozen=True, slots=True)
class _Climb:
    """The way up from a load: the expressions that are still the tensor, `load`
    first, the steps among them, and the use at the end.
    """

    values: tuple[ast.expr, ...]
    steps: tuple[ast.expr, ...]
    use: Use | None


@dataclass(slots=True)
class Lineage:
    trail: list[ast.expr] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    """Every binding that holds the tensor, those before the source first."""
    steps: list[ast.expr] = field(default_factory=list)
    """The steps after the source."""
    uses: list[Use] = field(default_factory=list)


def trace(source: ast.expr, facts: Facts) -> Lineage:
    """Everything in the scope that is the tensor `source`."""
    lineage = Lineage()
    _trace_back(source, facts, lineage)
    _trace_forward(source, facts, lineage)
    return lineage


def trail(source: ast.expr, facts: Facts) -> list[ast.expr]:
    lineage = Lineage()
    _trace_back(source, facts, lineage)
    return lineage.trail


def step_operand(node: ast.expr, facts: Facts) -> ast.expr | None:
    """The tensor that a step steps on from, or None where `node` is no step."""
    match node:
        case ast.Attribute(value=value, attr=attr) if ops.is_view(attr):
            return value
        case ast.Subscript(value=value, slice=ast.Constant(value=str())):
            return None
        case ast.Subscript(value=value):
            return value
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if _steps(attr):
            dotted = facts.resolve(node.func)
            if dotted is None:
                return value
            if not dotted.startswith(_MODULES):
                return None
            return node.args[0] if node.args else _keyword(node, "input")
        case ast.Call(func=ast.Name()):
            name = torch_name(node, facts)
            return node.args[0] if name and node.args and _steps(name) else None
        case ast.BinOp(op=ast.MatMult()):
            return None
        case ast.BinOp(left=ast.Constant(), right=right):
            return right
        case ast.BinOp(left=left):
            return left
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return operand
        case ast.NamedExpr(value=value) | ast.Await(value=value):
            return value
        case _:
            return None


def is_step(operation: Operation) -> bool:
    """Whether what an operation gives is recognisably its tensor."""
    if operation.role is Role.CAST:
        return not operation.gives.is_integral
    if operation.role is Role.PART:
        return operation.axes is Axes.ALONG
    is_filled = operation.axes is Axes.BROADCAST and operation.gives is Gives.SAME
    is_kept = operation.role in _STEPS or operation.name in _NORMALISING
    return is_kept or is_filled or operation.keeps_whole


def _steps(name: str) -> bool:
    known = ops.tensor(name)
    return known is not None and is_step(known)


def torch_name(call: ast.Call, facts: Facts) -> str | None:
    """`softmax` for `torch.softmax`, `F.softmax` or `torch.Tensor.softmax`."""
    dotted = facts.resolve(call.func)
    if dotted is None or not dotted.startswith(_MODULES):
        return None
    return dotted.rpartition(".")[2]


def operation(call: ast.Call, facts: Facts) -> str | None:
    """The last name of a method or of a function of torch."""
    named = torch_name(call, facts)
    if named is not None:
        return named
    if isinstance(call.func, ast.Attribute) and facts.resolve(call.func) is None:
        return call.func.attr
    return None


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)


def keeps_columns(node: ast.expr) -> bool:
    """Whether an index leaves few columns: `x[..., ids]`, `x[:, -1, 0]`,
    `x[rows, labels]`. Of `x[rows, columns]` only the names tell what it keeps.
    """
    match node:
        case ast.Subscript(slice=ast.Tuple(elts=[*before, last])) if before:
            if isinstance(last, ast.Slice) or _is_constant(last, None):
                return False
            if len(before) >= 2 or _is_constant(before[0], ...):
                return True
            return not isinstance(before[0], ast.Slice) and token_name(last) is not None
        case _:
            return False


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _alternatives(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.BoolOp(values=values):
            return list(values)
        case _:
            return []


def _trace_back(source: ast.expr, facts: Facts, lineage: Lineage) -> None:
    seen: set[ast.AST] = set()
    known: set[Definition] = set()
    pending = deque([source])
    while pending and len(seen) < _MOST_EXPRESSIONS:
        node = pending.popleft()
        if node in seen:
            continue
        seen.add(node)
        lineage.trail.append(node)
        if isinstance(node, ast.Name):
            for definition in _in_order(facts, node):
                if definition in known:
                    continue
                known.add(definition)
                lineage.definitions.append(definition)
                made_of = _made_of(definition)
                if made_of is not None:
                    pending.append(made_of)
            continue
        operand = step_operand(node, facts)
        pending += _alternatives(node) if operand is None else [operand]


def _in_order(facts: Facts, name: ast.Name) -> list[Definition]:
    """The definitions that reach a name, in an order that does not vary."""
    reaching = facts.names.of(name)
    if len(reaching) <= 1:
        return list(reaching)
    return facts.names.in_order(reaching)


def _made_of(definition: Definition) -> ast.expr | None:
    match definition.binding:
        case Binding.ASSIGNED | Binding.ITERATED:
            return definition.value
        case Binding.AUGMENTED:
            node = definition.node
            assert isinstance(node, ast.AugAssign)
            return node.target
        case _:
            return None


def _trace_forward(source: ast.expr, facts: Facts, lineage: Lineage) -> None:
    known = set(lineage.definitions)
    uses = facts.names.uses
    pending: deque[Sequence[ast.expr]] = deque([[source]])
    pending += (
        uses(definition)
        for definition in lineage.definitions
        if definition.binding is not Binding.FREE
    )
    for load in islice(_each_once(pending), _MOST_EXPRESSIONS):
        climb = facts.once_at(load, _climb)
        lineage.steps += climb.steps
        if climb.use is not None:
            lineage.uses.append(climb.use)
        for value in climb.values:
            for definition in facts.names.giving(value):
                if definition.binding is Binding.ASSIGNED and definition not in known:
                    known.add(definition)
                    lineage.definitions.append(definition)
                    pending.append(uses(definition))


def _each_once(pending: deque[Sequence[ast.expr]]) -> Iterator[ast.expr]:
    """The loads of a queue that grows meanwhile."""
    seen: set[ast.expr] = set()
    while pending:
        for load in pending.popleft():
            if load not in seen:
                seen.add(load)
                yield load


def _climb(load: ast.expr, facts: Facts) -> _Climb:
    parents = facts.tree.parents
    tensor = load
    values = [load]
    steps: list[ast.expr] = []
    while True:
        around = parents.get(tensor)
        if isinstance(around, ast.Attribute):
            call = parents.get(around)
            if isinstance(call, ast.Call) and call.func is around:
                around = call
        if not isinstance(around, ast.expr) or not (
            step_operand(around, facts) is tensor or tensor in _alternatives(around)
        ):
            break
        steps.append(around)
        if keeps_columns(around):
            break
        tensor = around
        values.append(tensor)
    consumer = parents.get(tensor)
    use = None if consumer is None else Use(tensor, consumer)
    return _Climb(tuple(values), tuple(steps), use)
