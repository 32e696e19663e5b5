"""Saving, loading, refusing pickles, and going to PyTorch and back."""

from __future__ import annotations

import argparse
import io
import json
import pickle
import struct
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad.utils.safetensors import NAMES
from minigrad.utils.serialization import from_torch, to_torch


def net() -> Any:
    nn = mg.nn
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def test_a_state_dict_comes_back_in_its_order() -> None:
    file = io.BytesIO()
    state = {"b": mg.ones(2), "a": mg.ones(1, dtype=mg.float64), "c": mg.ones(3, dtype=mg.uint8)}
    mg.save(state, file)
    file.seek(0)
    assert list(mg.load(file)) == ["b", "a", "c"]


def test_a_state_dict_comes_back_as_it_was(tmp_path: Path) -> None:
    model, other = net(), net()
    mg.save(model.state_dict(), tmp_path / "model.safetensors")
    other.load_state_dict(mg.load(tmp_path / "model.safetensors"))
    assert other(mg.ones(1, 3)).tolist() == model(mg.ones(1, 3)).tolist()
    assert [each.name for each in tmp_path.iterdir()] == ["model.safetensors"]


@pytest.mark.parametrize("kind", NAMES.values(), ids=str)
def test_every_element_type_comes_back(kind: Any) -> None:
    file = io.BytesIO()
    tensors = {"a": mg.tensor([[1, 0, 1]]).to(kind), "none": mg.zeros(0, 2, dtype=kind), "one": mg.ones((), dtype=kind)}
    mg.save(tensors, file)
    file.seek(0)
    for name, tensor in mg.load(file).items():
        assert tensor.dtype is kind and tensor.tolist() == tensors[name].tolist()
        assert tensor.shape == tensors[name].shape


def test_a_view_is_saved_as_it_looks() -> None:
    file = io.BytesIO()
    mg.save({"t": mg.arange(6).reshape(2, 3).t()}, file)
    file.seek(0)
    assert mg.load(file)["t"].tolist() == [[0, 3], [1, 4], [2, 5]]


def test_what_is_nested_comes_back_in_its_form() -> None:
    model = net()
    optimizer = mg.optim.Adam(model.parameters())
    model(mg.ones(1, 3)).sum().backward()
    optimizer.step()
    whole = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "epoch": 3,
        "note": None,
        "lrs": [0.1, (1, True)],
    }
    file = io.BytesIO()
    mg.save(whole, file)
    file.seek(0)
    back = mg.load(file)
    assert back["epoch"] == 3 and back["note"] is None and back["lrs"] == [0.1, (1, True)]
    assert back["model"]["0.bias"].tolist() == model[0].bias.tolist()
    assert back["optimizer"]["state"][0]["step"] == 1
    other = mg.optim.Adam(net().parameters())
    other.load_state_dict(back["optimizer"])
    assert other.state_dict()["state"][3]["exp_avg"].tolist() == optimizer.state_dict()["state"][3]["exp_avg"].tolist()


def test_the_arguments_of_a_program_are_saved_beside_its_model() -> None:
    args = argparse.Namespace(lr=0.1, name="net", sizes=[2, 3], mask=mg.ones(2))
    file = io.BytesIO()
    mg.save({"args": args, "epoch": 1}, file)
    file.seek(0)
    back = mg.load(file)["args"]
    assert isinstance(back, argparse.Namespace) and (back.lr, back.name, back.sizes) == (0.1, "net", [2, 3])
    assert back.mask.tolist() == [1, 1]


def test_a_tensor_alone_can_be_saved(tmp_path: Path) -> None:
    mg.save(mg.ones(2), tmp_path / "t")
    assert mg.load(tmp_path / "t").tolist() == [1.0, 1.0]


def test_what_cannot_be_saved_is_named() -> None:
    with pytest.raises(TypeError, match=r"found Sequential at 'a'. Save a module's state_dict\(\)"):
        mg.save({"a": net()}, io.BytesIO())
    with pytest.raises(TypeError, match="keys are strings or ints"):
        mg.save({1.5: mg.ones(1)}, io.BytesIO())
    with pytest.raises(ValueError, match="no name for minigrad.complex128"):
        mg.save({"z": mg.ones(1, dtype=mg.complex128)}, io.BytesIO())


class Trap:
    """What a pickle can do."""

    def __reduce__(self) -> Any:
        return (pytest.fail, ("a pickle was loaded",))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_pickle_is_refused_with_the_reason(tmp_path: Path, protocol: int) -> None:
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps({"weight": Trap()}, protocol))
    with pytest.raises(ValueError, match="is a pickle, which minigrad does not read: loading one can run any code"):
        mg.load(path)


def test_what_torch_saves_is_refused_too(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save({"a": torch.ones(1)}, tmp_path / "model.pt")
    with pytest.raises(ValueError, match=r"Convert it where you trust it"):
        mg.load(tmp_path / "model.pt")


def damaged(header: Any, data: bytes = b"") -> io.BytesIO:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return io.BytesIO(struct.pack("<Q", len(text)) + text + data)


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
EMPTY = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (io.BytesIO(b""), "is no safetensors file"),
        (io.BytesIO(struct.pack("<Q", 1 << 62) + b"{}"), "not the length of a header"),
        (damaged(b"{not json"), "header is not JSON"),
        (damaged([1]), "header is list, not an object"),
        (damaged({"a": 3}), "lacks data_offsets"),
        (damaged({"a": {**ENTRY, "dtype": "F8_E4M3"}}, b"x" * 8), "element type 'F8_E4M3'"),
        (damaged({"a": {**ENTRY, "shape": [-2]}}, b"x" * 8), r"has the shape \[-2\]"),
        (damaged({"a": ENTRY}, b"x" * 7), "cut short or damaged"),
        (damaged({"a": ENTRY}, b"x" * 9), "1 bytes follow the last tensor"),
        (damaged({"a": ENTRY, "b": {**ENTRY, "data_offsets": [4, 12]}}, b"x" * 12), "cut short or damaged"),
        (damaged({"a": {**ENTRY, "data_offsets": [0, 4]}}, b"x" * 4), "cut short or damaged"),
        (damaged(b"[" * 100_000), "header is not JSON"),
        (damaged({"a": {**ENTRY, "dtype": ["F32"]}}, b"x" * 8), "which minigrad does not have"),
        (damaged({"a": {**EMPTY, "shape": [0, True]}}), "has the shape"),
        (damaged({"a": {**EMPTY, "shape": [0, 2**63]}}), "has the shape"),
        (damaged({"a": {**EMPTY, "shape": [0, 2**30, 2**30, 2**30]}}), "has the shape"),
        (damaged({"a": {**EMPTY, "shape": [0] * 70}}), "has the shape"),
        (damaged({"a": {**EMPTY, "data_offsets": [False, 0]}}), "lacks data_offsets"),
        (damaged({"__metadata__": {"minigrad.plan": '{"tensor": "b"}'}}), "is damaged: .*KeyError"),
        (damaged({"__metadata__": {"minigrad.plan": '{"dict": [1]}'}}), "is damaged: .*TypeError"),
        (damaged({"__metadata__": {"minigrad.plan": "[" * 100_000}}), "is damaged: .*RecursionError"),
        (damaged({"__metadata__": {"minigrad.shared": '{"a": [1]}'}}), "is damaged: .*ValueError"),
    ],
)
def test_a_damaged_file_is_said_to_be_so(file: io.BytesIO, words: str) -> None:
    file.seek(0)
    with pytest.raises(ValueError, match=words):
        mg.load(file)


def test_a_header_that_begins_like_a_pickle_is_no_pickle() -> None:
    tensors = {"x" * n: mg.ones(1) for n in range(1, 400)}
    for extra in range(400):
        file = io.BytesIO()
        mg.save({**tensors, "y" * (extra + 1): mg.ones(1)}, file)
        if file.getvalue()[:1] == b"\x80":
            file.seek(0)
            assert len(mg.load(file)) == 400
            return
    pytest.fail("no header of such a length was made")


def test_the_library_of_that_name_reads_ours_and_we_read_its(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file, save_file

    mine, its = tmp_path / "mine.safetensors", tmp_path / "its.safetensors"
    mg.save({"w": mg.arange(6.0).reshape(2, 3), "h": mg.ones(3, dtype=mg.bfloat16), "n": mg.tensor(True)}, mine)
    found = load_file(mine)
    assert found["w"].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] and found["h"].dtype == torch.bfloat16
    save_file(found, its, {"by": "the library"})
    back = mg.load(its)
    assert back["w"].tolist() == found["w"].tolist() and back["h"].dtype is mg.bfloat16 and back["n"].item() is True


def test_state_dicts_go_to_pytorch_and_back() -> None:
    torch = pytest.importorskip("torch")
    ours = net()
    theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    theirs.load_state_dict(to_torch(ours.state_dict()))
    x = [[0.5, -1.0, 2.0]]
    assert ours(mg.tensor(x)).tolist()[0] == pytest.approx(theirs(torch.tensor(x)).tolist()[0], abs=1e-6)
    with torch.no_grad():
        theirs[0].weight.fill_(0.25)
    ours.load_state_dict(from_torch(theirs.state_dict()))
    assert ours[0].weight.tolist() == [[0.25] * 3] * 4
    ours.load_state_dict(theirs.state_dict())
    kinds = to_torch({"b": mg.ones(2, dtype=mg.bfloat16), "list": [mg.tensor([1, 2])], "n": 3})
    assert kinds["b"].dtype == torch.bfloat16 and kinds["list"][0].tolist() == [1, 2] and kinds["n"] == 3
    assert from_torch(kinds)["b"].dtype is mg.bfloat16


def test_loading_takes_pytorchs_arguments(tmp_path: Path) -> None:
    mg.save([mg.ones(2)], tmp_path / "x")
    assert mg.load(tmp_path / "x", "cpu", None, weights_only=False, mmap=True, encoding="ascii")[0].tolist() == [1, 1]


def test_loading_can_place_tensors(tmp_path: Path) -> None:
    mg.save({"a": mg.ones(1)}, tmp_path / "t")
    assert mg.load(tmp_path / "t", map_location="cpu")["a"].device == "cpu"
