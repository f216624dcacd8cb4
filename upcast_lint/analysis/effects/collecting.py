"""What each node of a scope writes to, and what it hands out."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import ops
from ..aliases import is_container, shared_paths
from ..calls import Target, consumes, is_lazy, known_call
from ..graph.order import SUSPENSIONS
from ..hooks import iterated_by, run_by
from ..names import Binding, free_names
from ..receivers import ARRAYS, Receiver, receiver_of
from ..syntax import FunctionNode, walk_scope
from ..tensor_calls import arguments_of, is_builtin
from ..words import words
from .functions import generators
from .record import ANYTHING, HELD, Cause, Certainty, Record

if TYPE_CHECKING:
    from . import Effects

_DECORATING = (
    "torch.",
    "functools.",
    "contextlib.",
    "dataclasses.",
    "abc.",
    "typing.",
    "enum.",
)
"""Modules whose decorators call what they decorate later, or not at all."""

_IN_PLACE_OPERATORS = words(
    """
    __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__
    __ior__ __ixor__ __ilshift__ __irshift__ __setitem__
    """
)


class Collector:
    """Fills the record of a scope; of what is called it asks the effects."""

    def __init__(self, effects: Effects, record: Record) -> None:
        self.effects = effects
        self.record = record
        self.facts = effects.facts

    def run(self) -> None:
        nodes = list(walk_scope(self.facts.scope))
        for node in nodes:
            self._collect(node)
        self._defer(nodes)
        for definition in self.facts.names.definitions:
            if definition.value is not None and (
                definition.binding is not Binding.AUGMENTED
            ):
                self.record.derive(definition.name, definition.value)

    def _collect(self, node: ast.AST) -> None:
        match node:
            case ast.AugAssign():
                if is_container(node.value, self.facts):
                    self._store(node, node.target, node.value)
                else:
                    self.record.write(node, node.target, "is assigned in place")
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                if not _is_key(node.slice):
                    self.record.write(node, node.value, "is assigned by index")
            case ast.Attribute(ctx=ast.Store()):
                self._set(node)
            case ast.Assign():
                for target in node.targets:
                    if isinstance(target, ast.Attribute | ast.Subscript):
                        self._store(node, target, node.value)
            case ast.Call():
                self._call(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._nested(node)
                self._decorate(node)
            case ast.ClassDef():
                for name in free_names(node):
                    self.record.handed.setdefault(name, []).append(node)
                self._decorate(node)
                self._class_body(node)
            case ast.Try() | ast.TryStar():
                self._catch(node)
            case ast.With():
                self._with(node)
            case _ if isinstance(node, SUSPENSIONS):
                self.record.possible(node, ANYTHING, "", Cause.SUSPENSION)
            case _:
                pass
        for value in iterated_by(node):
            self._go_through(node, value)
        for place, method in run_by(node, self.facts):
            if not self.effects.is_pure(method):
                self._runs(place, method)

    # Stores

    def _store(self, node: ast.AST, holder: ast.expr, value: ast.expr) -> None:
        """Note that an attribute or a container comes to hold a value.

        A tensor copies what is stored by index.
        """
        owner = holder.value if isinstance(holder, ast.Subscript) else holder
        kind = receiver_of(owner, self.facts)
        if owner is not holder and kind in ARRAYS:
            return
        paths = shared_paths(holder, self.facts)
        for path in (*paths, *_attributes_set(node, paths)):
            self.record.hold(path, value)
        if kind is not Receiver.PLAIN or any(map(self.effects.is_outside, paths)):
            self.record.hand_out(node, value)

    def _set(self, node: ast.Attribute) -> None:
        """An attribute of an object is set, which may run code of its class."""
        self.record.write(node, node.value, f"has its `{node.attr}` set")
        is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if is_own or receiver_of(node.value, self.facts) is not Receiver.UNKNOWN:
            return
        for path in shared_paths(node.value, self.facts):
            self.record.possible(node, f"{path}.", f"setting {self._q(node)}")

    def _catch(self, node: ast.Try | ast.TryStar) -> None:
        """What is raised is shown by the exception that is caught."""
        raised = [
            part.exc
            for statement in node.body
            for part in ast.walk(statement)
            if isinstance(part, ast.Raise) and part.exc is not None
        ]
        for handler in node.handlers:
            if handler.name is not None:
                for value in raised:
                    given = arguments_of(value) if isinstance(value, ast.Call) else []
                    for each in (value, *given):
                        self.record.derive(handler.name, each)

    # What runs without a call

    def _go_through(self, node: ast.AST, value: ast.expr) -> None:
        """What a loop goes through may run code, what is unpacked be a generator."""
        if isinstance(node, ast.For | ast.comprehension | ast.Starred):
            runs = self.effects.is_unknown_iterator(value)
        else:
            made = self.facts.value(value)
            runs = isinstance(made, ast.Call) and self._is_generator(made)
        if runs:
            self.record.possible(value, HELD, f"iterating over {self._q(value)}")

    def _is_generator(self, call: ast.Call) -> bool:
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        return name in self.facts.tree.once(self.facts.tree.module, generators)

    def _decorate(self, node: FunctionNode | ast.Lambda | ast.ClassDef) -> None:
        """A decorator is called, with what it decorates."""
        for decorator in getattr(node, "decorator_list", ()):
            if not self._is_harmless_decorator(decorator):
                label = f"decorating by {self._q(decorator)}"
                self.record.possible(decorator, ANYTHING, label)

    def _is_harmless_decorator(self, decorator: ast.expr) -> bool:
        head = decorator.func if isinstance(decorator, ast.Call) else decorator
        dotted = self.facts.resolve(head)
        if dotted is not None:
            return dotted.startswith(_DECORATING)
        if isinstance(decorator, ast.Name):
            function = self.effects.defined(decorator)
            if function is not None:
                return self.effects.is_pure(function)
            return is_builtin(decorator, decorator.id, self.facts)
        kinds = ("setter", "getter", "deleter")
        return isinstance(decorator, ast.Attribute) and decorator.attr in kinds

    def _class_body(self, node: ast.ClassDef) -> None:
        """The body of a class runs where it stands, and its metaclass after it."""
        has_metaclass = any(
            keyword.arg != "metaclass"
            or not (self.facts.resolve(keyword.value) or "").startswith("abc.")
            for keyword in node.keywords
        )
        if has_metaclass or not self.effects.nested(node).runs_harmless:
            self.record.possible(node, ANYTHING, f"the class `{node.name}`")

    def _runs(self, place: ast.expr | ast.stmt, method: FunctionNode) -> None:
        """An operator, a test or a loop runs a method of a class of the file."""
        label = f"`{method.name}`"
        for part in (place, *ast.iter_child_nodes(place)):
            if isinstance(part, ast.expr):
                self.record.may_write(place, part, label)
                self.record.hand_out(place, part)
        self.record.possible(place, HELD, label)

    def _with(self, node: ast.With) -> None:
        """What an unknown context does when it is entered and left."""
        for item in node.items:
            entered, text = item.context_expr, self._q(item.context_expr)
            manager = self.facts.value(entered)
            if isinstance(manager, ast.Call) and self.effects.is_harmless(manager):
                continue
            if not isinstance(entered, ast.Call):
                self.record.possible(entered, HELD, f"entering {text}")
                self.record.may_write(entered, entered, f"entering {text}")
            self.record.possible(node, HELD, f"leaving {text}")

    def _nested(self, function: FunctionNode | ast.Lambda) -> None:
        """What a nested function may write to, any call of unknown code may."""
        inner = self.effects.nested(function)
        own = getattr(function, "name", None)
        defaults = (*function.args.defaults, *function.args.kw_defaults)
        for default in defaults:
            if default is not None and own is not None:
                self.record.hold(own, default)
        for name in sorted(free_names(function)):
            self.record.handed.setdefault(name, []).append(function)
            writes = [
                write
                for write in inner.writes_to(ast.Name(name, ast.Load()))
                if write.path != HELD
            ]
            if writes:
                self.record.nested_paths.add(name)
            is_certain = any(w.certainty is Certainty.WRITES for w in writes)
            for call in self.effects.impure_calls if writes else ():
                if is_certain and getattr(call.func, "id", None) == own:
                    label = f"is written to by `{own}`"
                    self.record.write(call, ast.Name(name), label)
                else:
                    self.record.possible(call, name, "", Cause.NESTED)

    # Calls

    def _call(self, call: ast.Call) -> None:
        given = arguments_of(call)
        function = call.func
        last = function.attr if isinstance(function, ast.Attribute) else ""
        if is_builtin(function, "setattr", self.facts) and len(given) == 3:
            self.record.write(call, given[0], "is changed by `setattr`")
            self._store(call, given[0], given[2])
            return
        if isinstance(function, ast.Attribute) and ops.stores(last):
            for argument in given:
                self._store(call, function.value, argument)
        known = known_call(call, self.facts)
        if known is not None:
            for target in known.targets:
                self._known_target(call, target)
        elif _is_in_place(last) and isinstance(function, ast.Attribute):
            self.record.write(call, function.value, f"is written to by `{last}`")
        for keyword in call.keywords if known is None else ():
            if keyword.arg == "out":
                self.record.write(call, keyword.value, "is written to by `out=`")
            if keyword.arg == "inplace" and call.args:
                self.record.write(call, call.args[0], "is written to in place")
        if not self.effects.is_harmless(call):
            self._unknown(call, given)

    def _known_target(self, call: ast.Call, target: Target) -> None:
        if not target.is_certain:
            self.record.may_write(call, target.node, self._q(call.func))
            return
        match target.flag:
            case "out":
                label = "is written to by `out=`"
            case "inplace":
                label = "is written to in place"
            case "max_norm":
                label = "is written to by `max_norm`"
            case _:
                last = self._label(call.func).rpartition(".")[2]
                label = f"is written to by `{last}`"
        self.record.write(call, target.node, label)

    def _unknown(self, call: ast.Call, given: Sequence[ast.expr]) -> None:
        """A call of unknown code may write to what it is given, and to what is held."""
        function = call.func
        reached = list(given)
        if isinstance(function, ast.Attribute):
            if self.facts.resolve(function) is None:
                reached.insert(0, function.value)
        elif not (
            isinstance(function, ast.Name) and self.effects.is_outside(function.id)
        ):
            reached.insert(0, function)
        for each in reached:
            self.record.may_write(call, each, self._q(function))
            self.record.hand_out(call, each)
        self.record.possible(call, HELD, self._q(function))

    def _defer(self, nodes: Sequence[ast.AST]) -> None:
        """What a generator or a `map` does, any call or loop behind it may do."""
        tree = self.facts.tree
        lazy = [node for node in nodes if self._is_lazy(node)]
        if not lazy:
            return
        inside: set[ast.AST] = set()
        for node in lazy:
            is_generator = isinstance(node, ast.GeneratorExp)
            inside.update(tree.below(node) if is_generator else (node,))
        late = [write for write in self.record.writes if write.node in inside]
        places = [
            place for node in nodes if node not in inside for place in _consuming(node)
        ]
        for write in late:
            for place in places:
                self.record.possible(place, write.path, "what is consumed late")

    def _is_lazy(self, node: ast.AST) -> bool:
        """Whether an expression is run later, by what consumes its result."""
        is_late = isinstance(node, ast.GeneratorExp) or (
            isinstance(node, ast.Call) and is_lazy(node, self.facts)
        )
        if not is_late:
            return False
        parent = self.facts.tree.parents[node]
        return not (isinstance(parent, ast.Call) and consumes(parent, self.facts))

    def _q(self, node: ast.expr) -> str:
        return f"`{self._label(node)}`"

    def _label(self, function: ast.expr) -> str:
        text = self.facts.text(function)
        return text if len(text) <= 60 and "\n" not in text else "a call"


def _attributes_set(node: ast.AST, holders: set[str]) -> list[str]:
    """The attributes that `setattr(h, "a", x)` and `h.__dict__["a"] = x` set."""
    match node:
        case ast.Call(args=[_, ast.Constant(value=str() as name), _]):
            pass
        case ast.Assign(
            targets=[
                ast.Subscript(
                    value=ast.Attribute(attr="__dict__"),
                    slice=ast.Constant(value=str() as name),
                )
            ]
        ):
            pass
        case _:
            return []
    return [f"{holder}.{name}" for holder in sorted(holders)]


def _consuming(node: ast.AST) -> Sequence[ast.AST]:
    """Where a node may ask a generator for more."""
    match node:
        case ast.Call() | ast.For() | ast.AsyncFor() | ast.comprehension():
            return [node]
        case ast.YieldFrom():
            return [node]
        case _:
            return iterated_by(node)


def _is_in_place(name: str) -> bool:
    if name.endswith("__"):
        return name in _IN_PLACE_OPERATORS
    return name.endswith("_")


def _is_key(index: ast.expr) -> bool:
    """Whether an index is a key of a mapping, and no index of a tensor."""
    return isinstance(index, ast.Constant) and isinstance(index.value, str | bytes)
