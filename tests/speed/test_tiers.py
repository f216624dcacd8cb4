"""Which functions of a file are suspect, and where it takes the whole to tell."""

from __future__ import annotations

import pytest

from upcast_lint.screen.outline import Outline
from upcast_lint.screen.spots import Spots
from upcast_lint.screen.tiers import suspects, telling_text

SUSPECT = "def f(x):\n    return x.float()[0]\n"
SILENT = {
    "the module casts, and selects nothing": "y = x.float() * 2\n",
    "an example in a string": f'"""\n{SUSPECT}"""\n',
    "the name of a copy in another function": (
        "def f(x):\n    y = x.float()\n    return y * 2\ndef g(y):\n    return y[0]\n"
    ),
    "a type that a class binds for itself": (
        "class C:\n    t = torch.float32\ndef f(x, t):\n    return x.to(t)[0]\n"
    ),
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_no_function_is_suspect(text: str) -> None:
    assert suspects(f"import torch\n{text}", True) == []


ROWS = {
    "on the first rows": (SUSPECT, [(1, 2)]),
    "below an empty line": (f"\n{SUSPECT}", [(2, 3)]),
    "two": (f"{SUSPECT}c = 1\n{SUSPECT}", [(1, 2), (4, 5)]),
    "without an end of the last line": (SUSPECT.rstrip(), [(1, 2)]),
    "lines that end in two characters": (SUSPECT.replace("\n", "\r\n"), [(1, 2)]),
    "a type that the module binds before a class binds one": (
        "import torch\n"
        "WIDE = torch.float32\n"
        "class C:\n"
        "    t = torch.float64\n"
        "def f(x):\n"
        "    return x.to(WIDE)[0]\n",
        [(5, 6)],
    ),
}


@pytest.mark.parametrize(("text", "rows"), ROWS.values(), ids=ROWS)
def test_rows_of_suspects(text: str, rows: list[tuple[int, int]]) -> None:
    assert suspects(text, True) == rows


WHOLE = {
    "a line that ends in another way": f"# a\rc = 1\n{SUSPECT}",
    "a type that is imported, taken by the module": (
        "from torch import float32\ny = x.to(float32)[0]\n"
    ),
    "a type that the module binds and takes": (
        "import torch\nWIDE = torch.float32\ndef g(): pass\ny = x.to(WIDE)[0]\n"
    ),
    "more brackets than the parser takes": (
        f"def f(x):\n    return x.float(){'[' * 300}0{']' * 300}\n"
    ),
}


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_it_takes_the_whole(text: str) -> None:
    assert suspects(text, True) is None


def test_spots_that_the_caller_knows() -> None:
    assert suspects(SUSPECT, True, Spots([], [SUSPECT.index("float")], False)) == []


NOT_WIDE = {
    "no word": SUSPECT,
    "a word in another function": f"{SUSPECT}def g(vocab): pass\n",
    "a word in another class": (f"class Vocab:\n    def g(self): pass\n{SUSPECT}"),
    "a word above another function": f"# vocab\nc = 1\n{SUSPECT}",
    "a word in an import": f"from torch.nn.functional import embedding\n{SUSPECT}",
    "the module": "y = x.float()[0]\n",
}
MAYBE_WIDE = {
    "a word": SUSPECT.replace("x", "vocab"),
    "a word above": f"c = 1\n# vocab\n{SUSPECT}",
    "a word above, further in": (
        "class C:\n    # vocab\n    def f(x):\n        return x.float()[0]\n"
    ),
    "a word in the name of the class": (
        "class Vocab:\n    def f(x):\n        return x.float()[0]\n"
    ),
    "a word that another name stands for": (
        f"from torch.nn.functional import embedding as e\n{SUSPECT}    input_ids\n"
    ),
    "a word in the module": "y = x.float()[0]  # vocab\n",
}


@pytest.mark.parametrize("text", NOT_WIDE.values(), ids=NOT_WIDE)
def test_a_source_without_words_of_width(text: str) -> None:
    assert suspects(text, False) == []
    assert suspects(text, True) != []


@pytest.mark.parametrize("text", MAYBE_WIDE.values(), ids=MAYBE_WIDE)
def test_a_source_among_words_of_width(text: str) -> None:
    assert suspects(text, False) != []


TELLING = {
    "comments above": (
        "a\n# b\n# c\ndef f():\n    1\n# d\n",
        "# b\n# c\ndef f():\n    1\n# d\n",
    ),
    "a statement above": ("a\ndef f():\n    1\nc = 1\n", "def f():\n    1\n"),
    "a class": (
        "class C:\n    a\n    # b\n    def f():\n        1\n    c\n",
        "class C:\n    # b\n    def f():\n        1\n",
    ),
    "nothing above": ("def f():\n    1\n", "def f():\n    1\n"),
}


@pytest.mark.parametrize(("text", "told"), TELLING.values(), ids=TELLING)
def test_what_tells_of_width(text: str, told: str) -> None:
    outline = Outline(text)
    span = outline.function_at(text.index("1"))
    assert span is not None
    assert telling_text(outline, span) == told
