"""The functions of other files of the project that a file imports.

Limits: one is known where its module binds its name once, by a `def` without a
decorator, or by an import from the file that does: one such step is taken. Of a name
that its user binds by more than one import, or by anything else, nothing is known.
"""

from __future__ import annotations

import ast
import re

from ..project import imported_names, split_name
from ..source import Source
from .callers import Function, bound_parameter, only_definition
from .facts import Facts, Module
from .names import Binding, Definition
from .syntax import Tree

_STEPS = 1
"""Of a name that a module imports in turn, as an `__init__.py` does."""


def imported_parameter(
    argument: ast.expr, call: ast.Call, facts: Facts
) -> tuple[Source, tuple[Function, ast.arg]] | None:
    """What `parameter_for` tells, for a function of another file, with that file."""
    dotted = _dotted(call.func, facts)
    if dotted is None or facts.source.project is None:
        return None
    found = _function(dotted, facts.source.path, facts, _STEPS)
    if found is None:
        return None
    module, function = found
    taken = bound_parameter(argument, call, function, 0)
    return None if taken is None else (module.source, taken)


def _dotted(node: ast.expr, facts: Facts) -> str | None:
    """What a name or a chain of attributes of an import stands for."""
    match node:
        case ast.Name():
            only = only_definition(node, facts)
            return None if only is None else _origin(only, facts.tree)
        case ast.Attribute(value=value, attr=name):
            head = _dotted(value, facts)
            return None if head is None else f"{head}.{name}"
        case _:
            return None


def _origin(definition: Definition, tree: Tree) -> str | None:
    """What an import binds a name to."""
    if definition.binding is not Binding.IMPORTED:
        return None
    statement = tree.statement(definition.node)
    return dict(imported_names(statement)).get(definition.name)


def _function(
    dotted: str, importer: str, facts: Facts, steps: int
) -> tuple[Module, Function] | None:
    """What a name is that a file imports, if that is a function."""
    project = facts.source.project
    where, name = split_name(dotted)
    source = project.module(where, importer) if project and where else None
    if source is None:
        return None
    known = facts.tree.once(facts.tree.module, _modules)
    if source.path not in known:
        try:
            known[source.path] = Module.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            known[source.path] = None
    module = known[source.path]
    if module is None:
        return None
    around = module.facts(module.tree.module)
    found = list(around.names.named(name))
    if len(found) != 1 or around.names.named("*"):
        return None
    if re.search(rf"\bglobal\b[^\n]*\b{name}\b", source.text):
        return None
    (only,) = found
    origin = _origin(only, module.tree)
    if origin is not None and steps:
        return _function(origin, source.path, facts, steps - 1)
    if not isinstance(only.node, ast.FunctionDef) or only.node.decorator_list:
        return None
    return module, only.node


def _modules(_module: ast.Module) -> dict[str, Module | None]:
    """The files that were parsed for one, by path; None for one that cannot be."""
    return {}
