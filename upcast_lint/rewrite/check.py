"""The checks that a rewritten text has to pass before it may be written.

It parses; every statement that no edit touched is still there, as it was, in its order
and at its depth; every name still has a binding where it had one; no comment is lost
or repeated. Where the outermost statements that were edited show it, the others are
not looked at.
"""

from __future__ import annotations

import ast
import io
import symtable
import tokenize
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from ..analysis.parents import first_row
from ..finding import Edit
from ..source import Source
from .changes import Change, changes_of, head


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
    changes = changes_of(source, text, edits, after)
    if changes is not None and _evidently_pass(changes, touched):
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


def _evidently_pass(changes: Sequence[Change], touched: Sequence[int]) -> bool:
    """Whether the changes alone show that the whole text passes the checks.

    They do not where they take a binding that other statements may need, or tell to
    read these otherwise.
    """
    before = "".join(change.before for change in changes)
    after = "".join(change.after for change in changes)
    try:
        for change in changes:
            old = ast.parse(change.before)
            new = ast.Module(change.statements, [])
            if list(map(ast.dump, head(old))) != list(map(ast.dump, head(new))):
                return False
            if not _keeps_statements(old, new, touched, change.row - 1):
                return False
        bound, unbound = _names(before)
        still_bound, now_unbound = _names(after)
        return (
            bound <= still_bound
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
