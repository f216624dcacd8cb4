"""What a rewritten text must pass before it may be written."""

from __future__ import annotations

import ast
from random import Random

import pytest

from upcast_lint.finding import Edit
from upcast_lint.rewrite import check as module
from upcast_lint.rewrite.check import Part, changed_part, failed_check
from upcast_lint.source import apply_edits

from .helpers import source_of

TEXT = """\
import torch  # first
def f(x):
    # why
    y = x.float()
    n = 1
    if y is None:
        return 0
    return y[0]  # last
"""


def check(*changes: tuple[str, str], text: str = TEXT) -> str | None:
    """The check that fails after each old text is replaced by a new one."""
    source = source_of(text)
    edits = []
    for old, new in changes:
        start = text.index(old)
        edits.append(Edit(source.range(start, start + len(old)), new))
    return failed_check(source, apply_edits(source, edits), edits)


PASSED: dict[str, list[tuple[str, str]]] = {
    "nothing changes": [],
    "an expression changes": [("x.float()", "x")],
    "a statement goes": [("    n = 1\n", "")],
    "a statement comes": [("    if y", "    z = 1\n    if y")],
    "a comment moves": [("    # why\n", ""), ("  # last", "  # last\n    # why")],
    "two statements change": [("x.float()", "x"), ("y[0]", "y[0].float()")],
    "a statement is replaced": [("n = 1", "pass")],
    "a comment ends in a blank": [("    # why\n", "    # why \n")],
    "a header changes": [("y is None", "x is None")],
}


@pytest.mark.parametrize("changes", PASSED.values(), ids=PASSED.keys())
def test_passed(changes: list[tuple[str, str]]) -> None:
    assert check(*changes) is None


NOT_PARSED = {
    "a parenthesis": [("x.float()", "x.float(")],
    "an indentation": [("    y = x", "      y = x")],
    "an empty suite": [("        return 0\n", "")],
    "a null byte": [("x.float()", "x\0")],
}


@pytest.mark.parametrize("changes", NOT_PARSED.values(), ids=NOT_PARSED.keys())
def test_it_has_to_parse(changes: list[tuple[str, str]]) -> None:
    failed = check(*changes)
    assert failed is not None
    assert failed.startswith("the rewritten file would not parse")


def test_no_name_loses_its_binding() -> None:
    failed = check(("    y = x.float()\n", ""))
    assert failed == "the rewrite would leave `y` without a binding"
    assert (
        check(("    y = x.float()\n", ""), ("if y", "if x"), ("y[0]", "x[0]")) is None
    )


def test_a_name_loses_its_binding_in_one_of_two_functions() -> None:
    text = "def f(x):\n    y = x\n    return y\n\n\ndef g(y):\n    return y\n"
    failed = check(("    y = x\n", ""), text=text)
    assert failed == "the rewrite would leave `y` without a binding"


def test_a_nested_function_reads_another_name_of_the_one_around_it() -> None:
    text = "def f(x):\n    y = x\n    def g():\n        return y\n    return g, y\n"
    assert check(("        return y", "        return x"), text=text) is None


LOST = {
    "a comment of its own line": ([("    # why\n", "")], "# why"),
    "a comment behind a statement": ([("y[0]  # last", "y[0]")], "# last"),
    "one of two that are equal": (
        [("  # first", "")],
        "# first",
    ),
}


@pytest.mark.parametrize(("changes", "comment"), LOST.values(), ids=LOST.keys())
def test_no_comment_is_lost(changes: list[tuple[str, str]], comment: str) -> None:
    failed = check(*changes, text=TEXT.replace("# last", "# last"))
    assert failed == f"the rewrite would lose the comment {comment!r}"


def test_no_comment_is_lost_where_two_are_equal() -> None:
    text = "a = 1  # same\nb = 2  # same\n"
    failed = check(("a = 1  # same", "a = 1"), text=text)
    assert failed == "the rewrite would lose the comment '# same'"


def test_a_number_sign_in_a_string_is_no_comment() -> None:
    text = "a = '# no'\nb = 2\n"
    assert check(("'# no'", "''"), text=text) is None


CHANGED = "the rewrite would change a statement that it does not edit"


def test_a_statement_that_moves_into_another_suite() -> None:
    text = "if a:\n    b\nc\n"
    assert check(("    b\n", "    b\n    d\n    "), text=text) is not None


def test_a_statement_that_no_edit_touches_has_to_stay() -> None:
    source = source_of(TEXT)
    after = TEXT.replace("return 0", "return 1")
    assert failed_check(source, after, []) == CHANGED
    after = TEXT.replace("    return y[0]", "        return y[0]")
    assert failed_check(source, after, []) == CHANGED
    after = TEXT.replace("def f(x)", "def f(x, y)")
    assert failed_check(source, after, []) == CHANGED


def test_a_statement_below_an_edit_has_to_stay() -> None:
    source = source_of("a = 1\nb = 2\nc = 3\n")
    edit = Edit(source.range(4, 5), "10")
    assert failed_check(source, "a = 10\nb = 2\nc = 3\n", [edit]) is None
    assert failed_check(source, "a = 10\nb = 2\nc = 4\n", [edit]) == CHANGED


SUITES = """\
try:
    a = 1
except E:
    b = 2
    c = 3
finally:
    d = 4
    e = 5
match f:
    case 6:
        g = 7
        i = 9
h = 8
"""
MOVED = {
    "of a handler changes": ("b = 2", "b = 0"),
    "of a case changes": ("g = 7", "g = 0"),
    "goes from a handler": ("    b = 2\n    c = 3\n", "    c = 3\n"),
    "goes from a handler into what is tried": (
        "except E:\n    b = 2\n",
        "    b = 2\nexcept E:\n",
    ),
    "goes from a handler behind it": (
        "    c = 3\nfinally:\n    d = 4\n    e = 5\n",
        "finally:\n    d = 4\n    e = 5\nc = 3\n",
    ),
    "goes from a case behind it": ("        i = 9\n", "i = 9\n"),
}


@pytest.mark.parametrize(("old", "new"), MOVED.values(), ids=MOVED)
def test_a_statement_of_a_suite(old: str, new: str) -> None:
    assert SUITES.count(old) == 1
    after = SUITES.replace(old, new)
    assert failed_check(source_of(SUITES), after, []) == CHANGED


@pytest.mark.parametrize(("edited", "other"), ["23", "45", "79"])
def test_an_edit_leaves_the_rest_of_its_suite_under_the_check(
    edited: str, other: str
) -> None:
    source = source_of(SUITES)
    start = SUITES.index(edited)
    edit = Edit(source.range(start, start + 1), "0")
    after = SUITES.replace(edited, "0")
    assert failed_check(source, after, [edit]) is None
    assert failed_check(source, after.replace(other, "0"), [edit]) == CHANGED


@pytest.mark.parametrize("number", "1234578")
def test_an_edit_in_a_suite(number: str) -> None:
    assert check((number, "0"), text=SUITES) is None


def test_an_edit_in_a_head_of_several_lines() -> None:
    assert check(("1", "2"), text="def f(\n    a=1,\n):\n    return a\n") is None


def test_statements_that_swap() -> None:
    source = source_of("a = 1\nb = 2\n")
    assert failed_check(source, "b = 2\na = 1\n", []) == CHANGED


def test_a_statement_that_goes_into_the_else() -> None:
    text = "if a:\n    b\nelse:\n    c\n    d\n"
    after = "if a:\n    b\n    c\nelse:\n    d\n"
    assert failed_check(source_of(text), after, []) == CHANGED


def test_an_edit_of_a_body_leaves_its_header_under_the_check() -> None:
    source = source_of(TEXT)
    start = TEXT.index("x.float()")
    edit = Edit(source.range(start, start + len("x.float()")), "x")
    after = TEXT.replace("x.float()", "x").replace("def f(x)", "def f(y)")
    assert failed_check(source, after, [edit]) == CHANGED


def test_line_ends_of_every_kind() -> None:
    for ending in ("\r\n", "\r"):
        text = TEXT.replace("\n", ending)
        assert check(("x.float()", "x"), text=text) is None
        assert check(("y[0]  # last", "y[0]"), text=text) is not None


FUTURE = "from __future__ import division\n"
HEAD = '"""d"""\nfrom __future__ import annotations\n' + FUTURE

PARTS: dict[str, tuple[str, list[tuple[str, str]], tuple[str, int, str, str]]] = {
    "a line of one statement": (
        "a = 1\nb = 2\nc = 3\n",
        [("2", "4")],
        ("", 1, "b = 2\n", "b = 4\n"),
    ),
    "two statements and what is between": (
        "z = 0\na = 1\n# b\nb = 2\nc = 3\nd = 5\n",
        [("1", "4"), ("3", "5")],
        ("", 1, "a = 1\n# b\nb = 2\nc = 3\n", "a = 4\n# b\nb = 2\nc = 5\n"),
    ),
    "the first statement, with what stands above it": (
        "# a\n\na = 1\nb = 2\n",
        [("1", "4")],
        ("", 0, "# a\n\na = 1\n", "# a\n\na = 4\n"),
    ),
    "a statement that goes": (
        "a = 1\nb = 2\nc = 3\nd = 4\n",
        [("b = 2\n", "")],
        ("", 1, "b = 2\nc = 3\n", "c = 3\n"),
    ),
    "a function that is decorated": (
        "a = 1\n@d\ndef f():\n    return a\n\nc = 3\n",
        [("return a", "return 2")],
        ("", 1, "@d\ndef f():\n    return a\n\n", "@d\ndef f():\n    return 2\n\n"),
    ),
    "statements on one line": (
        "z = 0\na = 1; b = 2\nc = 3\n",
        [("2", "4")],
        ("", 1, "a = 1; b = 2\n", "a = 1; b = 4\n"),
    ),
    "the last line, which has no end": (
        "a = 1\nb = 2  # c",
        [("2", "20"), ("  # c", "")],
        ("", 1, "b = 2  # c", "b = 20"),
    ),
    "statements that grow and shrink": (
        "z = 0\na = 1\nb = 20\nc = 3\nd = 4\n",
        [("1", "'a long string'"), ("20", "2"), ("3", "3\ne = 5")],
        (
            *("", 1, "a = 1\nb = 20\nc = 3\n"),
            "a = 'a long string'\nb = 2\nc = 3\ne = 5\n",
        ),
    ),
    "what stands under imports from the future": (
        HEAD + "a = 1\nb = 2\n",
        [("2", "4")],
        (HEAD, 1, "b = 2\n", "b = 4\n"),
    ),
    "an import from the future": (
        "from __future__ import annotations\n" + FUTURE + "a = 1\nb = 2\n",
        [(FUTURE, "")],
        (*("from __future__ import annotations\n", 0), FUTURE + "a = 1\n", "a = 1\n"),
    ),
}


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(("text", "edited", "found"), PARTS.values(), ids=PARTS)
def test_what_changes(
    text: str,
    edited: list[tuple[str, str]],
    found: tuple[str, int, str, str],
    order: int,
) -> None:
    source = source_of(text)
    edits = []
    for old, new in edited[::order]:
        start = text.index(old)
        edits.append(Edit(source.range(start, start + len(old)), new))
    after = apply_edits(source, edits)
    rows = sorted(row for e in edits for row in (e.range.start.row, e.range.end.row))
    assert changed_part(source, after, rows, ast.parse(after)) == Part(*found)


@pytest.mark.parametrize("other", ["a", "c"])
def test_what_changes_besides_the_edits(other: str) -> None:
    source = source_of("a = 1\nb = 2\nc = 3\n")
    edits = [Edit(source.range(10, 11), "20")]
    after = apply_edits(source, edits).replace(other, "d")
    assert changed_part(source, after, [2], ast.parse(after)) is None


STATEMENTS = (
    "from __future__ import annotations\n",
    "x = 1\n",
    "y = x  # c\n",
    "a = 1; b = 2\n",
    "def f(p):\n    # in\n    q = p.float()\n    return q[0]\n",
    "if x:\n    y = 2\nelse:\n    y = 3  # d\n",
    "try:\n    z = y\nexcept E:\n    pass\n",
    '@d\n@e\ndef g(n: x) -> y:\n    """doc\n# no"""\n    return n + z\n',
    's = """\n# in\nx = 2\n"""\n',
    "class C:\n    v: x = y\n    def m(self): return v\n",
    "l = \\\n  x\n",
    "def h():\n    global x\n    x = 3\n    return k\n",
)
CONTENTS = (
    *("", "x", "x = 1\n", "# c\n", "\n", "else:\n    pass\n", "    ", "z = x\n", "; "),
    *('"""', "  # d", "\\\n", "(", "\r\n", "del y\n", "import k\n"),
)


def test_what_changes_tells_the_same_as_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = Random(0)
    passed = 0
    for _ in range(1500):
        text = "".join(random.choices(STATEMENTS, k=random.randint(1, 6)))
        text = text.replace("\n", random.choice(("\n", "\n", "\n", "\r\n", "\r")))
        source = source_of(text)
        edits = []
        done = 0
        for start in sorted(random.sample(source.line_starts, k=random.choice((1, 2)))):
            start, end = (
                max(start, done),
                min(start + random.choice((0, 3, 9)), len(text)),
            )
            if start <= end:
                edits.append(Edit(source.range(start, end), random.choice(CONTENTS)))
                done = end
        after = apply_edits(source, edits)
        with monkeypatch.context() as patch:
            patch.setattr(module, "changed_part", lambda *_: None)
            whole = failed_check(source, after, edits)
        assert failed_check(source, after, edits) == whole, (text, edits)
        passed += whole is None
    assert 200 < passed < 1300


def test_of_a_large_file_only_what_changes_is_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed: list[ast.stmt] = []
    own = module._own

    def counted(statement: ast.stmt) -> str:
        printed.append(statement)
        return own(statement)

    monkeypatch.setattr(module, "_own", counted)
    assert check(("x.float()", "x"), text="a = 1\n" * 1000 + TEXT) is None
    assert 0 < len(printed) < 20


def test_a_file_that_does_not_compile() -> None:
    text = "def f(a, a):\n    b = a.float()\n    return b\n"
    failed = check(("a.float()", "a"), text=text)
    assert failed is not None and failed.startswith("the names of the file cannot")
