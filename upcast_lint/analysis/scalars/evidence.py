"""Evidence that a name stands for a tensor: annotations, uses, words in the name."""

from __future__ import annotations

import ast
import enum
import re

from ..facts import Facts
from ..operators import (
    words,
)
from ..syntax import walk_scope


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
_METHODS = words(
    """
    to float double half bfloat16 long int bool cpu cuda view reshape unsqueeze squeeze
    expand expand_as transpose permute flatten contiguous detach clone size dim numel
    item sum mean max min amax amin clamp exp log sqrt softmax log_softmax gather
    index_select masked_fill type type_as tolist requires_grad_
    """
)
_ATTRIBUTES = words("shape dtype device ndim T mT grad requires_grad is_cuda")
_MAKERS = frozenset(("torch.tensor", "torch.as_tensor", "torch.full"))
_TENSOR_TYPE = re.compile(r"\b\w*(?:Tensor|Parameter|ndarray|Array)\b")
_NUMBER_TYPES = frozenset(("int", "float", "bool", "None"))
_OPEN_TYPES = frozenset(("Any", "object", "typing.Any"))
_WRAPPERS = frozenset(("Optional", "Union", "typing.Optional", "typing.Union", "Final"))


def names_tensor(identifier: str) -> bool:
    """Whether a name has a word that is commonly a tensor's."""
    return any(
        word in _WORDS or word.startswith("pos")
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
    return any(_is_tensor_use(node, facts) for node in _named(facts).get(name, ()))


class _ByName(dict[str, list[ast.Name]]):
    """The names of a scope, by what they say."""


def _named(facts: Facts) -> _ByName:
    found = facts.memo.get(_ByName)
    if not isinstance(found, _ByName):
        found = facts.memo[_ByName] = _ByName()
        for node in walk_scope(facts.scope):
            if isinstance(node, ast.Name):
                found.setdefault(node.id, []).append(node)
    return found


def _is_tensor_use(node: ast.Name, facts: Facts) -> bool:
    parent = facts.tree.parents[node]
    match parent:
        case ast.Subscript(value=value):
            return value is node
        case ast.Attribute(attr=name):
            return name in _METHODS or name in _ATTRIBUTES
        case ast.Call(func=function, args=[first, *_]) if first is node:
            dotted = facts.resolve(function) or ast.unparse(function)
            if dotted == "isinstance":
                return "Tensor" in ast.unparse(parent)
            return dotted.startswith("torch.") and dotted not in _MAKERS
        case _:
            return False


def set_in_class(attribute: ast.Attribute, facts: Facts) -> Operand | None:
    """What the class around assigns to `self.name`, if it tells of a tensor.

    Buffers, parameters and results of torch count; so does a use as a tensor.
    """
    if not (isinstance(attribute.value, ast.Name) and attribute.value.id == "self"):
        return None
    holder = next(
        (a for a in facts.tree.ancestors(facts.scope) if isinstance(a, ast.ClassDef)),
        None,
    )
    if holder is None:
        return None
    for node in facts.tree.below(holder):
        if _makes_tensor(node, attribute.attr):
            return Operand.TENSOR
    return None


def _makes_tensor(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(
            func=ast.Attribute(attr="register_buffer" | "register_parameter"),
            args=[ast.Constant(value=registered), *_],
        ):
            return bool(registered == name)
        case ast.Assign(targets=targets, value=ast.Call(func=function)):
            text = ast.unparse(function)
            is_ours = any(_is_own(target, name) for target in targets)
            return is_ours and text.startswith(("torch.", "nn.", "Parameter"))
        case ast.AnnAssign(target=target, annotation=annotation):
            is_ours = _is_own(target, name) or (
                isinstance(target, ast.Name) and target.id == name
            )
            return is_ours and annotated(annotation) is Operand.TENSOR
        case ast.Subscript(value=base) | ast.Attribute(value=base, attr="shape"):
            return _is_own(base, name)
        case ast.Call(func=ast.Attribute(value=base, attr=method)):
            return _is_own(base, name) and method in _METHODS
        case _:
            return False


def _is_own(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            return attr == name
        case _:
            return False
