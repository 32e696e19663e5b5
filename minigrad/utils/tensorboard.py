"""Write numbers, texts, histograms and images of a training run for TensorBoard, without its package.

A log is a file of records: a length, the bytes of a protocol buffer ``Event``, and a checksum of each. minigrad writes
it without TensorBoard's package, so that a program that logs a few numbers needs only NumPy. Graphs, embeddings, sound
and video, which few programs log, are skipped with a warning. TensorBoard can read the files.
"""

from __future__ import annotations

import os
import socket
import struct
import time
import warnings
import zlib
from collections.abc import Iterable
from typing import Any

from ..backend import CPU
from ..core.tensor import Tensor
from ..errors import ArgumentError

__all__ = ["SummaryWriter"]


# The file format ------------------------------------------------------------------------------------------------------

_POLYNOMIAL = 0x82F63B78


def _table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _table()


def _checksum(data: bytes) -> bytes:
    """Return the CRC-32C, rotated by 15 bits plus a constant, as the format requires."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + _checksum(length) + data + _checksum(data)


def _varint(number: int) -> bytes:
    number &= 2**64 - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number: int, value: int | float | str | bytes) -> bytes:
    """Encode one field of a message: an int as a varint, a float as 8 bytes, a string or a message with its length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 1) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _doubles(number: int, values: Iterable[float]) -> bytes:
    return _field(number, b"".join(struct.pack("<d", each) for each in values))


def _png(pixels: Any) -> bytes:
    """Encode an array of bytes, (height, width, 1, 3 or 4), as a PNG file."""
    height, width, channels = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    colours = {1: 0, 3: 2, 4: 6}[channels]
    head = struct.pack(">IIBBBBB", width, height, 8, colours, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


# The writer -----------------------------------------------------------------------------------------------------------


def _array(value: Any) -> Any:
    return CPU.asarray(value.detach().cpu().numpy() if isinstance(value, Tensor) else value)


class SummaryWriter:
    """Writes a log into `log_dir`, by default ``runs/DATE_HOST`` followed by `comment`.

    >>> import tempfile
    >>> with SummaryWriter(tempfile.mkdtemp()) as writer:
    ...     writer.add_scalar("loss", 0.5, global_step=1)
    """

    def __init__(
        self, log_dir: str | os.PathLike[str] | None = None, comment: str = "", purge_step: int | None = None,
        max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "",
    ) -> None:  # fmt: skip
        now = time.strftime("%b%d_%H-%M-%S")
        self.log_dir = os.fspath(log_dir) if log_dir else os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        os.makedirs(self.log_dir, exist_ok=True)
        name = f"events.out.tfevents.{time.time_ns()}.{socket.gethostname()}.{os.getpid()}{filename_suffix}"
        self._file: Any = open(os.path.join(self.log_dir, name), "ab")  # noqa: SIM115 - closed by close()
        self._parts: dict[str, SummaryWriter] = {}
        self._file.write(_record(_field(1, time.time()) + _field(3, "brain.Event:2")))

    def get_logdir(self) -> str:
        """Return the folder of the log."""
        return self.log_dir

    def _write(self, tag: str, value: bytes, step: Any, walltime: float | None) -> None:
        if self._file.closed:
            raise ArgumentError(f"this SummaryWriter is closed: {tag!r} cannot be added")
        event = _field(1, float(walltime or time.time())) + (_field(2, int(step)) if step is not None else b"")
        self._file.write(_record(event + _field(5, _field(1, _field(1, tag) + value))))

    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: Any = None, walltime: float | None = None,
        new_style: bool = False, double_precision: bool = False,
    ) -> None:  # fmt: skip
        """Log one number at a step."""
        number = struct.pack("<f", _array(scalar_value).item())
        self._write(tag, _varint(2 << 3 | 5) + number, global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: dict[str, Any], global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Log several numbers in one chart. Each gets a log in a folder of its own."""
        for tag, value in tag_scalar_dict.items():
            name = f"{main_tag.replace('/', '_')}_{tag}"
            if name not in self._parts:
                self._parts[name] = SummaryWriter(os.path.join(self.log_dir, name))
            self._parts[name].add_scalar(main_tag, value, global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None) -> None:
        """Log a text, which may be Markdown."""
        tensor = _field(1, 7) + _field(2, _field(2, _field(1, 1))) + _field(8, text_string)
        plugin = _field(9, _field(1, _field(1, "text")))
        self._write(f"{tag}/text_summary", plugin + _field(8, tensor), global_step, walltime)

    def add_histogram(
        self, tag: str, values: Any, global_step: Any = None, bins: Any = 64, walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:  # fmt: skip
        """Count the `values` in each of `bins`: a number of equal ones, or their edges."""
        array = _array(values).reshape(-1).astype("float64")
        if not array.size:
            raise ArgumentError(f"add_histogram(): {tag!r} has no values")
        counts, edges = CPU.histogram(array, bins=bins if not isinstance(bins, str) else 64)
        sums = (array.min(), array.max(), float(array.size), array.sum(), (array * array).sum())
        fields = b"".join(_field(i + 1, float(each)) for i, each in enumerate(sums))
        self._write(tag, _field(5, fields + _doubles(6, edges[1:]) + _doubles(7, counts)), global_step, walltime)

    def add_image(
        self, tag: str, img_tensor: Any, global_step: Any = None, walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:  # fmt: skip
        """Log an image: bytes, or numbers from 0 to 1, with its dimensions in the order of `dataformats`."""
        array = _array(img_tensor)
        if array.ndim != len(dataformats):
            raise ArgumentError(f"add_image(): {dataformats!r} names {len(dataformats)} dimensions, not {array.ndim}")
        order = [dataformats.upper().index(each) for each in "HWC" if each in dataformats.upper()]
        pixels = array.transpose(order).reshape(*(array.shape[i] for i in order[:2]), -1)
        if pixels.dtype.kind == "f":
            pixels = (pixels * 255.0).clip(0, 255)
        height, width, channels = pixels.shape
        png = _png(pixels.astype("uint8"))
        sizes = _field(1, height) + _field(2, width) + _field(3, channels)
        self._write(tag, _field(4, sizes + _field(4, png)), global_step, walltime)

    def add_images(
        self, tag: str, img_tensor: Any, global_step: Any = None, walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:  # fmt: skip
        """Log several images, side by side in one image."""
        array = _array(img_tensor)
        one = dataformats.replace("N", "")
        pictures = CPU.moveaxis(array, dataformats.index("N"), 0)
        self.add_image(tag, CPU.concatenate(list(pictures), axis=one.index("W")), global_step, walltime, one)

    def add_figure(
        self, tag: str, figure: Any, global_step: Any = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Log a Matplotlib figure as an image."""
        figure.canvas.draw()
        self.add_image(tag, CPU.asarray(figure.canvas.buffer_rgba()), global_step, walltime, "HWC")
        if close:
            figure.clear()

    def add_hparams(
        self, hparam_dict: dict[str, Any], metric_dict: dict[str, Any], hparam_domain_discrete: Any = None,
        run_name: str | None = None, global_step: Any = None,
    ) -> None:  # fmt: skip
        """Log hyperparameters as a text table, and metrics as numbers."""
        rows = "\n".join(f"|{name}|{value}|" for name, value in hparam_dict.items())
        self.add_text("hparams", f"|setting|value|\n|-|-|\n{rows}", global_step)
        for name, value in metric_dict.items():
            self.add_scalar(name, value, global_step)

    def _unwritten(self, what: str) -> None:
        warnings.warn(f"SummaryWriter writes no {what}: this call adds nothing to the log", UserWarning, stacklevel=3)

    def add_graph(self, model: Any, input_to_model: Any = None, *args: Any, **kwargs: Any) -> None:
        """Warn, and log nothing: `minigrad.observe.record` shows graphs, with the values in them."""
        self._unwritten("graphs (minigrad.observe.record shows them)")

    def add_embedding(self, mat: Any, *args: Any, **kwargs: Any) -> None:
        """Warn, and log nothing."""
        self._unwritten("embeddings")

    def add_audio(self, tag: str, snd_tensor: Any, *args: Any, **kwargs: Any) -> None:
        """Warn, and log nothing."""
        self._unwritten("sound")

    def add_video(self, tag: str, vid_tensor: Any, *args: Any, **kwargs: Any) -> None:
        """Warn, and log nothing."""
        self._unwritten("video")

    def flush(self) -> None:
        """Write what is still in memory to the files."""
        for each in (self, *self._parts.values()):
            if not each._file.closed:
                each._file.flush()

    def close(self) -> None:
        """Write the rest and close the files."""
        for each in (self, *self._parts.values()):
            each._file.close()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()
