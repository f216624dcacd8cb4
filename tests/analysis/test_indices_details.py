"""Ranks, axes and proofs in the cases that one wrong sign would turn over."""

from __future__ import annotations

import pytest

from tests.analysis.scenes import function
from upcast_lint.analysis.indices import is_mask, known_rank

from .test_indices import along, pairs, rows

RANKS = [
    ("labels.flatten(k)", None),
    ("labels.view(-1, 4).flatten(1)", 2),
    ("labels.view(-1, 4, 4).flatten(1)", 2),
    ("labels.view(-1, 4, 4, 4).flatten(0, 1)", 3),
    ("labels.view(-1, 4, 4, 4).flatten(end_dim=1)", 3),
    ("labels.view(-1, 4, 4).flatten(0, k)", None),
    ("labels.view(-1, 4).sum(-1)", 1),
    ("torch.multinomial(labels.view(-1, 4), 2)", 2),
    ("torch.multinomial(labels.flatten(), 2)", 1),
    ("labels.view(-1, 4).sum(-1, keepdim=True)", 2),
    ("labels.view(-1, 4).sum(k)", None),
    ("labels.view(-1, 4).sum()", 0),
    ("torch.as_tensor([0, 1], torch.long)", 1),
]


@pytest.mark.parametrize(("expression", "rank"), RANKS)
def test_rank(expression: str, rank: int | None) -> None:
    found = function(f"result = {expression}\nreturn result")
    assert known_rank(found.value("result"), found.facts) == rank


OPEN = {
    "squeezed at an axis that it may not have": """
        return x.gather(0, x.topk(k, dim=0).indices.squeeze(3))
    """,
    "viewed with the last size in front": """
        idx = x.topk(k).indices
        return x.gather(0, idx.view(idx.shape[-1], -1))
    """,
    "times zero": "return x.gather(-1, x.topk(k).indices * 0)",
    "times an unknown": "return x.gather(-1, x.topk(k).indices * labels)",
    "permuted away": """
        y = x.view(2, 4, 8)
        return x.gather(1, y.topk(k, dim=1).indices.permute(0, 2, 1))
    """,
    "permuted by a name": """
        y = x.view(2, 4, 8)
        return x.gather(2, y.topk(k, dim=1).indices.permute(0, k, 1))
    """,
    "unsqueezed there": "return x.gather(1, x.topk(k, dim=1).indices.unsqueeze(0))",
    "flattened with the axis before": """
        return x.gather(-1, x.topk(k).indices.flatten(-2))
    """,
    "one row, reduced and perhaps kept": """
        first = labels.topk(1, dim=0).indices
        return x.gather(0, first.argmax(-1, keepdim=k))
    """,
    "several rows, reduced": """
        first = labels.topk(2, dim=0).indices
        return x.gather(0, first.argmax(-1))
    """,
    "expanded to an unknown size": """
        idx = x.topk(k).indices
        return x.gather(-1, idx.unsqueeze(-1).expand(4, 4, k))
    """,
    "expanded to no rows": """
        return x.gather(-1, x.topk(k).indices.unsqueeze(-1).expand(4, 4, 0))
    """,
}


@pytest.mark.parametrize("body", OPEN.values(), ids=OPEN)
def test_not_proved_along_a_dimension(body: str) -> None:
    assert along(body) is None


PROVED = {
    "times one": "return x.gather(-1, x.topk(k).indices * 1)",
    "unsqueezed in front": """
        return x.gather(-1, x.topk(k).indices.unsqueeze(0))
    """,
    "unsqueezed behind, along an axis from the front": """
        return x.gather(0, x.topk(k, dim=0).indices.unsqueeze(-1))
    """,
    "permuted": """
        y = x.view(2, 4, 8)
        return x.gather(2, y.topk(k, dim=1).indices.permute(0, 2, 1))
    """,
    "squeezed behind": """
        return x.gather(1, x.topk(k, dim=1).indices.squeeze(-1))
    """,
    "flattened, the last axis alone": """
        return x.gather(-1, x.topk(k).indices.flatten(-1))
    """,
    "one index, kept": "return x.gather(-1, labels.argmax(-1, keepdim=True))",
    "one row, reduced": """
        first = labels.topk(1, dim=0).indices
        return x.gather(0, first.argmax(-1))
    """,
    "one row, reduced and not kept": """
        first = labels.topk(1, dim=0).indices
        return x.gather(0, first.argmax(-1, keepdim=False))
    """,
    "one row, reduced and kept": """
        first = labels.topk(1, dim=0).indices
        return x.gather(0, first.argmax(-1, keepdim=True))
    """,
    "expanded elsewhere": """
        idx = x.topk(k).indices
        return x.gather(-1, idx.expand(k, -1))
    """,
    "squeezed in front": """
        idx = x.topk(k).indices
        return x.gather(-1, idx.squeeze(0))
    """,
    "squeezed in front, of a known rank": """
        idx = x.view(1, 4, 8).topk(k).indices
        return x.gather(-1, idx.squeeze(0))
    """,
}


@pytest.mark.parametrize("body", PROVED.values(), ids=PROVED)
def test_proved_along_a_dimension(body: str) -> None:
    assert along(body) is not None


ROWS = {
    "a list of a range": "return x[list(range(4))]",
    "a vector viewed as a column": """
        return x[labels.flatten().topk(k).indices.view(k, 1)]
    """,
}


@pytest.mark.parametrize("body", ROWS.values(), ids=ROWS)
def test_rows_proved(body: str) -> None:
    assert rows(body) is not None


def test_rows_of_a_list_of_unknown_things_are_not_proved() -> None:
    assert rows("return x[list(labels)]") is None
    assert rows("return x[list(range(-1, k))]") is None
    assert rows("return x[list()]") is None


def test_unique_values_beside_their_counts_are_proved_for_vectors() -> None:
    body = "found, count = labels.unique(return_counts=True)\nreturn x[{}]"
    assert rows(body.format("found"), vector=True) is not None
    assert rows(body.format("count"), vector=True) is None


@pytest.mark.parametrize(
    ("header", "verdict"), [("range(k)", False), ("labels", None), ("load(k)", None)]
)
def test_whether_what_a_loop_gives_is_a_mask(header: str, verdict: bool | None) -> None:
    found = function(f"for n in {header}:\n    result = n\nreturn result")
    assert is_mask(found.value("result"), found.facts) is verdict


@pytest.mark.parametrize(("name", "verdict"), [("best", None), ("where", False)])
def test_whether_a_part_of_topk_is_a_mask(name: str, verdict: bool | None) -> None:
    body = f"best, where = x.topk(k)\nresult = {name}\nreturn result"
    found = function(body)
    assert is_mask(found.value("result"), found.facts) is verdict


@pytest.mark.parametrize(
    ("index", "reason"),
    [
        (":, torch.randperm(8)", "`randperm`"),
        (":, [0, 2]", "a literal list of different indices"),
        (":, range(4)", "`range`"),
        (":, labels.argmax()", "one index"),
        (":, labels > 0", "a mask"),
    ],
)
def test_one_tensor_beside_slices(index: str, reason: str) -> None:
    proof = pairs(f"return x[{index}]")
    assert proof is not None
    assert proof.reason == reason


@pytest.mark.parametrize("index", [":, [0, 0]", ":, [0, -1]", ":, labels.topk(k)"])
def test_one_tensor_beside_slices_that_may_repeat(index: str) -> None:
    assert pairs(f"return x[{index}]") is None
