"""UPC006: embedding of an upcast weight."""

from __future__ import annotations

import pytest

from .helpers import codes, fixed, found, with_torch

SILENT = {
    "the copy is the words": """
        def look_up(words, weight):
            return F.embedding(words.float(), weight)
    """,
    "rows are scaled down in place": """
        def look_up(words, weight):
            return F.embedding(words, weight.float(), max_norm=1.0)
    """,
    "rows may be scaled down in place": """
        def look_up(self, words, weight):
            return F.embedding(words, weight.float(), None, self.max_norm)
    """,
    "the gradient is sparse": """
        def look_up(words, weight):
            return F.embedding(words, weight.float(), sparse=True)
    """,
    "the gradient may be sparse": """
        def look_up(self, words, weight):
            return F.embedding(words, weight.float(), sparse=self.sparse)
    """,
    "bags are summed": """
        def look_up(words, offsets, weight):
            return F.embedding_bag(words, weight.float(), offsets)
    """,
    "the weight is multiplied by as well": """
        def look_up(words, hidden, weight):
            wide = weight.float()
            return F.embedding(words, wide), hidden @ wide.T
    """,
    "every row is looked up": """
        def look_up(weight):
            words = torch.randperm(weight.shape[0])
            return F.embedding(words, weight.float())
    """,
    "arguments are unpacked": """
        def look_up(words, weight, **options):
            return F.embedding(words, weight.float(), **options)
    """,
    "a module looks up": """
        def look_up(self, words, weight):
            return self.embedding(words, weight.float())
    """,
    "another library looks up": """
        import mlx.nn as nn

        def look_up(words, weight):
            return nn.embedding(words, weight.float())
    """,
    "the weight is quantised": """
        def look_up(words, weight):
            weight = weight.float().round().to(torch.int8)
            return F.embedding(words, weight)
    """,
    "the weight is updated in between": """
        def look_up(words, weight, step):
            wide = weight.float()
            weight.sub_(step)
            return F.embedding(words, wide)
    """,
}

SAFE = {
    "where no gradient flows": (
        """
        @torch.no_grad()
        def look_up(words, weight):
            return F.embedding(words, weight.float())
        """,
        """
        @torch.no_grad()
        def look_up(words, weight):
            return F.embedding(words, weight).float()
        """,
    ),
    "of words that occur once": (
        """
        def look_up(words, weight):
            return F.embedding(words.unique(), weight.float())
        """,
        """
        def look_up(words, weight):
            return F.embedding(words.unique(), weight).float()
        """,
    ),
    "of positions": (
        """
        def look_up(weight):
            positions = torch.arange(512)
            return F.embedding(positions, weight.to(torch.float32))
        """,
        """
        def look_up(weight):
            positions = torch.arange(512)
            return F.embedding(positions, weight).to(torch.float32)
        """,
    ),
    "of words that are stated to be distinct": (
        """
        def look_up(words, weight):
            # upcast-lint: distinct(words)
            return F.embedding(words, weight.float())
        """,
        """
        def look_up(words, weight):
            # upcast-lint: distinct(words)
            return F.embedding(words, weight).float()
        """,
    ),
    "through a name": (
        """
        @torch.inference_mode()
        def look_up(words, weight):
            wide = weight.float()
            rows = F.embedding(words, wide, padding_idx=0)
            return rows.mean(-1)
        """,
        """
        @torch.inference_mode()
        def look_up(words, weight):
            rows = F.embedding(words, weight, padding_idx=0).float()
            return rows.mean(-1)
        """,
    ),
    "by the native function": (
        """
        @torch.no_grad()
        def look_up(words, weight):
            return torch.embedding(weight.double(), words)
        """,
        """
        @torch.no_grad()
        def look_up(words, weight):
            return torch.embedding(weight, words).double()
        """,
    ),
}

UNSAFE = {
    "words may repeat": (
        """
        def look_up(words, weight):
            return F.embedding(input=words, weight=weight.float())
        """,
        """
        def look_up(words, weight):
            return F.embedding(input=words, weight=weight).float()
        """,
    ),
    "rows are scaled by frequency": (
        """
        def look_up(words, weight):
            return F.embedding(words, weight.float(), scale_grad_by_freq=True)
        """,
        """
        def look_up(words, weight):
            return F.embedding(words, weight, scale_grad_by_freq=True).float()
        """,
    ),
    "nothing but None and False is spelled out": (
        """
        def look_up(words, weight):
            return torch.nn.functional.embedding(
                words, weight.float(), None, None, 2.0, False, False
            )
        """,
        """
        def look_up(words, weight):
            return torch.nn.functional.embedding(
                words, weight, None, None, 2.0, False, False
            ).float()
        """,
    ),
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_silent_where(body: str) -> None:
    assert codes(with_torch(body)) == []


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE)
def test_looks_up_first(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC006"]
    assert fixed(with_torch(before)) == with_torch(after)
    assert found(with_torch(after)) == []


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE)
def test_unsafe_where(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC006"]
    assert fixed(with_torch(before)) == with_torch(before)
    assert fixed(with_torch(before), unsafe=True) == with_torch(after)


def test_condition_names_the_words() -> None:
    (finding,) = found(
        with_torch("""
        def look_up(words, weight):
            return F.embedding(words, weight.float())
        """)
    )
    assert finding.condition is not None
    assert "if an index repeats in `words`" in finding.condition
