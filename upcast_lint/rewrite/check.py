"""The checks that a rewritten text has to pass before it may be written.

It parses; every statement that no edit touched is still there, as it was, in its order
and at its depth; every name still has a binding where it had one; no comment is lost.
"""

from __future__ import annotations

import ast
import io
import symtable
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence

from ..finding import Edit
from ..source import Source
from .text import is_directive


def failed_check(source: Source, text: str, edits: Sequence[Edit]) -> str | None:
    """Which check a new text fails, or None."""
    try:
        after = ast.parse(text, source.path)
    except SyntaxError as error:
        return f"the rewritten file would not parse: {error.msg}"
    before = ast.parse(source.text, source.path)
    touched = sorted((e.range.start.row, e.range.end.row) for e in edits)
    kept = [
        print_
        for statement, print_ in _statements(before, 0)
        if not _is_touched(statement, touched)
    ]
    if not _is_subsequence(kept, [print_ for _, print_ in _statements(after, 0)]):
        return "the rewrite would change a statement that it does not edit"
    unbound = _unbound_names(text, source.path) - _unbound_names(
        source.text, source.path
    )
    if unbound:
        return f"the rewrite would leave `{min(unbound)[1]}` without a binding"
    lost = [
        comment
        for comment in _comments(source.text) - _comments(text)
        if not is_directive(comment)
    ]
    if lost:
        return f"the rewrite would lose the comment {min(lost)!r}"
    return None


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


def _is_touched(statement: ast.stmt, touched: Sequence[tuple[int, int]]) -> bool:
    first_row = statement.lineno
    decorators = getattr(statement, "decorator_list", [])
    if decorators:
        first_row = min(first_row, decorators[0].lineno)
    last = statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        last = max(statement.lineno, body[0].lineno - 1)
    return any(first <= last and first_row <= end for first, end in touched)


def _unbound_names(text: str, path: str) -> set[tuple[str, str]]:
    """The names, with their scope, that neither a function nor the module binds."""
    top = symtable.symtable(text, path, "exec")
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
    return found


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
