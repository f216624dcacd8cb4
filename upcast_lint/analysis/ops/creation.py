"""What is known of the functions that make tensors, of layers and of what writes."""

from __future__ import annotations

FACTORIES = """
t    fresh  factory gives=default axes=given (*size out= dtype= layout= device=
    requires_grad= pin_memory= generator= names= memory_format=) empty ones rand
    randn zeros
t    fresh  factory gives=default (...) empty_permuted empty_strided eye normal
t    fresh  factory gives=default axes=vector (...) linspace logspace
t    fresh  factory gives=counted axes=vector (...) arange
t    fresh  axes=vector (...) range
t    fresh  factory gives=int64 axes=vector (n out= dtype= layout= device=
    requires_grad= pin_memory= generator=) randperm
t    fresh  factory gives=int64 (...) randint
t    fresh  gives=int64 (...) tril_indices triu_indices unravel_index
t    fresh  factory gives=literal axes=given (size fill_value out= dtype= layout=
    device= requires_grad= pin_memory= names=) full
t    fresh  factory gives=literal axes=literal (...) tensor
t    either itself cast gives=literal axes=literal typed (data dtype= device=) as_tensor
t    either itself typed gives=literal axes=literal (...) asarray
t    either gives=int64 axes=literal (...) LongTensor
t    either gives=int32 axes=literal (...) IntTensor
t    either gives=bool (...) BoolTensor
t    either gives=uint8 (...) ByteTensor
t    either gives=float32 (...) FloatTensor
t    either gives=float64 (...) DoubleTensor
t    either gives=float16 (...) HalfTensor
t    either gives=bfloat16 (...) BFloat16Tensor
t    either factory (...) from_numpy
t    either (...) Tensor from_dlpack frombuffer
t    fresh  like (input dtype= layout= device= requires_grad= memory_format=
    pin_memory= generator=) empty_like ones_like rand_like randn_like zeros_like
t    fresh  like (input fill_value dtype= layout= device= requires_grad=
    memory_format= pin_memory=) full_like
t    fresh  like gives=int64 settles=no (...) randint_like
m    fresh  new (*size dtype= device= requires_grad= layout= pin_memory=) new_empty
    new_ones new_zeros
m    fresh  new (size fill_value dtype= device= requires_grad= layout= pin_memory=)
    new_full
m    fresh  gives=same (data dtype= device= requires_grad=) new_tensor
t    fresh  join settles (tensors dim= out=) cat concat concatenate stack
t    fresh  join (tensors out=) hstack vstack
t    fresh  (...) block_diag cartesian_prod column_stack combinations complex
    dstack from_file row_stack scalar_tensor sparse_coo_tensor vander
t    fresh  (...) alias_copy as_strided_copy detach_copy diagonal_copy expand_copy
    permute_copy select_copy slice_copy split_copy squeeze_copy t_copy transpose_copy
    unbind_copy unfold_copy unsqueeze_copy view_copy
t    fresh  (...) bartlett_window blackman_window hamming_window hann_window
    kaiser_window poisson polar
F    fresh  gives=int64 settles (tensor|input num_classes=) one_hot
N    holds  gives=same (data= requires_grad=) Parameter Buffer
"""

FUNCTIONS = """
t    fresh  (...) bilinear binomial cdist chain_matmul cholesky conv1d conv2d
    conv3d cumulative_trapezoid gradient histogramdd istft lobpcg
    pairwise_distance pca_lowrank pdist qr rsub stft svd svd_lowrank trapezoid trapz
t    fresh  gives=float (...) cosine_similarity
t    either itself (...) atleast_1d atleast_2d atleast_3d
t    either (...) broadcast_tensors meshgrid
    pixel_shuffle pixel_unshuffle sym_max sym_min tensordot
t    value  (...) Event Generator Size Stream are_deterministic_algorithms_enabled
    autocast broadcast_shapes can_cast device dtype finfo get_autocast_dtype
    get_autocast_gpu_dtype get_default_device get_default_dtype
    get_float32_matmul_precision get_rng_state iinfo initial_seed is_anomaly_enabled
    is_autocast_enabled is_grad_enabled is_inference_mode_enabled is_storage
    is_warn_always_enabled load manual_seed promote_types result_type save seed
    set_anomaly_enabled set_default_device set_default_dtype
    set_float32_matmul_precision set_num_threads set_printoptions set_rng_state typename
    use_deterministic_algorithms
t    value  metadata (...) is_tensor
t    value  number (...) get_num_threads
t    value  mode (...) enable_grad inference_mode no_grad set_grad_enabled
F    fresh  (...) affine_grid avg_pool1d avg_pool2d avg_pool3d bilinear
    binary_cross_entropy conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    conv_transpose3d cosine_embedding_loss ctc_loss fold gaussian_nll_loss glu
    grid_sample hinge_embedding_loss local_response_norm lp_pool1d lp_pool2d
    margin_ranking_loss max_pool1d max_pool2d max_pool3d multi_margin_loss
    multilabel_margin_loss multilabel_soft_margin_loss pairwise_distance pdist
    poisson_nll_loss soft_margin_loss triplet_margin_loss unfold
F    fresh  gives=float (...) cosine_similarity gumbel_softmax
    scaled_dot_product_attention
F    either (...) adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
    channel_shuffle interpolate pixel_shuffle pixel_unshuffle upsample
F    either gives=same settles (input pad mode= value=) pad
F    fresh  (input running_mean running_var weight= bias= training= momentum= eps=)
    {training>running_mean training>running_var} batch_norm
F    fresh  (input running_mean= running_var= weight= bias= use_input_stats=+
    momentum= eps=) {use_input_stats>running_mean use_input_stats>running_var}
    instance_norm
t    fresh  (input weight bias running_mean running_var training momentum eps
    cudnn_enabled=) {training>running_mean training>running_var} batch_norm
t    fresh  (input weight bias running_mean running_var use_input_stats momentum
    eps cudnn_enabled=) {use_input_stats>running_mean use_input_stats>running_var}
    instance_norm
"""
"""Functions of `torch` and of `torch.nn.functional`."""

INPLACE = """
m    either gives=same axes=same () {self} relu_? zero_ share_memory_
m    either itself gives=same axes=same (requires_grad=) {self} requires_grad_
m    either gives=same axes=same (*any) {self} copy_ fill_ normal_ uniform_ random_
    exponential_ geometric_ log_normal_ cauchy_ fill_diagonal_
m    either gives=same (*any) {self} set_ resize_ apply_? map_?
"""
"""Methods that write to their tensor and are not another's with an underscore."""

TABLES = (FACTORIES, FUNCTIONS, INPLACE)
