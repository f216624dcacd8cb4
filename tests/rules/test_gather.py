"""UPC001: gather, take_along_dim and take; and what every rule has in common."""

from __future__ import annotations

import pytest

from .helpers import codes, fixed, found, with_torch

SILENT = {
    "torch is a parameter": """
        def pick(logits, torch, labels):
            return logits.to(torch.float32).gather(-1, labels[..., None])
    """,
    "torch is another library": """
        import numpy as torch

        def pick(logits, labels):
            return logits.to(torch.float32).gather(-1, labels[..., None])
    """,
    "torch is rebound": """
        def pick(logits, labels):
            torch = backend()
            return torch.gather(logits.float(), -1, labels[..., None])
    """,
    "the type is triton's": """
        import triton.language as tl

        def pick(logits, labels):
            return logits.to(tl.float32).gather(-1, labels[..., None])
    """,
    "the type is numpy's": """
        import numpy as np

        def pick(logits, labels):
            return logits.astype(np.float32).gather(-1, labels[..., None])
    """,
    "the type is that of another tensor": """
        def pick(logits, teacher, labels):
            return logits.to(teacher.dtype).gather(-1, labels[..., None])
    """,
    "the copy is normalised after the selection": """
        def logprob(logits, labels):
            wide = logits.float()
            picked = wide.gather(-1, labels[..., None])
            return picked - wide.logsumexp(-1, keepdim=True)
    """,
    "the softmax needs every column": """
        def logprob(logits, labels):
            logprobs = F.log_softmax(logits.float(), dim=-1)
            return logprobs.gather(-1, labels[..., None])
    """,
    "the copy is returned": """
        def pick(logits, labels):
            wide = logits.float()
            return wide.gather(-1, labels[..., None]), wide
    """,
    "the copy is yielded": """
        def pick(logits, labels):
            wide = logits.float()
            yield wide
            yield wide.gather(-1, labels[..., None])
    """,
    "an alias of the copy is read whole": """
        def pick(logits, labels):
            wide = logits.float()
            same = wide
            return wide.gather(-1, labels[..., None]), same.sum()
    """,
    "the copy is stored in an attribute": """
        def pick(self, logits, labels):
            self.wide = logits.float()
            return self.wide.gather(-1, labels[..., None])
    """,
    "the copy is stored in a container": """
        def pick(logits, labels, kept):
            wide = logits.float()
            kept["wide"] = wide
            return wide.gather(-1, labels[..., None])
    """,
    "a nested function captures the copy": """
        def pick(logits, labels):
            wide = logits.float()

            def total():
                return wide.sum()

            return wide.gather(-1, labels[..., None]), total
    """,
    "a global name holds the copy": """
        def pick(labels):
            global logits
            logits = logits.float()
            return logits.gather(-1, labels[..., None])
    """,
    "an outer function's name holds the copy": """
        def outer(logits):
            def pick(labels):
                nonlocal logits
                logits = logits.float()
                return logits.gather(-1, labels[..., None])

            return pick
    """,
    "the copy is written to": """
        def pick(logits, labels):
            wide = logits.float()
            wide /= 2
            return wide.gather(-1, labels[..., None])
    """,
    "the copy is written to by index": """
        def pick(logits, labels):
            wide = logits.float()
            wide[:, 0] = 0
            return wide.gather(-1, labels[..., None])
    """,
    "the source is written to in between": """
        def pick(logits, labels):
            wide = logits.float()
            logits.div_(2)
            return wide.gather(-1, labels[..., None])
    """,
    "the source is written to by index in between": """
        def pick(logits, labels):
            wide = logits.float()
            logits[0] = 0
            return wide.gather(-1, labels[..., None])
    """,
    "an alias of the source is written to in between": """
        def pick(logits, labels):
            same = logits
            wide = logits.float()
            same.zero_()
            return wide.gather(-1, labels[..., None])
    """,
    "a view of the source is written to in between": """
        def pick(logits, labels):
            first = logits[0]
            wide = logits.float()
            first.zero_()
            return wide.gather(-1, labels[..., None])
    """,
    "the source is the output of a call in between": """
        def pick(logits, labels):
            wide = logits.float()
            torch.exp(logits, out=logits)
            return wide.gather(-1, labels[..., None])
    """,
    "another value may have the name": """
        def pick(logits, labels, c):
            if c:
                wide = logits.float()
            else:
                wide = logits.softmax(-1)
            return wide.gather(-1, labels[..., None])
    """,
    "the copy is carried into the next round": """
        def pick(logits, labels, rounds):
            for _ in range(rounds):
                logits = logits.float()
                picked = logits.gather(-1, labels[..., None])
            return picked
    """,
    "the copy is saved in the end": """
        def pick(logits, labels):
            wide = logits.float()
            try:
                return wide.gather(-1, labels[..., None])
            finally:
                save(wide)
    """,
    "a gradient hook is registered on the copy": """
        def pick(logits, labels):
            wide = logits.float()
            wide.register_hook(print)
            return wide.gather(-1, labels[..., None])
    """,
    "the copy becomes a leaf": """
        def pick(logits, labels):
            wide = logits.float().requires_grad_()
            return wide.gather(-1, labels[..., None])
    """,
    "positional arguments are unpacked": """
        def pick(logits, where):
            return logits.float().gather(*where)
    """,
    "keyword arguments are unpacked": """
        def pick(logits, where):
            return logits.float().gather(-1, **where)
    """,
    "ranks gather": """
        import torch.distributed as dist

        def collect(logits, parts):
            dist.gather(logits.float(), parts)
    """,
    "a communicator gathers": """
        def collect(comm, logits):
            return comm.gather(logits.float(), 0)
    """,
    "an accelerator gathers": """
        def collect(self, logits):
            return self.accelerator.gather(logits.float())
    """,
    "the gradient is sparse": """
        def pick(logits, labels):
            return torch.gather(
                logits.float(), -1, labels[..., None], sparse_grad=True
            )
    """,
    "the result goes into a buffer": """
        def pick(logits, labels, buffer):
            torch.gather(logits.float(), -1, labels[..., None], out=buffer)
    """,
    "the copy is the index": """
        def pick(logits, order):
            return logits.gather(-1, order.float())
    """,
    "every column is gathered": """
        def reorder(logits):
            return logits.float().gather(-1, logits.argsort(-1))
    """,
    "float8 has no gather": """
        def pick(store, slots):
            assert store.dtype is torch.float8_e4m3fn
            return store.float().gather(0, slots)
    """,
    "a mask is counted": """
        def pick(logits, labels):
            hits = logits > 0
            return hits.float().gather(-1, labels[..., None])
    """,
    "the index is drawn from the copy's softmax": """
        def draw(logits):
            wide = logits.float()
            return wide.gather(-1, wide.softmax(-1).multinomial(1))
    """,
}

SAFE = {
    "one expression": (
        """
        def pick(logits, labels):
            return logits.float().gather(-1, labels.unsqueeze(-1))
        """,
        """
        def pick(logits, labels):
            return logits.gather(-1, labels.unsqueeze(-1)).float()
        """,
    ),
    "the type has another name": (
        """
        from torch import float32 as wide

        def pick(logits, labels):
            return torch.gather(logits.to(wide), -1, labels[..., None])
        """,
        """
        from torch import float32 as wide

        def pick(logits, labels):
            return torch.gather(logits, -1, labels[..., None]).to(wide)
        """,
    ),
    "the module has another name": (
        """
        import torch as t

        def pick(logits, labels):
            return t.gather(logits.to(t.float64), -1, labels[..., None])
        """,
        """
        import torch as t

        def pick(logits, labels):
            return t.gather(logits, -1, labels[..., None]).to(t.float64)
        """,
    ),
    "the copy has a name": (
        """
        def pick(logits, labels):
            wide = logits.float()
            if wide.shape[1] == 0:
                return None
            return wide.gather(-1, labels[..., None])
        """,
        """
        def pick(logits, labels):
            if logits.shape[1] == 0:
                return None
            return logits.gather(-1, labels[..., None]).float()
        """,
    ),
    "the copy has two names": (
        """
        def pick(logits, labels):
            wide = logits.float()
            same = wide
            return same.gather(-1, labels[..., None])
        """,
        """
        def pick(logits, labels):
            same = logits
            return same.gather(-1, labels[..., None]).float()
        """,
    ),
    "the copy is deleted": (
        """
        def pick(logits, labels):
            wide = logits.float()
            picked = wide.gather(-1, labels[..., None])
            del wide
            return picked
        """,
        """
        def pick(logits, labels):
            picked = logits.gather(-1, labels[..., None]).float()
            return picked
        """,
    ),
    "the source is an attribute": (
        """
        def pick(self, labels):
            return self.logits.float().gather(-1, labels[..., None])
        """,
        """
        def pick(self, labels):
            return self.logits.gather(-1, labels[..., None]).float()
        """,
    ),
    "the type of the copy is read": (
        """
        def pick(logits, labels, weights):
            wide = logits.float()
            picked = wide.gather(-1, labels[..., None])
            return picked * weights.to(wide.dtype)
        """,
        """
        def pick(logits, labels, weights):
            picked = logits.gather(-1, labels[..., None]).float()
            return picked * weights.to(torch.float32)
        """,
    ),
    "one branch reads everything": (
        """
        def pick(logits, labels, full):
            logits = logits.float()
            if full:
                probs = logits.softmax(-1)
                total = logits.logsumexp(-1)
            else:
                probs = logits.gather(-1, labels[..., None])
                total = None
            return probs, total
        """,
        """
        def pick(logits, labels, full):
            if full:
                logits = logits.float()
                probs = logits.softmax(-1)
                total = logits.logsumexp(-1)
            else:
                probs = logits.gather(-1, labels[..., None]).float()
                total = None
            return probs, total
        """,
    ),
    "an early return reads everything": (
        """
        def pick(logits, labels):
            wide = logits.float()
            if labels is None:
                return wide.logsumexp(-1)
            return wide.gather(-1, labels[..., None])
        """,
        """
        def pick(logits, labels):
            if labels is None:
                return logits.float().logsumexp(-1)
            return logits.gather(-1, labels[..., None]).float()
        """,
    ),
    "a guard asks for the type": (
        """
        def pick(logits, labels):
            logits = logits.float() if logits.dtype != torch.float32 else logits
            return logits.gather(-1, labels[..., None])
        """,
        """
        def pick(logits, labels):
            return logits.gather(-1, labels[..., None]).float()
        """,
    ),
    "try and finally": (
        """
        def pick(logits, labels):
            try:
                wide = logits.float()
                return wide.gather(-1, labels[..., None])
            finally:
                print("done")
        """,
        """
        def pick(logits, labels):
            try:
                return logits.gather(-1, labels[..., None]).float()
            finally:
                print("done")
        """,
    ),
    "a comprehension": (
        """
        def pick(all_logits, labels):
            return [
                logits.float().gather(-1, labels[..., None]) for logits in all_logits
            ]
        """,
        """
        def pick(all_logits, labels):
            return [
                logits.gather(-1, labels[..., None]).float() for logits in all_logits
            ]
        """,
    ),
    "a nested function": (
        """
        def picker(logits):
            def pick(labels):
                return logits.float().gather(-1, labels[..., None])

            return pick
        """,
        """
        def picker(logits):
            def pick(labels):
                return logits.gather(-1, labels[..., None]).float()

            return pick
        """,
    ),
    "a walrus": (
        """
        def pick(logits, labels):
            if (picked := logits.float().gather(-1, labels[..., None])).numel():
                return picked
        """,
        """
        def pick(logits, labels):
            if (picked := logits.gather(-1, labels[..., None]).float()).numel():
                return picked
        """,
    ),
    "an f-string and an assertion": (
        """
        def pick(logits, labels):
            assert logits.float().gather(-1, labels[..., None]).isfinite().all()
            print(f"{logits.float().gather(-1, labels[..., None]).shape}")
        """,
        """
        def pick(logits, labels):
            assert logits.gather(-1, labels[..., None]).float().isfinite().all()
            print(f"{logits.gather(-1, labels[..., None]).float().shape}")
        """,
    ),
    "a suite on one line": (
        """
        def pick(logits, labels, c):
            if c: return logits.float().gather(-1, labels[..., None])
        """,
        """
        def pick(logits, labels, c):
            if c: return logits.gather(-1, labels[..., None]).float()
        """,
    ),
    "two statements on one line": (
        """
        def pick(logits, labels):
            n = 1; return logits.float().gather(-1, labels[..., None])
        """,
        """
        def pick(logits, labels):
            n = 1; return logits.gather(-1, labels[..., None]).float()
        """,
    ),
    "parentheses, comments and line breaks": (
        """
        def pick(logits, labels):
            picked = torch.gather(
                (logits.to(torch.float32)),  # [B, S, V]
                dim=-1,
                index=labels.unsqueeze(-1),  # one label
            ).squeeze(-1)  # [B, S]
            return picked
        """,
        """
        def pick(logits, labels):
            picked = torch.gather(
                (logits),  # [B, S, V]
                dim=-1,
                index=labels.unsqueeze(-1),  # one label
            ).to(torch.float32).squeeze(-1)  # [B, S]
            return picked
        """,
    ),
    "a comment on the cast": (
        """
        def pick(logits, labels):
            logits = logits.float()  # for stability
            return logits.gather(-1, labels[..., None])  # [B, S, 1]
        """,
        """
        def pick(logits, labels):
            # for stability
            return logits.gather(-1, labels[..., None]).float()  # [B, S, 1]
        """,
    ),
    "two findings in one statement": (
        """
        def pick(logits, teacher_logits, labels):
            return (
                logits.float().gather(-1, labels[..., None]),
                teacher_logits.float().gather(-1, labels[..., None]),
            )
        """,
        """
        def pick(logits, teacher_logits, labels):
            return (
                logits.gather(-1, labels[..., None]).float(),
                teacher_logits.gather(-1, labels[..., None]).float(),
            )
        """,
    ),
    "distinct columns by a stated fact": (
        """
        def pick(logits, columns):
            # upcast-lint: distinct(columns)
            return logits.float().gather(-1, columns)
        """,
        """
        def pick(logits, columns):
            # upcast-lint: distinct(columns)
            return logits.gather(-1, columns).float()
        """,
    ),
    "no gradient by a stated fact": (
        """
        def pick(logits, columns):
            # upcast-lint: no-grad
            return logits.float().gather(-1, columns)
        """,
        """
        def pick(logits, columns):
            # upcast-lint: no-grad
            return logits.gather(-1, columns).float()
        """,
    ),
    "the softmax comes before the cast": (
        """
        def logprob(logits, labels):
            logprobs = F.log_softmax(logits, dim=-1).float()
            return torch.gather(logprobs, -1, labels[..., None])
        """,
        """
        def logprob(logits, labels):
            logprobs = F.log_softmax(logits, dim=-1)
            return torch.gather(logprobs, -1, labels[..., None]).float()
        """,
    ),
}

UNSAFE = {
    "columns may repeat": (
        """
        def pick(logits, columns):
            return logits.float().gather(-1, columns)
        """,
        """
        def pick(logits, columns):
            return logits.gather(-1, columns).float()
        """,
    ),
    "positions may repeat": (
        """
        def pick(logits, positions):
            return logits.float().take(positions)
        """,
        """
        def pick(logits, positions):
            return logits.take(positions).float()
        """,
    ),
    "a call in between may write to the source": (
        """
        @torch.no_grad()
        def pick(logits, labels):
            wide = logits.float()
            log(logits)
            return wide.gather(-1, labels[..., None])
        """,
        """
        @torch.no_grad()
        def pick(logits, labels):
            log(logits)
            return logits.gather(-1, labels[..., None]).float()
        """,
    ),
    "two selections meet on one path": (
        """
        def pick(logits, chosen, rejected):
            logits = logits.float()
            good = logits.gather(-1, chosen[..., None])
            bad = logits.gather(-1, rejected[..., None])
            return good - bad
        """,
        """
        def pick(logits, chosen, rejected):
            good = logits.gather(-1, chosen[..., None]).float()
            bad = logits.gather(-1, rejected[..., None]).float()
            return good - bad
        """,
    ),
    "the name of the source is rebound in between": (
        """
        def pick(logits, labels):
            wide = logits.float()
            logits = logits.softmax(-1)
            return wide.gather(-1, labels[..., None]), logits
        """,
        """
        def pick(logits, labels):
            wide = logits
            logits = logits.softmax(-1)
            return wide.gather(-1, labels[..., None]).float(), logits
        """,
    ),
    "the dtype is anyone's guess": (
        """
        def pick(grid, labels):
            return grid.float().gather(-1, labels[..., None])
        """,
        """
        def pick(grid, labels):
            return grid.gather(-1, labels[..., None]).float()
        """,
    ),
}

EXACT_TEXTS = {
    "CR LF, no final newline": (
        "import torch\r\ndef f(logits, i):\r\n    wide = logits.float()\r\n"
        "    return wide.gather(-1, i[..., None])",
        "import torch\r\ndef f(logits, i):\r\n"
        "    return logits.gather(-1, i[..., None]).float()",
    ),
    "form feeds": (
        "import torch\n\x0cdef f(logits, i):\n"
        "    return logits.float().gather(-1, i[..., None])\n\x0c\n",
        "import torch\n\x0cdef f(logits, i):\n"
        "    return logits.gather(-1, i[..., None]).float()\n\x0c\n",
    ),
    "tabs": (
        "import torch\ndef f(logits, i):\n\twide = logits.float()\n"
        "\treturn wide.gather(-1, i[..., None])\n",
        "import torch\ndef f(logits, i):\n"
        "\treturn logits.gather(-1, i[..., None]).float()\n",
    ),
    "letters of several bytes": (
        "import torch\ndef f(logits, i): "
        "return 'é', logits.float().gather(-1, i[..., None]), '∑'\n",
        "import torch\ndef f(logits, i): "
        "return 'é', logits.gather(-1, i[..., None]).float(), '∑'\n",
    ),
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_silent_where(body: str) -> None:
    assert codes(with_torch(body)) == []


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE)
def test_gathers_first(before: str, after: str) -> None:
    assert set(codes(with_torch(before))) == {"UPC001"}
    assert fixed(with_torch(before)) == with_torch(after)
    assert found(with_torch(after)) == []


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE)
def test_unsafe_where(before: str, after: str) -> None:
    assert codes(with_torch(before)) == ["UPC001"]
    assert fixed(with_torch(before)) == with_torch(before)
    assert fixed(with_torch(before), unsafe=True) == with_torch(after)


@pytest.mark.parametrize(("before", "after"), EXACT_TEXTS.values(), ids=EXACT_TEXTS)
def test_keeps_the_text_around(before: str, after: str) -> None:
    assert fixed(before) == after


@pytest.mark.parametrize(
    "test", ["isinstance(logits, torch.Tensor)", "logits.is_cuda", "enabled"]
)
def test_not_rewritten_where_the_cast_is_conditional(test: str) -> None:
    code = with_torch(f"""
        def pick(logits, labels, enabled):
            if {test}:
                logits = logits.float()
            return logits.gather(-1, labels[..., None])
    """)
    (finding,) = found(code)
    assert finding.fix is None
    assert finding.notes == ("not rewritten: the cast is conditional",)


def test_message_names_the_branch() -> None:
    (finding,) = found(
        with_torch("""
        def pick(logits, labels, full):
            logits = logits.float()
            if full:
                return logits.softmax(-1)
            return logits.gather(-1, labels[..., None])
        """)
    )
    assert finding.message == (
        "`logits` is upcast to float32 whole, but only `gather` reads it when not full"
    )


def test_finding_rests_on_what_is_stated() -> None:
    (finding,) = found(
        with_torch("""
        def pick(logits, columns):
            # upcast-lint: distinct(columns)
            return logits.float().gather(-1, columns)
        """)
    )
    assert finding.notes == ("rests on stated: distinct(columns)",)
