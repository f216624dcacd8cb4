"""UPC008: topk, kthvalue and the median."""

from __future__ import annotations

import pytest

from .helpers import codes, fixed, found, with_torch

SILENT = {
    "every element is taken": """
        def order(logits):
            return logits.float().topk(logits.size(-1)).values
    """,
    "every element is taken, by an unpacked size": """
        def order(logits):
            batch, size = logits.shape
            return torch.topk(logits.float(), size, dim=-1).values
    """,
    "every element but one is taken": """
        def order(logits):
            wide = logits.float()
            return wide.topk(wide.shape[-1] - 1).values
    """,
    "the vocabulary is taken": """
        def order(self, logits):
            return logits.float().topk(self.vocab_size).values
    """,
    "the order of the values is open": """
        def best(logits):
            return logits.float().topk(5, sorted=False).values
    """,
    "the results go into buffers": """
        def best(logits, values, indices):
            torch.topk(logits.float(), 5, out=(values, indices))
    """,
    "all is sorted": """
        def best(logits):
            return logits.float().sort(-1, descending=True).values[..., :5]
    """,
    "the most frequent element is not the same at every width": """
        def usual(logits):
            return logits.float().mode(-1).values
    """,
    "arithmetic comes before the comparison": """
        def best(logits, bias):
            return (logits.float() + bias).topk(5).values
    """,
    "a scale comes before the comparison": """
        def best(logits):
            return (logits.float() / 0.7).topk(5).values
    """,
    "the copy is normalised as well": """
        def best(logits):
            wide = logits.float()
            return wide.topk(5).values - wide.logsumexp(-1, keepdim=True)
    """,
    "a mask has no topk": """
        def hits(logits, limit):
            mask = logits > limit
            return mask.float().topk(5).indices
    """,
    "the copy is written to": """
        def best(logits, banned):
            wide = logits.float()
            wide.masked_fill_(banned, -1.0)
            return wide.topk(5).values
    """,
    "arguments are unpacked": """
        def best(logits, options):
            return torch.topk(logits.float(), **options)
    """,
    "the count is the copy": """
        def best(logits, count):
            return logits.topk(count.float())
    """,
}

SAFE = {
    "values alone": (
        """
        @torch.no_grad()
        def best(logits):
            return logits.float().topk(5, dim=-1).values
        """,
        """
        @torch.no_grad()
        def best(logits):
            return logits.topk(5, dim=-1).values.float()
        """,
    ),
    "indices that are discarded": (
        """
        @torch.no_grad()
        def best(logits, vocab_size):
            values, _ = torch.topk(
                logits.float(), k=min(20, vocab_size), dim=-1
            )
            return values.softmax(-1)
        """,
        """
        @torch.no_grad()
        def best(logits, vocab_size):
            values, _ = torch.topk(
                logits, k=min(20, vocab_size), dim=-1
            )
            values = values.float()
            return values.softmax(-1)
        """,
    ),
    "values by their position": (
        """
        @torch.no_grad()
        def worst(logits, k):
            wide = logits.float()
            return wide.topk(k, largest=False)[0]
        """,
        """
        @torch.no_grad()
        def worst(logits, k):
            return logits.topk(k, largest=False)[0].float()
        """,
    ),
    "values of a result that has a name": (
        """
        @torch.no_grad()
        def threshold(logits, k):
            best = logits.float().topk(k, -1, True, True)
            return best.values.mean(-1)
        """,
        """
        @torch.no_grad()
        def threshold(logits, k):
            best = logits.topk(k, -1, True, True)
            return best.values.float().mean(-1)
        """,
    ),
    "the element of one rank": (
        """
        @torch.no_grad()
        def threshold(logits, k):
            return logits.float().kthvalue(k, dim=-1, keepdim=True).values
        """,
        """
        @torch.no_grad()
        def threshold(logits, k):
            return logits.kthvalue(k, dim=-1, keepdim=True).values.float()
        """,
    ),
    "the median of each line": (
        """
        @torch.no_grad()
        def middle(logits):
            return torch.median(logits.float(), dim=-1).values
        """,
        """
        @torch.no_grad()
        def middle(logits):
            return torch.median(logits, dim=-1).values.float()
        """,
    ),
    "the median of all": (
        """
        @torch.no_grad()
        def middle(logits):
            return logits.float().median()
        """,
        """
        @torch.no_grad()
        def middle(logits):
            return logits.median().float()
        """,
    ),
}

UNSAFE = {
    "indices are used": (
        """
        @torch.no_grad()
        def best(logits, k):
            full = logits.to(torch.float32)
            values, columns = torch.topk(full, k=k, dim=-1)
            return values, columns
        """,
        """
        @torch.no_grad()
        def best(logits, k):
            values, columns = torch.topk(logits, k=k, dim=-1)
            values = values.to(torch.float32)
            return values, columns
        """,
    ),
    "only indices are used": (
        """
        def best(logits, k):
            return logits.float().topk(k).indices
        """,
        """
        def best(logits, k):
            return logits.topk(k).indices
        """,
    ),
    "indices of a result that has a name are used": (
        """
        @torch.no_grad()
        def best(logits, k):
            best = torch.topk(logits.float(), k)
            return best.values.cpu(), best.indices.cpu()
        """,
        """
        @torch.no_grad()
        def best(logits, k):
            best = torch.topk(logits, k)
            return best.values.float().cpu(), best.indices.cpu()
        """,
    ),
    "a gradient goes to the elements that are named": (
        """
        def best(logits, k):
            return logits.float().topk(k).values
        """,
        """
        def best(logits, k):
            return logits.topk(k).values.float()
        """,
    ),
    "a rank is named": (
        """
        @torch.no_grad()
        def place(logits, k):
            return logits.float().kthvalue(k).indices
        """,
        """
        @torch.no_grad()
        def place(logits, k):
            return logits.kthvalue(k).indices
        """,
    ),
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_silent_where(body: str) -> None:
    assert codes(with_torch(body)) == []


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE)
def test_casts_what_is_left(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC008"]
    assert fixed(with_torch(before)) == with_torch(after)
    assert found(with_torch(after)) == []


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE)
def test_unsafe_where(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC008"]
    assert fixed(with_torch(before)) == with_torch(before)
    assert fixed(with_torch(before), unsafe=True) == with_torch(after)


def test_not_rewritten_where_the_pair_is_passed_on() -> None:
    code = with_torch("""
        def best(logits, k):
            return logits.float().topk(k)
    """)
    (finding,) = found(code)
    assert (finding.code, finding.fix) == ("UPC008", None)
    assert fixed(code, unsafe=True) == code


def test_report_says_how_much_is_kept() -> None:
    (finding,) = found(
        with_torch("""
        def best(logits):
            return logits.float().topk(20, dim=-1).values
        """)
    )
    assert [read.label for read in finding.reads] == [
        "keeps the `20` largest elements of each line"
    ]
