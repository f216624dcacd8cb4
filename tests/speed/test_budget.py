"""A text that takes too much work is a note of the run, and the run goes on."""

from __future__ import annotations

import time
from textwrap import indent

import pytest

from upcast_lint.analysis import work
from upcast_lint.checker import Checked, FixMode, Job, check_bytes
from upcast_lint.finding import Confidence
from upcast_lint.linter import Options

MOST = 20.0
"""Seconds of CPU on a busy machine; what the budget does not bound takes minutes."""
NEIGHBOUR = "\n\ndef small(logits, i):\n    return logits.float().gather(-1, i)\n"


def check(text: str, job: Job | None = None) -> Checked:
    return check_bytes(
        text.encode(), "model.py", job or Job(Options(least=Confidence.LOW))
    )


def function_of(*parts: str) -> str:
    body = "a = logits.float()\n" + "".join(parts)
    return f"import torch\n\n\ndef large(logits, i, c, g):\n{indent(body, '    ')}"


def repeated(part: str, count: int) -> str:
    return "".join(part.replace("N", str(number)) for number in range(count))


TEXTS = {
    "casts": repeated("aN = logits.float()\ng(aN.gather(-1, i))\n", 1000),
    "reads": repeated("g(a[:, N])\n", 2000),
    "reads in one call": f"g({repeated('a[:, N], ', 2000)})\n",
    "reads with or": f"r = ({repeated('g(a[:, N]) or ', 3000)} c)\n",
    "branches": repeated("if c == N:\n    g(a[:, N])\nelse:\n    g(a[:, -N])\n", 1500),
    "branches, some whole": repeated(
        "if c == N:\n    x = g(a[:, N])\nelse:\n    y = g(a.sum())\n", 1500
    ),
    "cases": "match c:\n" + indent(repeated("case N:\n    g(a[:, N])\n", 800), "    "),
    "handlers": repeated("try:\n    g(a[:, N])\nexcept ValueError:\n    pass\n", 800),
    "loops": repeated("for k in c:\n    g(a[:, N])\n", 800),
    "loops in one another": repeated("for kN in c: pass\n", 1)
    + "".join(f"{' ' * n}for k{n} in c:\n" for n in range(18))
    + f"{' ' * 18}g(a[:, -1])\n",
    "comprehensions": repeated("hN = [a[:, k] for k in c]\n", 800),
    "names and branches": repeated("xN = i\n", 3000)
    + repeated("if c: xN = c\n", 1500)
    + "g(a[:, -1])\n",
}


@pytest.mark.parametrize("body", TEXTS.values(), ids=TEXTS)
def test_a_hostile_function_ends_and_its_neighbour_is_checked(body: str) -> None:
    began = time.process_time()
    found = check(function_of(body) + NEIGHBOUR).findings
    assert time.process_time() - began < MOST
    assert found[-1].code == "UPC001"


def test_many_functions() -> None:
    text = "import torch\n" + repeated(
        "def fN(logits, i):\n    return logits.float().gather(-1, i)\n\n\n", 1500
    )
    began = time.process_time()
    assert len(check(text).findings) == 1500
    assert time.process_time() - began < MOST


@pytest.fixture
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "MOST_STEPS", 2000)


LARGE = function_of(TEXTS["branches"]) + NEIGHBOUR


@pytest.mark.usefixtures("small_budget")
def test_the_note_names_the_function() -> None:
    note, finding = check(LARGE).findings
    assert note.code == "UPC900" and finding.code == "UPC001"
    assert note.message == ("not checked: function `large` is too large to be analysed")
    assert note.range.start.row == 4


@pytest.mark.usefixtures("small_budget")
def test_it_can_be_ignored() -> None:
    job = Job(Options(least=Confidence.LOW), codes=frozenset(("UPC001",)))
    assert [each.code for each in check(LARGE, job).findings] == ["UPC001"]


@pytest.mark.usefixtures("small_budget")
def test_the_rest_of_the_file_is_fixed() -> None:
    job = Job(Options(least=Confidence.LOW), fix=FixMode.UNSAFE)
    checked = check(LARGE, job)
    assert [each.code for each in checked.fixed] == ["UPC001"]
    assert [each.code for each in checked.findings] == ["UPC900"]


@pytest.mark.usefixtures("small_budget")
def test_the_result_is_the_same_each_time() -> None:
    assert check(LARGE).findings == check(LARGE).findings
