"""Types for what is Any in the source. A parameter gets its type here by its name.

If a type would reject a valid call, the parameter stays Any: many take numbers, arrays or sequences.
"""

from __future__ import annotations

OPERAND = "Tensor | Number"
SIZES = "int | Sequence[int]"
DIMS = "int | Sequence[int] | None"

PARAMETERS: dict[str, str] = {
    "input": "Tensor",
    "dim": DIMS,
    "dtype": "DType | type | None",
    "device": "str | Device | None",
    "generator": "Generator | None",
    "out": "Tensor | None",
    "alpha": "Number", "beta": "Number",
    "kernel_size": SIZES,
    "output_size": "int | Sequence[int | None] | None",
    "*size": SIZES, "*sizes": SIZES, "*shape": SIZES, "*dims": SIZES, "*repeats": SIZES,
    "target": "Tensor", "log_probs": "Tensor", "input1": "Tensor", "input2": "Tensor", "x1": "Tensor", "x2": "Tensor",
    "batch1": "Tensor", "batch2": "Tensor", "mat": "Tensor", "mat1": "Tensor", "mat2": "Tensor", "vec": "Tensor",
    "vec1": "Tensor", "vec2": "Tensor", "A": "Tensor", "B": "Tensor", "tau": "Tensor", "anchor": "Tensor",
    "positive": "Tensor", "negative": "Tensor", "query": "Tensor", "grid": "Tensor", "theta": "Tensor",
    "logits": "Tensor", "running_mean": "Tensor | None", "running_var": "Tensor | None", "bias": "Tensor | None",
    "attn_mask": "Tensor | None",
    "scale_factor": "float | Sequence[float] | None",
}  # fmt: skip
"""Types by parameter name; ``*name`` for variable arguments."""

OF_ONE_FUNCTION: dict[str, str] = {
    **dict.fromkeys(
        ["pow.input", "float_power.input", "rsub.input", "copysign.input", "xlogy.input", "xlog1py.input",
         "remainder.input", "bitwise_left_shift.input", "bitwise_right_shift.input", "add.input", "sub.input",
         "mul.input", "div.input", "subtract.input", "multiply.input", "divide.input", "true_divide.input",
         "floor_divide.input", "bitwise_and.input", "bitwise_or.input", "bitwise_xor.input", "zeta.input",
         "rsub.other", "lerp.weight", "lerp_.weight"],
        OPERAND,
    ),
    "linear.bias": "Tensor | None",
    "tensor.dtype": "DType | type | None",
    "type.dtype": "Any",
    "cond.A": "Tensor",
    "normal.input": "Any",
    "is_tensor.obj": "object",
}  # fmt: skip
"""Types by "function.parameter", which take precedence over the names above."""

RETURNS: dict[str, str] = {
    **{name: f"return_types.{name}" for name in (
        "aminmax", "cummax", "cummin", "frexp", "geqrf", "histogram", "kthvalue", "mode", "slogdet", "sort", "std_mean",
        "topk", "triangular_solve", "var_mean",
    )},
    "histogramdd": "return_types.histogramdd",
    "qr": "return_types.qr",
    "svd": "return_types.svd",
    "linalg.qr": "return_types.linalg_qr",
    "linalg.svd": "return_types.linalg_svd",
    "linalg.slogdet": "return_types.slogdet",
    **{f"linalg.{name}": f"return_types.linalg_{name}" for name in (
        "cholesky_ex", "eig", "eigh", "inv_ex", "lstsq", "lu", "lu_factor", "lu_factor_ex", "solve_ex",
    )},
    "lu_unpack": "tuple[Tensor, Tensor, Tensor]",
    "item": "int | float | bool",
    "__array__": "numpy.ndarray[Any, Any]",
    "numpy": "numpy.ndarray[Any, Any]",
    **dict.fromkeys(["__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__rand__", "__ror__", "__rxor__",
                     "__rlshift__", "__rrshift__", "__rfloordiv__", "__rmod__"], "Tensor"),
    **dict.fromkeys(["alias_copy", "as_strided_copy", "diagonal_copy", "expand_copy", "narrow_copy", "permute_copy",
                     "select_copy", "squeeze_copy", "t_copy", "transpose_copy", "unfold_copy", "unsqueeze_copy",
                     "view_as_complex_copy", "view_as_real_copy", "view_copy"], "Tensor"),
    **dict.fromkeys(["split_copy", "split_with_sizes_copy", "unbind_copy", "unsafe_chunk", "unsafe_split",
                     "unsafe_split_with_sizes"], "tuple[Tensor, ...]"),
    **{f"{name}_max_pool{n}d_with_indices": "tuple[Tensor, Tensor]" for name in ("adaptive", "fractional")
       for n in (1, 2, 3)},
    **{f"max_pool{n}d_with_indices": "tuple[Tensor, Tensor]" for n in (1, 2, 3)},
}  # fmt: skip
"""Return types of functions whose source says Any; "linalg.qr" is that in the module."""

PROPERTIES = {
    "__cuda_array_interface__": "dict[str, Any]",
    "is_cpu": "bool",
    "layout": "Layout",
}
"""The other attributes are tensors."""

INTERNAL = {"__deepcopy__", "__reduce_ex__"}
"""Methods that are never called by name."""

EXTREME = ["() -> Tensor", "(dim: int, keepdim: bool = ...{out}) -> return_types.{name}"]
UNIQUE = [
    "({first}return_inverse: Literal[False] = ..., return_counts: Literal[False] = ..., dim: int | None = ...) "
    "-> Tensor",
    "({first}return_inverse: bool = ..., return_counts: bool = ..., dim: int | None = ...) -> tuple[Tensor, ...]",
]
SORTED = "sorted: bool = ..., "

OVERLOADS: dict[str, list[str]] = {
    "max": [*EXTREME, "(other: Tensor{out}) -> Tensor", "(dim: Tensor{out}) -> Tensor"],
    "min": [*EXTREME, "(other: Tensor{out}) -> Tensor", "(dim: Tensor{out}) -> Tensor"],
    "median": EXTREME,
    "nanmedian": EXTREME,
    "where": ["() -> tuple[Tensor, ...]", "(input: Tensor | Number, other: Tensor | Number{out}) -> Tensor"],
    "nonzero": ["(*, as_tuple: Literal[False] = ...) -> Tensor", "(*, as_tuple: Literal[True]) -> tuple[Tensor, ...]"],
    "unique": [each.replace("{first}", SORTED) for each in UNIQUE],
    "unique_consecutive": [each.replace("{first}", "") for each in UNIQUE],
    "type": ["() -> str", "(dtype: Any) -> Tensor"],
    "size": ["() -> Size", "(dim: int) -> int"],
    "stride": ["() -> tuple[int, ...]", "(dim: int) -> int"],
}
"""Signatures without the first parameter; ``{out}`` stands for an ``out`` argument of functions that have one."""

LIKE_THIS = "dtype: DType | type | None = None, device: str | Device | None = None, requires_grad: bool = False"

OWN_SIGNATURES: dict[str, str] = {
    "new_full": f"(self, size: int | Sequence[int], fill_value: Number, *, {LIKE_THIS}) -> Tensor",
    "new_empty_strided": f"(self, size: Sequence[int], stride: Sequence[int], *, {LIKE_THIS}) -> Tensor",
    "polygamma": "(self, n: int) -> Tensor",
    "where": "(self, condition: Tensor, other: Tensor | Number) -> Tensor",
}
"""Methods whose Python signature is incomplete."""

WITH_INDICES = ("adaptive_max_pool", "fractional_max_pool", "max_pool")
"""Functions of `nn.functional` with these prefixes return a pair if ``return_indices`` is true."""
