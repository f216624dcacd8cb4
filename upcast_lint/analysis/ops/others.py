"""What is known of numpy and of Python itself, row by row.

The rows are those of `ops/__init__.py`; the parameters are numpy 2.x's.
"""

from __future__ import annotations

NUMPY = """
n    fresh  (...) allclose angle append arange argpartition argsort argwhere
    array2string array_equal array_equiv array_str average bincount bool_ column_stack
    convolve copy corrcoef correlate count_nonzero cov cross delete digitize
    dstack dtype empty empty_like errstate eye finfo flatnonzero float16 float32
    float64 fromiter full full_like geomspace gradient histogram histogram2d hstack
    identity iinfo inner insert int16 int32 int64 int8 interp intersect1d isclose
    iscomplex isin isreal isscalar kron lexsort linspace load loadtxt logspace ndim
    nonzero ones ones_like outer packbits pad partition printoptions repeat
    result_type roll row_stack save savetxt savez savez_compressed searchsorted
    set_printoptions setdiff1d setxor1d shape size sort tensordot tile tri tril
    tril_indices triu triu_indices uint16 uint32 uint64 uint8 union1d unique
    unravel_index vander vdot vstack where zeros zeros_like
n    either (...) array array_split asanyarray asarray asarray_chkfinite
    ascontiguousarray asfortranarray asmatrix atleast_1d atleast_2d atleast_3d
    broadcast_arrays broadcast_to diag diagonal diff dsplit expand_dims flip fliplr
    flipud from_dlpack frombuffer hsplit imag matrix_transpose meshgrid moveaxis
    permute_dims ravel real real_if_close require reshape rollaxis rot90 split squeeze
    swapaxes transpose trim_zeros unstack vsplit
n    fresh  (x out=) {out} abs absolute acos acosh arccos arccosh arcsin arcsinh
    arctan arctanh asin asinh atan atanh bitwise_count bitwise_invert bitwise_not cbrt
    ceil conj conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs fix floor invert
    isfinite isinf isnan isnat isneginf isposinf log log10 log1p log2 logical_not
    negative positive rad2deg radians reciprocal rint sign signbit sin sinh spacing
    sqrt square tan tanh trunc
n    fresh  (x1 x2 out=) {out} add arctan2 atan2 bitwise_and bitwise_left_shift
    bitwise_or bitwise_right_shift bitwise_xor copysign divide dot equal float_power
    floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot lcm ldexp
    left_shift less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor
    matmul matvec maximum minimum mod multiply nextafter not_equal pow power remainder
    right_shift subtract true_divide vecdot vecmat
n    fresh  (x1 x2 out1= out2=) {out1 out2} divmod
n    fresh  (x out1= out2=) {out1 out2} frexp modf
n    fresh  (a axis= out= keepdims= dtype= initial= where=) {out} all amax amin any
    argmax argmin max median min nanargmax nanargmin nanmax nanmedian nanmin ptp
n    fresh  (a axis= dtype= out= ddof= keepdims= where= initial=) {out} cumprod cumsum
    mean nancumprod nancumsum nanmean nanprod nanstd nansum nanvar prod std sum var
n    fresh  (a decimals= out=) {out} around round
n    fresh  (a a_min= a_max= out= dtype=) {out} clip
n    fresh  (condition a axis= out=) {out} compress
n    fresh  (a choices out= mode=) {out} choose
n    fresh  (arrays axis= out= dtype= casting=) {out} concat concatenate stack
n    fresh  (a q axis= out= keepdims= method=) {out} nanpercentile nanquantile
    percentile quantile
n    fresh  (a indices axis= out= mode=) {out} take
n    fresh  (a offset= axis1= axis2= dtype= out=) {out} trace
n    either (*operands out= optimize=) {out} einsum
n    value  (dst src casting= where=) {dst} copyto
n    value  (a ind v mode=) {a} put
n    value  (arr mask vals) {arr} place
n    value  (a mask values) {a} putmask
n    value  (a val wrap=) {a} fill_diagonal
n    value  (arr indices values axis=) {arr} put_along_axis
r    value  (x axis=) {x} shuffle
r    fresh  (...) RandomState choice default_rng get_state normal permutation rand
    randint randn random seed set_state uniform
a    fresh  settles (axis= out= keepdims=) {out} argmax argmin
a    fresh  (axis= out= keepdims= initial= where=) {out} all any max min ptp
a    fresh  (axis= dtype= out= ddof= keepdims= initial= where=) {out} cumprod cumsum
    mean prod std sum var
a    fresh  (decimals= out=) {out} round
a    fresh  (min= max= out=) {out} clip
a    fresh  (b out=) {out} dot
a    fresh  (indices axis= out= mode=) {out} take
a    fresh  (condition axis= out=) {out} compress
a    fresh  (offset= axis1= axis2= dtype= out=) {out} trace
a    fresh  settles (...) argsort copy
a    fresh  (...) argpartition flatten nonzero repeat searchsorted tobytes
a    either (...) astype conj conjugate diagonal getfield ravel reshape squeeze
    swapaxes transpose view __array__
a    value  settles (...) item tolist
a    value  (...) tofile
a    value  (*any) {self} sort fill partition put resize itemset setflags byteswap
    setfield
"""

PYTHON = """
b    value  (...) ArithmeticError AssertionError AttributeError BaseException
    DeprecationWarning Exception FileNotFoundError FutureWarning ImportError
    IndexError KeyError LookupError NotImplementedError OSError RuntimeError
    RuntimeWarning StopIteration TypeError UserWarning ValueError ZeroDivisionError
    bin bytes callable chr complex dir divmod hex issubclass oct open range
b    value  open (...) input super
b    value  looks (...) ascii bool format hasattr print repr str
b    value  looks number (...) hash id ord
b    value  looks number steady (...) float int
b    value  metadata looks number steady (...) len
b    value  metadata looks (...) isinstance type
b    value  looks folds steady open (...) abs pow round
b    value  looks consumes (...) all any
b    holds  (...) vars slice
b    holds  open (...) getattr
b    holds  consumes (...) frozenset set
b    holds  consumes folds open (...) sum
b    holds  consumes folds steady hands-on open (...) max min
b    holds  consumes hands-on (...) dict list sorted tuple
b    holds  takes-one hands-on open (...) next
b    holds  hands-on lazy (...) enumerate reversed zip
b    holds  hands-on lazy open (...) iter
b    holds  lazy calls (function *iterables) filter map
c    value  (...) as_integer_ratio bit_length capitalize casefold center clear count
    decode difference discard encode endswith find format format_map hex index
    intersection is_integer isalnum isalpha isdigit isdisjoint islower issubset
    issuperset isupper join lower lstrip partition remove replace reverse rfind rindex
    rpartition rsplit rstrip sort split splitlines startswith strip title translate
    upper zfill
c    holds  (...) copy get items keys pop popitem popleft union values
c    holds  (...) {+self} add append appendleft extend insert move_to_end setdefault
    update
g    value  (...) critical debug debug_once error exception info info_once info_rank0
    info_rank0_once isEnabledFor log setLevel warn warn_once warning warning_once
    warning_rank0 warning_rank0_once
"""

NUMBERS = """
math cmath os os.path time json re warnings sys gc typing platform statistics
"""
"""Modules whose functions give no tensor."""

MODULES = """
torch.special torch.linalg torch.fft torch.cuda torch.testing torch.profiler torch.amp
torch.cuda.amp torch.cuda.nvtx torch.autograd.profiler torch.random torch.version
torch.backends torch.backends.cuda torch.backends.cudnn torch.mps torch.xpu
numpy.linalg numpy.testing numpy.fft typing_extensions logging datetime dataclasses
einops collections copy random string pathlib itertools contextlib enum inspect pprint
textwrap uuid traceback shutil tqdm abc types numbers fractions decimal bisect
tempfile hashlib struct
"""
"""Modules whose functions write to no tensor, if their names end in no underscore."""

CALLERS = """
itertools.starmap itertools.accumulate itertools.takewhile itertools.dropwhile
itertools.filterfalse itertools.groupby re.sub re.subn json.dumps json.loads
collections.defaultdict torch.cuda.make_graphed_callables contextlib.ExitStack
contextlib.contextmanager contextlib.closing contextlib.aclosing
"""
"""Functions of those modules that call what they are given, now or later."""

COLLECTIVES = "torch.distributed"
"""The module whose functions write to all they are given, those of `RESTS` aside."""

RESTS = """
torch.nn.Parameter torch.nn.Linear torch.nn.Embedding torch.nn.LayerNorm
torch.nn.Dropout torch.nn.Identity torch.nn.ReLU torch.nn.GELU torch.nn.Softmax
torch.nn.Conv1d torch.nn.Conv2d torch.nn.ModuleList torch.nn.ModuleDict
torch.nn.Sequential
torch.nn.ParameterList torch.nn.Buffer torch.nn.CrossEntropyLoss torch.nn.MSELoss
torch.nn.KLDivLoss torch.nn.NLLLoss torch.nn.BCEWithLogitsLoss torch.nn.L1Loss
torch.distributed.get_rank torch.distributed.get_world_size
torch.distributed.get_process_group_ranks torch.distributed.get_global_rank
torch.distributed.is_initialized torch.distributed.is_available
torch.distributed.barrier torch.distributed.get_group torch.distributed.new_group
torch.distributed.get_backend torch.distributed.ReduceOp torch.autograd.grad
torch.optim.SGD torch.optim.Adam torch.optim.AdamW torch.is_tensor
functools.partial functools.wraps
"""
"""Single names of other modules that write to nothing, and may hold what they get."""

TABLES = (NUMPY, PYTHON)
