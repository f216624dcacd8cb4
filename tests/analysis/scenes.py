"""Code under analysis, and the nodes of it that a test asks about."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from upcast_lint.analysis.directives import Directives, read_directives
from upcast_lint.analysis.facts import Facts, Module
from upcast_lint.source import Source

IMPORTS = """\
import contextlib
import math
import numpy as np
import torch
import torch.nn.functional as F
from torch import no_grad as ng
from torch.autograd.function import once_differentiable
"""


@dataclass(frozen=True)
class Scene:
    """The facts of the function `f` (or of the module, where there is none)."""

    facts: Facts
    directives: Directives

    def nodes(self) -> Iterator[ast.AST]:
        yield from ast.walk(self.facts.scope)

    def calls(self, name: str) -> list[ast.Call]:
        """The calls of a method or function, in the order of the text."""
        found = [
            node
            for node in self.nodes()
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute | ast.Name)
            and _name(node.func) == name
        ]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def call(self, name: str) -> ast.Call:
        (call,) = self.calls(name)
        return call

    def value(self, name: str) -> ast.expr:
        """What the last assignment to a name gives it."""
        found = [
            node.value
            for node in self.nodes()
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == name
        ]
        return found[-1]


def scene(code: str) -> Scene:
    text = IMPORTS + textwrap.dedent(code)
    source = Source.from_bytes(text.encode(), "scene.py")
    module = Module.parse(source)
    scope = next(
        (
            node
            for node in ast.walk(module.tree.module)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name in ("f", "forward", "backward")
        ),
        module.tree.module,
    )
    return Scene(module.facts(scope), read_directives(source))


def function(body: str, parameters: str = "x, labels, mask, k") -> Scene:
    """The scene of a function with this body."""
    return scene(
        f"def f({parameters}):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    )


def _name(node: ast.Attribute | ast.Name) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id
