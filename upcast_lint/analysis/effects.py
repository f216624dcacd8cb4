"""What may write to a tensor: in-place operations, aliases, and calls.

The model
---------
What a call is not given it can still write to, through whatever holds the tensor: an
object, a container, a closure, a global, an optimizer. So of each call one asks what
is known of the callee:

known
    An operation of the table in `ops`, bound to its arguments, writes to those that
    the table names and to nothing else. A method counts as one where what it is called
    on is known (`receivers`). So does a function of the file, if nothing in it writes.
    Built-in functions that call what they are given are as harmless as that.
unknown
    Every other call may write to what it is given, and to everything that is *held*.

A source is *private*, and safe from calls that are not given it, if it was made in this
function in memory of its own (`freshness`) and neither it nor an alias of it has been
handed out before: stored in an attribute or in a container of unknown origin, captured
by a nested function, given to an unknown call. All else is held: parameters,
attributes, elements of containers, globals, what unknown calls return, `.grad`.

Operators, attributes, tests, loops and `with` call methods too. Those of classes of the
file are looked at (`hooks`); entering and leaving an unknown context is an unknown
call; so is a round of an iterator that an unknown call made, and whatever a generator
or `map` was made to do runs at any call or loop behind it. A decorator and the body of
a class run where they stand.

`backward` writes to the `.grad` of leaves, and to what hooks on them reach: nothing
shows that a source is not one, so that it is an unknown call.

Limits: another thread does not write; two parameters share no memory; operators,
attributes and iterators of classes of other files write to nothing, nor do their
generators where they are unpacked by name; annotations write to nothing; `self.name =
…` only binds; a function of torch is what its name says.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from . import ops
from .aliases import (
    Aliases,
    Sharing,
    holders_of,
    is_container,
    shared_parts,
    shared_paths,
)
from .calls import Target, arguments_of, consumes, known_call
from .calls import is_lazy as is_lazy_call
from .facts import Facts
from .freshness import is_fresh
from .graph.chains import names_of
from .graph.order import SUSPENSIONS, may_follow
from .hooks import asked_by, iterated_by, run_by
from .imports import Imports, scope_chain
from .names import Binding, free_names
from .receivers import Receiver, receiver_of
from .syntax import FunctionNode, walk_scope
from .tensor_calls import is_builtin
from .words import words

_ANYTHING = "*"
"""The path of a write that may reach every tensor."""

_DEEPEST = 30
"""Iterators of iterators that are looked at."""

_HELD = "^"
"""The path of a write that may reach every tensor that is not private."""


class Certainty(enum.Enum):
    WRITES = enum.auto()
    MAY_WRITE = enum.auto()
    """A call of unknown code that is given the tensor or an object that holds it."""


class Cause(enum.Enum):
    """Why a write that is possible only may happen."""

    CODE = enum.auto()
    """Code runs of which nothing is known."""
    NESTED = enum.auto()
    """A nested function writes, which some call may run."""
    SUSPENSION = enum.auto()
    """The function is suspended meanwhile."""
    SHARING = enum.auto()
    """Something is written to that may share the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """`node` writes (or may write) to the tensors that `path` names.

    `label` continues "the source …" where something is written to for certain (as it
    is where the cause is `SHARING`), and else names the code that may write.
    """

    node: ast.AST
    path: str
    certainty: Certainty
    label: str
    cause: Cause = Cause.CODE


def effects_of(facts: Facts) -> Effects:
    """The effects of a scope, collected once."""
    return facts.once(Effects)


class Effects:
    """The writes of one scope, and which paths share memory."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.writes: list[Write] = []
        self._places: dict[str, list[int]] = {}
        """Where in `writes` those to each path are."""
        self._written: dict[ast.expr, Certainty] = {}
        """The expressions that are written to where they stand."""
        self._handed: dict[str, list[ast.AST]] = {}
        """Where each path, or what it is made from, is handed out."""
        self._asked: set[ast.expr] = set()
        """The iterators that are being looked at."""
        self._nested_paths: set[str] = set()
        """What nested functions may write to, whenever they are called."""
        self._aliases = {sharing: Aliases() for sharing in Sharing}
        nodes = list(walk_scope(facts.scope))
        for node in nodes:
            self._collect(node)
        self._defer(nodes)
        for definition in facts.names.definitions:
            if definition.value is not None and definition.binding is not (
                Binding.AUGMENTED
            ):
                self._derive(definition.name, definition.value)

    def writes_to(self, source: ast.expr) -> list[Write]:
        """Every write that may reach the tensor that `source` gives."""
        paths = shared_paths(source, self.facts)
        certain = self._aliases[Sharing.EVIDENT].of(paths)
        possible = self._aliases[Sharing.POSSIBLE].of(paths)
        objects = {holder for path in paths for holder in holders_of(path)} - paths
        possible |= self._aliases[Sharing.POSSIBLE].in_objects(objects)
        holders = possible | {h for path in possible for h in holders_of(path)}
        places = {n for path in holders for n in self._places.get(path, ())}
        places |= {n for path in possible for n in self._parts.get(path, ())}
        places |= {n for path in holders for n in self._places.get(f"{path}.", ())}
        places.update(self._places.get(_ANYTHING, ()))
        found: list[Write] = []
        for place in sorted(places):
            write = self.writes[place]
            if write.path in certain or write.path == _ANYTHING:
                found.append(write)
            elif write.path in possible or not isinstance(write.node, ast.Attribute):
                found.append(_only_possible(write))
            elif write.certainty is Certainty.MAY_WRITE:
                found.append(write)
        if any(path in self._handed for path in possible):
            found += [_only_possible(write) for write in self._outside_writes]
        known = {write.node for write in found}
        held = [
            write
            for place in self._places.get(_HELD, ())
            if (write := self.writes[place]).node not in known
        ]
        if held:
            handed = self._handed_out(source, possible)
            found += [w for w in held if handed is None or self._follows(w, handed)]
        return found

    def is_written_by_nested(self, source: ast.expr) -> bool:
        """Whether a nested function may write to it, perhaps after this one is left."""
        possible = self._aliases[Sharing.POSSIBLE].of(shared_paths(source, self.facts))
        return not self._nested_paths.isdisjoint(possible)

    def views_of(self, source: ast.expr) -> set[str]:
        """The paths that show what `source` gives, uncast."""
        return self._aliases[Sharing.VIEW].of(shared_paths(source, self.facts))

    def is_held(self, source: ast.expr) -> bool:
        """Whether something outside of the scope may hold the tensor by its name."""
        paths = shared_paths(source, self.facts)
        return any(self._is_outside(path) or "." in path for path in paths)

    def written_through(self, value: ast.expr) -> Certainty | None:
        """Whether a value is written to where it goes, or through what is made of it.

        Of what a name becomes, all of the scope counts.
        """
        worst: Certainty | None = None
        pending, seen = [value], {value}
        while pending:
            node = pending.pop()
            certainty = self._written.get(node)
            names = [d.name for d in self.facts.names.giving(node)]
            found = [certainty, *map(self._written_name, names)]
            if Certainty.WRITES in found:
                return Certainty.WRITES
            if Certainty.MAY_WRITE in found:
                worst = Certainty.MAY_WRITE
            parent = self.facts.tree.parents.get(node)
            if isinstance(parent, ast.keyword):
                parent = self.facts.tree.parents.get(parent)
            if isinstance(parent, ast.Attribute) and parent.value is node:
                call = self.facts.tree.parents.get(parent)
                if isinstance(call, ast.Call) and call.func is parent:
                    pending += self._carrying(call, node, seen)
            if isinstance(parent, ast.expr):
                pending += self._carrying(parent, node, seen)
        return worst

    def _carrying(
        self, outer: ast.expr, node: ast.expr, seen: set[ast.expr]
    ) -> list[ast.expr]:
        """`outer`, if its value may share the memory of a part of it."""
        parts = shared_parts(outer, self.facts, Sharing.EVIDENT)
        is_path = parts is None and not isinstance(outer, ast.Name)
        if outer in seen or not (is_path or node in (parts or ())):
            return []
        seen.add(outer)
        return [outer]

    def _written_name(self, name: str) -> Certainty | None:
        """Whether what a name is bound to is written to by this or another name."""
        found = {
            self.writes[place].certainty
            for path in self._aliases[Sharing.EVIDENT].made_from({name})
            for place in (*self._places.get(path, ()), *self._parts.get(path, ()))
        }
        if Certainty.WRITES in found:
            return Certainty.WRITES
        return Certainty.MAY_WRITE if found else None

    @cached_property
    def _parts(self) -> dict[str, list[int]]:
        """Where in `writes` those to parts of each path are, gradients aside."""
        found: dict[str, list[int]] = {}
        for path, places in self._places.items():
            if path.endswith((".grad", ".")):
                continue
            for holder in holders_of(path) - {path}:
                found.setdefault(holder, []).extend(places)
        return found

    def _is_outside(self, path: str) -> bool:
        """Whether a path begins at a name that another scope binds."""
        return not self.facts.names.named(path.partition(".")[0])

    @cached_property
    def _outside_writes(self) -> list[Write]:
        """What is written through names of other scopes: a tensor may be there, too."""
        return [
            write
            for write in self.writes
            if write.path not in (_HELD, _ANYTHING) and self._is_outside(write.path)
        ]

    @cached_property
    def impure_calls(self) -> list[ast.Call]:
        """The calls that may write to what they can reach."""
        return [
            call for call in self.facts.nodes(ast.Call) if not self.is_harmless(call)
        ]

    @cached_property
    def writes_nothing(self) -> bool:
        """Whether a function writes to, and stores in, nothing but what it makes."""
        return not self._handed and not any(
            write.path in (_HELD, _ANYTHING) or not self._is_own(write.path)
            for write in self.writes
        )

    @property
    def runs_harmless(self) -> bool:
        """Whether a scope writes to nothing while it runs, but to its own names."""
        return not any(
            write.certainty is Certainty.WRITES or write.path in (_HELD, _ANYTHING)
            for write in self.writes
        )

    def _is_own(self, path: str) -> bool:
        """Whether a path is a name whose every value is made here."""
        names = self.facts.names
        definitions = names.named(path)
        return bool(definitions) and all(
            definition.binding is Binding.AUGMENTED
            or (
                definition.binding is Binding.ASSIGNED
                and definition.value is not None
                and is_fresh(definition.value, self.facts)
            )
            for definition in definitions
        )

    # Privacy

    def _handed_out(self, source: ast.expr, paths: set[str]) -> list[ast.AST] | None:
        """Where a source that was made here is handed out; None if it was not."""
        if not is_fresh(source, self.facts):
            return None
        return [node for path in paths for node in self._handed.get(path, ())]

    def _follows(self, write: Write, handed: Sequence[ast.AST]) -> bool:
        return any(may_follow(node, write.node, self.facts) for node in handed)

    def _hand_out(self, node: ast.AST, value: ast.expr) -> None:
        for path in shared_paths(value, self.facts, Sharing.POSSIBLE):
            self._handed.setdefault(path, []).append(node)

    # Collecting

    def _note(self, write: Write) -> None:
        self._places.setdefault(write.path, []).append(len(self.writes))
        self.writes.append(write)

    def _derive(self, path: str, value: ast.expr) -> None:
        """Note that a path may share memory with what `value` is made from."""
        for sharing, aliases in self._aliases.items():
            for origin in shared_paths(value, self.facts, sharing):
                aliases.join(path, origin)

    def _store(self, node: ast.AST, holder: ast.expr, value: ast.expr) -> None:
        """Note that an attribute or a container comes to hold a value.

        A tensor copies what is stored by index.
        """
        owner = holder.value if isinstance(holder, ast.Subscript) else holder
        kind = receiver_of(owner, self.facts)
        if owner is not holder and kind in (Receiver.TENSOR, Receiver.ARRAY):
            return
        paths = shared_paths(holder, self.facts)
        for path in (*paths, *self._attributes_set(node, paths)):
            self._hold(path, value)
        if kind is not Receiver.PLAIN or any(map(self._is_outside, paths)):
            self._hand_out(node, value)

    def _attributes_set(self, node: ast.AST, holders: set[str]) -> list[str]:
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

    def _hold(self, path: str, value: ast.expr) -> None:
        for sharing, aliases in self._aliases.items():
            for origin in shared_paths(value, self.facts, sharing):
                aliases.hold(path, origin)

    def _write(self, node: ast.AST, target: ast.expr, label: str) -> None:
        self._reach(node, target, Certainty.WRITES, label)

    def _may_write(self, node: ast.AST, target: ast.expr, label: str) -> None:
        self._reach(node, target, Certainty.MAY_WRITE, label)

    def _reach(
        self, node: ast.AST, target: ast.expr, certainty: Certainty, label: str
    ) -> None:
        if self._written.get(target) is not Certainty.WRITES:
            self._written[target] = certainty
        for path in shared_paths(target, self.facts):
            self._note(Write(node, path, certainty, label))

    def _may_write_held(self, node: ast.AST, what: str) -> None:
        self._note(Write(node, _HELD, Certainty.MAY_WRITE, what))

    def _collect(self, node: ast.AST) -> None:
        match node:
            case ast.AugAssign():
                if is_container(node.value, self.facts):
                    self._store(node, node.target, node.value)
                else:
                    self._write(node, node.target, "is assigned in place")
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                if not _is_key(node.slice):
                    self._write(node, node.value, "is assigned by index")
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
                    self._handed.setdefault(name, []).append(node)
                self._decorate(node)
                self._class_body(node)
            case ast.Try() | ast.TryStar():
                self._catch(node)
            case ast.With():
                self._with(node)
            case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
                self._iterated(iterated)
            case ast.Starred(value=iterated, ctx=ast.Load()):
                self._iterated(iterated)
            case _ if isinstance(node, SUSPENSIONS):
                self._note(
                    Write(node, _ANYTHING, Certainty.MAY_WRITE, "", Cause.SUSPENSION)
                )
            case _:
                pass
        if not isinstance(node, ast.For | ast.comprehension | ast.Starred):
            self._go_through(iterated_by(node))
        for place, method in run_by(node, self.facts):
            if not self._writes_nothing(method):
                self._runs(place, method)

    def _go_through(self, values: Sequence[ast.expr]) -> None:
        """What is unpacked or searched may be a generator of the file."""
        for value in values:
            made = self.facts.value(value)
            if isinstance(made, ast.Call) and self._is_generator(made):
                text = self._q(value)
                self._may_write_held(value, f"iterating over {text}")

    def _is_generator(self, call: ast.Call) -> bool:
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        return name in self.facts.tree.once(self.facts.tree.module, _generators)

    def _decorate(self, node: FunctionNode | ast.Lambda | ast.ClassDef) -> None:
        """A decorator is called, with what it decorates."""
        for decorator in getattr(node, "decorator_list", ()):
            if not self._is_harmless_decorator(decorator):
                label = f"decorating by {self._q(decorator)}"
                self._note(Write(decorator, _ANYTHING, Certainty.MAY_WRITE, label))

    def _is_harmless_decorator(self, decorator: ast.expr) -> bool:
        head = decorator.func if isinstance(decorator, ast.Call) else decorator
        dotted = self.facts.resolve(head)
        if dotted is not None:
            return dotted.startswith(_DECORATING)
        if isinstance(decorator, ast.Name):
            function = self._defined(decorator)
            if function is not None:
                return self._writes_nothing(function)
            return is_builtin(decorator, decorator.id, self.facts)
        return isinstance(decorator, ast.Attribute) and decorator.attr in (
            "setter",
            "getter",
            "deleter",
        )

    def _class_body(self, node: ast.ClassDef) -> None:
        """The body of a class runs where it stands, and its metaclass after it."""
        has_metaclass = any(
            keyword.arg != "metaclass"
            or not (self.facts.resolve(keyword.value) or "").startswith("abc.")
            for keyword in node.keywords
        )
        if has_metaclass or not effects_of(self.facts.nested(node)).runs_harmless:
            label = f"the class `{node.name}`"
            self._note(Write(node, _ANYTHING, Certainty.MAY_WRITE, label))

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
                        self._derive(handler.name, each)

    def _runs(self, place: ast.expr | ast.stmt, method: FunctionNode) -> None:
        """An operator, a test or a loop runs a method of a class of the file."""
        for part in (place, *ast.iter_child_nodes(place)):
            if isinstance(part, ast.expr):
                self._may_write(place, part, f"`{method.name}`")
                self._hand_out(place, part)
        self._may_write_held(place, f"`{method.name}`")

    def _set(self, node: ast.Attribute) -> None:
        """An attribute of an object is set, which may run code of its class."""
        self._write(node, node.value, f"has its `{node.attr}` set")
        is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if is_own or receiver_of(node.value, self.facts) is not Receiver.UNKNOWN:
            return
        label = f"setting {self._q(node)}"
        for path in shared_paths(node.value, self.facts):
            self._note(Write(node, f"{path}.", Certainty.MAY_WRITE, label))

    def _with(self, node: ast.With) -> None:
        """What an unknown context does when it is entered and left."""
        for item in node.items:
            manager = self.facts.value(item.context_expr)
            if isinstance(manager, ast.Call) and self.is_harmless(manager):
                continue
            entered, text = item.context_expr, self._q(item.context_expr)
            if not isinstance(entered, ast.Call):
                self._may_write_held(entered, f"entering {text}")
                self._may_write(entered, entered, f"entering {text}")
            self._may_write_held(node, f"leaving {text}")

    def _iterated(self, node: ast.expr) -> None:
        if self._is_unknown_iterator(node):
            self._may_write_held(node, f"iterating over {self._q(node)}")

    def _nested(self, function: FunctionNode | ast.Lambda) -> None:
        """What a nested function may write to, any call of unknown code may."""
        facts = self.facts.nested(function)
        inner = effects_of(facts)
        own = getattr(function, "name", None)
        defaults = (*function.args.defaults, *function.args.kw_defaults)
        for default in defaults:
            if default is not None and own is not None:
                self._hold(own, default)
        for name in sorted(free_names(function)):
            self._handed.setdefault(name, []).append(function)
            writes = [
                write
                for write in inner.writes_to(ast.Name(name, ast.Load()))
                if write.path != _HELD
            ]
            if writes:
                self._nested_paths.add(name)
            is_certain = any(w.certainty is Certainty.WRITES for w in writes)
            for call in self.impure_calls if writes else ():
                if is_certain and getattr(call.func, "id", None) == own:
                    self._write(call, ast.Name(name), f"is written to by `{own}`")
                else:
                    self._note(Write(call, name, Certainty.MAY_WRITE, "", Cause.NESTED))

    def _call(self, call: ast.Call) -> None:
        given = arguments_of(call)
        function = call.func
        last = function.attr if isinstance(function, ast.Attribute) else ""
        if is_builtin(function, "setattr", self.facts) and len(given) == 3:
            self._write(call, given[0], "is changed by `setattr`")
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
            self._write(call, function.value, f"is written to by `{last}`")
        for keyword in call.keywords if known is None else ():
            if keyword.arg == "out":
                self._write(call, keyword.value, "is written to by `out=`")
            if keyword.arg == "inplace" and call.args:
                self._write(call, call.args[0], "is written to in place")
        if not self.is_harmless(call):
            self._unknown(call, given)

    def _known_target(self, call: ast.Call, target: Target) -> None:
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
        if target.is_certain:
            self._write(call, target.node, label)
        else:
            self._may_write(call, target.node, self._q(call.func))

    def _unknown(self, call: ast.Call, given: Sequence[ast.expr]) -> None:
        """A call of unknown code may write to what it is given, and to what is held."""
        function = call.func
        label = self._q(function)
        reached = list(given)
        if isinstance(function, ast.Attribute):
            if self.facts.resolve(function) is None:
                reached.insert(0, function.value)
        elif not (isinstance(function, ast.Name) and self._is_outside(function.id)):
            reached.insert(0, function)
        for each in reached:
            self._may_write(call, each, label)
            self._hand_out(call, each)
        self._note(Write(call, _HELD, Certainty.MAY_WRITE, label))

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
        late = [write for write in self.writes if write.node in inside]
        places = [
            place for node in nodes if node not in inside for place in _consuming(node)
        ]
        for write in late:
            for place in places:
                label = "what is consumed late"
                self._note(Write(place, write.path, Certainty.MAY_WRITE, label))

    def _is_lazy(self, node: ast.AST) -> bool:
        """Whether an expression is run later, by what consumes its result."""
        is_lazy = isinstance(node, ast.GeneratorExp) or (
            isinstance(node, ast.Call) and is_lazy_call(node, self.facts)
        )
        if not is_lazy:
            return False
        parent = self.facts.tree.parents[node]
        return not (isinstance(parent, ast.Call) and consumes(parent, self.facts))

    def _is_unknown_iterator(self, node: ast.expr) -> bool:
        """Whether a round of an iterator may run unknown code."""
        if node in self._asked:
            return False  # made of itself, one round before
        self._asked.add(node)
        try:
            return self._runs_unknown(node)
        finally:
            self._asked.discard(node)

    def _runs_unknown(self, node: ast.expr) -> bool:
        if len(self._asked) > _DEEPEST:
            return True
        match node:
            case ast.Name():
                return any(
                    d.value is not None
                    and d.binding is Binding.ASSIGNED
                    and self._is_unknown_iterator(d.value)
                    for d in self.facts.names.of(node)
                )
            case ast.Call() if is_lazy_call(node, self.facts):
                return any(map(self._is_unknown_iterator, node.args))
            case ast.Call():
                return not self.is_harmless(node)
            case _:
                return False

    def is_harmless(self, call: ast.Call) -> bool:
        """Whether a call writes to nothing that it can reach, its targets aside."""
        known = known_call(call, self.facts)
        if known is None:
            function = self._defined(call.func)
            return function is not None and self._writes_nothing(function)
        if not all(map(self._is_harmless_callable, known.callables)):
            return False
        if not all(map(self._writes_nothing, asked_by(call, self.facts))):
            return False
        if consumes(call, self.facts):
            return not any(map(self._is_unknown_iterator, call.args))
        return True

    def _is_harmless_callable(self, node: ast.expr) -> bool:
        match node:
            case ast.Lambda():
                return effects_of(self.facts.nested(node)).writes_nothing
            case ast.Name(id=name) if is_builtin(node, name, self.facts):
                return ops.builtin(name) is not None and name not in ("map", "filter")
            case ast.Attribute(value=ast.Name(id="str")):
                return True
            case ast.Name():
                function = self._defined(node)
                return function is not None and self._writes_nothing(function)
            case _:
                dotted = self.facts.resolve(node)
                operation = None if dotted is None else ops.function(dotted)
                return operation is not None and not operation.writes

    def _defined(self, function: ast.expr) -> FunctionNode | None:
        """The one function of this scope or the module that a name stands for."""
        if not isinstance(function, ast.Name):
            return None
        reaching = self.facts.names.only(function)
        if reaching is None:
            return None
        node: ast.AST = reaching.node
        if reaching.binding is Binding.FREE:
            bound = (n.named(function.id) for n in self.facts.imports.outer)
            found = next((each for each in bound if each), [])
            if len(found) != 1 or self.facts.is_declared(function.id):
                return None
            node = found[0].node
        return node if isinstance(node, ast.FunctionDef) else None

    def _writes_nothing(self, function: FunctionNode) -> bool:
        """Whether a function of the file writes to nothing that it does not make."""
        tree = self.facts.tree
        return tree.once(tree.module, _Functions).write_nothing(function, self.facts)

    def _q(self, node: ast.expr) -> str:
        return f"`{self._label(node)}`"

    def _label(self, function: ast.expr) -> str:
        text = self.facts.text(function)
        return text if len(text) <= 60 and "\n" not in text else "a call"


class _Functions:
    """What is known of the functions of a module that others call.

    Functions that call each other write to nothing if none of them does. One that is
    being looked at is taken to; what rests on that is kept once the first of them,
    on which nothing rests that is still open, is found to write to nothing.
    """

    def __init__(self, module: ast.Module) -> None:
        self._known: dict[ast.AST, bool] = {}
        self._open: dict[ast.AST, int] = {}
        """The functions that are being looked at, and how deep."""
        self._resting: dict[ast.AST, int] = {}
        """Found to write to nothing if the open function of that depth does not."""
        self._lowest = 0
        """The depth of the outermost open function that was asked for."""

    def write_nothing(self, function: FunctionNode, caller: Facts) -> bool:
        if function in self._known:
            return self._known[function]
        rests_on = self._open.get(function, self._resting.get(function))
        if rests_on is not None:
            self._lowest = min(self._lowest, rests_on)
            return True
        depth = self._open[function] = len(self._open)
        outer, self._lowest = self._lowest, depth
        resting = len(self._resting)
        writes_nothing = self._look(function, caller)
        del self._open[function]
        lowest = self._lowest
        self._lowest = min(outer, lowest)
        if writes_nothing and lowest < depth:
            self._resting[function] = lowest
            return True
        self._known[function] = writes_nothing
        for other in list(self._resting)[resting:]:
            del self._resting[other]
            if writes_nothing:
                self._known[other] = True
        return writes_nothing

    def _look(self, function: FunctionNode, caller: Facts) -> bool:
        kept = ("staticmethod", "property", "cached_property", "no_grad", "cache")
        heads = [
            d.func if isinstance(d, ast.Call) else d for d in function.decorator_list
        ]
        is_plain = isinstance(function, ast.FunctionDef) and all(
            getattr(d, "id", getattr(d, "attr", "")) in kept for d in heads
        )
        if not is_plain or _suspends(function):
            return False
        tree = caller.tree
        outer = [names_of(each, tree) for each in scope_chain(tree, function)]
        names = names_of(function, tree)
        imports = Imports(tree, names, outer)
        facts = Facts(caller.source, tree, function, names, imports)
        return effects_of(facts).writes_nothing


def _generators(module: ast.Module) -> frozenset[str]:
    """The names of the functions of a file that suspend."""
    return frozenset(
        node.name
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef) and _suspends(node)
    )


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


def _consuming(node: ast.AST) -> Sequence[ast.AST]:
    """Where a node may ask a generator for more."""
    match node:
        case ast.Call() | ast.For() | ast.AsyncFor() | ast.comprehension():
            return [node]
        case ast.YieldFrom():
            return [node]
        case _:
            return iterated_by(node)


def _suspends(function: FunctionNode) -> bool:
    return any(isinstance(node, SUSPENSIONS) for node in walk_scope(function))


_IN_PLACE_OPERATORS = words(
    """
    __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__
    __ior__ __ixor__ __ilshift__ __irshift__ __setitem__
    """
)


def _is_in_place(name: str) -> bool:
    if name.endswith("__"):
        return name in _IN_PLACE_OPERATORS
    return name.endswith("_")


def _only_possible(write: Write) -> Write:
    """A write that reaches the source only if an unknown call handed it on."""
    if write.certainty is Certainty.MAY_WRITE:
        return write
    return replace(write, certainty=Certainty.MAY_WRITE, cause=Cause.SHARING)


def _is_key(index: ast.expr) -> bool:
    """Whether an index is a key of a mapping, and no index of a tensor."""
    return isinstance(index, ast.Constant) and isinstance(index.value, str | bytes)
