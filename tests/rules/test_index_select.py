"""UPC002: index_select."""

from __future__ import annotations

import pytest

from .helpers import codes, fixed, found, with_torch

SILENT = {
    "the index is missing": """
        def keep(logits, rows):
            return logits.float().index_select(rows)
    """,
    "arguments are unpacked": """
        def keep(logits, rows):
            return torch.index_select(logits.float(), *rows)
    """,
    "the copy is the index": """
        def keep(logits, rows):
            return logits.index_select(0, rows.float())
    """,
    "every row is selected": """
        def shuffle(logits):
            order = torch.randperm(logits.shape[0])
            return logits.float().index_select(0, order)
    """,
    "the result goes into a buffer": """
        def keep(logits, rows, buffer):
            torch.index_select(logits.float(), 0, rows, out=buffer)
    """,
    "a dataset selects": """
        def keep(table, logits, rows):
            return table.index_select(logits.float(), rows)
    """,
    "the copy is returned": """
        def keep(logits, rows):
            wide = logits.float()
            return wide.index_select(0, rows), wide
    """,
    "the copy is normalised as well": """
        def keep(logits, rows):
            wide = logits.float()
            return wide.index_select(0, rows), wide.logsumexp(-1)
    """,
    "the copy is appended to": """
        def keep(logits, rows, more):
            wide = torch.cat([logits.float(), more])
            return wide.index_select(0, rows)
    """,
    "the copy is written to": """
        def keep(logits, rows):
            wide = logits.float()
            wide.sub_(1)
            return wide.index_select(0, rows)
    """,
    "the source is written to in between": """
        def keep(logits, rows):
            wide = logits.float()
            logits += 1
            return wide.index_select(0, rows)
    """,
    "the type is unknown": """
        def keep(logits, rows, dtype):
            return logits.to(dtype).index_select(0, rows)
    """,
    "a lambda captures the copy": """
        def keep(logits, rows):
            wide = logits.float()
            return wide.index_select(0, rows), lambda: wide.sum()
    """,
    "the copy of the last round is summed": """
        def keep(batches, rows):
            kept = []
            for logits in batches:
                wide = logits.float()
                kept.append(wide.index_select(0, rows))
                total = wide.sum()
            return kept, total
    """,
}

SAFE = {
    "where no gradient flows": (
        """
        @torch.no_grad()
        def keep(logits, rows):
            return logits.float().index_select(0, rows)
        """,
        """
        @torch.no_grad()
        def keep(logits, rows):
            return logits.index_select(0, rows).float()
        """,
    ),
    "of a source that is detached": (
        """
        def keep(logits, rows):
            return torch.index_select(logits.detach().float(), 0, rows)
        """,
        """
        def keep(logits, rows):
            return torch.index_select(logits.detach(), 0, rows).float()
        """,
    ),
    "of rows that are stated to be distinct": (
        """
        def keep(logits, rows):
            wide = logits.float()
            # upcast-lint: distinct(rows)
            return wide.index_select(dim=0, index=rows)
        """,
        """
        def keep(logits, rows):
            # upcast-lint: distinct(rows)
            return logits.index_select(dim=0, index=rows).float()
        """,
    ),
    "by the method of the class": (
        """
        @torch.inference_mode()
        def keep(logits, rows):
            return torch.Tensor.index_select(logits.double(), 1, rows)
        """,
        """
        @torch.inference_mode()
        def keep(logits, rows):
            return torch.Tensor.index_select(logits, 1, rows).double()
        """,
    ),
    "in one branch": (
        """
        @torch.no_grad()
        def keep(logits, rows):
            logits = logits.float()
            if rows is not None:
                logits = logits.index_select(0, rows)
                return logits
            return logits - logits.logsumexp(-1, keepdim=True)
        """,
        """
        @torch.no_grad()
        def keep(logits, rows):
            if rows is not None:
                logits = logits.index_select(0, rows).float()
                return logits
            logits = logits.float()
            return logits - logits.logsumexp(-1, keepdim=True)
        """,
    ),
    "with a copy that is forced": (
        """
        @torch.no_grad()
        def keep(logits, rows):
            wide = logits.to(torch.float32, copy=True)
            return wide.index_select(0, rows)
        """,
        """
        @torch.no_grad()
        def keep(logits, rows):
            return logits.index_select(0, rows).to(torch.float32, copy=True)
        """,
    ),
    "under a temperature": (
        """
        @torch.no_grad()
        def keep(logits, rows, temperature: float):
            scaled = logits.float() / temperature
            return scaled.index_select(0, rows)
        """,
        """
        @torch.no_grad()
        def keep(logits, rows, temperature: float):
            return logits.index_select(0, rows).float() / temperature
        """,
    ),
}

UNSAFE = {
    "rows may repeat": (
        """
        def keep(logits, rows):
            return logits.float().index_select(0, rows)
        """,
        """
        def keep(logits, rows):
            return logits.index_select(0, rows).float()
        """,
    ),
    "columns may repeat": (
        """
        def keep(logits, columns):
            wide = logits.float()
            kept = torch.index_select(input=wide, dim=-1, index=columns)
            return kept
        """,
        """
        def keep(logits, columns):
            kept = torch.index_select(input=logits, dim=-1, index=columns).float()
            return kept
        """,
    ),
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_silent_where(body: str) -> None:
    assert codes(with_torch(body)) == []


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE)
def test_selects_first(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC002"]
    assert fixed(with_torch(before)) == with_torch(after)
    assert found(with_torch(after)) == []


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE)
def test_unsafe_where(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC002"]
    assert fixed(with_torch(before)) == with_torch(before)
    assert fixed(with_torch(before), unsafe=True) == with_torch(after)


def test_condition_offers_to_state_the_fact() -> None:
    (finding,) = found(
        with_torch("""
        def keep(logits, rows):
            return logits.float().index_select(0, rows)
        """)
    )
    assert finding.condition == (
        "gradients are summed in the source's dtype if an index repeats in `rows`; "
        "safe with `# upcast-lint: distinct(rows)` or under no_grad"
    )
