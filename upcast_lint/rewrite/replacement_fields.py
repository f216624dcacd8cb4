"""The replacement fields of f-strings, in which not every text may be edited.

`f"{w[0]=}"` prints the text of its expression, so that an edit in it shows. And before
Python 3.12 the places of nodes in an f-string are not always true.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..analysis.facts import Facts
from ..source import Source
from .text import Text, Unfixable


def check_fields(text: Text, touched: Iterable[ast.AST], facts: Facts) -> None:
    """Raises Unfixable where an edit of `text`, or of a node, shows in an f-string."""
    nodes = set(touched)
    for field in facts.once(_fields):
        value = field.value
        holds = any(node in nodes for node in ast.walk(field))
        if not _is_where_it_says(value, facts.source):
            if holds:
                raise Unfixable("the places of an f-string are not known")
            continue
        start, end = facts.source.node_start(value), facts.source.node_end(value)
        if not _prints_its_text(end, facts.source):
            continue
        if any(start <= c.end and c.start <= end for c in text.changes):
            raise Unfixable("an f-string prints the text of the expression")


def _fields(facts: Facts) -> list[ast.FormattedValue]:
    """The fields in a scope and in the scopes within it."""
    return [n for n in ast.walk(facts.scope) if isinstance(n, ast.FormattedValue)]


def _is_where_it_says(node: ast.expr, source: Source) -> bool:
    segment = source.segment(node)
    try:
        found = ast.parse(f"({segment}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return ast.dump(found) == ast.dump(node)


def _prints_its_text(end: int, source: Source) -> bool:
    """Whether `=` follows on an expression that ends here, maybe in parentheses."""
    rest = source.text[end : end + 200].lstrip(" \t\f\r\n)")
    return rest.startswith("=")
