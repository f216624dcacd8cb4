"""Whether the rounds of a loop take the same piece again and again.

A cast above the loop converts it once, a cast of the piece once a round. So a selection
that a loop repeats as it is costs more after the rewrite, and is not narrow. One that
leaves the loop with its round is taken once.
"""

from __future__ import annotations

import ast

from ..facts import Facts
from ..flow import Flow, Read
from ..graph.order import is_repeated
from ..reads import Result
from .levels import Level, levels_around, varies


def is_taken_again(read: Read, flow: Flow, facts: Facts) -> bool:
    """Whether some loop around a selection takes what it took the round before."""
    selection = read.selection
    if selection is None or selection.result in (Result.INDICES, Result.ELEMENTS):
        return False
    levels = levels_around(read.node, flow.cast.call, facts)
    return any(
        not _varies(read, level, facts) and not _leaves(read.node, level, facts)
        for level in levels
    )


def _varies(read: Read, level: Level, facts: Facts) -> bool:
    """Whether what a selection takes, or takes it from, depends on the round."""
    nodes = [read.node, *(step.node for step in read.steps)]
    return any(varies(node, level, facts) for node in nodes)


def _leaves(node: ast.AST, level: Level, facts: Facts) -> bool:
    """Whether the round in which a node runs is the last one."""
    loop = level.node
    return isinstance(loop, ast.stmt) and not is_repeated(node, loop, facts)
