"""Files that no person wrote: the outcome is a result or a named error, and soon."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from upcast_lint.checker import FixMode

from .support import CAST, FUNCTION, MENDED, checked, codes, run_check

FOUND = FUNCTION.encode()
MEGABYTE = 1_000_000
MOST_SECONDS = 10

UNREADABLE = {
    "opening brackets": FOUND + b"(" * 10 * MEGABYTE,
    "square brackets": FOUND + b"[" * 10 * MEGABYTE,
    "pairs of braces": FOUND + b"{" * 5 * MEGABYTE + b"}" * 5 * MEGABYTE,
    "a chain of calls": FOUND + b"()" * 5 * MEGABYTE,
    "closing brackets": FOUND + b")" * 10 * MEGABYTE,
    "nested calls": FOUND + b"f(" * 5000 + b")" * 5000,
    "nested calls around a cast": b"x = " + b"f(" * 5000 + FOUND + b")" * 5000,
    "chained calls": FOUND + b"f" + b"()" * 5000,
    "a sum of many terms": FOUND + b"x = " + b"a + " * 50_000 + b"a\n",
    "signs": FOUND + b"x = " + b"-" * 100_000 + b"1\n",
    "a null byte": FOUND + b"x = 1\x00\n",
    "nothing but null bytes": b"\x00" * MEGABYTE,
    "rot13": b"# coding: rot13\n" + FOUND,
    "utf-7 that spells otherwise": b"# coding: utf-7\n+AGEAcwBk-\n" + FOUND,
    "utf-7 with a lone surrogate": b"# coding: utf-7\nx = '+2AA-'\n" + FOUND,
    "an escape of a surrogate": b"# coding: raw_unicode_escape\nx='\\ud800'\n" + FOUND,
    "punycode": b"# coding: punycode\n" + FOUND * 10_000 + b"x-" + b"a" * 20_000,
    "idna": b"# coding: IDNA\n" + FOUND * 10_000,
    "no codec of texts": b"# coding: zip\n" + FOUND,
    "a mark and another cookie": b"\xef\xbb\xbf# coding: latin-1\n" + FOUND,
    "two marks": b"\xef\xbb\xbf" * 2 + FOUND,
    "utf-16": FUNCTION.encode("utf-16"),
    "utf-16 without a mark": FUNCTION.encode("utf-16-le"),
    "utf-16 as its cookie says": b"# coding: utf-16-le\n" + FOUND,
    "the end of a DOS file": FOUND + b"\x1a",
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_no_parser_takes_is_named_soon(name: str) -> None:
    start = time.process_time()
    assert codes(UNREADABLE[name]) == ["UPC900"]
    assert time.process_time() - start < MOST_SECONDS


READABLE = {
    "a long way down": b"x = 1\n" * 100_000 + FOUND,
    "a long string": b"x = '''" + b"a\n" * 500_000 + b"'''\n" + FOUND,
    "a string of brackets": b"x = '" + b"(" * 9_000 + b"'\n" + FOUND,
    "a long dictionary": b"x = {" + b"'a': 1," * 50_000 + b"}\n" + FOUND,
    "form feeds": b"\x0c" * 100_000 + FOUND,
    "form feeds before each line": FOUND.replace(b"def", b"\x0cdef"),
    "lone carriage returns": FOUND.replace(b"\n", b"\r"),
    "continued lines": b"\\\n" * 50_000 + FOUND,
    "a mark": b"\xef\xbb\xbf" + FOUND,
    "many comments in one": FOUND + b"#" * 100_000 + b" noqa" * 10_000 + b"\n",
    "many codes in one comment": FOUND + b"# noqa: " + b"A1 " * 100_000 + b"\n",
    "many functions": b"".join(FOUND.replace(b"g(", b"g%d(" % n) for n in range(300)),
}


@pytest.mark.parametrize("name", READABLE)
def test_a_cast_is_found_in_what_python_takes(name: str) -> None:
    start = time.process_time()
    assert "UPC001" in codes(READABLE[name])
    assert time.process_time() - start < MOST_SECONDS


def test_a_cast_after_a_hundred_thousand_lines_is_fixed() -> None:
    data = b"# 1\n" * 100_000 + FOUND
    done = checked(data, FixMode.UNSAFE)
    assert done.data == data.replace(CAST.encode(), MENDED.encode())


def test_many_idle_directives_in_one_comment() -> None:
    data = b"# upcast-lint: ignore[UPC001] " * 5_000 + b"\n"
    start = time.process_time()
    done = checked(data, FixMode.SAFE)
    assert (len(done.fixed), done.data) == (5_000, b"")
    assert time.process_time() - start < MOST_SECONDS


def test_each_is_named_on_the_command_line_and_the_rest_go_on(tmp_path: Path) -> None:
    number = 0
    for number, data in enumerate(UNREADABLE.values(), 1):
        (tmp_path / f"bad{number}.py").write_bytes(data[: 2 * MEGABYTE])
    (tmp_path / "good.py").write_bytes(FOUND)
    names = [path.name for path in tmp_path.iterdir()]
    returncode, found, stderr = run_check(tmp_path, "-j", "2", "--width", "any", *names)
    assert (returncode, stderr) == (1, "")
    assert found.pop("good.py") == {"UPC001"}
    assert found == {f"bad{n}.py": {"UPC900"} for n in range(1, number + 1)}


@pytest.mark.parametrize(
    "notebook",
    [
        [],
        "cells",
        {"cells": None},
        {"cells": [], "metadata": []},
        {"cells": [], "metadata": {"kernelspec": "python"}},
        {"cells": [{"cell_type": "code", "source": 5}]},
        {"cells": [{"cell_type": "code", "source": {"x": 1}}], "metadata": None},
    ],
)
def test_json_that_is_no_notebook_is_named(notebook: object) -> None:
    findings = checked(json.dumps(notebook).encode(), name="x.ipynb").findings
    assert [finding.code for finding in findings] == ["UPC900"]


@pytest.mark.parametrize("comment", ["pass  # upcast-lint magic 7\n", "%%time\n"])
def test_a_cell_that_imitates_our_marks_is_not_mixed_up(comment: str) -> None:
    lines = ["%matplotlib inline\n", comment, *FUNCTION.splitlines(keepends=True)]
    cell = {"cell_type": "code", "source": lines}
    done = checked(json.dumps({"cells": [cell]}).encode(), FixMode.UNSAFE, "x.ipynb")
    assert done.data is None or MENDED.encode() in done.data
    assert done.data is not None or done.refusal or not done.fixed


def test_idle_directives_side_by_side_are_all_taken_out() -> None:
    data = b"x = 1  # upcast-lint: ignore[UPC001] # upcast-lint: ignore[UPC002]\n"
    assert checked(data, FixMode.SAFE).data == b"x = 1\n"
