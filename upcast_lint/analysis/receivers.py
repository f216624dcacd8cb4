"""What a method is called on: a name is a tensor's only where the code shows it.

Evidence of a tensor: an annotation, how it was made, or a use that only a tensor has
(a subscript with a slice in a tuple, `.shape`, an operation of torch that takes it, a
method that hardly anything else has, called as a tensor's is).

A widening cast whose result is used counts as a tensor's; of a module it keeps the
values.

Limits: `self` and what a class of the file has a method for are told by nothing else
than how they are made; one use counts for every definition that reaches it.
"""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterable

from . import ops
from .casts import recognise_cast
from .classes import classes_of, method_names
from .facts import Facts
from .names import Binding, Definition
from .ops import Axes, Memory, Operation, Role
from .shape_reads import shape_owner
from .syntax import COMPREHENSIONS, FUNCTIONS
from .tensor_calls import builtin_called, is_builtin
from .values import is_ellipsis, is_none, items_of
from .words import words


class Receiver(enum.Enum):
    TENSOR = enum.auto()
    ARRAY = enum.auto()
    """Of numpy."""
    PLAIN = enum.auto()
    """A number, a string or a container of Python."""
    LOGGER = enum.auto()
    UNKNOWN = enum.auto()


ARRAYS = (Receiver.TENSOR, Receiver.ARRAY)

_TENSOR_TYPE = re.compile(r"(?:\w+\.)*(?:\w*Tensor|Parameter)(?:\[.*\])?")
_JAXTYPING = re.compile(
    r"(?:Float|Int|Bool|Integer|Num|Shaped|BFloat16|Float32|Int64|UInt8)\[.*Tensor.*\]"
)
_ARRAY_TYPE = re.compile(r"(?:\w+\.)*ndarray(?:\[.*\])?")
_PLAIN_TYPE = re.compile(
    r"(?:typing\.)?(?:int|float|bool|str|bytes|complex|[Ll]ist|[Dd]ict|[Ss]et|[Tt]uple|"
    r"Sequence|Iterable|Mapping)(?:\[.*\])?"
)
_PLAIN_NODES = (
    *(ast.Constant, ast.JoinedStr, ast.List, ast.Dict, ast.Tuple, ast.Set),
    *COMPREHENSIONS,
)
_LOGGERS = words("logger _logger log logging LOGGER LOG")
_LOGGER_MAKERS = words("getLogger get_logger init_logger get_dist_logger")
_INSTANCES = frozenset(("self", "cls"))
_DEEPEST = 60
"""Steps from a name to what it is made of, and to how that is used."""


def receiver_of(node: ast.expr, facts: Facts) -> Receiver:
    """What an expression is, as far as the code tells."""
    return facts.once(_Receivers).of(node)


def told_method(call: ast.Call, facts: Facts) -> Operation | None:
    """The operation that a method call is, if what it is called on is known."""
    return facts.once(_Receivers).method(call)


class _Receivers:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._known: dict[ast.expr, Receiver] = {}
        self._busy: set[object] = set()
        self._methods: dict[ast.Call, Operation | None] = {}

    def of(self, node: ast.expr) -> Receiver:
        if node in self._known:
            return self._known[node]
        if node in self._busy or len(self._busy) > _DEEPEST:
            return Receiver.UNKNOWN
        self._busy.add(node)
        try:
            found = self._made(node)
        finally:
            self._busy.discard(node)
        if found is not Receiver.UNKNOWN or not self._busy:
            self._known[node] = found
        return found

    # How it is made

    def _made(self, node: ast.expr) -> Receiver:
        match node:
            case _ if isinstance(node, _PLAIN_NODES):
                return Receiver.PLAIN
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call():
                return self._call(node)
            case ast.BinOp(left=left, right=right):
                return self._mixed((left, right))
            case ast.Compare(left=left, ops=operators, comparators=others):
                if any(isinstance(o, ast.Is | ast.IsNot | ast.In) for o in operators):
                    return Receiver.PLAIN
                return self._mixed((left, *others))
            case ast.UnaryOp(op=ast.Not()):
                return Receiver.PLAIN
            case ast.UnaryOp(operand=value) | ast.NamedExpr(value=value):
                return self.of(value)
            case ast.IfExp(body=body, orelse=orelse):
                return _agreed((self.of(body), self.of(orelse)))
            case ast.BoolOp(values=values):
                return _agreed(map(self.of, values))
            case _:
                return Receiver.UNKNOWN

    def _mixed(self, operands: Iterable[ast.expr]) -> Receiver:
        """What arithmetic gives: a tensor, if one operand is one."""
        kinds = set(map(self.of, operands))
        for kind in (Receiver.TENSOR, Receiver.ARRAY):
            if kind in kinds:
                return kind
        return Receiver.PLAIN if kinds == {Receiver.PLAIN} else Receiver.UNKNOWN

    def _attribute(self, node: ast.Attribute) -> Receiver:
        if node.attr == "shape":
            return Receiver.PLAIN
        if node.attr in _LOGGERS:
            return Receiver.LOGGER
        if self.facts.resolve(node) is not None:
            return Receiver.UNKNOWN
        base = self.of(node.value)
        known = ops.attribute(node.attr)
        is_tensor = known is not None and known.memory is not Memory.VALUE
        if is_tensor and base in ARRAYS:
            return base
        if node.attr in ("values", "indices") and isinstance(node.value, ast.Call):
            return base
        uses = self.facts.once(_attributes).get(ast.dump(node), ())
        is_used = any(map(self._is_used_as_tensor, uses))
        return Receiver.TENSOR if is_used else Receiver.UNKNOWN

    def _subscript(self, node: ast.Subscript) -> Receiver:
        base = self.of(node.value)
        if base in ARRAYS:
            return base
        if self._is_indexed_as_tensor(node):
            return Receiver.TENSOR
        if shape_owner(node.value) is not None:
            return Receiver.PLAIN
        used = self._is_used_as_tensor(node)
        return Receiver.TENSOR if used else Receiver.UNKNOWN

    def _call(self, node: ast.Call) -> Receiver:
        function = node.func
        dotted = self.facts.resolve(function)
        last = getattr(function, "attr", getattr(function, "id", ""))
        if last in _LOGGER_MAKERS:
            return Receiver.LOGGER
        if dotted is not None:
            return _given_by(dotted)
        if isinstance(function, ast.Name):
            operation = builtin_called(node, self.facts)
            is_plain = operation is not None and not operation.gives_anything
            return Receiver.PLAIN if is_plain else Receiver.UNKNOWN
        operation = self.method(node)
        if operation is None or not isinstance(function, ast.Attribute):
            return Receiver.UNKNOWN
        base = self.of(function.value)
        if base is Receiver.PLAIN:
            is_element = function.attr in ("get", "pop", "popleft", "setdefault")
            return Receiver.UNKNOWN if is_element else Receiver.PLAIN
        if operation.memory is Memory.VALUE or base is Receiver.LOGGER:
            return Receiver.PLAIN
        if base is Receiver.ARRAY or function.attr == "numpy":
            return Receiver.ARRAY
        return Receiver.TENSOR

    def _name(self, node: ast.Name) -> Receiver:
        if node.id in _INSTANCES:
            return Receiver.UNKNOWN
        if node.id in _LOGGERS:
            return Receiver.LOGGER
        reaching = self.facts.names.of(node)
        if not reaching:
            return Receiver.UNKNOWN
        return _agreed(map(self._defined, reaching))

    def _defined(self, definition: Definition) -> Receiver:
        if definition in self._busy or len(self._busy) > _DEEPEST:
            return Receiver.UNKNOWN
        self._busy.add(definition)
        try:
            bound = self._bound(definition)
            if bound is not Receiver.UNKNOWN or self._is_instance_of_file(definition):
                return bound
            uses = self.facts.names.uses(definition)
            if any(map(self._is_used_as_tensor, uses)):
                return Receiver.TENSOR
            return Receiver.UNKNOWN
        finally:
            self._busy.discard(definition)

    def _is_instance_of_file(self, definition: Definition) -> bool:
        """Whether a name is bound to an object of a class of the file."""
        match definition.value:
            case ast.Call(func=ast.Name(id=name)):
                tree = self.facts.tree
                classes = tree.once_with(tree.module, classes_of)
                return any(name == each.name for each in classes)
            case _:
                return False

    def _bound(self, definition: Definition) -> Receiver:
        value = definition.value
        match definition.binding:
            case Binding.PARAMETER:
                return self._parameter(definition)
            case Binding.FREE:
                return self._outer(definition)
            case Binding.ASSIGNED if value is not None:
                return self.of(value)
            case Binding.AUGMENTED if value is not None:
                found = self.of(value)
                return found if found in ARRAYS else Receiver.UNKNOWN
            case Binding.UNPACKED | Binding.ITERATED if value is not None:
                return self._part(value)
            case _:
                return Receiver.UNKNOWN

    def _part(self, value: ast.expr) -> Receiver:
        is_range = isinstance(value, ast.Call) and is_builtin(
            value.func, "range", self.facts
        )
        if is_range or shape_owner(value) is not None:
            return Receiver.PLAIN
        whole = self.of(value)
        return whole if whole in ARRAYS else Receiver.UNKNOWN

    def _parameter(self, definition: Definition) -> Receiver:
        node, scope = definition.node, self.facts.scope
        if isinstance(scope, FUNCTIONS) and node in (
            scope.args.vararg,
            scope.args.kwarg,
        ):
            return Receiver.PLAIN
        annotation = definition.annotation
        return Receiver.UNKNOWN if annotation is None else _annotated(annotation)

    def _outer(self, definition: Definition) -> Receiver:
        """What a name of the module is, that is assigned once."""
        found = self.facts.outer(definition.name)
        match None if found is None else found.value:
            case ast.Constant() | ast.List() | ast.Dict() | ast.Set() | ast.Tuple():
                return Receiver.PLAIN
            case _:
                return Receiver.UNKNOWN

    # How it is used

    def _is_used_as_tensor(self, node: ast.expr) -> bool:
        parent = self.facts.tree.parents[node]
        match parent:
            case ast.Attribute(attr=name):
                call = self.facts.tree.called_by(parent)
                if call is None:
                    return _tells(name) and not self._is_of_class(name)
                if self._is_distinctive(call, name):
                    return True
                return _gives_itself(name) and self._is_kept_as_tensor(call)
            case ast.Subscript(value=base) if base is node:
                return self._is_indexed_as_tensor(parent)
            case ast.Call(func=function) if function is not node:
                return self._is_taken(function)
            case ast.keyword(arg=name) if name is not None:
                holder = self.facts.tree.parents[parent]
                return isinstance(holder, ast.Call) and self._is_taken(holder.func)
            case ast.BinOp(left=left, right=right):
                other = right if left is node else left
                is_tensor = self.of(other) is Receiver.TENSOR
                return is_tensor or self._is_kept_as_tensor(parent)
            case ast.Compare(left=left, comparators=[right], ops=[operator]):
                other = right if left is node else left
                is_order = not isinstance(operator, ast.Is | ast.IsNot | ast.In)
                return is_order and self.of(other) is Receiver.TENSOR
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr():
                return any(
                    self._defined(definition) is Receiver.TENSOR
                    for definition in self.facts.names.giving(node)
                    if definition.binding is Binding.ASSIGNED
                )
            case _:
                return False

    def _is_indexed_as_tensor(self, node: ast.Subscript) -> bool:
        return _is_tensor_index(node.slice) and not self._is_of_class("__getitem__")

    def _is_of_class(self, name: str) -> bool:
        """Whether a class of the file has a method or a property of this name."""
        tree = self.facts.tree
        return name in tree.once_with(tree.module, method_names)

    def _is_kept_as_tensor(self, result: ast.expr) -> bool:
        """Whether a result, which is a tensor if this is one, is used as one."""
        key = ("use", result)
        if key in self._busy or len(self._busy) > _DEEPEST:
            return False
        self._busy.add(key)
        try:
            return self._is_used_as_tensor(result)
        finally:
            self._busy.discard(key)

    def _is_taken(self, function: ast.expr) -> bool:
        """Whether a function of torch takes a tensor, a number or some of them."""
        dotted = self.facts.resolve(function)
        if dotted is None or not dotted.startswith("torch."):
            return False
        operation = ops.function(dotted)
        if operation is None or operation.axes is Axes.LITERAL:
            return False
        return operation.memory not in (Memory.VALUE, Memory.HOLDS, Memory.UNKNOWN)

    # Its methods

    def method(self, call: ast.Call) -> Operation | None:
        function = call.func
        if not isinstance(function, ast.Attribute):
            return None
        if call not in self._methods:
            self._methods[call] = self._method(call, function.value, function.attr)
        return self._methods[call]

    def _method(
        self, call: ast.Call, receiver: ast.expr, name: str
    ) -> Operation | None:
        match self.of(receiver):
            case Receiver.TENSOR:
                found = ops.method(name)
            case Receiver.ARRAY:
                found = ops.array_method(name) or ops.method(name)
            case Receiver.PLAIN:
                found = ops.container_method(name) or ops.method(name)
            case Receiver.LOGGER:
                found = ops.logger_method(name)
            case Receiver.UNKNOWN:
                if self._is_distinctive(call, name) or self._is_cast(call, receiver):
                    return ops.method(name)
                return ops.container_method(name) if _asks_by_key(call, name) else None
        return found

    def _is_cast(self, call: ast.Call, receiver: ast.expr) -> bool:
        """Whether a widening cast gives a copy, and does not convert a module only."""
        return (
            recognise_cast(call, self.facts) is not None
            and not self._is_instance(receiver)
            and not isinstance(self.facts.tree.parents[call], ast.Expr)
        )

    def _is_distinctive(self, call: ast.Call, name: str) -> bool:
        """Whether a method is called as hardly anything but a tensor's is."""
        operation = ops.method(name)
        if operation is None or isinstance(call.func, ast.Name):
            return False
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if receiver is None or self._is_instance(receiver):
            return False
        if self._is_of_class(name):
            return False
        bound = operation.bind(call)
        if bound is None or not bound.is_complete:
            return False
        if operation.is_distinctive:
            return True
        of_array = ops.array_method(name)
        is_shared = of_array is not None and bool(of_array.writes)
        return _names_dimension(call, bound.of, by_keyword=is_shared)

    def _is_instance(self, node: ast.expr) -> bool:
        match node:
            case ast.Name(id=name):
                return name in _INSTANCES or self.facts.resolve(node) is not None
            case ast.Call(func=ast.Name(id="super")):
                return True
            case _:
                return self.facts.resolve(node) is not None


def _tells(attribute: str) -> bool:
    """Whether hardly anything but a tensor has an attribute of this name."""
    known = ops.attribute(attribute)
    return known is not None and known.is_distinctive


def _gives_itself(method: str) -> bool:
    """Whether a module, as a tensor, gives itself back by a method of this name."""
    known = ops.method(method)
    return known is not None and known.role in (Role.CAST, Role.MOVE)


def _agreed(kinds: Iterable[Receiver]) -> Receiver:
    found = set(kinds)
    return found.pop() if len(found) == 1 else Receiver.UNKNOWN


def _given_by(dotted: str) -> Receiver:
    """What a function with a dotted name returns."""
    operation = ops.function(dotted)
    if operation is None or operation.memory is Memory.UNKNOWN:
        is_linear = dotted.startswith(("torch.linalg.", "torch.fft."))
        return Receiver.TENSOR if is_linear else Receiver.UNKNOWN
    if dotted == "torch.nn.Parameter" or dotted == "torch.nn.Buffer":
        return Receiver.TENSOR
    if operation.memory is Memory.HOLDS:
        return Receiver.UNKNOWN
    if operation.memory is Memory.VALUE:
        return Receiver.PLAIN
    return Receiver.ARRAY if dotted.startswith("numpy.") else Receiver.TENSOR


def _annotated(annotation: ast.expr) -> Receiver:
    text = ast.unparse(annotation).strip("'\"")
    parts = [part.strip() for part in _alternatives(text)]
    parts = [part for part in parts if part != "None"]
    for kind, patterns in (
        (Receiver.TENSOR, (_TENSOR_TYPE, _JAXTYPING)),
        (Receiver.ARRAY, (_ARRAY_TYPE,)),
        (Receiver.PLAIN, (_PLAIN_TYPE,)),
    ):
        if parts and all(
            any(pattern.fullmatch(part) for pattern in patterns) for part in parts
        ):
            return kind
    return Receiver.UNKNOWN


def _alternatives(text: str) -> list[str]:
    optional = re.fullmatch(r"(?:typing\.)?Optional\[(.*)\]", text)
    if optional:
        text = optional.group(1)
    return text.split(" | ")


def _is_tensor_index(index: ast.expr) -> bool:
    """Whether only a tensor or an array can be indexed so."""
    return any(
        is_none(each)
        or is_ellipsis(each)
        or (isinstance(each, ast.Slice) and isinstance(index, ast.Tuple))
        for each in items_of(index)
    )


def _names_dimension(
    call: ast.Call, arguments: dict[str, ast.expr], by_keyword: bool
) -> bool:
    """Whether a call says along which dimension, as only a tensor's does.

    `by_keyword`: only where it names it, for `sort(0)` of numpy sorts in place.
    """
    if any(keyword.arg in ("dim", "keepdim") for keyword in call.keywords):
        return True
    if by_keyword:
        return False
    match arguments.get("dim"):
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.Constant(value=int()):
            return True
        case _:
            return False


def _asks_by_key(call: ast.Call, name: str) -> bool:
    """`config.get("name", default)`, a question to a mapping."""
    match call.args:
        case [ast.Constant(value=str()), *_]:
            return name == "get"
        case _:
            return False


def _attributes(facts: Facts) -> dict[str, list[ast.Attribute]]:
    """The loads of each attribute in a scope, by what they are of."""
    found: dict[str, list[ast.Attribute]] = {}
    for node in facts.nodes(ast.Attribute):
        if isinstance(node.ctx, ast.Load):
            found.setdefault(ast.dump(node), []).append(node)
    return found
