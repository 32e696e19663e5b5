"""Where tensors are made, and what is said of two devices in one expression."""

from __future__ import annotations

import threading

import pytest

import minigrad as mg


def test_a_backend_is_found_by_its_entry_point() -> None:
    x = mg.ones(2, device="strict")
    assert x.device == mg.device("strict:0")
    assert repr(x) == "tensor([1., 1.], device='strict:0')"
    assert x.cpu().numpy().tolist() == [1.0, 1.0]


def test_a_device_that_nobody_brings_is_told_from_those_there_are() -> None:
    with pytest.raises(RuntimeError, match=r"No backend for device 'tpu'; there are: cpu, cuda, meta, strict"):
        mg.ones(1, device="tpu")


@pytest.mark.cpu("the default device is what is tested")
def test_a_default_device_holds_for_whatever_names_none() -> None:
    assert mg.get_default_device() == mg.device("cpu")
    mg.set_default_device("strict")
    made = [mg.ones(1), mg.tensor([1.0]), mg.rand(2), mg.arange(3), mg.nn.Linear(2, 2).weight, mg.as_tensor([1])]
    assert {str(each.device) for each in made} == {"strict:0"}
    assert mg.ones(1, device="cpu").device.type == "cpu"
    assert mg.ones(1, device="cpu").new_zeros(2).device.type == "cpu"
    mg.set_default_device(None)
    assert mg.ones(1).device.type == "cpu"


@pytest.mark.cpu("the default device is what is tested")
def test_a_device_is_the_default_within_its_block_and_in_its_thread() -> None:
    elsewhere = []
    with mg.device("strict"):
        assert mg.ones(1).device.type == "strict"
        with mg.device("strict:1"):
            assert str(mg.ones(1).device) == "strict:1"
        assert str(mg.ones(1).device) == "strict:0"
        thread = threading.Thread(target=lambda: elsewhere.append(mg.ones(1).device.type))
        thread.start()
        thread.join()
    assert mg.ones(1).device.type == "cpu"
    assert elsewhere == ["cpu"]


def test_tensors_of_two_devices_do_not_mix() -> None:
    a, b = mg.ones(2, device="cpu"), mg.ones(2, device="strict")
    for mixed in (lambda: a + b, lambda: mg.stack([a, b]), lambda: mg.equal(a, b), lambda: mg.allclose(a, b)):
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device.*cpu.*strict:0"):
            mixed()
    with pytest.raises(RuntimeError, match="strict:0.*strict:1"):
        b * mg.ones(2, device="strict:1")
    with pytest.raises(RuntimeError, match="Expected a 'strict:0' device type for generator but found 'cpu'"):
        mg.rand(2, device="strict", generator=mg.Generator())


def test_an_index_may_lie_on_the_cpu() -> None:
    x = mg.arange(6, device="strict").reshape(2, 3)
    assert x[mg.tensor([1], device="cpu")].tolist() == [[3, 4, 5]]
    assert x[mg.tensor([True, False], device="cpu")].tolist() == [[0, 1, 2]]


def test_a_gradient_returns_to_where_its_leaf_is() -> None:
    x = mg.ones(2, device="strict", requires_grad=True)
    (x.to("cpu") * 3).sum().backward()
    assert x.grad is not None and x.grad.device == x.device
    assert x.grad.tolist() == [3.0, 3.0]
    slopes = mg.func.vmap(mg.func.grad(lambda row: (row.to("cpu") ** 2).sum()))(mg.ones(3, 2, device="strict"))
    assert slopes.device.type == "strict"


def test_numpy_is_asked_for_by_name_only() -> None:
    x = mg.ones(2, device="strict")
    with pytest.raises(TypeError, match="can't convert strict:0 device type tensor to numpy. Use Tensor.cpu()"):
        x.numpy()
    assert x.numpy(force=True).tolist() == [1.0, 1.0]


def test_random_numbers_of_a_device_follow_the_seed() -> None:
    mg.manual_seed(3)
    first = mg.randn(4, device="strict")
    mg.manual_seed(3)
    assert mg.equal(mg.randn(4, device="strict"), first)
    assert not mg.equal(mg.randn(4, device="cpu"), first.cpu())
