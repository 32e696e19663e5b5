"""Factories and conversions: the values, types and flags that PyTorch gives."""

from __future__ import annotations

import warnings
from array import array
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity


def counted(m: Any, make: Callable[..., Any], *args: Any) -> Any:
    """What stands around and in a view that numbers were counted into."""
    whole = m.zeros(2, 3)
    assert make(*args, out=whole.narrow(1, 1, 2)).shape == (2, 2)
    return whole


MADE: dict[str, Callable[[Any], Any]] = {
    "tensor of floats": lambda m: m.tensor([1.5, 2.0]),
    "tensor of ints": lambda m: m.tensor([[1, 2], [3, 4]]),
    "tensor of both": lambda m: m.tensor([1, 2.5]),
    "tensor of bools": lambda m: m.tensor([True, False]),
    "tensor of complex": lambda m: m.tensor([1, 2j]),
    "tensor of a number": lambda m: m.tensor(3),
    "tensor of nothing": lambda m: m.tensor([]),
    "tensor of empty rows": lambda m: m.tensor([[], []]),
    "tensor of tuples": lambda m: m.tensor(((1, 2), (3, 4))),
    "tensor of NumPy doubles": lambda m: m.tensor(np.array([1.0, 2.0])),
    "tensor of NumPy halves": lambda m: m.tensor(np.array([1.0], np.float16)),
    "tensor of NumPy scalars": lambda m: m.tensor(np.float64(2.5)),
    "tensor of tensors": lambda m: m.tensor([m.tensor(1.0), m.tensor(2.0)]),
    "tensor with a type": lambda m: m.tensor([1, 2], dtype=m.float64),
    "tensor with a Python type": lambda m: m.tensor([1, 0], dtype=bool),
    "tensor with a gradient": lambda m: m.tensor([1.0], requires_grad=True),
    "as_tensor": lambda m: m.as_tensor([1.0, 2.0]),
    "as_tensor of NumPy": lambda m: m.as_tensor(np.arange(3)),
    "from_numpy": lambda m: m.from_numpy(np.arange(3, dtype=np.int16)),
    "zeros": lambda m: m.zeros(2, 3),
    "zeros of a tuple": lambda m: m.zeros((2, 3), dtype=m.int32),
    "zeros of nothing": lambda m: m.zeros(()),
    "ones": lambda m: m.ones(2, dtype=m.bool),
    "full": lambda m: m.full((2, 2), 7),
    "full of floats": lambda m: m.full((2,), 1.5),
    "full of bools": lambda m: m.full((2,), True),
    "full with a type": lambda m: m.full((2,), 1, dtype=m.float64),
    "arange": lambda m: m.arange(5),
    "arange from": lambda m: m.arange(2, 10, 3),
    "arange down": lambda m: m.arange(5, 0, -2),
    "arange of floats": lambda m: m.arange(0, 1, 0.1),
    "arange of a float": lambda m: m.arange(2.5),
    "arange with a type": lambda m: m.arange(3, dtype=m.float32),
    "arange of nothing": lambda m: m.arange(0),
    "linspace": lambda m: m.linspace(0, 1, 7),
    "linspace down": lambda m: m.linspace(3, -10, steps=6),
    "linspace of one": lambda m: m.linspace(2, 5, 1),
    "linspace of none": lambda m: m.linspace(2, 5, 0),
    "linspace double": lambda m: m.linspace(-1, 1, 11, dtype=m.float64),
    "linspace whole": lambda m: m.linspace(0, 10, 5, dtype=m.int64),
    "logspace": lambda m: m.logspace(0, 2, 3),
    "eye": lambda m: m.eye(3),
    "eye of two sizes": lambda m: m.eye(2, 3, dtype=m.int64),
    "empty": lambda m: m.empty(0, 3),
    "zeros_like": lambda m: m.zeros_like(m.ones(2, dtype=m.float64, requires_grad=True)),
    "ones_like with a type": lambda m: m.ones_like(m.ones(2), dtype=m.int8),
    "full_like": lambda m: m.full_like(m.ones(2, dtype=m.int64), 3),
    "new_tensor": lambda m: m.ones(1, dtype=m.float64).new_tensor([1, 2]),
    "new_zeros": lambda m: m.ones(1, dtype=m.float64).new_zeros(2, 2),
    "new_ones": lambda m: m.ones(1, dtype=m.int64).new_ones((2,)),
    "new_full": lambda m: m.ones(1, dtype=m.float64).new_full((2,), 3),
    "scalar_tensor": lambda m: m.scalar_tensor(3),
    "to a type": lambda m: m.ones(2).to(m.float16),
    "to another's": lambda m: m.ones(2).to(m.ones(1, dtype=m.int64)),
    "to a device and type": lambda m: m.ones(2).to("cpu", m.float64),
    "to by keywords": lambda m: m.ones(2).to(dtype=m.int32, device="cpu"),
    "type_as": lambda m: m.ones(2).type_as(m.ones(1, dtype=m.float64)),
    "double": lambda m: m.ones(2).double(),
    "bool": lambda m: m.tensor([0.0, 2.0]).bool(),
    "byte": lambda m: m.tensor([1.9, 3.1]).byte(),
    "int of negatives": lambda m: m.tensor([-1.9, 1.9]).int(),
    "float of bools": lambda m: m.tensor([True]).float(),
    "bfloat16": lambda m: m.tensor([1 / 3]).bfloat16().float(),
    "complex to real": lambda m: m.tensor([1.5, 2.5]).cfloat().cdouble(),
    "vander": lambda m: m.vander(m.tensor([1.0, 2.0, 3.0]), N=4, increasing=True),
    "sum_to_size": lambda m: m.ones(2, 3).sum_to_size(1, 3),
    "counted into a view": lambda m: counted(m, m.arange, 0, 4),
    "spaced into a view": lambda m: counted(m, m.linspace, 0, 3, 4),
    "powers into a view": lambda m: counted(m, m.logspace, 0, 3, 4, 2.0),
    "full into ints": lambda m: m.full((2,), 1.5, out=m.zeros(2, dtype=m.int64)),
    "linspace into ints": lambda m: m.linspace(0, 3, 4, out=m.zeros(4, dtype=m.int64)),
    "eye into bytes": lambda m: m.eye(2, out=m.zeros(2, 2, dtype=m.uint8)),
    "vander in order": lambda m: m.vander(m.tensor([1, 2, 3]), 3, True),
    "blocks of nothing": lambda m: m.block_diag(),
    "combinations of none": lambda m: m.combinations(m.tensor([1, 2, 3]), 0),
    "places as often as counted": lambda m: m.repeat_interleave(m.tensor([1, 0, 2]), output_size=3),
    "asarray": lambda m: m.asarray(m.ones(2, requires_grad=True) * 2),
    "asarray without a gradient": lambda m: m.asarray(m.ones(2, requires_grad=True) * 2, requires_grad=False),
    "asarray of a leaf without a gradient": lambda m: m.asarray(m.ones(2, requires_grad=True), requires_grad=False),
    "a copy by asarray": lambda m: m.asarray(m.ones(2, requires_grad=True), copy=True, requires_grad=True),
    "a range": lambda m: m.tensor(range(3)),
    "a range of a type": lambda m: m.as_tensor(range(3), dtype=m.float64),
    "a deque": lambda m: m.tensor(deque([0.5, 2.0])),
    "a deque of lists": lambda m: m.tensor(deque([[1, 2], [3, 4]])),
    "deques in a list": lambda m: m.tensor([deque([True]), deque([False])]),
    "a deque of tensors": lambda m: m.tensor(deque([m.tensor(1.0), 2])),
    "an array of Python's": lambda m: m.tensor(array("d", [1.0, 2.0])),
    "the old constructor of a range": lambda m: m.LongTensor(range(4)),
    "the old constructor of a deque": lambda m: m.Tensor(deque([1, 2])),
    "picked by a deque": lambda m: m.arange(6).reshape(3, 2)[deque([2, 0])],
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_is_what_pytorch_makes(name: str) -> None:
    make = MADE[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = make(torch)
    ours = make(mg)
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.")
    assert (ours.requires_grad, ours.is_leaf) == (theirs.requires_grad, theirs.is_leaf)
    np.testing.assert_allclose(np.asarray(ours.tolist()), np.asarray(theirs.tolist()), rtol=3e-16, atol=1e-16)


def test_the_default_type_is_what_python_floats_become() -> None:
    mg.set_default_dtype(mg.float64)
    try:
        assert mg.tensor(1.0).dtype is mg.float64
        assert mg.zeros(1).dtype is mg.float64
        assert mg.tensor(1j).dtype is mg.complex128
        assert (mg.tensor(1) / 2).dtype is mg.float64
        assert repr(mg.tensor(1.0, device="cpu")) == "tensor(1.)"
    finally:
        mg.set_default_dtype(mg.float32)


def test_types_have_limits_and_names() -> None:
    for name in ("float16", "bfloat16", "float32", "float64"):
        mine, theirs = mg.finfo(getattr(mg, name)), torch.finfo(getattr(torch, name))
        for fact in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "dtype"):
            assert getattr(mine, fact) == getattr(theirs, fact), (name, fact)
    assert (mg.iinfo(mg.int8).max, mg.iinfo(mg.int64).min) == (127, -(2**63))
    assert mg.float is mg.float32
    assert mg.long is mg.int64
    assert mg.half is mg.float16
    assert repr(mg.bool) == "minigrad.bool"


def test_result_type_and_can_cast_agree_with_pytorch() -> None:
    names = ("bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")
    for a in names:
        for b in names:
            mine = mg.promote_types(getattr(mg, a), getattr(mg, b)).name
            assert mine == str(torch.promote_types(getattr(torch, a), getattr(torch, b))).removeprefix("torch."), (a, b)
            cast = torch.can_cast(getattr(torch, a), getattr(torch, b))
            assert mg.can_cast(getattr(mg, a), getattr(mg, b)) == cast, (a, b)
    assert mg.result_type(mg.tensor([1]), 2.5) is mg.float32
    assert mg.result_type(mg.tensor([1.0], dtype=mg.float16), mg.tensor(2.0, dtype=mg.float64)) is mg.float16


@pytest.mark.cpu("it asks for the CPU")
def test_to_without_a_change_is_the_tensor_itself() -> None:
    x = mg.ones(2)
    assert x.to(mg.float32) is x
    assert x.to("cpu") is x
    assert x.float() is x
    assert x.to(mg.float32, copy=True) is not x
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        x.to(nonsense=True)


def test_out_is_written_to_and_returned() -> None:
    out = mg.zeros(2)
    assert mg.add(mg.ones(2), 1, out=out) is out
    assert out.tolist() == [2.0, 2.0]
    assert out._version == 1
    empty = mg.empty(0)
    mg.exp(mg.zeros(3), out=empty)
    assert empty.tolist() == [1.0, 1.0, 1.0]
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        mg.sum(mg.ones(2, 3), 0, out=out)
    assert out.tolist() == [2.0, 2.0, 2.0]
    values, indices = mg.empty(0), mg.empty(0, dtype=mg.int64)
    result = mg.max(mg.tensor([[1.0, 3.0]]), 1, out=(values, indices))
    assert result.values is values
    assert indices.tolist() == [1]
    with mg.no_grad():
        leaf = mg.ones(2, requires_grad=True)
        assert mg.mul(leaf, 2, out=mg.empty(2)).tolist() == [2.0, 2.0]


def test_infinities_and_nans_are_numbers_and_raise_no_warning() -> None:
    x = mg.tensor([0.0, -1.0, 1e30])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (1 / x).tolist()[0] == float("inf")
        x.log(), x.sqrt(), x * 1e30, x.exp(), x / x, (x * 1e30).sum() - float("inf"), x.double().exp().float()
        x.clone().div_(0.0), x.clone().log_(), x.clone().mul_(1e30)
        leaf = x.requires_grad_()
        leaf.sqrt().sum().backward()
    assert leaf.grad.tolist()[0] == float("inf")


def test_grids_are_made_of_vectors_of_one_type() -> None:
    for library in (mg, torch):
        for wrong in ([], [library.ones(2), library.ones(2, dtype=library.int64)], [library.ones(2, 2)]):
            with pytest.raises(RuntimeError, match="meshgrid"):
                library.meshgrid(wrong, indexing="ij")
