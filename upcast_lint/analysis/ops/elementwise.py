"""What is known of the operations that make each element of one, or of one of each."""

from __future__ import annotations

ARITHMETIC = """
mt   fresh  arithmetic gives=promoted scales (other) mul? multiply?
mt   fresh  arithmetic gives=promoted (other alpha=) add? sub? subtract?
mt   fresh  arithmetic gives=divided scales (other rounding_mode=) div? divide?
mt   fresh  arithmetic gives=divided scales (other) true_divide
mt   fresh  sign () neg negative
mt   fresh  sign positive () abs? absolute
"""
"""Exact: each result is the nearest number to that of one element."""

FUNCTIONS = """
mt   fresh  elementwise gives=float bits=element settles () log? log2 log10 rsqrt
mts  fresh  elementwise gives=float bits=element settles () log1p expm1 erf
mt   fresh  elementwise gives=float bits=element settles () cos sin sqrt reciprocal
mt   fresh  elementwise gives=float bits=element settles positive () exp?
mtF  fresh  elementwise gives=float bits=element settles () tanh
F    fresh  elementwise gives=float bits=element settles floats (input) logsigmoid
mts  fresh  elementwise gives=float bits=place () exp2
mtF  fresh  elementwise gives=float bits=place positive () sigmoid?
F    fresh  elementwise gives=float bits=place floats (input beta= threshold=) softplus
F    fresh  elementwise gives=float bits=place floats (input approximate=) gelu
tF   fresh  elementwise gives=float bits=place floats (input inplace=)
    {inplace>input} silu
mt   fresh  elementwise gives=same bits=element settles positive () square?
mt   fresh  elementwise gives=same bits=element settles flat () sign? floor ceil trunc
mts  fresh  elementwise gives=same bits=element settles flat (decimals=) round?
mt   fresh  elementwise gives=same bits=element settles (nan= posinf= neginf=)
    nan_to_num
mt   fresh  elementwise gives=same bits=element settles keeps (min= max=) clamp clip?
mt   fresh  elementwise gives=same bits=element settles keeps (min) clamp_min
mt   fresh  elementwise gives=same bits=element settles keeps (max) clamp_max
m    fresh  elementwise gives=same bits=element settles keeps () relu?
tF   fresh  elementwise gives=same bits=element settles keeps (input inplace=)
    {inplace>input} relu
mt   fresh  elementwise gives=promoted axes=broadcast bits=place powers (exponent) pow?
mt   fresh  gives=float bits=place powers (exponent) float_power
"""
"""Of one element and of numbers: a selection may be lifted over them."""

OTHERS = """
mt   fresh  gives=float axes=same () acos acosh angle arccos arccosh arcsin
    arcsinh arctan arctanh asin asinh atan atanh cosh deg2rad lgamma rad2deg sinh tan?
mt   fresh  gives=same axes=same () conj_physical frac? sgn
mt   fresh  gives=same axes=same flat () fix?
mts  fresh  gives=float axes=same () digamma? erfc erfinv i0 polygamma sinc
mts  fresh  gives=float axes=same bits=element (eps=) logit?
mt   fresh  gives=float axes=same (p) mvlgamma
mt   fresh  () frexp
mtF  fresh  gives=same axes=same (lambd=) hardshrink
mtF  fresh  gives=same axes=same (weight) prelu
mt   fresh  gives=whole axes=same () bitwise_not
mt   fresh  gives=promoted axes=broadcast bits=element settles (other) maximum
    minimum
mt   fresh  gives=promoted axes=broadcast (other) copysign fmax fmin gcd lcm
    nextafter
mt   fresh  gives=promoted axes=broadcast (values) heaviside
mt   fresh  gives=summed axes=broadcast bits=place (other) fmod remainder
mt   fresh  gives=summed axes=broadcast (other) floor_divide
mt   fresh  gives=whole axes=broadcast (other) bitwise_and bitwise_left_shift
    bitwise_or bitwise_right_shift bitwise_xor
mt   fresh  gives=float axes=broadcast bits=place (other) arctan2 atan2 hypot
    logaddexp logaddexp2
mt   fresh  gives=float axes=broadcast (other) igamma igammac ldexp
mts  fresh  gives=float axes=broadcast (other) xlogy
mt   fresh  gives=same axes=broadcast bits=element settles (end weight) lerp
mt   fresh  gives=same axes=broadcast bits=element settles
    (tensor1 tensor2 value=) addcdiv addcmul
mt   fresh  gives=same axes=broadcast bits=element settles (mask value)
    masked_fill
m    fresh  gives=promoted axes=broadcast bits=element settles (condition other)
    where?
t    fresh  gives=promoted axes=broadcast bits=element settles of=condition
    (condition self|input= other=) where
tF   fresh  gives=same axes=same (input inplace=) {inplace>input} selu mish
    hardswish hardsigmoid
tF   fresh  gives=same axes=same settles (input inplace=) {inplace>input} relu6
F    fresh  gives=same axes=same (input alpha= inplace=) {inplace>input} elu celu
F    fresh  gives=same axes=same settles (input negative_slope= inplace=)
    {inplace>input} leaky_relu
F    fresh  gives=same axes=same settles (input min_val= max_val= inplace=)
    {inplace>input} hardtanh
F    fresh  gives=same axes=same (input lower= upper= training= inplace=)
    {inplace>input} rrelu
F    fresh  gives=same axes=same (input threshold value inplace=)
    {inplace>input} threshold
F    fresh  gives=float axes=same (input) softsign tanhshrink
F    fresh  gives=float axes=same (input lambd=) softshrink
tF   either gives=float axes=same settles (input p= training= inplace=)
    {inplace>input} dropout
tF   either gives=float axes=same (input p= training= inplace=) {inplace>input}
    alpha_dropout feature_alpha_dropout dropout1d dropout2d dropout3d
"""
"""Of several tensors, or not measured."""

COMPARISONS = """
mt   fresh  test axes=broadcast bits=element settles (other) eq ne lt le gt ge
mt   fresh  test axes=broadcast (other) greater greater_equal less less_equal not_equal
mt   fresh  test axes=broadcast bits=element settles (other) logical_and logical_or
    logical_xor
mt   fresh  test axes=same bits=element settles () logical_not isfinite isinf isnan
    isneginf isposinf signbit
mt   fresh  test axes=same () isreal
mt   fresh  test axes=broadcast settles (other rtol= atol= equal_nan=) isclose
t    fresh  test axes=same settles (elements|input test_elements assume_unique= invert=)
    isin
"""
"""Each gives a mask."""

TABLES = (ARITHMETIC, FUNCTIONS, OTHERS, COMPARISONS)
