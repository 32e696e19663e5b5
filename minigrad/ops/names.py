"""The family of ops that offers each name: read from here, so that no family is imported before it is asked for.

Filled in by ``python -m tests.stubs``. For a new family write its name and "function" at the end, then run that.
"""

from __future__ import annotations

TABLE = """
elementwise.arithmetic function add mul multiply neg negative positive rsub sub subtract
elementwise.arithmetic method __add__ __iadd__ __imul__ __isub__ __mul__ __neg__ __pos__ __radd__ __rmul__ __rsub__
elementwise.arithmetic method __sub__ add add_ mul mul_ multiply multiply_ neg neg_ negative negative_ positive sub
elementwise.arithmetic method sub_ subtract subtract_
elementwise.ternary function addcdiv addcmul lerp
elementwise.ternary method addcdiv addcdiv_ addcmul addcmul_ lerp lerp_
elementwise.division function div divide floor_divide fmod remainder true_divide
elementwise.division method __floordiv__ __ifloordiv__ __imod__ __itruediv__ __mod__ __rdiv__ __rfloordiv__ __rmod__
elementwise.division method __rtruediv__ __truediv__ div div_ divide divide_ floor_divide floor_divide_ fmod fmod_
elementwise.division method remainder remainder_ true_divide true_divide_
elementwise.powers function float_power pow
elementwise.powers method __ipow__ __pow__ __rpow__ float_power float_power_ pow pow_
elementwise.exponential function exp exp2 expm1 log log10 log1p log2
elementwise.exponential method exp exp2 exp2_ exp_ expm1 expm1_ log log10 log10_ log1p log1p_ log2 log2_ log_
elementwise.pointwise function abs absolute reciprocal relu rsqrt sigmoid sqrt square tanh
elementwise.pointwise method __abs__ abs abs_ absolute absolute_ reciprocal reciprocal_ relu relu_ rsqrt rsqrt_
elementwise.pointwise method sigmoid sigmoid_ sqrt sqrt_ square square_ tanh tanh_
elementwise.trigonometry function acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan
elementwise.trigonometry function atan2 atanh cos cosh deg2rad hypot rad2deg sin sinc sinh tan
elementwise.trigonometry method acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh
elementwise.trigonometry method arcsinh_ arctan arctan2 arctan2_ arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan
elementwise.trigonometry method atan2 atan2_ atan_ atanh atanh_ cos cos_ cosh cosh_ deg2rad deg2rad_ hypot hypot_
elementwise.trigonometry method rad2deg rad2deg_ sin sin_ sinc sinc_ sinh sinh_ tan tan_
elementwise.integers function gcd lcm
elementwise.integers method gcd gcd_ lcm lcm_
elementwise.floating_point function frexp ldexp nextafter
elementwise.floating_point method frexp ldexp ldexp_ nextafter nextafter_
elementwise.rounding function ceil copysign fix floor frac heaviside nan_to_num round sign trunc
elementwise.rounding method ceil ceil_ copysign copysign_ fix fix_ floor floor_ frac frac_ heaviside heaviside_
elementwise.rounding method nan_to_num nan_to_num_ round round_ sign sign_ trunc trunc_
elementwise.comparison function allclose eq equal ge greater greater_equal gt isclose isfinite isinf isnan isneginf
elementwise.comparison function isposinf isreal le less less_equal logical_and logical_not logical_or logical_xor lt
elementwise.comparison function ne not_equal signbit
elementwise.comparison method __eq__ __ge__ __gt__ __le__ __lt__ __ne__ allclose eq eq_ equal ge ge_ greater greater_
elementwise.comparison method greater_equal greater_equal_ gt gt_ isclose isfinite isinf isnan isneginf isposinf
elementwise.comparison method isreal le le_ less less_ less_equal less_equal_ logical_and logical_and_ logical_not
elementwise.comparison method logical_not_ logical_or logical_or_ logical_xor logical_xor_ lt lt_ ne ne_ not_equal
elementwise.comparison method not_equal_ signbit
elementwise.bitwise function bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor
elementwise.bitwise method __and__ __iand__ __ilshift__ __invert__ __ior__ __irshift__ __ixor__ __lshift__ __or__
elementwise.bitwise method __rand__ __rlshift__ __ror__ __rrshift__ __rshift__ __rxor__ __xor__ bitwise_and
elementwise.bitwise method bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or
elementwise.bitwise method bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_
elementwise.where function clamp clamp_max clamp_min clip fill masked_fill where
elementwise.where method clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ fill_ masked_fill
elementwise.where method masked_fill_ where zero_
elementwise.maximum function fmax fmin maximum minimum
elementwise.maximum method fmax fmin maximum minimum
elementwise.complex function angle complex conj conj_physical imag is_conj is_neg polar real resolve_conj resolve_neg
elementwise.complex function sgn view_as_complex view_as_real
elementwise.complex method angle conj conj_physical conj_physical_ is_conj is_neg resolve_conj resolve_neg sgn sgn_
elementwise.complex property imag real
special.error_and_gamma function digamma erf erfc erfinv lgamma logaddexp logaddexp2 logit polygamma xlogy
special.error_and_gamma method digamma digamma_ erf erf_ erfc erfc_ erfinv erfinv_ lgamma lgamma_ logaddexp logaddexp2
special.error_and_gamma method logit logit_ polygamma polygamma_ xlogy xlogy_
special.bessel function i0
special.bessel method i0 i0_
special.incomplete_gamma function igamma igammac mvlgamma
special.incomplete_gamma method igamma igamma_ igammac igammac_ mvlgamma mvlgamma_
reduce.sums function all any count_nonzero mean nanmean nansum prod sum
reduce.sums method all any count_nonzero mean nanmean nansum prod sum
reduce.extremes function amax amin aminmax argmax argmin kthvalue max median min mode nanmedian
reduce.extremes method amax amin aminmax argmax argmin kthvalue max median min mode nanmedian
reduce.quantiles function nanquantile quantile
reduce.quantiles method nanquantile quantile
reduce.statistics function corrcoef cov logsumexp std std_mean var var_mean
reduce.statistics method corrcoef cov logsumexp std var
reduce.sorting function argsort bincount bucketize histc isin msort searchsorted sort topk unique unique_consecutive
reduce.sorting method argsort bincount histc msort sort topk unique unique_consecutive
reduce.cumulative function cummax cummin cumprod cumsum cumulative_trapezoid diff logcumsumexp trapezoid trapz
reduce.cumulative method cummax cummin cumprod cumprod_ cumsum cumsum_ diff logcumsumexp
reduce.histograms function histogram histogramdd
reduce.histograms method histogram
reduce.finite_differences function gradient
reduce.segments function segment_reduce
create.factories function arange as_tensor asarray empty empty_permuted empty_strided eye from_numpy full linspace
create.factories function logspace ones scalar_tensor tensor zeros
create.constructors function BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor
create.constructors function IntTensor LongTensor ShortTensor range set_default_tensor_type
create.constructors method __new__ _make_subclass as_subclass new
create.like function empty_like full_like ones_like rand_like randint_like randn_like zeros_like
create.like method new_empty new_empty_strided new_full new_ones new_tensor new_zeros ones_like zeros_like
random.distributions function Generator bernoulli fork_rng get_rng_state initial_seed manual_seed multinomial normal
random.distributions function poisson rand randint randn randperm seed set_rng_state
random.distributions method bernoulli multinomial
random.fill method bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_
conversion.casting function can_cast clone get_device is_complex is_floating_point is_inference is_nonzero is_signed
conversion.casting function is_tensor numel promote_types result_type
conversion.casting method bfloat16 bool byte cdouble cfloat char clone cpu cuda double float get_device half int
conversion.casting method is_nonzero is_signed long ndimension short sum_to_size to type type_as
conversion.casting property is_cpu layout
conversion.printing function printoptions set_printoptions
conversion.printing method __format__ __repr__
conversion.interop function from_dlpack frombuffer
conversion.interop method __array__ __array_wrap__ __deepcopy__ __dlpack__ __dlpack_device__ __reduce_ex__
conversion.interop property __cuda_array_interface__
conversion.python_values method __bool__ __complex__ __float__ __index__ __int__ __iter__ __len__ item numpy tolist
conversion.copy method contiguous copy_
conversion.attributes function detach is_same_size typename
conversion.attributes method __contains__ _indices _nnz _values apply_ coalesce const_data_ptr dim_order
conversion.attributes method fill_diagonal_ indices is_distributed is_pinned is_same_size is_shared map2_ map_
conversion.attributes method pin_memory record_stream share_memory_ to_dense to_sparse values
conversion.attributes property is_ipu is_meta is_mkldnn is_mps is_nested is_quantized is_sparse is_sparse_csr
conversion.attributes property is_vulkan is_xla is_xpu name
conversion.storage function is_storage
conversion.storage method is_set_to set_ storage untyped_storage
shape.views function broadcast_to flatten ravel reshape squeeze unflatten unsqueeze
shape.views method broadcast_to expand expand_as flatten ravel reshape reshape_as squeeze unflatten unsqueeze view
shape.views method view_as
shape.permute function adjoint moveaxis movedim permute swapaxes swapdims t transpose
shape.permute method adjoint moveaxis movedim permute swapaxes swapdims t transpose
shape.permute property H T mH mT
shape.join function cat chunk column_stack concat concatenate dstack hstack row_stack split split_with_sizes stack
shape.join function tensor_split unbind vstack
shape.join method chunk split split_with_sizes tensor_split unbind
shape.strided function as_strided diag diag_embed diagflat diagonal trace
shape.strided method as_strided diag diag_embed diagflat diagonal trace unfold
shape.rearrange function flip fliplr flipud repeat_interleave roll rot90 tile tril triu
shape.rearrange method __reversed__ flip fliplr flipud repeat repeat_interleave roll rot90 tile tril tril_ triu triu_
shape.inplace_views method as_strided_ resize_ resize_as_ squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_
shape.view_copies function alias_copy as_strided_copy diagonal_copy expand_copy narrow_copy permute_copy select_copy
shape.view_copies function split_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy
shape.view_copies function unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze_copy view_as_complex_copy
shape.view_copies function view_as_real_copy view_copy
shape.view_copies method narrow_copy unsafe_chunk unsafe_split unsafe_split_with_sizes
shape.splitting function broadcast_shapes broadcast_tensors dsplit hsplit vsplit
shape.splitting method dsplit hsplit vsplit
index.slicing function narrow select
index.slicing method narrow select
index.subscript function index_put
index.subscript method __delitem__ __getitem__ __setitem__ index_put index_put_
index.gather function gather
index.gather method gather
index.scatter function index_add index_copy index_fill index_reduce index_select scatter scatter_add scatter_reduce
index.scatter method index_add index_add_ index_copy index_copy_ index_fill index_fill_ index_reduce index_reduce_
index.scatter method index_select scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_
index.masks function argwhere masked_scatter masked_select nonzero
index.masks method argwhere masked_scatter masked_scatter_ masked_select nonzero
index.take function as_strided_scatter atleast_1d atleast_2d atleast_3d combinations diagonal_scatter meshgrid put
index.take function select_scatter slice_scatter take take_along_dim vander
index.take method as_strided_scatter diagonal_scatter put put_ select_scatter slice_scatter take take_along_dim
index.coordinates function nonzero_static tril_indices triu_indices unravel_index
index.coordinates method nonzero_static
linalg.matmul function bmm dot matmul mm mv
linalg.matmul method __matmul__ __rmatmul__ bmm dot matmul mm mv
linalg.functions function det inverse logdet matrix_power slogdet
linalg.functions method det inverse logdet matrix_power slogdet
linalg.matrix_functions function matrix_exp
linalg.matrix_functions method matrix_exp
linalg.lu function lu_unpack
linalg.low_rank function pca_lowrank svd_lowrank
linalg.triangular_factors function cholesky_inverse cholesky_solve geqrf orgqr ormqr triangular_solve
linalg.triangular_factors method cholesky_inverse cholesky_solve geqrf orgqr ormqr triangular_solve
linalg.legacy function cholesky cross dist lu lu_solve norm pinverse qr svd
linalg.legacy method cholesky cross dist lu lu_solve norm pinverse qr svd
linalg.einsum function einsum tensordot
linalg.products function addbmm addmm addmv addr baddbmm block_diag cartesian_prod cdist chain_matmul ger inner kron
linalg.products function outer vdot
linalg.products method addbmm addbmm_ addmm addmm_ addmv addmv_ addr addr_ baddbmm baddbmm_ ger inner kron outer vdot
linalg.distances function pdist renorm
linalg.distances method renorm renorm_
fft.stft function istft stft
fft.stft method istft stft
fft.windows function bartlett_window blackman_window hamming_window hann_window kaiser_window
nn.softmax function log_softmax softmax
nn.softmax method log_softmax softmax
shape.padding function constant_pad_nd
"""
"""On each line a family, what it offers, and the names: functions of `minigrad`, methods and properties of tensors."""

FUNCTIONS: dict[str, str] = {}
METHODS: dict[str, str] = {}
PROPERTIES: dict[str, str] = {}
"""Each name, and the family that has it."""

_by_kind = {"function": FUNCTIONS, "method": METHODS, "property": PROPERTIES}
_lines = [line.split() for line in TABLE.strip().splitlines()]
for _family, _kind, *_names in _lines:
    _by_kind[_kind].update(dict.fromkeys(_names, _family))

FAMILIES = tuple(dict.fromkeys([_family for _family, *_ in _lines]))
