"""The checks that a rewritten text has to pass before it may be written.

It parses; every statement that no edit touched is still there, as it was, in its order
and at its depth; every name still has a binding where it had one; no comment is lost
or repeated. Where the outermost statements from the first edit to the last show it,
the others are not looked at: statements are parsed, use names and hold comments each
for itself.
"""

from __future__ import annotations

import ast
import io
import symtable
import tokenize
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..analysis.parents import first_row
from ..finding import Edit
from ..source import Source, line_starts


def failed_check(source: Source, text: str, edits: Sequence[Edit]) -> str | None:
    """Which check a new text fails, or None."""
    try:
        after = ast.parse(text, source.path)
    except SyntaxError as error:
        return f"the rewritten file would not parse: {error.msg}"
    touched = sorted(
        {
            row
            for edit in edits
            for row in range(edit.range.start.row, edit.range.end.row + 1)
        }
    )
    part = changed_part(source, text, touched, after)
    if part is not None and _evidently_passes(part, touched):
        return None
    before = ast.parse(source.text, source.path)
    if not _keeps_statements(before, after, touched):
        return "the rewrite would change a statement that it does not edit"
    try:
        unbound = _names(text)[1] - _names(source.text)[1]
    except SyntaxError as error:
        return f"the names of the file cannot be told: {error.msg}"
    if unbound:
        return f"the rewrite would leave `{min(unbound)[1]}` without a binding"
    then, now = _comments(source.text), _comments(text)
    for verb, odd in (("lose", then - now), ("repeat", now - then)):
        if odd:
            return f"the rewrite would {verb} the comment {min(odd)!r}"
    return None


@dataclass(frozen=True, slots=True)
class Part:
    """Whole lines of both texts that hold all that edits change.

    They go on below `head`: up to the last import from `__future__`, which tells how
    to read others.
    """

    head: str
    above: int
    """The rows that are left out between the head and the lines."""
    before: str
    after: str


def changed_part(
    source: Source, text: str, touched: Sequence[int], after: ast.Module
) -> Part | None:
    """What edits in the rows `touched` change of a source to make `text`.

    `after` is its tree. None where they do not account for all that is different.
    """
    bounds = list(_first_on_their_lines(after.body))
    if not (bounds and touched):
        return None
    starts, starts_before = line_starts(text), source.line_starts
    grown = len(starts) - len(starts_before)
    row = bounds[max(bisect_right(bounds, touched[0]) - 1, 0)]
    behind = bisect_right(bounds, touched[-1] + grown)
    rows_of_head = max((each.end_lineno or 0 for each in _head(after)), default=0)
    if row <= max(rows_of_head, bounds[0]):
        row, rows_of_head = 1, 0
    start = starts[row - 1]
    end, end_before = len(text), len(source.text)
    if behind < len(bounds):
        end = starts[bounds[behind] - 1]
        end_before = starts_before[bounds[behind] - grown - 1]
    if (
        start != starts_before[row - 1]
        or source.text[:start] != text[:start]
        or source.text[end_before:] != text[end:]
    ):
        return None
    head = text[: starts[rows_of_head]]
    before, changed = source.text[start:end_before], text[start:end]
    return Part(head, row - 1 - rows_of_head, before, changed)


def _head(module: ast.Module) -> list[ast.stmt]:
    """The statements up to the last import from `__future__`."""
    last = 0
    for number, statement in enumerate(module.body, 1):
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            last = number
    return module.body[:last]


def _first_on_their_lines(body: Sequence[ast.stmt]) -> Iterator[int]:
    """The rows of the statements before which no other stands on the line."""
    last = 0
    for statement in body:
        if first_row(statement) > last:
            yield first_row(statement)
        last = statement.end_lineno or last


def _evidently_passes(part: Part, touched: Sequence[int]) -> bool:
    """Whether the changed part alone shows that the whole text passes the checks.

    It does not where it loses a binding that other statements may need, or tells to
    read these otherwise.
    """
    before, after = part.head + part.before, part.head + part.after
    try:
        old, new = ast.parse(before), ast.parse(after)
        bound, unbound = _names(before)
        still_bound, now_unbound = _names(after)
        return (
            list(map(ast.dump, _head(old))) == list(map(ast.dump, _head(new)))
            and _keeps_statements(old, new, touched, part.above)
            and bound <= still_bound
            and now_unbound <= unbound
            and _comments(before) == _comments(after)
        )
    except (SyntaxError, tokenize.TokenError):
        return False


def _keeps_statements(
    before: ast.Module, after: ast.Module, touched: Sequence[int], above: int = 0
) -> bool:
    """Whether the statements outside of the rows that edits touch are all there still.

    There are so many rows `above` the first of `before`.
    """
    kept = [
        print_
        for statement, print_ in _statements(before, 0)
        if not _is_touched(statement, touched, above)
    ]
    return _is_subsequence(kept, [print_ for _, print_ in _statements(after, 0)])


def _statements(node: ast.AST, depth: int) -> Iterator[tuple[ast.stmt, str]]:
    """Each statement with a print of it: its depth and its own expressions."""
    for name, value in ast.iter_fields(node):
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.stmt):
                yield item, f"{depth} {name} {_own(item)}"
                yield from _statements(item, depth + 1)
            elif isinstance(item, ast.ExceptHandler | ast.match_case):
                yield from _statements(item, depth + 1)


def _own(statement: ast.stmt) -> str:
    """A statement without the statements in it."""
    if not hasattr(statement, "body"):
        return ast.dump(statement)
    parts = [type(statement).__name__]
    for name, value in ast.iter_fields(statement):
        if name in ("body", "orelse", "finalbody", "handlers", "cases"):
            continue
        for item in value if isinstance(value, list) else [value]:
            parts.append(ast.dump(item) if isinstance(item, ast.AST) else repr(item))
    return " ".join(parts)


def _is_touched(statement: ast.stmt, touched: Sequence[int], above: int) -> bool:
    last = statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        last = max(statement.lineno, body[0].lineno - 1)
    place = bisect_left(touched, first_row(statement) + above)
    return place < len(touched) and touched[place] <= last + above


def _names(text: str) -> tuple[set[str], set[tuple[str, str]]]:
    """The names that a module binds; those, with their scope, that nothing binds."""
    top = symtable.symtable(text, "", "exec")
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned()}
    bound |= {s.get_name() for s in top.get_symbols() if s.is_imported()}
    found: set[tuple[str, str]] = set()
    pending = [(top, "")]
    while pending:
        table, outer = pending.pop()
        scope = f"{outer}.{table.get_name()}"
        for symbol in table.get_symbols():
            name = symbol.get_name()
            if (
                symbol.is_referenced()
                and name not in bound
                and not (symbol.is_local() or symbol.is_free() or symbol.is_parameter())
            ):
                found.add((scope, name))
        pending += [(child, scope) for child in table.get_children()]
    return bound, found


def _is_subsequence(parts: Sequence[str], whole: Sequence[str]) -> bool:
    remaining = iter(whole)
    return all(part in remaining for part in parts)


def _comments(text: str) -> Counter[str]:
    lines = io.StringIO(text, newline=None)
    return Counter(
        token.string.strip()
        for token in tokenize.generate_tokens(lines.readline)
        if token.type == tokenize.COMMENT
    )
