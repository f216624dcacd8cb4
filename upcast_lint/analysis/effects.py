"""What may write to a tensor: in-place operations, aliases, and unknown calls.

Limits: another thread does not write; what a call is not given, it does not write to,
names of enclosing scopes aside.
"""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, replace
from functools import cached_property

from . import operators
from .aliases import Aliases, Sharing, holders_of, shared_paths
from .facts import Facts
from .names import Binding, free_names
from .order import SUSPENSIONS
from .syntax import FunctionNode, walk_scope
from .tensor_calls import is_builtin

_PURE_MODULES = operators.words(
    """
    torch torch.nn.functional torch.special torch.linalg torch.fft torch.nn torch.cuda
    torch.autograd torch.testing math numpy numpy.linalg numpy.testing typing logging
    os os.path time dataclasses einops collections copy json re warnings
    """
)
"""Modules whose functions do not write to what they are given, the following aside."""

_WRITERS = operators.words("numpy.copyto numpy.put numpy.place numpy.putmask")

_QUERIES = operators.words(
    """
    get_rank get_world_size get_process_group_ranks get_global_rank is_initialized
    is_available barrier get_group new_group get_backend ReduceOp
    """
)
"""What `torch.distributed` has besides collectives, which write to what they get."""

_INPLACE_FLAG = operators.words(
    """
    relu relu6 leaky_relu elu selu celu silu mish hardtanh hardswish hardsigmoid rrelu
    threshold dropout alpha_dropout dropout1d dropout2d dropout3d feature_alpha_dropout
    """
)
"""Functions of `torch.nn.functional` with a positional `inplace`."""

_WRITING_OPTIONS = ("max_norm", "running_mean", "running_var")
"""Parameters that make an operation write to another of its arguments."""

_STORES = operators.words("append extend insert update setdefault appendleft")
"""Methods by which a container comes to hold a tensor."""

_ANYTHING = "*"
"""The path of a write that may reach every tensor."""

_SOURCE = "\0"
"""Stands for the source in the label of a possible write."""

_OUTSIDE = "^"
"""The path of a write that may reach what other scopes hold."""


class Certainty(enum.Enum):
    WRITES = enum.auto()
    MAY_WRITE = enum.auto()
    """A call of unknown code that is given the tensor or an object that holds it."""


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """`node` writes (or may write) to the tensors that `path` names.

    `label` continues "the source …"; where the write is possible only, it says what
    must hold for it not to happen.
    """

    node: ast.AST
    path: str
    certainty: Certainty
    label: str

    def says(self, source: str) -> str:
        """The label with the text of the source in its place."""
        return self.label.replace(_SOURCE, f"`{source}`")


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
        self._nested_paths: set[str] = set()
        """What nested functions may write to, whenever they are called."""
        self._aliases = {sharing: Aliases() for sharing in Sharing}
        for node in walk_scope(facts.scope):
            self._collect(node)
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
        if any(self._is_outside(path) for path in possible):
            possible.add(_OUTSIDE)
        possible.add(_ANYTHING)
        holders = possible | {h for path in possible for h in holders_of(path)}
        places = {n for path in certain | holders for n in self._places.get(path, ())}
        found: list[Write] = []
        for place in sorted(places):
            write = self.writes[place]
            if write.path in certain:
                found.append(write)
            elif write.path in possible or (
                write.certainty is Certainty.MAY_WRITE and write.path in holders
            ):
                found.append(_only_possible(write))
        return found

    def is_written_by_nested(self, source: ast.expr) -> bool:
        """Whether a nested function may write to it, perhaps after this one is left."""
        possible = self._aliases[Sharing.POSSIBLE].of(shared_paths(source, self.facts))
        return not self._nested_paths.isdisjoint(possible)

    def views_of(self, source: ast.expr) -> set[str]:
        """The paths that show what `source` gives, uncast."""
        return self._aliases[Sharing.VIEW].of(shared_paths(source, self.facts))

    def _is_outside(self, path: str) -> bool:
        """Whether a path begins at a name that another scope binds."""
        return not self.facts.names.named(path.partition(".")[0])

    def is_written(self, path: str) -> bool:
        """Whether a path itself is evidently written to."""
        return any(
            self.writes[place].certainty is Certainty.WRITES
            for place in self._places.get(path, ())
        )

    @cached_property
    def impure_calls(self) -> list[ast.Call]:
        """The calls that may write to what they can reach."""
        return [call for call in self.facts.nodes(ast.Call) if not self.is_pure(call)]

    def _note(self, write: Write) -> None:
        self._places.setdefault(write.path, []).append(len(self.writes))
        self.writes.append(write)

    def _derive(self, path: str, value: ast.expr) -> None:
        """Note that a path may share memory with what `value` is made from."""
        for sharing, aliases in self._aliases.items():
            for origin in shared_paths(value, self.facts, sharing):
                aliases.join(path, origin)

    def _store(self, holder: ast.expr, value: ast.expr) -> None:
        """Note that an attribute or a container comes to hold a value.

        A tensor copies what is stored by index.
        """
        if isinstance(holder, ast.Subscript):
            made = self.facts.value(holder.value)
            if isinstance(made, ast.Call) and (
                self.facts.resolve(made.func) or ""
            ).startswith("torch."):
                return
        for path in shared_paths(holder, self.facts):
            for sharing, aliases in self._aliases.items():
                for origin in shared_paths(value, self.facts, sharing):
                    aliases.hold(path, origin)

    def _write(self, node: ast.AST, target: ast.expr, label: str) -> None:
        for path in shared_paths(target, self.facts):
            self._note(Write(node, path, Certainty.WRITES, label))

    def _may_write(self, node: ast.AST, target: ast.expr, label: str) -> None:
        for path in shared_paths(target, self.facts):
            self._note(Write(node, path, Certainty.MAY_WRITE, label))

    def _collect(self, node: ast.AST) -> None:
        match node:
            case ast.AugAssign():
                self._write(node, node.target, "is assigned in place")
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                if not _is_key(node.slice):
                    self._write(node, node.value, "is assigned by index")
            case ast.Attribute(ctx=ast.Store()):
                self._write(node, node.value, f"has its `{node.attr}` set")
            case ast.Assign():
                for target in node.targets:
                    if isinstance(target, ast.Attribute | ast.Subscript):
                        self._store(target, node.value)
            case ast.Call():
                self._call(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._nested(node)
            case _ if isinstance(node, SUSPENSIONS):
                label = f"{_SOURCE} does not change while the function is suspended"
                self._note(Write(node, _ANYTHING, Certainty.MAY_WRITE, label))

    def _nested(self, function: FunctionNode | ast.Lambda) -> None:
        """What a nested function may write to, any call of unknown code may."""
        facts = self.facts.nested(function)
        inner = effects_of(facts)
        label = f"no nested function changes {_SOURCE}"
        own = getattr(function, "name", None)
        for name in sorted(free_names(function)):
            writes = inner.writes_to(ast.Name(name, ast.Load()))
            if writes:
                self._nested_paths.add(name)
            is_certain = any(w.certainty is Certainty.WRITES for w in writes)
            for call in self.impure_calls if writes else ():
                if is_certain and getattr(call.func, "id", None) == own:
                    self._write(call, ast.Name(name), f"is written to by `{own}`")
                else:
                    self._note(Write(call, name, Certainty.MAY_WRITE, label))

    def _call(self, call: ast.Call) -> None:
        given = [
            *(a.value if isinstance(a, ast.Starred) else a for a in call.args),
            *(k.value for k in call.keywords),
        ]
        for keyword in call.keywords:
            if keyword.arg == "out":
                self._write(call, keyword.value, "is written to by `out=`")
            if keyword.arg == "inplace" and call.args:
                self._write(call, call.args[0], "is written to in place")
            if keyword.arg in _WRITING_OPTIONS:
                for argument in given:
                    self._write(call, argument, f"is written to by `{keyword.arg}`")
        function = call.func
        name = self._label(function)
        dotted = self.facts.resolve(function)
        last = _last(dotted or "") or getattr(function, "attr", "")
        if last.endswith("_") and not last.endswith("__"):
            if dotted is None and isinstance(function, ast.Attribute):
                self._write(call, function.value, f"is written to by `{last}`")
                return
            if given:
                self._write(call, given[0], f"is written to by `{last}`")
                return
        if dotted is not None and self._writes_by_contract(call, dotted):
            for argument in given:
                self._write(call, argument, f"is written to by `{name}`")
            return
        if is_builtin(function, "setattr", self.facts) and len(given) == 3:
            self._write(call, given[0], "is changed by `setattr`")
            self._store(given[0], given[2])
            return
        if isinstance(function, ast.Attribute) and last in _STORES:
            for argument in given:
                self._store(function.value, argument)
        if self.is_pure(call):
            return
        label = f"`{name}` does not change {_SOURCE}"
        if dotted is None and isinstance(function, ast.Attribute):
            self._may_write(call, function.value, label)
        for argument in given:
            self._may_write(call, argument, label)
        self._note(Write(call, _OUTSIDE, Certainty.MAY_WRITE, label))

    def _writes_by_contract(self, call: ast.Call, dotted: str) -> bool:
        module, _, name = dotted.rpartition(".")
        if dotted in _WRITERS:
            return True
        if module == "torch.distributed":
            return name not in _QUERIES
        return (
            module == "torch.nn.functional"
            and name in _INPLACE_FLAG
            and bool(call.args)
            and isinstance(call.args[-1], ast.Constant)
            and call.args[-1].value is True
        )

    def is_pure(self, call: ast.Call) -> bool:
        """Whether a call is known to write to nothing that it can reach."""
        function = call.func
        dotted = self.facts.resolve(function)
        if dotted is not None:
            module = dotted.rpartition(".")[0]
            return module in _PURE_MODULES or (
                module == "torch.distributed" and _last(dotted) in _QUERIES
            )
        if isinstance(function, ast.Attribute):
            return function.attr in operators.KNOWN_PURE_METHODS
        if not isinstance(function, ast.Name):
            return False
        if not is_builtin(function, function.id, self.facts):
            return False
        if function.id in ("map", "filter", "sorted", "min", "max", "next", "iter"):
            return not any(
                isinstance(k.value, ast.Name | ast.Lambda) and k.arg == "key"
                for k in call.keywords
            ) and function.id not in ("map", "filter")
        return function.id in operators.PURE_BUILTINS

    def _label(self, function: ast.expr) -> str:
        text = self.facts.text(function)
        return text if len(text) <= 60 and "\n" not in text else "a call"


def _only_possible(write: Write) -> Write:
    """A write that reaches the source only if an unknown call handed it on."""
    if write.certainty is Certainty.MAY_WRITE:
        return write
    label = f"what {write.label} shares no memory with {_SOURCE}"
    return replace(write, certainty=Certainty.MAY_WRITE, label=label)


def _is_key(index: ast.expr) -> bool:
    """Whether an index is a key of a mapping, and no index of a tensor."""
    return isinstance(index, ast.Constant) and isinstance(index.value, str | bytes)


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]
