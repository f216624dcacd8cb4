"""What a finding says, where it points, and when there is none."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.rewrite.helpers import IMPORTS, source_of
from upcast_lint.finding import Confidence, Finding, Grounds, Range
from upcast_lint.linter import Options, lint
from upcast_lint.source import Source


def findings(
    code: str, *, least: Confidence = Confidence.LOW
) -> tuple[Source, list[Finding]]:
    source = source_of(IMPORTS + dedent(code).lstrip("\n"))
    return source, list(lint(source, Options(least=least)))


def finding(code: str, *, least: Confidence = Confidence.LOW) -> tuple[Source, Finding]:
    source, (found,) = findings(code, least=least)
    return source, found


def text(source: Source, where: Range) -> str:
    return source.text[source.offset(where.start) : source.offset(where.end)]


SILENT = {
    "no cast": """
        def f(x, i):
            return x.gather(-1, i)
    """,
    "nothing reads the copy": """
        def f(x):
            w = x.float()
    """,
    "metadata alone": """
        def f(x):
            return x.float().shape
    """,
    "read whole": """
        def f(x):
            return x.float().logsumexp(-1)
    """,
    "read whole on every path": """
        def f(x, i, c):
            w = x.float()
            if c:
                return w.gather(-1, i), w.sum()
            return w.sum()
    """,
    "read whole before the selection": """
        def f(x, i):
            w = x.float()
            total = w.sum()
            return w.gather(-1, i) - total
    """,
    "nearly everything is kept": """
        def f(x):
            return x.float()[:, :-1]
    """,
    "two parts that make the whole": """
        def f(x, n):
            w = x.float()
            return w[:, :n], w[:, n:]
    """,
    "every second element and the others": """
        def f(x):
            w = x.float()
            return w[:, 0::2], w[:, 1::2]
    """,
    "the copy is read by the next round": """
        def f(x, n, i):
            for k in n:
                if k:
                    use(x.gather(-1, i))
                x = x.float()
    """,
    "a kernel of another language": """
        import triton
        @triton.jit
        def f(x, i):
            return x.to(torch.float32).gather(-1, i)
    """,
    "a kernel of another language, imported": """
        from numba import njit
        @njit(cache=True)
        def f(x, i):
            return x.float().gather(-1, i)
    """,
    "integers": """
        def f(n):
            x = torch.arange(n)
            return x.float().gather(-1, n)
    """,
    "a mask": """
        def f(x, i):
            mask = x > 0
            return mask.float().gather(-1, i)
    """,
    "a module": """
        def f(i):
            layer = torch.nn.Linear(3, 4)
            return layer.float().weight, layer.double()[0]
    """,
    "the scope looks at its names": """
        def f(x, i):
            w = x.float()
            log(locals())
            return w.gather(-1, i)
    """,
    "a named part is written to": """
        def f(x, i):
            w = x.float()
            part = w[:, 0]
            part.add_(1)
            return part, w.gather(-1, i)
    """,
    "a part is written to at once": """
        def f(x, i):
            w = x.float()
            w[:, 0].add_(1)
            return w.gather(-1, i)
    """,
    "a part is stepped in place": """
        def f(x, i):
            w = x.float()
            part = w[:, 0]
            part += 1
            return part, w.gather(-1, i)
    """,
    "a part of a part is stored to": """
        def f(x, i):
            w = x.float()
            w[:, 0][0] = 1
            return w.gather(-1, i)
    """,
    "an 8-bit store": """
        def f(packed, slots):
            assert packed.dtype is torch.float8_e4m3fn
            return packed.to(torch.float32).gather(0, slots)
    """,
    "a float32 already": """
        def f(n, i):
            x = torch.zeros(n, n, dtype=torch.float32)
            return x.float().gather(-1, i)
    """,
    "arithmetic before a comparison": """
        def f(x):
            return (x.float() / 2).argmax(-1)
    """,
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT.keys())
def test_silent(code: str) -> None:
    assert findings(code)[1] == []


NARROW = "`x` is upcast to float32 whole, but only `gather` reads it"

MESSAGES = {
    "one read": ("def f(x, i): return x.float().gather(-1, i)", NARROW),
    "the target type": (
        "def f(x, i): return x.double().gather(-1, i)",
        "`x` is upcast to float64 whole, but only `gather` reads it",
    ),
    "two reads of one kind": (
        """
        def f(x, i, k):
            w = x.float()
            return w.gather(-1, i), w.gather(-1, k)
        """,
        NARROW,
    ),
    "two reads": (
        """
        def f(x, i, k):
            w = x.float()
            return w.gather(-1, i), w.index_select(0, k)
        """,
        "`x` is upcast to float32 whole, but only `gather` and `index_select` read it",
    ),
    "three reads": (
        """
        def f(x, i, k):
            w = x.float()
            return w.gather(-1, i), w.index_select(0, k), w.take(i)
        """,
        "`x` is upcast to float32 whole, but only `gather`, `index_select` and `take` "
        "read it",
    ),
    "positions alone": (
        "def f(x): return x.float().argmax(-1)",
        "`x` is upcast to float32 whole, but only `argmax` reads it, which needs no "
        "cast",
    ),
    "an expression": (
        "def f(m, i): return m(i).logits.float().gather(-1, i)",
        "`m(i).logits` is upcast to float32 whole, but only `gather` reads it",
    ),
    "an expression over several lines": (
        "def f(m, i): return m(\n    i,\n).float().gather(-1, i)",
        "`m( i, )` is upcast to float32 whole, but only `gather` reads it",
    ),
    "a long expression is cut": (
        f"def f(m, i): return m({'a' * 80}).float().gather(-1, i)",
        f"`m({'a' * 55}...` is upcast to float32 whole, but only `gather` reads it",
    ),
}


@pytest.mark.parametrize(("code", "message"), MESSAGES.values(), ids=MESSAGES.keys())
def test_message(code: str, message: str) -> None:
    assert finding(code)[1].message == message


BRANCHES = {
    "no other branch": (
        """
        if c:
            return w.gather(-1, i)
        """,
        "",
    ),
    "another branch that does not read it": (
        """
        if c:
            return 0
        return w.gather(-1, i)
        """,
        "",
    ),
    "an arm": (
        """
        if c:
            return w.gather(-1, i)
        else:
            return full(w)
        """,
        " when c",
    ),
    "the else": (
        """
        if c is None:
            return full(w)
        else:
            return w.gather(-1, i)
        """,
        " when c is not None",
    ),
    "behind an arm that returns": (
        """
        if c and not d:
            return full(w)
        return w.gather(-1, i)
        """,
        " when not c or d",
    ),
    "behind an arm that raises": (
        """
        if c > 0:
            raise ValueError(w)
        return w.gather(-1, i)
        """,
        " when c <= 0",
    ),
    "behind two arms": (
        """
        if c:
            return full(w)
        if d:
            return full(w)
        return w.gather(-1, i)
        """,
        " when not c and not d",
    ),
    "in a chain": (
        """
        if c == 1:
            return full(w)
        elif c == 2:
            return w.gather(-1, i)
        else:
            return full(w)
        """,
        " when c != 1 and c == 2",
    ),
    "in nested arms": (
        """
        if c:
            if d:
                return w.gather(-1, i)
            return full(w)
        return full(w)
        """,
        " when c and d",
    ),
    "an arm that leaves before a full read": (
        """
        if c:
            return w.gather(-1, i)
        return full(w)
        """,
        " when c",
    ),
    "an arm that goes on": (
        """
        if c:
            full(w)
        return w.gather(-1, i)
        """,
        "",
    ),
    "an arm without a full read stays unsaid": (
        """
        if d:
            return 0
        if c:
            return full(w)
        return w.gather(-1, i)
        """,
        " when not c",
    ),
}


@pytest.mark.parametrize(("body", "when"), BRANCHES.values(), ids=BRANCHES.keys())
def test_the_condition_of_the_branch(body: str, when: str) -> None:
    lines = "\n".join(f"    {line}" for line in dedent(body).strip().splitlines())
    _, found = finding(f"def f(x, i, c, d):\n    w = x.float()\n{lines}\n")
    assert found.message == f"{NARROW}{when}"


LOCATIONS = {
    "an assignment of one expression": (
        """
        def f(x, i):
            y = x.float().gather(-1, i)
        """,
        "y = x.float().gather(-1, i)",
    ),
    "a return of one expression": (
        """
        def f(x, i):
            return x.float().gather(-1, i)
        """,
        "return x.float().gather(-1, i)",
    ),
    "an expression in a condition": (
        """
        def f(x, i):
            if x.float().gather(-1, i).sum() > 0:
                pass
        """,
        "x.float().gather(-1, i)",
    ),
    "a named copy": (
        """
        def f(x, i):
            w = x.float()
            return w.gather(-1, i)
        """,
        "x.float()",
    ),
    "a walrus": (
        """
        def f(x, i):
            return (w := x.float()).gather(-1, i)
        """,
        "x.float()",
    ),
    "the loop over its pieces": (
        """
        def f(x):
            for part in x.float().split(4):
                use(part)
        """,
        "x.float().split(4)",
    ),
}


@pytest.mark.parametrize(("code", "where"), LOCATIONS.values(), ids=LOCATIONS.keys())
def test_location(code: str, where: str) -> None:
    source, found = finding(code)
    assert text(source, found.range) == where
    assert found.cast is not None
    assert text(source, found.cast) == "x.float()"


def test_the_reads_are_those_that_select_in_the_order_of_the_text() -> None:
    source, found = finding(
        """
        def f(x, i, k, c):
            w = x.float()
            if c:
                return full(w), w.shape
            return w.gather(-1, i), w.index_select(0, k)
        """
    )
    assert [text(source, read.range) for read in found.reads] == [
        "w.gather(-1, i)",
        "w.index_select(0, k)",
    ]


def test_a_read_of_a_chain_over_several_lines_is_what_comes_behind_the_copy() -> None:
    source, found = finding(
        """
        def f(x, i):
            return (
                x
                .float()
                .gather(-1, i)
            )
        """
    )
    (read,) = found.reads
    assert text(source, read.range).strip() == ".gather(-1, i)"


def test_a_read_in_the_function_form_is_all_of_it() -> None:
    source, found = finding(
        """
        def f(x, i):
            return torch.gather(
                x.float(),
                -1,
                i,
            )
        """
    )
    (read,) = found.reads
    assert text(source, read.range).startswith("torch.gather(")


def test_the_code_is_that_of_the_first_read() -> None:
    _, found = finding(
        """
        def f(x, i, k):
            w = x.float()
            return w.index_select(0, k), w.gather(-1, i)
        """
    )
    assert (found.code, found.name) == ("UPC002", "upcast-before-index-select")


def test_each_cast_has_its_own_finding() -> None:
    code = "def f(x, y): return x.float().gather(-1, y.float().argmax(-1))"
    _, found = findings(code)
    assert [f.code for f in found] == ["UPC001", "UPC007"]


def test_labels_give_shapes_where_they_are_known() -> None:
    _, found = finding(
        """
        def f(logits, labels, vocab_size):
            # logits: [B, S, V]
            wide = logits.float()
            return wide.gather(-1, labels.unsqueeze(-1))
        """
    )
    assert found.cast_label == "cast of [B, S, V]"
    assert [read.label for read in found.reads] == ["keeps [B, S, 1]"]


def test_labels_give_words_where_shapes_are_not_known() -> None:
    _, found = finding("def f(x, i): return x.float().gather(-1, i)")
    assert found.cast_label == "cast"
    assert [read.label for read in found.reads] == ["keeps the elements that `i` names"]


def test_the_estimate_counts_the_bytes_of_the_copy() -> None:
    code = """
        def f(logits, labels, vocab_size):
            # logits: [B, S, V]
            return logits.{}().gather(-1, labels.unsqueeze(-1))
    """
    for name, size in (("float", 4), ("double", 8)):
        _, found = finding(code.format(name))
        assert found.estimate is not None
        assert found.estimate.expression == f"{size}·B·S·(V − 1)"
        sizes = {"B": 1, "S": 2048, "V": 151936}
        assert found.estimate.bytes_at(sizes) == size * 2048 * 151935


ESTIMATES = {
    "sizes that a factory states": (
        "x = torch.randn(2, 3, 5)\n    return x.bfloat16().float()[:, -1]",
        ("4·(2·3·5 − 2·5)", 80),
    ),
    "sizes that a view states": (
        "return x.view(8, 100).float()[:, :3]",
        ("4·8·(100 − 3)", 3104),
    ),
    "a size that a name states": (
        "n = 7\n    return x.reshape(n, 4).float()[-1]",
        ("4·(7·4 − 4)", 96),
    ),
    "as many as a name states": (
        "k = 3\n    return torch.randn(2, 50).bfloat16().float().topk(k)",
        ("4·2·(50 − 3)", 376),
    ),
    "an index of stated sizes": (
        "x = torch.randn(2, 5).bfloat16()\n    i = torch.randint(0, 5, (2, 1))\n"
        "    return x.float().gather(-1, i)",
        ("4·2·(5 − 1)", 32),
    ),
    "no element is cast": (
        "return torch.randn(2, 50).bfloat16().float().argmax(-1)",
        ("4·2·50", 400),
    ),
    "a position of logits": (
        "return lm_logits.float()[:, -1]",
        ("4·B·(S − 1)·V", None),
    ),
    "columns of logits": (
        "return lm_logits.float().gather(-1, i)",
        ("4·B·S·(V − K)", None),
    ),
    "two selections on a path": (
        "w = lm_logits.float()\n    return w[:, -1], w.gather(-1, i)",
        ("4·(B·S·V − B·V − B·S·K)", None),
    ),
    "rows of a mask that may have several dimensions": (
        "return lm_logits.float()[i > 0]",
        ("4·(B·S·V − kept)", None),
    ),
    "pieces of a loop, which may live on": (
        "w = lm_logits.float()\n    for k in range(n): yield w[:, k].exp()",
        ("4·(B·S·V − kept)", None),
    ),
}


@pytest.mark.parametrize(("body", "expected"), ESTIMATES.values(), ids=ESTIMATES)
def test_the_saving_is_the_copy_less_what_is_kept(
    body: str, expected: tuple[str, int | None]
) -> None:
    _, found = finding(f"def f(x, lm_logits, i, n):\n    {body}\n")
    assert found.estimate is not None
    assert (found.estimate.expression, found.estimate.bytes_at({})) == expected


NO_ESTIMATE = {
    "no shape is known": "return x.float().gather(-1, i)",
    "more axes than logits have": "return lm_logits.float()[0, 0, 0, :-n]",
}


@pytest.mark.parametrize("body", NO_ESTIMATE.values(), ids=NO_ESTIMATE)
def test_no_saving_is_told_where_the_shape_is_not_known(body: str) -> None:
    _, found = finding(f"def f(x, lm_logits, i, n):\n    {body}\n")
    assert found.estimate is None


def test_stated_sizes_give_bytes() -> None:
    _, found = finding("def f(lm_logits): return lm_logits.float()[:, -1]")
    assert found.estimate is not None
    assert found.estimate.bytes_at({"B": 1, "S": 3, "V": 10}) == 4 * 2 * 10
    assert found.estimate.bytes_at({"B": 1, "S": 3}) is None


def test_a_narrow_source_is_reported_on_demand_alone() -> None:
    code = "def f(x, i): return x.float().gather(-1, i)"
    assert findings(code, least=Confidence.MEDIUM)[1] == []
    _, found = finding(code)
    assert found.grounds == Grounds(Confidence.LOW, ())


def test_a_wide_source_says_why_it_is_taken_for_one() -> None:
    code = """
        def f(model, ids, labels):
            logits = model(ids).logits
            return logits.float().gather(-1, labels.unsqueeze(-1))
    """
    _, found = finding(code, least=Confidence.MEDIUM)
    assert found.grounds is not None and found.grounds.because


ROWS = {
    "one line": (
        """
        def f(x, i):
            return x.float().gather(-1, i)
        """,
        (6,),
    ),
    "cast and read": (
        """
        def f(x, i):
            w = x.float()
            n = 1
            return w.gather(-1, i)
        """,
        (6, 8),
    ),
    "first and last line of each statement": (
        """
        def f(x, i):
            w = x.to(
                torch.float32,
            )
            return g(
                w.gather(-1, i),
            )
        """,
        (6, 8, 9, 11),
    ),
    "every read": (
        """
        def f(x, i):
            w = x.float()
            a = w.gather(-1, i)
            n = 1
            return a, w.gather(-1, n)
        """,
        (6, 7, 9),
    ),
    "the header of a loop, not its body": (
        """
        def f(x):
            for part in x.float().split(4):
                use(part)
                use(part)
        """,
        (6,),
    ),
    "the header of an `if`": (
        """
        def f(x, i):
            if x.float().gather(-1, i).sum() > 0:
                use(i)
        """,
        (6,),
    ),
    "a comprehension": (
        """
        def f(x):
            return [
                part.sum()
                for part in x.float().split(4)
            ]
        """,
        (6, 9),
    ),
}


@pytest.mark.parametrize(("code", "rows"), ROWS.values(), ids=ROWS.keys())
def test_suppression_rows(code: str, rows: tuple[int, ...]) -> None:
    assert finding(code)[1].suppression_rows == rows


def test_what_the_fix_says() -> None:
    _, found = finding("def f(x, i): return x.float().gather(-1, i)")
    assert found.fix is not None
    assert found.fix.message == "Select first, then cast the result"
    _, found = finding("def f(x): return x.float().argmax(-1)")
    assert found.fix is not None and found.fix.message == "Remove the cast"


def test_a_finding_without_a_fix_says_why() -> None:
    _, found = finding("def f(x): return x.float().topk(5)")
    assert found.fix is None
    assert found.notes == ("not rewritten: values and indices are passed on together",)
