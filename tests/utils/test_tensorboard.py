"""Logs for TensorBoard, read back by a reader of the published format."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.utils.tensorboard import SummaryWriter, _checksum


def records(path: Path) -> list[dict[int, list[Any]]]:
    """The events of a log file."""
    data, found = path.read_bytes(), []
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        assert data[8:12] == _checksum(data[:8])
        body, data = data[12 : 12 + length], data[12 + length :]
        assert data[:4] == _checksum(body)
        data = data[4:]
        found.append(fields(body))
    return found


def fields(data: bytes) -> dict[int, list[Any]]:
    """The fields of a message by number: ints, floats, and bytes."""
    stream, found = io.BytesIO(data), {}  # type: ignore[var-annotated]

    def varint() -> int:
        number, shift = 0, 0
        while True:
            byte = stream.read(1)[0]
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7

    while stream.tell() < len(data):
        number, kind = divmod(varint(), 8)
        if kind == 0:
            value: Any = varint()
        elif kind in (1, 5):
            value = struct.unpack("<d" if kind == 1 else "<f", stream.read(8 if kind == 1 else 4))[0]
        else:
            value = stream.read(varint())
        found.setdefault(number, []).append(value)
    return found


def values(folder: Path) -> list[tuple[str, int, dict[int, list[Any]]]]:
    """(tag, step, value) of all that one log holds."""
    (path,) = folder.glob("events.out.tfevents.*")
    events = records(path)
    assert events[0][3] == [b"brain.Event:2"]
    made = [(fields(fields(event[5][0])[1][0]), event.get(2, [0])[0]) for event in events[1:]]
    return [(value[1][0].decode(), step, value) for value, step in made]


def test_checksums_are_those_of_the_standard() -> None:
    (masked,) = struct.unpack("<I", _checksum(b"123456789"))
    turned = (masked - 0xA282EAD8) & 0xFFFFFFFF
    assert (turned << 15 | turned >> 17) & 0xFFFFFFFF == 0xE3069283


def test_numbers_texts_and_histograms_are_written(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        assert writer.get_logdir() == str(tmp_path)
        for step, loss in enumerate([mg.tensor(0.5, requires_grad=True), 2, np.float64(3.5)]):
            writer.add_scalar("loss", loss, step)
        writer.add_text("settings", "|rate|0.1|")
        writer.add_histogram("weights", mg.tensor([0.0, 1.0, 1.0, 2.0]), 4, bins=2)
        writer.add_scalars("both", {"a": 1.0, "b": 2.0}, 1)
        writer.add_hparams({"rate": 0.1}, {"accuracy": 0.75})
        writer.flush()
        *numbers, text, histogram, table, accuracy = values(tmp_path)
    assert [(tag, step, value[2]) for tag, step, value in numbers] == [
        ("loss", 0, [0.5]), ("loss", 1, [2.0]), ("loss", 2, [3.5]),
    ]  # fmt: skip
    assert (text[0], fields(text[2][8][0])[8]) == ("settings/text_summary", [b"|rate|0.1|"])
    counted = fields(histogram[2][5][0])
    assert [counted[i][0] for i in range(1, 6)] == [0.0, 2.0, 4.0, 4.0, 6.0]
    assert (np.frombuffer(counted[6][0]).tolist(), np.frombuffer(counted[7][0]).tolist()) == ([1.0, 2.0], [1.0, 3.0])
    assert b"|rate|0.1|" in fields(table[2][8][0])[8][0]
    assert (accuracy[0], accuracy[2][2]) == ("accuracy", [0.75])
    assert values(tmp_path / "both_b")[0][2][2] == [2.0]
    with pytest.raises(ValueError, match="closed"):
        writer.add_scalar("loss", 1.0)


def test_pictures_are_png_files(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("one", mg.tensor([[[0.0, 1.0, 0.5]]]))
        writer.add_images("three", mg.zeros(3, 3, 2, 4))
        with pytest.raises(ValueError, match="names 2 dimensions, not 3"):
            writer.add_image("wrong", mg.zeros(1, 2, 2), dataformats="HW")
        with pytest.warns(UserWarning, match="writes no graphs"):
            writer.add_graph(mg.nn.Linear(1, 1))
    one, three = (fields(value[4][0]) for _, _, value in values(tmp_path))
    assert (one[1], one[2], one[3]) == ([1], [3], [1])
    png = one[4][0]
    packed = png[png.index(b"IDAT") + 4 : png.index(b"IEND") - 8]
    assert zlib.decompress(packed) == bytes([0, 0, 255, 127])
    assert (three[1], three[2], three[3]) == ([2], [12], [3])
