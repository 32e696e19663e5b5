"""Adaptive softmax beside PyTorch's, and against a plain softmax over its own log-probabilities."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

Lib = Any
TARGETS = [0, 3, 19, 7, 4, 5]


def layer(lib: Lib) -> Any:
    return lib.nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[4, 10], div_value=2.0, head_bias=True)


def inputs(lib: Lib) -> Any:
    return lib.arange(48.0).reshape(6, 8).sin()


def test_the_classes_of_all_clusters_together_are_certain(lib: Lib) -> None:
    module = layer(lib)
    log_prob = module.log_prob(inputs(lib))
    assert log_prob.exp().sum(1).tolist() == pytest.approx([1.0] * 6, abs=1e-5)
    found = module(inputs(lib), lib.tensor(TARGETS))
    assert found.output.tolist() == pytest.approx([log_prob[n, t].item() for n, t in enumerate(TARGETS)], abs=1e-5)
    assert found.loss.item() == pytest.approx(-found.output.mean().item(), abs=1e-6)
    assert module.predict(inputs(lib) * 9).tolist() == module.log_prob(inputs(lib) * 9).argmax(1).tolist()


def test_one_input_needs_no_batch(lib: Lib) -> None:
    module = layer(lib)
    found = module(inputs(lib)[2], lib.tensor(19))
    assert found.output.ndim == 0 and found.output.item() == pytest.approx(-found.loss.item())


@pytest.mark.parity
def test_results_and_gradients_are_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = layer(mg), layer(torch)
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    results = []
    for lib, module in ((mg, ours), (torch, theirs)):
        x = inputs(lib).requires_grad_()
        found = module(x, lib.tensor(TARGETS))
        found.loss.backward()
        seen = [found.output.detach(), found.loss.detach(), module.log_prob(x).detach(), x.grad]
        results.append(seen + [each.grad for each in module.parameters()])
    for one, other in zip(*results, strict=True):
        assert one.reshape(-1).tolist() == pytest.approx(other.reshape(-1).tolist(), abs=1e-5)


@pytest.mark.parametrize("cutoffs", [[], [4, 4], [10, 4], [0, 4], [4, 20]])
def test_cutoffs_must_rise_within_the_classes(lib: Lib, cutoffs: list[int]) -> None:
    with pytest.raises(ValueError, match="cutoffs should be a sequence of"):
        lib.nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs)


def test_targets_that_do_not_fit_are_refused(lib: Lib) -> None:
    module = layer(lib)
    with pytest.raises(RuntimeError, match=r"Target values should be in \[0, 19\], but values in range \[0, 20\]"):
        module(inputs(lib)[:2], lib.tensor([0, 20]))
    with pytest.raises(RuntimeError, match="same size in the batch dimension"):
        module(inputs(lib), lib.tensor([1, 2]))
    with pytest.raises(RuntimeError, match="1D target tensor expects 2D input tensors"):
        module(inputs(lib)[0], lib.tensor([1] * 8))
    with pytest.raises(RuntimeError, match="multi-target not supported"):
        module(inputs(lib), lib.tensor([[1], [2]]))
