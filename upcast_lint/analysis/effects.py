"""What may write to a tensor: in-place operations, aliases, and unknown calls.

Terms
-----
path
    A name or a chain of attributes from a name, such as `self.logits`. Subscripts
    count as what they are taken from.
alias
    A path that may share memory with another, through assignment and views in this
    scope, in any order.

Limits: two parameters are taken not to share memory; another thread does not write.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable
from dataclasses import dataclass

from . import operators
from .casts import recognise_cast
from .facts import Facts
from .names import Binding, free_names
from .paths import Paths
from .syntax import LOOPS, FunctionNode, walk_scope

_PURE_MODULES = (
    "torch.",
    "math.",
    "numpy.",
    "typing.",
    "logging.",
    "os.",
    "time.",
    "dataclasses.",
    "itertools.",
    "functools.",
    "einops.",
)


class Certainty(enum.Enum):
    WRITES = enum.auto()
    MAY_WRITE = enum.auto()
    """A call of unknown code that is given the tensor or an object that holds it."""


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """`node` writes (or may write) to the tensors that `path` names."""

    node: ast.AST
    path: str
    certainty: Certainty
    label: str


class Effects:
    """The writes of one scope, and which paths share memory."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.writes: list[Write] = []
        self._origins: dict[str, set[str]] = {}
        self._derived: dict[str, set[str]] = {}
        for node in walk_scope(facts.scope):
            self._collect(node)
        for definition in facts.names.definitions:
            if definition.value is not None and definition.binding is not (
                Binding.AUGMENTED
            ):
                for path in shared_paths(definition.value, facts):
                    self._origins.setdefault(definition.name, set()).add(path)
                    self._derived.setdefault(path, set()).add(definition.name)

    def writes_to(self, source: ast.expr) -> list[Write]:
        """Every write that may reach the tensor that `source` gives."""
        aliases = self._aliases(shared_paths(source, self.facts))
        holders = {holder for path in aliases for holder in _prefixes(path)}
        return [
            write
            for write in self.writes
            if write.path in aliases
            or (write.certainty is Certainty.MAY_WRITE and write.path in holders)
        ]

    def _aliases(self, paths: set[str]) -> set[str]:
        """What the paths are made from, and all that is made from any of it."""
        return _closure(_closure(paths, self._origins), self._derived)

    def _write(self, node: ast.AST, target: ast.expr, label: str) -> None:
        for path in shared_paths(target, self.facts):
            self.writes.append(Write(node, path, Certainty.WRITES, label))

    def _may_write(self, node: ast.AST, target: ast.expr, label: str) -> None:
        for path in shared_paths(target, self.facts):
            self.writes.append(Write(node, path, Certainty.MAY_WRITE, label))

    def _collect(self, node: ast.AST) -> None:
        match node:
            case ast.AugAssign():
                self._write(node, node.target, "is assigned in place")
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                self._write(node, node.value, "is assigned by index")
            case ast.Attribute(ctx=ast.Store(), attr="data" | "grad"):
                self._write(node, node.value, f"has its `{node.attr}` replaced")
            case ast.Call():
                self._call(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._nested(node)
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                for definition in self.facts.names.definitions:
                    self.writes.append(
                        Write(
                            node,
                            definition.name,
                            Certainty.MAY_WRITE,
                            "can change while the function is suspended",
                        )
                    )

    def _nested(self, function: FunctionNode | ast.Lambda) -> None:
        """What a nested function writes to, any call of unknown code may write to."""
        written = {
            path
            for node in ast.walk(function)
            for path in _written_paths(node, self.facts)
        }
        for path in sorted(written & free_names(function)):
            for node in walk_scope(self.facts.scope):
                if isinstance(node, ast.Call):
                    label = "is written to by a nested function"
                    self.writes.append(Write(node, path, Certainty.MAY_WRITE, label))

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
        function = call.func
        dotted = self.facts.resolve(function)
        if dotted is not None:
            name = dotted.rpartition(".")[2]
            if name.endswith("_") and not name.endswith("__") and given:
                self._write(call, given[0], f"is written to by `{name}`")
                return
            if dotted.startswith(_PURE_MODULES):
                return
        elif isinstance(function, ast.Attribute):
            name = function.attr
            if name.endswith("_") and not name.endswith("__"):
                self._write(call, function.value, f"is written to by `{name}`")
                return
            if name in operators.KNOWN_PURE_METHODS:
                return
            label = f"is held by what `{self._label(function)}` is called on"
            self._may_write(call, function.value, label)
        elif isinstance(function, ast.Name) and function.id in (
            operators.PURE_BUILTINS
        ):
            return
        label = f"is passed to `{self._label(function)}`"
        for argument in given:
            self._may_write(call, argument, label)

    def _label(self, function: ast.expr) -> str:
        text = self.facts.text(function)
        return text if len(text) <= 60 and "\n" not in text else "a call"


def shared_paths(node: ast.expr, facts: Facts) -> set[str]:
    """Paths whose tensors the value of an expression may share memory with."""
    match node:
        case ast.Name():
            return {node.id}
        case ast.Attribute():
            if node.attr in operators.METADATA_ATTRIBUTES or node.attr == "dtype":
                return set()
            if node.attr in operators.VIEW_ATTRIBUTES:
                return shared_paths(node.value, facts)
            chain = _chain(node)
            return {chain} if chain else shared_paths(node.value, facts)
        case ast.Subscript() | ast.Starred() | ast.Await() | ast.NamedExpr():
            return shared_paths(node.value, facts)
        case ast.IfExp():
            return _union((node.body, node.orelse), facts)
        case ast.BoolOp():
            return _union(node.values, facts)
        case ast.Tuple() | ast.List() | ast.Set():
            return _union(node.elts, facts)
        case ast.Dict():
            return _union(node.values, facts)
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
            return _union([node.elt, *(g.iter for g in node.generators)], facts)
        case ast.Call():
            return _call_shares(node, facts)
        case _:
            return set()


def _union(nodes: Iterable[ast.expr], facts: Facts) -> set[str]:
    return set().union(*(shared_paths(node, facts) for node in nodes))


_SHARING_METHODS = operators.VIEWS | operators.words(
    """
    narrow select split chunk unbind tensor_split expand expand_as diagonal unfold to
    type type_as float double half bfloat16 cpu cuda numpy get items values keys
    requires_grad_ long int bool
    """
)
"""Known methods whose result may share memory with what they are called on."""

_FRESH_METHODS = (operators.KNOWN_PURE_METHODS - _SHARING_METHODS) | operators.words(
    "neg negative abs absolute"
)


def _call_shares(call: ast.Call, facts: Facts) -> set[str]:
    function = call.func
    given = [*call.args, *(k.value for k in call.keywords)]
    dotted = facts.resolve(function)
    if dotted is not None:
        name = dotted.rpartition(".")[2]
        if dotted.startswith("torch.") and name in _FRESH_METHODS:
            return set()
        if dotted.startswith(("torch.nn.functional.", "math.")):
            return set()
        return _union(given, facts)
    if isinstance(function, ast.Attribute):
        cast = recognise_cast(call, facts)
        if cast is not None and cast.copies:
            return set()
        if function.attr in _FRESH_METHODS:
            return set()
        if function.attr in operators.KNOWN_PURE_METHODS:
            return shared_paths(function.value, facts)
        return _union(given, facts)
    if isinstance(function, ast.Name) and function.id in operators.PURE_BUILTINS:
        if function.id in ("list", "tuple", "dict", "zip", "enumerate", "iter"):
            return _union(given, facts)
        return set()
    return _union(given, facts)


def _chain(node: ast.expr) -> str | None:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            head = _chain(node.value)
            return None if head is None else f"{head}.{node.attr}"
        case _:
            return None


def _prefixes(path: str) -> set[str]:
    """The objects that hold a path, itself included."""
    parts = path.split(".")
    return {".".join(parts[:n]) for n in range(1, len(parts) + 1)}


def _closure(start: set[str], edges: dict[str, set[str]]) -> set[str]:
    found = set(start)
    pending = list(start)
    while pending:
        for path in edges.get(pending.pop(), ()):
            if path not in found:
                found.add(path)
                pending.append(path)
    return found


def _written_paths(node: ast.AST, facts: Facts) -> set[str]:
    """The names that a statement or call of a nested function writes to in place."""
    match node:
        case ast.AugAssign(target=target):
            return shared_paths(target, facts)
        case ast.Subscript(ctx=ast.Store() | ast.Del()):
            return shared_paths(node.value, facts)
        case ast.Call(func=ast.Attribute(attr=name) as function) if name.endswith(
            "_"
        ) and not name.endswith("__"):
            return shared_paths(function.value, facts)
        case _:
            return set()


def may_run_between(
    first: ast.AST,
    middle: ast.AST,
    last: ast.AST,
    facts: Facts,
    *,
    before_last: bool = False,
) -> bool:
    """Whether `middle` may run after `first` and before `last`, on some path.

    What stands inside `last` counts as before it, unless `before_last` is asked for.
    """
    tree = facts.tree
    for loop in tree.ancestors(last):
        if (
            isinstance(loop, LOOPS)
            and tree.contains(loop, middle)
            and not tree.contains(loop, first)
        ):
            return True
    bound = _start(last) if before_last else _end(last)
    if not (_end(first) <= _end(middle) and _start(middle) <= bound):
        return False
    if tree.contains(middle, last) and not isinstance(middle, ast.Yield | ast.Await):
        return False  # an operation that takes the read's result runs after it
    return any(
        demands == 3
        for demands in Paths(first, {middle: 1, last: 2}, facts).from_origin()
    )


def _start(node: ast.AST) -> tuple[int, int]:
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


def _end(node: ast.AST) -> tuple[int, int]:
    return (getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))
