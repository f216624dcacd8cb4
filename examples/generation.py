"""Decoding: each step reads the last position of logits [B, S, V]."""

from __future__ import annotations

import torch


@torch.inference_mode()
def greedy_step(model: torch.nn.Module, input_ids: torch.Tensor) -> torch.Tensor:
    """The most likely next token of every sequence."""
    logits = model(input_ids).logits.float()
    return logits[:, -1].argmax(dim=-1)


@torch.no_grad()
def top_candidates(logits: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The k best tokens at every position of logits [B, S, V], with their scores."""
    values, indices = torch.topk(logits.float(), k=k, dim=-1)
    return values, indices


@torch.no_grad()
def sampled_step(
    logits: torch.Tensor, temperature: float, device: torch.device
) -> torch.Tensor:
    """One token for each sequence, from logits [B, S, V] on another device."""
    scaled = logits.to(device, torch.float32)
    rows = torch.arange(scaled.size(0), device=device)
    last = torch.full_like(rows, scaled.size(1) - 1)
    probabilities = (scaled[rows, last] / temperature).softmax(dim=-1)
    return torch.multinomial(probabilities, num_samples=1)
