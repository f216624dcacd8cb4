"""What comments are about: the cast beside them, a tool, or something else."""

from __future__ import annotations

import re
from typing import TypeVar

import libcst as cst

_Kind = TypeVar("_Kind")


def comments_in(*nodes: cst.CSTNode) -> list[str]:
    """All comments in some nodes, in the order of the text."""
    return [each.value for node in nodes for each in nodes_in(node, cst.Comment)]


def nodes_in(node: cst.CSTNode, kind: type[_Kind]) -> list[_Kind]:
    """A node and those below it, in the order of the text, if of a kind."""
    found: list[_Kind] = [node] if isinstance(node, kind) else []
    for child in node.children:
        found += nodes_in(child, kind)
    return found


def speaks_of_cast(comment: str) -> bool:
    """Whether a comment is about the cast beside it; those of ours are not."""
    return not is_directive(comment) and _CAST_WORDS.search(comment) is not None


_CAST_WORDS = re.compile(
    r"float|fp32|fp64|double|upcast|up-cast|\bcast|precision|stab|numeric|dtype", re.I
)


def is_directive(comment: str) -> bool:
    """Whether a comment speaks to a tool about the line that it stands on."""
    return comment.lstrip("# ").lower().startswith(_DIRECTIVES)


_DIRECTIVES = (
    "noqa",
    "nosec",
    "type:",
    "fmt:",
    "yapf:",
    "isort:",
    "mypy:",
    "ruff:",
    "flake8:",
    "pylint:",
    "pyright:",
    "pyre-",
    "pragma",
    "upcast-lint",
)
