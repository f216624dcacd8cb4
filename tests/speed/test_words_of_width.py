"""The words without which no source is vocab-wide."""

from __future__ import annotations

import pytest

from tests.analysis.test_width import WIDE, judge
from upcast_lint.analysis.width.bound import may_be_vocab_wide

SILENT = {
    "no words": "def f(x, w):\n    y = x.float()\n    return y[0] * w\n",
    "attention": "def f(q, k, v):\n    y = softmax(q @ k).float()\n    return y[0]\n",
    "a router": "def f(router_logits):\n    return router_logits.float().topk(2)\n",
    "logits alone": "def f(logits):\n    return logits.float()[0]\n",
    "scores of a router": (
        "def f(router_probs, tokens):\n    return router_probs.float().argmax(-1)\n"
    ),
    "a processor of logits": "class LogitsProcessor:\n    def f(self, x): ...",
    "embeddings in prose": "def f(x, labels):\n    # the rotary embedding of x\n",
    "a table of positions": (
        "def f(self, x, y):\n    return y + self.embedding(x.float())[0]\n"
    ),
    "ten thousand": "def f(x):\n    return x.float() ** (1 / 10000) + 10000.0\n",
    "items that are no vectors": "def f(x, w):\n    x.item()\n    x @ w.weight\n",
    "weights that are no table": "def f(weights):\n    return weights.float()[0]\n",
}
FOUND = {
    "a vocabulary": "def f(x, vocab_size): ...",
    "a head": "def f(x):\n    return self.lmHead(x).float()",
    "logits for labels": "def f(logits, labels): ...",
    "logits of a decoder": "def decode(logits): ...",
    "logits of tokens": "def f(token_logits): ...",
    "a table": "def f():\n    return self.embed_tokens.weight.float()",
    "a lookup": "def f(input_ids, w):\n    return F.embedding(input_ids, w.float())",
    "a corpus": "def f(x, corpusEmbeddings):\n    return x @ corpusEmbeddings.T",
    "items": "def f(self, x):\n    return x.matmul(self.items(-1).features)",
    "a length": "def f(self, x):\n    return x.view(-1, len(self.tokenizer))",
    "a layer": "def f(x, num_tokens):\n    return nn.Linear(8, num_tokens)(x)",
    "a number": "def f(x):\n    return x.view(-1, 32_000)",
    "a size": "def f(x):\n    B, S, V_local = x.shape",
    "a shape": "def f(scores):\n    x = scores  # [B, S, V]",
    "likelihoods": "def f(scores, labels):\n    return log_softmax(scores)",
    "a chosen token": "def f(probs):\n    next_token = probs.argmax(-1)",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_functions_that_speak_of_something_else(text: str) -> None:
    assert not may_be_vocab_wide(text)


@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND)
def test_functions_that_may_speak_of_a_vocabulary(text: str) -> None:
    assert may_be_vocab_wide(text)


@pytest.mark.parametrize("code", WIDE.values(), ids=WIDE)
def test_what_the_model_takes_for_wide(code: str) -> None:
    assert judge(code).is_vocab_wide
    assert may_be_vocab_wide(code, code)
