from __future__ import annotations

import ast

import pytest

from tests.analysis.scenes import Scene, function, scene
from upcast_lint.analysis.indices import (
    Proof,
    distinct_along,
    distinct_pairs,
    distinct_rows,
    is_mask,
    known_rank,
    permutation,
)


def along(body: str, rank: int | None = None) -> Proof | None:
    """The proof for the index of the last `gather(dim, index)`."""
    return _along(function(body), rank)


def _along(found: Scene, rank: int | None = None) -> Proof | None:
    call = found.calls("gather")[-1]
    dim, index = call.args
    return distinct_along(
        index,
        ast.literal_eval(dim),
        found.facts,
        found.directives,
        call,
        rank=rank,
    )


def rows(body: str, vector: bool = False) -> Proof | None:
    """The proof for the index of the returned `x[index]`."""
    found = function(body)
    read = _returned(found)
    return distinct_rows(read.slice, found.facts, found.directives, read, vector=vector)


def pairs(body: str) -> Proof | None:
    """The proof for the items of the returned `x[items]`."""
    found = function(body)
    read = _returned(found)
    assert isinstance(read.slice, ast.Tuple)
    return distinct_pairs(read.slice.elts, found.facts, found.directives, read)


def _returned(found: Scene) -> ast.Subscript:
    (read,) = (
        node.value
        for node in found.nodes()
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Subscript)
    )
    return read


NOT_DISTINCT = {
    "a parameter": "return x.gather(-1, labels)",
    "a name alone": "topk_indices = labels\nreturn x.gather(-1, topk_indices)",
    "topk along another dimension": """
        idx = x.topk(k, dim=0).indices
        return x.gather(1, idx)
    """,
    "topk along the last, gather along a positive dimension": """
        idx = x.topk(k).indices
        return x.gather(1, idx)
    """,
    "topk along a computed dimension": """
        idx = x.topk(k, labels).indices
        return x.gather(-1, idx)
    """,
    "topk of an unknown module": """
        idx = np.topk(x, k).indices
        return x.gather(-1, idx)
    """,
    "a method topk of self": """
        self = x
        idx = self.topk(k).indices
        return x.gather(-1, idx)
    """,
    "a method topk that is given the scores": """
        idx = x.topk(torch.exp(labels), k).indices
        return x.gather(-1, idx)
    """,
    "topk with unpacked arguments": """
        idx = x.topk(*k).indices
        return x.gather(-1, idx)
    """,
    "values of topk": "return x.gather(-1, x.topk(k).values)",
    "padded by a masked store": """
        idx = x.topk(k).indices
        idx[mask] = 0
        return x.gather(-1, idx)
    """,
    "padded through an alias": """
        idx = x.topk(k).indices
        flat = idx.view(-1)
        flat[mask] = 0
        return x.gather(-1, idx)
    """,
    "padded through the tuple that topk gave": """
        top = x.topk(k)
        idx = top.indices
        top.indices[mask] = 0
        return x.gather(-1, idx)
    """,
    "clamped in place": """
        idx = x.topk(k).indices
        idx.clamp_(0, 5)
        return x.gather(-1, idx)
    """,
    "written to as out": """
        idx = x.topk(k).indices
        torch.clamp(idx, 0, 5, out=idx)
        return x.gather(-1, idx)
    """,
    "reduced in place": """
        idx = x.topk(k).indices
        idx %= 5
        return x.gather(-1, idx)
    """,
    "given to unknown code before the read": """
        idx = x.topk(k).indices
        pad(idx)
        return x.gather(-1, idx)
    """,
    "written to by a nested function": """
        idx = x.topk(k).indices
        def pad():
            idx[mask] = 0
        pad()
        return x.gather(-1, idx)
    """,
    "written to in a loop after the read": """
        idx = x.topk(k).indices
        for _ in range(3):
            y = x.gather(-1, idx)
            idx[mask] = 0
        return y
    """,
    "clamped": "return x.gather(-1, x.topk(k).indices.clamp(0, 5))",
    "masked_fill": "return x.gather(-1, x.topk(k).indices.masked_fill(mask, 0))",
    "where": "return x.gather(-1, torch.where(mask, x.topk(k).indices, 0))",
    "padded by F.pad": "return x.gather(-1, F.pad(x.topk(k).indices, (0, 2)))",
    "concatenated": """
        idx = x.topk(k).indices
        return x.gather(-1, torch.cat([idx, labels], -1))
    """,
    "scattered": """
        idx = x.topk(k).indices
        return x.gather(-1, idx.scatter(-1, labels, idx))
    """,
    "modulo": "return x.gather(-1, x.topk(k).indices % 100)",
    "divided": "return x.gather(-1, x.topk(k).indices // 2)",
    "a tensor added": "return x.gather(-1, x.topk(k).indices + labels)",
    "a parameter added, which may be a tensor": """
        return x.gather(-1, x.topk(k).indices + k)
    """,
    "multiplied by nothing": "return x.gather(-1, x.topk(k).indices * 0)",
    "narrowed to bytes": "return x.gather(-1, x.topk(k).indices.to(torch.uint8))",
    "converted to an unknown type": """
        return x.gather(-1, x.topk(k).indices.to(labels.dtype))
    """,
    "flattened over several dimensions": """
        return x.gather(-1, x.topk(k).indices.flatten(0, 1))
    """,
    "viewed in another shape": "return x.gather(-1, x.topk(k).indices.view(4, -1))",
    "repeated along the dimension": """
        return x.gather(-1, x.topk(k).indices.repeat(1, 2))
    """,
    "one index expanded along the dimension": """
        return x.gather(1, labels.view(-1, 1).expand(-1, 4))
    """,
    "one of two branches is not topk": """
        idx = x.topk(k).indices
        if k > 3:
            idx = labels
        return x.gather(-1, idx)
    """,
    "rebound in a loop to itself": """
        idx = x.topk(k).indices
        for _ in range(3):
            idx = idx % 7
        return x.gather(-1, idx)
    """,
    "a new axis elsewhere": "return x.gather(-1, labels.unsqueeze(1))",
    "a new axis of the other sign, whose rank is not known": """
        return x.gather(2, labels.unsqueeze(-1))
    """,
    "None before the last axis": "return x.gather(-1, labels[:, None, :])",
    "None after one axis, gather along the last": """
        return x.gather(-1, labels[:, None])
    """,
    "a column of a matrix": "return x.gather(-1, labels[:, 0])",
    "argmax without keepdim": "return x.gather(-1, x.argmax(-1))",
    "keepdim of another dimension": "return x.gather(-1, x.argmax(0, keepdim=True))",
    "keepdim that is a variable": "return x.gather(-1, x.argmax(-1, keepdim=k))",
    "one index with a tensor added that broadcasts": """
        return x.gather(-1, labels.unsqueeze(-1) + mask)
    """,
    "one index masked by a wider mask": """
        return x.gather(-1, labels.unsqueeze(-1).masked_fill(mask, 0))
    """,
    "multinomial with replacement": """
        return x.gather(-1, torch.multinomial(x, k, replacement=True))
    """,
    "multinomial with replacement by position": """
        return x.gather(-1, torch.multinomial(x, k, True))
    """,
    "consecutive values, which can come again": """
        return x.gather(0, torch.unique_consecutive(labels))
    """,
    "an arange expanded to a size": """
        return x.gather(0, torch.arange(5).expand(3, 5))
    """,
    "an arange in a type that merges": """
        return x.gather(0, torch.arange(5000, dtype=torch.bfloat16).long())
    """,
    "an arange of fractions": "return x.gather(0, torch.arange(0, 5, 0.5).long())",
    "equal literals": "return x.gather(0, torch.tensor([1, 1]))",
    "sorted values of a parameter": "return x.gather(-1, labels.sort(-1).values)",
}


@pytest.mark.parametrize("body", NOT_DISTINCT.values(), ids=NOT_DISTINCT)
def test_not_proved_along_a_dimension(body: str) -> None:
    assert along(body) is None


DISTINCT = {
    "unsqueeze of the same dimension": "return x.gather(-1, labels.unsqueeze(-1))",
    "unsqueeze as a function": "return x.gather(2, torch.unsqueeze(labels, 2))",
    "unsqueeze by keywords": """
        return x.gather(2, torch.unsqueeze(input=labels, dim=2))
    """,
    "None after an ellipsis": "return x.gather(-1, labels[..., None])",
    "None at the axis": "return x.gather(1, labels[:, None])",
    "None after a shift": "return x.gather(2, labels[:, 1:, None])",
    "None after an integer": "return x.gather(1, labels[0, :, None])",
    "a column by view": "return x.gather(1, labels.view(-1, 1))",
    "a column by view, along the last": "return x.gather(-1, labels.view(-1, 1))",
    "a column by a starred shape": """
        return x.gather(-1, labels.reshape(*labels.shape, 1))
    """,
    "the last element by a slice": "return x.gather(-1, labels[..., -1:])",
    "one index expanded elsewhere": """
        return x.gather(1, labels[:, None, None].expand(-1, 1, 8))
    """,
    "one index repeated elsewhere": """
        return x.gather(1, labels.view(-1, 1, 1).repeat(1, 1, 8))
    """,
    "one index, clamped and masked": """
        safe = labels.unsqueeze(-1).clamp(min=0)
        safe = safe.masked_fill(mask.unsqueeze(-1), 0)
        return x.gather(-1, safe)
    """,
    "one index, written to": """
        idx = labels.unsqueeze(-1)
        idx[mask] = 0
        return x.gather(-1, idx)
    """,
    "one index, given to unknown code": """
        idx = labels.unsqueeze(-1)
        check(idx)
        return x.gather(-1, idx)
    """,
    "argmax that keeps the dimension": """
        return x.gather(-1, x.argmax(-1, keepdim=True))
    """,
    "argmax by positions": "return x.gather(1, torch.argmax(x, 1, True))",
    "the position of the last token": """
        last = mask.sum(-1, keepdim=True) - 1
        return x.gather(-1, last)
    """,
    "max that keeps the dimension": """
        _, best = x.max(dim=-1, keepdim=True)
        return x.gather(-1, best)
    """,
    "topk": "return x.gather(-1, x.topk(k).indices)",
    "topk by subscript": "return x.gather(-1, torch.topk(x, k, dim=-1)[1])",
    "topk unpacked": "_, idx = torch.topk(x, k)\nreturn x.gather(-1, idx)",
    "topk through its tuple": """
        top = torch.topk(x, k, 1)
        idx = top.indices
        return x.gather(1, idx)
    """,
    "topk, cut and moved": """
        idx = x.topk(k).indices[..., :4].to(x.device).long().contiguous()
        return x.gather(-1, idx)
    """,
    "topk, sorted again": """
        idx = x.topk(k).indices.sort(dim=-1).values
        return x.gather(-1, idx)
    """,
    "topk under a new first axis": "return x.gather(-1, x.topk(k).indices[None])",
    "topk viewed with its last size": """
        idx = x.topk(k).indices
        flat = idx.view(-1, idx.size(-1))
        return x.gather(-1, flat)
    """,
    "topk in both branches": """
        if k > 3:
            idx = x.topk(3).indices
        else:
            _, idx = x.topk(k)
        return x.gather(-1, idx)
    """,
    "topk, cut in one branch": """
        idx = x.topk(k).indices
        if k > 3:
            idx = idx[..., :3]
        return x.gather(-1, idx)
    """,
    "topk of scores that are masked before": """
        x[mask] = 0
        idx = x.topk(k).indices
        return x.gather(-1, idx)
    """,
    "written to after the read": """
        idx = x.topk(k).indices
        y = x.gather(-1, idx)
        idx[mask] = 0
        return y
    """,
    "a number added": "return x.gather(-1, x.topk(k).indices + 3)",
    "a size added": """
        start = labels.size(0)
        return x.gather(-1, start + x.topk(k).indices)
    """,
    "argsort": "return x.gather(-1, x.argsort(dim=-1, descending=True))",
    "argsort, cut": "return x.gather(1, torch.argsort(x, 1)[:, :5])",
    "sort unpacked": "_, idx = x.sort(-1)\nreturn x.gather(-1, idx)",
    "multinomial without replacement": "return x.gather(-1, torch.multinomial(x, k))",
    "one sample with replacement": """
        return x.gather(-1, torch.multinomial(x, num_samples=1, replacement=True))
    """,
    "an arange of rank one": "return x.gather(0, torch.arange(5))",
    "an arange as a row": "return x.gather(1, torch.arange(5).unsqueeze(0))",
    "an arange expanded over rows": """
        return x.gather(1, torch.arange(5).expand(3, -1))
    """,
    "different literals": "return x.gather(0, torch.tensor([0, 2, 1]))",
}


@pytest.mark.parametrize("body", DISTINCT.values(), ids=DISTINCT)
def test_proved_along_a_dimension(body: str) -> None:
    proof = along(body)
    assert proof is not None
    assert not proof.stated


def test_no_proof_without_the_dimension() -> None:
    found = function("return x.gather(-1, labels.unsqueeze(-1))")
    call = found.call("gather")
    assert distinct_along(call.args[1], None, found.facts, found.directives) is None


def test_no_proof_where_the_tensor_is_expanded_to_the_index() -> None:
    found = function("return torch.take_along_dim(x, labels.unsqueeze(-1), -1)")
    index = found.call("take_along_dim").args[1]
    args = (index, -1, found.facts, found.directives)
    assert distinct_along(*args, broadcasts=True) is None


def test_signs_mix_where_the_rank_of_the_tensor_is_known() -> None:
    assert along("return x.gather(2, labels.unsqueeze(-1))", rank=3) is not None
    assert along("return x.gather(2, labels.unsqueeze(-1))", rank=4) is None


def test_signs_mix_where_the_shape_of_the_index_is_unpacked() -> None:
    body = """
        b, s = labels.shape
        return x.gather(2, labels.unsqueeze(-1))
    """
    assert along(body) is not None


def test_a_shadowed_torch_proves_nothing() -> None:
    found = scene("""
        def f(x, torch):
            return x.gather(0, torch.arange(5))
    """)
    assert _along(found) is None


def test_a_stated_index_is_marked_as_stated() -> None:
    proof = along("return x.gather(-1, labels)  # upcast-lint: distinct(labels)")
    assert proof == Proof("stated: distinct(labels)", stated=True)


def test_a_statement_about_another_name_does_not_count() -> None:
    assert along("return x.gather(-1, labels)  # upcast-lint: distinct(mask)") is None


def test_a_stated_name_holds_through_a_slice() -> None:
    body = "return x.gather(-1, labels[..., :2])  # upcast-lint: distinct(labels)"
    assert along(body) is not None


def test_a_stated_name_does_not_hold_through_a_clamp() -> None:
    body = "return x.gather(-1, labels.clamp(0))  # upcast-lint: distinct(labels)"
    assert along(body) is None


ROWS_OPEN = {
    "a parameter": "return x[labels]",
    "topk of unknown rank": "return x[labels.topk(k).indices]",
    "rows of a mask of unknown rank": "return x[mask.nonzero()[:, 0]]",
    "first coordinates of a mask of unknown rank": "return x[torch.where(mask)[0]]",
    "squeezed coordinates of a mask of unknown rank": """
        return x[mask.nonzero().squeeze(-1)]
    """,
    "an arange that may start below zero": "return x[torch.arange(k, 4)]",
    "an arange across zero": "return x[torch.arange(-2, 2)]",
    "shifted below zero": "return x[torch.arange(4) - 1]",
    "literals of both signs": "return x[[0, -1]]",
    "equal literals": "return x[[1, 1]]",
    "a literal that is no integer": "return x[[0, k]]",
    "unique values, which may be negative": "return x[labels.unique()]",
    "rows that unique gives": "return x[torch.unique(labels, dim=0)]",
    "the inverse of unique": """
        _, back = torch.unique(labels, return_inverse=True)
        return x[back]
    """,
    "repeated": "return x[torch.randperm(8).repeat_interleave(2)]",
    "randperm, wrapped around": "return x[torch.randperm(8) % 4]",
}


@pytest.mark.parametrize("body", ROWS_OPEN.values(), ids=ROWS_OPEN)
def test_rows_not_proved(body: str) -> None:
    assert rows(body) is None


ROWS_PROVED = {
    "randperm": "return x[torch.randperm(8)]",
    "randperm, cut": "perm = torch.randperm(len(x))[:k]\nreturn x[perm]",
    "an arange": "return x[torch.arange(k)]",
    "an arange with steps": "return x[torch.arange(0, k, 2)]",
    "an arange as a column": "return x[torch.arange(k)[:, None]]",
    "a range": "return x[range(4)]",
    "literals": "return x[[0, 2]]",
    "negative literals": "return x[[-1, -2]]",
    "a tensor of literals": "return x[torch.tensor([3, 1])]",
    "coordinates of a flat mask": """
        return x[torch.where(mask.view(-1))[0]]
    """,
    "coordinates unpacked from one": "(hit,) = torch.where(mask)\nreturn x[hit]",
    "all coordinates": "return x[torch.where(mask)]",
    "topk of a vector": "return x[labels.flatten().topk(k).indices]",
    "argsort of a vector, cut": """
        (n,) = labels.shape
        return x[labels.argsort()[:k]]
    """,
    "one index": "return x[labels.argmax()]",
}


@pytest.mark.parametrize("body", ROWS_PROVED.values(), ids=ROWS_PROVED)
def test_rows_proved(body: str) -> None:
    assert rows(body) is not None


@pytest.mark.parametrize(
    "index",
    [
        "labels.topk(k).indices",
        "torch.unique(labels)",
        "torch.arange(k, 4)",
        "mask.nonzero().squeeze(-1)",
        "torch.arange(4) + 1",
    ],
)
def test_a_read_that_takes_only_vectors_proves_more(index: str) -> None:
    assert rows(f"return x[{index}]") is None
    assert rows(f"return x[{index}]", vector=True) is not None


@pytest.mark.parametrize(
    "index", ["labels", "mask.nonzero().flatten()", "torch.where(mask)[0]"]
)
def test_a_read_that_takes_only_vectors_still_needs_a_proof(index: str) -> None:
    assert rows(f"return x[{index}]", vector=True) is None


PAIRS_OPEN = {
    "two parameters": "return x[labels, mask]",
    "an arange as a column beside columns": """
        return x[torch.arange(k)[:, None], labels]
    """,
    "an arange broadcast against a matrix": """
        return x[torch.arange(k), labels[:, None]]
    """,
    "an arange beside topk of several rows": """
        return x[torch.arange(k), labels.topk(2, dim=-1).indices]
    """,
    "two columns of one mask, one of them left out": """
        rows, cols = torch.where(mask)
        return x[rows, labels]
    """,
    "columns of different masks": """
        rows, _ = torch.where(mask)
        _, cols = torch.where(labels)
        return x[rows, cols]
    """,
    "an arange that may start below zero": """
        return x[torch.arange(-1, k), labels.view(-1)]
    """,
    "an arange of rows beside labels of any rank": "return x[torch.arange(k), labels]",
    "an arange as a column beside topk of any rank": """
        return x[torch.arange(k)[:, None], x.topk(2, dim=-1).indices]
    """,
    "an arange of rows beside lengths of any rank": """
        return x[torch.arange(k), labels.sum(dim=1)]
    """,
    "one name twice": "return x[labels, labels]",
    "a slice and a parameter": "return x[:, labels]",
    "an ellipsis and a parameter": "return x[..., labels]",
    "an arange as a row beside topk of columns or of a vector": """
        return x[torch.arange(4)[None, :], labels.topk(2, dim=0).indices]
    """,
    "a mask beside an unknown vector": "return x[labels > 0, mask]",
}


@pytest.mark.parametrize("body", PAIRS_OPEN.values(), ids=PAIRS_OPEN)
def test_pairs_not_proved(body: str) -> None:
    assert pairs(body) is None


PAIRS_PROVED = {
    "an arange of rows": "return x[torch.arange(k), labels.view(-1)]",
    "an arange through a name": """
        rows = torch.arange(x.size(0), device=x.device)
        return x[rows, labels.view(-1)]
    """,
    "an arange as a column beside topk": """
        return x[torch.arange(k)[:, None], x.view(k, 9).topk(2, dim=-1).indices]
    """,
    "an arange as a column beside a column": """
        return x[torch.arange(k)[:, None], labels.view(-1)[:, None]]
    """,
    "two aranges and labels": """
        return x[torch.arange(k)[:, None], torch.arange(4)[None, :], labels.view(k, 4)]
    """,
    "labels beside an arange as a column and topk": """
        best = x.view(k, 9).topk(2, dim=-1).indices
        return x[labels.view(-1, 1), torch.arange(k)[:, None], best]
    """,
    "both coordinates of a mask": """
        rows, cols = mask.nonzero(as_tuple=True)
        return x[rows, cols]
    """,
    "a mask beside what it picks": "return x[labels > 0, labels[labels > 0]]",
    "slices and integers": "return x[:, -1, None, ..., 1:]",
    "a slice and a permutation": "return x[:, torch.randperm(8)[:k]]",
}


@pytest.mark.parametrize("body", PAIRS_PROVED.values(), ids=PAIRS_PROVED)
def test_pairs_proved(body: str) -> None:
    assert pairs(body) is not None


def test_a_stated_item_proves_the_pairs() -> None:
    proof = pairs("return x[labels, mask]  # upcast-lint: distinct(labels)")
    assert proof is not None
    assert proof.stated


def judged(expression: str, before: str = "") -> Scene:
    return function(f"{before}\nresult = {expression}\nreturn result")


MASK_UNKNOWN = {
    "a name": "mask",
    "a conjunction with an unknown": "(labels > 0) & mask",
    "an inverted unknown": "~mask",
    "membership in a list": "labels in mask",
    "an unknown method": "mask.flag()",
    "branches that disagree": "labels > 0 if k else labels.long()",
    "a conversion to the type of another": "mask.to(labels.dtype)",
}


@pytest.mark.parametrize("expression", MASK_UNKNOWN.values(), ids=MASK_UNKNOWN)
def test_unknown_whether_a_mask(expression: str) -> None:
    found = judged(expression)
    assert is_mask(found.value("result"), found.facts) is None


@pytest.mark.parametrize(
    "expression",
    [
        "0",
        "[1, 2]",
        "labels.long()",
        "torch.arange(k)",
        "x.argmax(-1)",
        "x.topk(k).indices",
        "mask.nonzero()[:, 0]",
        "(labels > 0).sum(-1)",
        "labels - 1",
        "(labels > 0) & 1",
        "labels.to(torch.int64)[..., None]",
    ],
)
def test_evidently_integers(expression: str) -> None:
    found = judged(expression)
    assert is_mask(found.value("result"), found.facts) is False


@pytest.mark.parametrize(
    "expression",
    [
        "labels != -100",
        "(labels > 0) & (labels < 5)",
        "~(labels == 0)",
        "mask.bool()",
        "mask.to(torch.bool)",
        "mask.to(bool)",
        "torch.isin(labels, mask)",
        "(labels > 0)[:, 1:].reshape(-1)",
        "torch.zeros(4, dtype=torch.bool)",
        "x.isnan().any(-1)",
        "[True, False]",
    ],
)
def test_evidently_a_mask(expression: str) -> None:
    found = judged(expression)
    assert is_mask(found.value("result"), found.facts) is True


def test_a_mask_through_names_and_updates() -> None:
    found = judged("keep", "keep = labels > 0\nif k:\n    keep &= mask")
    assert is_mask(found.value("result"), found.facts) is True


@pytest.mark.parametrize(
    "expression",
    [
        "labels",
        "x.argsort(-1)[..., :k]",
        "x.topk(k).indices",
        "torch.randperm(8)[:k]",
        "x.sort(-1).values",
        "torch.arange(k)",
        "mask.permute(1, 0)",
    ],
)
def test_no_evidence_of_a_permutation(expression: str) -> None:
    found = judged(expression)
    assert permutation(found.value("result"), found.facts) is None


def test_a_name_for_a_permutation_that_is_cut_is_none() -> None:
    found = judged("ids_keep", "ids_keep = mask_shuffle[:, :k]")
    assert permutation(found.value("result"), found.facts) is None


@pytest.mark.parametrize(
    "expression",
    [
        "x.argsort(-1)",
        "torch.sort(x, dim=-1)[1]",
        "x.argsort(-1)[..., None].expand(-1, -1, 8)",
        "torch.randperm(len(x))",
        "torch.arange(x.size(1))",
        "torch.arange(x.size(1) - 1, -1, -1)",
        "unsort_idx",
        "batch.inverse_indices",
        "perm.unsqueeze(-1)",
        "perm[1:]",
    ],
)
def test_evidence_of_a_permutation(expression: str) -> None:
    found = judged(expression)
    assert permutation(found.value("result"), found.facts) is not None


@pytest.mark.parametrize(
    ("expression", "rank"),
    [
        ("labels", None),
        ("labels.unsqueeze(0)", None),
        ("labels.squeeze(0)", None),
        ("labels.view(k)", None),
        ("torch.where(mask, labels, 0)", None),
        ("labels.view(-1, 4)", 2),
        ("labels.flatten()", 1),
        ("torch.arange(4)[:, None]", 2),
        ("mask.nonzero()", 2),
        ("labels.view(-1) + 1", 1),
        ("labels.flatten()[0]", 0),
    ],
)
def test_the_rank_that_the_code_shows(expression: str, rank: int | None) -> None:
    found = judged(expression)
    assert known_rank(found.value("result"), found.facts) == rank


def test_branches_that_multiply_the_paths_are_given_up() -> None:
    steps = ["idx = labels.unsqueeze(-1)"]
    steps += [f"if k > {n}:\n    idx = idx + idx" for n in range(15)]
    found = function("\n".join([*steps, "return x.gather(-1, idx)"]))
    assert _along(found) is None
