"""Uses for which it matters that a tensor is one certain node of the graph of backward.

`torch.autograd.grad(loss, w)` asks for the gradient at `w` of what was made from `w`.
Another cast of the same source is another node: with it in place of `w` the call
raises, and a hook on it sees a part of the gradient alone.
"""

from __future__ import annotations

import ast

from .facts import Facts
from .words import words

_METHODS = words(
    """
    grad grad_fn retain_grad retains_grad register_hook is_leaf output_nr
    register_post_accumulate_grad_hook _backward_hooks
    """
)


def names_in_gradient(node: ast.expr, facts: Facts) -> bool:
    """Whether what takes a tensor asks for gradients at it, or watches them."""
    parent = facts.tree.parents[node]
    while isinstance(parent, ast.Tuple | ast.List | ast.Starred | ast.keyword):
        parent = facts.tree.parents[parent]
    match parent:
        case ast.Attribute(attr=name):
            return name in _METHODS
        case ast.Call(func=ast.Attribute(attr="backward")):
            return any(keyword.arg == "inputs" for keyword in parent.keywords)
        case ast.Call(func=function):
            dotted = facts.resolve(function) or ""
            return dotted.startswith(("torch.autograd.", "torch.func."))
        case _:
            return False
