"""Comments that silence findings, and what is to be said about idle ones.

The forms are `# noqa`, `# noqa: UPC001,…`, `# upcast-lint: ignore`,
`# upcast-lint: ignore[UPC001,…] reason` and `# upcast-lint: ignore-file[…]`. A code
may be a prefix; inside brackets it may be a rule's name. Comments are found by
tokenizing, so text inside strings never counts.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .finding import Edit, Finding, Fix, Position, Range, Safety
from .registry import all_rules
from .run_rules import UNREADABLE, UNUSED, UNUSED_NAME
from .source import Source

_PREFIX = "UPC"
_NOQA = re.compile(
    r"#\s*(?i:noqa)\b(?:\s*:\s*(?P<codes>[A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+\b)*))?[^#]*"
)
_DIRECTIVE = re.compile(
    r"#\s*upcast-lint:\s*ignore(?P<file>-file)?\b"
    r"(?:\s*\[(?P<codes>[^\]#]*)\])?[^#]*"
)
_ENTRY = re.compile(r"[^\s,]+")
_WHOLE_FILE = 0  # rows count from 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One code or name in a suppression, at `start` within the line."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Suppression:
    """One directive; columns count from 0. No `entries` silences every rule."""

    row: int
    start: int
    end: int
    entries: tuple[Entry, ...]
    is_directive: bool
    """`# upcast-lint: …`; in a `# noqa`, codes of other linters stand beside ours."""
    is_for_file: bool = False

    def silences(self, finding: Finding) -> Iterator[Entry | None]:
        """The entries that silence it; None stands for the lack of entries."""
        if not (self.is_for_file or self.row in finding.suppression_rows):
            return
        if not self.entries:
            yield None
        for entry in self.entries:
            if finding.code.startswith(entry.text) or finding.name == entry.text:
                yield entry


def suppressions(source: Source) -> tuple[Suppression, ...]:
    """Every suppression of the source; none where it cannot be tokenized."""
    lowered = source.text.lower()
    if "noqa" not in lowered and "upcast-lint:" not in lowered:
        return ()
    found: list[Suppression] = []
    lines = io.StringIO(source.text, newline=None)  # a lone CR ends a line, too
    try:
        for token in tokenize.generate_tokens(lines.readline):
            if token.type == tokenize.COMMENT:
                found += _in_comment(token.string, *token.start)
    except (tokenize.TokenError, SyntaxError):
        return ()
    return tuple(found)


def _in_comment(comment: str, row: int, column: int) -> Iterator[Suppression]:
    for pattern, is_directive in ((_NOQA, False), (_DIRECTIVE, True)):
        for match in pattern.finditer(comment):
            codes = match["codes"]
            entries = tuple(
                Entry(entry[0], column + match.start("codes") + entry.start())
                for entry in _ENTRY.finditer(codes or "")
            )
            if codes is not None and not entries:
                continue  # `ignore[]` names nothing, which is not everything
            is_for_file = is_directive and match["file"] is not None
            start, end = column + match.start(), column + match.end()
            yield Suppression(row, start, end, entries, is_directive, is_for_file)


@dataclass(frozen=True, slots=True)
class Judged:
    """Findings that stand, and the idle suppressions as findings."""

    kept: tuple[Finding, ...]
    unused: tuple[Finding, ...]


def judge(
    source: Source, findings: Iterable[Finding], codes: frozenset[str] | None
) -> Judged:
    """Apply the source's suppressions. `codes` are the rules that ran, None for those
    that run where none is selected.

    A suppression of a rule that did not run is not called unused.
    """
    present = suppressions(source)
    by_row: defaultdict[int, list[int]] = defaultdict(list)
    for number, each in enumerate(present):
        by_row[_WHOLE_FILE if each.is_for_file else each.row].append(number)
    used: set[tuple[int, Entry | None]] = set()
    kept: list[Finding] = []
    for finding in findings:
        rows = {*finding.suppression_rows, _WHOLE_FILE}
        numbers = [number for row in rows for number in by_row.get(row, ())]
        hits = {(n, entry) for n in numbers for entry in present[n].silences(finding)}
        used |= hits
        if not hits:
            kept.append(finding)
    unused: list[Finding] = []
    for number, each in enumerate(present):
        if not each.entries:
            if each.is_directive and (number, None) not in used and codes is None:
                unused.append(_unused(source, each, ()))
            continue
        idle = tuple(
            entry
            for entry in each.entries
            if (number, entry) not in used and _was_tried(entry, each, codes)
        )
        if idle:
            unused.append(_unused(source, each, idle))
    return Judged(tuple(kept), tuple(unused))


def _was_tried(entry: Entry, where: Suppression, codes: frozenset[str] | None) -> bool:
    """Whether the run would have had a finding for this entry to silence."""
    if entry.text.startswith((UNREADABLE, UNUSED)):
        return False
    if codes is not None:
        return any(code.startswith(entry.text) for code in codes)
    if any(r.is_optional and entry.text in (r.code, r.name) for r in all_rules()):
        return False
    return where.is_directive or entry.text.startswith(_PREFIX)


def _unused(source: Source, where: Suppression, idle: tuple[Entry, ...]) -> Finding:
    names = ", ".join(f"`{entry.text}`" for entry in idle) or "every rule"
    start = idle[0].start if idle else where.start
    end = idle[-1].start + len(idle[-1].text) if idle else where.end
    edit = _without(source, where, idle)
    return Finding(
        code=UNUSED,
        name=UNUSED_NAME,
        message=f"suppression of {names} silences nothing",
        range=Range(Position(where.row, start + 1), Position(where.row, end + 1)),
        safety=Safety.SAFE,
        fix=Fix(Safety.SAFE, "remove it", (edit,)),
    )


def _without(source: Source, where: Suppression, idle: tuple[Entry, ...]) -> Edit:
    """The edit that takes `idle` out, with all of the directive if none is left."""
    gone = set(idle)
    left = [entry for entry in where.entries if entry not in gone]
    if left:
        first, last = where.entries[0], where.entries[-1]
        return _edit(
            where.row,
            first.start,
            last.start + len(last.text),
            ", ".join(entry.text for entry in left),
        )
    line = source.line(where.row)
    head, tail = line[: where.start].rstrip(), line[where.end :]
    if tail:  # another comment follows in the same place
        return _edit(where.row, where.start, where.end, "")
    if head or where.row == len(source.line_starts):
        return _edit(where.row, len(head), where.end, "")
    return Edit(Range(Position(where.row, 1), Position(where.row + 1, 1)), "")


def _edit(row: int, start: int, end: int, content: str) -> Edit:
    return Edit(Range(Position(row, start + 1), Position(row, end + 1)), content)
