"""Where a file calls its own functions, and what they take for which argument.

Limits: calls by other files are not seen. A method is taken to be called wherever its
name is called on `self` or on an unknown object; `forward` and `__call__` also where an
instance of the class is called. A function that is handed on is called by unknown code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .classes import classes_of
from .facts import Facts
from .names import Binding, Definition
from .syntax import FUNCTIONS, FunctionNode, Tree
from .tensor_calls import is_builtin

Function = FunctionNode | ast.Lambda
Reference = ast.Name | ast.Attribute
References = dict[str, list[Reference]]

_INSTANCES = ("self", "cls")
_CALLED_AS_INSTANCE = ("forward", "__call__")
_PROPERTIES = ("property", "cached_property")


def references(_: ast.Module, tree: Tree) -> References:
    """The names and attributes that a module reads, by their last word."""
    found: References = {}
    for node in tree.everything():
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(
            node.ctx, ast.Load
        ):
            word = node.id if isinstance(node, ast.Name) else node.attr
            found.setdefault(word, []).append(node)
    return found


def parameter_for(
    argument: ast.expr, call: ast.Call, facts: Facts
) -> tuple[Function, ast.arg] | None:
    """The function of the file that a call calls, and what it names an argument.

    None where either is not certain: a decorated function is another one.
    """
    function = called_function(call.func, facts)
    return None if function is None else bound_parameter(argument, call, function, 0)


def own_method_for(
    argument: ast.expr, call: ast.Call, facts: Facts
) -> tuple[Function, ast.arg] | None:
    """The same for `self.method(…)`, if the class around defines the method.

    Of a subclass it may be another one.
    """
    match call.func:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            holder = facts.tree.parents.get(facts.scope)
        case _:
            return None
    if not isinstance(holder, ast.ClassDef):
        return None
    found = [
        each
        for each in holder.body
        if isinstance(each, ast.FunctionDef) and each.name == name
    ]
    if len(found) != 1 or found[0].decorator_list:
        return None
    return bound_parameter(argument, call, found[0], 1)


def bound_parameter(
    argument: ast.expr, call: ast.Call, function: Function, skipped: int
) -> tuple[Function, ast.arg] | None:
    """What a function names an argument, its first `skipped` parameters left out."""
    given = function.args
    for keyword in call.keywords:
        if keyword.value is argument:
            named = [*given.args, *given.kwonlyargs]
            return next(((function, a) for a in named if a.arg == keyword.arg), None)
    positional = [*given.posonlyargs, *given.args][skipped:]
    for place, each in enumerate(call.args[: len(positional)]):
        if isinstance(each, ast.Starred):
            return None
        if each is argument:
            return function, positional[place]
    return None


def called_function(node: ast.expr, facts: Facts) -> Function | None:
    """The function of the file that a name stands for, without a decorator."""
    only = only_definition(node, facts) if isinstance(node, ast.Name) else None
    if only is None:
        return None
    made = only.value if isinstance(only.value, ast.Lambda) else only.node
    if not isinstance(made, FUNCTIONS):
        return None
    return None if getattr(made, "decorator_list", ()) else made


def only_definition(node: ast.Name, facts: Facts) -> Definition | None:
    """The one binding of the file that a name can be, wherever that stands.

    None for the scope itself: what a recursion makes of a value is not known yet.
    """
    found = facts.names.of(node)
    if not all(each.binding is Binding.FREE for each in found):
        return facts.names.only(node)
    outer = facts.outer(node.id)
    return None if outer is None or outer.node is facts.scope else outer


def results_of(function: Function, facts: Facts) -> Iterator[ast.expr | None]:
    """The expressions that give what a function returns; None for one out of sight."""
    if isinstance(function, ast.Lambda):
        yield from _results_of_lambda(function, facts)
        return
    holder = facts.tree.parents.get(function)
    known = facts.tree.once_with(facts.tree.module, references)
    found = known.get(function.name, [])
    decorators = [_last(each) for each in function.decorator_list]
    if not facts.tree.once_with(facts.tree.module, _defined).isdisjoint(decorators):
        yield None
    if not isinstance(holder, ast.ClassDef):
        for node in found:
            if isinstance(node, ast.Name) and _may_mean(node, function, facts):
                yield from _call_of(node, facts)
        return
    if any(each in _PROPERTIES for each in decorators):
        yield from (node for node in found if isinstance(node, ast.Attribute))
        return
    is_instance = function.name in _CALLED_AS_INSTANCE
    for node in found:
        if isinstance(node, ast.Name):
            continue
        is_own = _is_own(node.value, holder)
        is_called = facts.tree.called_by(node) is not None
        if is_own or (is_called and not is_instance):
            yield from _call_of(node, facts)
    if is_instance:
        yield from _calls_of_instances(holder, known, facts)


def _results_of_lambda(function: ast.Lambda, facts: Facts) -> Iterator[ast.expr | None]:
    holder = facts.tree.parents[function]
    if isinstance(holder, ast.Call) and holder.func is function:
        yield holder
    elif isinstance(holder, ast.Call | ast.keyword):
        yield None
    elif isinstance(holder, ast.Assign | ast.AnnAssign):
        targets = getattr(holder, "targets", None) or [getattr(holder, "target", None)]
        known = facts.tree.once_with(facts.tree.module, references)
        for target in targets:
            for node in known.get(_last(target), []):
                yield from _call_of(node, facts)


def _call_of(node: Reference, facts: Facts) -> Iterator[ast.expr | None]:
    """The call of a function where it is named; None where it is handed on."""
    parent, call = facts.tree.parents.get(node), facts.tree.called_by(node)
    if call is not None:
        outer = facts.tree.parents.get(call)
        yield outer if isinstance(outer, ast.Await) else call
    elif isinstance(parent, ast.Call) and _looks(parent, facts):
        return
    elif not isinstance(parent, ast.Compare):
        yield None


def _looks(call: ast.Call, facts: Facts) -> bool:
    """Whether a call only looks at a function."""
    return any(
        is_builtin(call.func, name, facts)
        for name in ("hasattr", "callable", "id", "isinstance", "print")
    )


def _calls_of_instances(
    holder: ast.ClassDef, known: References, facts: Facts
) -> Iterator[ast.expr | None]:
    """Calls of what is made by a class or its subclasses: `C()(x)`, `m = C(); m(x)`.

    None for an instance that is handed on, or comes from a function that is named.
    """
    parents = facts.tree.parents
    for node in (n for name in _family(holder, facts) for n in known.get(name, ())):
        made: ast.AST = parents[node]
        if not (isinstance(made, ast.Call) and made.func is node):
            continue
        user = parents[made]
        while isinstance(user, ast.Attribute):  # `C().eval()`
            made = parents[user]
            user = parents[made]
        match user:
            case ast.Call(func=function) if function is made:
                yield user
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
                for each in known.get(_last(target), []):
                    call = facts.tree.called_by(each)
                    if call is not None:
                        yield call
            case ast.Return():
                if getattr(facts.tree.scope(user), "name", "") in known:
                    yield None
            case ast.Expr():
                pass
            case _:
                yield None


def _family(holder: ast.ClassDef, facts: Facts) -> set[str]:
    """The names of a class and of those that derive from it in the file."""
    found = {holder.name}
    bases = facts.tree.once_with(facts.tree.module, _bases)
    grew = True
    while grew:
        more = {name for name, of in bases.items() if of & found}
        grew = not more <= found
        found |= more
    return found


def _bases(module: ast.Module, tree: Tree) -> dict[str, set[str]]:
    """The classes of a module with the names of what they derive from."""
    return {
        each.name: {_last(base) for base in each.bases}
        for each in tree.once_with(module, classes_of)
    }


def _is_own(receiver: ast.expr, holder: ast.ClassDef) -> bool:
    match receiver:
        case ast.Name(id=name):
            return name in _INSTANCES or name == holder.name
        case ast.Call(func=ast.Name(id="super")):
            return True
        case _:
            return False


def _may_mean(node: ast.Name, function: FunctionNode, facts: Facts) -> bool:
    """Whether a name may stand for a function, and is not bound in its own scope."""
    scope = facts.tree.scope(node)
    if scope is facts.tree.scope(function):
        return True
    if isinstance(scope, FUNCTIONS):
        bound = {*_bound_in(scope)}
        return node.id not in bound
    return True


def _defined(_: ast.Module, tree: Tree) -> set[str]:
    """The names of the functions and classes of a module."""
    return {
        node.name
        for node in tree.everything()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def _bound_in(scope: Function) -> Iterator[str]:
    given = scope.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    yield from (each.arg for each in every)
    for each in ast.walk(scope):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


def _last(node: ast.expr | None) -> str:
    """The last word of a chain of names; of what a call calls."""
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word):
            return word
        case ast.Call(func=function):
            return _last(function)
        case _:
            return ""
