"""One source in, findings or a new text out."""

from __future__ import annotations

import gc

import pytest

from tests.rewrite.helpers import source_of
from upcast_lint.finding import Confidence, Edit, Finding, Fix, Position, Range, Safety
from upcast_lint.linter import Mended, Options, lint, mend
from upcast_lint.source import Source

ANY = Options(least=Confidence.LOW)
TWO = """\
import torch
def f(x, y, i):
    a = x.float().gather(-1, i)
    b = y.float().index_select(0, i)
    return a, b
"""


def fixes(text: str, options: Options = ANY) -> tuple[Finding, ...]:
    return tuple(f for f in lint(source_of(text), options) if f.fix is not None)


NOTHING = {
    "an empty file": "",
    "a comment": "# x.float().gather(-1, i)\n",
    "a string": "s = 'x.float().gather(-1, i)'\n",
    "a docstring": '"""x.float().gather(-1, i)"""\n',
    "no cast": "def f(x, i): return x.gather(-1, i)\n",
    "a built-in": "def f(x): return float(x)\n",
    "a narrow source": "def f(x, i): return x.float().gather(-1, i)\n",
}


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING.keys())
def test_nothing_is_found(text: str) -> None:
    assert lint(source_of(text), Options()) == ()


@pytest.mark.parametrize("text", ["def f(:\n", "x = (\n", "  x = 1\n", "x\0y\n"])
def test_what_does_not_parse_is_raised(text: str) -> None:
    with pytest.raises(SyntaxError):
        lint(source_of(text), ANY)


def test_findings_are_in_the_order_of_the_text() -> None:
    text = TWO + "w = X.float()\nv = w.argmax(-1)\n"
    found = lint(source_of(text), ANY)
    assert [f.range.start.row for f in found] == [3, 4, 6]


def test_every_scope_is_looked_at() -> None:
    text = """\
import torch
a = A.float().argmax(-1)
class C:
    b = B.float().argmax(-1)
    def g(self, x):
        def h(y):
            return y.float().argmax(-1)
        return lambda z: z.float().argmax(-1)
async def k(x):
    return [y.float().argmax(-1) for y in x]
"""
    found = lint(source_of(text), ANY)
    assert [f.range.start.row for f in found] == [2, 4, 7, 8, 10]


def test_only_the_codes_that_are_asked_for() -> None:
    assert [f.code for f in lint(source_of(TWO), ANY)] == ["UPC001", "UPC002"]
    only = Options(codes=frozenset(("UPC002",)), least=Confidence.LOW)
    assert [f.code for f in lint(source_of(TWO), only)] == ["UPC002"]
    none = Options(codes=frozenset(), least=Confidence.LOW)
    assert lint(source_of(TWO), none) == ()


def test_a_code_that_is_not_asked_for_still_counts_as_a_read() -> None:
    text = """\
import torch
def f(x, i):
    w = x.float()
    return w.gather(-1, i), w.argmax(-1)
"""
    only = Options(codes=frozenset(("UPC007",)), least=Confidence.LOW)
    assert lint(source_of(text), only) == ()
    first = Options(codes=frozenset(("UPC001",)), least=Confidence.LOW)
    (found,) = lint(source_of(text), first)
    assert len(found.reads) == 2


def test_a_wide_name_of_the_configuration() -> None:
    text = "import torch\ndef f(grid, i): return grid.float().gather(-1, i)\n"
    assert lint(source_of(text), Options()) == ()
    assert len(lint(source_of(text), Options(vocab_names=("gr*",)))) == 1


def test_a_narrow_name_of_the_configuration() -> None:
    text = """\
import torch
def f(model, ids, labels):
    logits = model(ids).logits
    return logits.float().gather(-1, labels.unsqueeze(-1))
"""
    assert len(lint(source_of(text), Options())) == 1
    assert lint(source_of(text), Options(not_vocab_names=("logits",))) == ()


def test_the_same_source_gives_the_same_findings() -> None:
    assert lint(source_of(TWO), ANY) == lint(source_of(TWO), ANY)


def test_the_collector_is_left_as_it_was() -> None:
    for switch, expected in ((gc.enable, True), (gc.disable, False)):
        switch()
        try:
            lint(source_of(TWO), ANY)
            assert gc.isenabled() is expected
            with pytest.raises(SyntaxError):
                lint(source_of("("), ANY)
            assert gc.isenabled() is expected
        finally:
            gc.enable()


def test_nothing_to_mend() -> None:
    assert mend(source_of(TWO), ANY, ()) == Mended(TWO)


def test_all_that_is_given_is_mended() -> None:
    found = fixes(TWO)
    mended = mend(source_of(TWO), ANY, found)
    assert mended.fixed == found
    assert mended.refusal is None
    assert "x.gather(-1, i).float()" in mended.text
    assert "y.index_select(0, i).float()" in mended.text


def test_only_what_is_given_is_mended() -> None:
    second = fixes(TWO)[1:]
    mended = mend(source_of(TWO), ANY, second)
    assert mended.fixed == second
    assert "x.float().gather(-1, i)" in mended.text


def test_a_finding_without_a_fix_is_passed_over() -> None:
    text = TWO + "def g(x): return x.float().topk(5)\n"
    found = lint(source_of(text), ANY)
    assert [f.fix is None for f in found] == [False, False, True]
    mended = mend(source_of(text), ANY, found)
    assert mended.fixed == found[:2]


def test_of_two_fixes_of_one_text_the_second_waits() -> None:
    text = """\
import torch
def f(x, i, k):
    a = x.float()
    b = x.float()
    return a.gather(-1, i), b.gather(-1, k)
"""
    first = mend(source_of(text), ANY, fixes(text))
    assert len(first.fixed) == 1
    second = mend(source_of(first.text), ANY, fixes(first.text))
    assert len(second.fixed) == 1
    assert "= x.float()" not in second.text
    assert fixes(second.text) == ()


def edited(row: int, start: int, end: int, content: str) -> Finding:
    where = Range(Position(row, start), Position(row, end))
    fix = Fix(Safety.SAFE, "change it", (Edit(where, content),))
    return Finding("UPC001", "upcast-before-gather", "?", where, fix=fix)


def test_a_fix_that_breaks_the_file_is_refused() -> None:
    broken = edited(2, 1, 4, "def def")
    mended = mend(source_of(TWO), ANY, (broken,))
    assert mended.text == TWO
    assert mended.fixed == ()
    assert mended.refusal is not None and "would not parse" in mended.refusal


def test_a_fix_that_breaks_the_file_does_not_keep_the_others_from_it() -> None:
    found = fixes(TWO)
    mended = mend(source_of(TWO), ANY, (edited(2, 1, 4, "def def"), *found))
    assert mended.fixed == found
    assert mended.refusal is not None


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    source = Source.from_bytes(b"\xef\xbb\xbf" + TWO.encode(), "test.py")
    assert [f.range.start for f in lint(source, ANY)] == [
        f.range.start for f in lint(source_of(TWO), ANY)
    ]


def test_columns_count_code_points() -> None:
    text = 'import torch\ndef f(x, i):\n    return "äöü€", x.float().gather(-1, i)\n'
    (found,) = lint(source_of(text), ANY)
    assert found.cast is not None
    assert (found.cast.start.column, found.cast.end.column) == (20, 29)


def test_deep_code_ends() -> None:
    depth = 60
    text = "import torch\ndef f(x, i):\n    return " + "(" * depth + "x.float()"
    text += ")" * depth + ".gather(-1, i)" + " + 1" * 200 + "\n"
    assert len(lint(source_of(text), ANY)) == 1


def test_a_long_chain_of_branches_ends_soon() -> None:
    lines = ["import torch", "def f(x, i, c):", "    w = x.float()"]
    for number in range(24):
        word = "if" if number == 0 else "elif"
        lines.append(f"    {word} c == {number}:")
        lines.append("        full(w)" if number % 2 else "        use(w[:, -1])")
    text = "\n".join([*lines, "    return None", ""])
    (found,) = lint(source_of(text), ANY)
    assert len(found.reads) == 12


def test_a_long_list_of_branches_ends_soon() -> None:
    lines = ["import torch", "def f(x, i, c):", "    w = x.float()"]
    for number in range(24):
        lines += [f"    if c == {number}:", "        use(w[:, -1])"]
    text = "\n".join([*lines, "    return None", ""])
    (found,) = lint(source_of(text), ANY)
    assert len(found.reads) == 24
