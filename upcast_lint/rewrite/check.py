"""The checks that a rewritten text has to pass before it may be written.

It parses; every statement that no edit touched is still there, as it was, in its order
and at its depth; and no comment is lost.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence

from ..finding import Edit
from ..source import Source


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
    lost = _comments(source.text) - _comments(text)
    if lost:
        return f"the rewrite would lose the comment {next(iter(lost))!r}"
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
    last = statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        last = max(statement.lineno, body[0].lineno - 1)
    return any(first <= last and statement.lineno <= end for first, end in touched)


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
