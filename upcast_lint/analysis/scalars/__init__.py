"""Whether an operand of arithmetic is a number or a tensor.

Terms
-----
number
    A Python `int` or `float`, proved by how it is made: literals, sizes, `.item()`,
    `len`, `math`, annotations, arithmetic of numbers.
assumed number
    A parameter or an attribute without evidence of a tensor that is used as a factor
    or divisor, or in one (`max(t, 1e-6)`, `t + eps`), as temperatures and scales are,
    or that has a number for its default.

Limits: what is passed for a parameter is not followed; complex numbers are unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from .. import ops
from ..definition_guard import Guard
from ..facts import Facts
from ..names import Binding, Definition
from ..ops import Role
from ..shape_reads import shape_owner
from ..tensor_calls import builtin_called, is_builtin
from ..words import words
from .constants import exact_constant
from .evidence import Operand, annotated, is_used_as_tensor, names_tensor, set_in_class

__all__ = ["Operand", "classify_operand", "exact_constant"]

_LIMITS = frozenset(("min", "max", "eps", "tiny", "smallest_normal", "bits"))
_HOLDERS = ("grad", "logits", "indices")
_COUNTING = words(
    """
    torch.cuda.device_count torch.distributed.get_rank
    torch.distributed.get_world_size
    """
)


def classify_operand(node: ast.expr, facts: Facts) -> Operand:
    """What an operand is, judged where it stands."""
    return _Classifier(facts).of(node, _is_factor(node, facts))


def _is_factor(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression multiplies or divides what stands beside it."""
    match facts.tree.parents.get(node):
        case ast.BinOp(op=ast.Mult()):
            return True
        case ast.BinOp(op=ast.Div(), right=right):
            return right is node
        case ast.AugAssign(op=ast.Mult() | ast.Div(), value=value):
            return value is node
        case ast.Call(func=ast.Attribute(attr=name), args=[*_, last]):
            known = ops.method(name)
            return last is node and known is not None and known.scales
        case _:
            return False


@dataclass(slots=True)
class _Classifier:
    facts: Facts
    _guard: Guard = field(default_factory=Guard)

    def of(self, node: ast.expr, is_factor: bool) -> Operand:
        if exact_constant(node, self.facts) is not None:
            return Operand.NUMBER
        match node:
            case ast.Constant(value=value):
                return Operand.NUMBER if isinstance(value, bool) else Operand.UNKNOWN
            case ast.Name():
                return self._name(node, is_factor)
            case ast.Attribute():
                return self._attribute(node, is_factor)
            case ast.Subscript():
                return self._subscript(node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return self.of(operand, is_factor)
            case ast.BinOp(left=left, right=right):
                return _joint(
                    self.of(part, is_factor or _is_factor(part, self.facts))
                    for part in (left, right)
                )
            case ast.IfExp(body=body, orelse=orelse):
                return _joint((self.of(body, is_factor), self.of(orelse, is_factor)))
            case ast.BoolOp(values=values):
                return _joint(self.of(value, is_factor) for value in values)
            case ast.NamedExpr(value=value):
                return self.of(value, is_factor)
            case ast.Call():
                return self._call(node, is_factor)
            case _:
                return Operand.UNKNOWN

    def _part(self, node: ast.expr) -> Operand:
        return self.of(node, _is_factor(node, self.facts))

    def _call(self, node: ast.Call, is_factor: bool) -> Operand:
        function, facts = node.func, self.facts
        dotted = facts.resolve(function)
        if dotted is not None:
            known = ops.function(dotted)
            is_number = known is not None and known.gives_number
            if is_number or dotted.startswith("math.") or dotted in _COUNTING:
                return Operand.NUMBER
            is_tensor = dotted.startswith("torch.") and dotted != "torch.finfo"
            return Operand.TENSOR if is_tensor else Operand.UNKNOWN
        if isinstance(function, ast.Attribute):
            known = ops.method(function.attr)
            if known is not None and known.gives_number:
                is_shape = function.attr == "size" and not (node.args or node.keywords)
                return Operand.UNKNOWN if is_shape else Operand.NUMBER
            return self._tensor_or_unknown(function.value)
        known = builtin_called(node, facts)
        if known is not None and known.gives_number:
            return Operand.NUMBER
        if known is not None and known.folds and node.args:
            return _joint(self.of(argument, is_factor) for argument in node.args)
        return Operand.UNKNOWN

    def _attribute(self, node: ast.Attribute, is_factor: bool) -> Operand:
        known = ops.attribute(node.attr)
        is_count = known is not None and known.gives_number
        if is_count or node.attr == "world_size":
            return Operand.NUMBER
        if node.attr in _LIMITS and self._is_limits(node.value):
            return Operand.NUMBER
        if ops.is_view(node.attr) or node.attr in _HOLDERS or names_tensor(node.attr):
            return Operand.TENSOR
        is_told = known is not None and known.role in (Role.METADATA, Role.TYPE)
        if is_told or self.facts.resolve(node) is not None:
            return Operand.UNKNOWN
        stated = set_in_class(node, self.facts)
        if stated is not None:
            return stated
        return Operand.ASSUMED_NUMBER if is_factor else Operand.UNKNOWN

    def _is_limits(self, node: ast.expr) -> bool:
        value = self.facts.value(node)
        return isinstance(value, ast.Call) and self.facts.resolve(value.func) in (
            "torch.finfo",
            "torch.iinfo",
        )

    def _subscript(self, node: ast.Subscript) -> Operand:
        if _is_shape(self.facts.value(node.value)):
            is_one = not isinstance(node.slice, ast.Slice)
            return Operand.NUMBER if is_one else Operand.UNKNOWN
        return self._tensor_or_unknown(node.value)

    def _tensor_or_unknown(self, node: ast.expr) -> Operand:
        is_tensor = self.of(node, is_factor=False) is Operand.TENSOR
        return Operand.TENSOR if is_tensor else Operand.UNKNOWN

    def _name(self, node: ast.Name, is_factor: bool) -> Operand:
        if self._guard.is_spent():
            return Operand.UNKNOWN
        reaching = self.facts.names.of(node)
        found = [
            self._guard.within(
                each, lambda d: self._bound(d, is_factor), Operand.UNKNOWN
            )
            for each in reaching
            if not self._guard.holds(each)
        ]
        if not found:
            return Operand.UNKNOWN
        kind = _joint(found)
        if kind in (Operand.NUMBER, Operand.TENSOR):
            return kind
        if names_tensor(node.id) or is_used_as_tensor(node.id, self.facts):
            return Operand.TENSOR
        return kind

    def _bound(self, definition: Definition, is_factor: bool) -> Operand:
        node, value = definition.node, definition.value
        match definition.binding:
            case Binding.ASSIGNED if value is not None:
                if isinstance(node, ast.AnnAssign):
                    stated = annotated(node.annotation)
                    if stated is not None:
                        return stated
                return self.of(value, is_factor)
            case Binding.UNPACKED if value is not None:
                if _is_shape(self.facts.value(value)):
                    return Operand.NUMBER
                return self._tensor_or_unknown(value)
            case Binding.AUGMENTED if isinstance(node, ast.AugAssign):
                if isinstance(node.target, ast.Name) and value is not None:
                    before = self._name(node.target, is_factor)
                    return _joint((before, self._part(value)))
                return Operand.UNKNOWN
            case Binding.ITERATED if isinstance(value, ast.Call):
                is_count = is_builtin(value.func, "range", self.facts)
                return Operand.NUMBER if is_count else Operand.UNKNOWN
            case Binding.PARAMETER if isinstance(node, ast.arg):
                return self._parameter(node, is_factor)
            case Binding.FREE:
                return self._free(definition.name, is_factor)
            case _:
                return Operand.UNKNOWN

    def _parameter(self, node: ast.arg, is_factor: bool) -> Operand:
        stated = annotated(node.annotation)
        if stated is not None:
            return stated
        if names_tensor(node.arg):
            return Operand.TENSOR
        default = _default(node, self.facts)
        has_number = default is not None and (
            exact_constant(default, self.facts) is not None
        )
        return Operand.ASSUMED_NUMBER if is_factor or has_number else Operand.UNKNOWN

    def _free(self, name: str, is_factor: bool) -> Operand:
        found = self.facts.outer(name)
        match found:
            case Definition(binding=Binding.PARAMETER, node=ast.arg() as parameter):
                return self._parameter(parameter, is_factor)
            case Definition(binding=Binding.ASSIGNED, value=ast.expr() as value):
                known = exact_constant(value, self.facts) is not None
                return Operand.NUMBER if known else Operand.UNKNOWN
            case _:
                return Operand.UNKNOWN


def _joint(kinds: Iterable[Operand]) -> Operand:
    """The kind of what may be, or is computed from, operands of these kinds."""
    found = set(kinds)
    for kind in (Operand.TENSOR, Operand.UNKNOWN, Operand.ASSUMED_NUMBER):
        if kind in found:
            return kind
    return Operand.NUMBER


def _is_shape(node: ast.expr) -> bool:
    """Whether an expression is a shape, or several sizes of one."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return _is_shape(node.value)
    return shape_owner(node) is not None


def _default(parameter: ast.arg, facts: Facts) -> ast.expr | None:
    arguments = facts.tree.parents[parameter]
    assert isinstance(arguments, ast.arguments)
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    for each, default in zip(positional[first:], arguments.defaults, strict=True):
        if each is parameter:
            return default
    for each, keyword in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if each is parameter:
            return keyword
    return None
