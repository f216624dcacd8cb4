"""A command that verifies a function, filled with what its text shows of its inputs.

Shapes come from what is written beside a parameter: an annotation such as jaxtyping's,
or `logits: [B, S, V]` in the docstring or a comment. Otherwise names decide, as they do
for a reader: what is called an index has integers, what is called a mask has truth
values. All of it is a guess, to be edited. Imports no torch and runs nothing.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from ..config import ConfigFinder
from ..discovery import Discovery, Exclusion
from ..files import read_regular
from ..finding import Confidence
from ..linter import Options, lint
from ..source import Source, UnreadableSource
from .gate import GateError, enclosing_function, functions_of, no_function

_SIZES = {"b": 2, "n": 2, "s": 8, "t": 8, "l": 8, "k": 4, "v": 64, "h": 16, "d": 16}
"""Of dimensions by the first letter of their name; 4 of all others."""
_VOCABULARY = 64
_SHAPE = r"([^\n\[(]{0,33})[\[(]([\w ,]+)[\])]"
_MASK = re.compile(r"mask|is_|valid|keep")
_COLUMNS = re.compile(r"top_?k.*(?:ind|id|tok)|indices|index|^idx|cols|columns")
_INTEGERS = re.compile(
    r"ids?$|label|target|token|position|action|(?:row|col|column)s?$|idx|index|ind"
)
_LITERALS = {"int": "2", "float": "1.0", "bool": "False", "str": "'mean'"}
_TENSOR = re.compile(r"Tensor|Float|BFloat|Array|Int\[|Bool\[|Shaped")


def template_of(source: Source, function: str, path: str) -> str:
    """The command for a function; raises GateError where there is none of that name."""
    try:
        tree = ast.parse(source.text)
    except SyntaxError as error:
        raise GateError(f"{path}: {error}") from error
    node = functions_of(tree).get(function)
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        raise no_function(tree, function, path)
    owner, _, _ = function.rpartition(".")
    words = ["upcast-lint", "verify", shlex.quote(f"{path}::{function}")]
    if owner and not _is_static(node):
        words += ["--self", shlex.quote(f"{owner}(...)")]
    inputs = "; ".join(_inputs_of(node, source, bool(owner)))
    words += ["--inputs", f'"{inputs}"' if "'" in inputs else f"'{inputs}'"]
    return " ".join(words)


def files_of(tree: Path) -> list[Path]:
    """The Python files that `check` would look at. Raises UsageError."""
    discovery = Discovery(ConfigFinder(), Exclusion())
    found = (Path(each.path) for each in discovery.find([str(tree)]))
    return [path for path in found if path.suffix == ".py"]


def commands_of(path: Path) -> Iterator[str]:
    """A command for each function of a file that has a fix; none if it has no text."""
    try:
        source = Source.from_bytes(read_regular(str(path))[0], str(path))
        findings = lint(source, Options(least=Confidence.LOW, parses_always=False))
        tree = ast.parse(source.text) if findings else ast.Module([], [])
    except (OSError, UnreadableSource, SyntaxError, RecursionError):
        return  # `check` says so
    places = (enclosing_function(tree, each) for each in findings if each.fix)
    for function in dict.fromkeys(filter(None, places)):
        yield template_of(source, function, str(path))


def _is_static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
    return bool(names & {"staticmethod", "classmethod"})


def _inputs_of(
    node: ast.FunctionDef | ast.AsyncFunctionDef, source: Source, is_method: bool
) -> Iterator[str]:
    """One item for each parameter that has no default, or one that can be written."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (
        len(positional) - len(arguments.defaults)
    )
    pairs = [
        *zip(positional, [*defaults, *arguments.defaults], strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    is_bound = is_method and not any(
        isinstance(each, ast.Name) and each.id == "staticmethod"
        for each in node.decorator_list
    )
    text = source.segment(node)
    names = frozenset(parameter.arg for parameter, _ in pairs)
    for parameter, default in pairs[1:] if is_bound else pairs:
        if isinstance(default, ast.Constant) and default.value is not None:
            yield f"{parameter.arg}={default.value!r}"
        elif default is None:
            yield f"{parameter.arg}={_value_of(parameter, names, text)}"


def _value_of(parameter: ast.arg, names: frozenset[str], text: str) -> str:
    name = parameter.arg
    said = ast.unparse(parameter.annotation) if parameter.annotation else ""
    if said in _LITERALS:
        return _LITERALS[said]
    if said and not _TENSOR.search(said):
        return "None"
    sizes = _shape_of(name, said, names, text)
    if "Bool" in said or _MASK.search(name.lower()):
        return f"bool[{_joined(sizes or (2, 8))}]"
    if "Int" in said or "Long" in said or _INTEGERS.search(name.lower()):
        several = (2, 8, 4) if _COLUMNS.search(name.lower()) else (2, 8)
        return f"i64[{_joined(sizes or several)}]<{_VOCABULARY}"
    return f"low[{_joined(sizes or (2, 8, _VOCABULARY))}] grad"


def _shape_of(
    name: str, annotation: str, names: frozenset[str], text: str
) -> tuple[int, ...]:
    """The sizes of dimensions that the text names; none where it names none.

    What stands behind another of the parameters' `names` is that one's.
    """
    quoted = re.search(r"['\"]([\w* ]+)['\"]", annotation)
    if quoted:
        dimensions = quoted[1].replace("*", " ").split()
    else:
        dimensions = []
        for between, shape in re.findall(rf"\b{re.escape(name)}\b{_SHAPE}", text):
            if names.isdisjoint(re.findall(r"\w+", between)):
                dimensions = shape.replace(",", " ").split()
                break
    if not all(re.fullmatch(r"\d+|[A-Z]\w{0,2}|\w*_\w+|\w{4,}", d) for d in dimensions):
        return ()
    return tuple(map(_size_of, dimensions))


def _size_of(dimension: str) -> int:
    if dimension.isdigit():
        return min(int(dimension), _VOCABULARY)
    return (
        _VOCABULARY
        if "voc" in dimension.lower()
        else _SIZES.get(dimension[0].lower(), 4)
    )


def _joined(sizes: tuple[int, ...]) -> str:
    return ",".join(map(str, sizes))
