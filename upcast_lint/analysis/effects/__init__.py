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
from collections.abc import Sequence
from functools import cached_property

from .. import ops
from ..aliases import Sharing, holders_of, shared_parts, shared_paths
from ..calls import consumes, is_lazy, known_call
from ..facts import Facts
from ..freshness import is_fresh
from ..graph.order import may_follow
from ..hooks import asked_by
from ..names import Binding
from ..syntax import FunctionNode, ScopeNode
from ..tensor_calls import is_builtin
from .collecting import Collector
from .functions import Functions
from .record import ANYTHING, HELD, Cause, Certainty, Record, Write, only_possible

__all__ = ["Cause", "Certainty", "Effects", "Write", "effects_of"]

_DEEPEST = 30
"""Iterators of iterators that are looked at."""


def effects_of(facts: Facts) -> Effects:
    """The effects of a scope, collected once."""
    return facts.once(Effects)


class Effects:
    """The writes of one scope, and which paths share memory."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.record = Record(facts)
        self._asked: set[ast.expr] = set()
        """The iterators that are being looked at."""
        Collector(self, self.record).run()

    def nested(self, scope: ScopeNode) -> Effects:
        """The effects of a scope that stands directly in this one."""
        return effects_of(self.facts.nested(scope))

    def writes_to(self, source: ast.expr) -> list[Write]:
        """Every write that may reach the tensor that `source` gives."""
        paths = shared_paths(source, self.facts)
        certain = self.record.aliases[Sharing.EVIDENT].of(paths)
        possible = self.record.aliases[Sharing.POSSIBLE].of(paths)
        objects = {holder for path in paths for holder in holders_of(path)} - paths
        possible |= self.record.aliases[Sharing.POSSIBLE].in_objects(objects)
        holders = possible | {h for path in possible for h in holders_of(path)}
        places = {n for path in holders for n in self.record.places.get(path, ())}
        places |= {n for path in possible for n in self._parts.get(path, ())}
        places |= {
            n for path in holders for n in self.record.places.get(f"{path}.", ())
        }
        places.update(self.record.places.get(ANYTHING, ()))
        found: list[Write] = []
        for place in sorted(places):
            write = self.record.writes[place]
            if write.path in certain or write.path == ANYTHING:
                found.append(write)
            elif write.path in possible or not isinstance(write.node, ast.Attribute):
                found.append(only_possible(write))
            elif write.certainty is Certainty.MAY_WRITE:
                found.append(write)
        if any(path in self.record.handed for path in possible):
            found += [only_possible(write) for write in self._outside_writes]
        known = {write.node for write in found} if self._held_writes else frozenset()
        held = [write for write in self._held_writes if write.node not in known]
        if held:
            handed = self._handed_out(source, possible)
            found += [w for w in held if handed is None or self._follows(w, handed)]
        return found

    def is_written_by_nested(self, source: ast.expr) -> bool:
        """Whether a nested function may write to it, perhaps after this one is left."""
        possible = self.record.aliases[Sharing.POSSIBLE].of(
            shared_paths(source, self.facts)
        )
        return not self.record.nested_paths.isdisjoint(possible)

    def views_of(self, source: ast.expr) -> set[str]:
        """The paths that show what `source` gives, uncast."""
        return self.record.aliases[Sharing.VIEW].of(shared_paths(source, self.facts))

    def is_held(self, source: ast.expr) -> bool:
        """Whether something outside of the scope may hold the tensor by its name."""
        paths = shared_paths(source, self.facts)
        return any(self.is_outside(path) or "." in path for path in paths)

    def written_through(self, value: ast.expr) -> Certainty | None:
        """Whether a value is written to where it goes, or through what is made of it.

        Of what a name becomes, all of the scope counts.
        """
        worst: Certainty | None = None
        pending, seen = [value], {value}
        while pending:
            node = pending.pop()
            certainty = self.record.written.get(node)
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
                call = self.facts.tree.called_by(parent)
                if call is not None:
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
            self.record.writes[place].certainty
            for path in self.record.aliases[Sharing.EVIDENT].made_from({name})
            for place in (*self.record.places.get(path, ()), *self._parts.get(path, ()))
        }
        if Certainty.WRITES in found:
            return Certainty.WRITES
        return Certainty.MAY_WRITE if found else None

    @cached_property
    def _parts(self) -> dict[str, list[int]]:
        """Where in `writes` those to parts of each path are, gradients aside."""
        found: dict[str, list[int]] = {}
        for path, places in self.record.places.items():
            if path.endswith((".grad", ".")):
                continue
            for holder in holders_of(path) - {path}:
                found.setdefault(holder, []).extend(places)
        return found

    def is_outside(self, path: str) -> bool:
        """Whether a path begins at a name that another scope binds."""
        return not self.facts.names.named(path.partition(".")[0])

    @cached_property
    def _held_writes(self) -> list[Write]:
        return [self.record.writes[n] for n in self.record.places.get(HELD, ())]

    @cached_property
    def _outside_writes(self) -> list[Write]:
        """What is written through names of other scopes: a tensor may be there, too."""
        return [
            write
            for write in self.record.writes
            if write.path not in (HELD, ANYTHING) and self.is_outside(write.path)
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
        return not self.record.handed and not any(
            write.path in (HELD, ANYTHING) or not self._is_own(write.path)
            for write in self.record.writes
        )

    @property
    def runs_harmless(self) -> bool:
        """Whether a scope writes to nothing while it runs, but to its own names."""
        return not any(
            write.certainty is Certainty.WRITES or write.path in (HELD, ANYTHING)
            for write in self.record.writes
        )

    def _is_own(self, path: str) -> bool:
        """Whether a path is a name whose every value is made here."""
        names = self.facts.names
        definitions = names.named(path)
        return bool(definitions) and all(
            definition.binding is Binding.AUGMENTED
            or (
                definition.assigned is not None
                and is_fresh(definition.assigned, self.facts)
            )
            for definition in definitions
        )

    # Privacy

    def _handed_out(self, source: ast.expr, paths: set[str]) -> list[ast.AST] | None:
        """Where a source that was made here is handed out; None if it was not."""
        if not is_fresh(source, self.facts):
            return None
        return [node for path in paths for node in self.record.handed.get(path, ())]

    def _follows(self, write: Write, handed: Sequence[ast.AST]) -> bool:
        return any(may_follow(node, write.node, self.facts) for node in handed)

    def is_unknown_iterator(self, node: ast.expr) -> bool:
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
                    d.assigned is not None and self.is_unknown_iterator(d.assigned)
                    for d in self.facts.names.of(node)
                )
            case ast.Call() if is_lazy(node, self.facts):
                return any(map(self.is_unknown_iterator, node.args))
            case ast.Call():
                return not self.is_harmless(node)
            case _:
                return False

    def is_harmless(self, call: ast.Call) -> bool:
        """Whether a call writes to nothing that it can reach, its targets aside."""
        known = known_call(call, self.facts)
        if known is None:
            function = self.defined(call.func)
            return function is not None and self.is_pure(function)
        if not all(map(self._is_harmless_callable, known.callables)):
            return False
        if not all(map(self.is_pure, asked_by(call, self.facts))):
            return False
        if consumes(call, self.facts):
            return not any(map(self.is_unknown_iterator, call.args))
        return True

    def _is_harmless_callable(self, node: ast.expr) -> bool:
        match node:
            case ast.Lambda():
                return self.nested(node).writes_nothing
            case ast.Name(id=name) if is_builtin(node, name, self.facts):
                return ops.builtin(name) is not None and name not in ("map", "filter")
            case ast.Attribute(value=ast.Name(id="str")):
                return True
            case ast.Name():
                function = self.defined(node)
                return function is not None and self.is_pure(function)
            case _:
                dotted = self.facts.resolve(node)
                operation = None if dotted is None else ops.function(dotted)
                return operation is not None and not operation.writes

    def defined(self, function: ast.expr) -> FunctionNode | None:
        """The one function of this scope or the module that a name stands for."""
        if not isinstance(function, ast.Name):
            return None
        found = self.facts.names.only(function)
        if found is not None and found.binding is Binding.FREE:
            found = self.facts.outer(function.id)
        node = None if found is None else found.node
        return node if isinstance(node, ast.FunctionDef) else None

    def is_pure(self, function: FunctionNode) -> bool:
        """Whether a function of the file writes to nothing that it does not make."""
        tree = self.facts.tree
        known = tree.once(tree.module, Functions)
        return known.write_nothing(function, self.facts, _writes_nothing)


def _writes_nothing(facts: Facts) -> bool:
    return effects_of(facts).writes_nothing
