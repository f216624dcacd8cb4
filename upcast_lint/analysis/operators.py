"""What the tensor operations that may stand between a cast and a selection do.

Sources: the operator reference of torch 2.x, and the comparisons that `upcast-lint
verify` runs.
"""

from __future__ import annotations

VIEWS = frozenset(
    """
    view reshape transpose swapaxes swapdims permute movedim moveaxis squeeze unsqueeze
    flatten ravel unflatten contiguous detach t to_local view_as reshape_as adjoint
    neg negative abs absolute
    """.split()
)
"""Change shape, layout or sign alone: they commute with a cast and give equal bits."""

VIEW_ATTRIBUTES = frozenset(("T", "mT", "data"))

NEEDS_DENSE = frozenset(("view", "view_as"))
"""Views that fail on some strided tensors whose dense copy they accept."""

DETACHING = frozenset(("detach", "data"))

EXACT_ARITHMETIC = frozenset(
    "mul multiply div divide true_divide add sub subtract".split()
)
"""Elementwise IEEE operations: each result depends on one element alone."""

ELEMENTWISE = frozenset(
    """
    exp exp2 expm1 log log2 log10 log1p tanh sigmoid sin cos sqrt rsqrt square reciprocal
    erf relu gelu silu softplus logsigmoid clamp clip clamp_min clamp_max nan_to_num pow
    sign round floor ceil trunc
    """.split()
)
"""Elementwise functions. Kernels may treat a vector and its tail differently."""

CLAMPS = frozenset("clamp clip clamp_min clamp_max relu".split())
"""Elementwise functions that give one of their inputs, bit for bit."""

METADATA_ATTRIBUTES = frozenset(
    """
    shape ndim device is_cuda is_cpu is_meta is_mps is_xpu layout names is_sparse
    device_mesh placements
    """.split()
)
METADATA_METHODS = frozenset(
    "size dim numel nelement ndimension get_device is_floating_point is_complex".split()
)
METADATA_FUNCTIONS = frozenset(
    """
    len isinstance type torch.is_tensor torch.is_floating_point torch.numel
    torch.is_complex
    """.split()
)

TRANSFERS = frozenset(("cpu", "cuda", "to"))
"""Methods that move a tensor to another device, where `to` gets no type."""

SAVES_INPUT = frozenset(
    "gather take take_along_dim masked_select amax amin index_select".split()
)
"""Operations whose backward needs the tensor they read from unchanged."""

STRIDE_SENSITIVE = frozenset(
    """
    sum mean norm var std prod nansum nanmean var_mean std_mean dist dot vdot matmul mm
    bmm mv addmm baddbmm einsum linear bilinear cumsum cumprod trace inner tensordot
    linalg_norm vector_norm renorm logcumsumexp cdist cov corrcoef
    stride is_contiguous data_ptr storage untyped_storage storage_offset as_strided
    """.split()
)
"""Operations whose result may depend on the strides of what they read."""

KNOWN_PURE_METHODS = (
    VIEWS
    | EXACT_ARITHMETIC
    | ELEMENTWISE
    | METADATA_METHODS
    | STRIDE_SENSITIVE
    | frozenset(
        """
        gather take take_along_dim index_select masked_select narrow select split chunk
        unbind tensor_split argmax argmin max min amax amin aminmax topk kthvalue sort
        argsort median mode softmax log_softmax logsumexp float double half bfloat16 long
        int bool short byte to type type_as cpu cuda numpy tolist item clone expand
        expand_as repeat repeat_interleave masked_fill where scatter scatter_add index_add
        index_copy index_put index_fill eq ne lt le gt ge logical_and logical_or
        logical_not isnan isinf isfinite any all nonzero unique count_nonzero flip roll
        diagonal tril triu unfold new_zeros new_ones new_empty new_full new_tensor
        element_size floor_divide remainder fmod maximum minimum lerp addcmul addcdiv
        bincount histc multinomial cross_entropy nll_loss kl_div backward register_hook
        requires_grad_ append extend items keys values get format join split strip
        startswith endswith lower upper count index copy update info debug warning error
        """.split()
    )
)
"""Methods that do not write to the tensor they are called on or are given."""

PURE_BUILTINS = frozenset(
    """
    abs all any bool dict divmod enumerate filter float format frozenset getattr hasattr
    hash id int isinstance issubclass iter len list map max min next print range repr
    reversed round set slice sorted str sum tuple type zip ValueError RuntimeError
    TypeError AssertionError NotImplementedError KeyError IndexError super
    """.split()
)
