"""UPC003: indexing by masks and tensors of integers, and masked_select."""

from __future__ import annotations

import pytest

from .helpers import codes, fixed, found, with_torch

SILENT = {
    "a permutation of every row": """
        def shuffle(logits):
            return logits.float()[torch.randperm(logits.size(0))]
    """,
    "the order of a sort": """
        def sort(scores, logits):
            order = scores.flatten().argsort()
            return logits.float()[order]
    """,
    "a mask and the rest": """
        def divide(logits, labels):
            keep = labels != -100
            wide = logits.float()
            return wide[keep].exp(), wide[~keep]
    """,
    "the masked elements are written": """
        def hide(logits, mask):
            wide = logits.float()
            wide[mask] = 0
            return wide[mask]
    """,
    "the copy is returned as well": """
        def pick(logits, ids):
            wide = logits.float()
            return wide[:, ids], wide
    """,
    "the copy is an index": """
        def look_up(table, places):
            return table[places.float()]
    """,
    "a key of a dictionary": """
        def pick(batch):
            return batch.float()["logits"]
    """,
    "a tuple of unknown indices": """
        def pick(logits):
            where = (slice(None), 3)
            return logits.float()[where]
    """,
    "a slice object": """
        def pick(logits, a, b):
            part = slice(a, b)
            return logits.float()[part]
    """,
    "a product of indices made by numpy": """
        import numpy as np

        def pick(logits, rows, columns):
            return logits.float()[np.ix_(rows, columns)]
    """,
    "starred indices": """
        def pick(logits, places):
            return logits.float()[*places]
    """,
    "a softmax stands between": """
        def pick(logits, rows, labels):
            return logits.float().log_softmax(-1)[rows, labels]
    """,
    "masked_select of something else": """
        def pick(table, logits):
            return table.masked_select(logits.float())
    """,
    "masked_select into a buffer": """
        def pick(logits, mask, buffer):
            return torch.masked_select(logits.float(), mask, out=buffer)
    """,
    "masked_select of unpacked arguments": """
        def pick(logits, arguments):
            return torch.masked_select(logits.float(), *arguments)
    """,
    "the index is a copy of the last round": """
        def pick(batches, ids):
            total = 0
            for logits in batches:
                wide = logits.float()
                total += wide[:, ids].sum() + wide.sum()
            return total
    """,
    "a nested function indexes": """
        def pick(logits, ids):
            wide = logits.float()
            return lambda: wide[:, ids]
    """,
    "the type is unknown": """
        def pick(logits, ids, other):
            return logits.to(other.dtype)[:, ids]
    """,
}

SAFE = {
    "by a comparison": (
        """
        def answers(logits, labels):
            return logits.float()[labels != -100]
        """,
        """
        def answers(logits, labels):
            return logits[labels != -100].float()
        """,
    ),
    "by a mask behind a view": (
        """
        def answers(logits, labels):
            flat = logits.float().flatten(0, 1)
            keep = labels.flatten() != -100
            return flat[keep]
        """,
        """
        def answers(logits, labels):
            flat = logits.flatten(0, 1)
            keep = labels.flatten() != -100
            return flat[keep].float()
        """,
    ),
    "by a mask that is annotated": (
        """
        def answers(logits, keep: torch.BoolTensor):
            logits = logits.float()
            return logits[keep, :64]
        """,
        """
        def answers(logits, keep: torch.BoolTensor):
            return logits[keep, :64].float()
        """,
    ),
    "by a mask that is inverted": (
        """
        def answers(logits, padding):
            return logits.float()[~padding.bool()]
        """,
        """
        def answers(logits, padding):
            return logits[~padding.bool()].float()
        """,
    ),
    "by one label a row": (
        """
        def pick(logits, labels):
            wide = logits.float()
            return wide[torch.arange(len(labels)), labels.view(-1)]
        """,
        """
        def pick(logits, labels):
            return logits[torch.arange(len(labels)), labels.view(-1)].float()
        """,
    ),
    "by listed columns": (
        """
        def pick(logits):
            return logits.float()[..., [9454, 2753]]
        """,
        """
        def pick(logits):
            return logits[..., [9454, 2753]].float()
        """,
    ),
    "by columns that are stated to be distinct": (
        """
        def pick(logits, ids):
            # upcast-lint: distinct(ids)
            return logits.float()[:, ids]
        """,
        """
        def pick(logits, ids):
            # upcast-lint: distinct(ids)
            return logits[:, ids].float()
        """,
    ),
    "where no gradient flows": (
        """
        @torch.no_grad()
        def pick(logits, rows, columns):
            return logits.float()[rows, columns]
        """,
        """
        @torch.no_grad()
        def pick(logits, rows, columns):
            return logits[rows, columns].float()
        """,
    ),
    "by masked_select": (
        """
        def pick(logits, mask):
            wide = logits.float()
            return wide.masked_select(mask)
        """,
        """
        def pick(logits, mask):
            return logits.masked_select(mask).float()
        """,
    ),
    "by masked_select of torch": (
        """
        def pick(logits, mask):
            return torch.masked_select(mask=mask, input=logits.float())
        """,
        """
        def pick(logits, mask):
            return torch.masked_select(mask=mask, input=logits).float()
        """,
    ),
    "in one branch": (
        """
        def loss(logits, labels, keep: torch.BoolTensor):
            logits = logits.float()
            if keep is not None:
                return F.cross_entropy(logits[keep], labels[keep])
            return F.cross_entropy(logits, labels)
        """,
        """
        def loss(logits, labels, keep: torch.BoolTensor):
            if keep is not None:
                return F.cross_entropy(logits[keep].float(), labels[keep])
            return F.cross_entropy(logits.float(), labels)
        """,
    ),
    "after a division by a number": (
        """
        def answers(logits, labels):
            scaled = logits.float() / 0.7
            return scaled[labels != -100]
        """,
        """
        def answers(logits, labels):
            return logits[labels != -100].float() / 0.7
        """,
    ),
    "by a mask and by the rest in two branches": (
        """
        def part(logits, labels, inverse):
            keep = labels != -100
            wide = logits.float()
            if inverse:
                return wide[~keep]
            return wide[keep]
        """,
        """
        def part(logits, labels, inverse):
            keep = labels != -100
            if inverse:
                return logits[~keep].float()
            return logits[keep].float()
        """,
    ),
}

UNSAFE = {
    "by columns that may repeat": (
        """
        def pick(logits, ids):
            return logits.float()[:, ids]
        """,
        "if an index repeats in `ids`",
    ),
    "by a name that says mask": (
        """
        def pick(logits, mask):
            return logits.float()[mask]
        """,
        "if an index repeats in `mask`",
    ),
    "by pairs that may repeat": (
        """
        def pick(logits, rows, columns):
            return logits.float()[rows, columns]
        """,
        "if an index repeats",
    ),
    "by listed columns that repeat": (
        """
        def pick(logits):
            return logits.float()[..., [1, 1]]
        """,
        "if an index repeats",
    ),
    "by the best rows of every batch": (
        """
        def pick(logits, scores):
            best = scores.topk(3, -1).indices
            return logits.float()[best]
        """,
        "if an index repeats in `best`",
    ),
    "by masked_select of a tensor that is expanded": (
        """
        def pick(weights, mask):
            return weights.unsqueeze(-1).float().masked_select(mask)
        """,
        "if an index repeats in `mask`",
    ),
    "together with the scale of each row": (
        """
        def pick(bank, scale, chosen):
            full = bank.float() * scale[:, None, None]
            return full[chosen]
        """,
        "`scale` has one element for each row",
    ),
    "twice": (
        """
        def pick(logits, labels, others):
            wide = logits.float()
            return wide[labels != -100], wide[others != -100]
        """,
        "read more than once on a path",
    ),
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_silent_where(code: str) -> None:
    assert codes(with_torch(code)) == []


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE)
def test_selects_first(before: str, after: str) -> None:
    assert set(codes(with_torch(before))) == {"UPC003"}
    assert fixed(with_torch(before)) == with_torch(after)
    assert codes(with_torch(after)) == []


@pytest.mark.parametrize(("code", "condition"), UNSAFE.values(), ids=UNSAFE)
def test_unsafe_where(code: str, condition: str) -> None:
    (finding,) = found(with_torch(code))
    assert finding.code == "UPC003"
    assert condition in (finding.condition or "")
    assert fixed(with_torch(code)) == with_torch(code)
    assert fixed(with_torch(code), unsafe=True) != with_torch(code)


def test_the_kept_elements_are_named() -> None:
    (finding,) = found(
        with_torch("""
        def pick(logits, labels):
            return logits.float()[labels != -100]
        """)
    )
    assert "only `[labels != -100]` reads it" in finding.message
    assert finding.reads[0].label == "keeps the elements where `labels != -100` holds"
