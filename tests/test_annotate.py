from __future__ import annotations

import pytest

from tests.test_suppressions import finding, judged, source
from upcast_lint.annotate import with_suppressions


def annotated(text: str, *rows: int, reason: str = "known") -> str:
    return with_suppressions(source(text), [finding(*rows)], reason)[0]


@pytest.mark.parametrize(
    ("text", "rows", "result"),
    [
        ("x = 1\n", (1,), "x = 1  # upcast-lint: ignore[UPC001] known\n"),
        ("x = 1", (1,), "x = 1  # upcast-lint: ignore[UPC001] known"),
        ("x = 1  # why\n", (1,), "x = 1  # why  # upcast-lint: ignore[UPC001] known\n"),
        (
            "x = 1  # upcast-lint: ignore[UPC002] old\n",
            (1,),
            "x = 1  # upcast-lint: ignore[UPC002, UPC001] old\n",
        ),
        ("x = 1  \r\n", (1,), "x = 1  # upcast-lint: ignore[UPC001] known  \r\n"),
        ("x = \\\n  1\n", (1, 2), "x = \\\n  1  # upcast-lint: ignore[UPC001] known\n"),
        (
            'x = """\n"""\n',
            (1, 2),
            'x = """\n"""  # upcast-lint: ignore[UPC001] known\n',
        ),
        ("f(\n)\n", (1, 2), "f(  # upcast-lint: ignore[UPC001] known\n)\n"),
    ],
)
def test_the_comment_goes_where_a_comment_can_stand(
    text: str, rows: tuple[int, ...], result: str
) -> None:
    assert annotated(text, *rows) == result
    assert judged(result, finding(*rows)).kept == ()


def test_a_finding_without_a_row_for_a_comment_is_left() -> None:
    text = 'x = """\n"""\n'
    assert with_suppressions(source(text), [finding(1)], "known") == (text, 0)


def test_findings_of_one_row_share_a_comment() -> None:
    found = [finding(1), finding(1, code="UPC002")]
    text, count = with_suppressions(source("x = 1\n"), found, "a\n reason")
    assert text == "x = 1  # upcast-lint: ignore[UPC001, UPC002] a reason\n"
    assert count == 2
