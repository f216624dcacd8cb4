from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upcast_lint.checker import FixMode, Job, check_bytes
from upcast_lint.json_spans import Span, parse_spans
from upcast_lint.notebook import Notebook
from upcast_lint.source import UnreadableSource

pytestmark = pytest.mark.usefixtures("toy_engine")

CAST = "y = logits.float().gather(1, i)\n"
MENDED = "y = logits.gather(1, i).float()\n"


def code(*lines: str) -> dict[str, Any]:
    split = "".join(lines).splitlines(keepends=True)
    return {"cell_type": "code", "metadata": {}, "outputs": [], "source": split}


def text(*lines: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": list(lines)}


def notebook(*cells: dict[str, Any], language: str = "python", **style: Any) -> bytes:
    metadata = {"kernelspec": {"language": language}}
    whole = {"cells": list(cells), "metadata": metadata, "nbformat": 4}
    return json.dumps(whole, **({"indent": 1} | style)).encode()


def places(data: bytes) -> list[tuple[int | None, int, int]]:
    checked = check_bytes(data, "n.ipynb", Job())
    starts = [(each.cell, each.range.start) for each in checked.findings]
    return [(cell, start.row, start.column) for cell, start in starts]


def fixed(data: bytes) -> bytes | None:
    return check_bytes(data, "n.ipynb", Job(fix=FixMode.UNSAFE)).data


def test_a_notebook_without_findings() -> None:
    assert places(notebook(text("logits"), code("x = 1\n"), code())) == []
    assert fixed(notebook(code("x = 1"))) is None


def test_rows_count_within_the_cell_and_cells_among_all() -> None:
    data = notebook(text("# A title"), code("x = 1"), code("\n", "z = 1\n", CAST))
    assert places(data) == [(3, 3, 5)]


def test_cells_see_the_names_of_earlier_cells() -> None:
    source = Notebook(notebook(code("import torch"), code("x = 1\n")), "n").source
    assert source.text.splitlines()[1::2] == ["import torch", "x = 1"]


@pytest.mark.parametrize(
    "magic",
    [
        "%matplotlib inline\n",
        "!pip install x \\\n  y\n",
        "x?\n",
        "z = !ls\n",
        "%%time\n",
    ],
)
def test_magics_are_put_aside_and_kept(magic: str) -> None:
    data = notebook(code(magic, CAST))
    assert places(data) == [(1, magic.count("\n") + 1, 5)]
    assert fixed(data) == data.replace(*pair())


def pair() -> tuple[bytes, bytes]:
    return tuple(json.dumps(line)[1:-1].encode() for line in (CAST, MENDED))  # type: ignore[return-value]


def test_a_line_that_only_looks_like_a_magic_stays() -> None:
    assert len(places(notebook(code("q = (a\n", "% b)\n", CAST)))) == 1


@pytest.mark.parametrize("magic", ["%%bash\n", "%%html\n", "%%writefile x.py\n"])
def test_cells_in_another_language_are_passed_by(magic: str) -> None:
    assert places(notebook(code(magic, CAST))) == []


def test_a_notebook_in_another_language_is_passed_by() -> None:
    assert places(notebook(code(CAST), language="R")) == []


def test_a_cell_that_does_not_parse_does_not_hide_the_others() -> None:
    data = notebook(code("def f(:\n"), code(CAST))
    assert places(data) == [(1, 1, 7), (2, 1, 5)]
    assert fixed(data) == data.replace(*pair())


@pytest.mark.parametrize("style", [{}, {"indent": 4}, {"indent": None}])
def test_every_other_byte_is_kept(style: dict[str, Any]) -> None:
    data = notebook(
        text("é — logits"), code("a = 1\n", CAST, "b = 'é'"), code(CAST), **style
    )
    assert fixed(data) == data.replace(*pair())


def test_text_beyond_ascii_is_kept_as_it_is_written() -> None:
    data = notebook(code("s = 'é'; " + CAST), ensure_ascii=False)
    assert fixed(data) == data.replace(*pair())


def test_a_source_in_one_string() -> None:
    cell = code()
    cell["source"] = "a = 1\n" + CAST
    data = notebook(cell)
    assert fixed(data) == data.replace(*pair())


def test_a_last_line_without_an_end() -> None:
    data = notebook(code("a = 1\n", CAST.rstrip()))
    old, new = pair()
    assert fixed(data) == data.replace(old[:-2], new[:-2])


def test_suppressions_in_cells() -> None:
    assert places(notebook(code(CAST.rstrip() + "  # noqa: UPC001"))) == []
    data = notebook(code("a = 1\n", "b = 2  # noqa: UPC001\n", "c = 3"))
    assert places(data) == [(1, 2, 16)]
    assert fixed(data) == data.replace(b"  # noqa: UPC001", b"")


def test_taking_a_line_out() -> None:
    data = notebook(code("a = 1\n", "# upcast-lint: ignore-file\n", "c = 3"))
    done = fixed(data)
    assert done is not None
    assert json.loads(done)["cells"][0]["source"] == ["a = 1\n", "c = 3"]


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b'{"cells": 3}', b"\xff", b'{"cells": [{}]}', b"[" * 100_000],
)
def test_what_is_not_a_notebook_is_unreadable(data: bytes) -> None:
    with pytest.raises(UnreadableSource, match="not a notebook"):
        Notebook(data, "n.ipynb")
    assert places(data) == [(None, 1, 1)]


@pytest.mark.parametrize(
    "data", [b"[]", b"{}", b'{"cells": 3}', b'{"cells": [{"cell_type": "code"}]}']
)
def test_what_a_notebook_of_another_shape_lacks_is_said(data: bytes) -> None:
    with pytest.raises(UnreadableSource, match="no list of cells with their source"):
        Notebook(data, "n.ipynb")


def test_a_lone_surrogate_in_a_cell() -> None:
    data = notebook(code("x = '\ud800'\n"), code(CAST))
    assert places(data) == [(1, 1, 1), (2, 1, 5)]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_VALUES, st.sampled_from([None, 0, 3]))
def test_spans_hold_the_values_that_json_reads(value: Any, indent: int | None) -> None:
    document = f" {json.dumps(value, indent=indent)} "

    def check(span: Span, value: Any) -> None:
        assert json.loads(document[span.start : span.end]) == value
        if isinstance(value, list):
            for at, item in enumerate(value):
                check(span[at], item)
        if isinstance(value, dict):
            for key, item in value.items():
                check(span[key], item)

    check(parse_spans(document), value)


def test_a_file_on_disk_is_named_by_cell(project: Path, toy: Any) -> None:
    (project / "n.ipynb").write_bytes(notebook(text("a"), code("\n", CAST)))
    done = toy("check", "--output-format", "concise", "-q")
    assert done.stdout.startswith(b"n.ipynb:cell 2:2:5: UPC001 [*]")
