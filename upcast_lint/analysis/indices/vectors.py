"""Vectors that are made of different indices: `arange`, `randperm`, literals."""

from __future__ import annotations

import ast

from .. import ops
from ..facts import Facts
from ..ops import Axes, Gives
from ..ops.types import INDEX_TYPES
from ..tensor_calls import is_builtin, torch_function
from ..values import integer
from .once import Proof

_KEEPING = (Gives.LITERAL, Gives.INT64, Gives.INT32)


def vector_proof(node: ast.List | ast.Call, wraps: bool, facts: Facts) -> Proof | None:
    """A vector that is made of different numbers."""
    if isinstance(node, ast.List):
        return _different(node)
    dotted = torch_function(node, facts)
    made = None if dotted is None else ops.function(dotted)
    match dotted:
        case "torch.arange":
            return _range(node, wraps, facts, "arange")
        case "torch.randperm":
            return Proof("`randperm`") if _keeps(node, facts) else None
        case _ if made is not None and made.axes is Axes.LITERAL:
            inner = node.args[0] if node.args else None
            keeps = made.gives in _KEEPING and _keeps(node, facts)
            if isinstance(inner, ast.List | ast.Call) and keeps:
                return vector_proof(inner, wraps, facts)
            return None
    if is_builtin(node.func, "range", facts):
        return _range(node, wraps, facts, "range")
    if is_builtin(node.func, "list", facts) and len(node.args) == 1:
        inner = node.args[0]
        return (
            vector_proof(inner, wraps, facts) if isinstance(inner, ast.Call) else None
        )
    return None


def _range(node: ast.Call, wraps: bool, facts: Facts, name: str) -> Proof | None:
    if any(isinstance(each, ast.Starred) for each in node.args):
        return None
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    given = list(node.args)
    start = given[0] if len(given) > 1 else keywords.get("start")
    step = given[2] if len(given) > 2 else keywords.get("step")
    if not _keeps(node, facts) or (step is not None and not integer(step)):
        return None
    if wraps:
        first = 0 if start is None else integer(start)
        if first is None or first < 0 or (integer(step) or 1) < 0:
            return None
    return Proof(f"`{name}`")


def _different(node: ast.List) -> Proof | None:
    """A literal list of different integers of one sign."""
    values = [integer(element) for element in node.elts]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or len(set(known)) < len(known):
        return None
    one_sign = all(v >= 0 for v in known) or all(v < 0 for v in known)
    return Proof("a literal list of different indices") if one_sign else None


def _keeps(node: ast.Call, facts: Facts) -> bool:
    """Whether a factory makes integers of full width."""
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    dtype = keywords.get("dtype")
    if None in keywords or "out" in keywords:
        return False
    return dtype is None or facts.resolve(dtype) in INDEX_TYPES
