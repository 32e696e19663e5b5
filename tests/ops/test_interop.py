"""NumPy, DLPack, deepcopy and pickle."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from tests.libraries import lib as lib


@pytest.mark.cpu("memory is shared with NumPy")
def test_numpy_sees_the_same_memory() -> None:
    x = mg.zeros(3)
    array = np.asarray(x)
    array[0] = 5
    assert x.tolist() == [5.0, 0.0, 0.0]
    y = mg.from_numpy(array)
    y[1] = 7
    assert array[1] == 7
    assert mg.as_tensor(array).data_ptr() == x.data_ptr()
    assert mg.tensor(array).data_ptr() != x.data_ptr()


@pytest.mark.cpu("memory is shared with NumPy")
def test_numpy_functions_work_on_tensors_without_gradient_and_advise_the_others() -> None:
    x = mg.tensor([0.0, 1.0])
    np.testing.assert_allclose(np.cos(x), [1, np.cos(1)], rtol=1e-6)
    assert np.asarray(x, dtype=np.int64).dtype == np.int64
    with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\) instead"):
        np.cos(x.requires_grad_())


def test_an_array_on_the_left_lets_the_tensor_compute() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    for result in (np.array([3.0, 4.0], np.float32) + x, np.array([3.0, 4.0], np.float32) * x, np.float32(2) * x):
        assert isinstance(result, mg.Tensor)
        assert result.requires_grad
    assert (np.array([3.0, 4.0]) - x).tolist() == [2.0, 2.0]


@pytest.mark.cpu("memory is shared with NumPy")
def test_dlpack_shares_memory_with_numpy() -> None:
    x = mg.arange(4.0)
    array = np.from_dlpack(x)
    x[0] = 9
    assert array[0] == 9
    y = mg.from_dlpack(np.arange(3.0))
    assert y.dtype is mg.float64
    with pytest.raises(TypeError, match="needs an object with __dlpack__"):
        mg.from_dlpack([1.0])


@pytest.mark.cpu("memory is shared with NumPy")
def test_a_dlpack_capsule_is_a_tensor_on_its_memory() -> None:
    x = mg.arange(4.0)
    y = mg.from_dlpack(mg.utils.dlpack.to_dlpack(x))
    y[1] = 7
    assert x.tolist() == [0, 7, 2, 3]
    assert mg.from_dlpack(np.arange(3).__dlpack__()).dtype is mg.int64


@pytest.mark.cpu("memory is that of a file")
def test_a_tensor_on_the_memory_of_a_file(lib: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "numbers")
    lib.arange(4, dtype=lib.float64).numpy().tofile(path)
    own = lib.from_file(path, size=3, dtype=lib.float64)
    own[0] = 9
    assert own.tolist() == [9, 1, 2] and np.fromfile(path).tolist() == [0, 1, 2, 3]
    shared = lib.from_file(path, shared=True, size=6, dtype=lib.float64)
    shared[5] = 8
    assert shared.tolist() == [0, 1, 2, 3, 0, 8] and np.fromfile(path).tolist() == [0, 1, 2, 3, 0, 8]
    new = lib.from_file(str(tmp_path / "new"), True, 2)
    assert new.dtype is lib.float32 and new.tolist() == [0, 0]
    assert lib.from_file(path, size=0).shape == (0,)
    with pytest.raises(RuntimeError):
        lib.from_file(path, size=7, dtype=lib.float64)


@pytest.mark.cpu("memory is shared with PyTorch on the CPU")
@pytest.mark.parity
def test_dlpack_shares_memory_with_pytorch_both_ways() -> None:
    torch = pytest.importorskip("torch")
    x = mg.arange(4.0)
    theirs = torch.from_dlpack(x)
    theirs[0] = 9
    assert x[0].item() == 9
    back = mg.from_dlpack(theirs)
    back[1] = 8
    assert x[1].item() == 8
    assert x.__dlpack_device__() == (1, 0)


def test_a_leaf_is_copied_deeply_with_its_gradient() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    twin, same = copy.deepcopy([x, x])
    assert twin is same
    assert twin is not x
    assert twin.requires_grad
    assert twin.is_leaf
    assert twin.grad.tolist() == [2.0, 4.0]
    twin.grad.zero_()
    with mg.no_grad():
        twin.zero_()
    assert x.tolist() == [1.0, 2.0]
    assert x.grad.tolist() == [2.0, 4.0]


def test_what_was_computed_is_not_copied_deeply() -> None:
    x = mg.tensor([1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)


@pytest.mark.parametrize("dtype", [mg.float32, mg.bfloat16, mg.int64, mg.bool, mg.complex64])
def test_a_tensor_survives_pickling(dtype: Any) -> None:
    x = mg.tensor([1, 0, 1]).to(dtype)
    again = pickle.loads(pickle.dumps(x))
    assert again.dtype is dtype
    assert again.tolist() == x.tolist()
    leaf = pickle.loads(pickle.dumps(mg.ones(2, requires_grad=True)))
    assert leaf.requires_grad
    assert leaf.is_leaf


def test_a_parameter_stays_a_parameter() -> None:
    weight = mg.nn.Parameter(mg.ones(2))
    for twin in (copy.deepcopy(weight), pickle.loads(pickle.dumps(weight))):
        assert type(twin) is mg.nn.Parameter
        assert twin.requires_grad


def test_types_and_sizes_survive_copying() -> None:
    assert copy.deepcopy(mg.float32) is mg.float32
    assert pickle.loads(pickle.dumps(mg.bool)) is mg.bool
    assert pickle.loads(pickle.dumps(mg.device("cuda:1"))) == mg.device("cuda:1")
    result = mg.tensor([[1.0, 2.0]]).max(1)
    assert pickle.loads(pickle.dumps(result)).values.tolist() == [2.0]


def test_a_buffer_becomes_a_tensor() -> None:
    x = mg.frombuffer(np.arange(4, dtype=np.float32).tobytes(), dtype=mg.float32, count=2, offset=4)
    assert x.tolist() == [1.0, 2.0]


def test_only_a_tensor_on_a_gpu_has_a_cuda_array_interface() -> None:
    assert not hasattr(mg.ones(1), "__cuda_array_interface__")
