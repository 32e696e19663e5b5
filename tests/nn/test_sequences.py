"""Sequences of several lengths: padded, packed, and run through recurrent layers."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

Lib = Any
LENGTHS = [2, 4, 1, 3]


def rows(lib: Lib) -> list[Any]:
    return [lib.arange(float(2 * n)).reshape(n, 2).add(n / 3).sin() for n in LENGTHS]


def rnn(lib: Lib) -> Any:
    return lib.nn.utils.rnn


def test_padding_goes_to_either_side(lib: Lib) -> None:
    vectors = [lib.tensor([1, 2, 3]), lib.tensor([4])]
    assert rnn(lib).pad_sequence(vectors).tolist() == [[1, 4], [2, 0], [3, 0]]
    assert rnn(lib).pad_sequence(vectors, True, -1, "left").tolist() == [[1, 2, 3], [-1, -1, 4]]
    with pytest.raises(RuntimeError, match="Expected padding_side to be one of left or right, but got up"):
        rnn(lib).pad_sequence(vectors, padding_side="up")
    with pytest.raises(RuntimeError, match="received an empty list of sequences"):
        rnn(lib).pad_sequence([])


@pytest.mark.parametrize("batch_first", [False, True])
def test_what_is_packed_comes_back(lib: Lib, batch_first: bool) -> None:
    padded = rnn(lib).pad_sequence(rows(lib), batch_first)
    packed = rnn(lib).pack_padded_sequence(padded, LENGTHS, batch_first, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [4, 3, 2, 1]
    assert packed.sorted_indices.tolist() == [1, 3, 0, 2] and packed.unsorted_indices.tolist() == [2, 0, 3, 1]
    assert tuple(packed.data.shape) == (10, 2)
    again, lengths = rnn(lib).pad_packed_sequence(packed, batch_first)
    assert again.tolist() == padded.tolist() and lengths.tolist() == LENGTHS
    assert str(lengths.device) == str(packed.batch_sizes.device) == "cpu"


def test_packed_sequences_become_a_list_again(lib: Lib) -> None:
    packed = rnn(lib).pack_sequence(rows(lib), enforce_sorted=False)
    for one, other in zip(rnn(lib).unpack_sequence(packed), rows(lib), strict=True):
        assert one.tolist() == other.tolist()


def test_packing_by_hand_finds_the_way_back(lib: Lib) -> None:
    packed = rnn(lib).PackedSequence(
        lib.ones(3), lib.tensor([2, 1], device="cpu"), sorted_indices=lib.tensor([2, 0, 1])
    )
    assert packed.unsorted_indices.tolist() == [1, 2, 0]
    assert packed.double().data.dtype is lib.float64


def test_a_sequence_that_needs_no_conversion_is_returned_itself(lib: Lib) -> None:
    packed = rnn(lib).pack_sequence([lib.ones(2), lib.ones(1)])
    assert packed.float() is packed and packed.to(packed.data.device) is packed
    assert packed.double() is not packed


def test_padding_may_be_longer_and_other_than_zero(lib: Lib) -> None:
    packed = rnn(lib).pack_sequence([lib.tensor([1.0, 2.0]), lib.tensor([3.0])])
    padded, _ = rnn(lib).pad_packed_sequence(packed, padding_value=-1.0, total_length=3)
    assert padded.tolist() == [[1.0, 3.0], [2.0, -1.0], [-1.0, -1.0]]
    with pytest.raises(ValueError, match="Expected total_length to be at least the length of the longest sequence"):
        rnn(lib).pad_packed_sequence(packed, total_length=1)


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ([2, 3], "must be sorted in decreasing order when `enforce_sorted` is True"),
        ([3], r"Expected `len\(lengths\)` to be equal to batch_size"),
        ([3, 0], "Length of all samples has to be greater than 0"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(lib: Lib, lengths: list[int], words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        rnn(lib).pack_padded_sequence(lib.zeros(3, 2), lengths)


@pytest.mark.parametrize(("shape", "lengths"), [((0, 2), [0, 0]), ((3, 0), []), ((3, 2, 0), [3, 2])])
def test_an_empty_tensor_is_not_packed(lib: Lib, shape: tuple[int, ...], lengths: list[int]) -> None:
    with pytest.raises(RuntimeError, match="Cannot pack empty tensors"):
        rnn(lib).pack_padded_sequence(lib.zeros(shape), lengths)


def test_a_length_past_the_end_is_refused() -> None:
    with pytest.raises(RuntimeError, match="no length above the 3 steps of the input, but found 4"):
        mg.nn.utils.rnn.pack_padded_sequence(mg.zeros(3, 2), [4, 1])


def test_gradients_go_through_packing_to_what_was_no_padding(lib: Lib) -> None:
    padded = lib.ones(3, 2, requires_grad=True)
    packed = rnn(lib).pack_padded_sequence(padded * 2, [1, 3], enforce_sorted=False)
    back, _ = rnn(lib).pad_packed_sequence(packed)
    (back * back).sum().backward()
    assert padded.grad.tolist() == [[8.0, 8.0], [0.0, 8.0], [0.0, 8.0]]


# Through layers


LAYERS: dict[str, Any] = {
    "RNN": lambda nn: nn.RNN(2, 3, num_layers=2),
    "GRU": lambda nn: nn.GRU(2, 3, bidirectional=True),
    "LSTM": lambda nn: nn.LSTM(2, 3, num_layers=2, bidirectional=True, batch_first=True),
    "projected": lambda nn: nn.LSTM(2, 3, proj_size=2),
}


pytestmark = pytest.mark.filterwarnings("ignore:LSTM with projections is not supported with oneDNN")


def like(lib: Lib, tensor: Any) -> Any:
    """0, 1, 2, ... in its shape."""
    return lib.arange(float(tensor.numel())).reshape(tuple(tensor.shape))


def parts(state: Any) -> list[Any]:
    return list(state) if isinstance(state, tuple) else [state]


@pytest.mark.parametrize("name", LAYERS)
def test_packed_sequences_go_as_each_would_alone(lib: Lib, name: str) -> None:
    layer = LAYERS[name](lib.nn)
    output, state = layer(rnn(lib).pack_sequence(rows(lib), enforce_sorted=False))
    for n, (row, found) in enumerate(zip(rows(lib), rnn(lib).unpack_sequence(output), strict=True)):
        alone, alone_state = layer(row)
        assert (alone - found).abs().max().item() < 1e-6
        for one, other in zip(parts(state), parts(alone_state), strict=True):
            assert (one[:, n] - other).abs().max().item() < 1e-6


@pytest.mark.parity
@pytest.mark.parametrize("given", [False, True], ids=["from zero", "from a state"])
@pytest.mark.parametrize("name", LAYERS)
def test_a_packed_run_and_its_gradients_are_pytorchs(name: str, given: bool) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = LAYERS[name](mg.nn), LAYERS[name](torch.nn)
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    grads = []
    for lib, layer in ((mg, ours), (torch, theirs)):
        packed = rnn(lib).pack_sequence(rows(lib), enforce_sorted=False)
        packed = rnn(lib).PackedSequence(packed.data.requires_grad_(), *packed[1:])
        output, state = layer(packed)
        start = [like(lib, each).cos().requires_grad_() for each in parts(state)]
        if given:
            output, state = layer(packed, tuple(start) if len(start) > 1 else start[0])
        (
            sum((each * each).sum() for each in parts(state)) + (output.data * like(lib, output.data).sin()).sum()
        ).backward()
        watched = [packed.data, *(start if given else []), *layer.parameters()]
        results = [each.detach() for each in (output.data, *parts(state))]
        grads.append(results + [each.grad for each in watched])
    for one, other in zip(*grads, strict=True):
        assert one.reshape(-1).tolist() == pytest.approx(other.reshape(-1).tolist(), abs=2e-5)


def test_a_packed_input_or_a_state_that_does_not_fit_is_refused() -> None:
    packed = mg.nn.utils.rnn.pack_sequence(rows(mg), enforce_sorted=False)
    with pytest.raises(
        RuntimeError, match=r"GRU expected a PackedSequence with data of shape \(..., 3\), got \[10, 2\]"
    ):
        mg.nn.GRU(3, 3)(packed)
    with pytest.raises(RuntimeError, match=r"Expected hidden size \(1, 4, 3\), got \[1, 2, 3\]"):
        mg.nn.GRU(2, 3)(packed, mg.zeros(1, 2, 3))
