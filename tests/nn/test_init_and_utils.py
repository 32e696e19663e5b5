"""Starting values, clipping, and parameters as one vector."""

from __future__ import annotations

import math
from typing import Any

import pytest

Lib = Any


@pytest.fixture(autouse=True)
def _seeded(request: pytest.FixtureRequest) -> None:
    if "lib" in request.fixturenames:
        request.getfixturevalue("lib").manual_seed(0)


@pytest.mark.parametrize(
    ("fill", "std"),
    [
        (lambda init, w: init.uniform_(w, -1, 3), 4 / math.sqrt(12)),
        (lambda init, w: init.normal_(w, 5, 2), 2.0),
        (lambda init, w: init.xavier_uniform_(w, gain=2), 2 * math.sqrt(2 / 300)),
        (lambda init, w: init.xavier_normal_(w), math.sqrt(2 / 300)),
        (lambda init, w: init.kaiming_uniform_(w, nonlinearity="relu"), math.sqrt(2 / 200)),
        (lambda init, w: init.kaiming_normal_(w, a=1, mode="fan_out"), math.sqrt(1 / 100)),
        (lambda init, w: init.trunc_normal_(w, std=1.0, a=-1, b=1), 0.5396),
        (lambda init, w: init.orthogonal_(w), 1 / math.sqrt(200)),
    ],
)
def test_the_spread_is_as_its_paper_says(lib: Lib, fill: Any, std: float) -> None:
    w = lib.empty(100, 200, requires_grad=True)
    assert fill(lib.nn.init, w) is w and w.is_leaf and w.grad_fn is None
    assert w.std().item() == pytest.approx(std, rel=0.03)


def test_exact_fillings(lib: Lib) -> None:
    init = lib.nn.init
    assert init.ones_(lib.empty(2)).tolist() == [1.0, 1.0]
    assert init.zeros_(lib.empty(2)).tolist() == [0.0, 0.0]
    assert init.constant_(lib.empty(1), 0.3).item() == pytest.approx(0.3)
    assert init.eye_(lib.empty(2, 3)).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    kernel = init.dirac_(lib.empty(4, 2, 3), groups=2)
    x = lib.arange(12.0).reshape(1, 4, 3)
    passed = lib.nn.functional.conv1d(x, kernel, padding=1, groups=2)
    assert passed.tolist() == x.tolist()


def test_orthogonal_rows_or_columns(lib: Lib) -> None:
    wide = lib.nn.init.orthogonal_(lib.empty(3, 5), gain=2)
    assert (wide @ wide.t() - 4 * lib.eye(3)).abs().max().item() < 1e-5
    tall = lib.nn.init.orthogonal_(lib.empty(6, 2, 2))
    flat = tall.reshape(6, 4)
    assert (flat.t() @ flat - lib.eye(4)).abs().max().item() < 1e-5


def test_sparse_columns(lib: Lib) -> None:
    w = lib.nn.init.sparse_(lib.empty(10, 4), sparsity=0.35)
    assert (w == 0).sum(0).tolist() == [4, 4, 4, 4]


def test_gains(lib: Lib) -> None:
    gain = lib.nn.init.calculate_gain
    assert gain("relu") == math.sqrt(2) and gain("tanh") == 5 / 3
    assert gain("leaky_relu", 0.2) == pytest.approx(math.sqrt(2 / 1.04))
    with pytest.raises(ValueError, match="Unsupported nonlinearity sine"):
        gain("sine")


@pytest.mark.parametrize(
    ("fill", "words"),
    [
        (lambda lib: lib.nn.init.eye_(lib.empty(2)), "2 dimensions"),
        (lambda lib: lib.nn.init.xavier_normal_(lib.empty(2)), "fewer than 2 dimensions"),
        (lambda lib: lib.nn.init.kaiming_normal_(lib.empty(2, 2), mode="fan"), "Mode fan not supported"),
        (lambda lib: lib.nn.init.dirac_(lib.empty(2, 2)), "3, 4, or 5 dimensions"),
        (lambda lib: lib.nn.init.orthogonal_(lib.empty(2)), "2 or more dimensions"),
    ],
)
def test_what_cannot_be_filled_is_refused(lib: Lib, fill: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fill(lib)


# Helpers over parameters


def with_grads(lib: Lib) -> list[Any]:
    parameters = [lib.zeros(2, requires_grad=True), lib.zeros(1, requires_grad=True), lib.zeros(3, requires_grad=True)]
    parameters[0].grad = lib.tensor([3.0, -4.0])
    parameters[1].grad = lib.tensor([12.0])
    return parameters


def test_gradients_are_clipped_together_by_their_norm(lib: Lib) -> None:
    parameters = with_grads(lib)
    assert lib.nn.utils.clip_grad_norm_(parameters, 1.3).item() == pytest.approx(13.0)
    assert parameters[0].grad.tolist() == pytest.approx([0.3, -0.4], abs=1e-6)
    assert parameters[1].grad.tolist() == pytest.approx([1.2], abs=1e-6)
    assert lib.nn.utils.clip_grad_norm_(parameters, 5.0).item() == pytest.approx(1.3)
    assert parameters[1].grad.tolist() == pytest.approx([1.2], abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "norm"),
    [
        (math.inf, 12.0), (1.0, 19.0), (3.0, (27 + 64 + 1728) ** (1 / 3)),
        (-math.inf, 3.0), (-1.0, 1.5), (0.0, 2.0),  # of order 0: the number of gradients that are not zero
    ],
)  # fmt: skip
def test_other_norms(lib: Lib, kind: float, norm: float) -> None:
    assert lib.nn.utils.clip_grad_norm_(with_grads(lib), 100.0, norm_type=kind).item() == pytest.approx(norm)


def test_a_norm_that_is_no_number_may_be_an_error(lib: Lib) -> None:
    parameters = with_grads(lib)
    parameters[0].grad[0] = math.nan
    with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
        lib.nn.utils.clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True)


def test_the_largest_element_is_nan_wherever_a_nan_is(lib: Lib) -> None:
    grads = [lib.tensor([1.0]), lib.tensor([2.0, math.nan])]
    assert math.isnan(lib.nn.utils.get_total_norm(grads, math.inf))


def test_a_zero_makes_a_norm_of_negative_order_zero(lib: Lib) -> None:
    assert lib.nn.utils.get_total_norm([lib.tensor([0.0, 2.0])], -1.0).item() == 0.0


def test_gradients_are_clipped_one_by_one(lib: Lib) -> None:
    parameters = with_grads(lib)
    lib.nn.utils.clip_grad_value_(parameters, 3.5)
    assert parameters[0].grad.tolist() == [3.0, -3.5] and parameters[1].grad.tolist() == [3.5]


def test_parameters_become_a_vector_and_come_back(lib: Lib) -> None:
    model = lib.nn.Linear(2, 3)
    vector = lib.nn.utils.parameters_to_vector(model.parameters())
    assert tuple(vector.shape) == (9,) and vector.requires_grad
    lib.nn.utils.vector_to_parameters(lib.arange(9.0), model.parameters())
    assert model.weight.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]] and model.bias.tolist() == [6.0, 7.0, 8.0]


def test_a_vector_of_the_wrong_length_is_refused() -> None:
    import minigrad as mg

    with pytest.raises(RuntimeError, match="expected a vector of 9 elements"):
        mg.nn.utils.vector_to_parameters(mg.arange(8.0), mg.nn.Linear(2, 3).parameters())


@pytest.mark.parametrize(
    "bounds", [{"mean": 3.0}, {"mean": 10.0}, {"std": 0.5, "a": 1.0, "b": 3.0}, {"a": 0.0, "b": 0.1}]
)
@pytest.mark.filterwarnings("ignore:mean is more than 2 std from")
def test_truncated_numbers_are_found_where_few_normal_ones_lie(lib: Lib, bounds: dict[str, float]) -> None:
    """Drawing normal numbers until all lie inside took for ever."""
    drawn = lib.nn.init.trunc_normal_(lib.empty(2000), **bounds)
    low, high = bounds.get("a", -2.0), bounds.get("b", 2.0)
    assert low <= drawn.min() and drawn.max() <= high
    nearest = min(max(bounds.get("mean", 0.0), low), high)
    close, far = (drawn - nearest).abs() < (high - low) / 4, (drawn - nearest).abs() > (high - low) * 3 / 4
    assert close.sum() > far.sum()


@pytest.mark.parity
@pytest.mark.cpu("the CPU draws PyTorch's numbers")
@pytest.mark.filterwarnings("ignore:mean is more than 2 std from")
def test_truncated_numbers_of_a_seed_are_those_of_pytorch() -> None:
    import minigrad

    torch = pytest.importorskip("torch")
    drawn = []
    for library in (minigrad, torch):
        library.manual_seed(1)
        drawn.append(library.nn.init.trunc_normal_(library.empty(50), mean=3.0).tolist())
    assert drawn[0] == pytest.approx(drawn[1], rel=1e-6)


def test_truncated_numbers_far_from_the_mean_warn(lib: Lib) -> None:
    with pytest.warns(UserWarning, match="mean is more than 2 std from .a, b. in nn.init.trunc_normal_"):
        lib.nn.init.trunc_normal_(lib.empty(2), mean=5.0)
    assert lib.nn.init.trunc_normal_(lib.empty(2, device="meta")).is_meta


@pytest.mark.parametrize("name", ["kaiming_uniform_", "kaiming_normal_"])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_nothing_to_fill_warns(lib: Lib, name: str, shape: tuple[int, ...]) -> None:
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        assert getattr(lib.nn.init, name)(lib.empty(shape)).shape == shape


@pytest.mark.parametrize("slope", ["a", True, [1]])
def test_a_slope_is_a_number(lib: Lib, slope: Any) -> None:
    with pytest.raises(ValueError, match=r"negative_slope .* not a valid number"):
        lib.nn.init.calculate_gain("leaky_relu", slope)


@pytest.mark.filterwarnings("ignore:mean is more than 2 std from")
def test_numbers_without_spread_are_refused_outside_the_bounds(lib: Lib) -> None:
    """They were drawn again for ever. PyTorch divides by zero, also where they lie inside."""
    with pytest.raises((ValueError, ZeroDivisionError)):
        lib.nn.init.trunc_normal_(lib.empty(2), mean=2.5, std=0.0)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", ["weight", "missing"])
def test_a_weight_norm_that_is_refused_leaves_nothing_behind(lib: Lib, name: str) -> None:
    module = lib.nn.Tanh() if name == "weight" else lib.nn.Linear(2, 2)
    with pytest.raises(AttributeError):
        lib.nn.utils.weight_norm(module, name)
    assert module(lib.ones(1, 2)).shape == (1, 2)


def test_parameters_share_the_memory_of_the_vector_they_are_set_to(lib: Lib) -> None:
    layer = lib.nn.Linear(2, 1)
    before = layer.weight.detach()
    kept = before.clone()
    vector = lib.ones(3)
    lib.nn.utils.vector_to_parameters(vector, layer.parameters())
    vector += 1
    assert layer.weight.tolist() == [[2.0, 2.0]] and layer.bias.tolist() == [2.0]
    assert lib.equal(before, kept), "what looked at the old memory still does"


def test_a_generator_that_was_used_up_is_warned_of(lib: Lib) -> None:
    layer = lib.nn.Linear(2, 1)
    parameters = layer.parameters()
    lib.optim.SGD(parameters, lr=0.1)
    with pytest.warns(UserWarning, match="`parameters` is an empty generator, no gradient clipping will occur"):
        lib.nn.utils.clip_grad_norm_(parameters, 1.0)


def test_a_state_without_the_count_of_batches_leaves_it_as_it_is(lib: Lib) -> None:
    norm = lib.nn.BatchNorm1d(2)
    norm(lib.ones(2, 2))
    norm.load_state_dict({}, strict=False)
    assert int(norm.num_batches_tracked) == 1
