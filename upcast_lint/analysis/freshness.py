"""Whether a tensor was made in the function that holds it, in memory of its own.

Limits: what torch is asked for with a name of unknown code is not known to be fresh;
nor is what a name may be that more than one scope binds.
"""

from __future__ import annotations

import ast

from . import ops
from .calls import known_call
from .definition_guard import Guard
from .facts import Facts
from .names import Binding, Definition
from .ops import Memory
from .receivers import ARRAYS, Receiver, receiver_of

_FIELDS = ("values", "indices")


def is_fresh(node: ast.expr, facts: Facts) -> bool:
    """Whether all that an expression may be has memory that was made here."""
    return _Freshness(facts).of(node)


class _Freshness:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._guard = Guard()

    def of(self, node: ast.expr) -> bool:
        match node:
            case ast.Name():
                return self._name(node)
            case ast.Constant() | ast.JoinedStr():
                return True
            case ast.BinOp() | ast.Compare() | ast.UnaryOp():
                return receiver_of(node, self.facts) in (*ARRAYS, Receiver.PLAIN)
            case ast.Attribute(value=value, attr=name):
                known = ops.attribute(name)
                is_view = known is not None and known.memory is Memory.VIEW
                return (is_view or name in _FIELDS) and self.of(value)
            case ast.Subscript(value=value):
                return receiver_of(value, self.facts) in ARRAYS and self.of(value)
            case ast.NamedExpr(value=value) | ast.Starred(value=value):
                return self.of(value)
            case ast.IfExp(body=body, orelse=orelse):
                return self.of(body) and self.of(orelse)
            case ast.BoolOp(values=values):
                return all(map(self.of, values))
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return all(map(self.of, parts))
            case ast.Call():
                return self._call(node)
            case _:
                return False

    def _call(self, node: ast.Call) -> bool:
        known = known_call(node, self.facts)
        if known is None:
            return False
        if known.operation.memory in (Memory.FRESH, Memory.VALUE):
            return True
        if known.operation.memory is Memory.UNKNOWN or known.callables:
            return False
        given = [*node.args, *(k.value for k in node.keywords)]
        dotted = self.facts.resolve(node.func)
        if isinstance(node.func, ast.Attribute) and dotted is None:
            return self.of(node.func.value)
        return all(map(self.of, given))

    def _name(self, node: ast.Name) -> bool:
        names = self.facts.names
        if node.id in names.declared or node.id in names.rebound:
            return False
        reaching = names.of(node)
        return bool(reaching) and all(map(self._definition, reaching))

    def _definition(self, definition: Definition) -> bool:
        if self._guard.holds(definition):
            return True  # fresh if it was, one round before
        return self._guard.within(definition, self._bound, False)

    def _bound(self, definition: Definition) -> bool:
        value, facts = definition.value, self.facts
        match definition.binding:
            case Binding.ASSIGNED if value is not None:
                return self.of(value)
            case Binding.UNPACKED | Binding.ITERATED if value is not None:
                return receiver_of(value, facts) in ARRAYS and self.of(value)
            case Binding.AUGMENTED if isinstance(definition.node, ast.stmt):
                before = facts.names.before(definition.node, definition.name)
                return bool(before) and all(map(self._definition, before or ()))
            case Binding.DELETED:
                return True
            case _:
                return False
