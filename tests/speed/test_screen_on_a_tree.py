"""What the tiers of the screen rule out, the analysis rules out: on a large tree.

Findings are few, so each tier is held to what it speaks about: the spellings to every
cast, the reach to every cast whose copy meets a selection, the words to every verdict
on width, the excerpts to every finding.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.analysis.helpers import recognise
from upcast_lint import linter
from upcast_lint.analysis.casts import Cast, cast_candidates, recognise_cast
from upcast_lint.analysis.directives import read_directives
from upcast_lint.analysis.facts import Facts, Module
from upcast_lint.analysis.flow import follow
from upcast_lint.analysis.width import bound
from upcast_lint.analysis.width.bound import may_be_vocab_wide
from upcast_lint.analysis.width.verdict import judge_width
from upcast_lint.analysis.width.words import words
from upcast_lint.finding import Confidence
from upcast_lint.linter import Options
from upcast_lint.screen.excerpt import excerpt
from upcast_lint.screen.outline import Outline
from upcast_lint.screen.tiers import Rows, suspects, telling_text
from upcast_lint.source import Source

FOLDERS = ("nn", "optim", "distributions", "ao", "_refs", "_decomp", "testing")
CHECKOUT = Path(__file__).resolve().parents[2]


def sources() -> list[Source]:
    spec = importlib.util.find_spec("torch")
    assert spec is not None and spec.submodule_search_locations
    root = Path(spec.submodule_search_locations[0])
    folders = [*(root / folder for folder in FOLDERS), CHECKOUT / "rules"]
    return [
        Source.from_bytes(data, str(path))
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
        if b"float" in (data := path.read_bytes()) or b"double" in data
    ]


@pytest.fixture(scope="module")
def tree() -> list[Source]:
    found = sources()
    assert len(found) > 300
    return found


def casts_of(source: Source) -> Iterator[tuple[Cast, Facts]]:
    module = Module.parse(source)
    for scope, calls in cast_candidates(module.tree).items():
        facts = module.facts(scope)
        for call in calls:
            cast = recognise_cast(call, facts)
            if cast is not None:
                yield cast, facts


def rows_of(cast: Cast, source: Source) -> Rows | None:
    """The outermost function that holds a cast; None where it must be looked for."""
    span = Outline(source.text).function_at(source.node_end(cast.call) - 1)
    if span is None:
        return None
    return source.position(span.start).row, source.position(span.end - 1).row


def holds(found: list[Rows] | None, rows: Rows | None) -> bool:
    return found is None or (rows is not None and rows in found)


def test_a_cast_that_meets_a_selection_is_suspect(tree: list[Source]) -> None:
    met = 0
    for source in tree:
        found = suspects(source.text, any_width=True)
        directives = read_directives(source)
        for cast, facts in casts_of(source):
            if follow(cast, facts, directives, recognise).selections():
                met += 1
                at = f"{source.path}:{cast.call.lineno}"
                assert holds(found, rows_of(cast, source)), at
    assert met > 100


def test_a_wide_source_stands_among_its_words(tree: list[Source]) -> None:
    judged = wide = 0
    for source in tree:
        outline = Outline(source.text)
        for cast, facts in casts_of(source):
            span = outline.function_at(source.node_start(cast.call))
            if span is not None:
                judged += 1
                if judge_width(cast.source, facts).is_vocab_wide:
                    wide += 1
                    text = telling_text(outline, span)
                    assert may_be_vocab_wide(text, source.text), source.path
    assert judged > 200
    assert wide > 3


def test_a_name_without_a_telling_word_says_nothing(
    tree: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {name for source in tree for name in re.findall(r"\w+", source.text)}
    told = [name for name in names if bound._said(name)]
    monkeypatch.setattr(bound, "TELLING", {word for n in names for word in words(n)})
    bound._said.cache_clear()
    assert told == [name for name in names if bound._said(name)]
    assert len(told) > 1000


def test_an_excerpt_has_every_finding_of_its_function(tree: list[Source]) -> None:
    options = Options(least=Confidence.LOW)
    met = 0
    for source in tree:
        for finding in linter.lint_rows(source, options, None):
            assert finding.cast is not None
            span = Outline(source.text).function_at(source.offset(finding.cast.start))
            if span is None:
                continue
            rows = source.position(span.start).row, source.position(span.end - 1).row
            part = excerpt(source, [rows])
            if part is not None:
                met += 1
                found = linter.lint_rows(part, options, [rows])
                assert finding.cast in [each.cast for each in found], source.path
    assert met > 20


def test_the_findings_are_those_of_the_full_analysis(tree: list[Source]) -> None:
    total = 0
    for least, some in (
        (Confidence.MEDIUM, tree[::4]),
        (Confidence.LOW, tree[::2]),
    ):
        options = Options(least=least)
        for source in some:
            full = linter.lint_rows(source, options, None)
            assert linter.lint(source, options) == full, source.path
            total += len(full)
    assert total > 30
