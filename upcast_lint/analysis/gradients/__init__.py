"""Proofs that no gradient flows from a selection to the source of its cast.

Terms
-----
free
    A tensor that carries no gradient: detached, of integers, or computed where
    gradients are disabled, and not written to since.
computed
    Made anew rather than passed on. Under `no_grad`, `y = x`, `y = x[:, -1]` and
    `y = x.to(device)` still carry the gradient of `x`; `y = x + 1` does not.

Limits: a call of unknown code in a disabled region is taken to compute what it returns,
and the attributes of that, unless its name says that it may pass something on
(`get_…`, `dropout`, `all_gather`) or makes an object (`Linear`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from .. import ops
from ..definition_guard import Guard
from ..directives import Directives
from ..facts import Facts
from ..indices.masks import is_mask
from ..indices.once import Proof
from ..names import Binding, Definition
from ..ops import Role
from ..scalars import Operand, classify_operand
from ..stability import is_rebound_inside, is_stable
from ..tensor_calls import tensor_call, torch_function
from ..values import truth
from ..words import words
from .modes import GradientMode, gradient_mode, leaves_disabled_region

__all__ = [
    "GradientMode",
    "gradient_mode",
    "leaves_disabled_region",
    "no_gradient",
]

_CONTAINERS = words(
    """
    append backward copy count debug endswith error extend format get index info items
    join keys lower register_hook startswith strip update upper values warning
    """
)
_GIVERS = words(
    """
    get pop next fetch load lookup identity noop drop dropout parameter parameters
    buffer buffers weight weights state named deepcopy copy wrap unwrap cache cached
    read take all gather reduce scatter broadcast shard unshard sync constrain
    checkpoint maybe cast to move prepare pad unpad remove slice select split chunk
    view reshape squeeze compile
    """
)
"""Words of callees that may give a tensor, or an object, that was there before."""


def no_gradient(
    cast_node: ast.expr,
    source: ast.expr,
    reads: Sequence[ast.AST],
    facts: Facts,
    directives: Directives,
    inference: bool,
) -> Proof | None:
    """The proof that no gradient reaches `source` through a cast and its reads.

    `inference`: the configuration says so of the file.
    """
    if inference:
        return Proof("the configuration says that no gradient flows", stated=True)
    nodes = (cast_node, *reads)
    if directives.states_no_grad(nodes, facts):
        return Proof("stated: no-grad", stated=True)
    if all(gradient_mode(node, facts) is GradientMode.DISABLED for node in nodes):
        return Proof("gradients are disabled at the cast and at every read")
    if _Freedom(facts, cast_node).is_free(source):
        return Proof(f"`{facts.text(source)}` carries no gradient")
    return None


@dataclass(slots=True)
class _Freedom:
    """Whether expressions, as they are at a cast, carry no gradient."""

    facts: Facts
    cast: ast.AST
    _guard: Guard = field(default_factory=Guard)

    def is_free(self, node: ast.expr) -> bool:
        match node:
            case ast.Name():
                return self._is_free_name(node)
            case ast.Attribute(value=base, attr="data"):
                return classify_operand(base, self.facts) is Operand.TENSOR
            case ast.Attribute(value=base, attr=name):
                is_kept = ops.is_view(name) or not _gives(name)
                return is_kept and self.is_free(base)
            case ast.Subscript(value=base):
                return self.is_free(base)
            case ast.NamedExpr(value=value) | ast.UnaryOp(operand=value):
                return self.is_free(value)
            case ast.BinOp(left=left, right=right):
                return self._are_free((left, right))
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_free(body) and self.is_free(orelse)
            case ast.Compare():
                return is_mask(node, self.facts) is True
            case ast.Call():
                return self._is_free_call(node)
            case _:
                return False

    def _are_free(self, operands: Sequence[ast.expr]) -> bool:
        return all(
            classify_operand(operand, self.facts) is Operand.NUMBER
            or self.is_free(operand)
            for operand in operands
        )

    def _is_free_call(self, node: ast.Call) -> bool:
        if _requires(node):
            return False
        dotted = torch_function(node, self.facts)
        made = None if dotted is None else ops.function(dotted)
        if made is not None and made.role in (Role.FACTORY, Role.LIKE):
            return all(keyword.arg is not None for keyword in node.keywords)
        call = tensor_call(node, self.facts)
        operation = None if call is None else ops.tensor(call.name)
        if call is None or operation is None or operation.writes:
            return False
        if operation.cuts_gradient:
            return True
        others = (*call.positional, *call.keywords.values())
        if operation.passes_on:
            return self.is_free(call.tensor)
        return self._are_free((call.tensor, *others))

    def _is_free_name(self, node: ast.Name) -> bool:
        facts = self.facts
        reaching = facts.names.of(node)
        if all(map(self._guard.holds, reaching)):
            return False
        if not all(map(self._is_free_definition, reaching)):
            return False
        return (
            is_stable(node, self.cast, facts)
            and not is_rebound_inside(node.id, facts)
            and node.id not in facts.once(_made_to_require)
        )

    def _is_free_definition(self, definition: Definition) -> bool:
        if self._guard.holds(definition):
            return True  # free if it was, one round before
        return self._guard.within(definition, self._binds_free, False)

    def _binds_free(self, definition: Definition) -> bool:
        value = definition.value
        if value is None:
            return False
        if definition.binding is Binding.ASSIGNED and self.is_free(value):
            return True
        if definition.binding not in (Binding.ASSIGNED, Binding.UNPACKED):
            return False
        mode = gradient_mode(definition.node, self.facts)
        return mode is GradientMode.DISABLED and self._is_computed(value)

    def _is_computed(self, node: ast.expr) -> bool:
        """Whether an expression in a disabled region gives no tensor from outside."""
        match node:
            case ast.BinOp() | ast.Compare():
                return True
            case ast.Attribute(value=base, attr=name):
                is_kept = ops.is_view(name) or not _gives(name)
                return is_kept and self._is_computed(base)
            case ast.Subscript(value=base):
                return self._is_computed(base)
            case ast.IfExp(body=body, orelse=orelse):
                return self._is_computed(body) and self._is_computed(orelse)
            case ast.Call():
                return self._computes(node)
            case _:
                return self.is_free(node)

    def _computes(self, node: ast.Call) -> bool:
        function = node.func
        if _requires(node) or not isinstance(function, ast.Attribute | ast.Name):
            return False
        name = function.attr if isinstance(function, ast.Attribute) else function.id
        call = tensor_call(node, self.facts)
        operation = None if call is None else ops.tensor(call.name)
        is_own = name.endswith("_") and not name.endswith("__")
        if operation is not None and not (operation.writes or operation.may_share):
            return True
        if _gives(name) or ops.builtin(name) is not None or name in _CONTAINERS:
            return False
        if operation is not None or is_own:
            return call is not None and self._is_computed(call.tensor)
        return True


def _requires(node: ast.Call) -> bool:
    """Whether a call asks for a result with gradients."""
    return any(
        keyword.arg == "requires_grad" and truth(keyword.value) is not False
        for keyword in node.keywords
    )


def _gives(name: str) -> bool:
    """Whether a callee's name says that it passes on or makes what has gradients."""
    if name[:1].isupper():
        return True
    return any(word in _GIVERS for word in name.lower().split("_"))


def _made_to_require(facts: Facts) -> set[str]:
    """The names of which the scope sets `name.requires_grad`."""
    return {
        node.value.id
        for node in facts.nodes(ast.Attribute)
        if node.attr == "requires_grad"
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
    }
