"""What the tensor operations that may stand between a cast and a selection do.

Sources: the operator reference of torch 2.x, and the comparisons that `upcast-lint
verify` runs.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text: a set of names, written to be read."""
    return frozenset(text.split())


COPIES = frozenset(("clone",))

IN_PLACE_ARITHMETIC = words("mul_ multiply_ div_ divide_ true_divide_ add_ sub_")
"""What arithmetic with a number is called that writes to the tensor."""

VIEWS = words("""
    view reshape transpose swapaxes swapdims permute movedim moveaxis squeeze
    unsqueeze flatten ravel unflatten contiguous detach t to_local view_as
    reshape_as adjoint neg negative abs absolute
    """)
"""Change shape, layout or sign alone: they commute with a cast and give equal bits."""

VIEW_ATTRIBUTES = frozenset(("T", "mT", "data"))

NEEDS_DENSE = frozenset(("view", "view_as"))
"""Views that fail on some strided tensors whose dense copy they accept."""

SIGNS = words("neg negative abs absolute")
"""The views that change values: exact for floating types, but not below arithmetic."""

EXACT_ARITHMETIC = words("mul multiply div divide true_divide add sub subtract")
"""Elementwise IEEE operations: each result depends on one element alone."""

ELEMENTWISE = words("""
    exp exp2 expm1 log log2 log10 log1p tanh sigmoid sin cos sqrt rsqrt square
    reciprocal erf relu gelu silu softplus logsigmoid clamp clip clamp_min
    clamp_max nan_to_num pow sign round floor ceil trunc
    """)
"""Elementwise functions. Kernels may treat a vector and its tail differently."""

ROW_WISE = words("softmax log_softmax logsumexp cumsum normalize")
"""Functions of each row over which what takes rows is lifted; the table has more."""

CLAMPS = words("clamp clip clamp_min clamp_max relu")
"""Elementwise functions that give one of their inputs, bit for bit."""

METADATA_ATTRIBUTES = words("""
    shape ndim device is_cuda is_cpu is_meta is_mps is_xpu layout names
    is_sparse device_mesh placements
    """)
METADATA_METHODS = words(
    "size dim numel nelement ndimension get_device is_floating_point is_complex"
)
METADATA_FUNCTIONS = words("""
    len isinstance type torch.is_tensor torch.is_floating_point torch.numel
    torch.is_complex
    """)

MAKERS_LIKE = words("""
    empty_like zeros_like ones_like full_like rand_like randn_like randint_like
    """)
"""Functions that make a tensor of the shape and, unless told, the type of another."""

NEW_TENSORS = words("new_empty new_zeros new_ones new_full")
"""Methods that make a tensor of, unless told, the type of another."""

TRANSFERS = frozenset(("cpu", "cuda", "to"))
"""Methods that move a tensor to another device, where `to` gets no type."""

EXPORTS = frozenset(("numpy", "tolist"))
"""Methods that give the elements to other libraries."""

SAVES_INPUT = words("gather take take_along_dim masked_select amax amin index_select")
"""Operations whose backward needs the tensor they read from unchanged."""

STRIDE_SENSITIVE = words("""
    sum mean norm var std prod nansum nanmean var_mean std_mean dist dot vdot
    matmul mm bmm mv addmm baddbmm einsum linear bilinear cumsum cumprod trace
    inner tensordot linalg_norm vector_norm renorm logcumsumexp cdist cov
    corrcoef stride is_contiguous data_ptr storage untyped_storage
    storage_offset as_strided
    """)
"""Operations whose result may depend on the strides of what they read."""
