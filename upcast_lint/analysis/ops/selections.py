"""What is known of the operations that pick, order, reduce and multiply."""

from __future__ import annotations

PICKS = """
mt   fresh  pick axes=index saves (dim index sparse_grad=) gather?
mt   fresh  pick axes=index saves (indices|index dim=) take_along_dim
mt   fresh  pick axes=index saves (index) take?
mt   fresh  pick axes=along saves (dim index) index_select
mt   fresh  pick axes=vector saves (mask) masked_select
mt   fresh  (dim start length) narrow_copy
F    fresh  pick of=weight (input weight padding_idx= max_norm= norm_type=
    scale_grad_by_freq= sparse=) {max_norm>weight} embedding
t    fresh  pick of=weight (weight indices padding_idx= scale_grad_by_freq= sparse=)
    embedding
F    fresh  gives=float (input weight offsets= max_norm= norm_type=
    scale_grad_by_freq= mode= sparse= per_sample_weights= include_last_offset=
    padding_idx=) {max_norm>weight} embedding_bag
"""
"""Elements by an index or a mask."""

ORDER = """
mt   fresh  order gives=int64 axes=reduce bits=row chooses (dim= keepdim=) argmax
mt   fresh  order gives=int64 axes=reduce (dim= keepdim=) argmin
mt   fresh  order gives=same axes=reduce saves bits=row settles=no (dim= keepdim=) amax
mt   fresh  order gives=same axes=reduce saves settles=no (dim= keepdim=) amin
mt   fresh  order gives=same axes=reduce bits=row settles=along pair=along
    (dim= keepdim= other=)
    max?
mt   fresh  order gives=same axes=reduce settles=along pair=along (dim= keepdim=
    other=) min?
mt   fresh  order gives=same axes=reduce pair=along (dim= keepdim=) median?
mt   fresh  order gives=same axes=reduce settles=no pair=along (dim= keepdim=) nanmedian
mt   fresh  order gives=same axes=reduce pair (dim=-1 keepdim=) mode?
mt   fresh  order gives=same axes=reduce pair (k dim=-1 keepdim=) kthvalue
mt   fresh  order gives=same axes=along pair bits=row chooses
    (k dim=-1 largest= sorted=) topk
mt   fresh  order gives=same axes=same pair bits=row (dim=-1 descending= stable=) sort?
mt   fresh  order gives=int64 axes=same (dim=-1 descending= stable=) argsort
mt   fresh  order gives=same axes=same pair (dim) cummax cummin
mt   fresh  order gives=bool axes=reduce (dim= keepdim=) all? any?
mt   fresh  order gives=int64 axes=coordinates (as_tuple=) nonzero
mt   fresh  order gives=int64 axes=coordinates () argwhere
mt   fresh  order gives=int64 axes=reduce (dim=) count_nonzero
mt   fresh  order gives=same (sorted= return_inverse= return_counts= dim=) unique?
mt   fresh  gives=same (return_inverse= return_counts= dim=) unique_consecutive
mt   fresh  gives=int64 (size fill_value=) nonzero_static
mt   fresh  several (dim= keepdim=) aminmax
mt   fresh  gives=same () msort
mt   fresh  order gives=int64 axes=samples chooses (num_samples replacement=)
    multinomial
t    fresh  order gives=int64 spreads (input boundaries out_int32= right=) bucketize
t    fresh  order gives=int64 spreads (sorted_sequence values|input out_int32= right=
    side= sorter=) searchsorted
"""
"""They compare, and compute nothing."""

ROWS = """
mtFs fresh  row axes=same bits=row lifts settles floats compact (dim= dtype=)
    log_softmax
mtFs fresh  row axes=same bits=row lifts settles floats compact positive (dim= dtype=)
    softmax?
F    fresh  row axes=same settles (input dim= dtype=) softmin
mts  fresh  row axes=reduce gives=float bits=row lifts settles (dim keepdim=)
    logsumexp
mt   fresh  row axes=same gives=summed bits=row lifts (dim dtype=) cumsum
mt   fresh  row axes=same gives=summed (dim dtype=) cumprod
mt   fresh  row axes=same (dim) logcumsumexp
mt   fresh  row axes=reduce gives=summed bits=row (dim= keepdim= dtype=) sum?
mt   fresh  row axes=reduce bits=row (dim= keepdim= dtype=) mean?
mt   fresh  row axes=reduce gives=summed (dim= keepdim= dtype=) nansum prod?
mt   fresh  row axes=reduce (dim= keepdim= dtype=) nanmean
mt   fresh  row axes=reduce bits=row-output (dim= unbiased= keepdim= correction=)
    std? var?
mt   fresh  row bits=row-output positive (p= dim= keepdim= dtype=) norm?
F    fresh  row axes=same bits=row-output floats (input p= dim= eps= out=) {out}
    normalize
tF   fresh  row axes=same bits=row-output floats (input normalized_shape weight= bias=
    eps=)    layer_norm
tF   fresh  row axes=same bits=row-output floats (input normalized_shape weight= eps=)
    rms_norm
mt   fresh  gives=float (q dim= keepdim= interpolation=) nanquantile quantile?
tF   fresh  gives=float (*any) group_norm
t    fresh  several gives=float (*any dim= correction= keepdim= unbiased=)
    std_mean var_mean
F    fresh  loss bits=row floats (input target weight= size_average= ignore_index=
    reduce= reduction= label_smoothing=) cross_entropy
F    fresh  loss (input target weight= size_average= ignore_index= reduce= reduction=)
    nll_loss
F    fresh  loss (*any weight= reduction= size_average= reduce=) mse_loss l1_loss
F    fresh  loss (*any reduction= beta= delta= size_average= reduce= weight=)
    smooth_l1_loss huber_loss
tF   fresh  loss floats (*any size_average= reduce= reduction= log_target=) kl_div
F    fresh  loss (*any size_average= reduce= reduction= pos_weight= weight=)
    binary_cross_entropy_with_logits
"""
"""Along a dimension, or over all there is."""

REORDERINGS = """
mt   fresh  gives=same axes=flip settles (*dims) flip?
mt   fresh  gives=same axes=same () fliplr flipud
mt   fresh  gives=same axes=same settles (shifts dims=) roll?
mt   fresh  gives=same (k= dims=) rot90
mt   fresh  gives=same axes=same settles (diagonal=) tril triu
mt   fresh  gives=same (diagonal=) diag
mt   fresh  gives=same (offset=) diagflat
mt   fresh  gives=same (offset= dim1= dim2=) diag_embed
mt   fresh  (n= dim= prepend= append=) diff?
"""

PUTTING = """
mt   fresh  gives=same axes=same settles (dim index source) index_copy
mt   fresh  gives=same axes=same (dim index source alpha=) index_add
mt   fresh  gives=same axes=same (dim index source reduce include_self=)
    index_reduce
mt   fresh  gives=same axes=same settles (dim index value) index_fill
mt   fresh  gives=same axes=same settles (dim index src|value reduce=) scatter?
mt   fresh  gives=same axes=same (dim index src) scatter_add
mt   fresh  gives=same axes=same (dim index src reduce include_self=)
    scatter_reduce
mt   fresh  gives=same (indices values accumulate=) index_put
mt   fresh  gives=same (mask source) masked_scatter
m    fresh  (mask) sparse_mask
mt   fresh  gives=same (src dim index) select_scatter
mt   fresh  gives=same (src dim= start= end= step=) slice_scatter
mt   fresh  gives=same (src offset= dim1= dim2=) diagonal_scatter
mt   fresh  gives=same (src size stride storage_offset=) as_strided_scatter
"""
"""A copy of the tensor in which some elements are others."""

PRODUCTS = """
mt   fresh  product compact (other) matmul
mt   fresh  product (mat2 out_dtype=) bmm mm
mt   fresh  product (mat1 mat2 out_dtype= beta= alpha=) addmm
mt   fresh  product (batch1 batch2 beta= alpha=) addbmm
mt   fresh  product (batch1 batch2 out_dtype= beta= alpha=) baddbmm
mt   fresh  product (mat vec beta= alpha=) addmv
mt   fresh  product (vec1 vec2 beta= alpha=) addr
mt   fresh  product (vec) mv?
mt   fresh  product (vec2) ger outer?
mt   fresh  product (tensor) dot?
mt   fresh  product (other) inner? kron vdot?
F    fresh  product compact (input weight bias=) linear
t    either product (*any) einsum
mt   fresh  (n) matrix_power
mt   fresh  (other dim=) cross?
mt   fresh  () corrcoef det? inverse? logdet matrix_exp slogdet trace?
mt   fresh  (bins= min= max=) histc
mt   fresh  several (bins= range= weight= density=) histogram?
mt   fresh  (correction= fweights= aweights=) cov?
mt   fresh  (p=) bernoulli
mt   fresh  gives=int64 axes=vector (weights= minlength=) bincount
m    fresh  (padding output_size=) to_padded_tensor
mt   fresh  (rcond=) pinverse
mt   fresh  (*any) dist? put? renorm?
"""

TABLES = (PICKS, ORDER, ROWS, REORDERINGS, PUTTING, PRODUCTS)
