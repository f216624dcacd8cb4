"""What the class around a scope assigns to its attributes."""

from __future__ import annotations

import ast

from ..classes import class_around
from ..facts import Facts
from ..graph.chains import names_of
from ..imports import Imports, scope_chain
from ..syntax import FunctionNode


def assigned_attribute(attribute: str, facts: Facts) -> tuple[ast.expr, Facts] | None:
    """What the class around assigns to `self.attribute`, if just once.

    The value comes with the facts of the method that assigns it.
    """
    made = assigned_values(attribute, facts)
    return made[0] if len(made) == 1 else None


def assigned_values(attribute: str, facts: Facts) -> list[tuple[ast.expr, Facts]]:
    """All that the class around assigns to `self.attribute`, each with its facts."""
    holder = class_around(facts.scope, facts.tree)
    if holder is None:
        return []
    return [
        (value, facts.once_at(method, _facts_of))
        for value, method in facts.tree.once(holder, _assigned).get(attribute, ())
    ]


def _assigned(holder: ast.ClassDef) -> dict[str, list[tuple[ast.expr, FunctionNode]]]:
    """What the methods of a class assign to each attribute."""
    found: dict[str, list[tuple[ast.expr, FunctionNode]]] = {}
    for method in holder.body:
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(method):
                match node:
                    case (
                        ast.Assign(
                            targets=[
                                ast.Attribute(value=ast.Name(id="self"), attr=name)
                            ],
                            value=value,
                        )
                        | ast.AnnAssign(
                            target=ast.Attribute(value=ast.Name(id="self"), attr=name),
                            value=ast.expr() as value,
                        )
                    ):
                        found.setdefault(name, []).append((value, method))
                    case ast.Call(
                        func=ast.Attribute(
                            value=ast.Name(id="self"),
                            attr="register_buffer" | "add_module" | "register_module",
                        ),
                        args=[ast.Constant(value=str(name)), value, *_],
                    ):
                        found.setdefault(name, []).append((value, method))
                    case _:
                        pass
    return found


def _facts_of(method: FunctionNode, facts: Facts) -> Facts:
    if method is facts.scope:
        return facts
    names = names_of(method, facts.tree)
    chain = set(scope_chain(facts.tree, method))
    outer = [each for each in facts.imports.outer if each.scope in chain]
    imports = Imports(facts.tree, names, outer)
    return Facts(facts.source, facts.tree, method, names, imports)
