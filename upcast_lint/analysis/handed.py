"""Where a view goes: to what takes it, through names, containers and functions.

Terms
-----
view
    A selection that shares memory with the copy. Before the rewrite it lies in memory
    as a part of the copy does, after it as a tensor of its own.
settled
    A result that is the same on both sides, and lies in memory in the same way. What
    is done to it later makes no difference.

A view is followed until it is settled. What takes it and is not known to settle it,
such as a function of another file, may tell the two apart. What a function returns goes
to its callers in the file; where there are none, its values are all that it promises.

Limits: an attribute that comes to hold a view is read by its name alone, in this file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from . import ops
from .callers import parameter_for, references, results_of
from .facts import Facts, Module
from .indices.items import plain_items
from .names import Binding, Definition
from .ops import Axes, Memory, Operation, Role, Settles
from .scalars import Operand, classify_operand
from .syntax import FUNCTIONS, ScopeNode
from .tensor_calls import builtin_called
from .values import integer, items_of
from .words import words

_MOST_STEPS = 2000
_MODULES = ("torch", "torch.Tensor", "torch.nn.functional", "torch.special")
_CONTAINER_METHODS = words(
    "append extend insert appendleft add pop popleft get items values keys copy update "
    "setdefault clear reverse"
)
_NUMBERS_ALONE = ("backward", "__len__")
"""Methods of which nothing is left but numbers, as of `item`."""

_SETTLING_MODULES = words(
    """
    CrossEntropyLoss NLLLoss MSELoss L1Loss SmoothL1Loss HuberLoss KLDivLoss
    BCEWithLogitsLoss Softmax LogSoftmax LogSigmoid ReLU Tanh Dropout
    """
)
"""Modules of `torch.nn` that do nothing but an operation that settles."""

_EXACT_POWERS = (2, 3, 0.5)
_SAFE_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitAnd, ast.BitOr)


@dataclass(frozen=True, slots=True)
class Handed:
    """What is known of the ways of a view."""

    sensitive: str | None
    """The first taker that may tell a strided tensor from a dense one."""
    written: str | None
    """What writes to it."""
    is_kept: bool
    """It is returned or stored, and so outlives the function."""
    packed: str | None
    """`contiguous`, or what else copies it where it is strided, and else shows it."""

    @property
    def may_be_kept(self) -> bool:
        return self.is_kept or self.packed is not None


def ways_of(nodes: Sequence[ast.expr], facts: Facts) -> Handed:
    """Where the view that expressions of one scope give goes."""
    walk = _Walk(facts)
    walk.pending += [_Way(node, facts, False) for node in nodes]
    walk.run()
    return Handed(walk.sensitive, walk.written, walk.is_kept, walk.packed)


@dataclass(frozen=True, slots=True)
class _Way:
    node: ast.expr
    facts: Facts
    is_array: bool
    """It has left torch by `numpy()`."""
    is_shared: bool = False
    """A name on the way to it is read more than once."""

    def to(self, node: ast.expr) -> _Way:
        return replace(self, node=node)


@dataclass(slots=True)
class _Walk:
    facts: Facts
    pending: list[_Way] = field(default_factory=list)
    sensitive: str | None = None
    written: str | None = None
    is_kept: bool = False
    packed: str | None = None
    _seen: set[tuple[ast.AST, bool]] = field(default_factory=set)
    _scopes: dict[ScopeNode, Facts] = field(default_factory=dict)

    def run(self) -> None:
        self._scopes[self.facts.scope] = self.facts
        while self.pending:
            way = self.pending.pop(0)
            key = (way.node, way.is_array)
            if key in self._seen:
                continue
            self._seen.add(key)
            if len(self._seen) > _MOST_STEPS:
                self._tells("what uses it")
                return
            self._step(way)

    def _tells(self, label: str) -> None:
        """Note a taker that is not known to settle a view."""
        if self.sensitive is None:
            self.sensitive = label

    def _writes(self, label: str) -> None:
        if self.written is None:
            self.written = label

    def _go(self, way: _Way, *nodes: ast.expr) -> None:
        self.pending += [way.to(node) for node in nodes]

    # One step

    def _step(self, way: _Way) -> None:
        node, facts = way.node, way.facts
        parent = facts.tree.parents[node]
        definitions = [
            each
            for each in facts.names.giving(node)
            if each.binding is not Binding.AUGMENTED
        ]
        for definition in definitions:
            self._bound(way, definition)
        match parent:
            case ast.Attribute():
                self._attribute(way, parent)
            case ast.Subscript() if parent.value is node:
                self._subscript(way, parent)
            case ast.Subscript() | ast.Slice():
                self._tells("an index")
            case ast.Call() if parent.func is not node:
                self._argument(way, parent)
            case ast.keyword():
                call = facts.tree.parents[parent]
                if isinstance(call, ast.Call):
                    self._argument(way, call)
            case ast.BinOp():
                self._operator(way, parent)
            case ast.UnaryOp(op=ast.UAdd()):
                self._go(way, parent)
            case ast.IfExp() if parent.test is node:
                pass
            case ast.BoolOp() | ast.IfExp() | ast.NamedExpr() | ast.Starred():
                self._go(way, parent)
            case ast.Tuple() | ast.List() | ast.Set() if not definitions:
                self._go(way, parent)
            case ast.Dict():
                self._go(way, parent)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self._go(way, parent)
            case ast.Assign():
                for target in parent.targets:
                    self._stored(way, target)
            case ast.AnnAssign():
                self._stored(way, parent.target)
            case ast.AugAssign():
                self._augmented(parent)
                if isinstance(node, ast.List | ast.Tuple | ast.ListComp):
                    self._stored(way, parent.target)
            case ast.Return() | ast.Yield() | ast.YieldFrom() | ast.Lambda():
                self._returned(way)
            case ast.Call():
                self._tells(facts.shown(node))
            case (
                ast.UnaryOp()
                | ast.Compare()
                | ast.FormattedValue()
                | ast.Expr()
                | ast.If()
                | ast.While()
                | ast.Assert()
                | ast.Delete()
                | ast.comprehension()
                | ast.For()
                | ast.Tuple()
                | ast.List()
                | ast.Set()
                | ast.match_case()
                | ast.Match()
            ):
                pass
            case _:
                self._tells("what uses it")

    def _bound(self, way: _Way, definition: Definition) -> None:
        """Follow a name to where it is read, in nested functions as well."""
        names = way.facts.names
        if definition.name in names.declared:
            self.is_kept = True
            self._tells("what reads the global name")
        changed = [
            each
            for each in names.named(definition.name)
            if each.binding is Binding.AUGMENTED
        ]
        for each in changed:
            if isinstance(each.node, ast.AugAssign):
                self._writes("an assignment in place")
                self._augmented(each.node)
        loads = [load for each in (definition, *changed) for load in names.uses(each)]
        if definition.name in names.captured or _is_read_again(
            loads, definition, way.facts
        ):
            way = replace(way, is_shared=True)
        self._go(way, *loads)
        if definition.name in names.captured:
            for scope in names.bindings.nested:
                for load in _loads_below(scope, definition.name):
                    inner = self._facts_of(load, way.facts)
                    self.pending.append(replace(way, node=load, facts=inner))

    def _augmented(self, statement: ast.AugAssign) -> None:
        if not isinstance(statement.op, _SAFE_OPERATORS):
            self._tells("an assignment in place")

    def _attribute(self, way: _Way, attribute: ast.Attribute) -> None:
        name = attribute.attr
        call = way.facts.tree.called_by(attribute)
        if not isinstance(attribute.ctx, ast.Load):
            self._writes(f"`{name}`")
        elif call is not None:
            self._method(way, call, name)
        else:
            known = ops.attribute(name)
            if known is not None and known.memory is Memory.VIEW:
                self._go(way, attribute)
            elif known is None or known.memory is not Memory.VALUE:
                self._tells(name)

    def _method(self, way: _Way, call: ast.Call, name: str) -> None:
        if name.endswith("_") and not name.endswith("__"):
            self._writes(f"`{name}`")
            name = name[:-1]
            if name not in ("requires_grad", "zero", "fill"):
                self._operation(way, call, name)
            self._go(way, call)
            return
        if name in _CONTAINER_METHODS:
            if not ops.stores(name):
                self._go(way, call)
            return
        if name == "numpy":
            self.pending.append(replace(way, node=call, is_array=True))
        elif way.is_array:
            known = ops.array_method(name)
            if known is None or known.settles is not Settles.YES:
                self._tells(name)
        else:
            self._operation(way, call, name)

    def _operation(self, way: _Way, call: ast.Call, name: str) -> None:
        """What an operation of torch makes of a view."""
        known = ops.tensor(name)
        if name in _NUMBERS_ALONE:
            return
        if known is None:
            self._tells(name)
            return
        if known.packs or (way.is_shared and _may_pack(known)):
            self.packed = self.packed or name
        if (
            known.settles is Settles.YES
            or known.role in (Role.METADATA, Role.TYPE)
            or known.forgets_memory
            or (known.settles is Settles.ALONG and _says_where(call, way.node))
            or (known.raises_to_power and _is_exact_power(call.args[-1:]))
        ):
            pass
        elif known.passes_on and not known.sees_memory:
            self._go(way, call)
        else:
            self._tells(name)

    def _subscript(self, way: _Way, subscript: ast.Subscript) -> None:
        if not isinstance(subscript.ctx, ast.Load):
            self._writes("an assignment by index")
        elif way.is_array or not _is_advanced(subscript.slice, way.facts):
            self._go(way, subscript)

    def _operator(self, way: _Way, operation: ast.BinOp) -> None:
        match operation.op:
            case ast.MatMult():
                self._tells("@")
            case ast.Pow() if operation.left is way.node:
                if not _is_exact_power([operation.right]):
                    self._tells("**")
            case op if not isinstance(op, _SAFE_OPERATORS):
                sign = {ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//"}
                self._tells(sign.get(type(op), "arithmetic"))
            case ast.Add() if isinstance(way.node, ast.List | ast.Tuple | ast.ListComp):
                self._go(way, operation)
            case _:
                pass

    def _argument(self, way: _Way, call: ast.Call) -> None:
        facts, node = way.facts, way.node
        function = call.func
        dotted = facts.resolve(function)
        if dotted is not None:
            module, _, name = dotted.rpartition(".")
            if module in _MODULES and not way.is_array:
                self._operation(way, call, name)
            elif not (module == "torch.nn" and name in _SETTLING_MODULES):
                self._tells(facts.shown(function))
            return
        known = builtin_called(call, facts)
        if known is not None and known.hands_on:
            self._go(way, call)
            return
        if known is not None and known.only_looks:
            return
        if isinstance(function, ast.Attribute):
            is_own = facts.text(function.value) in ("self", "cls")
            if ops.stores(function.attr) and not is_own:
                self._go(way, function.value)
                self._stored(way, function.value)
                return
            if self._is_method_of_tensor(function, way):
                self._operation(way, call, function.attr)
                return
        made = facts.value(function)
        if isinstance(made, ast.Call):
            module, _, name = (facts.resolve(made.func) or "").rpartition(".")
            if module.startswith("torch.nn") and name in _SETTLING_MODULES:
                return
        found = parameter_for(node, call, facts)
        if found is None or way.is_array:
            self._tells(facts.shown(function))
            return
        callee, parameter = found
        inner = self._scope(callee, facts)
        for definition in inner.names.definitions:
            if definition.node is parameter:
                self._bound(replace(way, node=node, facts=inner), definition)

    def _is_method_of_tensor(self, function: ast.Attribute, way: _Way) -> bool:
        """Whether `other.name(view)` is an operation on two tensors.

        An object that is no tensor may have a method of the same name.
        """
        receiver = function.value
        return (
            not way.is_array
            and _settles(function.attr)
            and classify_operand(receiver, way.facts) is Operand.TENSOR
        )

    def _stored(self, way: _Way, target: ast.expr) -> None:
        """An attribute or a container comes to hold a view."""
        facts = way.facts
        match target:
            case ast.Attribute():
                self.is_kept = True
                known = facts.tree.once_with(facts.tree.module, references)
                for node in known.get(target.attr, ()):
                    if isinstance(node, ast.Attribute) and node is not way.node:
                        inner = self._facts_of(node, facts)
                        self.pending.append(_Way(node, inner, way.is_array, True))
            case ast.Subscript(value=base):
                made = facts.value(base)
                dotted = facts.resolve(made.func) if isinstance(made, ast.Call) else ""
                if not (dotted or "").startswith("torch."):  # which copies it
                    self._stored(way, base)
            case ast.Name():
                for definition in _lists(target, facts):
                    if definition.binding is Binding.PARAMETER:
                        self.is_kept = True
                    self._go(way, *facts.names.uses(definition))
            case _:
                pass

    def _returned(self, way: _Way) -> None:
        self.is_kept = True
        function = way.facts.scope
        if not isinstance(function, FUNCTIONS):
            return
        for result in results_of(function, way.facts):
            if result is None:
                name = getattr(function, "name", "the lambda")
                self._tells(f"what calls {name}")
                continue
            inner = self._facts_of(result, way.facts)
            self.pending.append(replace(way, node=result, facts=inner))

    # Scopes

    def _facts_of(self, node: ast.AST, facts: Facts) -> Facts:
        return self._scope(facts.tree.scope(node), facts)

    def _scope(self, scope: ScopeNode, facts: Facts) -> Facts:
        if scope not in self._scopes:
            self._scopes[scope] = Module(facts.source, facts.tree).facts(scope)
        return self._scopes[scope]


def _lists(name: ast.Name, facts: Facts) -> Sequence[Definition]:
    """The definitions of a container that is added to."""
    if isinstance(name.ctx, ast.Load):
        return list(facts.names.of(name))
    return facts.names.named(name.id)


def _loads_below(scope: ScopeNode, name: str) -> Iterator[ast.Name]:
    for node in ast.walk(scope):
        match node:
            case ast.Name(id=found, ctx=ast.Load()) if found == name:
                yield node


def _is_advanced(index: ast.expr, facts: Facts) -> bool:
    """Whether a subscript evidently copies: one of its items is a tensor or a list."""
    if plain_items(index, facts) is not None:
        return False
    return any(_is_tensor_index(facts.value(i), facts) for i in items_of(index))


def _is_tensor_index(item: ast.expr, facts: Facts) -> bool:
    match item:
        case ast.List() | ast.Compare():
            return True
        case ast.UnaryOp(op=ast.Invert()):
            return True
        case ast.Call():
            dotted = facts.resolve(item.func) or ""
            return dotted.startswith("torch.")
        case _:
            return False


def _says_where(call: ast.Call, node: ast.expr) -> bool:
    """Whether `max` gets a dimension or another tensor beside its operand."""
    others = [each for each in call.args if each is not node]
    return bool(others) or any(k.arg == "dim" for k in call.keywords)


def _is_exact_power(given: Sequence[ast.expr]) -> bool:
    if not given:
        return False
    value = given[0].value if isinstance(given[0], ast.Constant) else integer(given[0])
    return value in _EXACT_POWERS


def _may_pack(operation: Operation) -> bool:
    """Whether it gives a view of a dense tensor, and copies some that are strided."""
    return (
        operation.memory is Memory.EITHER
        and operation.role is Role.VIEW
        and operation.axes is not Axes.SAME
    )


def _is_read_again(
    loads: Sequence[ast.expr], definition: Definition, facts: Facts
) -> bool:
    """Whether elements are read by one name twice, in rounds of a loop as well."""
    tree = facts.tree
    read = [load for load in loads if not _is_asked(load, facts)]
    return len(read) > 1 or any(
        not tree.contains(loop, definition.node)
        for load in read
        for loop in tree.enclosing_loops(load)
    )


def _is_asked(load: ast.expr, facts: Facts) -> bool:
    """Whether it stands for its shape, its device or the like alone."""
    match facts.tree.parents[load]:
        case ast.Attribute(attr=name):
            known = ops.tensor(name) or ops.attribute(name)
            return known is not None and known.role in (Role.METADATA, Role.TYPE)
        case _:
            return False


def _settles(name: str) -> bool:
    known = ops.tensor(name)
    return known is not None and known.settles is Settles.YES
