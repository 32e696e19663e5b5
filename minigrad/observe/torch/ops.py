"""minigrad's ops for functions of PyTorch: one table, so that formulas, gradients and names serve both.

A function with the name of an op, apart from underscores, needs no entry: ``torch.log_softmax`` is `LogSoftmax`. A
function without entry or op keeps its own name, and has no formulas.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

from ...core.declared import REGISTRY
from ...ops import families

families()  # fills the registry by importing the ops
for late in ("minigrad.fft", "minigrad.nn"):
    import_module(late)

TABLE = {
    "linear": "Affine",
    "view reshape flatten unflatten view_as reshape_as ravel": "Reshape",
    "t T swapaxes swapdims": "Transpose",
    "mT H mH": "MatrixTranspose",
    "movedim moveaxis": "Permute",
    "expand_as broadcast_to": "Expand",
    "tile": "Repeat",
    "chunk split_with_sizes tensor_split hsplit vsplit unsafe_split": "Split",
    "concat concatenate": "Cat",
    "true_divide truediv divide": "Div",
    "subtract": "Sub",
    "multiply": "Mul",
    "negative": "Neg",
    "absolute": "Abs",
    "arcsin": "Asin",
    "arccos": "Acos",
    "arctan": "Atan",
    "clip": "Clamp",
    "bmm": "MatMul",
    "einsum tensordot": "Contract",
    "conv1d conv2d conv3d convolution": "Convolve",
    "conv_transpose1d conv_transpose2d conv_transpose3d": "Spread",
    "layer_norm batch_norm group_norm instance_norm native_layer_norm native_batch_norm rms_norm": "Normalise",
    "cross_entropy_loss": "CrossEntropy",
    "nll_loss_nd nll_loss2d": "NllLoss",
    "scaled_dot_product_attention": "Attention",
    "max_pool1d max_pool2d max_pool3d": "MaxPool",
    "max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices": "MaxPool",
    "avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d": "AvgPool",
    "lstm lstm_cell": "LSTMLayer",
    "gru gru_cell": "GRULayer",
    "rnn_tanh rnn_relu rnn_tanh_cell rnn_relu_cell": "RNNLayer",
    "to float double half bfloat16 int long type type_as": "ToCopy",
    "cpu cuda": "ToDevice",
    "norm linalg_vector_norm": "VectorNorm",
    "arctan2": "Atan2",
    "special_expit": "Sigmoid",
    "special_logit": "Logit",
    "index_select": "IndexSelect",
    "setitem": "IndexPut",
    "compiled_function": "Compiled",
}
"""Functions and their ops."""

_ours = {name.lower().strip("_"): name for name in REGISTRY}
_table = {name: op for names, op in TABLE.items() for name in names.split()}


def _getitem(args: tuple[Any, ...]) -> str:
    keys = args[1] if isinstance(args[1], tuple) else (args[1],)
    if any(hasattr(key, "shape") or isinstance(key, list) for key in keys):
        return "Index"
    return "Select" if len(keys) == 1 and type(keys[0]) is int else "Slice"


def _power(args: tuple[Any, ...]) -> str:
    return "PowTensors" if len(args) > 1 and hasattr(args[1], "shape") else "Pow"


def _along(whole: str, along: str) -> Callable[[tuple[Any, ...]], str]:
    return lambda args: along if len(args) > 1 and not hasattr(args[1], "shape") else whole


CHOSEN: dict[str, Callable[[tuple[Any, ...]], str]] = {
    "getitem": _getitem,
    "pow": _power,
    "max": _along("Max", "MaxAlong"),
    "min": _along("Min", "MinAlong"),
    "median": _along("Median", "MedianAlong"),
}
"""Functions whose op depends on their arguments."""


@lru_cache(maxsize=4096)
def bare(name: str) -> str:
    """The name without its affixes: ``__iadd__``, ``add_`` and ``add`` are the same.

    >>> bare("__iadd__"), bare("add_"), bare("_softmax"), bare("__rsub__"), bare("AddmmBackward0")
    ('add', 'add', 'softmax', 'rsub', 'addmm')
    """
    name = re.sub(r"Backward\d*$", "", name)
    dunder = re.fullmatch(r"__(.+)__", name)
    if dunder is None:
        inner = name.strip("_")
        return inner if not inner[:1].isupper() or inner in ("T", "H") else snake(inner)
    word = dunder[1]
    if word[0] in "ir" and word[1:] in OPERATORS:
        return word if word == "rsub" or word == "rpow" else word[1:]
    return word


OPERATORS = frozenset(
    ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift", "div")
)


def snake(name: str) -> str:
    """LogSoftmax becomes log_softmax."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def op_of(name: str, args: tuple[Any, ...] = ()) -> str:
    """The name of minigrad's op for a function of this name, or a new name if there is no such op.

    >>> op_of("linear"), op_of("log_softmax"), op_of("__radd__"), op_of("fancy_new_thing")
    ('Affine', 'LogSoftmax', 'Add', 'FancyNewThing')
    """
    word = bare(name)
    chosen = CHOSEN.get(word)
    if chosen is not None and args:
        return chosen(args)
    return _table.get(word) or _ours.get(word.replace("_", "")) or _camel(word)


def _camel(word: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in word.split("_"))
