"""Classes of the file with a `float()` or a `to(…)` of their own.

Such a method may do anything, and what it gives may be read in any way.

A class whose cast gives an object of the same class back counts where that can be read
as the copy is: where it defines `__getitem__`, or the method that selects.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .casts import Cast
from .classes import classes_of, methods_of
from .exceptions import is_evidently_tensor
from .facts import Facts
from .flow import Read
from .syntax import Tree, walk_scope


@dataclass(frozen=True, slots=True)
class OtherClass:
    """What a source may be instead of a tensor; `is_evident`: the code says so."""

    name: str
    is_evident: bool


def other_of_cast(cast: Cast, reads: Sequence[Read], facts: Facts) -> OtherClass | None:
    """The class of the file whose method a cast may call."""
    function = cast.call.func
    if not isinstance(function, ast.Attribute) or facts.resolve(function) is not None:
        return None
    classes = facts.tree.once_with(facts.tree.module, _classes)
    found = [
        each
        for each in classes.get(function.attr, ())
        if _gives_else(each, function.attr) or _selects(each, reads)
    ]
    if not found or is_evidently_tensor(cast, facts):
        return None
    for each in found:
        if _is_evident(each, cast.source, facts):
            return OtherClass(each.name, True)
    if isinstance(cast.source, ast.Name) and cast.source.id == "self":
        return None  # of another class
    return OtherClass(found[0].name, False)


def _classes(module: ast.Module, tree: Tree) -> dict[str, list[ast.ClassDef]]:
    """The classes of a file by the names of their methods."""
    found: dict[str, list[ast.ClassDef]] = {}
    for holder in tree.once_with(module, classes_of):
        for name in methods_of(holder):
            found.setdefault(name, []).append(holder)
    return found


def _gives_else(node: ast.ClassDef, name: str) -> bool:
    """Whether a cast gives something else than an object of the class."""
    returned = [
        part.value
        for part in walk_scope(methods_of(node)[name])
        if isinstance(part, ast.Return) and part.value is not None
    ]
    return not all(_is_itself(value, node.name, name) for value in returned)


def _is_itself(value: ast.expr, class_name: str, method: str) -> bool:
    """`self`, `super().to(…)`, `type(self)(…)`, `Name(…)`, `replace(self, …)`."""
    match value:
        case ast.Name(id="self"):
            return True
        case ast.Call(func=ast.Name(id=name)) if name == class_name:
            return True
        case ast.Call(func=ast.Attribute(attr=name, value=ast.Call(func=called))):
            return name == method and getattr(called, "id", "") == "super"
        case ast.Call(func=ast.Call(func=ast.Name(id="type"))):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr="__class__")):
            return True
        case ast.Call(args=[ast.Name(id="self"), *_]):
            return True
        case _:
            return False


def _selects(node: ast.ClassDef, reads: Sequence[Read]) -> bool:
    """Whether an object of a class can be read as a copy is."""
    methods = methods_of(node)
    return any(
        _method_of(read.selection.node) in methods
        for read in reads
        if read.selection is not None
    )


def _method_of(node: ast.AST) -> str:
    match node:
        case ast.Subscript():
            return "__getitem__"
        case ast.Call(func=ast.Attribute(attr=name)):
            return name
        case _:
            return "__iter__"


def _is_evident(node: ast.ClassDef, source: ast.expr, facts: Facts) -> bool:
    """Whether a source is an object of a class, by annotation, making or `self`."""
    match facts.value(source):
        case ast.Call(func=ast.Name(id=name)):
            return name == node.name
        case ast.Name(id="self"):
            return facts.scope in node.body
        case ast.Name() as name:
            definition = facts.definition(name)
            annotation = None if definition is None else definition.annotation
            return annotation is not None and bool(
                re.search(rf"\b{node.name}\b", facts.text(annotation))
            )
        case _:
            return False
