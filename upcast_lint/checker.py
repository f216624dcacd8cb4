"""One file's bytes in; its findings, and with a fix asked for its new bytes, out."""

from __future__ import annotations

import enum
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from operator import not_
from typing import TYPE_CHECKING, NamedTuple

from . import linter
from .document import NOTEBOOK_SUFFIX, Document, read_document, syntax_fault
from .finding import Edit, Finding, Position, Safety
from .focus import EVERYTHING, Focus, identity
from .linter import Options
from .run_rules import UNREADABLE, UNUSED, fault
from .source import Source, UnreadableSource, apply_edits
from .writer import digest

if TYPE_CHECKING:
    from .project import Project

# Mending can open the way for another fix. Each round mends something, so files end
# well before this; it only bounds a rule that would undo another.
_MAX_ROUNDS = 10
# A run of brackets that the parser would refuse after minutes, with gigabytes in use.
_BRACKETS = re.compile(rb"[][(){}]{10000}")
_LARGE = 1_000_000
_TOO_DEEP = "nested too deeply to be analysed"
_NO_TEXTS: Mapping[int, str] = {}
_START = Position(1, 1)

Others = tuple[tuple[str, str], ...]
"""The other files that a result rests on, each with a digest; "" for none to read."""
Gate = Callable[[Source, Options, tuple[Finding, ...]], Mapping[Finding, str]]
"""Says which of the fixes chosen are not to be made after all, and why.

It can be sent to another process.
"""


class FixMode(enum.Enum):
    NONE = "none"
    SAFE = "safe"
    UNSAFE = "unsafe"

    def takes(self, finding: Finding) -> bool:
        if finding.fix is None or self is FixMode.NONE:
            return False
        return finding.fix.safety is Safety.SAFE or (
            self is FixMode.UNSAFE and finding.fix.safety is Safety.UNSAFE
        )


class Job(NamedTuple):
    """What the result for a file depends on, besides its bytes."""

    options: Options = Options()
    codes: frozenset[str] | None = None
    """All codes that may be reported, of the run too; None for every one."""
    ignore_suppressions: bool = False
    fix: FixMode = FixMode.NONE

    def reports(self, code: str) -> bool:
        return self.codes is None or code in self.codes


class Checked(NamedTuple):
    """`findings` are those left; `data` is None where nothing is to be written."""

    findings: tuple[Finding, ...]
    texts: Mapping[int, str] = _NO_TEXTS
    fixed: tuple[Finding, ...] = ()
    data: bytes | None = None
    refusal: str | None = None
    """Why the fixer left the file, or the rest of it, as it was."""
    hidden: tuple[str, ...] = ()
    """The identities of the findings that the focus left out."""
    refused: tuple[Finding, ...] = ()
    """Those of `findings` whose fix the gate refused; their condition says why."""
    others: Others = ()


def check_bytes(
    data: bytes,
    path: str,
    job: Job,
    focus: Focus = EVERYTHING,
    gate: Gate | None = None,
) -> Checked:
    """Check one file; what cannot be read as Python is a finding, too."""
    if _is_clean(data, path, job):
        return Checked(())
    if len(data) > _LARGE and _is_module(path) and _BRACKETS.search(data):
        return unreadable(_TOO_DEEP, job)
    with warnings.catch_warnings():
        # What the parser has to say about escapes in the file is not our report.
        warnings.simplefilter("ignore")
        return _check(data, path, job, focus, gate)


def _check(
    data: bytes, path: str, job: Job, focus: Focus, gate: Gate | None
) -> Checked:
    texts: Mapping[int, str] = {}
    try:
        document = read_document(data, path)
        texts = document.texts()
        findings = _findings(document, job)
    except UnreadableSource as error:
        return unreadable(str(error), job)
    except SyntaxError as error:
        row, column = error.lineno or 1, error.offset or 1
        at = Position(max(row, 1), max(column, 1))
        return unreadable(syntax_fault(error), job, at, texts)
    except RecursionError:
        return unreadable(_TOO_DEEP, job)
    except MemoryError:  # CPython's parser raises it for depth, too
        return unreadable(f"{_TOO_DEEP}, or too large for the memory", job)
    project = document.source.project
    others = others_of(project) if project is not None else ()
    if not findings and not document.faults:
        return Checked((), others=others)
    findings, hidden = _in_focus(document, findings, focus)
    if any(map(job.fix.takes, findings)):
        mended = _mend(document, job, findings, path, hidden, gate)
        return mended._replace(others=others)
    left = _left(document, findings, job)
    return Checked(left, texts, hidden=hidden, others=others)


def others_of(project: Project) -> Others:
    """What was looked for in a project, with what it was."""
    looked = sorted(project.looked.items())
    return tuple((path, "" if data is None else digest(data)) for path, data in looked)


def focused(checked: Checked, focus: Focus) -> Checked:
    """`checked`, which was made with no focus and no fix, seen with one."""
    chosen = focus.chooses(checked.findings, checked.texts)
    kept, hidden = _split(checked.findings, chosen, checked.findings, checked.texts)
    return checked._replace(findings=kept, hidden=hidden)


def texts_of(data: bytes, path: str) -> dict[int, str]:
    """What findings point into; nothing where the bytes cannot be read."""
    try:
        return read_document(data, path).texts()
    except UnreadableSource:
        return {}


def unreadable(
    reason: str,
    job: Job,
    at: Position = _START,
    texts: Mapping[int, str] = _NO_TEXTS,
) -> Checked:
    """The result for a file that could not be looked at."""
    if not job.reports(UNREADABLE):
        return Checked(())
    return Checked((fault(reason, at),), texts)


def _is_clean(data: bytes, path: str, job: Job) -> bool:
    """Whether a glance is enough; most files are done with here."""
    return (
        _is_module(path)
        and linter.is_clean(data, job.options)
        and (job.ignore_suppressions or not (b"UPC" in data or b"upcast-lint:" in data))
    )


def _is_module(path: str) -> bool:
    return not path.endswith(NOTEBOOK_SUFFIX)


def may_hold_suppression(text: str) -> bool:
    """Whether an idle suppression of ours is possible in a file without findings."""
    return "upcast-lint:" in text or ("UPC" in text and "noqa" in text.lower())


def _findings(document: Document, job: Job) -> tuple[Finding, ...]:
    """In the document's own source, suppressions applied."""
    source = document.source
    found = linter.lint(source, job.options)
    if not job.reports(UNREADABLE):
        found = tuple(finding for finding in found if finding.code != UNREADABLE)
    if job.ignore_suppressions:
        return found
    if not found and not may_hold_suppression(source.text):
        return ()
    from .suppressions import judge

    judged = judge(source, found, job.options.codes)
    if not job.reports(UNUSED):
        return judged.kept
    both = (*judged.kept, *judged.unused)
    return tuple(sorted(both, key=lambda finding: finding.sort_key))


def _located(document: Document, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    placed = map(document.located, findings)
    return tuple(finding for finding in placed if finding is not None)


def _left(
    document: Document, findings: tuple[Finding, ...], job: Job
) -> tuple[Finding, ...]:
    """What is to be reported, faults of the file included, in order."""
    faults = document.faults if job.reports(UNREADABLE) else ()
    both = (*_located(document, findings), *faults)
    return tuple(sorted(both, key=lambda finding: finding.sort_key))


def _in_focus(
    document: Document, findings: tuple[Finding, ...], focus: Focus
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The findings of the document that the focus chooses, identities of the rest."""
    if focus == EVERYTHING:
        return findings, ()
    pairs = [(finding, document.located(finding)) for finding in findings]
    placed = [(finding, shown) for finding, shown in pairs if shown is not None]
    shown = [each for _, each in placed]
    texts = document.texts()
    own = [finding for finding, _ in placed]
    return _split(own, focus.chooses(shown, texts), shown, texts)


def _split(
    findings: Sequence[Finding],
    chosen: Sequence[bool],
    shown: Sequence[Finding],
    texts: Mapping[int, str],
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    kept = tuple(compress(findings, chosen))
    others = compress(shown, map(not_, chosen))
    return kept, tuple(identity(finding, texts) for finding in others)


def _mend(
    document: Document,
    job: Job,
    findings: tuple[Finding, ...],
    path: str,
    hidden: tuple[str, ...],
    gate: Gate | None,
) -> Checked:
    """Fix in rounds, until a round finds nothing more that it may fix."""
    fixed: list[Finding] = []
    data: bytes | None = None
    refusal: str | None = None
    reasons: Mapping[Finding, str] = {}
    # Rows shift as fixes are made; what was hidden stays known by identity.
    focus = Focus(known=tuple(Counter(hidden).items()))
    # What was mended has been parsed.
    again = job._replace(options=job.options._replace(parses_always=False))
    for _ in range(_MAX_ROUNDS):
        chosen = tuple(filter(job.fix.takes, findings))
        reasons = _refusals(document.source, job, chosen, gate)
        chosen = tuple(finding for finding in chosen if finding not in reasons)
        if not chosen:
            break
        done, text, refusal = _mend_once(document, job, chosen)
        if not done:
            break
        try:
            data = document.rendered(text)
        except ValueError as error:
            refusal = str(error)
            break
        fixed += _located(document, done)
        document = read_document(data, path)
        findings, _ = _in_focus(document, _findings(document, again), focus)
    refused = {each: _without_fix(each, why) for each, why in reasons.items()}
    left = _left(document, tuple(refused.get(f, f) for f in findings), job)
    texts = document.texts() if left else {}
    told = _located(document, tuple(refused.values()))
    return Checked(left, texts, tuple(fixed), data, refusal, hidden, told)


def _refusals(
    source: Source, job: Job, chosen: tuple[Finding, ...], gate: Gate | None
) -> Mapping[Finding, str]:
    """Comments change nothing that runs, so no gate is asked about them."""
    casts = tuple(finding for finding in chosen if finding.code != UNUSED)
    return gate(source, job.options, casts) if gate and casts else {}


def _without_fix(finding: Finding, reason: str) -> Finding:
    return finding._replace(fix=None, safety=Safety.DISPLAY, condition=reason)


def _mend_once(
    document: Document, job: Job, chosen: tuple[Finding, ...]
) -> tuple[tuple[Finding, ...], str, str | None]:
    """What was fixed, the new text, and why the rest was refused, if it was.

    Comments come after the casts, in rounds of their own: where a statement moves,
    the place of a comment in it is known only afterwards.
    """
    source = document.source
    casts = tuple(finding for finding in chosen if finding.code != UNUSED)
    refusal: str | None = None
    if casts:
        mended = linter.mend(source, job.options, casts)
        if mended.fixed:
            return mended.fixed, mended.text, None
        refusal = mended.refusal
    comments = _apart(finding for finding in chosen if finding.code == UNUSED)
    edits: list[Edit] = [e for f in comments if f.fix is not None for e in f.fix.edits]
    return comments, apply_edits(source, edits), refusal


def _apart(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those, in order, whose edits overlap no earlier one's."""
    kept: list[Finding] = []
    done = _START
    for finding in findings:
        edits = finding.fix.edits if finding.fix is not None else ()
        if all(edit.range.start >= done for edit in edits):
            kept.append(finding)
            done = max((done, *(edit.range.end for edit in edits)))
    return tuple(kept)
