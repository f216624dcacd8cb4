"""Operations whose bits do not depend on how what they are given lies in memory.

What is not named here may depend on it: a sum, a norm, a matrix product, `sigmoid`.

Source: each was run on a strided view of a float32 copy and on a dense copy of that
view, over shapes, permuted sources, selections, signed zeros and two types, and gave
equal bits, equal gradients and equal strides; `tests/hazards/test_settling.py`
runs them again. So what is made of their results cannot differ either.
"""

from __future__ import annotations

from .operators import words

_ELEMENTWISE = words(
    """
    neg negative abs absolute sqrt square relu nan_to_num isfinite isnan isinf isposinf
    isneginf signbit floor ceil trunc round reciprocal rsqrt exp expm1 log log2 log10
    log1p tanh erf sin cos sign logsigmoid leaky_relu relu6 hardtanh add sub subtract
    mul multiply div divide true_divide maximum minimum eq ne lt le gt ge clamp clip
    clamp_min clamp_max lerp addcmul addcdiv where masked_fill logical_and logical_or
    logical_not logical_xor dropout
    """
)
"""Each element of the result depends on one element, wherever that stands."""

_COPIES = words(
    """
    clone contiguous half bfloat16 long int short byte char bool gather index_select
    take take_along_dim masked_select embedding index_fill index_copy scatter repeat
    tile repeat_interleave flip roll cat concat concatenate stack tril triu pad one_hot
    zeros_like ones_like full_like empty_like rand_like randn_like
    """
)
"""What they give is new, and lies as its shape or the order of the axes says."""

_ORDER = words(
    """
    argmax argmin argsort sort topk kthvalue median mode cummax cummin any all nonzero
    argwhere count_nonzero unique isin bucketize searchsorted equal allclose isclose
    multinomial
    """
)

_ROWS = words(
    """
    softmax log_softmax softmin logsumexp cross_entropy nll_loss mse_loss l1_loss
    smooth_l1_loss huber_loss kl_div binary_cross_entropy_with_logits
    """
)
"""They make a dense tensor first, and only then add up."""

SETTLING = _ELEMENTWISE | _COPIES | _ORDER | _ROWS
"""Operations of torch that give the same of a strided and of a dense tensor."""

SETTLING_ALONG = words("max min")
"""The same where they are given a dimension; else the sign of a zero may differ."""

SETTLING_MODULES = words(
    """
    CrossEntropyLoss NLLLoss MSELoss L1Loss SmoothL1Loss HuberLoss KLDivLoss
    BCEWithLogitsLoss Softmax LogSoftmax LogSigmoid ReLU Tanh Dropout
    """
)
"""Modules of `torch.nn` that do nothing but such an operation."""

VALUES_ALONE = words("item tolist backward __len__")
"""Methods of which nothing is left but numbers."""

EXACT_POWERS = (2, 3, 0.5)
