"""What is known of the operations that give a tensor back in another guise.

Views, parts, copies, casts and moves, what is asked of a tensor, and its attributes.
"""

from __future__ import annotations

VIEWS = """
mt   view   view axes=insert (dim) unsqueeze
mt   view   view axes=drop (dim=) squeeze
mt   view   view axes=swap (dim0|axis0 dim1|axis1) transpose swapaxes swapdims
mt   view   view axes=move (source destination) movedim moveaxis
mt   view   view axes=permute (*dims) permute
mt   view   view axes=swap-first () t?
mt   view   view axes=swap-last () adjoint
mt   view   view axes=unflatten (dim sizes) unflatten
m    view   view axes=sizes dense typed (*size) view
m    view   view axes=like dense (other) view_as
mt   either view axes=sizes compact (*shape) reshape
m    either view axes=like (other) reshape_as
mt   either view axes=flatten (start_dim=0 end_dim=-1) flatten
mt   either view axes=flatten () ravel
mt   either view axes=same () conj? resolve_conj resolve_neg
m    either view axes=same settles packs compact (memory_format=) contiguous
mt   view   view axes=same cuts () detach
m    either view axes=same (*any grad_placements= device_mesh= placements= async_op=)
    to_local
p    view   view axes=reverse () T
p    view   view axes=swap-last () mT mH H?
p    view   view axes=same cuts () data?
"""
"""Each element once: they commute with a cast, a selection and a move."""

EXPANDING = """
m    view   expand axes=expand (*size) expand?
mt   view   expand axes=given (size) broadcast_to
m    view   expand axes=like (other) expand_as
m    fresh  expand axes=repeat settles (*repeats) repeat?
mt   fresh  expand axes=repeat settles (*dims) tile?
mt   fresh  expand gives=same settles (repeats dim= output_size=) repeat_interleave
"""
"""Elements more than once: their gradients add up."""

PARTS = """
mt   view   part axes=along (dim start length) narrow?
mt   view   part axes=remove (dim index) select?
mt   view   part axes=diagonal (offset=0 dim1=0 dim2=1) diagonal
m    view   gives=same (dimension size step) unfold?
mt   view   parts axes=along by-size
    (split_size|split_sizes|split_size_or_sections dim=0) split?
mt   view   parts axes=along (split_sizes dim=0) split_with_sizes
mt   view   parts axes=along by-count (chunks dim=0) chunk? unsafe_chunk
mt   view   parts axes=along by-size (split_size|split_sizes dim=0) unsafe_split
mt   view   parts axes=remove (dim=0) unbind
mt   view   parts axes=along by-count by-ends
    (indices_or_sections|sections|indices|tensor_indices_or_sections dim=0)
    tensor_split
mt   view   several (indices_or_sections|sections|indices) dsplit hsplit vsplit
mt   view   memory (size stride storage_offset=) as_strided
"""
"""Some elements by where they stand, or several such parts."""

COPIES = """
mt   fresh  copy axes=same settles compact (memory_format=) clone
m    either cast gives=float32 axes=same (memory_format=) float?
m    either cast gives=float64 axes=same (memory_format=) double?
m    either cast gives=float16 axes=same settles (memory_format=) half?
m    either cast gives=bfloat16 axes=same settles (memory_format=) bfloat16?
m    either cast gives=int64 axes=same settles (memory_format=) long
m    either cast gives=int32 axes=same settles (memory_format=) int
m    either cast gives=int16 axes=same settles (memory_format=) short
m    either cast gives=int8 axes=same settles (memory_format=) char
m    either cast gives=uint8 axes=same settles (memory_format=) byte
m    either cast gives=bool axes=same settles (memory_format=) bool
m    either cast gives=complex axes=same (memory_format=) cdouble cfloat chalf
m    either cast gives=asked axes=same typed
    (*any device= dtype= non_blocking= copy= memory_format= other=) to?
m    either cast gives=asked axes=same typed (dtype= non_blocking=) type?
m    either cast gives=like axes=same (other) type_as
m    either move axes=same (memory_format=) cpu?
m    either move axes=same (device= non_blocking= memory_format=) cuda?
m    either gives=same axes=same itself (device=) pin_memory
m    either export gives=same (force=) numpy
m    value  export forgets () tolist
m    value  number forgets () item
mt   either itself () positive?
m    either memory () storage? untyped_storage
m    either itself (dtype=) to_dense
m    either (*any dtype=) sum_to_size to_sparse to_mkldnn
mt   either gives=float (*any dtype=) dequantize
m    either itself (*any grad_placements= device_mesh= placements= async_op=)
    full_tensor redistribute?
m    view   (*any) rename? refine_names align_to align_as
t    view   (input) real imag view_as_real view_as_complex
"""
"""The same elements in other memory, of another type, or elsewhere."""

ASKED = """
m    value  metadata steady () dim ndimension nelement
mt   value  metadata steady () numel
m    value  metadata steady (dim=) size
mt   value  metadata steady placed () get_device
mt   value  type () is_floating_point is_complex
m    value  type steady () element_size
m    value  () dense_dim is_coalesced sparse_dim storage_offset
mt   value  () is_conj is_inference is_neg is_nonzero is_signed
m    value  (device=) is_pinned
m    value  (dim=) stride
m    value  (memory_format=) is_contiguous
mt   value  (other) is_same_size
mt   value  settles (other rtol= atol= equal_nan=) allclose
mt   value  settles (other) equal?
p    value  metadata () shape layout? names? is_sparse device_mesh? placements?
p    value  metadata placed () device? is_cuda is_cpu is_meta is_mps is_xpu
p    value  metadata steady () ndim
p    value  type () dtype?
p    value  type steady () itemsize?
p    value  () nbytes? requires_grad is_leaf grad_fn
p    view   () real? imag?
p    holds  () grad?
"""
"""What a tensor says of itself, its elements aside."""

TABLES = (VIEWS, EXPANDING, PARTS, COPIES, ASKED)
