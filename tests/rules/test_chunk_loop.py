"""UPC005: loops that read the copy piece by piece."""

from __future__ import annotations

import pytest

from .helpers import codes, fixed, found, with_torch

SILENT = {
    "the rows are named by a list": """
    def score(logits, order):
        wide = logits.float()
        return [wide[i].logsumexp(-1) for i in order]
    """,
    "a prefix grows": """
        def scan(logits, n):
            wide = logits.float()
            return [wide[:, :t].logsumexp(1) for t in range(n)]
    """,
    "windows slide": """
        def scan(logits, n, window):
            wide = logits.float()
            return [wide[:, t - window : t].logsumexp(1) for t in range(window, n)]
    """,
    "windows slide from zero": """
        def scan(logits, n, window):
            wide = logits.float()
            return [wide[:, max(0, t - window) : t].logsumexp(1) for t in range(n)]
    """,
    "the stride is not the length": """
        def scan(logits, n, stride, length):
            wide = logits.float()
            out = []
            for start in range(0, n, stride):
                out.append(wide[start : start + length].logsumexp(-1))
            return out
    """,
    "each row is read for several heads": """
        def scan(logits, n, heads):
            wide = logits.float()
            return [wide[i // heads].logsumexp(-1) for i in range(n * heads)]
    """,
    "every epoch reads all chunks": """
        def train(logits, n, step):
            wide = logits.float()
            out = []
            for _ in range(3):
                for start in range(0, n, step):
                    out.append(wide[start : start + step].logsumexp(-1))
            return out
    """,
    "taps are looked up in nested loops": """
        def fold(weight, taps):
            wide = weight.float()
            out = []
            for a in range(4):
                for b in range(4):
                    for i in taps[a]:
                        for j in taps[b]:
                            out.append(wide[:, :, i, j])
            return out
    """,
    "every epoch iterates over the rows": """
        def train(logits):
            wide = logits.float()
            out = []
            for _ in range(3):
                for row in wide:
                    out.append(row.logsumexp(-1))
            return out
    """,
    "a column is spread over a larger tensor": """
        def score(q, k, weights, heads):
            w = weights.float()
            total = torch.zeros(len(q), len(k))
            for h in range(heads):
                total.addcmul_(q[:, h] @ k.t(), w[:, h : h + 1])
            return total
    """,
    "the pieces are spread over a larger tensor": """
        def backward(grads, probs, step):
            grads = grads.to(torch.float32)
            out = []
            for start in range(0, len(probs), step):
                chunk = grads[start : start + step]
                out.append((-chunk).unsqueeze(-1) * probs[start : start + step])
            return out
    """,
    "the elements become numbers": """
        def report(scores, n):
            wide = scores.float()
            return [wide[i].item() for i in range(n)]
    """,
    "one vector is read at a time": """
        def attend(q, tokens, heads, start):
            wide = q.float()
            out = []
            for offset in range(tokens):
                token = start + offset
                for head in range(heads):
                    out.append(wide[token, head].exp())
            return out
    """,
    "the tensor is a vector": """
        def report(scores, n):
            means = scores.reshape(-1).float()
            return [means[i] for i in range(n)]
    """,
    "a vector is iterated over": """
        def report(scores):
            return [score for score in scores.flatten().float()]
    """,
    "the pieces are written back": """
        def cap(logits, step):
            wide = logits.float()
            for start in range(0, wide.size(1), step):
                wide[:, start : start + step] = wide[:, start : start + step].tanh()
            return wide
    """,
    "the copy is read whole beside the loop": """
        def score(logits, step):
            wide = logits.float()
            total = wide.logsumexp(-1)
            for start in range(0, wide.size(1), step):
                total = total + wide[:, start : start + step].exp().mean()
            return total
    """,
    "the cast stands in the loop": """
        def score(logits, step):
            out = []
            for start in range(0, logits.size(1), step):
                out.append(logits[:, start : start + step].float().logsumexp(-1))
            return out
    """,
    "a list of tensors is cast one by one": """
        def score(batches):
            return [logits.float().logsumexp(-1) for logits in batches]
    """,
    "one part that is the whole": """
        def score(logits):
            return [part.exp() for part in logits.float().chunk(1)]
    """,
    "all pieces are kept as they are": """
        def divide(logits, n):
            wide = logits.float()
            rows = []
            for i in range(n):
                rows.append(wide[i].reshape(-1, 1))
            return rows
    """,
    "all parts are kept by name": """
        def divide(logits, names):
            return {
                name: (part, part.shape)
                for name, part in zip(names, logits.float().chunk(len(names)))
            }
    """,
    "the copy became a list": """
        def show(scores, n):
            rows = scores.float().tolist()
            return [", ".join(map(str, rows[i])) for i in range(n)]
    """,
    "the parts are kept as a list": """
        def score(logits, n):
            parts = logits.float().split(n)
            return torch.cat(parts)
    """,
}

SAFE = {
    "by the step of the loop": (
        """
        def score(logits, step):
            wide = logits.float()
            parts = []
            for start in range(0, wide.size(1), step):
                stop = min(start + step, wide.size(1))
                parts.append(wide[:, start:stop].logsumexp(-1))
            return torch.cat(parts, 1)
        """,
        """
        def score(logits, step):
            parts = []
            for start in range(0, logits.size(1), step):
                stop = min(start + step, logits.size(1))
                parts.append(logits[:, start:stop].float().logsumexp(-1))
            return torch.cat(parts, 1)
        """,
    ),
    "by the number of the chunk": (
        """
        def score(logits, count):
            wide = logits.float()
            size = wide.size(1) // count
            parts = []
            for i in range(count):
                parts.append(wide[:, i * size : (i + 1) * size].logsumexp(-1))
            return torch.cat(parts, 1)
        """,
        """
        def score(logits, count):
            size = logits.size(1) // count
            parts = []
            for i in range(count):
                parts.append(logits[:, i * size : (i + 1) * size].float().logsumexp(-1))
            return torch.cat(parts, 1)
        """,
    ),
    "one position at a time": (
        """
        def score(logits, n):
            wide = logits.float()
            return [wide[:, t].logsumexp(-1) for t in range(n)]
        """,
        """
        def score(logits, n):
            return [logits[:, t].float().logsumexp(-1) for t in range(n)]
        """,
    ),
    "one row at a time, from the last": (
        """
        def score(logits, n):
            wide = logits.float()
            return [wide[i].logsumexp(-1) for i in range(n - 1, -1, -1)]
        """,
        """
        def score(logits, n):
            return [logits[i].float().logsumexp(-1) for i in range(n - 1, -1, -1)]
        """,
    ),
    "one row with its neighbour in another tensor": (
        """
        def score(logits, labels):
            wide = logits.float()
            return [F.nll_loss(wide[i], y) for i, y in enumerate(labels)]
        """,
        """
        def score(logits, labels):
            return [F.nll_loss(logits[i].float(), y) for i, y in enumerate(labels)]
        """,
    ),
    "rows that are cut to their lengths": (
        """
        def score(logits, lengths: list[int]):
            wide = logits.float()
            out = []
            for row, length in enumerate(lengths):
                out.append(wide[row, :length].logsumexp(-1))
            return out
        """,
        """
        def score(logits, lengths: list[int]):
            out = []
            for row, length in enumerate(lengths):
                out.append(logits[row, :length].float().logsumexp(-1))
            return out
        """,
    ),
    "chunks of each row": (
        """
        def score(logits, n, step):
            wide = logits.float()
            out = []
            for row in range(n):
                for start in range(0, wide.size(1), step):
                    out.append(wide[row, start : start + step].logsumexp(-1))
            return out
        """,
        """
        def score(logits, n, step):
            out = []
            for row in range(n):
                for start in range(0, logits.size(1), step):
                    out.append(logits[row, start : start + step].float().logsumexp(-1))
            return out
        """,
    ),
    "in a while loop": (
        """
        def score(logits, n, step):
            wide = logits.float()
            out = []
            start = 0
            while start < n:
                stop = min(start + step, n)
                out.append(wide[start:stop].logsumexp(-1))
                start = stop
            return out
        """,
        """
        def score(logits, n, step):
            out = []
            start = 0
            while start < n:
                stop = min(start + step, n)
                out.append(logits[start:stop].float().logsumexp(-1))
                start = stop
            return out
        """,
    ),
    "in a while loop that counts up": (
        """
        def score(logits, n):
            wide = logits.float()
            out = []
            start = 0
            while start < n:
                out.append(wide[start : start + 64].logsumexp(-1))
                start += 64
            return out
        """,
        """
        def score(logits, n):
            out = []
            start = 0
            while start < n:
                out.append(logits[start : start + 64].float().logsumexp(-1))
                start += 64
            return out
        """,
    ),
    "by narrow": (
        """
        def score(logits, n):
            wide = logits.float()
            return [wide.narrow(1, s, 8).exp() for s in range(0, n, 8)]
        """,
        """
        def score(logits, n):
            return [logits.narrow(1, s, 8).float().exp() for s in range(0, n, 8)]
        """,
    ),
    "over split": (
        """
        def score(logits):
            wide = logits.float()
            out = []
            for chunk in wide.split(64):
                out.append(chunk.logsumexp(-1))
            return out
        """,
        """
        def score(logits):
            out = []
            for chunk in logits.split(64):
                chunk = chunk.float()
                out.append(chunk.logsumexp(-1))
            return out
        """,
    ),
    "over torch.chunk in a comprehension": (
        """
        def score(logits):
            wide = logits.float()
            return [part.exp() for part in torch.chunk(wide, 4, dim=1)]
        """,
        """
        def score(logits):
            return [part.float().exp() for part in torch.chunk(logits, 4, dim=1)]
        """,
    ),
    "over numbered parts": (
        """
        def score(logits):
            wide = logits.float()
            out = []
            for i, part in enumerate(wide.unbind(1)):
                out.append(part * i)
            return out
        """,
        """
        def score(logits):
            out = []
            for i, part in enumerate(logits.unbind(1)):
                part = part.float()
                out.append(part * i)
            return out
        """,
    ),
    "over rows and labels": (
        """
        def score(logits, labels):
            wide = logits.float()
            return [F.nll_loss(row, y) for row, y in zip(wide, labels)]
        """,
        """
        def score(logits, labels):
            return [F.nll_loss(row.float(), y) for row, y in zip(logits, labels)]
        """,
    ),
    "over the rows": (
        """
        def score(logits):
            out = []
            for row in logits.float():
                out.append(row.logsumexp(-1))
            return out
        """,
        """
        def score(logits):
            out = []
            for row in logits:
                row = row.float()
                out.append(row.logsumexp(-1))
            return out
        """,
    ),
}

UNSAFE = {
    "the spans are not known": (
        """
        def score(logits, starts, stops):
            wide = logits.float()
            out = []
            for start, stop in zip(starts, stops):
                out.append(wide[start:stop].logsumexp(-1))
            return out
        """,
        "no element is selected in two rounds",
    ),
    "the offsets are not known": (
        """
        def score(logits, offsets, n):
            wide = logits.float()
            out = []
            for i in range(n):
                start, stop = offsets[i], offsets[i + 1]
                out.append(wide[start:stop].logsumexp(-1))
            return out
        """,
        "no element is selected in two rounds",
    ),
    "the first start may be negative": (
        """
        def score(logits, first, n, step):
            wide = logits.float()
            out = []
            for start in range(first, n, step):
                out.append(wide[start : start + step].logsumexp(-1))
            return out
        """,
        "no element is selected in two rounds",
    ),
    "a continue may skip the step": (
        """
        def score(logits, n, step):
            wide = logits.float()
            out = []
            start = 0
            while start < n:
                part = wide[start : start + step].logsumexp(-1)
                if len(out) < 3:
                    out.append(part)
                    continue
                start += step
            return out
        """,
        "no element is selected in two rounds",
    ),
    "neighbours are read": (
        """
        def score(logits, n):
            wide = logits.float()
            return [wide[t + 1] - wide[t] for t in range(n)]
        """,
        "read more than once on a path",
    ),
    "a function is given each piece": (
        """
        def score(logits, n, use):
            wide = logits.float()
            for t in range(n):
                use(wide[t])
        """,
        "`use`",
    ),
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_silent_where(code: str) -> None:
    assert codes(with_torch(code)) == []


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE)
def test_casts_in_the_loop(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC005"]
    assert fixed(with_torch(before)) == with_torch(after)
    assert codes(with_torch(after)) == []


@pytest.mark.parametrize(("code", "condition"), UNSAFE.values(), ids=UNSAFE)
def test_unsafe_where(code: str, condition: str) -> None:
    (finding,) = found(with_torch(code))
    assert finding.code == "UPC005"
    assert condition in (finding.condition or "")
    assert fixed(with_torch(code)) == with_torch(code)
    assert fixed(with_torch(code), unsafe=True) != with_torch(code)


def test_the_loop_is_named() -> None:
    (finding,) = found(
        with_torch("""
        def score(logits):
            return [row.logsumexp(-1) for row in logits.float()]
        """)
    )
    assert "only `for row in …` reads it" in finding.message
    assert finding.reads[0].label == "keeps one part in each round"
