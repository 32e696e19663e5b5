"""Part of an array out of the running program: exact, small, and honest about what is gone."""

from __future__ import annotations

import sys
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.observe import Recorder
from minigrad.observe.record import tiles

Json = dict[str, Any]


def look(tensor: mg.Tensor, **wanted: Any) -> Json:
    return tiles.tile(tensor, {"row": 0, "col": 0, **wanted})


def numbers(tile: Json) -> Any:
    return np.frombuffer(b64decode(tile["data"]), "<f8" if tile["wide"] else "<f4").reshape(tile["rows"], tile["cols"])


def test_a_tile_holds_the_very_elements() -> None:
    array = np.random.default_rng(0).standard_normal((300, 200)).astype(np.float32)
    found = look(mg.tensor(array), row=100, col=64, rows=64, cols=64)
    assert np.array_equal(numbers(found), array[100:164, 64:128])
    assert found["shape"] == [300, 200]
    assert not found["wide"]


def test_at_the_edge_it_is_smaller_and_never_larger_than_128() -> None:
    tensor = mg.zeros(300, 200)
    assert numbers(look(tensor, row=290, col=192, rows=64, cols=64)).shape == (10, 8)
    assert numbers(look(tensor, rows=10_000, cols=10_000)).shape == (128, 128)


def test_every_so_manieth_element_marks_a_nan_between_those_it_shows() -> None:
    array = np.arange(64 * 64.0, dtype=np.float32).reshape(64, 64)
    array[9, 21] = np.nan
    array[63, 63] = -np.inf
    found = look(mg.tensor(array), every=8, rows=8, cols=8)
    assert np.array_equal(numbers(found), array[::8, ::8])
    assert found["broken"] == [1 * 8 + 2, 7 * 8 + 7]
    assert "broken" not in look(mg.tensor(array))


def test_a_tile_that_stands_for_too_much_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "SEARCHED", 100)
    assert look(mg.full((64, 64), float("nan")), every=8, rows=8, cols=8)["broken"] is None


def test_leading_axes_are_chosen_and_a_vector_is_one_row() -> None:
    array = np.arange(2 * 3 * 4 * 5.0).reshape(2, 3, 4, 5)
    assert np.array_equal(numbers(look(mg.tensor(array), lead=[1, 2])), array[1, 2])
    assert np.array_equal(numbers(look(mg.arange(6.0))), np.arange(6.0)[None])
    assert numbers(look(mg.tensor(7.0))).item() == 7
    assert np.array_equal(numbers(look(mg.tensor(array).transpose(2, 3), lead=[0, 1])), array[0, 1].T)


@pytest.mark.parametrize(
    ("dtype", "wide"), [("float32", False), ("bfloat16", False), ("float64", True), ("int64", True), ("bool", True)]
)
def test_numbers_keep_all_their_digits(dtype: str, wide: bool) -> None:
    tensor = mg.tensor([[0.0, 1.0], [3.0, 1.0]]).to(getattr(mg, dtype))
    found = look(tensor, every=2)
    assert found["wide"] is wide
    assert numbers(look(tensor)).tolist() == tensor.cpu().to(mg.float64).tolist()


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"row": 5}, "no row 5"),
        ({"row": -1}, "begins at 0"),
        ({"every": 0}, "begins at 0"),
        ({"lead": [1]}, "2 axes need 0 leading indices"),
    ],
)
def test_what_the_array_does_not_have_is_refused_in_words(wanted: Json, words: str) -> None:
    with pytest.raises(IndexError, match=words):
        look(mg.zeros(4, 4), **wanted)


def test_a_recorder_answers_with_the_version_and_the_gradient_and_says_what_is_gone() -> None:
    records: list[Json] = []
    with Recorder(records.append) as recorder:
        w = mg.ones(40, 40, requires_grad=True)
        y = (w * 3).sum()
        ids = {one["name"]: one["id"] for one in _tensors(recorder, records)}

        def ask(**wanted: Any) -> Json:
            return tiles.answer(recorder, {"number": 4, "tensor": ids["w"], **wanted})

        found = ask()
        assert found["number"] == 4
        assert found["version"] == 0
        assert numbers(found)[39, 39] == 1
        assert "no .grad" in ask(of="grad")["problem"]
        y.backward()
        assert numbers(ask(of="grad"))[0, 0] == 3
        with mg.no_grad():
            w[1, 2] = 5.0
        assert ask()["version"] == 1
        assert numbers(ask())[1, 2] == 5
        assert "no row 99" in ask(row=99)["problem"]
        del w, y
        sys._getframe().f_locals  # before Python 3.13 a frame whose names were looked at remembers them
        assert ask()["problem"] == tiles.GONE
        assert tiles.answer(recorder, {"number": 1, "tensor": 10**6})["problem"] == tiles.GONE
        assert "cannot be shown" in tiles.answer(recorder, {})["problem"]


def _tensors(recorder: Recorder, records: list[Json]) -> list[Json]:
    recorder.flush()
    return [one for one in records if one["type"] == "tensor"]
