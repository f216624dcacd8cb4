"""The kind of elements that an expression makes, by the rules of type promotion.

Where several definitions reach a name, one integral or stored among them decides,
for a read that lacks a kernel on one path fails there; otherwise all must agree.

Promotion as torch does it, with tensors of any rank: a result counts as float32 only
where no operand could be a wider-ranked tensor of a narrower float.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .casts import recognise_cast
from .facts import Facts
from .names import Binding, Definition
from .width_lineage import operation, step_operand
from .width_words import dotted_words, word_set


class Kind(enum.Enum):
    INTEGRAL = enum.auto()
    """Bools or integers."""
    STORAGE = enum.auto()
    """float8 and quantised types: stored, not computed with."""
    FLOAT = enum.auto()
    """Ordinary floats of a precision that is not known or is low."""
    FLOAT32 = enum.auto()
    FLOAT64 = enum.auto()
    WHOLE_NUMBER = enum.auto()
    """A Python int, which leaves the type of a tensor as it is."""
    REAL_NUMBER = enum.auto()
    """A Python float, which makes integral tensors floats of the default type."""
    UNKNOWN = enum.auto()


@dataclass(frozen=True, slots=True)
class Typed:
    """A kind and the reason for it, in a few words."""

    kind: Kind
    reason: str


_UNKNOWN = Typed(Kind.UNKNOWN, "")
_FLOATS = (Kind.FLOAT, Kind.FLOAT32, Kind.FLOAT64)
_SPEAK_AGAINST = (Kind.INTEGRAL, Kind.STORAGE)

DTYPES = {
    **dict.fromkeys(
        ("torch.float16", "torch.bfloat16"),
        Kind.FLOAT,
    ),
    "torch.float32": Kind.FLOAT32,
    "torch.float64": Kind.FLOAT64,
    **dict.fromkeys(
        (
            "torch.bool",
            "torch.uint8",
            "torch.int8",
            "torch.int16",
            "torch.short",
            "torch.int32",
            "torch.int",
            "torch.int64",
            "torch.long",
        ),
        Kind.INTEGRAL,
    ),
    **dict.fromkeys(
        (
            "torch.float8_e4m3fn",
            "torch.float8_e5m2",
            "torch.float8_e4m3fnuz",
            "torch.float8_e5m2fnuz",
            "torch.float8_e8m0fnu",
            "torch.float4_e2m1fn_x2",
            "torch.qint8",
            "torch.quint8",
            "torch.qint32",
        ),
        Kind.STORAGE,
    ),
}

_CONVERSIONS = {
    **dict.fromkeys(("half", "bfloat16"), Kind.FLOAT),
    **dict.fromkeys(("bool", "long", "int", "short", "byte", "char"), Kind.INTEGRAL),
}
_INTEGRAL_RESULTS = word_set(
    """
    argmax argmin argsort isin isnan isinf isfinite isclose eq ne lt le gt ge
    logical_not logical_and logical_or logical_xor bitwise_not bitwise_and bitwise_or
    bincount one_hot nonzero searchsorted bucketize count_nonzero any all randint
    randperm multinomial tril_indices triu_indices histc randint_like signbit
    """
)
_FLOAT_RESULTS = word_set(
    """
    softmax log_softmax exp expm1 log log2 log10 log1p sigmoid logsigmoid tanh sqrt
    rsqrt mean std var norm linear matmul mm bmm einsum addmm baddbmm layer_norm
    rms_norm group_norm gelu silu softplus logsumexp normalize div true_divide sin cos
    erf reciprocal dropout scaled_dot_product_attention cross_entropy dequantize
    log_sigmoid cosine_similarity bilinear conv1d conv2d conv3d gumbel_softmax
    """
)
_UNARY_FLOAT = word_set("softmax log_softmax exp log sigmoid tanh sqrt rsqrt sin cos")
_DEFAULT_FLOATS = word_set("zeros ones rand randn empty linspace logspace eye normal")
_LIKE = word_set("zeros_like ones_like empty_like rand_like randn_like full_like")
_NEW = word_set("new_zeros new_ones new_empty new_full new_tensor")
_SAME = word_set(
    """
    gather index_select take take_along_dim masked_select masked_fill masked_scatter
    scatter scatter_add index_fill index_add sum cumsum prod amax amin abs relu neg clip
    clamp flip roll repeat repeat_interleave expand expand_as split chunk unbind narrow
    select diagonal tril triu unfold pad fill_ copy_ zero_ values round floor ceil
    pin_memory broadcast_to numpy embedding
    """
)
_JOINS = word_set("cat stack concat concatenate hstack vstack")
_PAIRS = word_set("topk max min sort kthvalue median mode cummax cummin")
"""What returns values and indices, where it takes a dimension."""


def kind_of_expression(node: ast.expr, facts: Facts) -> Typed:
    """The kind of elements of a tensor, or of a number, that `node` evaluates to."""
    return _Inference(facts).kind(node)


def kind_of_dtype(node: ast.expr, facts: Facts) -> Kind:
    """The kind that a spelled type such as `torch.bool` stands for."""
    return DTYPES.get(facts.resolve(node) or "", Kind.UNKNOWN)


@dataclass(slots=True)
class _Inference:
    facts: Facts
    busy: set[ast.expr] = field(default_factory=set)

    def kind(self, node: ast.expr) -> Typed:
        if node in self.busy or len(self.busy) > 60:
            return _UNKNOWN
        self.busy.add(node)
        try:
            return self._of(node)
        finally:
            self.busy.discard(node)

    def _of(self, node: ast.expr) -> Typed:
        match node:
            case ast.Constant(value=bool() | int()):
                return Typed(Kind.WHOLE_NUMBER, "")
            case ast.Constant(value=float()):
                return Typed(Kind.REAL_NUMBER, "")
            case ast.Compare():
                return Typed(Kind.INTEGRAL, "result of a comparison")
            case ast.UnaryOp(op=ast.Invert()):
                return Typed(Kind.INTEGRAL, "result of `~`")
            case ast.UnaryOp(operand=operand):
                return self.kind(operand)
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.IfExp(body=body, orelse=orelse):
                return _agreed([self.kind(body), self.kind(orelse)])
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
                return _UNKNOWN

    def _name(self, node: ast.Name) -> Typed:
        facts = self.facts
        kinds = [
            self._definition(d)
            for d in facts.names.definitions
            if d in facts.names.of(node) and not self._is_busy(d)
        ]
        return _agreed(kinds)

    def _is_busy(self, definition: Definition) -> bool:
        return definition.value is not None and definition.value in self.busy

    def _definition(self, definition: Definition) -> Typed:
        value = definition.value
        match definition.binding:
            case Binding.ASSIGNED | Binding.ITERATED if value is not None:
                return self.kind(value)
            case Binding.AUGMENTED if isinstance(definition.node, ast.AugAssign):
                target = definition.node.target
                return self.kind(target) if isinstance(target, ast.Name) else _UNKNOWN
            case Binding.UNPACKED if isinstance(value, ast.Call):
                if operation(value, self.facts) in _PAIRS:
                    return self._half(value, definition.index or 0)
                return _UNKNOWN
            case _:
                return _UNKNOWN

    def _half(self, call: ast.Call, index: int) -> Typed:
        """The values (0) or indices (1) of a call such as `topk`."""
        if index == 1:
            return Typed(Kind.INTEGRAL, f"indices of `{dotted_words(call.func)}`")
        return self._operand(call)

    def _attribute(self, node: ast.Attribute) -> Typed:
        match node:
            case ast.Attribute(attr="indices", value=ast.Call() as call) if (
                operation(call, self.facts) in _PAIRS
            ):
                return self._half(call, 1)
            case ast.Attribute(attr="data" | "T" | "mT" | "values", value=value):
                return self.kind(value)
            case ast.Attribute(attr="grad"):
                return Typed(Kind.FLOAT, "a gradient")
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                made = _made_in_constructor(attr, self.facts)
                return self.kind(made) if made is not None else _UNKNOWN
            case _:
                return _UNKNOWN

    def _subscript(self, node: ast.Subscript) -> Typed:
        match node:
            case ast.Subscript(
                value=ast.Call() as call, slice=ast.Constant(value=int(index))
            ) if operation(call, self.facts) in _PAIRS:
                return self._half(call, index)
            case ast.Subscript(slice=ast.Constant(value=str())):
                return _UNKNOWN
            case _:
                return self.kind(node.value)

    def _arithmetic(self, node: ast.BinOp) -> Typed:
        if isinstance(
            node.op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.LShift | ast.RShift
        ):
            return Typed(Kind.INTEGRAL, "result of a bitwise operator")
        if isinstance(node.op, ast.MatMult):
            return Typed(Kind.FLOAT, "a matrix product")
        left, right = self.kind(node.left), self.kind(node.right)
        return _promoted(left, right, isinstance(node.op, ast.Div))

    def _call(self, node: ast.Call) -> Typed:
        facts = self.facts
        cast = recognise_cast(node, facts)
        if cast is not None:
            kind = Kind.FLOAT32 if cast.dtype == "float32" else Kind.FLOAT64
            return Typed(kind, f"converted on line {node.lineno}")
        done = operation(node, facts)
        if done is None:
            return self._unnamed(node)
        spelled = self._spelled(node, done)
        if spelled is not None:
            return spelled
        if done in _CONVERSIONS:
            return Typed(_CONVERSIONS[done], f"converted by `.{done}()`")
        if done in _INTEGRAL_RESULTS:
            return Typed(Kind.INTEGRAL, f"result of `{done}`")
        if done in _FLOAT_RESULTS:
            return self._float_result(node, done)
        if done in _DEFAULT_FLOATS and facts.resolve(node.func) is not None:
            return Typed(Kind.FLOAT, f"made by `torch.{done}` in the default type")
        return self._derived(node, done)

    def _derived(self, node: ast.Call, done: str) -> Typed:
        """Calls whose result has the type of what they are given."""
        if done == "arange" or done in ("tensor", "full", "as_tensor"):
            return self._literal(node, done)
        if done in _JOINS and node.args:
            return self._joined(node.args[0])
        if done == "where" and len(node.args) == 3:
            return _promoted(self.kind(node.args[1]), self.kind(node.args[2]), False)
        if done == "type_as" and node.args:
            return self.kind(node.args[0])
        if done in ("Parameter", "Buffer") and node.args:
            return self.kind(node.args[0])
        if done in ("to", "type") and _may_give_type(node):
            return _UNKNOWN
        if done in _SAME or done in _LIKE or done in _NEW:
            return self._operand(node)
        if done in _PAIRS:
            return self._operand(node)
        operand = step_operand(node, self.facts)
        return self.kind(operand) if operand is not None else _UNKNOWN

    def _unnamed(self, node: ast.Call) -> Typed:
        dotted = self.facts.resolve(node.func) or ""
        if dotted in ("torch.nn.Parameter", "torch.nn.Buffer") and node.args:
            return self.kind(node.args[0])
        return _UNKNOWN

    def _spelled(self, node: ast.Call, done: str) -> Typed | None:
        """What `dtype=` or a positional type of `to`, `type`, `view` says."""
        for keyword in node.keywords:
            if keyword.arg == "dtype":
                return self._of_type(keyword.value)
        if done in ("to", "type", "view", "asarray"):
            for argument in node.args:
                if kind_of_dtype(argument, self.facts) is not Kind.UNKNOWN:
                    return self._of_type(argument)
        return None

    def _of_type(self, node: ast.expr) -> Typed:
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            return self.kind(node.value)
        kind = kind_of_dtype(node, self.facts)
        return Typed(kind, f"made as `{self.facts.text(node)}`")

    def _float_result(self, node: ast.Call, done: str) -> Typed:
        if done in _UNARY_FLOAT:
            operand = self._operand(node)
            if operand.kind in (Kind.FLOAT32, Kind.FLOAT64):
                return operand
        return Typed(Kind.FLOAT, f"result of `{done}`")

    def _operand(self, node: ast.Call) -> Typed:
        if self.facts.resolve(node.func) is not None:
            return self.kind(node.args[0]) if node.args else _UNKNOWN
        if isinstance(node.func, ast.Attribute):
            return self.kind(node.func.value)
        return _UNKNOWN

    def _literal(self, node: ast.Call, done: str) -> Typed:
        """`torch.tensor([1, 2])`, `torch.arange(n)`, `torch.full(size, 0.5)`."""
        given = node.args[1:2] if done == "full" else node.args
        numbers = [part for each in given for part in _numbers(each)]
        if any(isinstance(number, float) for number in numbers):
            return Typed(Kind.FLOAT, f"made by `torch.{done}` in the default type")
        if done == "arange" or (numbers and all(map(_is_literal, given))):
            return Typed(Kind.INTEGRAL, f"integers made by `torch.{done}`")
        return _UNKNOWN

    def _joined(self, parts: ast.expr) -> Typed:
        if isinstance(parts, ast.List | ast.Tuple) and parts.elts:
            return _agreed([self.kind(part) for part in parts.elts])
        if isinstance(parts, ast.ListComp):
            return self.kind(parts.elt)
        return _UNKNOWN


def _agreed(kinds: Sequence[Typed]) -> Typed:
    for typed in kinds:
        if typed.kind in _SPEAK_AGAINST:
            return typed
    if not kinds or any(typed.kind is Kind.UNKNOWN for typed in kinds):
        return _UNKNOWN
    if len({typed.kind for typed in kinds}) == 1:
        return kinds[0]
    floats = [typed for typed in kinds if typed.kind in _FLOATS]
    if len(floats) == len(kinds):
        return Typed(Kind.FLOAT, floats[0].reason)
    return _UNKNOWN


_NUMBERS = (Kind.WHOLE_NUMBER, Kind.REAL_NUMBER)


def _promoted(left: Typed, right: Typed, divides: bool) -> Typed:
    kinds = (left.kind, right.kind)
    if all(kind in _NUMBERS for kind in kinds):
        whole = all(kind is Kind.WHOLE_NUMBER for kind in kinds) and not divides
        return left if whole else Typed(Kind.REAL_NUMBER, "")
    if all(kind in (Kind.INTEGRAL, *_NUMBERS) for kind in kinds):
        if divides or Kind.REAL_NUMBER in kinds:
            return Typed(Kind.FLOAT32, "integers made float by arithmetic")
        return left if left.kind is Kind.INTEGRAL else right
    for wide in (Kind.FLOAT64, Kind.FLOAT32):
        others = (wide, Kind.INTEGRAL, *_NUMBERS)
        if wide in kinds and all(kind in others for kind in kinds):
            return left if left.kind is wide else right
    known = [typed for typed in (left, right) if typed.kind in _FLOATS]
    if known:
        return Typed(Kind.FLOAT, known[0].reason)
    if divides or Kind.REAL_NUMBER in kinds:
        return Typed(Kind.FLOAT, "result of float arithmetic")
    return _UNKNOWN


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


def _made_in_constructor(attribute: str, facts: Facts) -> ast.expr | None:
    """What `__init__` of the class around assigns to `self.attribute`, if once."""
    holder = next(
        (n for n in facts.tree.ancestors(facts.scope) if isinstance(n, ast.ClassDef)),
        None,
    )
    if holder is None:
        return None
    made: list[ast.expr] = []
    for statement in holder.body:
        if isinstance(statement, ast.FunctionDef):
            for node in ast.walk(statement):
                value = _assigned_to_self(node, attribute)
                if value is not None:
                    made.append(value)
    return made[0] if len(made) == 1 else None


def _assigned_to_self(node: ast.AST, attribute: str) -> ast.expr | None:
    match node:
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value
        ) if name == attribute:
            return value
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="self"), attr="register_buffer"),
            args=[ast.Constant(value=name), value, *_],
        ) if name == attribute:
            return value
        case _:
            return None
