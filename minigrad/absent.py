"""PyTorch's names that minigrad does not have, each with what to use instead."""

from __future__ import annotations

from .errors import UnknownNameError

ABSENT: dict[str, str] = {
    "classes": "There are no extensions in C++: write an autograd.Function or library.custom_op in Python.",
    "complex32": "There are no complex numbers of half precision: use complex64.",
    "cond": "Write an if: functions of tensors run as they are, they are not traced.",
    "export": "There is no compiler: save module.state_dict() and rebuild the module from its code.",
    "nested": "Pad sequences of several lengths, or pack them: nn.utils.rnn.",
    "eig": "It left PyTorch too: use linalg.eig, whose results are complex.",
    "futures": "Results come at once, or from distributed's async_op=True as work to wait for.",
    "hash_tensor": "Compare checksums of bytes: hashlib.sha256(x.numpy().tobytes()).",
    "lobpcg": "It finds a few eigenvalues of a large sparse matrix: use linalg.eigh, or scipy.sparse.linalg.lobpcg.",
    "lstsq": "It left PyTorch too: use linalg.lstsq(A, B), with A first.",
    "matrix_rank": "It left PyTorch too: use linalg.matrix_rank.",
    "quantization": "There are no quantised types.",
    "quasirandom": "There are no Sobol sequences: draw with rand, or make the points with scipy.stats.qmc.",
    "quantize_per_channel": "There are no quantised types.",
    "quantize_per_tensor": "There are no quantised types.",
    "solve": "It left PyTorch too: use linalg.solve(A, B), with A first.",
    **dict.fromkeys(
        (
            "sparse_bsc_tensor",
            "sparse_bsr_tensor",
            "sparse_compressed_tensor",
            "sparse_csc_tensor",
            "sparse_csr_tensor",
        ),
        "There are no sparse layouts: sparse_coo_tensor makes the dense tensor of these entries, see minigrad.sparse.",
    ),
    "symeig": "It left PyTorch too: use linalg.eigh(A), or linalg.eigvalsh(A) without eigenvectors.",
    "while_loop": "Write a while: functions of tensors run as they are, they are not traced.",
    **dict.fromkeys(
        ("uint16", "uint32", "uint64"), "The unsigned type is uint8: use int32 or int64, which hold these numbers."
    ),
}
"""The text of the error for ``minigrad.<name>``, by name."""

_OVERRIDES = "Functions do not look for __torch_function__: call them through functions of your own."
_COMPRESSED = "There are no sparse layouts: every tensor here is dense, see minigrad.sparse."
_MASKED = "Keep the tensor and its mask side by side: minigrad.masked.mean(x, mask=mask) and its kin take both."
_PIPES = "Write an IterableDataset or a Dataset, and give it to a DataLoader."
_LDL = "Use linalg.cholesky if A is positive definite, else linalg.lu_factor, or scipy.linalg.ldl."

ABSENT_IN: dict[str, dict[str, str]] = {
    "Tensor": {
        **dict.fromkeys(
            ("ccol_indices", "col_indices", "crow_indices", "row_indices", "to_sparse_bsc", "to_sparse_bsr",
             "to_sparse_csc", "to_sparse_csr"), _COMPRESSED
        ),
        "sparse_mask": "Multiply by the mask: x * (mask != 0).",
        **dict.fromkeys(("dequantize", "int_repr", "q_scale", "q_zero_point"), "There are no quantised types."),
    },
    "hub": dict.fromkeys(("help", "list"), "Nothing is downloaded: read the repository's hubconf.py."),
    "linalg": dict.fromkeys(("ldl_factor", "ldl_factor_ex", "ldl_solve"), _LDL),
    "masked": dict.fromkeys(("MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"), _MASKED),
    "overrides": dict.fromkeys(
        ("TorchFunctionMode", "get_ignored_functions", "get_overridable_functions", "get_testing_overrides",
         "is_tensor_method_or_property", "redispatch_function", "resolve_name", "wrap_torch_function"), _OVERRIDES
    ),
    "serialization": {
        "register_package": "Give the device to load(map_location=...).",
        "skip_data": "Save what you need: save(module.state_dict(), path).",
    },
    "sparse": {
        **dict.fromkeys(("log_softmax", "softmax"), "Zeros are numbers here: use masked.softmax(x, dim, mask=x != 0)."),
        "solve": "Use linalg.solve.",
        "spdiags": "Add up diagonals: diag(diagonal, offset).",
        "as_sparse_gradcheck": "Every tensor is dense: use autograd.gradcheck.",
    },
    "utils.data": dict.fromkeys(("DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"), _PIPES),
}  # fmt: skip
"""The text of the error for names in a module, or of a tensor."""


def absent_from(module: str, name: str) -> UnknownNameError:
    """Return the error for `name`, which `module` (its full name) does not have."""
    instead = ABSENT_IN[module.partition(".")[2]].get(name, "")
    return UnknownNameError(f"module {module!r} has no attribute {name!r}" + (f". {instead}" if instead else ""))
