"""What is known of the operations of torch, row by row.

A row is `kinds memory (takes) {writes} names…`, as `ops/__init__.py` reads it. The
methods agree with the schemas of torch, which say what an operation writes to and what
its result is a view of; a test compares them.
"""

from __future__ import annotations

METHODS = """
mt   view   () adjoint detach t?
mt   view   (*dims) permute
m    view   (*size) expand? view
mt   view   (axis0 axis1) swapaxes
mt   view   (chunks dim=) chunk?
mt   view   (dim) unsqueeze
mt   view   (dim index) select?
mt   view   (dim sizes) unflatten
mt   view   (dim start length) narrow?
mt   view   (dim0 dim1) swapdims transpose
mt   view   (dim=) squeeze unbind
mt   view   (offset= dim1= dim2=) diagonal
m    view   (other) expand_as view_as
mt   view   (sections dim= indices= tensor_indices_or_sections=) tensor_split
mt   view   (sections indices=) dsplit hsplit vsplit
mt   view   (size) broadcast_to
mt   view   (size stride storage_offset=) as_strided
mt   view   (source destination) moveaxis movedim
mt   view   (split_size dim= split_sizes=) split?
mt   view   (split_sizes dim=) split_with_sizes
m    view   (dimension size step) unfold?
mt   view   (chunks dim=) unsafe_chunk
mt   view   (split_size dim=) unsafe_split
t    view   (input) real imag view_as_real view_as_complex
m    either () storage? untyped_storage
mt   either () conj? positive? ravel resolve_conj resolve_neg
m    either (*any device= dtype= non_blocking= copy= memory_format=) to?
mt   either (*shape) reshape
m    either (device=) pin_memory
m    either (device= non_blocking= memory_format=) cuda?
m    either (dtype=) to_dense
m    either (dtype= non_blocking=) type?
m    either (force=) numpy
m    either (memory_format=) bfloat16? bool byte cdouble cfloat chalf char
    contiguous cpu? double? float? half? int long short
m    either (other) reshape_as type_as
mt   either (start_dim= end_dim=) flatten
m    either (*any dtype=) sum_to_size dequantize to_sparse to_mkldnn
m    either (*any grad_placements= device_mesh= placements= async_op=) to_local
    full_tensor redistribute?
mt   fresh  () abs? absolute acos acosh angle arccos arccosh arcsin arcsinh arctan
    arctanh argwhere asin asinh atan atanh bitwise_not ceil conj_physical corrcoef cos
    cosh deg2rad det? exp? fix? fliplr flipud floor frac? frexp inverse? isfinite
    isinf isnan isneginf isposinf isreal lgamma log? log10 log2 logdet logical_not
    matrix_exp msort neg negative rad2deg reciprocal rsqrt sgn sign? signbit sin sinh
    slogdet sqrt square? tan? trace? trunc
mtF  fresh  () relu? sigmoid? tanh
mts  fresh  () digamma? erf erfc erfinv exp2 expm1 i0 log1p polygamma sinc
mt   fresh  (*dims) flip? tile?
m    fresh  (*repeats) repeat?
m    fresh  (*size dtype= device= requires_grad=) new_empty new_ones new_zeros
mt   fresh  (batch1 batch2 beta= alpha=) addbmm
mt   fresh  (batch1 batch2 out_dtype= beta= alpha=) baddbmm
mt   fresh  (bins= min= max=) histc
mt   fresh  (bins= range= weight= density=) histogram?
mt   fresh  (condition other=) where?
mt   fresh  (correction= fweights= aweights=) cov?
m    fresh  (data dtype= device= requires_grad=) new_tensor
mts  fresh  (decimals=) round?
mt   fresh  (diagonal=) diag tril triu
mt   fresh  (dim) cummax cummin logcumsumexp
mt   fresh  (dim dtype=) cumprod cumsum
mtFs fresh  (dim dtype=) log_softmax softmax?
mt   fresh  (dim index) index_select
mt   fresh  (dim index source) index_copy
mt   fresh  (dim index source alpha=) index_add
mt   fresh  (dim index source reduce include_self=) index_reduce
mt   fresh  (dim index sparse_grad=) gather?
mt   fresh  (dim index src) scatter_add
mt   fresh  (dim index src reduce include_self=) scatter_reduce
mt   fresh  (dim index src reduce= value=) scatter?
mt   fresh  (dim index value) index_fill
mts  fresh  (dim keepdim=) logsumexp
mt   fresh  (dim start length) narrow_copy
mt   fresh  (dim=) count_nonzero
mt   fresh  (dim= descending= stable=) argsort sort?
mt   fresh  (dim= keepdim=) all? amax amin aminmax any? argmax argmin median? mode?
    nanmedian
mt   fresh  (dim= keepdim= dtype=) mean? nanmean nansum prod? sum?
mt   fresh  (dim= keepdim= other=) max? min?
mt   fresh  (dim= unbiased= keepdim= correction=) std? var?
mt   fresh  (end weight) lerp
mts  fresh  (eps=) logit?
mt   fresh  (exponent) float_power pow?
mt   fresh  (index) take?
mt   fresh  (indices dim=) take_along_dim
mt   fresh  (indices values accumulate=) index_put
mt   fresh  (k dim= keepdim=) kthvalue
mt   fresh  (k dim= largest= sorted=) topk
mt   fresh  (k= dims=) rot90
mtF  fresh  (lambd=) hardshrink
m    fresh  (mask) sparse_mask
mt   fresh  (mask) masked_select
mt   fresh  (mask source) masked_scatter
mt   fresh  (mask value) masked_fill
mt   fresh  (mat vec beta= alpha=) addmv
mt   fresh  (mat1 mat2 out_dtype= beta= alpha=) addmm
mt   fresh  (mat2 out_dtype=) bmm mm
mt   fresh  (max) clamp_max
mt   fresh  (memory_format=) clone
mt   fresh  (min) clamp_min
mt   fresh  (min= max=) clamp clip?
mt   fresh  (n) matrix_power
mt   fresh  (n= dim= prepend= append=) diff?
mt   fresh  (nan= posinf= neginf=) nan_to_num
mt   fresh  (num_samples replacement=) multinomial
mt   fresh  (offset=) diagflat
mt   fresh  (offset= dim1= dim2=) diag_embed
mt   fresh  (other) arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or
    bitwise_right_shift bitwise_xor copysign eq floor_divide fmax fmin fmod gcd ge
    greater greater_equal gt hypot igamma igammac inner? kron lcm ldexp le less
    less_equal logaddexp logaddexp2 logical_and logical_or logical_xor lt matmul
    maximum minimum mul? multiply? ne nextafter not_equal remainder true_divide vdot?
mts  fresh  (other) xlogy
mt   fresh  (other alpha=) add? sub? subtract?
mt   fresh  (other dim=) cross?
mt   fresh  (other rounding_mode=) div? divide?
mt   fresh  (other rtol= atol= equal_nan=) isclose
mt   fresh  (p) mvlgamma
mt   fresh  (p=) bernoulli
mt   fresh  (p= dim= keepdim= dtype=) norm?
m    fresh  (padding output_size=) to_padded_tensor
mt   fresh  (q dim= keepdim= interpolation=) nanquantile quantile?
mt   fresh  (rcond=) pinverse
mt   fresh  (repeats dim= output_size=) repeat_interleave
mt   fresh  (return_inverse= return_counts= dim=) unique_consecutive
mt   fresh  (shifts dims=) roll?
m    fresh  (size fill_value dtype= device=) new_full
mt   fresh  (size fill_value=) nonzero_static
mt   fresh  (sorted= return_inverse= return_counts= dim=) unique?
mt   fresh  (src dim index) select_scatter
mt   fresh  (src dim= start= end= step=) slice_scatter
mt   fresh  (src offset= dim1= dim2=) diagonal_scatter
mt   fresh  (src size stride storage_offset=) as_strided_scatter
mt   fresh  (tensor) dot?
mt   fresh  (tensor1 tensor2 value=) addcdiv addcmul
mt   fresh  (values) heaviside
mt   fresh  (vec) mv?
mt   fresh  (vec1 vec2 beta= alpha=) addr
mt   fresh  (vec2) ger outer?
mtF  fresh  (weight) prelu
mt   fresh  (weights= minlength=) bincount
mt   fresh  (as_tuple=) nonzero
mt   fresh  (sorted= return_inverse= return_counts= dim=) unique?
mt   fresh  (*any) dist? put? renorm?
m    value  () dense_dim dim element_size is_coalesced item ndimension nelement
    sparse_dim storage_offset tolist
mt   value  () get_device is_complex is_conj is_floating_point is_inference is_neg
    is_nonzero is_signed numel
m    value  (device=) is_pinned
m    value  (dim=) size stride
m    value  (memory_format=) is_contiguous
mt   value  (other) is_same_size
mt   value  (other rtol= atol= equal_nan=) allclose
mt   value  (other) equal?
"""
"""Methods of a tensor, most of them functions of `torch` as well."""

INPLACE = """
m    either () {self} t_ relu_? requires_grad_ zero_ detach_ share_memory_
m    either (*any) {self} squeeze_ unsqueeze_ copy_ fill_ normal_ uniform_ random_
    exponential_ geometric_ log_normal_ cauchy_ set_ resize_ transpose_ swapaxes_
    fill_diagonal_ index_put_ apply_? map_?
"""
"""Methods that write to their tensor and are not another's with an underscore."""

FUNCTIONS = """
t    fresh  (...) alias_copy arange as_strided_copy bartlett_window bilinear binomial
    blackman_window block_diag bucketize cartesian_prod cat cdist chain_matmul
    cholesky column_stack combinations complex concat concatenate conv1d conv2d conv3d
    cosine_similarity cross_entropy cumulative_trapezoid detach_copy diagonal_copy
    dstack empty empty_like empty_permuted empty_strided expand_copy eye from_file
    full full_like gradient group_norm hamming_window hann_window histogramdd hstack
    isin istft kaiser_window kl_div layer_norm linspace lobpcg logspace normal ones
    ones_like pairwise_distance pca_lowrank pdist permute_copy poisson polar qr rand
    rand_like randint randint_like randn randn_like randperm range rms_norm row_stack
    rsub scalar_tensor searchsorted select_copy slice_copy sparse_coo_tensor
    split_copy squeeze_copy stack std_mean stft svd svd_lowrank t_copy tensor
    transpose_copy trapezoid trapz tril_indices triu_indices unbind_copy unfold_copy
    unravel_index unsqueeze_copy vander var_mean view_copy vstack zeros zeros_like
t    either (...) BoolTensor FloatTensor LongTensor Tensor as_tensor
    asarray atleast_1d atleast_2d atleast_3d broadcast_tensors
    einsum from_dlpack from_numpy frombuffer meshgrid pixel_shuffle pixel_unshuffle
    sym_max sym_min tensordot
t    value  (...) Event Generator Size Stream are_deterministic_algorithms_enabled
    autocast broadcast_shapes can_cast device dtype enable_grad finfo
    get_autocast_dtype get_autocast_gpu_dtype get_default_device get_default_dtype
    get_float32_matmul_precision get_num_threads get_rng_state iinfo inference_mode
    initial_seed is_anomaly_enabled is_autocast_enabled is_grad_enabled
    is_inference_mode_enabled is_storage is_tensor is_warn_always_enabled load
    manual_seed no_grad promote_types result_type save seed set_anomaly_enabled
    set_default_device set_default_dtype set_float32_matmul_precision set_grad_enabled
    set_num_threads set_printoptions set_rng_state typename
    use_deterministic_algorithms
F    fresh  (...) affine_grid avg_pool1d avg_pool2d avg_pool3d bilinear
    binary_cross_entropy binary_cross_entropy_with_logits conv1d conv2d conv3d
    conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss
    cosine_similarity cross_entropy ctc_loss fold gaussian_nll_loss gelu glu
    grid_sample group_norm gumbel_softmax hinge_embedding_loss huber_loss kl_div
    l1_loss layer_norm linear local_response_norm logsigmoid lp_pool1d lp_pool2d
    margin_ranking_loss max_pool1d max_pool2d max_pool3d mse_loss multi_margin_loss
    multilabel_margin_loss multilabel_soft_margin_loss nll_loss one_hot
    pairwise_distance pdist poisson_nll_loss rms_norm scaled_dot_product_attention
    smooth_l1_loss soft_margin_loss softmin softplus softshrink softsign tanhshrink
    triplet_margin_loss unfold
F    either (...) adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
    channel_shuffle interpolate pad pixel_shuffle pixel_unshuffle upsample
tF   either (input p= training= inplace=) {inplace>input} dropout alpha_dropout
    feature_alpha_dropout dropout1d dropout2d dropout3d
tF   fresh  (input inplace=) {inplace>input} relu relu6 selu silu mish hardswish
    hardsigmoid
F    fresh  (input alpha= inplace=) {inplace>input} elu celu
F    fresh  (input negative_slope= inplace=) {inplace>input} leaky_relu
F    fresh  (input min_val= max_val= inplace=) {inplace>input} hardtanh
F    fresh  (input lower= upper= training= inplace=) {inplace>input} rrelu
F    fresh  (input threshold value inplace=) {inplace>input} threshold
F    fresh  (input p= dim= eps= out=) {out} normalize
F    fresh  (input weight padding_idx= max_norm= norm_type= scale_grad_by_freq=
    sparse=) {max_norm>weight} embedding
F    fresh  (input weight offsets= max_norm= norm_type= scale_grad_by_freq= mode=
    sparse= per_sample_weights= include_last_offset= padding_idx=) {max_norm>weight}
    embedding_bag
F    fresh  (input running_mean running_var weight= bias= training= momentum= eps=)
    {training>running_mean training>running_var} batch_norm
F    fresh  (input running_mean= running_var= weight= bias= use_input_stats=+
    momentum= eps=) {use_input_stats>running_mean use_input_stats>running_var}
    instance_norm
t    fresh  (input weight bias running_mean running_var training momentum eps
    cudnn_enabled=) {training>running_mean training>running_var} batch_norm
t    fresh  (input weight bias running_mean running_var use_input_stats momentum eps
    cudnn_enabled=) {use_input_stats>running_mean use_input_stats>running_var}
    instance_norm
"""
"""Functions of `torch` and of `torch.nn.functional`."""
