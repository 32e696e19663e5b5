"""minigrad: an autograd you can read in an afternoon, use like PyTorch, and watch while it runs.

>>> import minigrad as mg
>>> x = mg.tensor([1.0, 2.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4.])

This is the public interface. PyTorch's ``torch.<name>`` is ``mg.<name>``. Packages such as ``mg.nn`` are imported at
first use, so that ``import minigrad`` takes little longer than ``import numpy``.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

from . import dtypes, ops
from .backend import device, get_default_device, lookup, register_backend, set_default_device
from .core.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .core.size import Size
from .core.tensor import Tensor
from .dtypes import (
    bfloat16,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from .errors import MinigradError, UnknownNameError
from .layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    jagged,
    layout,
    memory_format,
    preserve_format,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)


def _in_a_notebook(self: Tensor) -> str:
    """Return the tensor's picture for a notebook; this imports `observe` at first use."""
    from .observe.draw.notebook import of_tensor

    return of_tensor(self)


Tensor._repr_html_ = _in_a_notebook  # type: ignore[attr-defined]

# PyTorch's other names for the element types. `bool`, `float` and `int` shadow the builtins from here on, in this file.
half, float, double = float16, float32, float64
cfloat, cdouble = complex64, complex128
short, int, long = int16, int32, int64
bool = dtypes.bool_

inf, nan, pi, e = math.inf, math.nan, math.pi, math.e
newaxis = None

PACKAGES = (
    "_C", "_dynamo", "_jit_internal", "accelerator", "amp", "autograd", "backends", "classroom", "compiler", "cuda",
    "distributed", "distributions", "errors", "events", "fft", "func", "functional", "fx", "hub", "jit", "library",
    "linalg", "masked", "multiprocessing", "nn", "observe", "onnx", "optim", "overrides", "profiler", "random",
    "serialization", "signal", "sparse", "special", "testing", "text", "torch_version", "types", "utils", "version",
)  # fmt: skip
"""Packages that are imported at first use."""

OF_LAYERS = (
    "adaptive_avg_pool1d", "adaptive_max_pool1d", "alpha_dropout", "avg_pool1d", "bilinear", "celu", "celu_",
    "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "cosine_similarity", "dropout", "feature_alpha_dropout", "group_norm", "hardshrink", "layer_norm", "max_pool1d",
    "max_pool1d_with_indices", "max_pool2d", "max_pool3d", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle",
    "prelu", "rms_norm", "rrelu", "rrelu_", "selu", "selu_", "threshold", "threshold_",
)  # fmt: skip
"""Functions of `nn.functional` that PyTorch also has at the top level."""

_SETTINGS = (
    "are_deterministic_algorithms_enabled", "get_deterministic_debug_mode", "get_float32_matmul_precision",
    "get_num_interop_threads", "get_num_threads", "is_deterministic_algorithms_warn_only_enabled",
    "is_warn_always_enabled", "set_deterministic_debug_mode", "set_float32_matmul_precision", "set_flush_denormal",
    "set_num_interop_threads", "set_num_threads", "set_warn_always", "use_deterministic_algorithms",
)  # fmt: skip
"""Functions that set or read process-wide settings."""

_CHECKS = (
    "_assert", "_assert_async", "_check", "_check_index", "_check_not_implemented", "_check_tensor_all", "_check_type",
    "_check_value",
)  # fmt: skip
"""Assertions that programs use although their names begin with an underscore."""

_AUTOCAST = (
    "get_autocast_cpu_dtype", "get_autocast_dtype", "get_autocast_gpu_dtype", "is_autocast_available",
    "is_autocast_cache_enabled", "is_autocast_cpu_enabled", "is_autocast_enabled",
)  # fmt: skip
"""Questions about mixed precision."""

_STORAGES = (
    "BFloat16Storage", "BoolStorage", "ByteStorage", "CharStorage", "ComplexDoubleStorage", "ComplexFloatStorage",
    "DoubleStorage", "FloatStorage", "HalfStorage", "IntStorage", "LongStorage", "ShortStorage",
)  # fmt: skip
"""Storage classes by dtype."""

ELSEWHERE: dict[str, str] = dict.fromkeys(OF_LAYERS, "nn.functional") | {
    "autocast": "amp",
    "GradScaler": "amp",
    **dict.fromkeys(_AUTOCAST, "amp.autocast"),
    "compile": "compiler",
    **dict.fromkeys(_SETTINGS, "settings"),
    **dict.fromkeys(("cpu", "mps", "xpu"), "other_devices"),
    "return_types": "ops.common",
    "vmap": "func",
    "sparse_coo_tensor": "sparse",
    "spmm": "sparse",
    "Tag": "tags",
    "binomial": "distributions.draws",
    "default_generator": "ops.random.generator",
    **dict.fromkeys(("TypedStorage", "UntypedStorage"), "ops.conversion.storage"),
    **dict.fromkeys(_STORAGES, "ops.conversion.storage_kinds"),
    **dict.fromkeys(_CHECKS, "checks"),
    **dict.fromkeys(("Event", "OutOfMemoryError", "Stream"), "cuda"),
    **dict.fromkeys(("gru_cell", "lstm_cell", "rnn_relu_cell", "rnn_tanh_cell"), "nn.recurrent.functions"),
    "watch": "observe",
    "explain": "observe",
    "is_anomaly_enabled": "autograd.anomaly_mode",
    "is_anomaly_check_nan_enabled": "autograd.anomaly_mode",
    "save": "utils.serialization",
    "load": "utils.serialization",
}
"""Names that are imported from other modules at first use."""


def __getattr__(name: str) -> Any:
    if name in ops.PUBLIC:
        globals()[name] = function = ops.function(name)
        return function
    if name == "__all__":  # for ``from minigrad import *``
        return sorted(name for name in {*globals(), *ops.PUBLIC} - {"annotations", "Any"} if not name.startswith("_"))
    if name == "__version__":  # asked anew each time, since a program may make minigrad its ``torch`` later
        return importlib.import_module(".torch_version", __name__).stated()
    if name in PACKAGES:
        return importlib.import_module("." + name, __name__)
    if name in ELSEWHERE:
        return getattr(importlib.import_module("." + ELSEWHERE[name], __name__), name)
    if name.startswith("_foreach_"):
        from .foreach import function

        return function(name)
    import difflib

    from .absent import ABSENT

    if name in ABSENT:
        raise UnknownNameError(f"module 'minigrad' has no attribute {name!r}. {ABSENT[name]}")
    written = not name.startswith("_")  # such names are tried by programs, which read no hint
    meant = difflib.get_close_matches(name, __dir__(), 1) if written else []
    hint = f" Did you mean {meant[0]!r}?" if meant else ""
    raise UnknownNameError(f"module 'minigrad' has no attribute {name!r}.{hint}")


def __dir__() -> list[str]:
    return sorted({*globals(), *ops.PUBLIC, *PACKAGES, *ELSEWHERE})
