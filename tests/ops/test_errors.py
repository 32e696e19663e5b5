# ruff: noqa: E501 - a table: one refusal, one line
"""What is refused, with which exception, and with the phrase that people will search for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import events
from minigrad.core.graph import Node
from minigrad.core.op import Op
from tests.libraries import lib as lib

X = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]

PYTHONS = ("unsupported operand type(s)", "required positional argument", "could not convert string to float")
"""Words of errors that Python raises by itself."""


def with_grad(x: Any) -> Any:
    """Return a leaf with a gradient."""
    leaf = x.detach().requires_grad_()
    leaf.sum().backward()
    return leaf


REFUSED: dict[str, tuple[Callable[[Any, Any], Any], Any, str]] = {
    "sum over a dimension that is not there": (lambda m, x: x.sum(2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    "sum over one dimension twice": (lambda m, x: x.sum((0, -2)), RuntimeError, "appears multiple times in the list of dims"),
    "shapes that do not broadcast": (lambda m, x: x + m.ones(2), RuntimeError, "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1"),
    "comparison of shapes that do not broadcast": (lambda m, x: m.allclose(x, m.ones(2)), RuntimeError, "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1"),
    "in place with a larger shape": (lambda m, x: m.ones(3).add_(m.ones(2, 3)), RuntimeError, "doesn't match the broadcast shape"),
    "in place with a higher type": (lambda m, x: m.ones(3, dtype=m.int64).add_(0.5), RuntimeError, "can't be cast to the desired output type"),
    "the sum of a list": (lambda m, x: m.sum([1.0, 2.0]), TypeError, "argument 'input' (position 1) must be Tensor, not list"),
    "softmax of a list, by name": (lambda m, x: m.softmax(input=[1.0], dim=0), TypeError, "argument 'input'"),
    "a layer that gives two results before one that takes one": (lambda m, x: m.nn.Tanh()((x, x)), TypeError, "must be Tensor, not tuple"),
    "sin of tensors": (lambda m, x: m.sin([x, x, x]), TypeError, "must be Tensor, not list"),
    "a product with tensors": (lambda m, x: x * (x, x), TypeError, ""),
    "gelu of tensors": (lambda m, x: m.nn.functional.gelu((x, x)), TypeError, "must be Tensor, not tuple"),
    "silu of tensors": (lambda m, x: m.nn.functional.silu((x, x)), TypeError, "must be Tensor, not tuple"),
    "addcdiv of tensors": (lambda m, x: m.addcdiv((x, x), x, x), TypeError, "must be Tensor, not tuple"),
    "relu of None": (lambda m, x: m.nn.functional.relu(None), TypeError, "argument 'input' (position 1) must be Tensor, not NoneType"),
    "a number as classes": (lambda m, x: m.nn.functional.cross_entropy(x, [0, 1]), TypeError, "(position 2) must be Tensor, not list"),
    "where of a number": (lambda m, x: m.where(1, x, x), TypeError, "where()"),
    "a number in place of a tensor to change": (lambda m, x: m.exp_(3), TypeError, "must be Tensor, not int"),
    "a string operand": (lambda m, x: x + "a", TypeError, "unsupported operand type(s) for +: 'Tensor' and 'str'"),
    "nothing as an operand": (lambda m, x: x - None, TypeError, "unsupported operand type(s) for -: 'Tensor' and 'NoneType'"),
    "a dict on the left": (lambda m, x: {} * x, TypeError, "unsupported operand type(s) for *: 'dict' and 'Tensor'"),
    "the complement of numbers": (lambda m, x: ~x, TypeError, "~ (operator.invert) is only implemented on integer and Boolean-type tensors"),
    "softmax along nothing": (lambda m, x: m.softmax(x), TypeError, "softmax() missing 1 required positional argument"),
    "log_softmax along nothing": (lambda m, x: x.log_softmax(), TypeError, "log_softmax() missing 1 required positional argument"),
    "repeated by nothing": (lambda m, x: x.repeat(), TypeError, "repeat() missing 1 required positional arguments"),
    "norm of whole numbers": (lambda m, x: m.linalg.norm(x[0].long()), RuntimeError, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "),
    "norm of a matrix of whole numbers": (lambda m, x: m.linalg.matrix_norm(x.long()), RuntimeError, "linalg.matrix_norm: Expected a floating point or complex tensor as input. Got "),
    "histogram of whole numbers": (lambda m, x: m.histc(x.long()), NotImplementedError, "not implemented for"),
    "cosines of a row and a matrix": (lambda m, x: m.nn.functional.cosine_embedding_loss(x, x[0], m.ones(2)), RuntimeError, "1D target tensor expects 2D input tensors, but found inputs with sizes [2, 3] and [3]"),
    "margins of labels without classes": (lambda m, x: m.nn.functional.multilabel_margin_loss(x[:, :0], m.ones(2).long()), RuntimeError, "Expected non-empty vector or matrix with optional 0-dim batch size, but got: [2, 0]"),
    "binary cross-entropy of another shape": (lambda m, x: m.nn.functional.binary_cross_entropy(x / 9, m.ones(3)), ValueError, "Using a target size ("),
    "features that a recurrent layer does not take": (lambda m, x: m.nn.LSTM(4, 2)(x), RuntimeError, "input.size(-1) must be equal to input_size. Expected 4, got 3"),
    "a linear layer of a scalar": (lambda m, x: m.nn.functional.linear(x.sum(), x), RuntimeError, "both arguments to linear need to be at least 1D, but they are 0D and 2D"),
    "a scalar as the weight of a linear layer": (lambda m, x: m.nn.functional.linear(x, x.sum()), RuntimeError, "both arguments to linear need to be at least 1D, but they are 2D and 0D"),
    "a module whose name is a number": (lambda m, x: m.nn.Module().add_module(1, None), TypeError, "module name should be a string. Got int"),
    "a buffer whose name is a number": (lambda m, x: m.nn.Module().register_buffer(1, x), TypeError, "buffer name should be a string. Got int"),
    "a parameter with an empty name": (lambda m, x: m.nn.Module().register_parameter("", None), KeyError, "parameter name can't be empty string"),
    "a module moved to a copy": (lambda m, x: m.nn.ReLU().to("cpu", copy=True), RuntimeError, ".to() does not accept copy argument"),
    "patches of no channels": (lambda m, x: m.nn.functional.unfold(m.ones(3, 0, 3, 4), 2), RuntimeError, "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size"),
    "patches larger than the image": (lambda m, x: m.nn.functional.unfold(m.ones(1, 2, 2), (2, 3)), RuntimeError, "Given input with spatial size (2, 2), kernel_size=(2, 3)"),
    "columns that are no patches": (lambda m, x: m.nn.functional.fold(m.ones(1, 5, 9), (4, 5), (2, 3)), RuntimeError, "Expected size of input's dimension 1 to be divisible by the product of kernel_size"),
    "samples of a grid in an unknown way": (lambda m, x: m.nn.functional.grid_sample(m.ones(1, 1, 2, 2), m.ones(1, 1, 1, 2), "cubic"), ValueError, "grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: 'cubic'"),
    "samples past the edge in an unknown way": (lambda m, x: m.nn.functional.grid_sample(m.ones(1, 1, 2, 2), m.ones(1, 1, 1, 2), padding_mode="zero"), ValueError, "grid_sample(): expected padding_mode to be 'zeros'"),
    "a grid of whole numbers": (lambda m, x: m.nn.functional.affine_grid(x[None].long(), (1, 1, 2, 2), False), ValueError, "Expected theta to have floating point type, but got "),
    "a grid of an empty image": (lambda m, x: m.nn.functional.affine_grid(x[None], (1, 0, 2, 2), False), ValueError, "Expected non-zero, positive output size. Got "),
    "a grid of a line": (lambda m, x: m.nn.functional.affine_grid(x[None, :1, :2], (1, 1, 2), False), NotImplementedError, "affine_grid only supports 4D and 5D sizes"),
    "whole numbers between which to interpolate": (lambda m, x: m.nn.functional.interpolate(x[None, None].long(), (3, 4), mode="bilinear"), NotImplementedError, " not implemented for "),
    "nearest neighbours that are whole numbers": (lambda m, x: m.nn.functional.interpolate(x[None].int(), 6), NotImplementedError, " not implemented for "),
    "a row of bytes between which to interpolate": (lambda m, x: m.nn.functional.interpolate(x[None].byte(), 6, mode="linear"), NotImplementedError, " not implemented for "),
    "an average of short integers": (lambda m, x: m.nn.functional.avg_pool2d(x[None].int(), 2), NotImplementedError, " not implemented for "),
    "an average over whole numbers, to a size": (lambda m, x: m.nn.functional.adaptive_avg_pool2d(x[None].long(), (2, 1)), NotImplementedError, " not implemented for "),
    "the largest of complex numbers": (lambda m, x: m.nn.functional.max_pool2d(x[None].cfloat(), 2), NotImplementedError, " not implemented for "),
    "a kernel larger than the image": (lambda m, x: m.nn.functional.conv2d(m.ones(1, 1, 4, 4), m.ones(1, 1, 10, 1)), RuntimeError, "Calculated padded input size per channel: (4 x 4). Kernel size: (10 x 1)"),
    "a transposed convolution with a mirrored edge": (lambda m, x: m.nn.ConvTranspose2d(1, 1, 2, padding_mode="reflect"), ValueError, 'Only "zeros" padding mode is supported for ConvTranspose2d'),
    "a triangle that is neither": (lambda m, x: m.linalg.eigh(m.eye(2), "a"), RuntimeError, "Expected UPLO argument to be 'L' or 'U', but got a"),
    "pivots that count from 0": (lambda m, x: m.linalg.lu_solve(m.eye(2), m.tensor([0, 1], dtype=m.int32), m.ones(2, 1)), RuntimeError, "must all be greater or equal to 1"),
    "pivots past the last row": (lambda m, x: m.linalg.lu_solve(m.eye(2), m.tensor([3, 1], dtype=m.int32), m.ones(2, 1)), RuntimeError, ""),
    "a chain of vectors": (lambda m, x: m.chain_matmul(x[0], x[0]), RuntimeError, "Tensor dimension is 1, expected 2 instead"),
    "a driver of a decomposition": (lambda m, x: m.linalg.svd(x, driver="gesvd"), RuntimeError, "keyword argument `driver=` is only supported on CUDA inputs"),
    "a sum of matrices of two types": (lambda m, x: m.baddbmm(x.double()[None, :, :2], x[None], x.T[None]), RuntimeError, "Input dtypes must be the same"),
    "a sum of vectors of two types": (lambda m, x: m.addmv(m.ones(2).double(), x, x[0]), RuntimeError, "addmv input tensors must have the same dtype"),
    "a sum over matrices of two types": (lambda m, x: m.addbmm(m.ones(2, 2).double(), x[None], x.T[None]), RuntimeError, "self and mat2 must have the same dtype"),
    "a matrix norm along one dimension": (lambda m, x: m.linalg.matrix_norm(x, dim=(0,)), RuntimeError, "linalg.matrix_norm: dim must be a 2-tuple. Got "),
    "a matrix norm of vectors": (lambda m, x: m.linalg.norm(x, "fro", dim=0), RuntimeError, "linalg.matrix_norm: dim must be a 2-tuple. Got "),
    "a matrix norm without a matrix": (lambda m, x: m.linalg.norm(x[0], "fro"), RuntimeError, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions"),
    "a norm along three dimensions": (lambda m, x: m.linalg.norm(x[None], 2, dim=(0, 1, 2)), RuntimeError, "linalg.norm: If dim is specified, it must be of length 1 or 2. Got [0, 1, 2]"),
    "a subscript past the letters": (lambda m, x: m.einsum(x, [52, 0]), ValueError, "einsum(): subscript in subscript list is not within the valid range [0, 52)"),
    "a spectrum of other sizes than dimensions": (lambda m, x: m.fft.fftn(x, s=(2, 3), dim=(0,)), RuntimeError, "When given, dim and shape arguments must have the same length"),
    "a spectrum of more sizes than dimensions": (lambda m, x: m.fft.fftn(x, s=(2, 3, 4)), RuntimeError, "Got shape with 3 values but input tensor only has 2 dimensions"),
    "the largest of truths": (lambda m, x: m.nn.functional.max_pool2d(x[None] > 2, 2), NotImplementedError, " not implemented for "),
    "counts of floats": (lambda m, x: m.bincount(x), NotImplementedError, "not implemented for"),
    "quantile of whole numbers": (lambda m, x: m.quantile(x.long(), 0.5), RuntimeError, "quantile() input tensor must be either float or double dtype"),
    "least squares of other rows": (lambda m, x: m.linalg.lstsq(x, m.ones(5, 1)), RuntimeError, "torch.linalg.lstsq: input.size(-2) should match other.size(-2)"),
    "products of sets that are matrices": (lambda m, x: m.cartesian_prod(x, x), RuntimeError, "Expect a 1D vector, but got shape [2, 3]"),
    "buckets between a matrix": (lambda m, x: m.bucketize(x, x), RuntimeError, "boundaries tensor must be 1 dimension, but got dim(2)"),
    "tensors that do not broadcast": (lambda m, x: m.broadcast_tensors(x, m.ones(4)), RuntimeError, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"),
    "several classes for each row": (lambda m, x: m.nn.functional.cross_entropy(x, m.zeros(2, 1).long()), RuntimeError, "0D or 1D target tensor expected, multi-target not supported"),
    "weights of other classes": (lambda m, x: m.nn.functional.cross_entropy(x, m.zeros(2).long(), m.ones(5)), RuntimeError, "weight tensor should be defined either for all 3 classes or no classes but got weight tensor of shape: [5]"),
    "weights of other classes for logarithms": (lambda m, x: m.nn.functional.nll_loss(x, m.zeros(2).long(), m.ones(2)), RuntimeError, "weight tensor should be defined either for all 3 classes or no classes but got weight tensor of shape: [2]"),
    "layer norm over a number": (lambda m, x: m.nn.functional.layer_norm(x, 3), TypeError, "argument 'normalized_shape' (position 2) must be tuple of ints, not int"),
    "a pool of one dimension": (lambda m, x: m.nn.functional.adaptive_avg_pool2d(x[0], 2), RuntimeError, "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [3]"),
    "a recurrent net of one dimension": (lambda m, x: m.nn.LSTM(3, 2)(x[0]), ValueError, "LSTM: Expected input to be 2D or 3D, got 1D instead"),
    "heads that do not divide": (lambda m, x: m.nn.MultiheadAttention(5, 2), AssertionError, "must be divisible by num_heads"),
    "padding by an unknown word": (lambda m, x: m.nn.Conv2d(3, 8, 3, padding="all"), ValueError, "Invalid padding string 'all', should be one of"),
    "the same size with steps": (lambda m, x: m.nn.Conv2d(3, 8, 3, padding="same", stride=2), ValueError, "padding='same' is not supported for strided convolutions"),
    "examples of different numbers": (lambda m, x: m.utils.data.TensorDataset(x, m.ones(3)), AssertionError, "Size mismatch between tensors"),
    "LBFGS without a closure": (lambda m, x: m.optim.LBFGS([x]).step(), TypeError, "closure"),
    "a group that is no dict": (lambda m, x: m.optim.SGD([x], 0.1).add_param_group(5), TypeError, "param_group must be a dict, but got <class 'int'>"),
    "a limit of norms that is no number": (lambda m, x: m.nn.utils.clip_grad_norm_(with_grad(x), "all"), ValueError, "could not convert string to float"),
    "a convolution into no channels": (lambda m, x: m.nn.functional.conv2d(m.ones(1, 3, 4, 4), m.ones(0, 3, 1, 1)), RuntimeError, "expected weight to be at least 1 at dimension 0, but got weight of size [0, 3, 1, 1] instead"),
    "a convolution into channels that groups do not divide": (lambda m, x: m.nn.functional.conv1d(m.ones(1, 4, 4), m.ones(3, 2, 1), groups=2), RuntimeError, "expected weight to be divisible by 2 at dimension 0"),
    "a convolution of other channels": (lambda m, x: m.nn.functional.conv1d(m.ones(1, 4, 4), m.ones(2, 3, 1)), RuntimeError, "to have 3 channels, but got 4 channels instead"),
    "a convolution with an empty kernel": (lambda m, x: m.nn.functional.conv1d(m.ones(1, 3, 4), m.ones(2, 3, 0)), RuntimeError, "kernel size should be greater than zero, but got"),
    "a bias of other channels": (lambda m, x: m.nn.functional.conv2d(m.ones(1, 1, 5, 5), m.ones(1, 1, 3, 3), m.ones(4)), RuntimeError, "Given weight of size [1, 1, 3, 3], expected bias to be 1-dimensional with 1 elements, but got bias of size [4] instead"),
    "bilinear of other sizes": (lambda m, x: m.nn.Bilinear(2, 2, 2)(x, x), RuntimeError, "bilinear(): input1 size does not match weight size: got 3 but expected 2"),
    "smoothing beyond one": (lambda m, x: m.nn.functional.cross_entropy(x, m.zeros(2).long(), label_smoothing=2.0), RuntimeError, "label_smoothing must be between 0.0 and 1.0. Got: 2"),
    "a table of one dimension": (lambda m, x: m.nn.Embedding.from_pretrained(x[0]), AssertionError, "Embeddings parameter is expected to be 2-dimensional"),
    "no datasets": (lambda m, x: m.utils.data.ConcatDataset([]), AssertionError, "datasets should not be an empty iterable"),
    "a number in a checkpoint": (lambda m, x: m.nn.Linear(1, 1).load_state_dict({"weight": 5, "bias": m.ones(1)}), RuntimeError, 'While copying the parameter named "weight", expected '),
    "a number as a transform": (lambda m, x: m.distributions.TransformedDistribution(m.distributions.Normal(0.0, 1.0), 5), ValueError, "transforms must be a Transform or "),
    "combinations of a matrix": (lambda m, x: m.combinations(x), RuntimeError, "Expect a 1D vector, but got shape [2, 3]"),
    "a chain of nothing": (lambda m, x: m.chain_matmul(), RuntimeError, "chain_matmul(): Expected one or more matrices"),
    "blocks of three dimensions": (lambda m, x: m.block_diag(m.ones(2, 2, 2)), RuntimeError, "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input 0 has 3 dimensions"),
    "batch norm without statistics": (lambda m, x: m.nn.functional.batch_norm(x, None, None), RuntimeError, "running_mean must be defined in evaluation mode"),
    "attention of two types": (lambda m, x: m.nn.functional.scaled_dot_product_attention(x, x.double(), x), RuntimeError, "Expected query, key, and value to have the same dtype, but got query.dtype: "),
    "a matrix norm of a vector": (lambda m, x: m.linalg.matrix_norm(x[0]), RuntimeError, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."),
    "parameters of no vector": (lambda m, x: m.nn.utils.vector_to_parameters(5, [x]), TypeError, "Tensor, but got: int"),
    "mean of integers": (lambda m, x: x.long().mean(), RuntimeError, "could not infer output dtype. Input dtype must be either a floating point or complex dtype"),
    "negative bools": (lambda m, x: -(x > 1), RuntimeError, "on a bool tensor is not supported"),
    "difference of bools": (lambda m, x: (x > 1) - (x > 2), RuntimeError, "with two bool tensors is not supported"),
    "integer division by zero": (lambda m, x: x.long() // 0, RuntimeError, "ZeroDivisionError"),
    "integers to negative powers": (lambda m, x: x.long() ** -1, RuntimeError, "Integers to negative integer powers are not allowed"),
    "maximum of nothing": (lambda m, x: m.zeros(0).max(), RuntimeError, ""),
    "argmax of nothing": (lambda m, x: m.zeros(2, 0).argmax(1), IndexError, "Expected reduction dim 1 to have non-zero size"),
    "topk of too many": (lambda m, x: x.topk(4), RuntimeError, "selected index k out of range"),
    "kthvalue of too many": (lambda m, x: x.kthvalue(4), RuntimeError, "selected number k out of range for dimension"),
    "clamp without bounds": (lambda m, x: x.clamp(), RuntimeError, "At least one of 'min' or 'max' must not be None"),
    "where without a condition": (lambda m, x: m.where(x, x, x), RuntimeError, "where expected condition to be a boolean tensor, but got a tensor with dtype"),
    "masked_fill with numbers": (lambda m, x: x.masked_fill(x, 0), RuntimeError, "boolean masks, but got mask with dtype"),
    "masked_fill with a vector": (lambda m, x: x.masked_fill(x > 1, m.ones(3)), RuntimeError, "only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s)."),
    "rounding mode": (lambda m, x: m.div(x, 2, rounding_mode="up"), RuntimeError, "expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'"),
    "ragged data": (lambda m, x: m.tensor([[1], [2, 3]]), ValueError, "expected sequence of length"),
    "words as data": (lambda m, x: m.tensor("abc"), TypeError, "new(): invalid data type 'str'"),
    "None as data": (lambda m, x: m.tensor([None]), RuntimeError, "Could not infer dtype of NoneType"),
    "a dict as data": (lambda m, x: m.tensor({"a": 1}), RuntimeError, "Could not infer dtype of dict"),
    "a size below zero": (lambda m, x: m.zeros(-1), RuntimeError, "imension"),
    "a gradient for integers": (lambda m, x: m.ones(2, dtype=m.int64, requires_grad=True), RuntimeError, "Only Tensors of floating point and complex dtype can require gradients"),
    "steps that never arrive": (lambda m, x: m.arange(0, 5, -1), RuntimeError, "upper bound and lower bound inconsistent with step sign"),
    "steps of nothing": (lambda m, x: m.arange(0, 5, 0), RuntimeError, "step must be nonzero"),
    "steps of NaN": (lambda m, x: m.arange(0, 5, float("nan")), RuntimeError, "step must be nonzero"),
    "steps of nothing in whole numbers": (lambda m, x: m.arange(0, 8, 0.5, out=m.zeros(0, dtype=m.int64)), ValueError, "step must be nonzero"),
    "real steps to a complex number": (lambda m, x: m.linspace(0, 1j, 3, dtype=m.float32), RuntimeError, "can't be safely cast to passed dtype"),
    "powers up to a complex number": (lambda m, x: m.logspace(0, 1j, 3, dtype=m.float64), RuntimeError, "can't be safely cast to passed dtype"),
    "zeros for another out": (lambda m, x: m.zeros(3, dtype=m.float64, out=m.zeros(3)), RuntimeError, "dtype Double does not match dtype of out parameter (Float)"),
    "steps for another out": (lambda m, x: m.arange(3, dtype=m.int32, out=m.zeros(3, dtype=m.int64)), RuntimeError, "dtype Int does not match dtype of out parameter (Long)"),
    "sizes without strides": (lambda m, x: m.empty_strided((2, 3), (1,)), RuntimeError, "dimensionality of sizes (2) must match dimensionality of strides (1)"),
    "a complex number of several": (lambda m, x: complex(x), ValueError, "only one element tensors can be converted to Python scalars"),
    "indices of fractions, unravelled": (lambda m, x: m.unravel_index(x, (9, 9)), TypeError, "expected 'indices' to be integer"),
    "assignment to indices that do not broadcast": (lambda m, x: x.__setitem__(([0, 1], [0, 1, 2]), 0), IndexError, "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]"),
    "nonzero as a tuple into a tensor": (lambda m, x: m.nonzero(x, as_tuple=True, out=m.zeros(0, 2, dtype=m.int64)), (RuntimeError, ValueError), "nonzero does not support the out kwarg when as_tuple is True"),
    "scatter from too many dimensions": (lambda m, x: x.scatter(0, m.zeros(1, 2, dtype=m.int64), m.ones(1, 2, 1)), RuntimeError, "Index tensor must have the same number of dimensions as src tensor"),
    "scatter_add from too many dimensions": (lambda m, x: x.scatter_add(0, m.zeros(1, 2, dtype=m.int64), m.ones(1, 2, 1)), RuntimeError, "Index tensor must have the same number of dimensions as src tensor"),
    "narrow from several places": (lambda m, x: x.narrow(1, m.tensor([0]), 1), RuntimeError, "start must be an 0-dim integral Tensor."),
    "narrow from a bool": (lambda m, x: x.narrow(1, m.tensor(True), 1), RuntimeError, "start must be an 0-dim integral Tensor."),
    "a split by a word": (lambda m, x: m.hsplit(x, "two"), TypeError, "hsplit()"),
    "a cross product along nothing": (lambda m, x: m.linalg.cross(x, x, dim=2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    "clamp_min of a number": (lambda m, x: m.clamp_min(2, x), TypeError, "clamp_min()"),
    "clamp_max of a number": (lambda m, x: m.clamp_max(2, 3), TypeError, "clamp_max()"),
    "rsub of a number": (lambda m, x: m.rsub(2, x), TypeError, "rsub()"),
    "ldexp of a number": (lambda m, x: m.ldexp(2, x), TypeError, "ldexp(): argument 'input' (position 1) must be Tensor, not int"),
    "a window of negative length": (lambda m, x: m.signal.windows.hann(-1), ValueError, "requires non-negative window length, got M=-1"),
    "a window of whole numbers": (lambda m, x: m.signal.windows.gaussian(3, dtype=m.int64), ValueError, "expects float32 or float64 dtypes, got: "),
    "gather into its input": (lambda m, x: m.gather(x, 1, m.zeros(2, 3, dtype=m.int64), out=x), RuntimeError, "some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "index_select into its input": (lambda m, x: m.index_select(x, 0, m.tensor([1, 0]), out=x), RuntimeError, "some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "masked_select into its input": (lambda m, x: m.masked_select(x[0], x[0] > 1, out=x[0]), RuntimeError, "some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "a cross product into its input": (lambda m, x: m.linalg.cross(x, x + 1, out=x), RuntimeError, "some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "scatter_ of a tensor over itself": (lambda m, x: x.scatter_(1, m.zeros(2, 3, dtype=m.int64), x), RuntimeError, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "scatter_add_ of a tensor onto itself": (lambda m, x: x.scatter_add_(1, m.zeros(2, 3, dtype=m.int64), x), RuntimeError, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "scatter_ by its own indices": (lambda m, x: [i := m.tensor([1, 0]), i.scatter_(0, i, i.clone())], RuntimeError, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "index_add_ by its own indices": (lambda m, x: [i := m.tensor([1, 0]), i.index_add_(0, i, i.clone())], RuntimeError, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "index_copy_ of a tensor onto itself": (lambda m, x: x.index_copy_(0, m.tensor([1, 0]), x), RuntimeError, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "index_fill_ by its own indices": (lambda m, x: [i := m.tensor([1, 0]), i.index_fill_(0, i, 7)], RuntimeError, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "put_ of a tensor onto itself": (lambda m, x: x[0].put_(m.tensor([2, 1, 0]), x[0]), RuntimeError, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "rows assigned to themselves": (lambda m, x: x.__setitem__([1, 0], x), RuntimeError, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location"),
    "a vector as alpha": (lambda m, x: m.add(x, x, alpha=m.ones(3)), TypeError, "add(): argument 'alpha' must be Number, not Tensor"),
    "a vector as value": (lambda m, x: m.addcmul(x, x, x, value=m.ones(3)), TypeError, "addcmul(): argument 'value' must be Number, not Tensor"),
    "a vector of one as value": (lambda m, x: m.addcdiv(x, x, x, value=m.ones(1)), TypeError, "addcdiv(): argument 'value' must be Number, not Tensor"),
    "uniform up to infinity": (lambda m, x: x.uniform_(0, float("inf")), RuntimeError, "to is out of bounds for float"),
    "uniform from NaN": (lambda m, x: x.uniform_(float("nan"), 1), RuntimeError, "from is out of bounds for float"),
    "uniform over too wide a range": (lambda m, x: x.uniform_(-3e38, 3e38), RuntimeError, "uniform_"),
    "from_numpy of a list": (lambda m, x: m.from_numpy([1]), TypeError, "expected np.ndarray (got list)"),
    "from_numpy of words": (lambda m, x: m.from_numpy(np.array(["a"])), TypeError, ""),
    "out of a tensor with a gradient": (lambda m, x: m.add(x.requires_grad_(), 1, out=m.zeros(2, 3)), RuntimeError, "add(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."),
    "out of the wrong type": (lambda m, x: m.add(x, 1, out=m.zeros(2, 3, dtype=m.int64)), RuntimeError, "can't be cast to the desired output type"),
    "imag of real": (lambda m, x: x.imag, RuntimeError, "imag is not implemented for tensors with non-complex dtypes."),
    "view_as_complex of triples": (lambda m, x: m.view_as_complex(x), RuntimeError, "Tensor must have a last dimension of size 2"),
    "view_as_complex of a number": (lambda m, x: m.view_as_complex(x[0, 0]), RuntimeError, "Input tensor must have one or more dimensions"),
    "view_as_complex across": (lambda m, x: m.view_as_complex(x[:, ::2]), RuntimeError, "Tensor must have a last dimension with stride 1"),
    "view_as_complex of odd rows": (lambda m, x: m.view_as_complex(x[:, :2]), RuntimeError, "Tensor must have a stride divisible by 2 for all but last dimension"),
    "view_as_complex from the middle": (lambda m, x: m.view_as_complex(x[0, 1:]), RuntimeError, "Tensor must have a storage_offset divisible by 2"),
    "bytes of a number": (lambda m, x: x[0, 0].view(m.uint8), RuntimeError, "self.dim() cannot be 0 to view Float as Byte (different element sizes)"),
    "bytes across": (lambda m, x: x.t().view(m.uint8), RuntimeError, "self.stride(-1) must be 1 to view Float as Byte (different element sizes), but got 3"),
    "doubles of three floats": (lambda m, x: x.view(m.float64), RuntimeError, "self.size(-1) must be divisible by 2 to view Float as Double (different element sizes), but got 3"),
    "doubles of odd rows": (lambda m, x: x[:, :2].view(m.float64), RuntimeError, "self.stride(0) must be divisible by 2 to view Float as Double (different element sizes), but got 3"),
    "doubles from the middle": (lambda m, x: x[0, 1:].view(m.float64), RuntimeError, "self.storage_offset() must be divisible by 2 to view Float as Double (different element sizes), but got 1"),
    "bernoulli of 2": (lambda m, x: m.bernoulli(x), RuntimeError, "Expected p_in >= 0 && p_in <= 1 to be true, but got false"),
    "multinomial of nothing": (lambda m, x: m.multinomial(x * 0, 1), RuntimeError, "invalid multinomial distribution (sum of probabilities <= 0)"),
    "multinomial of too many": (lambda m, x: m.multinomial(x, 4), RuntimeError, "cannot sample n_sample > prob_dist.size(-1) samples without replacement"),
    "random integers from nowhere": (lambda m, x: m.randint(3, 3, (2,)), RuntimeError, "to be less than"),
    "normal of negative width": (lambda m, x: x.normal_(0, -1), RuntimeError, "normal expects std >= 0.0, but found std -1"),
    "quantile of 2": (lambda m, x: x.quantile(2.0), RuntimeError, "must be in the range [0, 1]"),
    "bits of floats": (lambda m, x: x & x, RuntimeError, "not implemented for"),
    "NumPy on a leaf": (lambda m, x: np.sin(x.requires_grad_()), RuntimeError, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."),
    "dlpack of a leaf": (lambda m, x: np.from_dlpack(x.requires_grad_()), (RuntimeError, BufferError), "Can't export tensors that require gradient, use tensor.detach()"),
    "truth of many": (lambda m, x: bool(x), RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    "item of many": (lambda m, x: x.item(), RuntimeError, "a Tensor with 6 elements cannot be converted to Scalar"),
    "a default type of integers": (lambda m, x: m.set_default_dtype(m.int64), TypeError, "only floating-point types are supported as the default type"),
    "bincount of a matrix": (lambda m, x: m.bincount(x.long()), RuntimeError, "bincount only supports 1-d non-negative integral inputs."),
    "var of integers": (lambda m, x: x.long().var(), RuntimeError, "only support floating point and complex dtypes"),
}  # fmt: skip


FACTORS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda lib, x, v: lib.add(x, x, alpha=v),
    "add_": lambda lib, x, v: x.add_(x, alpha=v),
    "sub": lambda lib, x, v: lib.sub(x, x, alpha=v),
    "addcmul": lambda lib, x, v: lib.addcmul(x, x, x, value=v),
    "addcdiv": lambda lib, x, v: lib.addcdiv(x, x, x, value=v),
    "addcdiv_": lambda lib, x, v: x.addcdiv_(x, x, value=v),
    "addmm": lambda lib, x, v: lib.addmm(x, x, x, beta=v),
    "addmv": lambda lib, x, v: lib.addmv(x[0], x, x[0], alpha=v),
    "addr": lambda lib, x, v: lib.addr(x, x[0], x[0], alpha=v),
    "baddbmm": lambda lib, x, v: lib.baddbmm(x[None], x[None], x[None], beta=v),
    "index_add": lambda lib, x, v: x.index_add(0, lib.tensor([0]), x[:1], alpha=v),
}


@pytest.mark.parametrize("name", FACTORS)
def test_a_factor_whose_gradient_would_be_lost_is_refused(lib: Any, name: str) -> None:
    call = FACTORS[name]
    x = lib.ones(2, 2)
    assert call(lib, x.clone(), lib.tensor(0.5)).tolist() == call(lib, x.clone(), 0.5).tolist()
    with pytest.raises(TypeError, match=r"must be Number, not Tensor|invalid combination of arguments"):
        call(lib, x.clone(), lib.tensor(0.5, requires_grad=True))


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_words(name: str) -> None:
    call, kind, phrase = REFUSED[name]
    with pytest.raises(kind) as caught:
        call(mg, mg.tensor(X))
    assert phrase in str(caught.value)
    ours = isinstance(caught.value, mg.MinigradError) or any(words in str(caught.value) for words in PYTHONS)
    assert ours, f"{type(caught.value).__name__} is none of ours"


def test_an_op_or_a_node_that_says_too_little_is_told_what_to_write() -> None:
    class Nothing(Op, abstract=True):
        pass

    class Mute(Node):
        pass

    with pytest.raises(mg.MinigradError, match=r"Nothing does not say what it computes: write forward\(self, xp, "):
        Nothing()(mg.tensor(X))
    with pytest.raises(
        mg.MinigradError, match=r"Mute does not say the gradients of its inputs: write run\(self, grad, unasked\)"
    ):
        Mute().run(mg.tensor(X))


@pytest.mark.parity
@pytest.mark.parametrize("name", REFUSED)
def test_pytorch_refuses_it_likewise(name: str) -> None:
    torch = pytest.importorskip("torch")
    call, kind, phrase = REFUSED[name]
    with pytest.raises(kind) as caught:
        call(torch, torch.tensor(X))
    if phrase:
        assert re.sub(r"[^a-z]", "", phrase.lower())[:20] in re.sub(r"[^a-z]", "", str(caught.value).lower())


def test_an_error_is_said_without_an_op_that_a_picture_would_show() -> None:
    ran: list[Any] = []
    layer, row, double = mg.nn.Linear(9, 2), mg.randn(5, 8), mg.randn(5, 9).double()
    for given, words in ((row, "5x8 and 9x2"), (double, "same dtype")):
        with events.listening(ran.append), pytest.raises(RuntimeError, match=words):
            layer(given)
    assert [each for each in ran if isinstance(each, events.NodeRecorded)] == []
