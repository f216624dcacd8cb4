"""Scoring a batch: log-probabilities of the labels, and losses on answer tokens."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def label_logprobs(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Log-probability of each label: [B, S] from logits [B, S, V]."""
    logprobs = F.log_softmax(logits, dim=-1).float()
    return logprobs.gather(dim=-1, index=labels.unsqueeze(-1)).squeeze(-1)


def answer_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross entropy over logits [B, S, V], where the label is not -100."""
    flat = logits.float().view(-1, logits.size(-1))
    labels = labels.reshape(-1)
    keep = labels != -100
    return F.cross_entropy(flat[keep], labels[keep])


def chunked_entropy(logits: torch.Tensor, chunk: int = 1024) -> torch.Tensor:
    """Entropy of each position of logits [B, S, V], a chunk at a time."""
    logits = logits.float()
    parts = []
    for start in range(0, logits.size(1), chunk):
        logprobs = F.log_softmax(logits[:, start : start + chunk], dim=-1)
        parts.append(-(logprobs.exp() * logprobs).sum(-1))
    return torch.cat(parts, dim=1)
