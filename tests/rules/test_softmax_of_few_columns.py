"""UPC020: softmax and log_softmax of which few columns are kept."""

from __future__ import annotations

import pytest

from upcast_lint.finding import Confidence, Finding, Safety
from upcast_lint.linter import Options, lint
from upcast_lint.selection import usual_codes
from upcast_lint.source import Source

from .helpers import codes, with_torch

SILENT = {
    "the softmax is returned as well": """
        def f(logits, labels):
            logps = F.log_softmax(logits.float(), dim=-1)
            return logps.gather(-1, labels.unsqueeze(-1)), logps
    """,
    "its entropy is wanted": """
        def f(logits, labels):
            logps = logits.float().log_softmax(-1)
            return logps.gather(-1, labels[..., None]), (logps.exp() * logps).sum(-1)
    """,
    "the copy is read whole beside it": """
        def f(logits, labels):
            wide = logits.float()
            logps = wide.log_softmax(-1)
            return logps.gather(-1, labels[..., None]), wide.logsumexp(-1)
    """,
    "the gather is of another axis": """
        def f(logits, ids):
            return logits.float().softmax(-1).gather(1, ids)
    """,
    "the dimension of the softmax is not said": """
        def f(logits, labels, axis):
            return logits.float().softmax(axis).gather(axis, labels)
    """,
    "no cast is there": """
        def f(logits, labels):
            return logits.log_softmax(-1).gather(-1, labels[..., None])
    """,
    "the cast comes after": """
        def f(logits, labels):
            return logits.log_softmax(-1).float().gather(-1, labels[..., None])
    """,
    "it goes to another function": """
        def f(logits, labels):
            return pick(F.log_softmax(logits.float(), dim=-1), labels)
    """,
    "nothing is kept of it": """
        def f(logits, labels):
            logps = F.log_softmax(logits.float(), dim=-1)
            return logps.shape
    """,
    "its name may hold something else": """
        def f(logits, labels, other, flag):
            logps = F.log_softmax(logits.float(), dim=-1)
            if flag:
                logps = other
            return logps.gather(-1, labels.unsqueeze(-1))
    """,
    "a nested function has it": """
        def f(logits):
            logps = F.log_softmax(logits.float(), dim=-1)
            def pick(labels):
                return logps.gather(-1, labels.unsqueeze(-1))
            return pick
    """,
    "a mask picks rows, and all columns": """
        def f(logits, mask):
            return F.log_softmax(logits.float(), dim=-1)[mask].sum()
    """,
}

FOUND = {
    "in one expression": """
        def f(logits, labels):
            return F.log_softmax(logits.float(), -1).gather(-1, labels.unsqueeze(-1))
    """,
    "with names, a temperature, and a shift": """
        def f(logits, ids, t: float):
            logits = logits.float()
            logits = logits / t
            logps = logits.log_softmax(dim=-1)[:, :-1]
            return torch.gather(logps, -1, ids[:, 1:, None]).squeeze(-1)
    """,
    "a softmax": """
        def f(logits, drafted):
            probs = torch.softmax(logits.float(), dim=-1)
            return probs.gather(-1, drafted[..., None])
    """,
    "rows and labels": """
        def f(logits, labels):
            logps = logits.float().log_softmax(-1)
            return -logps[torch.arange(len(labels)), labels]
    """,
    "the loss of likelihoods": """
        def f(logits, labels):
            logps = F.log_softmax(logits.float(), dim=-1)
            return F.nll_loss(logps.view(-1, logits.size(-1)), labels.view(-1))
    """,
    "in a branch, where another reads the copy": """
        def f(logits, labels, flag):
            wide = logits.float()
            if flag:
                return wide.log_softmax(-1).gather(-1, labels[..., None])
            return wide
    """,
    "the best columns of another model": """
        def f(logits, teacher):
            best = teacher.topk(8, dim=-1).indices
            return F.log_softmax(logits.float(), dim=-1).gather(-1, best)
    """,
}


def advised(code: str) -> list[Finding]:
    source = Source.from_bytes(with_torch(code).encode(), "test.py")
    options = Options(usual_codes() | {"UPC020"}, least=Confidence.LOW)
    return [each for each in lint(source, options) if each.code == "UPC020"]


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_silent(code: str) -> None:
    assert advised(code) == []


@pytest.mark.parametrize("code", FOUND.values(), ids=FOUND)
def test_found(code: str) -> None:
    (finding,) = advised(code)
    assert finding.safety is Safety.DISPLAY and finding.fix is None
    assert any(note.startswith("not rewritten: ") for note in finding.notes)


@pytest.mark.parametrize("code", FOUND.values(), ids=FOUND)
def test_it_is_off_by_default(code: str) -> None:
    assert "UPC020" not in codes(with_torch(code))


def test_it_counts_the_copy_and_the_softmax() -> None:
    code = """
        def f(logits, labels):  # logits: [B, S, V]
            return F.log_softmax(logits.float(), -1).gather(-1, labels.unsqueeze(-1))
    """
    (finding,) = advised(code)
    assert finding.estimate is not None
    assert finding.estimate.expression == "8·B·S·V"
    assert finding.estimate.bytes_at({"B": 1, "S": 2, "V": 10}) == 160


def test_a_selection_of_another_branch_keeps_its_own_finding() -> None:
    code = with_torch("""
        def f(logits, labels, flag):
            wide = logits.float()
            if flag:
                return wide.log_softmax(-1).gather(-1, labels[..., None])
            return wide.gather(-1, labels[..., None])
    """)
    source = Source.from_bytes(code.encode(), "test.py")
    both = Options(usual_codes() | {"UPC020"}, least=Confidence.LOW)
    found = {each.code: each for each in lint(source, both)}
    assert set(found) == {"UPC001", "UPC020"}
    assert found["UPC001"] == lint(source, Options(least=Confidence.LOW))[0]


def test_the_last_bits_of_gather_minus_logsumexp_differ() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    logits = (torch.randn(32, 32003) * 4).to(torch.bfloat16)
    labels = torch.randint(32003, (32, 1))
    whole = logits.float().log_softmax(-1).gather(-1, labels)
    apart = logits.gather(-1, labels).float() - logits.float().logsumexp(-1, True)
    entropy = -torch.nn.functional.cross_entropy(
        logits.float(), labels[:, 0], reduction="none"
    )
    chunks = [
        rows.float().log_softmax(-1).gather(-1, ids)
        for rows, ids in zip(logits.split(5), labels.split(5), strict=True)
    ]
    assert not torch.equal(whole, apart)
    assert (whole - apart).abs().max() < 5e-5
    assert torch.equal(whole, entropy[:, None])
    assert torch.equal(whole, torch.cat(chunks))
