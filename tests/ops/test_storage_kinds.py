"""``FloatStorage`` and its kin, and shapes that are no shapes."""

from __future__ import annotations

import operator
import pickle
from typing import Any

import pytest

import minigrad as mg

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")

LIBRARIES = [pytest.param(mg, id="minigrad")]
try:
    import torch
except ImportError:
    pass
else:
    LIBRARIES.append(pytest.param(torch, id="torch", marks=pytest.mark.parity))  # type: ignore[arg-type]

KINDS = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64", "Int": "int32",
    "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool", "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}  # fmt: skip


@pytest.mark.cpu("an old constructor takes no device")
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_storage_is_made_of_a_size_or_of_elements(lib: Any, kind: str) -> None:
    made = getattr(lib, f"{kind}Storage")
    assert made(3).size() == 3 and made([1, 0, 1]).tolist() == [1, 0, 1] and len(made()) == 0
    assert str(made([1]).dtype).rpartition(".")[2] == KINDS[kind] == str(made.dtype).rpartition(".")[2]
    assert isinstance(lib.zeros(2, dtype=getattr(lib, KINDS[kind])).storage(), made)
    assert not isinstance(lib.zeros(2, dtype=lib.uint8 if kind != "Byte" else lib.int8).storage(), made)
    assert made(2).type().endswith(f".{kind}Storage")


@pytest.mark.cpu("an old constructor takes no device")
@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_tensor_looks_into_a_storage(lib: Any) -> None:
    storage = lib.FloatStorage([1.0, 2.0])
    x = lib.FloatTensor(storage)
    storage[0] = 5.0
    assert x.tolist() == [5.0, 2.0]
    assert lib.tensor([]).set_(storage).tolist() == [5.0, 2.0]
    assert storage.double().tolist() == [5.0, 2.0] and storage.cpu().tolist() == [5.0, 2.0]
    assert lib.UntypedStorage(8).nbytes() == 8 and lib.TypedStorage(3, dtype=lib.float64).nbytes() == 24
    with pytest.raises(RuntimeError, match="Too many positional arguments"):
        lib.FloatStorage(1, 2)
    with pytest.raises(TypeError, match="type not recognized"):
        lib.FloatStorage(2.5)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_shape_has_whole_numbers(lib: Any) -> None:
    for wrong, kind in (([1.5], "float"), (["a"], "str"), ([None], "NoneType"), ([[1]], "list"), ("12", "str")):
        with pytest.raises(TypeError, match=rf"Size\(\) takes an iterable of 'int' \(item 0 is '{kind}'\)"):
            lib.Size(wrong)
    with pytest.raises(TypeError, match="item 1 is 'float'"):
        lib.Size([1, 2.0])
    assert [type(each) for each in lib.Size([True, lib.tensor(2)])] == [int, int]
    shape = lib.Size([1, 2])
    with pytest.raises(TypeError, match=r"can only concatenate tuple \(not list\) to \w+.Size"):
        operator.add(shape, [3])
    with pytest.raises(TypeError, match="can only concatenate list"):
        operator.add([3], shape)
    assert operator.add((3,), shape) == (3, 1, 2) and pickle.loads(pickle.dumps(shape)) == shape
    assert isinstance(operator.add((3,), shape), lib.Size) and isinstance(shape[:1] * 2, lib.Size)
