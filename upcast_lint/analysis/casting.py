"""Functions of a file that may only cast: `def up(x): return x.float()`."""

from __future__ import annotations

import ast

from . import ops


def casting_functions(module: ast.Module) -> dict[str, ast.Call]:
    """The functions of a module that may only cast, with what they return."""
    found: dict[str, ast.Call] = {}
    for function in module.body:
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            continue
        body = function.body[1:] if ast.get_docstring(function) else function.body
        match function.args, body:
            case (
                ast.arguments(
                    args=[parameter],
                    vararg=None,
                    kwonlyargs=[],
                    kwarg=None,
                    defaults=[],
                ),
                [ast.Return(value=ast.Call(func=ast.Attribute() as method) as call)],
            ) if method.attr in ops.casts() and not function.args.posonlyargs:
                source = call.args[0] if call.args else None
                names = {getattr(each, "id", "") for each in (method.value, source)}
                if parameter.arg in names:
                    found[function.name] = call
            case _:
                pass
    return found
