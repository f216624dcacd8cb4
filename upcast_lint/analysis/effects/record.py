"""What is noted of the writes of a scope, and of what its paths share."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, field, replace

from ..aliases import Aliases, Sharing, shared_paths
from ..facts import Facts

ANYTHING = "*"
"""The path of a write that may reach every tensor."""

HELD = "^"
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


def only_possible(write: Write) -> Write:
    """A write that reaches the source only if an unknown call handed it on."""
    if write.certainty is Certainty.MAY_WRITE:
        return write
    return replace(write, certainty=Certainty.MAY_WRITE, cause=Cause.SHARING)


@dataclass(slots=True)
class Record:
    """The writes of one scope in the order of its nodes, and what shares memory."""

    facts: Facts
    writes: list[Write] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)
    """Where in `writes` those to each path are."""
    written: dict[ast.expr, Certainty] = field(default_factory=dict)
    """The expressions that are written to where they stand."""
    handed: dict[str, list[ast.AST]] = field(default_factory=dict)
    """Where each path, or what it is made from, is handed out."""
    nested_paths: set[str] = field(default_factory=set)
    """What nested functions may write to, whenever they are called."""
    aliases: dict[Sharing, Aliases] = field(
        default_factory=lambda: {sharing: Aliases() for sharing in Sharing}
    )

    def note(self, write: Write) -> None:
        self.places.setdefault(write.path, []).append(len(self.writes))
        self.writes.append(write)

    def possible(
        self, node: ast.AST, path: str, label: str, cause: Cause = Cause.CODE
    ) -> None:
        """Note that `node` may write to what a path names."""
        self.note(Write(node, path, Certainty.MAY_WRITE, label, cause))

    def write(self, node: ast.AST, target: ast.expr, label: str) -> None:
        """Note that `node` writes to what an expression gives."""
        self._reach(node, target, Certainty.WRITES, label)

    def may_write(self, node: ast.AST, target: ast.expr, label: str) -> None:
        self._reach(node, target, Certainty.MAY_WRITE, label)

    def _reach(
        self, node: ast.AST, target: ast.expr, certainty: Certainty, label: str
    ) -> None:
        if self.written.get(target) is not Certainty.WRITES:
            self.written[target] = certainty
        for path in shared_paths(target, self.facts):
            self.note(Write(node, path, certainty, label))

    def hand_out(self, node: ast.AST, value: ast.expr) -> None:
        """Note that a value goes where unknown code can reach it."""
        for path in shared_paths(value, self.facts, Sharing.POSSIBLE):
            self.handed.setdefault(path, []).append(node)

    def derive(self, path: str, value: ast.expr) -> None:
        """Note that a path may share memory with what `value` is made from."""
        for sharing, aliases in self.aliases.items():
            for origin in shared_paths(value, self.facts, sharing):
                aliases.join(path, origin)

    def hold(self, path: str, value: ast.expr) -> None:
        """Note that a path comes to hold a value, among other things."""
        for sharing, aliases in self.aliases.items():
            for origin in shared_paths(value, self.facts, sharing):
                aliases.hold(path, origin)
