"""Row 74: computing again instead of remembering."""

from __future__ import annotations

import functools
from typing import Any

import pytest

Lib = Any


@pytest.fixture
def checkpoint(lib: Lib) -> Any:
    import importlib

    return importlib.import_module(f"{lib.__name__}.utils.checkpoint")


def leaf(lib: Lib) -> Any:
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_region_runs_twice_and_gives_the_same_gradient(lib: Lib, checkpoint: Any, reentrant: bool) -> None:
    runs = []

    def region(x: Any) -> Any:
        runs.append(1)
        return (x * 2).exp().tanh()

    x, y = leaf(lib), leaf(lib)
    checkpoint.checkpoint(region, x, use_reentrant=reentrant).sum().backward()
    assert len(runs) == 2
    region(y).sum().backward()
    assert x.grad.tolist() == y.grad.tolist()


def test_the_kind_should_be_said(lib: Lib, checkpoint: Any) -> None:
    with pytest.warns(UserWarning, match="the use_reentrant parameter should be passed explicitly"):
        checkpoint.checkpoint(lambda x: x * 2, leaf(lib))


def test_the_reentrant_kind_does_not_serve_grad(lib: Lib, checkpoint: Any) -> None:
    x = leaf(lib)
    y = checkpoint.checkpoint(lambda x: x.exp(), x, use_reentrant=True)
    with pytest.raises(
        RuntimeError, match="checkpoint is incompatible with .grad\\(\\) or passing an `inputs` parameter"
    ):
        lib.autograd.grad(y.sum(), x)


def test_random_numbers_come_out_the_same(lib: Lib, checkpoint: Any) -> None:
    seen = []

    def region(x: Any) -> Any:
        noise = lib.rand(3)
        seen.append(noise.tolist())
        return (x * noise).exp().exp()

    x = leaf(lib)
    y = checkpoint.checkpoint(region, x, use_reentrant=False)
    lib.rand(5)
    y.sum().backward()
    assert seen[0] == seen[1]


def test_the_second_run_stops_early(lib: Lib, checkpoint: Any) -> None:
    reached = []

    def region(x: Any) -> Any:
        y = x.exp()
        reached.append("middle")
        z = y + 1
        reached.append("end")
        return z

    checkpoint.checkpoint(region, leaf(lib), use_reentrant=False).sum().backward()
    assert reached == ["middle", "end"]
    reached.clear()
    with checkpoint.set_checkpoint_early_stop(False):
        y = checkpoint.checkpoint(region, leaf(lib), use_reentrant=False)
    y.sum().backward()
    assert reached == ["middle", "end", "middle", "end"]


def test_a_region_that_behaves_differently_is_found(lib: Lib, checkpoint: Any) -> None:
    runs = []

    def region(x: Any) -> Any:
        runs.append(1)
        return x.exp() if len(runs) == 1 else (x[:1] * 1).exp()

    y = checkpoint.checkpoint(region, leaf(lib), use_reentrant=False)
    with pytest.raises(checkpoint.CheckpointError, match="have different metadata than during the forward pass"):
        y.sum().backward()


def test_checkpoints_nest(lib: Lib, checkpoint: Any) -> None:
    runs = []

    def inner(x: Any) -> Any:
        runs.append("inner")
        return x.exp().sin()

    def outer(x: Any) -> Any:
        runs.append("outer")
        return checkpoint.checkpoint(inner, x.tanh(), use_reentrant=False).cos()

    x, y = leaf(lib), leaf(lib)
    checkpoint.checkpoint(outer, x, use_reentrant=False).sum().backward()
    y.tanh().exp().sin().cos().sum().backward()
    assert lib.allclose(x.grad, y.grad)
    assert runs[:2] == ["outer", "inner"] and 4 <= len(runs) <= 5


def test_higher_order_goes_through_the_recording_kind(lib: Lib, checkpoint: Any) -> None:
    x = leaf(lib)
    y = checkpoint.checkpoint(lambda x: x**3, x, use_reentrant=False)
    (grad,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    assert lib.allclose(grad, 3 * x**2)


def test_a_sequence_is_checkpointed_in_segments(lib: Lib, checkpoint: Any) -> None:
    steps = [lib.tanh, lib.exp, lib.sin, lib.cos]
    x, y = leaf(lib), leaf(lib)
    checkpoint.checkpoint_sequential(steps, 2, x, use_reentrant=False).sum().backward()
    y.tanh().exp().sin().cos().sum().backward()
    assert lib.allclose(x.grad, y.grad)


def test_contexts_surround_both_runs(lib: Lib, checkpoint: Any) -> None:
    entered = []

    class Note:
        def __init__(self, name: str) -> None:
            self.name = name

        def __enter__(self) -> None:
            entered.append(self.name)

        def __exit__(self, *exception: Any) -> None:
            pass

    checkpoint.checkpoint(
        lambda x: x.exp(), leaf(lib), use_reentrant=False, context_fn=lambda: (Note("first"), Note("second"))
    ).sum().backward()
    assert entered == ["first", "second"]


def test_a_policy_says_what_is_kept() -> None:
    import minigrad as mg
    from minigrad.ops.elementwise.exponential import Exp
    from minigrad.utils import checkpoint

    computed = []

    exp: Any = Exp

    class Counted(exp, abstract=True):  # type: ignore[call-arg]
        def forward(self, xp: Any, x: Any) -> Any:
            computed.append("exp")
            return xp.exp(x)

    def region(x: Any) -> Any:
        return Counted()(Counted()(x).sin())

    x, y = leaf(mg), leaf(mg)
    contexts = checkpoint.create_selective_checkpoint_contexts
    out = checkpoint.checkpoint(region, x, use_reentrant=False, context_fn=lambda: contexts([Counted]))
    out.sum().backward()
    assert computed == ["exp", "exp"]
    region(y).sum().backward()
    assert mg.allclose(x.grad, y.grad)


@pytest.mark.parametrize("reentrant", [True, False])
def test_integers_may_come_before_the_input_that_needs_a_gradient(lib: Lib, checkpoint: Any, reentrant: bool) -> None:
    rows = leaf(lib)
    picked = checkpoint.checkpoint(
        lambda index, table: table[index].exp(), lib.tensor([2, 0]), rows, use_reentrant=reentrant
    )
    picked.sum().backward()
    assert rows.grad[1] == 0 and rows.grad[0] > 2


def doubled_in_place(x: Any) -> Any:
    return x.sin().mul_(2).cos().exp()


def test_a_kept_result_that_was_changed_in_place_is_found(lib: Lib, checkpoint: Any) -> None:
    keep_sine = [lib.ops.aten.sin.default]
    contexts = functools.partial(checkpoint.create_selective_checkpoint_contexts, keep_sine)
    out = checkpoint.checkpoint(doubled_in_place, leaf(lib), use_reentrant=False, context_fn=contexts)
    with pytest.raises(RuntimeError, match="cached during selective activation checkpoint has been mutated"):
        out.sum().backward()


def test_a_change_of_a_kept_result_can_be_allowed(lib: Lib, checkpoint: Any) -> None:
    x = leaf(lib)
    contexts = functools.partial(
        checkpoint.create_selective_checkpoint_contexts, [lib.ops.aten.cos.default], allow_cache_entry_mutation=True
    )
    checkpoint.checkpoint(doubled_in_place, x, use_reentrant=False, context_fn=contexts).sum().backward()
    assert x.grad.abs().sum() > 0


def test_ops_to_keep_are_named_with_their_overload(lib: Lib, checkpoint: Any) -> None:
    with pytest.raises(ValueError, match="update the OpOverloadPacket to a specific OpOverload"):
        checkpoint.create_selective_checkpoint_contexts([lib.ops.aten.sin])
