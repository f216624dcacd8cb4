"""Small inputs for the analysis: facts of a snippet, and short words for results."""

from __future__ import annotations

import ast
from textwrap import dedent

from upcast_lint.analysis.casts import Cast, cast_candidates, recognise_cast
from upcast_lint.analysis.directives import read_directives
from upcast_lint.analysis.facts import Facts, Module
from upcast_lint.analysis.flow import Flow, follow
from upcast_lint.analysis.names import Binding, Definition
from upcast_lint.analysis.reads import Selection, Use, Waste
from upcast_lint.analysis.syntax import ScopeNode
from upcast_lint.registry import rules_of
from upcast_lint.source import Source

IMPORTS = "import torch\nimport torch.nn.functional as F\n"


def source_of(code: str) -> Source:
    return Source.from_bytes(dedent(code).encode(), "test.py")


def facts_of(code: str, scope: str | None = None) -> Facts:
    """The facts of the function `scope`, or of the first; else of the module."""
    module = Module.parse(source_of(code))
    return module.facts(_scope(module.tree.module, scope))


def _scope(module: ast.Module, name: str | None) -> ScopeNode:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and (
            name in (None, node.name)
        ):
            return node
        if isinstance(node, ast.Lambda) and name == "<lambda>":
            return node
    assert name is None, f"no scope {name}"
    return module


def calls_of(facts: Facts, name: str) -> list[ast.Call]:
    """The calls `name(…)` in the module, in the order of the text."""
    found = [
        node
        for node in ast.walk(facts.tree.module)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == name
    ]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def call_of(facts: Facts, name: str) -> ast.Call:
    (call,) = calls_of(facts, name)
    return call


def used(facts: Facts) -> ast.expr:
    """The argument of the call `use(…)`."""
    return call_of(facts, "use").args[0]


def described(definition: Definition) -> str:
    """A definition in a word: what is assigned, or how else the name is bound."""
    if not definition.name:
        return "unbound"
    value = "" if definition.value is None else ast.unparse(definition.value)
    match definition.binding:
        case Binding.ASSIGNED:
            return value
        case Binding.UNPACKED:
            return f"{value}[{definition.index}]"
        case Binding.ITERATED:
            return f"each of {value}"
        case binding:
            return binding.name.lower()


def reaching(code: str, scope: str | None = None) -> set[str]:
    """What the name in `use(name)` may be."""
    facts = facts_of(code, scope)
    name = used(facts)
    assert isinstance(name, ast.Name)
    return {described(definition) for definition in facts.names.of(name)}


def recognise(use: Use) -> tuple[str, Selection | Waste] | None:
    for rule in rules_of(None):
        found = rule.recognise(use)
        if found is not None:
            return rule.code, found
    return None


def casts_of(facts: Facts) -> list[Cast]:
    """The casts of one scope, in the order of the text."""
    candidates = cast_candidates(facts.tree).get(facts.scope, [])
    found = [recognise_cast(call, facts) for call in candidates]
    return [cast for cast in found if cast is not None]


def flow_of(code: str, scope: str | None = None) -> tuple[Flow, Facts]:
    """The flow of the first cast of a snippet that begins with the usual imports."""
    facts = facts_of(IMPORTS + dedent(code), scope)
    cast = casts_of(facts)[0]
    return follow(cast, facts, read_directives(facts.source), recognise), facts


def reads_of(code: str, scope: str | None = None) -> list[str]:
    """The reads of the first cast's copy, as `kind: consumer`."""
    flow, facts = flow_of(code, scope)
    return [f"{r.kind.name.lower()}: {_shown(r.node, facts)}" for r in flow.reads]


def _shown(node: ast.AST, facts: Facts) -> str:
    if isinstance(node, ast.expr | ast.stmt):
        return " ".join(facts.text(node).split())
    return type(node).__name__
