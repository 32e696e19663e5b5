"""Which dtypes ``out=`` may have: for most functions one that the result can be cast to.

Some require exactly the dtype of the result, and sums are computed in the dtype of `out`.
"""

from __future__ import annotations

from ... import dtypes
from ...errors import DtypeError

OWN = "Expected out tensor to have dtype {made}, but got {target} instead"
FOUND = "Found dtype {Target} but expected {Made}"
MATCH = "Expected the dtype for input and out to match, but got {Made} for input's dtype and {Target} for out's dtype."

_FOUND = (
    "bitwise_not", "ceil", "conj_physical", "fix", "floor", "frac", "gelu", "hardshrink", "lerp", "neg", "negative",
    "round", "sgn", "sign", "softplus", "softshrink", "trunc",
)  # fmt: skip
_OWN = (
    "addbmm", "addmm", "addmv", "alias_copy", "aminmax", "argmax", "argmin", "as_strided_copy", "baddbmm", "bmm",
    "cholesky_ex", "cross", "det", "diag", "diagonal_copy", "eigh", "eigvalsh", "expand_copy", "gather",
    "index_add", "index_copy", "index_reduce", "inv", "inv_ex", "inverse", "isin", "log_softmax", "lu", "lu_factor",
    "lu_factor_ex", "lu_solve", "lu_unpack", "matmul", "mm", "msort", "multi_dot", "mv", "narrow_copy",
    "norm", "permute_copy", "qr", "renorm", "scatter", "scatter_add", "scatter_reduce", "slice_scatter", "slogdet",
    "softmax", "solve", "solve_ex", "sort", "split_with_sizes_copy", "squeeze_copy", "svd", "svdvals", "t_copy",
    "take_along_dim", "topk", "transpose_copy", "triangular_solve", "tril", "triu", "unbind_copy", "unfold_copy",
    "unsqueeze_copy", "vector_norm", "view_copy",
)  # fmt: skip
_SCALAR_TYPE = ("cummax", "cummin", "logcumsumexp", "solve_triangular")

EXACT: dict[str, str] = {
    **dict.fromkeys(_FOUND, FOUND),
    **dict.fromkeys(_OWN, OWN),
    **dict.fromkeys(_SCALAR_TYPE, "expected scalar_type {Made} but found {Target}"),
    **dict.fromkeys(
        ("complex", "polar"), "Expected object of scalar type {Made} but got scalar type {Target} for argument 'out'"
    ),
    **dict.fromkeys(
        ("histc", "histogram"),
        "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {made} and "
        "hist {target}",
    ),
    **dict.fromkeys(("amax", "amin"), MATCH),
    **dict.fromkeys(("all", "any"), "{name} only supports bool tensor for result, got: {Target}"),
    **dict.fromkeys(("dot", "vdot"), "result dtype {Target} does not match input dtype {Made}"),
    **dict.fromkeys(
        ("inner", "tensordot"), "{name}: Expected the output tensor to have dtype {Made}, but got {Target}"
    ),
    **dict.fromkeys(
        ("nanquantile", "quantile"), "{name}() out tensor must be same dtype as the input tensor, got {Target}"
    ),
    **dict.fromkeys(("bucketize", "searchsorted"), "{name}(): output tensor's dtype is wrong, it can only be {Made}"),
    "where": "Expected out type to be {Made} but got {Target}",
    "masked_select": "masked_select(): self and result must have the same scalar type, got {Made} and {Target}",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {Made}, out.dtype = {Target}",
    "nan_to_num": "nan_to_num: dtype of out: {Target} should be same as input: {Made}",
    "float_power": "the output given to float_power has dtype {Target} but the operation requires dtype {Made}",
    "logsigmoid": "expected scalar type {Made} but found {Target}",
    "frexp": "torch.frexp() expects its outputs to have dtypes of mantissa and exponent, {made}, but got {target}",
    "heaviside": "heaviside is not yet implemented for tensors with different dtypes: {Made} and {Target}.",
    "index_select": "index_select(): self and result must have the same scalar type, {Made}, but got {Target}",
    "kthvalue": "output values must be of same type as input, {Made}, but got {Target}",
    "matrix_norm": "linalg.matrix_norm expected out tensor dtype {Made} but got: {Target}",
    "mode": "expected scalar type '{Made}' but got '{Target}' for an output",
    "ormqr": "torch.ormqr: Expected input and result to have the same dtype, but got {Made} and {Target}",
    "vecdot": "linalg.vecdot: Expected out of dtype {Made} but found {Target}",
    "signbit": "signbit does not support non-boolean outputs.",
}
"""PyTorch's error texts for functions whose `out` must have the dtype of the result."""

IN_TYPE_OF_OUT = frozenset({"cumprod", "cumsum", "prod", "sum"})
"""Functions that compute in the dtype of `out` if no ``dtype`` is given."""

IN_CPP = {
    "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short", "int32": "int",
    "int64": "long int", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip


def check_out_type(name: str, made: dtypes.dtype, target: dtypes.dtype) -> None:
    """Raise DtypeError if a result of dtype `made` may not be written to an `out` of dtype `target`."""
    if made is target or (name in ("all", "any") and target in (dtypes.bool_, dtypes.uint8)):
        return
    if name in EXACT:
        raise DtypeError(
            EXACT[name].format(
                name=name,
                Made=made.type_name,
                Target=target.type_name,
                made=IN_CPP.get(made.name, made.name),
                target=IN_CPP.get(target.name, target.name),
            )
        )
    if not dtypes.can_cast(made, target):
        raise DtypeError(
            f"result type {made.type_name} can't be cast to the desired output type {target.type_name}: "
            f"the result is {made}, out {target}"
        )
