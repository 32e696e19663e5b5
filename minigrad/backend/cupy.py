"""CuPy on an NVIDIA GPU. Imported only when a ``cuda`` device is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DeviceError
from .base import Backend
from .device import device
from .device_draws import DeviceDraws


def _load() -> Any:
    try:
        import cupy
    except ImportError as error:
        raise DeviceError(
            "The device 'cuda' needs CuPy, which is not installed here. On a machine with an NVIDIA GPU: "
            "pip install 'minigrad-live[gpu]' (that is cupy-cuda12x). Everything also runs on device 'cpu'."
        ) from error
    return cupy


def device_count() -> int:
    """The number of usable GPUs: 0 without CuPy or without a driver."""
    try:
        return int(_load().cuda.runtime.getDeviceCount())
    except Exception:  # a missing package, driver or GPU: no device
        return 0


class CupyBackend(Backend):
    """CuPy arrays in the memory of one GPU."""

    def __init__(self, index: int | None = None) -> None:
        cupy = _load()
        number = 0 if index is None else index
        try:
            count = int(cupy.cuda.runtime.getDeviceCount())
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise DeviceError(
                f"The device 'cuda' cannot be used: {error}. Is the NVIDIA driver installed (nvidia-smi), and is it "
                f"new enough for this CuPy? Everything also runs on device 'cpu'."
            ) from error
        if number >= count:
            raise DeviceError(f"device 'cuda:{number}' was asked for, but this machine has {count} GPU(s).")
        super().__init__(cupy, device("cuda", number), cupy.ndarray)
        self.gpu = cupy.cuda.Device(number)

    def asarray(self, data: Any, dtype: Any = None) -> Any:
        with self.gpu:
            return self.module.asarray(data, dtype=dtype)

    def from_host(self, host: Any) -> Any:
        with self.gpu:
            return self.module.asarray(host)

    def to_host(self, array: Any) -> Any:
        return self.module.asnumpy(array)

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def as_strided(self, array: Any, shape: Any, strides: Any, offset: int) -> Any:
        memory = self.module.cuda.MemoryPointer(array.data.mem, array.data.ptr - array.data.mem.ptr + offset)
        return self.module.ndarray(shape, array.dtype, memory, strides)

    def shares(self, view: Any, array: Any) -> bool:
        return view is array or view.data.mem is array.data.mem

    def scatter_add(self, target: Any, index: Any, source: Any) -> None:
        self.module.add.at(target, index, source)

    def scatter(self, name: str, target: Any, index: Any, source: Any) -> None:
        if name != "multiply":
            getattr(self.module, name).at(target, index, source)
            return
        # CuPy has no atomic product, so this runs on the host.
        host = self.to_host(target)
        np.multiply.at(host, tuple(map(self.to_host, index)), self.to_host(source))
        target[...] = self.from_host(host)

    def accumulate(self, name: str, array: Any, axis: int) -> Any:
        # CuPy's functions cannot accumulate; the few ops that need it run on the host.
        return self.from_host(getattr(np, name).accumulate(self.to_host(array), axis=axis))

    def special(self, name: str) -> Any:
        from cupyx.scipy import special

        return getattr(special, name)

    def new_generator(self, seed: int) -> Any:
        with self.gpu:
            return DeviceDraws(self.module.random.default_rng(seed), self)

    def synchronize(self) -> None:
        self.gpu.synchronize()

    def memory_allocated(self) -> int:
        with self.gpu:
            return int(self.module.get_default_memory_pool().used_bytes())
