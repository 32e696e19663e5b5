"""The safetensors format: eight bytes with the length of the header, the header in JSON, and the elements.

    8 bytes   little-endian n
    n bytes   {"weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ..., "__metadata__": {...}}
    the rest  elements, row by row, little-endian; offsets count from here

Such a file holds no code that could run. minigrad does not use the library of that name: the format needs one screen of
code, the library's interface to NumPy has no bfloat16, and saving needs no package beyond NumPy. If the library is
installed, tests check that each reads the other's files.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

from .. import dtypes
from ..backend import CPU
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.factories import from_numpy

NAMES = {
    "BOOL": dtypes.bool_,
    "U8": dtypes.uint8,
    "I8": dtypes.int8,
    "I16": dtypes.int16,
    "I32": dtypes.int32,
    "I64": dtypes.int64,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "F32": dtypes.float32,
    "F64": dtypes.float64,
    "C64": dtypes.complex64,
}
"""The format's names of dtypes; it has none for complex128."""

METADATA = "__metadata__"
LARGEST_HEADER = 100_000_000
ALIGNMENT = 8


def encode(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> list[bytes]:
    """Return the parts of a file with these tensors and metadata, to be written one after another."""
    names = {kind: name for name, kind in NAMES.items()}
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    header.update(dict.fromkeys(tensors))  # in their order, in which `decode` returns them
    parts, start = [], 0
    for path in sorted(tensors, key=lambda path: (-tensors[path].itemsize, path)):  # so that each tensor is aligned
        tensor = tensors[path]
        if tensor.dtype not in names:
            raise ArgumentError(
                f"safetensors has no name for {tensor.dtype} ('{path}'): save its real and imaginary parts instead"
            )
        data = tensor._backend.to_host(tensor._array).tobytes()
        place = [start, start + len(data)]
        header[path] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape), "data_offsets": place}
        parts.append(data)
        start = place[1]
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return [struct.pack("<Q", len(text)), text, *parts]


def decode(raw: bytes, where: Any = "it") -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors and the metadata in the content of a file. ArgumentError if it is damaged."""
    header, start = _header(raw, where)
    metadata = header.pop(METADATA, {})
    room = len(raw) - start
    tensors = {}
    taken = 0
    for path, entry in sorted(header.items(), key=lambda item: _offsets(item[1], where)):
        first, last = _offsets(entry, where)
        kind, shape = NAMES.get(str(entry.get("dtype"))), entry.get("shape")
        if kind is None:
            raise ArgumentError(
                f"{where}: '{path}' has element type {entry.get('dtype')!r}, which minigrad does not have"
            )
        if not isinstance(shape, list) or not all(type(size) is int and 0 <= size < 2**31 for size in shape):
            raise ArgumentError(f"{where}: '{path}' has the shape {shape!r}")
        count = math.prod(shape)
        if first != taken or last > room or last - first != count * kind.itemsize:
            raise ArgumentError(
                f"{where} is cut short or damaged: '{path}' needs {count * kind.itemsize} bytes from {taken}, "
                f"its header says {first} to {last}, and there are {room}"
            )
        taken = last
        array = CPU.frombuffer(raw, kind.numpy, count, start + first) if count else CPU.empty(0, kind.numpy)
        try:
            tensors[path] = from_numpy(array.reshape(shape).copy())
        except ValueError as error:  # more dimensions than NumPy supports, or huge sizes next to a 0
            raise ArgumentError(f"{where}: '{path}' has the shape {shape!r}: {error}") from None
    if taken != room:
        raise ArgumentError(f"{where} is damaged: {room - taken} bytes follow the last tensor")
    return {path: tensors[path] for path in header}, metadata


def _header(raw: bytes, where: Any) -> tuple[dict[str, Any], int]:
    """Return the header, and the position of the first element."""
    size = struct.unpack("<Q", raw[:8])[0] if len(raw) >= 8 else -1
    if not 0 <= size <= min(len(raw) - 8, LARGEST_HEADER):
        raise ArgumentError(f"{where} is no safetensors file: its first eight bytes are not the length of a header")
    try:
        header = json.loads(raw[8 : 8 + size])
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"{where} is no safetensors file: its header is not JSON ({error})") from None
    if not isinstance(header, dict):
        raise ArgumentError(f"{where} is no safetensors file: its header is {type(header).__name__}, not an object")
    return header, 8 + size


def _offsets(entry: Any, where: Any) -> tuple[int, int]:
    place = entry.get("data_offsets") if isinstance(entry, dict) else None
    if not (isinstance(place, list) and len(place) == 2 and all(type(each) is int for each in place)):
        raise ArgumentError(f"{where} is no safetensors file: an entry of its header lacks data_offsets")
    return place[0], place[1]
