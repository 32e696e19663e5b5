"""The IDX format of MNIST and similar datasets, to read a local copy.

A file begins with two zero bytes, a byte for the dtype, a byte for the number of dimensions, and each size as a
big-endian 32-bit integer; the elements follow, big-endian, row by row.
"""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

from ...backend import CPU
from ...core.tensor import Tensor
from ...errors import ArgumentError
from ...ops.create.factories import from_numpy

_KINDS = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(path: Any) -> Tensor:
    """Return the tensor in an IDX file, which may be gzipped. ArgumentError if the file is not valid."""
    raw = Path(path).read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    if len(raw) < 4 or raw[:2] != b"\0\0" or raw[2] not in _KINDS:
        raise ArgumentError(
            f"{path} is no IDX file: it begins with {raw[:4].hex(' ')}, expected 00 00 <type> <dimensions>"
        )
    dimensions = raw[3]
    start = 4 + 4 * dimensions
    shape = struct.unpack(f">{dimensions}I", raw[4:start]) if len(raw) >= start else ()
    kind = CPU.dtype(_KINDS[raw[2]])
    count = 1
    for size in shape:
        count *= size
    if len(shape) != dimensions or len(raw) - start != count * kind.itemsize:
        raise ArgumentError(
            f"{path} is cut short or damaged: its header promises {list(shape)} elements of {kind.itemsize} bytes, "
            f"and {max(len(raw) - start, 0)} bytes follow"
        )
    array = CPU.frombuffer(raw, kind, count, start).reshape(shape)
    return from_numpy(array.astype(kind.newbyteorder("=")))
