"""Outside the edits every byte stays, whatever the file is made of."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from upcast_lint.checker import FixMode

from .support import CAST, MENDED, checked

ENDS = ("\n", "\r\n", "\r")
# Text that is none of Python's line ends; `str.splitlines` breaks at some of it.
WORDS = st.text(
    st.characters(exclude_characters="\r\n\0\\'", exclude_categories=["Cs"]), max_size=8
)
ODD = st.sampled_from(["\x0c", "\x0b", "\x85", "\u2028", "\x1c", "\t", " ", "é", "𝔛"])
COMMENTS = st.builds("".join, st.lists(st.one_of(WORDS, ODD), max_size=4))
INDENTS = st.sampled_from(["\t", " ", "    ", "\t ", "\t\t", "\x0c  "])
TAILS = st.one_of(
    st.sampled_from(["", " ", "\t", ";", " ; ", "  \x0c"]),
    COMMENTS.map(lambda text: f"  # {text}"),
)
ENCODINGS = ["", "utf-8", "latin-1", "cp1252", "koi8-r", "euc_jp", "cp437"]


@st.composite
def blocks(draw: Callable[..., str]) -> str:
    """A few whole lines of a module, each with an end of its own."""
    end = draw(st.sampled_from(ENDS))
    inner = draw(st.sampled_from(ENDS))
    match draw(st.integers(0, 6)):
        case 0:
            return f"# {draw(COMMENTS)}{end}"
        case 1:
            return draw(st.sampled_from(["", " ", "\t", "\x0c", "\x0c\t"])) + end
        case 2:
            return f"s = '{draw(COMMENTS)}'{draw(TAILS)}{end}"
        case 3:
            return f"s = '''{draw(COMMENTS)}{inner}\t{draw(COMMENTS)}'''{end}"
        case 4:
            return f"if s:{inner}{draw(INDENTS)}s = 1{draw(TAILS)}{end}"
        case _:
            middle = draw(st.sampled_from(["", "# é", "\x0c", "\t"])) + inner
            start = f"def g(logits, i):{draw(TAILS).replace(';', '')}{end}"
            return f"{start}{middle}{draw(INDENTS)}return {CAST}{draw(TAILS)}{end}"


@st.composite
def modules(draw: Callable[..., str]) -> bytes:
    encoding = draw(st.sampled_from(ENCODINGS))
    text = "".join(draw(st.lists(blocks(), min_size=1, max_size=8)))
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    text += draw(st.sampled_from(["", "\t", "# end", "\x0c"]))
    if encoding:
        text = f"# -*- coding: {encoding} -*-{draw(st.sampled_from(ENDS[:2]))}{text}"
    data = text.encode(encoding or "utf-8", "ignore")
    if encoding in ("", "utf-8") and draw(st.booleans()):
        return b"\xef\xbb\xbf" + data
    return data


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(modules())
def test_every_byte_outside_the_edits_stays_and_a_second_fix_does_nothing(
    data: bytes,
) -> None:
    done = checked(data, FixMode.UNSAFE)
    unread = [finding for finding in done.findings if finding.code == "UPC900"]
    assume(not unread)  # an indent that the drawn form feed made wrong, say
    new = data.replace(CAST.encode(), MENDED.encode())
    assert (done.data or data) == new, done.refusal
    assert len(done.fixed) == data.count(CAST.encode())
    assert checked(new, FixMode.UNSAFE).data is None


@settings(deadline=None)
@given(modules(), st.sampled_from(["utf-16", "utf-16-le", "utf-16-be", "utf-32"]))
def test_what_python_does_not_read_is_left_alone(data: bytes, encoding: str) -> None:
    done = checked(data.decode("latin-1").encode(encoding), FixMode.UNSAFE)
    assert [finding.code for finding in done.findings] == ["UPC900"]
    assert done.data is None


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_are_too_much(data: bytes) -> None:
    for name in ("x.py", "x.ipynb"):
        assert checked(data, FixMode.UNSAFE, name).data is None


KEYS = st.sampled_from(["cells", "cell_type", "source", "metadata", "kernelspec", "x"])
LINES = st.sampled_from(
    [
        f"return_ = {CAST}\n",
        f"def g(logits, i): return {CAST}\n",
        "%time x\n",
        "pass  # upcast-lint magic 0\n",
        "# upcast-lint cell 1\n",
        "x = 'é'",
    ]
)
LEAVES = st.one_of(
    st.none(), st.integers(), st.floats(), LINES, st.lists(LINES), st.just("code")
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(KEYS, inner)),
    max_leaves=10,
)
CELLS = st.fixed_dictionaries(
    {"cell_type": st.just("code"), "source": st.one_of(LINES, st.lists(LINES), VALUES)}
)
NOTEBOOKS = st.fixed_dictionaries(
    {"cells": st.lists(CELLS, max_size=3)}, optional={"metadata": VALUES}
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(NOTEBOOKS, VALUES), st.sampled_from([None, 0, 1]), st.booleans())
def test_only_lines_of_casts_change_in_json(
    value: object, indent: int | None, is_ascii: bool
) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=is_ascii).encode()
    done = checked(data, FixMode.UNSAFE, "x.ipynb")
    if done.data is None:
        return
    assert done.data.replace(MENDED.encode(), CAST.encode()) == data
    assert checked(done.data, FixMode.UNSAFE, "x.ipynb").data is None
