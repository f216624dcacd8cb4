from __future__ import annotations

import pytest

from upcast_lint.finding import Finding, Position, Range, Safety
from upcast_lint.run_rules import UNUSED
from upcast_lint.source import Source, apply_edits
from upcast_lint.suppressions import Judged, judge, suppressions


def source(text: str) -> Source:
    return Source.from_bytes(text.encode(), "x.py")


def finding(*rows: int, code: str = "UPC001") -> Finding:
    at = Position(rows[0], 1)
    name = {"UPC001": "upcast-before-gather"}.get(code, "another-rule")
    return Finding(code, name, "", Range(at, at), suppression_rows=rows)


def judged(
    text: str, *findings: Finding, codes: frozenset[str] | None = None
) -> Judged:
    return judge(source(text), findings, codes)


def fixed(text: str, *findings: Finding) -> str:
    """The text without its idle suppressions."""
    unused = judged(text, *findings).unused
    edits = [edit for each in unused if each.fix for edit in each.fix.edits]
    return apply_edits(source(text), edits)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "x = '# noqa'\n",
        "x = '''\n# noqa: UPC001\n'''\n",
        "x = 1  # type: ignore\n",
        "x = 1  # nothing, noqa\n",
        "x = 1  # upcast-lint: distinct(idx)\n",
        "x = 1  # upcast-lint: no-grad\n",
        "x = 1  # my upcast-lint: ignore\n",
        "def f(:  # noqa\n",
    ],
)
def test_what_is_not_a_suppression(text: str) -> None:
    assert suppressions(source(text)) == ()
    assert len(judged(text, finding(1)).kept) == 1


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA",
        "# noqa: UPC001",
        "# noqa:UPC001",
        "# noqa : UPC001",
        "# noqa: E501, UPC001",
        "# noqa: E501 UPC001",
        "# noqa: UPC001 because of the padding",
        "# noqa: UPC0",
        "# type: ignore  # noqa: UPC001",
        "# why  # upcast-lint: ignore",
        "# upcast-lint: ignore[UPC001]",
        "# upcast-lint: ignore[UPC003, UPC001] both are meant",
        "# upcast-lint: ignore[upcast-before-gather]",
        "#upcast-lint:ignore[UPC]",
        "# upcast-lint: ignore-file",
        "# upcast-lint: ignore-file[UPC001]",
    ],
)
def test_what_silences_a_finding_on_its_row(comment: str) -> None:
    assert judged(f"x = 1  {comment}\n", finding(1)).kept == ()


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: UPC002",
        "# upcast-lint: ignore[UPC002]",
        "# upcast-lint: ignore[]",
        "# upcast-lint: ignore[ , ]",
        "# upcast-lint: ignore-file[UPC002]",
    ],
)
def test_what_is_about_other_rules(comment: str) -> None:
    assert judged(f"x = 1  {comment}\n", finding(1)).kept == (finding(1),)


def test_only_the_rows_of_the_finding_count() -> None:
    text = "a = 1\nb = 2  # noqa\n"
    assert judged(text, finding(1)).kept
    assert not judged(text, finding(1, 2)).kept


def test_a_file_is_ignored_from_any_row() -> None:
    text = "a = 1\n\n\n# upcast-lint: ignore-file generated\n"
    assert judged(text, finding(1)).kept == ()


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_rows_are_counted_with_every_line_end(end: str) -> None:
    text = f"a = 1{end}b = 2  # noqa: UPC001{end}"
    assert judged(text, finding(2)).kept == ()


def test_form_feeds_do_not_end_a_row() -> None:
    assert judged("a = 1\n\x0cb = 2  # noqa: UPC001\n", finding(2)).kept == ()


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("x = 1  # noqa: UPC001\n", "x = 1\n"),
        ("x = 1  # noqa: UPC001 for a reason\n", "x = 1\n"),
        ("x = 1  # noqa: E501, UPC001\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # noqa: UPC001, E501 long\n", "x = 1  # noqa: E501 long\n"),
        ("x = 1  # keep  # noqa: UPC001\n", "x = 1  # keep\n"),
        ("x = 1  # noqa: UPC001  # keep\n", "x = 1  # keep\n"),
        ("x = 1  # upcast-lint: ignore\n", "x = 1\n"),
        ("x = 1  # upcast-lint: ignore[UPC001, UPC002] why\n", "x = 1\n"),
        ("# upcast-lint: ignore-file\nx = 1\n", "x = 1\n"),
        ("x = 1\n    # noqa: UPC001", "x = 1\n"),
        ("x = 1  # noqa: UPC001\r\ny = 2\r\n", "x = 1\r\ny = 2\r\n"),
    ],
)
def test_an_idle_suppression_is_taken_out(text: str, without: str) -> None:
    (unused,) = judged(text).unused
    assert unused.code == UNUSED
    assert unused.fix is not None
    assert unused.fix.safety is Safety.SAFE
    assert fixed(text) == without


def test_only_the_idle_code_is_taken_out() -> None:
    text = "x = 1  # noqa: UPC001, UPC002\n"
    assert fixed(text, finding(1)) == "x = 1  # noqa: UPC001\n"


@pytest.mark.parametrize(
    "text", ["x = 1  # noqa\n", "x = 1  # noqa: E501\n", "x = 1  # noqa: UPC901\n"]
)
def test_what_is_never_called_idle(text: str) -> None:
    assert judged(text).unused == ()


def test_a_rule_that_did_not_run_leaves_its_suppressions_in_peace() -> None:
    text = "x = 1  # noqa: UPC002\ny = 2  # upcast-lint: ignore\n"
    assert judged(text, codes=frozenset({"UPC001"})).unused == ()
    assert len(judged(text).unused) == 2


def test_a_used_suppression_is_not_idle() -> None:
    result = judged("x = 1  # noqa: UPC001\n", finding(1))
    assert (result.kept, result.unused) == ((), ())


def test_two_comments_for_one_finding_are_both_used() -> None:
    text = "x = (  # noqa: UPC001\n    1)  # noqa: UPC001\n"
    assert judged(text, finding(1, 2)).unused == ()
