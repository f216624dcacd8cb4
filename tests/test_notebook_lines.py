"""What is said of lines in a notebook, by the engine itself."""

from __future__ import annotations

from tests.test_notebook import code, notebook, text
from upcast_lint.checker import Job, check_bytes


def test_evidence_in_cells_counts_its_lines_as_a_reader_does() -> None:
    made = code("\n", "logits = lm_head(h)  # [B, S, V]\n")
    read = code("wide = logits.float()\n", "print(wide[:, -1])\n")
    data = notebook(text("# A title"), code("x = 1\n"), made, read)
    (finding,) = check_bytes(data, "n.ipynb", Job()).findings
    assert (finding.cell, finding.range.start.row) == (4, 1)
    assert finding.grounds is not None
    told = "; ".join(finding.grounds.because)
    assert "result of `lm_head` (line 2 of cell 3)" in told
    assert "in a comment (line 2 of cell 3)" in told
    assert "its last position is read (line 2 of cell 4)" in told


def test_evidence_in_a_file_names_its_line_alone() -> None:
    data = b"logits = lm_head(h)\nprint(logits.float()[:, -1])\n"
    (finding,) = check_bytes(data, "x.py", Job()).findings
    assert finding.grounds is not None
    assert "result of `lm_head` (line 1)" in finding.grounds.because
