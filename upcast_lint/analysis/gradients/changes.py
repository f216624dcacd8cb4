"""What sets the gradient mode of a scope by something else than a `with`.

Terms
-----
change
    A node at which the mode may become another one: `torch.set_grad_enabled(False)`, a
    manager that is entered by hand, a call of a function of the file that does so.

What is known harmless: a call that neither names a setter of the mode, nor enters or
leaves a manager, nor reaches a function of the file that may. Code of other files is
taken to give back the mode in which it was called.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .. import ops
from ..facts import Facts
from ..ops import Role
from ..parents import children
from ..syntax import Tree
from ..words import words

_FUNCTIONS = words(
    """
    set_grad_enabled _set_grad_enabled _enter_inference_mode _exit_inference_mode
    _InferenceMode _AutoDispatchBelowAutograd
    """
)
"""Whatever is made of these, the mode is another one at once."""

_ENTERING = words(
    "__enter__ __exit__ __aenter__ __aexit__ enter_context enter_async_context"
)
_LEAVING = words("close aclose pop_all")
"""Methods of an exit stack that leave what was entered through it."""

_MARKS = ("grad", "inference", "Inference", "enter", "__exit__", "AutoDispatch")


@dataclass(frozen=True, slots=True)
class Changers:
    """The functions, methods and classes of a file that may leave the mode changed."""

    names: frozenset[str]
    generators: frozenset[str]
    """Those that yield in a region: each step of them may change the mode."""
    is_loose: bool
    """One of them is kept where any call may reach it, such as in a dictionary."""


def mode_changes(facts: Facts) -> list[ast.expr]:
    """The nodes of a scope at which the gradient mode may change."""
    if not any(map(facts.source.has, _MARKS)):
        return []
    changers = facts.tree.once_with(facts.tree.module, _changers)
    found: list[ast.expr] = []
    mentions: list[ast.Name | ast.Attribute] = [
        *facts.nodes(ast.Name),
        *facts.nodes(ast.Attribute),
    ]
    is_held = changers.is_loose or any(
        each.value in _FUNCTIONS for each in facts.nodes(ast.Constant)
    )
    for node in mentions:
        if not isinstance(node.ctx, ast.Load):
            continue
        word = _word(node)
        if word in changers.names or _sets(node, facts):
            found.append(_acting(node, facts))
            is_held |= facts.tree.called_by(node) is None or word in changers.generators
    # What a name holds, or a generator goes on with, may run at any call.
    return list(facts.nodes(ast.Call)) if is_held else found


def _acting(node: ast.expr, facts: Facts) -> ast.expr:
    """The outermost call that a mention of a setter is a part of."""
    acting = node
    for parent in facts.tree.ancestors(node):
        if not isinstance(parent, ast.Call | ast.Attribute | ast.keyword):
            break
        if isinstance(parent, ast.Call):
            acting = parent
    return acting


def _word(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _sets(node: ast.Name | ast.Attribute, facts: Facts) -> bool:
    """Whether a mention of a name sets the mode, or may."""
    tree, word = facts.tree, _word(node)
    parent = tree.parents[node]
    dotted = (facts.resolve(node) or "").rpartition(".")[2]
    if word in _FUNCTIONS or dotted in _FUNCTIONS:
        if isinstance(parent, ast.Call) and parent.func is node:
            holder = tree.parents[parent]
            return not isinstance(holder, ast.withitem) and not _decorates(
                parent, facts
            )
        return not _decorates(node, facts)
    if not isinstance(node, ast.Attribute) or not isinstance(parent, ast.Call):
        return False
    if parent.func is not node:
        return False
    if word in _ENTERING:
        return not _enters_harmless(word, parent, facts)
    return word in _LEAVING and facts.source.has("ExitStack")


def _enters_harmless(word: str, call: ast.Call, facts: Facts) -> bool:
    from .modes import is_harmless_manager

    if word.startswith("enter"):
        return bool(call.args) and is_harmless_manager(call.args[0], facts)
    assert isinstance(call.func, ast.Attribute)
    return is_harmless_manager(call.func.value, facts)


def _decorates(node: ast.expr, facts: Facts) -> bool:
    parent = facts.tree.parents[node]
    return node in getattr(parent, "decorator_list", ())


def _changers(module: ast.Module, tree: Tree) -> Changers:
    """What may leave the mode changed: by itself, or by what it calls."""
    setters = _FUNCTIONS | {
        alias.asname
        for node in tree.everything()
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in _FUNCTIONS and alias.asname
    }
    mentioned: dict[str, set[str]] = {}
    generators: set[str] = set()
    for name, body in _bodies(tree):
        mentioned.setdefault(name, set()).update(_mentions(body))
        if _yields_in_region(body):
            generators.add(name)
    entering = {word for word in _ENTERING if not word.startswith("__a")}
    if "ExitStack" in _mentions(module):
        entering |= _LEAVING
    changing = generators | {
        name for name, words_ in mentioned.items() if words_ & (setters | entering)
    }
    grew = True
    while grew:
        more = {name for name, words_ in mentioned.items() if words_ & changing}
        grew = not more <= changing
        changing |= more
    is_loose = _is_loose(tree, changing, setters)
    return Changers(frozenset(changing), frozenset(generators), is_loose)


def _is_loose(tree: Tree, changing: set[str], setters: frozenset[str]) -> bool:
    """Whether a lambda without a name, or a name not called, may set the mode."""
    used: set[ast.AST] = set()
    for node in tree.everything():
        match node:
            case ast.Call(func=function):
                used.add(function)
            case ast.Assign(targets=[ast.Name()], value=ast.Lambda() as body):
                used.add(body)
            case ast.withitem(context_expr=manager):
                used.add(manager)
        used.update(getattr(node, "decorator_list", ()))
    return any(
        node not in used
        and (
            (isinstance(node, ast.Lambda) and bool(_mentions(node) & setters))
            or (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and node.id in changing
            )
        )
        for node in tree.everything()
    )


def _bodies(tree: Tree) -> Iterator[tuple[str, ast.AST]]:
    """The functions of a file by name; `__init__` by that of its class."""
    for node in tree.everything():
        match node:
            case ast.ClassDef():
                for each in node.body:
                    if isinstance(each, ast.FunctionDef) and each.name == "__init__":
                        yield node.name, each
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if not (name.startswith("__") and name.endswith("__")):
                    yield name, node
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as body):
                yield name, body


def _mentions(function: ast.AST) -> set[str]:
    """The words that a function reads, what a `with` enters and decorators aside."""
    found: set[str] = set()
    pending: list[ast.AST] = [function]
    while pending:
        node = pending.pop()
        match node:
            case ast.Name(id=word, ctx=ast.Load()) | ast.Attribute(attr=word):
                found.add(word)
            case ast.Constant(value=str() as word):
                found.add(word)
        aside = getattr(node, "decorator_list", ())
        pending += (
            child
            for child in children(node)
            if not isinstance(child, ast.withitem) and child not in aside
        )
    return found


def _yields_in_region(function: ast.AST) -> bool:
    """Whether a generator yields in a region of its own that sets the mode."""
    if any(
        "contextmanager" in ast.unparse(each)
        for each in getattr(function, "decorator_list", ())
    ):
        return False
    return any(
        isinstance(node, ast.With | ast.AsyncWith)
        and any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node))
        and any(
            word in ops.names_of(Role.MODE) | _FUNCTIONS
            for item in node.items
            for word in _mentions(item.context_expr)
        )
        for node in ast.walk(function)
    )
