"""Shapes that people write down: `[B, S, V]` in comments, docstrings, annotations.

A shape is read only where it stands beside a name of the tensor: on the line that
binds it or in the comment just above, in the docstring's line about it, in its
annotation. Dimensions keep their written names, except that the usual spellings of
batch, sequence, vocabulary and kept columns become B, S, V and K, the names for which
an estimate knows sizes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..facts import Facts
from ..names import Binding, Definition
from .words import names_vocabulary, word_set, words

_SHAPE = re.compile(r"\[((?:[^\[\]()]|\([^()]*\))*)\]|\(((?:[^\[\]()]|\([^()]*\))*)\)")
_DIMENSION = re.compile(
    r"\|?[A-Za-z_][\w.]*\|?(?:\s*[-+]\s*\d+|\s*(?:\*|//?)\s*[\w.]+)*|\d+|\.\.\.|\*"
)
_PARALLEL = re.compile(r"\s*(?:(?://|/)\s*\w+|[-+]\s*\d+)\Z")
_MOST_DIMENSIONS = 5

_SPELLINGS = {
    "B": "b bs bsz bz batch batch_size n_batch num_seqs num_requests mbs micro_batch",
    "S": """
        s t l seq seqlen seq_len sequence sequence_length seq_length s_cp s_local slen
        length time s_full max_seq_len
    """,
    "V": "v vocab vocab_size",
    "K": "k topk top_k",
}
_CANONICAL = {
    spelling: name for name, line in _SPELLINGS.items() for spelling in line.split()
}
_FLAT = word_set(
    """
    n bt b*s b*t tokens num_tokens n_tokens total_tokens ntokens total_nnz nnz bs bxs
    """
)
"""Batch and sequence in one axis, where only the vocabulary stands beside it."""
_PROSE = frozenset(("i", "e", "g", "optional", "default", "tensor", "shape", "the"))


@dataclass(frozen=True, slots=True)
class WrittenShape:
    dimensions: tuple[str, ...]
    """Canonical names, without those of size one."""
    text: str
    """As written, such as `[B, S, V_local]`."""
    where: str
    """Such as "in a comment (line 3)"."""
    ends_in_vocabulary: bool
    last: str
    """The last dimension as written."""


def canonical(name: str) -> str:
    """`B` for `batch_size`, `V` for `V_local`; other names unchanged."""
    plain = _PARALLEL.sub("", name.strip().strip("|"))
    plain = plain.rpartition(".")[2]
    if names_vocabulary(plain):
        return "V"
    return _CANONICAL.get(plain.lower(), plain)


def is_batch_and_sequence(names: tuple[str, ...]) -> bool:
    return all(
        canonical(name) in ("B", "S", "1") or name.lower() in _FLAT for name in names
    )


def read_shape(text: str, where: str) -> WrittenShape | None:
    """The first bracketed list of dimensions in a line of prose."""
    for found in _SHAPE.finditer(text):
        inside = found.group(1) or found.group(2) or ""
        shape = _shape_of(inside, found.group(0), where)
        if shape is not None:
            return shape
    return None


def _shape_of(inside: str, text: str, where: str) -> WrittenShape | None:
    parts = [part.strip() for part in re.split(r"\s*[,;]\s*|\s+x\s+", inside.strip())]
    if not 2 <= len(parts) <= _MOST_DIMENSIONS:
        return None
    if not all(_DIMENSION.fullmatch(part) for part in parts):
        return None
    if all(p.isdigit() for p in parts) or any(p.lower() in _PROSE for p in parts):
        return None
    if [p.lower() for p in parts[-2:]] == ["k", "v"]:
        return None  # keys and values
    return _written(parts, text, where)


def _written(parts: list[str], text: str, where: str) -> WrittenShape:
    last = canonical(parts[-1])
    dimensions = tuple(canonical(p) for p in parts if p not in ("1", "...", "*"))
    return WrittenShape(_unflattened(dimensions), text, where, last == "V", parts[-1])


def _unflattened(dimensions: tuple[str, ...]) -> tuple[str, ...]:
    """`[num_tokens, V]` has as many elements as `[B, S, V]`."""
    if len(dimensions) != 2 or dimensions[1] != "V":
        return dimensions
    if dimensions[0].replace(" ", "").lower() in _FLAT:
        return ("B", "S", "V")
    return dimensions


def written_shapes(
    definitions: list[Definition], source: ast.expr, facts: Facts
) -> Iterator[WrittenShape]:
    """The shapes written beside the tensor, the nearest to the cast first."""
    nodes: list[ast.AST] = [source] if _is_assigned(source, facts) else []
    nodes += [
        d.node for d in definitions if d.binding in (Binding.ASSIGNED, Binding.UNPACKED)
    ]
    statements = map(facts.tree.statement, nodes)
    for statement in {each.lineno: each for each in statements}.values():
        yield from facts.once_at(statement, _comments)
    for definition in definitions:
        if definition.binding is Binding.PARAMETER:
            yield from _annotation(definition.node, facts)
    yield from _docstrings(documented_names(definitions, facts), facts)


def _is_assigned(source: ast.expr, facts: Facts) -> bool:
    """Whether the statement is about the copy, so that its comment is too."""
    for node in facts.tree.ancestors(source):
        match node:
            case ast.Assign() | ast.AnnAssign() | ast.Return() | ast.NamedExpr():
                return True
            case ast.Call(func=func):
                if not facts.tree.contains(func, source):
                    return False
            case ast.Attribute() | ast.Subscript():
                pass
            case _:
                return False
    return False


def _comments(statement: ast.stmt, facts: Facts) -> list[WrittenShape]:
    """Those of the comment at the end of a line, and of the comments above it."""
    return list(_commented(statement.lineno, facts))


def _commented(row: int, facts: Facts) -> Iterator[WrittenShape]:
    trailing = _comment(facts.source.line(row))
    where = f"in a comment ({facts.source.line_name(row)})"
    found = trailing and read_shape(trailing, where)
    if found:
        yield found
    above = row - 1
    while above >= 1 and facts.source.line(above).lstrip().startswith("#"):
        where = f"in a comment ({facts.source.line_name(above)})"
        found = read_shape(facts.source.line(above), where)
        if found:
            yield found
        above -= 1


def _comment(line: str) -> str:
    """What stands after the last ` #` of a line, which a string could hold too."""
    return line.partition(" #")[2]


def _annotation(node: ast.AST, facts: Facts) -> Iterator[WrittenShape]:
    """Shapes of jaxtyping's kind, `Float[Tensor, "b s v"]`, and `Annotated` ones."""
    if not isinstance(node, ast.arg) or node.annotation is None:
        return
    for part in ast.walk(node.annotation):
        if not isinstance(part, ast.Constant) or not isinstance(part.value, str):
            continue
        names = part.value.strip("[]() ").replace(",", " ").split()
        names = [name.lstrip("*#") for name in names if name != "..."]
        if 2 <= len(names) <= _MOST_DIMENSIONS and all(map(_is_dimension, names)):
            where = f"in the annotation of `{node.arg}` ({facts.place(node)})"
            yield _written(names, f'"{part.value}"', where)


def _is_dimension(name: str) -> bool:
    return _DIMENSION.fullmatch(name) is not None


def documented_names(definitions: list[Definition], facts: Facts) -> list[str]:
    """The names of a tensor whose line in the docstring is about it.

    That of a parameter is about what is handed over: after `logits = self.head(logits)`
    it says nothing of `logits`.
    """
    given = {d.name for d in definitions if d.binding is Binding.PARAMETER}
    names = dict.fromkeys(d.name for d in definitions)
    return [n for n in names if n in given or not _is_parameter(n, facts)]


def _is_parameter(name: str, facts: Facts) -> bool:
    return any(d.binding is Binding.PARAMETER for d in facts.names.named(name))


def documented(name: str, facts: Facts) -> list[str]:
    """What the docstring says of a name: on its line, behind it."""
    return [about for about, _ in _spoken_of(name, facts)]


def _spoken_of(name: str, facts: Facts) -> Iterator[tuple[str, str]]:
    """The rest of each line that mentions a name, and the line that follows."""
    if len(name) < 3 and not words(name):
        return
    mention = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    lines = facts.once(_docstring_lines)
    for number, line in enumerate(lines):
        found = mention.search(line)
        if found is not None:
            following = lines[number + 1] if number + 1 < len(lines) else ""
            yield line[found.end() :], following


def _docstring_lines(facts: Facts) -> list[str]:
    scope = facts.scope
    if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    return (ast.get_docstring(scope) or "").splitlines()


def _docstrings(names: list[str], facts: Facts) -> Iterator[WrittenShape]:
    """Shapes in lines of the docstring that begin with, or speak of, a name."""
    for name in names:
        for about, following in _spoken_of(name, facts):
            shape = read_shape(about, f"of `{name}` in the docstring")
            if shape is None and about.rstrip().endswith((":", ")", "Tensor")):
                shape = read_shape(following, f"of `{name}` in the docstring")
            if shape is not None:
                yield shape
                break
