"""Find, judge and mend: one source in, findings or a new text out."""

from __future__ import annotations

import gc
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from .finding import Confidence, Finding, Range
from .screen import may_spell_cast
from .source import Source, may_declare_encoding, refuse_null_bytes

if TYPE_CHECKING:
    from .screen.tiers import Rows


class Options(NamedTuple):
    """What the findings of one file depend on, besides its text."""

    codes: frozenset[str] | None = None
    """The rules to run; None runs all but the optional ones."""
    least: Confidence = Confidence.MEDIUM
    """Report sources that are vocab-wide with this confidence, or more; with the least
    every source with a narrow selection.
    """
    vocab_names: tuple[str, ...] = ()
    """Glob patterns of identifiers that name vocab-wide tensors."""
    not_vocab_names: tuple[str, ...] = ()
    inference: bool = False
    """The configuration states that no gradient flows in this file."""
    root: str = ""
    """The folder below which other files of the project may be read; none where empty.
    """
    parses_always: bool = True
    """Report what does not parse even where it cannot hold a finding."""


class Mended(NamedTuple):
    """`text` after the fixes; `fixed` are the findings it mends.

    Where a check on a result failed, `refusal` says which, and `fixed` lacks what it
    concerns; with nothing fixed `text` is the original.
    """

    text: str
    fixed: tuple[Finding, ...] = ()
    refusal: str | None = None


PARSED_SIZE = 1024
"""Up to this many bytes a text is parsed in any case.

Parsing a whole tree would take many times as long as all of the rest. So of the files
that a walk finds, those are parsed that may hold a finding, and the small ones, which
cost next to nothing; those that the user names are parsed always.
"""


_SCOPES_AT_ONCE = 100
_SUFFIXES = (".py", ".pyi", ".ipynb")
"""Of files; what came from elsewhere has no place among others."""


def lint(source: Source, options: Options) -> tuple[Finding, ...]:
    """All findings, in order. Raises SyntaxError where the text does not parse, if it
    is parsed at all: see `PARSED_SIZE`.
    """
    with _no_collection():
        rows = _suspects(source, options)
        is_parsed = options.parses_always or len(source.data) <= PARSED_SIZE
        if rows != [] or is_parsed:
            refuse_null_bytes(source.text)
        if rows and not _is_most(source, rows):
            rows = _in_excerpt(source, options, rows)
        if rows is None or rows:
            return lint_rows(source, options, rows)
        if is_parsed:
            import ast

            ast.parse(source.text, source.path)
        return ()


def load() -> None:
    """Import what a text with a finding needs."""
    from . import judge  # noqa: F401
    from .registry import all_rules
    from .screen import excerpt  # noqa: F401

    all_rules()


def _suspects(source: Source, options: Options) -> list[Rows] | None:
    """What the screen leaves; each tier is imported where a text comes to it."""
    if not ("float" in source.text or "double" in source.text):
        return []
    from .screen.spots import find_spots

    spots = find_spots(source.text)
    if not any(spots):
        return []
    from .screen.tiers import suspects

    if options.root and source.path.endswith(_SUFFIXES):
        from .project import Project

        source.project = Project(source.path, options.root)
    any_width = options.least is Confidence.LOW or bool(options.vocab_names)
    return suspects(source.text, any_width, spots, options.codes, source.project)


def _is_most(source: Source, rows: Sequence[Rows]) -> bool:
    """Whether cutting out the rest would leave about as much to read."""
    return 2 * sum(last - first for first, last in rows) > len(source.line_starts)


def _in_excerpt(source: Source, options: Options, rows: list[Rows]) -> list[Rows]:
    """Those of the rows in which a finding is left where the others are cut out."""
    from .screen.excerpt import excerpt

    part = excerpt(source, rows)
    if part is None:
        return rows
    try:
        found = lint_rows(part, options, rows, writes_fixes=False)
    except SyntaxError:
        return rows
    at = sorted(each.cast.start.row for each in found if each.cast is not None)
    return [(a, z) for a, z in rows if bisect_left(at, a) < bisect_right(at, z)]


def is_clean(data: bytes, options: Options) -> bool:
    """Whether bytes are text that needs no look to be known to hold no finding."""
    if options.parses_always or len(data) <= PARSED_SIZE:
        return False
    if may_declare_encoding(data) or may_spell_cast(data):
        return False
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def lint_rows(
    source: Source,
    options: Options,
    rows: Sequence[Rows] | None,
    writes_fixes: bool = True,
) -> tuple[Finding, ...]:
    """The findings of the functions that begin the `rows`; of all, where None.

    A function that would take too much work is a finding of the run.
    """
    from .analysis.casts import cast_candidates
    from .analysis.directives import read_directives
    from .analysis.facts import Module
    from .analysis.work import TooMuchWork
    from .judge import Demands, findings_of, too_large
    from .registry import rules_of

    module = Module.parse(source)
    candidates = cast_candidates(module.tree, rows)
    if not candidates:
        return ()
    directives = read_directives(source)
    demands = Demands(
        options.least,
        options.vocab_names,
        options.not_vocab_names,
        options.inference,
        writes_fixes,
    )
    found: list[Finding] = []
    notes: list[Finding] = []
    rules = rules_of(options.codes)
    for number, (scope, calls) in enumerate(candidates.items(), 1):
        if number % _SCOPES_AT_ONCE == 0:
            gc.collect(0)  # what is known of a scope holds itself
        module.tree.enter(scope)
        try:
            facts = module.facts(scope)
            found += tuple(findings_of(facts, calls, rules, directives, demands))
        except TooMuchWork:
            notes.append(too_large(scope, source))
    if options.codes is not None:
        found = [f for f in found if f.code in options.codes]
    return tuple(sorted([*found, *notes], key=lambda f: f.sort_key))


def mend(source: Source, options: Options, findings: tuple[Finding, ...]) -> Mended:
    """Make the fixes of `findings` (the caller has chosen which), and check them.

    Of fixes that touch the same text the first is made; the next round sees the rest.
    Where the checks refuse the whole, those fixes are made that pass one by one.
    """
    chosen = _compatible(findings)
    mended = _mend(source, chosen)
    if mended.refusal is None or len(chosen) == 1:
        return mended
    passed: list[Finding] = []
    for finding in chosen:
        if _mend(source, [*passed, finding]).refusal is None:
            passed.append(finding)
    return _mend(source, passed)._replace(refusal=mended.refusal)


def _mend(source: Source, findings: Sequence[Finding]) -> Mended:
    """Make all of these fixes, or none."""
    from .rewrite.check import failed_check
    from .source import apply_edits

    edits = [e for f in findings if f.fix is not None for e in f.fix.edits]
    if not edits:
        return Mended(source.text)
    text = apply_edits(source, edits)
    refusal = failed_check(source, text, edits)
    if refusal is not None:
        return Mended(source.text, (), refusal)
    return Mended(text, tuple(findings))


def _compatible(findings: Sequence[Finding]) -> list[Finding]:
    """The findings with a fix, without those whose edits touch an earlier one's."""
    chosen: list[Finding] = []
    taken: list[Range] = []
    for finding in sorted(findings, key=lambda f: f.sort_key):
        if finding.fix is None:
            continue
        ranges = [edit.range for edit in finding.fix.edits]
        if not any(_touches(each, taken) for each in ranges):
            for each in ranges:
                insort(taken, each)
            chosen.append(finding)
    return chosen


def _touches(new: Range, taken: Sequence[Range]) -> bool:
    """Whether a range has a place in common with any of others.

    These are in order, and overlap at their ends at most: the last one that starts in
    time ends last.
    """
    place = bisect_right(taken, new.end, key=attrgetter("start"))
    return place > 0 and new.start <= taken[place - 1].end


@contextmanager
def _no_collection() -> Iterator[None]:
    """Syntax trees are many small objects without cycles of their own."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
