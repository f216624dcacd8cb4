"""Evidence that a name stands for a tensor: annotations, uses, words in the name."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterator

from .. import ops
from ..classes import class_around
from ..facts import Facts
from ..ops import Gives, Role
from ..words import words


class Operand(enum.Enum):
    """What an operand of arithmetic is, as far as the code tells."""

    NUMBER = enum.auto()
    """Proved to be a Python `int` or `float`."""
    ASSUMED_NUMBER = enum.auto()
    """Used as a number, and nothing speaks for a tensor."""
    TENSOR = enum.auto()
    """There is evidence of a tensor."""
    UNKNOWN = enum.auto()


_WORDS = words(
    """
    bias biases weight weights noise mask masks penalty penalties table tables logits
    logit logprobs embedding embeddings embed tensor matrix vector scores hidden states
    ids indices idx labels targets
    """
)
_TENSOR_TYPE = re.compile(r"\b\w*(?:Tensor|Parameter|ndarray|Array)\b")
_NUMBER_TYPES = frozenset(("int", "float", "bool", "None"))
_OPEN_TYPES = frozenset(("Any", "object", "typing.Any"))
_WRAPPERS = frozenset(("Optional", "Union", "typing.Optional", "typing.Union", "Final"))


def names_tensor(identifier: str) -> bool:
    """Whether a name has a word that is commonly a tensor's."""
    return any(
        word in _WORDS or (word.startswith("pos") and not word.startswith("post"))
        for word in identifier.lower().split("_")
    )


def annotated(annotation: ast.expr | None) -> Operand | None:
    """What an annotation says; None if there is none or it admits everything."""
    if annotation is None:
        return None
    text = ast.unparse(annotation).strip("'\"")
    if _TENSOR_TYPE.search(text):
        return Operand.TENSOR
    parts = {part for part in re.split(r"[\s|,\[\]]+", text) if part} - _WRAPPERS
    if parts & _OPEN_TYPES:
        return None
    return Operand.NUMBER if parts and parts <= _NUMBER_TYPES else Operand.UNKNOWN


def is_used_as_tensor(name: str, facts: Facts) -> bool:
    """Whether the scope subscripts a name or uses it as only a tensor can be."""
    known = facts.once(_known_uses)
    if name not in known:
        uses = facts.once(_named).get(name, ())
        known[name] = any(_is_tensor_use(node, facts) for node in uses)
    return known[name]


def _known_uses(facts: Facts) -> dict[str, bool]:
    """By name, whether it is used as a tensor; filled as names are asked about."""
    return {}


def _named(facts: Facts) -> dict[str, list[ast.Name]]:
    """The names of a scope, by what they say."""
    found: dict[str, list[ast.Name]] = {}
    for node in facts.nodes(ast.Name):
        found.setdefault(node.id, []).append(node)
    return found


def _is_tensor_use(node: ast.Name, facts: Facts) -> bool:
    parent = facts.tree.parents[node]
    match parent:
        case ast.Subscript(value=value):
            return value is node
        case ast.Attribute(attr=name):
            return is_tensor_method(name) or _is_tensor_attribute(name)
        case ast.Call(func=function, args=[first, *_]) if first is node:
            dotted = facts.resolve(function) or ast.unparse(function)
            if dotted == "isinstance":
                return "Tensor" in ast.unparse(parent)
            made = ops.function(dotted)
            is_literal = made is not None and made.gives is Gives.LITERAL
            return dotted.startswith("torch.") and not is_literal
        case _:
            return False


def is_tensor_method(name: str) -> bool:
    """Whether tensors have a method of this name; strings and containers do not."""
    return ops.method(name) is not None and ops.container_method(name) is None


def _is_tensor_attribute(name: str) -> bool:
    """Whether an attribute tells a tensor from a number, and from most objects."""
    known = ops.attribute(name)
    if known is None or name == "grad":
        return known is not None
    return known.is_distinctive or known.role is Role.TYPE or known.tells_device


def set_in_class(attribute: ast.Attribute, facts: Facts) -> Operand | None:
    """What the class around assigns to `self.name`, if it tells of a tensor.

    Buffers, parameters and results of torch count; so does a use as a tensor.
    """
    if not (isinstance(attribute.value, ast.Name) and attribute.value.id == "self"):
        return None
    holder = class_around(facts.scope, facts.tree)
    if holder is None:
        return None
    is_tensor = attribute.attr in facts.tree.once(holder, _tensors_of)
    return Operand.TENSOR if is_tensor else None


def _tensors_of(holder: ast.ClassDef) -> set[str]:
    """The attributes of which a class tells that they are tensors."""
    return {name for node in ast.walk(holder) for name in _made_tensors(node)}


def _made_tensors(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(
            func=ast.Attribute(attr="register_buffer" | "register_parameter"),
            args=[ast.Constant(value=registered), *_],
        ):
            yield str(registered)
        case ast.Assign(targets=targets, value=ast.Call(func=function)):
            if ast.unparse(function).startswith(("torch.", "nn.", "Parameter")):
                for target in targets:
                    yield from _own(target)
        case ast.AnnAssign(target=target, annotation=annotation):
            if annotated(annotation) is Operand.TENSOR:
                yield from _own(target)
                if isinstance(target, ast.Name):
                    yield target.id
        case ast.Subscript(value=base) | ast.Attribute(value=base, attr="shape"):
            yield from _own(base)
        case ast.Call(func=ast.Attribute(value=base, attr=method)):
            if is_tensor_method(method):
                yield from _own(base)
        case _:
            pass


def _own(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            yield attr
        case _:
            pass
