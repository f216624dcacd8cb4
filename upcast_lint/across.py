"""A copy that is handed to functions of the project: where they read it.

A copy goes where the parameter goes that it is given for. So the function is judged
with the cast as its first statement, in a text of its own, by the engine as it is:

    def pick(x, ids):                  def pick(x, ids):
        return x.gather(-1, ids)           x = x.float()
                                           return x.gather(-1, ids)

    pick(logits.float(), ids)

What is found there is told at the cast that is there in truth.

Where every call of the function is in sight and casts what it gives, and nobody else
can call it (it is nested, or private by its name), the fix takes the cast from all of
them and rewrites the function; else the finding has none.

A function of another file is not rewritten: it has other callers.

Limits: nothing else than functions reads the copy, by names that hold nothing else. A
function with a decorator, a generator, a coroutine, a lambda and one that stands on the
line of its `def` are not looked into. A method is one of the class around the call; a
subclass may have another.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .analysis.callers import own_method_for, parameter_for
from .analysis.casts import Cast, recognise_cast
from .analysis.facts import Facts, Module
from .analysis.flow import Flow
from .analysis.graph.order import SUSPENSIONS
from .analysis.imported import imported_parameter
from .analysis.reads import Kind
from .analysis.syntax import walk_scope
from .finding import Edit, Finding, Fix, Range, ReportedRead
from .rewrite.refusals import Unfixable
from .source import Source, apply_edits

Judge = Callable[[Facts, Sequence[ast.Call]], Iterator[Finding]]
"""Gives the findings of a scope, of those of its calls that may be casts."""

_Key = tuple[ast.FunctionDef, ast.arg, str]
"""A function, a parameter and the type that it is cast to."""
_METHODS = {"float32": "float", "float64": "double"}


@dataclass(frozen=True, slots=True)
class Handing:
    """A call that gives the copy to a function, and the file of that."""

    call: ast.Call
    argument: ast.expr
    function: ast.FunctionDef
    parameter: ast.arg
    source: Source
    path: str | None
    """None where it is the file of the call."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What functions make of a copy that they are given."""

    inner: tuple[Finding, ...]
    """What is found in each, with rows as they are in the file."""
    related: tuple[ReportedRead, ...]
    """Where they take the copy."""
    functions: tuple[str, ...]
    fix: Fix | None


def handings_of(flow: Flow, facts: Facts) -> list[Handing]:
    """The calls that take the copy, where nothing else reads its elements."""
    if _is_named_otherwise(flow, facts):
        return []
    found: list[Handing] = []
    for read in flow.reads:
        if read.kind in (Kind.METADATA, Kind.DELETE):
            continue
        call = read.node
        if read.kind is not Kind.FULL or read.steps or not isinstance(call, ast.Call):
            return []
        handing = _handing(call, read.operand, facts)
        if handing is None:
            return []
        found.append(handing)
    return found


def _is_named_otherwise(flow: Flow, facts: Facts) -> bool:
    """Whether a name of the copy is also read where it holds something else."""
    names = {definition.name for definition in flow.carriers}
    return any(
        node.id in names
        and isinstance(node.ctx, ast.Load)
        and node not in flow.loads
        and not facts.tree.contains(flow.cast.call, node)
        for node in facts.nodes(ast.Name)
    )


def read_elsewhere(
    cast: Cast, handings: Sequence[Handing], facts: Facts, judge: Judge
) -> Elsewhere | None:
    """What the functions find in the copy; None where one reads it whole."""
    found: list[Finding] = []
    fix: Fix | None = None
    for handing in handings:
        key = (handing.function, handing.parameter, cast.dtype)
        known = facts.tree.once(facts.tree.module, _known)
        if key not in known:
            known[key] = _read_in(handing, cast, judge)
        told = known[key]
        if told is None:
            return None
        inserted, inner = told
        found.append(_lifted(inner, inserted))
        if len(handings) == 1 and handing.path is None:
            fix = _fix(handing, cast, inner, inserted, facts)
    taken = tuple(map(_taken, handings))
    return Elsewhere(tuple(found), taken, tuple(h.function.name for h in handings), fix)


def _known(_module: ast.Module) -> dict[_Key, tuple[_Inserted, Finding] | None]:
    """What functions make of what they are given, for all casts of a file."""
    return {}


def _read_in(
    handing: Handing, cast: Cast, judge: Judge
) -> tuple[_Inserted, Finding] | None:
    inserted = _inserted(handing, cast)
    inner = None if inserted is None else _judged(inserted, judge)
    return None if inserted is None or inner is None else (inserted, inner)


def _taken(handing: Handing) -> ReportedRead:
    name, parameter = handing.function.name, handing.parameter
    source = handing.source
    start = source.node_start(parameter)
    where = source.range(start, start + len(parameter.arg))
    return ReportedRead(
        where, f"`{name}` takes the copy as `{parameter.arg}`", handing.path
    )


def _handing(call: ast.Call, argument: ast.expr, facts: Facts) -> Handing | None:
    taken = parameter_for(argument, call, facts) or own_method_for(
        argument, call, facts
    )
    source = facts.source
    path: str | None = None
    if taken is None:
        imported = imported_parameter(argument, call, facts)
        if imported is None:
            return None
        source, taken = imported
        path = source.path
    function, parameter = taken
    if not isinstance(function, ast.FunctionDef):
        return None
    if any(isinstance(node, SUSPENSIONS) for node in walk_scope(function)):
        return None
    return Handing(call, argument, function, parameter, source, path)


# The text with the cast in the function


@dataclass(frozen=True, slots=True)
class _Inserted:
    source: Source
    row: int
    """Of the cast."""
    handing: Handing


def _inserted(handing: Handing, cast: Cast) -> _Inserted | None:
    """The file with the cast as the first statement of a function."""
    source, function = handing.source, handing.function
    body = function.body[1:] if ast.get_docstring(function) else function.body
    if not body:
        return None
    first = body[0]
    row = min([first.lineno, *(d.lineno for d in getattr(first, "decorator_list", ()))])
    indent = source.line(row)[: first.col_offset]
    if indent.strip() or row <= function.lineno:
        return None
    start = source.line_starts[row - 1]
    name = handing.parameter.arg
    text = f"{indent}{name} = {name}.{_METHODS[cast.dtype]}()\n"
    whole = source.text[:start] + text + source.text[start:]
    text_with_cast = Source(source.path, b"", whole, "utf-8", False)
    text_with_cast.project = source.project
    return _Inserted(text_with_cast, row, handing)


def _judged(inserted: _Inserted, judge: Judge) -> Finding | None:
    module = Module.parse(inserted.source)
    for call in module.tree.nodes([(inserted.row, inserted.row)]):
        if not isinstance(call, ast.Call) or call.lineno != inserted.row:
            continue
        scope = module.tree.scope(call)
        module.tree.enter(scope)
        return next(judge(module.facts(scope), [call]), None)
    return None


def _lifted(finding: Finding, inserted: _Inserted) -> Finding:
    """A finding in the text with the cast, with the rows that the file has."""

    def lifted(read: ReportedRead) -> ReportedRead:
        if read.path is not None:  # of a file that nothing was put into
            return read
        place = _up(read.range, inserted.row)
        return read._replace(range=place, path=inserted.handing.path)

    reads, others = map(lifted, finding.reads), map(lifted, finding.related)
    return finding._replace(reads=tuple(reads), related=tuple(others))


def _up(where: Range, row: int) -> Range:
    start, end = (
        place._replace(row=place.row - 1) if place.row > row else place
        for place in where
    )
    return Range(start, end)


# The fix


def _fix(
    handing: Handing, cast: Cast, inner: Finding, inserted: _Inserted, facts: Facts
) -> Fix | None:
    """The cast of every caller goes, and the function casts what it selects."""
    if inner.fix is None or not _is_private(handing.function, facts):
        return None
    casts = _casts_of_callers(handing, cast, facts)
    if casts is None:
        return None
    source = facts.source
    from .rewrite.edits import write_sources  # libcst, for those with an edit

    try:
        edits = list(write_sources(casts, facts))
    except Unfixable:
        return None
    edits.append(_rewritten(handing.function, inner.fix, inserted, source))
    edits.sort(key=lambda edit: edit.range)
    message = f"Cast in `{handing.function.name}`, after the selection"
    return Fix(inner.fix.safety, message, tuple(edits))


def _is_private(function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether only this file can call a function, as far as its name says."""
    holder = facts.tree.parents.get(function)
    is_nested = facts.tree.scope(function) is not facts.tree.module
    is_hidden = function.name.startswith("_") and not function.name.endswith("__")
    return not isinstance(holder, ast.ClassDef) and (is_nested or is_hidden)


def _casts_of_callers(handing: Handing, cast: Cast, facts: Facts) -> list[Cast] | None:
    """The casts that all callers apply, alike, to what they give; None if not all do.

    Nothing else runs between such a cast and the call.
    """
    name_of = handing.function.name
    found: list[Cast] = []
    for name in facts.tree.nodes():
        if isinstance(name, ast.Constant) and name.value == name_of:
            return None  # `__all__`, or a look-up by name
        if not (isinstance(name, ast.Name) and name.id == name_of):
            continue
        call = facts.tree.parents[name]
        if not (isinstance(call, ast.Call) and call.func is name):
            return None
        scope = facts.tree.scope(call)
        around = facts
        if scope is not facts.scope:
            around = Module(facts.source, facts.tree).facts(scope)
        given = _given(call, handing, around)
        if given is None:
            return None
        other = recognise_cast(given, around)
        if other is None or not _is_plain(other, cast):
            return None
        rest = [each for each in _arguments(call) if each is not given]
        if any(map(_may_act, rest)) or _shares_names(other.source, rest):
            return None
        found.append(other)
    return found


def _given(call: ast.Call, handing: Handing, facts: Facts) -> ast.expr | None:
    """What a call gives for the parameter."""
    for argument in _arguments(call):
        if parameter_for(argument, call, facts) == (
            handing.function,
            handing.parameter,
        ):
            return argument
    return None


def _is_plain(cast: Cast, other: Cast) -> bool:
    """Whether a cast only converts, to the same type as another."""
    return (
        cast.dtype == other.dtype
        and cast.device is None
        and not cast.copies
        and not cast.lays_out
    )


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _may_act(node: ast.expr) -> bool:
    """Whether evaluating an argument may do something, or give another value."""
    return any(
        not isinstance(part, ast.Name | ast.Constant | ast.expr_context | ast.UnaryOp)
        and not isinstance(part, ast.USub)
        for part in ast.walk(node)
    )


def _shares_names(source: ast.expr, others: Sequence[ast.expr]) -> bool:
    """Whether the function may be given the source by another parameter, too."""
    return not _names_in(source).isdisjoint(
        name for each in others for name in _names_in(each)
    )


def _names_in(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _rewritten(
    function: ast.FunctionDef, fix: Fix, inserted: _Inserted, source: Source
) -> Edit:
    """The lines of a function, as the fix leaves them in the text with the cast."""
    before, row = source.text, inserted.row
    after = apply_edits(inserted.source, list(fix.edits))
    start = source.line_starts[row - 1]
    end = source.node_end(function)
    rest = len(before) - end
    first, last = source.position(start), source.position(end)
    # What stands before the cast is not touched, nor what follows the function.
    return Edit(Range(first, last), after[start : len(after) - rest])
