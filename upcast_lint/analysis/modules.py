"""What has `.float()` and `[…]` and is no tensor: modules, and batches by name.

`nn.Module.float()` converts all parameters in place and gives the module back, so that
`net.float()[0]` is a layer of a network that is converted as a whole. A `BatchEncoding`
converts its tensors, and `batch.to(torch.float32)[key]` is one of them.

How an object is made, or an annotation, decides. A name counts only where every read
is one that such a container offers too: by a number, a slice or a key, or one by one.
Of attributes all that the class assigns to them is looked at.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from .classes import class_around
from .elements.attributes import assigned_values
from .facts import Facts
from .flow import Read
from .names import Binding, Definition
from .values import is_string
from .width.words import dotted_words, words
from .words import words as names

_CLASS = re.compile(
    r"\b\w*(?:Module|ModuleList|ModuleDict|Sequential|ParameterList|ParameterDict|"
    r"Model|Net|Network|Encoder|Decoder|Encoding|Feature|Dict|dict|Mapping)\b"
)
_TENSOR_CLASS = re.compile(r"(?:\w*Tensor|Parameter|Buffer|Variable)")
_OBJECT_CLASS = re.compile(r"[A-Z][A-Z0-9]*[a-z]\w*")
_SAME_OBJECT = names(
    """
    to cuda cpu eval train half float double bfloat16 type requires_grad_ to_empty
    apply share_memory compile
    """
)
"""Methods by which a module gives itself back."""

_MODULE_NAMES = names(
    """
    model models module modules net nets network networks encoder decoder backbone
    layer layers block blocks sequential transformer unet vae mlp ffn heads experts
    towers stages branches
    """
)
_TENSOR_NAMES = names(
    """
    weight weights bias logits logprobs logps hidden states state embed embeds embedding
    embeddings scores score probs output outputs out tensor data values value grad mean
    var std scale scales loss losses mask ids features pixel sample samples table buf
    buffer cache keys key query x y z k v q t
    """
)
_MAKING = names("make build create construct load get new init")
_BATCH_MAKERS = names("tokenizer tokenizers processor processors extractor collator")
_KEY_NAMES = names("key name field column modality attr attribute")
_STRING_METHODS = names("startswith endswith split replace lower upper format strip")
_DEPTH = 6


def may_be_container(source: ast.expr, reads: Sequence[Read], facts: Facts) -> bool:
    """Whether what is cast may be a module or a batch, as far as `reads` allow."""
    if _is_made_as_module(source, facts, _DEPTH):
        return True
    if not all(map(_is_of_container, reads)):
        return False
    said = words(dotted_words(source).rpartition(".")[2])
    return (
        (bool(said) and said[-1] in _MODULE_NAMES)
        or _is_made_as_batch(facts.value(source))
        or any(_takes_key(read.node, facts) for read in reads)
    )


def is_evidently_tensor(source: ast.expr, reads: Sequence[Read], facts: Facts) -> bool:
    """Whether a source is no list of modules, by its reads or by what it is called.

    Where it is a name its other uses tell; an attribute, an item or what a function
    makes may hold anything.
    """
    if not all(map(_is_of_container, reads)):
        return True
    value = facts.value(source)
    match value:
        case ast.Attribute() | ast.Subscript(slice=ast.Constant(value=str())):
            said = words(dotted_words(value))
            return not _TENSOR_NAMES.isdisjoint(said)
        case ast.Call(func=ast.Name(id=name)) if facts.resolve(value.func) is None:
            return _MAKING.isdisjoint(words(name)[:1])
        case _:
            return True


def _is_made_as_module(node: ast.expr, facts: Facts, depth: int) -> bool:
    if depth == 0:
        return False
    match node:
        case ast.Name():
            return any(
                _binds_module(definition, facts, depth)
                for definition in facts.names.in_order(facts.names.of(node))
            )
        case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
            return any(
                _is_made_as_module(value, there, depth - 1)
                for value, there in assigned_values(attribute, facts)
            ) or _is_annotated_in_class(attribute, facts)
        case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if (
            name in _SAME_OBJECT and facts.resolve(node.func) is None
        ):
            return _is_made_as_module(receiver, facts, depth - 1)
        case ast.Call():
            return _makes_module(node, facts, depth)
        case ast.IfExp(body=body, orelse=orelse):
            return _is_made_as_module(body, facts, depth - 1) or _is_made_as_module(
                orelse, facts, depth - 1
            )
        case _:
            return False


def _makes_module(call: ast.Call, facts: Facts, depth: int) -> bool:
    dotted = facts.resolve(call.func)
    module, _, name = (dotted or dotted_words(call.func)).rpartition(".")
    if dotted in ("copy.deepcopy", "copy.copy", "torch.compile", "torch.jit.script"):
        return bool(call.args) and _is_made_as_module(call.args[0], facts, depth - 1)
    if name == "from_pretrained":
        return True
    if module in ("torch.nn.functional", "torch.nn.init"):
        return False
    return (
        isinstance(call.func, ast.Name | ast.Attribute)
        and _OBJECT_CLASS.fullmatch(name) is not None
        and _TENSOR_CLASS.fullmatch(name) is None
    )


def _binds_module(definition: Definition, facts: Facts, depth: int) -> bool:
    annotation = definition.annotation
    if annotation is not None and _names_container(annotation, facts):
        return True
    if definition.binding is Binding.FREE:
        return any(
            outer.value is not None
            and isinstance(outer.value, ast.Call)
            and _makes_module(outer.value, facts, depth - 1)
            for scope in facts.imports.outer
            for outer in scope.named(definition.name)
        )
    value = definition.assigned
    return value is not None and _is_made_as_module(value, facts, depth - 1)


def _names_container(annotation: ast.expr, facts: Facts) -> bool:
    text = facts.text(annotation)
    return _CLASS.search(text) is not None and "Tensor" not in text


def _is_annotated_in_class(attribute: str, facts: Facts) -> bool:
    holder = class_around(facts.scope, facts.tree)
    return holder is not None and any(
        isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and each.target.id == attribute
        and _names_container(each.annotation, facts)
        for each in holder.body
    )


def _is_made_as_batch(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    said = words(dotted_words(value.func).rpartition(".")[2])
    return not _BATCH_MAKERS.isdisjoint(said) and "logits" not in said


def _is_of_container(read: Read) -> bool:
    """Whether a list of modules or a dictionary can be read in the same way."""
    selection = read.selection
    if selection is None:
        return True
    match selection.node:
        case ast.Subscript(slice=index):
            return not isinstance(index, ast.Tuple) and not (
                isinstance(index, ast.Constant)
                and not isinstance(index.value, int | str)
            )
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            return True
        case _:
            return False


def _takes_key(node: ast.AST, facts: Facts) -> bool:
    """Whether an index may be a string."""
    match node:
        case ast.Subscript(slice=ast.Name() as index):
            said = words(index.id)
            return (bool(said) and said[-1] in _KEY_NAMES) or _may_be_string(
                index, facts
            )
        case ast.Subscript(slice=ast.JoinedStr()):
            return True
        case _:
            return False


def _may_be_string(index: ast.Name, facts: Facts) -> bool:
    for definition in facts.names.of(index):
        if is_string(definition.value):
            return True
        node, annotation = definition.node, definition.annotation
        if annotation is not None and "str" in facts.text(annotation):
            return True
        if isinstance(node, ast.For | ast.comprehension) and _gives_strings(node.iter):
            return True
    return index.id in facts.once(_asked_as_strings)


def _gives_strings(node: ast.expr) -> bool:
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return any(map(is_string, parts))
        case ast.Call(func=ast.Attribute(attr="keys" | "items")):
            return True
        case ast.Call(func=ast.Name(id="list" | "sorted" | "tuple"), args=[inner]):
            return _gives_strings(inner)
        case _:
            return False


def _asked_as_strings(facts: Facts) -> frozenset[str]:
    """The names that a scope compares with strings, or calls methods of strings on."""
    found: set[str] = set()
    for node in ast.walk(facts.scope):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                if attr in _STRING_METHODS:
                    found.add(name)
            case ast.Compare(left=left, comparators=others):
                sides = [left, *others]
                if any(map(is_string, sides)):
                    found |= {side.id for side in sides if isinstance(side, ast.Name)}
            case _:
                pass
    return frozenset(found)
