"""UPC004: slices and integers, narrow, select, diagonal, parts of split and chunk."""

from __future__ import annotations

import pytest

from .helpers import codes, fixed, found, with_torch

SILENT = {
    "a loop reads it again and again": """
    def repeat(logits, n):
        wide = logits.float()
        total = 0
        for _ in range(n):
            total = total + wide[:, -1].exp()
        return total
    """,
    "the last position is dropped": """
        def shift(logits):
            return logits.float()[:, :-1]
    """,
    "the first position is dropped": """
        def shift(logits):
            return logits.float()[..., 1:, :].contiguous()
    """,
    "both ends are dropped": """
        def inner(logits):
            return logits.float()[:, 1:-1]
    """,
    "a number of last positions is dropped": """
        def shift(logits, count):
            return logits.float()[:, :-count]
    """,
    "a prefix of unknown length is dropped": """
        def answer(logits, prompt_length):
            return logits.float()[:, prompt_length:]
    """,
    "the last position is dropped by size": """
        def shift(logits):
            length = logits.size(1)
            return logits.float()[:, : length - 1]
    """,
    "the padding of the vocabulary is dropped": """
        def trim(self, logits):
            return logits.float()[..., : self.config.vocab_size]
    """,
    "the padding is dropped by the size of the tokenizer": """
        def trim(logits, tokenizer):
            return logits.float()[..., : len(tokenizer)]
    """,
    "it ends where other positions end": """
        def align(logits, labels):
            return logits.float()[:, : labels.shape[1]]
    """,
    "it ends where its own dimension ends": """
        def same(logits):
            batch, length, width = logits.shape
            return logits.float()[:, :length]
    """,
    "only a dimension is added": """
        def widen(logits):
            return logits.float()[:, None]
    """,
    "everything is taken": """
        def same(logits):
            return logits.float()[:]
    """,
    "the first of one row": """
        def squeeze(logits):
            logits = logits.unsqueeze(0)
            return logits.float()[0]
    """,
    "the only channel of stacked masks": """
        def binary(masks, threshold):
            masks = masks[:, None]
            masks = [F.interpolate(mask, size=(8, 8)) for mask in masks]
            masks = torch.stack(masks).to(torch.float32)
            return masks[:, 0] > threshold
    """,
    "the only row of a function's result": """
        def flatten(x):
            return x.reshape(1, -1), x.shape

        def store(h):
            flat, shape = flatten(h)
            flat = flat.to(torch.float32)
            return flat[0]
    """,
    "the lower and the upper part": """
        def divide(logits, n):
            wide = logits.float()
            return wide[:, :n].exp(), wide[:, n:]
    """,
    "even and odd columns": """
        def rotate(x):
            wide = x.float()
            return wide[..., ::2] * 2, wide[..., 1::2] * 3
    """,
    "both halves of a chunk": """
        def swiglu(x):
            wide = x.float()
            return F.silu(wide.chunk(2, -1)[0]) * wide.chunk(2, -1)[1]
    """,
    "all parts are unpacked": """
        def swiglu(x):
            gate, up = x.float().chunk(2, -1)
            return F.silu(gate) * up
    """,
    "every part is taken out by number": """
        def swiglu(x):
            parts = x.float().chunk(2, -1)
            return F.silu(parts[0]) * parts[1]
    """,
    "one part is taken out twice": """
        def twice(x):
            parts = x.float().split(3)
            return parts[0].exp() + parts[0]
    """,
    "a chunk that is the whole": """
        def same(x):
            return x.float().chunk(1)[0]
    """,
    "the slice is written to": """
        def hide(logits):
            wide = logits.float()
            wide[:, 0] = 0
            return wide[:, -1]
    """,
    "the copy is summed as well": """
        def last(logits):
            wide = logits.float()
            return wide[:, -1], wide.logsumexp(-1)
    """,
    "several parts are kept as a list": """
        def rest(logits):
            return logits.float().split(4)[1:]
    """,
    "the last position is dropped by a length": """
        def shift(logits, sequence_length):
            return logits.float()[:, : sequence_length - 1]
    """,
    "an index into a pair": """
        def order(positions):
            return positions.float().sort()[1]
    """,
    "a method that is not known": """
        def last(shards):
            return shards.float().full_tensor()[:, -1]
    """,
    "a step that is not known": """
        def thin(logits, stride):
            return logits.float()[:, ::stride]
    """,
    "a collective stands between": """
        def last(logits, group):
            wide = logits.float()
            group.all_reduce(wide)
            return wide[:, -1]
    """,
    "narrow to all but one": """
        def shift(logits):
            return logits.float().narrow(1, 0, logits.size(1) - 1)
    """,
}

SAFE = {
    "at the last position": (
        """
        def last(logits):
            return logits.float()[:, -1]
        """,
        """
        def last(logits):
            return logits[:, -1].float()
        """,
    ),
    "at the last positions": (
        """
        def last(logits, count):
            logits = logits.float()
            return logits[:, -count:, :]
        """,
        """
        def last(logits, count):
            return logits[:, -count:, :].float()
        """,
    ),
    "at the positions before the last": (
        """
        def answer(logits, length):
            return logits.to(torch.float32)[:, -length - 1 : -1]
        """,
        """
        def answer(logits, length):
            return logits[:, -length - 1 : -1].to(torch.float32)
        """,
    ),
    "of the last positions by size": (
        """
        def last(logits, count):
            return logits.float()[:, logits.size(1) - count :]
        """,
        """
        def last(logits, count):
            return logits[:, logits.size(1) - count :].float()
        """,
    ),
    "of the rows in use": (
        """
        def active(buffer, used):
            wide = buffer.squeeze(0).float()
            return wide[:used]
        """,
        """
        def active(buffer, used):
            wide = buffer.squeeze(0)
            return wide[:used].float()
        """,
    ),
    "between two bounds": (
        """
        def window(logits, a, b):
            return logits.float()[:, a:b]
        """,
        """
        def window(logits, a, b):
            return logits[:, a:b].float()
        """,
    ),
    "of one column": (
        """
        def first(scores):
            return scores.float()[..., 0]
        """,
        """
        def first(scores):
            return scores[..., 0].float()
        """,
    ),
    "of a column by its name": (
        """
        def score(logits, yes: int):
            return logits.float()[:, -1, yes]
        """,
        """
        def score(logits, yes: int):
            return logits[:, -1, yes].float()
        """,
    ),
    "by narrow": (
        """
        def window(logits, first):
            return (
                logits
                # single precision for what follows
                .float()
                .narrow(1, first, 3)  # only the answer
                .clamp(min=-3.0)
            )
        """,
        """
        def window(logits, first):
            return (
                logits
                .narrow(1, first, 3)  # only the answer
                # single precision for what follows
                .float()
                .clamp(min=-3.0)
            )
        """,
    ),
    "by select of torch": (
        """
        def last(logits):
            return torch.select(logits.float(), 1, -1)
        """,
        """
        def last(logits):
            return torch.select(logits, 1, -1).float()
        """,
    ),
    "of one chunk": (
        """
        def gate(x):
            return F.relu(x.float().chunk(2, dim=-1)[0])
        """,
        """
        def gate(x):
            return F.relu(x.chunk(2, dim=-1)[0].float())
        """,
    ),
    "of one part of torch.split": (
        """
        def middle(x, sizes):
            return torch.split(x.float(), sizes, dim=-1)[1]
        """,
        """
        def middle(x, sizes):
            return torch.split(x, sizes, dim=-1)[1].float()
        """,
    ),
    "of one row of unbind": (
        """
        def last(x):
            return x.float().unbind(1)[-1]
        """,
        """
        def last(x):
            return x.unbind(1)[-1].float()
        """,
    ),
    "of the first part of an unpacked chunk": (
        """
        def gate(x):
            gate, _ = x.float().chunk(2, -1)
            return F.relu(gate)
        """,
        """
        def gate(x):
            gate, _ = x.chunk(2, -1)
            gate = gate.float()
            return F.relu(gate)
        """,
    ),
    "of one part that is kept by name": (
        """
        def first(x):
            parts = x.float().split(3)
            return parts[0].exp()
        """,
        """
        def first(x):
            parts = x.split(3)
            return parts[0].float().exp()
        """,
    ),
    "of the diagonal": (
        """
        def own(similarity):
            return similarity.float().diagonal().exp()
        """,
        """
        def own(similarity):
            return similarity.diagonal().float().exp()
        """,
    ),
    "of two parts that share nothing": (
        """
        def ends(logits):
            wide = logits.float()
            return wide[:, :3].exp(), wide[:, 3:5].exp()
        """,
        """
        def ends(logits):
            return logits[:, :3].float().exp(), logits[:, 3:5].float().exp()
        """,
    ),
    "of a slice that keeps nearly everything": (
        """
        def last(logits):
            shifted = logits.float()[:, :-1]
            return shifted[:, -1]
        """,
        """
        def last(logits):
            shifted = logits[:, :-1]
            return shifted[:, -1].float()
        """,
    ),
    "of the first rows, where another branch reads all": (
        """
        def active(logits, used, only_last):
            logits = logits.float()
            if only_last:
                return logits.log_softmax(-1)
            return logits[:used]
        """,
        """
        def active(logits, used, only_last):
            if only_last:
                return logits.float().log_softmax(-1)
            return logits[:used].float()
        """,
    ),
}

UNSAFE = {
    "parts overlap": (
        """
        def ends(logits, n):
            wide = logits.float()
            return wide[:, :n].exp(), wide[:, -1]
        """,
        "read more than once on a path",
    ),
    "bounds of the same text mean something else": (
        """
        def ends(logits, n):
            wide = logits.float()
            first = wide[:, 2:n].exp()
            n = n - 1
            return first, wide[:, n:8]
        """,
        "read more than once on a path",
    ),
    "the slice is summed": (
        """
        def total(logits, a, b):
            part = logits.float()[:, a:b]
            return part.sum()
        """,
        "`sum` gives the same bits",
    ),
    "the position may be a tensor": (
        """
        def row(states, i):
            return states.float()[i]
        """,
        "if an index repeats in `i`",
    ),
    "the source is rescaled in between": (
        """
        @torch.no_grad()
        def last(logits, heat):
            plain = logits.float()
            logits.div_(heat)
            return plain[:, -1]
        """,
        "the source is written to",
    ),
    "a function is given the source in between": (
        """
        def last(logits, warp):
            plain = logits.float()
            warp(logits)
            return plain[:, -1]
        """,
        "`warp`",
    ),
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_silent_where(code: str) -> None:
    assert codes(with_torch(code)) == []


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE)
def test_selects_first(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC004"]
    assert fixed(with_torch(before)) == with_torch(after)
    assert codes(with_torch(after)) == []


@pytest.mark.parametrize(("code", "condition"), UNSAFE.values(), ids=UNSAFE)
def test_unsafe_where(code: str, condition: str) -> None:
    (finding,) = found(with_torch(code))
    assert finding.code == "UPC004"
    assert condition in (finding.condition or "")
    assert fixed(with_torch(code)) == with_torch(code)
    assert fixed(with_torch(code), unsafe=True) != with_torch(code)


def test_the_slice_is_named() -> None:
    (finding,) = found(
        with_torch("""
        def last(logits):
            return logits.float()[:, -1]
        """)
    )
    assert "only `[:, -1]` reads it" in finding.message
