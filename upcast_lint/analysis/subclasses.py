"""Subclasses of `torch.Tensor`, whose `.float()` may do more than convert elements."""

from __future__ import annotations

import ast
import re

from .facts import Facts
from .names import Binding

_CLASS = re.compile(r"\b(\w+Tensor)\b")
_PLAIN = re.compile(r"(?:D|Float|Double|Half|BFloat16|cuda)Tensor")


def annotated_subclass(source: ast.expr, facts: Facts) -> str | None:
    """The subclass, such as `QuantizedTensor`, that a parameter is annotated with.

    Distributed tensors and the old names of plain tensors by type are left out.
    """
    definition = facts.definition(source)
    if definition is None or definition.binding is not Binding.PARAMETER:
        return None
    annotation = definition.annotation
    for name in _CLASS.findall(facts.text(annotation) if annotation else ""):
        if not _PLAIN.fullmatch(name):
            return str(name)
    return None
