"""The classes of a file, and what they define."""

from __future__ import annotations

import ast

from .syntax import FunctionNode, Tree


def classes_of(_: ast.Module, tree: Tree) -> list[ast.ClassDef]:
    """All classes of a file, wherever they stand; ask for them by `Tree.once_with`."""
    return [node for node in tree.everything() if isinstance(node, ast.ClassDef)]


def class_around(node: ast.AST, tree: Tree) -> ast.ClassDef | None:
    """The innermost class that a node stands in."""
    around = (each for each in tree.ancestors(node) if isinstance(each, ast.ClassDef))
    return next(around, None)


def methods_of(holder: ast.ClassDef) -> dict[str, FunctionNode]:
    return {
        each.name: each
        for each in holder.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def method_names(module: ast.Module, tree: Tree) -> frozenset[str]:
    """The names of the methods of all classes of a file, defined or assigned."""
    found: set[str] = set()
    for holder in tree.once_with(module, classes_of):
        found.update(methods_of(holder))
        for node in holder.body:
            match node:
                case ast.Assign(targets=targets):
                    found |= {each.id for each in targets if isinstance(each, ast.Name)}
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                    found.add(name)
                case _:
                    pass
    return frozenset(found)
