"""The kind of elements that an expression makes.

Where several definitions reach a name, one integral or stored among them decides,
for a read that lacks a kernel on one path fails there; otherwise all must agree.
What stands in a configuration is taken for a number: it leaves types as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from .. import ops
from ..casts import recognise_cast
from ..facts import Facts
from ..names import Binding, Definition
from ..ops import Gives, Operation, Role
from ..width.lineage import operation, step_operand
from ..width.words import dotted_words
from .attributes import assigned_attribute
from .types import UNKNOWN, Kind, Typed, agreed, kind_of_dtype, promoted

_FLOATS = {
    Gives.FLOAT16: Kind.FLOAT,
    Gives.BFLOAT16: Kind.FLOAT,
    Gives.FLOAT32: Kind.FLOAT32,
    Gives.FLOAT64: Kind.FLOAT64,
}
_FIELDS = ("values", "indices")
_DETACHED = ("Parameter", "Buffer")

_DEEPEST = 60
_MOST_STEPS = 400
"""Names that are read twice in each of their own definitions double the work."""


def kind_of_expression(node: ast.expr, facts: Facts) -> Typed:
    """The kind of elements of a tensor, or of a number, that `node` evaluates to."""
    return _Inference(facts).kind(node)


@dataclass(slots=True)
class _Inference:
    facts: Facts
    busy: set[ast.expr] = field(default_factory=set)
    steps: int = 0

    def kind(self, node: ast.expr) -> Typed:
        self.steps += 1
        if node in self.busy or self._is_spent():
            return UNKNOWN
        self.busy.add(node)
        try:
            return self._of(node)
        finally:
            self.busy.discard(node)

    def _is_spent(self) -> bool:
        return self.steps > _MOST_STEPS or len(self.busy) > _DEEPEST

    def _of(self, node: ast.expr) -> Typed:
        match node:
            case ast.Constant(value=bool() | int()):
                return Typed(Kind.WHOLE_NUMBER, "")
            case ast.Constant(value=float()):
                return Typed(Kind.REAL_NUMBER, "")
            case _ if _is_number(node):
                return Typed(Kind.WHOLE_NUMBER, "")
            case ast.Compare():
                return Typed(Kind.INTEGRAL, "result of a comparison")
            case ast.UnaryOp(op=ast.Invert()):
                return Typed(Kind.INTEGRAL, "result of `~`")
            case ast.UnaryOp(operand=operand):
                return self.kind(operand)
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.IfExp(body=body, orelse=orelse):
                return agreed([self.kind(body), self.kind(orelse)])
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.kind(value)
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call():
                return self._call(node)
            case _:
                return UNKNOWN

    def _name(self, node: ast.Name) -> Typed:
        facts = self.facts
        kinds = [
            self._definition(d)
            for d in facts.names.in_order(facts.names.of(node))
            if not self._is_busy(d)
        ]
        return agreed(kinds)

    def _is_busy(self, definition: Definition) -> bool:
        return definition.value is not None and definition.value in self.busy

    def _definition(self, definition: Definition) -> Typed:
        value = definition.value
        match definition.binding:
            case Binding.ASSIGNED | Binding.ITERATED if value is not None:
                return self.kind(value)
            case Binding.AUGMENTED if isinstance(definition.node, ast.AugAssign):
                target = definition.node.target
                return self.kind(target) if isinstance(target, ast.Name) else UNKNOWN
            case Binding.UNPACKED if isinstance(value, ast.Call):
                if self._gives_pair(value):
                    return self._half(value, definition.index or 0)
                return UNKNOWN
            case _:
                return UNKNOWN

    def _half(self, call: ast.Call, index: int) -> Typed:
        """The values (0) or indices (1) of a call such as `topk`."""
        if index == 1:
            return Typed(Kind.INTEGRAL, f"indices of `{dotted_words(call.func)}`")
        return self._operand(call)

    def _attribute(self, node: ast.Attribute) -> Typed:
        match node:
            case ast.Attribute(attr="indices", value=ast.Call() as call) if (
                self._gives_pair(call)
            ):
                return self._half(call, 1)
            case ast.Attribute(attr=name, value=value) if (
                name in _FIELDS or ops.is_view(name)
            ):
                return self.kind(value)
            case ast.Attribute(attr="grad"):
                return Typed(Kind.FLOAT, "a gradient")
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                made = assigned_attribute(attr, self.facts)
                if made is None or made[0] in self.busy:
                    return UNKNOWN
                return _Inference(made[1], self.busy, self.steps).kind(made[0])
            case _:
                return UNKNOWN

    def _subscript(self, node: ast.Subscript) -> Typed:
        match node:
            case ast.Subscript(
                value=ast.Call() as call, slice=ast.Constant(value=int(index))
            ) if self._gives_pair(call):
                return self._half(call, index)
            case ast.Subscript(slice=ast.Constant(value=str())):
                return UNKNOWN
            case _:
                return self.kind(node.value)

    def _arithmetic(self, node: ast.BinOp) -> Typed:
        if isinstance(
            node.op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.LShift | ast.RShift
        ):
            return Typed(Kind.INTEGRAL, "result of a bitwise operator")
        left, right = self.kind(node.left), self.kind(node.right)
        return promoted(left, right, isinstance(node.op, ast.Div))

    def _call(self, node: ast.Call) -> Typed:
        facts = self.facts
        cast = recognise_cast(node, facts)
        if cast is not None:
            kind = Kind.FLOAT32 if cast.dtype == "float32" else Kind.FLOAT64
            return Typed(kind, f"converted on {facts.place(node)}")
        done = operation(node, facts)
        if done is None:
            return self._unnamed(node)
        known = ops.tensor(done)
        spelled = self._spelled(node, known)
        if spelled is not None:
            return spelled
        if known is None:
            return self._derived(node, done)
        result = Typed(Kind.FLOAT, f"result of `{done}`")
        match known.gives:
            case gives if known.role is Role.CAST and gives in _FLOATS:
                return Typed(_FLOATS[gives], f"converted by `.{done}()`")
            case gives if gives.is_integral:
                is_cast = known.role is Role.CAST
                how = f"converted by `.{done}()`" if is_cast else f"result of `{done}`"
                return Typed(Kind.INTEGRAL, how)
            case Gives.FLOAT:
                operand = self._operand(node, known)
                is_wide = operand.kind in (Kind.FLOAT32, Kind.FLOAT64)
                return operand if is_wide else result
            case Gives.DIVIDED:
                return result
            case Gives.DEFAULT if facts.resolve(node.func) is not None:
                how = f"made by `torch.{done}` in the default type"
                return Typed(Kind.FLOAT, how)
            case Gives.COUNTED | Gives.LITERAL:
                return self._literal(node, done)
            case Gives.JOINED if node.args:
                return self._joined(node.args[0])
            case Gives.OTHERS if node.args:
                return self.kind(node.args[0])
            case Gives.PROMOTED if done == "where" and len(node.args) == 3:
                return promoted(self.kind(node.args[1]), self.kind(node.args[2]), False)
            case Gives.ASKED if _may_give_type(node):
                return UNKNOWN
            case Gives.SAME | Gives.SUMMED:
                return self._operand(node, known)
            case _:
                return self._derived(node, done)

    def _derived(self, node: ast.Call, done: str) -> Typed:
        """Calls that the table does not know, but evidence does."""
        if done in _DETACHED and node.args:
            return self.kind(node.args[0])
        operand = step_operand(node, self.facts)
        return self.kind(operand) if operand is not None else UNKNOWN

    def _gives_pair(self, call: ast.Call) -> bool:
        known = ops.tensor(operation(call, self.facts) or "")
        return known is not None and known.gives_pair

    def _unnamed(self, node: ast.Call) -> Typed:
        dotted = self.facts.resolve(node.func) or ""
        if dotted in ("torch.nn.Parameter", "torch.nn.Buffer") and node.args:
            return self.kind(node.args[0])
        return UNKNOWN

    def _spelled(self, node: ast.Call, known: Operation | None) -> Typed | None:
        """What `dtype=` or a positional type of `to`, `type`, `view` says."""
        for keyword in node.keywords:
            if keyword.arg == "dtype":
                return self._of_type(keyword.value)
        if known is not None and (known.gives is Gives.ASKED or known.names_type):
            for argument in node.args:
                if kind_of_dtype(argument, self.facts) is not Kind.UNKNOWN:
                    return self._of_type(argument)
        return None

    def _of_type(self, node: ast.expr) -> Typed:
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            return self.kind(node.value)
        kind = kind_of_dtype(node, self.facts)
        return Typed(kind, f"made as `{self.facts.text(node)}`")

    def _operand(self, node: ast.Call, known: Operation | None = None) -> Typed:
        if self.facts.resolve(node.func) is not None:
            place = 1 if known is not None and known.of == "weight" else 0
            given = node.args[place:]
            return self.kind(given[0]) if given else UNKNOWN
        if isinstance(node.func, ast.Attribute):
            return self.kind(node.func.value)
        return UNKNOWN

    def _literal(self, node: ast.Call, done: str) -> Typed:
        """`torch.tensor([1, 2])`, `torch.arange(n)`, `torch.full(size, 0.5)`."""
        given = node.args[1:2] if done == "full" else node.args
        numbers = [part for each in given for part in _numbers(each)]
        if any(isinstance(number, float) for number in numbers):
            return Typed(Kind.FLOAT, f"made by `torch.{done}` in the default type")
        if done == "arange" or (numbers and all(map(_is_literal, given))):
            return Typed(Kind.INTEGRAL, f"integers made by `torch.{done}`")
        return UNKNOWN

    def _joined(self, parts: ast.expr) -> Typed:
        if isinstance(parts, ast.List | ast.Tuple) and parts.elts:
            return agreed([self.kind(part) for part in parts.elts])
        if isinstance(parts, ast.ListComp):
            return self.kind(parts.elt)
        return UNKNOWN


def _is_number(node: ast.expr) -> bool:
    """`len(x)`, `x.shape[0]`, `x.size(-1)`, `config.hidden_size`."""
    match node:
        case ast.Call(func=ast.Name(id="len" | "int")):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            known = ops.method(name)
            return known is not None and known.gives_number
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Attribute() | ast.Subscript():
            return "config" in dotted_words(node).split(".")[:-1]
        case _:
            return False


def _may_give_type(call: ast.Call) -> bool:
    """Whether an argument of `to` may be a type or a tensor: not a device by name."""
    return any(
        "device" not in dotted_words(argument)
        and not isinstance(argument, ast.Constant)
        for argument in call.args
    )


def _numbers(node: ast.expr) -> Iterable[int | float]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, int | float):
            yield part.value


def _is_literal(node: ast.expr) -> bool:
    return all(
        isinstance(part, ast.Constant | ast.List | ast.Tuple | ast.UnaryOp)
        for part in ast.walk(node)
        if isinstance(part, ast.expr)
    )
