"""Rows 41 to 45: when nothing is recorded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import minigrad as mg

Lib = Any


def leaf(lib: Lib) -> Any:
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_no_grad_is_a_context_and_a_decorator_with_and_without_parentheses(lib: Lib) -> None:
    x = leaf(lib)
    with lib.no_grad():
        assert not (x * 2).requires_grad
        with lib.enable_grad():
            assert (x * 2).requires_grad

    @lib.no_grad()
    def called(t: Any) -> Any:
        return t * 2

    @lib.no_grad
    def bare(t: Any) -> Any:
        return t * 2

    assert not called(x).requires_grad and not bare(x).requires_grad and (x * 2).requires_grad


def test_factories_ignore_the_mode(lib: Lib) -> None:
    with lib.no_grad():
        assert lib.ones(1, requires_grad=True).requires_grad


def test_a_generator_has_the_mode_only_inside_its_body(lib: Lib) -> None:
    @lib.no_grad()
    def numbers() -> Iterator[bool]:
        for _ in range(2):
            yield lib.is_grad_enabled()

    assert [(inside, lib.is_grad_enabled()) for inside in numbers()] == [(False, True), (False, True)]


def test_a_decorated_generator_passes_on_what_is_sent_thrown_and_returned(lib: Lib) -> None:
    @lib.no_grad()
    def echo() -> Any:
        got = yield "first"
        try:
            yield got
        except KeyError:
            yield "caught"
        return "done"

    it = echo()
    assert next(it) == "first" and it.send(5) == 5 and it.throw(KeyError()) == "caught"
    with pytest.raises(StopIteration) as stop:
        next(it)
    assert stop.value.value == "done"


def test_a_coroutine_runs_in_the_mode() -> None:
    @mg.no_grad()  # PyTorch leaves coroutines out
    async def inside() -> bool:
        await asyncio.sleep(0)
        return mg.is_grad_enabled()

    assert asyncio.run(inside()) is False


def test_decorating_a_class_warns(lib: Lib) -> None:
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @lib.no_grad()
        class Thing:
            def __init__(self) -> None:
                self.on = lib.is_grad_enabled()

    assert Thing().on is False


def test_set_grad_enabled_is_a_call_a_context_and_a_decorator(lib: Lib) -> None:
    seen = [lib.is_grad_enabled()]
    with lib.set_grad_enabled(False):
        seen.append(lib.is_grad_enabled())
    lib.set_grad_enabled(False)
    seen.append(lib.is_grad_enabled())
    lib.set_grad_enabled(True)
    seen.append(lib.is_grad_enabled())
    assert seen == [True, False, False, True]

    @lib.set_grad_enabled(False)
    def inside() -> bool:
        return bool(lib.is_grad_enabled())

    assert lib.is_grad_enabled() and not inside() and lib.is_grad_enabled()
    assert isinstance(lib.set_grad_enabled(True).clone(), lib.set_grad_enabled)


def test_modes_are_per_thread(lib: Lib) -> None:
    seen = []
    with lib.no_grad():
        thread = threading.Thread(target=lambda: seen.append(lib.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_inference_tensors_are_for_inference_only(lib: Lib) -> None:
    x = leaf(lib)
    with lib.inference_mode():
        y = x * 2
        assert y.is_inference() and not y.requires_grad and lib.is_inference_mode_enabled()
        y.add_(1)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        x * y
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        y.add_(1)
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        y._version
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor outside InferenceMode"):
        y.requires_grad_()
    assert not y.clone().is_inference()
    with lib.inference_mode(False):
        assert (x * 2).requires_grad


@pytest.mark.parametrize(
    "turn",
    [
        lambda x: x.transpose_(0, 1),
        lambda x: x.squeeze_(),
        lambda x: x.unsqueeze_(0),
        lambda x: x.swapaxes_(0, 1),
        lambda x: x.as_strided_((2,), (1,)),
        lambda x: x.resize_(6),
        lambda x: x.zero_(),
    ],
)
def test_no_inference_tensor_is_turned_or_resized_outside(lib: Lib, turn: Any) -> None:
    with lib.inference_mode():
        x = lib.ones(1, 2, 3)
        turn(x * 1)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        turn(x)


def test_inference_mode_resizes_a_leaf(lib: Lib) -> None:
    with lib.inference_mode():
        x = lib.ones(1, 2, 3, requires_grad=True)
        assert x.resize_(1, 2).shape == (1, 2)
        assert x.resize_as_(lib.ones(2)).shape == (2,) and x.requires_grad
