from __future__ import annotations

import pytest

from upcast_lint import linter
from upcast_lint.checker import FixMode, Job, check_bytes, focused
from upcast_lint.focus import Focus, identity
from upcast_lint.linter import Options

pytestmark = pytest.mark.usefixtures("toy_engine")

SAFE = "a = logits.float().gather(1, i)\n"
RISKY = "b = risky_x.float().gather(1, i)\n"
SHOWN = "c = shown_x.float().gather(1, i)\n"


def codes(data: bytes, job: Job | None = None) -> list[str]:
    return [each.code for each in check_bytes(data, "x.py", job or Job()).findings]


def fixed(text: str, fix: FixMode, focus: Focus | None = None) -> str | None:
    checked = check_bytes(text.encode(), "x.py", Job(fix=fix), focus or Focus())
    return None if checked.data is None else checked.data.decode()


@pytest.mark.parametrize("data", [b"", b"\n", b"x = 1", b"\xef\xbb\xbf", b"#\r"])
def test_a_clean_file(data: bytes) -> None:
    assert codes(data) == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"def f(:\n", "invalid syntax"),
        (b"x = 1\x00\n", "null byte"),
        (b"\xff\xfe", "encoding"),
        (b"# coding: rot13\nk = 1\n", ""),
        (b"# coding: no-such\n", "unknown encoding"),
        (b"\xef\xbb\xbf# coding: latin-1\n", ""),
        (b"(" * 5000 + b")" * 5000, "too many nested parentheses"),
    ],
)
def test_what_is_not_python_is_a_finding(data: bytes, words: str) -> None:
    (finding,) = check_bytes(data, "x.py", Job()).findings
    assert finding.code == "UPC900"
    assert words in finding.message
    assert finding.range.start.row >= 1


@pytest.mark.parametrize("error", [RecursionError(), MemoryError()])
def test_a_source_too_deep_for_the_parser_is_a_finding(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(linter, "lint", fail)
    assert codes(b"x") == ["UPC900"]


def test_an_unreadable_file_is_reported_under_any_selection_but_its_own() -> None:
    assert codes(b"(", Job(codes=frozenset({"UPC001", "UPC900"}))) == ["UPC900"]
    assert codes(b"(", Job(codes=frozenset({"UPC001"}))) == []


def test_idle_suppressions_are_reported_where_selected() -> None:
    data = b"x = 1  # noqa: UPC001\n"
    assert codes(data) == ["UPC901"]
    assert codes(data, Job(codes=frozenset({"UPC001"}))) == []
    assert codes(data, Job(ignore_suppressions=True)) == []


def test_ignoring_suppressions_shows_what_they_hide() -> None:
    data = SAFE.rstrip().encode() + b"  # noqa\n"
    assert codes(data) == []
    assert codes(data, Job(ignore_suppressions=True)) == ["UPC001"]


@pytest.mark.parametrize(
    ("fix", "result"),
    [
        (FixMode.NONE, None),
        (FixMode.SAFE, "a = logits.gather(1, i).float()\n" + RISKY + SHOWN),
        (
            FixMode.UNSAFE,
            "a = logits.gather(1, i).float()\nb = risky_x.gather(1, i).float()\n"
            + SHOWN,
        ),
    ],
)
def test_only_what_was_asked_for_is_fixed(fix: FixMode, result: str | None) -> None:
    assert fixed(SAFE + RISKY + SHOWN, fix) == result


def test_a_suppressed_finding_is_not_fixed() -> None:
    assert fixed(SAFE.rstrip() + "  # noqa\n", FixMode.UNSAFE) is None


def test_a_cast_and_a_comment_of_one_line_are_both_fixed() -> None:
    text = SAFE.rstrip() + "  # noqa: UPC002\n"
    assert fixed(text, FixMode.SAFE) == "a = logits.gather(1, i).float()\n"


def test_what_is_left_is_found_in_the_new_text() -> None:
    checked = check_bytes(
        (SAFE.rstrip() + "; " + RISKY).encode(), "x.py", Job(fix=FixMode.SAFE)
    )
    (left,) = checked.findings
    assert left.range.start.column == 38
    assert len(checked.fixed) == 1


def test_a_refusal_leaves_the_file_and_says_why() -> None:
    text = "a = refused_x.float().gather(1, i)\n"
    checked = check_bytes(text.encode(), "x.py", Job(fix=FixMode.SAFE))
    assert (checked.data, checked.refusal) == (None, "the tree changed")
    assert len(checked.findings) == 1


def test_a_refusal_does_not_keep_comments_from_being_fixed() -> None:
    text = "a = refused_x.float().gather(1, i)  # noqa: UPC002\n"
    assert fixed(text, FixMode.SAFE) == "a = refused_x.float().gather(1, i)\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_bytes_outside_the_edit_are_kept(end: str, mark: str) -> None:
    text = f"{mark}# é{end}\x0c{end}{SAFE.rstrip()}{end}\tif_ = 1".replace("\tif", "if")
    new = text.replace("logits.float().gather(1, i)", "logits.gather(1, i).float()")
    assert fixed(text, FixMode.SAFE) == new


def test_a_legacy_encoding_is_kept() -> None:
    data = "# coding: latin-1\ns = 'é'\n".encode("latin-1") + SAFE.encode()
    done = check_bytes(data, "x.py", Job(fix=FixMode.SAFE)).data
    assert done == data.replace(b".float().gather(1, i)", b".gather(1, i).float()")


def test_fixing_again_changes_nothing() -> None:
    once = fixed(SAFE + RISKY + SHOWN, FixMode.UNSAFE)
    assert once is not None
    assert fixed(once, FixMode.UNSAFE) is None


def test_only_rows_in_focus_are_reported_and_fixed() -> None:
    focus = Focus(rows=((2, 2),))
    text = SAFE + SAFE
    checked = focused(check_bytes(text.encode(), "x.py", Job()), focus)
    assert [each.range.start.row for each in checked.findings] == [2]
    mended = SAFE + "a = logits.gather(1, i).float()\n"
    assert fixed(text, FixMode.SAFE, focus) == mended


def test_what_is_known_is_neither_reported_nor_fixed() -> None:
    checked = check_bytes((SAFE + RISKY).encode(), "x.py", Job())
    known = identity(checked.findings[0], checked.texts)
    focus = Focus(known=((known, 1),))
    text = "# moved\n\n" + RISKY + "    \n" + SAFE
    left = focused(check_bytes(text.encode(), "x.py", Job()), focus)
    assert [each.range.start.row for each in left.findings] == [3]
    assert left.hidden == (known,)
    assert SAFE in (fixed(text, FixMode.UNSAFE, focus) or "")


def test_one_more_of_a_known_statement_is_new() -> None:
    checked = check_bytes(SAFE.encode(), "x.py", Job())
    focus = Focus(known=((identity(checked.findings[0], checked.texts), 1),))
    twice = focused(check_bytes((SAFE * 2).encode(), "x.py", Job()), focus)
    assert [each.range.start.row for each in twice.findings] == [2]


def test_options_reach_the_linter() -> None:
    job = Job(Options(codes=frozenset({"UPC002"})))
    assert codes(SAFE.encode(), job) == []
