"""Where gradients are recorded: regions of `no_grad` and its like.

Terms
-----
region
    The body of a `with` that sets, or may set, the gradient mode; or a function that
    a decorator wraps.

Limits: the mode belongs to a thread and to a moment. Around a `yield` or `await`
others can change it; a coroutine runs outside of its decorator; a generator
expression runs where it is consumed; the body of a function runs where it is called.
In these cases, and under an unknown context manager or decorator, the mode is unknown.
What else than a `with` may set the mode, `changes.py` says.
`backward` of an `autograd.Function` records gradients under `create_graph=True`, so
only `once_differentiable` disables it.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from .. import ops
from ..facts import Facts
from ..graph import Begin
from ..graph.order import SUSPENSIONS, may_run_between
from ..imports import Imports
from ..ops import Role
from ..syntax import FUNCTIONS, SCOPES, FunctionNode
from ..values import truth
from ..words import words
from .changes import mode_changes


class GradientMode(enum.Enum):
    ENABLED = enum.auto()
    """Recorded, unless the caller disables it."""
    DISABLED = enum.auto()
    UNKNOWN = enum.auto()


_MODULES = words("torch torch.autograd torch.autograd.grad_mode")
_HARMLESS_PREFIXES = (
    "torch.autocast",
    "torch.amp.",
    "torch.cuda.",
    "torch.profiler.",
    "torch.autograd.profiler.",
    "torch.device",
    "torch.random.",
    "torch.nn.attention.",
    "threading.",
    "warnings.",
)
_HARMLESS = words("contextlib.nullcontext contextlib.suppress open")
_HARMLESS_DECORATORS = words(
    "staticmethod classmethod property override abstractmethod"
)
_HARMLESS_MODULES = ("torch.", "functools.", "typing.", "abc.")
_FUNCTION_CLASSES = words("torch.autograd.Function torch.autograd.function.Function")
_ONCE = "torch.autograd.function.once_differentiable"


def gradient_mode(node: ast.AST, facts: Facts) -> GradientMode:
    """The mode in which a node of this scope is evaluated."""
    if facts.tree.scope(node) is not facts.scope:
        return GradientMode.UNKNOWN
    if _runs_later(node, facts.scope, facts):
        return GradientMode.UNKNOWN
    bare = facts.once(mode_changes)
    for region, mode in _regions(node, facts):
        start = Begin(region.body[0])
        if _is_suspended(region, facts) or any(
            may_run_between(start, setter, node, facts) for setter in bare
        ):
            return GradientMode.UNKNOWN
        return mode
    return GradientMode.UNKNOWN if bare else _mode_of_function(facts)


def leaves_disabled_region(cast: ast.AST, read: ast.AST, facts: Facts) -> bool:
    """Whether gradients are, or may be, disabled at the cast but not at the read.

    Then no gradient flows through the copy, but one would through a cast at the read.
    """
    tree = facts.tree
    is_elsewhere = tree.scope(read) is not facts.scope
    bare = facts.once(mode_changes)
    for region, mode in _regions(cast, facts):
        if mode is GradientMode.ENABLED and not bare:
            return False
        is_inside = tree.index_in(region.body, read) is not None
        if not is_inside or is_elsewhere or _runs_later(read, region, facts):
            return True
    if any(may_run_between(cast, setter, read, facts) for setter in bare):
        return True
    if _mode_of_function(facts) is GradientMode.ENABLED and not bare:
        return False
    return is_elsewhere or _runs_later(read, facts.scope, facts)


def enters_enabled_region(cast: ast.AST, read: ast.AST, facts: Facts) -> bool:
    """Whether gradients may be on at the read alone, by the region around it."""
    if gradient_mode(cast, facts) is GradientMode.ENABLED:
        return False
    for region, mode in _regions(read, facts):
        is_alone = facts.tree.index_in(region.body, cast) is None
        return is_alone and mode is not GradientMode.DISABLED
    return False


def enters_disabled_region(cast: ast.AST, read: ast.AST, facts: Facts) -> bool:
    """Whether gradients are, or may be, disabled at the read but not at the cast."""
    for region, mode in _regions(read, facts):
        if mode is GradientMode.ENABLED:
            return False
        if facts.tree.index_in(region.body, cast) is None:
            return True
    bare = facts.once(mode_changes)
    return any(may_run_between(cast, setter, read, facts) for setter in bare)


def enters_inference(cast: ast.AST, read: ast.AST, facts: Facts) -> bool:
    """Whether a read is, or may be, in inference mode, and a cast outside of it.

    What is computed there cannot be saved for a backward pass later.
    """
    tree = facts.tree
    for region, _ in _regions(read, facts):
        if tree.index_in(region.body, cast) is not None:
            continue
        for item in region.items:
            if _may_infer(item.context_expr, facts):
                return True
    return any(
        may_run_between(cast, change, read, facts)
        for change in facts.once(mode_changes)
        if not (
            isinstance(change, ast.Call)
            and setter_of(change.func, facts) == "set_grad_enabled"
        )
    )


def _may_infer(manager: ast.expr, facts: Facts) -> bool:
    value = facts.value(manager)
    setter = setter_of(value.func, facts) if isinstance(value, ast.Call) else None
    if setter is not None and setter != "inference_mode":
        return False
    mode = _mode_of_manager(manager, facts)
    return mode is not None and mode is not GradientMode.ENABLED


def _regions(
    node: ast.AST, facts: Facts
) -> Iterator[tuple[ast.With | ast.AsyncWith, GradientMode]]:
    """The regions around a node in its scope, innermost first."""
    child = node
    for parent in facts.tree.ancestors(node):
        if isinstance(parent, ast.With | ast.AsyncWith) and isinstance(child, ast.stmt):
            for item in reversed(parent.items):
                mode = _mode_of_manager(item.context_expr, facts)
                if mode is not None:
                    yield parent, mode
                    break
        if isinstance(parent, SCOPES):
            return
        child = parent


def _mode_of_manager(node: ast.expr, facts: Facts) -> GradientMode | None:
    """The mode that a context manager sets; None if it sets none."""
    value = facts.value(node)
    if isinstance(value, ast.Call):
        setter = setter_of(value.func, facts)
        if setter is not None:
            return _mode_of_setter(setter, value)
        dotted = facts.resolve(value.func) or _plain_name(value.func)
        if dotted in _HARMLESS or dotted.startswith(_HARMLESS_PREFIXES):
            return None
    return GradientMode.UNKNOWN


def is_harmless_manager(node: ast.expr, facts: Facts) -> bool:
    """Whether a context manager is known to leave the mode alone."""
    return _mode_of_manager(node, facts) is None


def setter_of(function: ast.expr, facts: Facts) -> str | None:
    """Which of the classes that set the mode an expression names, if one."""
    module, _, name = (facts.resolve(function) or "").rpartition(".")
    return name if name in ops.names_of(Role.MODE) and module in _MODULES else None


def _mode_of_setter(setter: str, call: ast.Call) -> GradientMode:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    match setter, given:
        case "no_grad", []:
            return GradientMode.DISABLED
        case "enable_grad", []:
            return GradientMode.ENABLED
        case "inference_mode", []:
            return GradientMode.DISABLED
        case "inference_mode", [flag] if truth(flag) is not None:
            return GradientMode.DISABLED if truth(flag) else GradientMode.ENABLED
        case "set_grad_enabled", [flag] if truth(flag) is not None:
            return GradientMode.ENABLED if truth(flag) else GradientMode.DISABLED
        case _:
            return GradientMode.UNKNOWN


def _plain_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _mode_of_function(facts: Facts) -> GradientMode:
    """The mode in which the body of the scope's own function starts."""
    function = facts.scope
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return GradientMode.ENABLED
    if _is_disabled_by_autograd(function, facts):
        return GradientMode.DISABLED
    for decorator in reversed(function.decorator_list):
        mode = _mode_of_decorator(decorator, facts)
        if mode is not None:
            is_coroutine = isinstance(function, ast.AsyncFunctionDef)
            return GradientMode.UNKNOWN if is_coroutine else mode
    return GradientMode.ENABLED


def _mode_of_decorator(node: ast.expr, facts: Facts) -> GradientMode | None:
    """The mode in which a decorator runs a function; None if it leaves it alone."""
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    dotted = _resolve_outside(call.func, facts, 0)
    module, _, name = dotted.rpartition(".")
    if name in ops.names_of(Role.MODE) and module in _MODULES:
        return _mode_of_setter(name, call)
    is_harmless = dotted in _HARMLESS_DECORATORS or dotted.startswith(_HARMLESS_MODULES)
    return None if is_harmless else GradientMode.UNKNOWN


def _resolve_outside(node: ast.expr, facts: Facts, level: int) -> str:
    """What an expression of a scope around this one stands for, or its plain name."""
    around = facts.imports.outer[level:]
    found = Imports(facts.tree, around[0], around[1:]).resolve(node)
    return found or _plain_name(node)


def _is_disabled_by_autograd(function: FunctionNode, facts: Facts) -> bool:
    """Whether a function is a part of an `autograd.Function` that records nothing."""
    holder = facts.tree.parents.get(function)
    if not isinstance(holder, ast.ClassDef):
        return False
    bases = {_resolve_outside(base, facts, 1) for base in holder.bases}
    decorators = {_resolve_outside(d, facts, 0) for d in function.decorator_list}
    if not bases & _FUNCTION_CLASSES or "staticmethod" not in decorators:
        return False
    if function.name == "forward":
        return not facts.source.has(f"{holder.name}.forward")
    return function.name == "backward" and _ONCE in decorators


def _is_suspended(region: ast.AST, facts: Facts) -> bool:
    """Whether the function can be suspended inside a region."""
    return any(
        facts.tree.contains(region, node)
        for kind in SUSPENSIONS
        for node in facts.nodes(kind)
    )


def _runs_later(node: ast.AST, holder: ast.AST, facts: Facts) -> bool:
    """Whether a node below `holder` is evaluated only when something is called."""
    child = node
    for parent in facts.tree.ancestors(node):
        if parent is holder:
            return False
        if isinstance(parent, ast.GeneratorExp) and child is not parent.generators[0]:
            return True
        if isinstance(parent, FUNCTIONS):
            return True
        child = parent
    return False
