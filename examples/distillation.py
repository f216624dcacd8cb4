"""Top-k distillation: the student's logits are [B, S, V], the loss reads K columns."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def topk_distillation_loss(
    student_logits: torch.Tensor,
    teacher_topk_logits: torch.Tensor,
    teacher_topk_indices: torch.Tensor,
    mask: torch.Tensor,
    zero_outside_topk: bool = False,
) -> torch.Tensor:
    """Forward KL between teacher and student over the teacher's top K tokens.

    `student_logits` is [B, S, V], the teacher's tensors are [B, S, K], `mask` [B, S].
    """
    # fp32 for a stable loss
    student_logits = student_logits.to(torch.float32)
    teacher_topk_indices = teacher_topk_indices.to(student_logits.device)

    if zero_outside_topk:
        student_logprobs = F.log_softmax(student_logits, dim=-1)
        student_topk_logprobs = student_logprobs.gather(-1, teacher_topk_indices)
    else:
        student_topk_logits = student_logits.gather(-1, teacher_topk_indices)
        student_topk_logprobs = F.log_softmax(student_topk_logits, dim=-1)

    teacher_topk_logprobs = F.log_softmax(teacher_topk_logits.float(), dim=-1)
    kl = teacher_topk_logprobs.exp() * (teacher_topk_logprobs - student_topk_logprobs)
    return (kl.sum(-1) * mask).sum() / mask.sum()
