"""Weights made of other weights: parametrized by any module, normalised, or kept orthogonal."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import minigrad as mg

Lib = Any


def symmetric(lib: Lib) -> Any:
    class Symmetric(lib.nn.Module):  # type: ignore[misc, name-defined]
        calls = 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            return x.triu() + x.triu(1).t()

        def right_inverse(self, value: Any) -> Any:
            return value.triu()

    return Symmetric()


def doubled(lib: Lib) -> Any:
    class Doubled(lib.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x * 2

    return Doubled()


def close(one: Any, other: Any, abs: float = 1e-5) -> None:
    assert one.reshape(-1).tolist() == pytest.approx(other.reshape(-1).tolist(), abs=abs)


def square_layer(lib: Lib) -> Any:
    layer = lib.nn.Linear(3, 3)
    with lib.no_grad():
        layer.weight.copy_(lib.arange(9.0).reshape(3, 3))
    return layer


def test_a_parametrized_weight_is_computed_and_its_original_is_learnt(lib: Lib) -> None:
    P = lib.nn.utils.parametrize
    layer = square_layer(lib)
    weight = layer.weight
    assert not P.is_parametrized(layer)
    assert P.register_parametrization(layer, "weight", symmetric(lib)) is layer
    assert P.is_parametrized(layer) and P.is_parametrized(layer, "weight") and not P.is_parametrized(layer, "bias")
    assert isinstance(layer, lib.nn.Linear) and type(layer).__name__ == "ParametrizedLinear"
    assert P.type_before_parametrizations(layer) is lib.nn.Linear
    assert layer.weight.tolist() == [[0.0, 1.0, 2.0], [1.0, 4.0, 5.0], [2.0, 5.0, 8.0]]
    assert [name for name, _ in layer.named_parameters()] == ["bias", "parametrizations.weight.original"]
    assert layer.parametrizations.weight.original is weight
    layer(lib.ones(1, 3)).sum().backward()
    assert weight.grad.tolist() == [[1.0, 2.0, 2.0], [0.0, 1.0, 2.0], [0.0, 0.0, 1.0]]


def test_assigning_goes_back_through_the_functions(lib: Lib) -> None:
    P = lib.nn.utils.parametrize
    layer = P.register_parametrization(square_layer(lib), "weight", symmetric(lib))
    layer.weight = lib.ones(3, 3)
    assert layer.weight.tolist() == [[1.0] * 3] * 3
    assert layer.parametrizations.weight.original.tolist() == [[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
    P.register_parametrization(layer, "weight", doubled(lib))
    with pytest.raises(RuntimeError, match="Doubled does not implement right_inverse"):
        layer.weight = lib.ones(3, 3)


def test_functions_follow_one_another_and_can_be_removed(lib: Lib) -> None:
    P = lib.nn.utils.parametrize
    layer = square_layer(lib)
    for function in (symmetric(lib), doubled(lib)):
        P.register_parametrization(layer, "weight", function)
    original, before = layer.parametrizations.weight.original, layer.weight
    assert before[1, 0].item() == 2.0
    P.remove_parametrizations(layer, "weight")
    assert type(layer) is lib.nn.Linear and not hasattr(layer, "parametrizations")
    assert layer.weight is original and layer.weight.tolist() == before.tolist()
    assert sorted(layer.state_dict()) == ["bias", "weight"]


def test_removing_may_leave_the_original(lib: Lib) -> None:
    P = lib.nn.utils.parametrize
    layer = P.register_parametrization(lib.nn.Linear(2, 2), "weight", doubled(lib))
    before = layer.parametrizations.weight.original.tolist()
    P.register_parametrization(layer, "bias", doubled(lib))
    P.remove_parametrizations(layer, "weight", leave_parametrized=False)
    assert layer.weight.tolist() == before and P.is_parametrized(layer, "bias")


def test_a_cached_weight_is_computed_once(lib: Lib) -> None:
    P = lib.nn.utils.parametrize
    function = symmetric(lib)
    layer = P.register_parametrization(square_layer(lib), "weight", function)
    function.calls = 0
    with P.cached():
        first = layer.weight
        with P.cached():
            assert layer.weight is first
        layer(lib.ones(1, 3))
    assert function.calls == 1
    assert layer.weight is not first


def test_a_buffer_can_be_parametrized(lib: Lib) -> None:
    module = lib.nn.BatchNorm1d(2)
    lib.nn.utils.parametrize.register_parametrization(module, "running_var", doubled(lib))
    assert module.running_var.tolist() == [2.0, 2.0]
    assert "parametrizations.running_var.original" in module.state_dict()


def test_what_cannot_be_parametrized_is_refused(lib: Lib) -> None:
    P = lib.nn.utils.parametrize
    with pytest.raises(ValueError, match=r"does not have a parameter, a buffer, or a\s+parametrized element with name"):
        P.register_parametrization(square_layer(lib), "weigth", doubled(lib))
    with pytest.raises(ValueError, match="may not change the shape of the tensor"):
        P.register_parametrization(square_layer(lib), "weight", lib.nn.Flatten(0))
    with pytest.raises(ValueError, match="does not have a parametrization on weight"):
        P.remove_parametrizations(square_layer(lib), "weight")


def test_a_copy_keeps_its_parametrization_when_the_first_is_freed() -> None:
    P = mg.nn.utils.parametrize
    layer = P.register_parametrization(square_layer(mg), "weight", symmetric(mg))
    twin = copy.deepcopy(layer)
    P.remove_parametrizations(layer, "weight")
    assert P.is_parametrized(twin, "weight") and twin.weight.tolist() == layer.weight.tolist()
    assert twin.parametrizations.weight.original is not layer.weight


def test_weights_of_recurrent_layers_can_be_parametrized(lib: Lib) -> None:
    layer = lib.nn.RNN(2, 3)
    lib.nn.utils.parametrizations.weight_norm(layer, "weight_hh_l0")
    layer(lib.ones(4, 1, 2))[0].sum().backward()
    assert layer.parametrizations.weight_hh_l0.original0.grad is not None


# Norms


MODULES: dict[str, Any] = {
    "Linear": lambda nn: nn.Linear(4, 3),
    "Conv2d": lambda nn: nn.Conv2d(2, 3, 2),
    "ConvTranspose1d": lambda nn: nn.ConvTranspose1d(2, 3, 2),
}
CHANGES: dict[str, Any] = {
    "weight_norm": lambda utils, m: utils.parametrizations.weight_norm(m),
    "weight_norm by columns": lambda utils, m: utils.parametrizations.weight_norm(m, dim=1),
    "weight_norm of all": lambda utils, m: utils.parametrizations.weight_norm(m, dim=None),
    "weight_norm of a bias": lambda utils, m: utils.parametrizations.weight_norm(m, "bias"),
    "spectral_norm": lambda utils, m: utils.parametrizations.spectral_norm(m, n_power_iterations=2),
    "old weight_norm": lambda utils, m: utils.weight_norm(m),
    "old spectral_norm": lambda utils, m: utils.spectral_norm(m, n_power_iterations=2),
}


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore:.*weight_norm. is deprecated:FutureWarning")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", MODULES)
def test_a_changed_module_does_what_pytorchs_does(name: str, change: str) -> None:
    torch = pytest.importorskip("torch")
    mg.manual_seed(0)
    torch.manual_seed(0)  # a start that is nearly at right angles to the singular vectors is no test of anything else
    ours, theirs = (CHANGES[change](lib.nn.utils, MODULES[name](lib.nn)) for lib in (mg, torch))
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    assert list(ours.state_dict()) == list(theirs.state_dict())
    shape = {"Linear": (5, 4), "Conv2d": (1, 2, 4, 4), "ConvTranspose1d": (1, 2, 4)}[name]
    for _ in range(2):  # the power method goes on from step to step
        results = []
        for lib, module in ((mg, ours), (torch, theirs)):
            module.zero_grad()
            x = lib.arange(float(torch.Size(shape).numel())).reshape(shape).sin()
            y = module(x)
            (y * y).sum().backward()
            results.append([y.detach(), *[each.grad for each in module.parameters()]])
        for one, other in zip(*results, strict=True):
            close(one, other, 1e-4)


def test_old_weight_norm_can_be_removed(lib: Lib) -> None:
    layer = lib.nn.Linear(4, 3)
    before = layer.weight.tolist()
    with pytest.warns(FutureWarning, match="deprecated in favor of"):
        lib.nn.utils.weight_norm(layer)
    assert sorted(name for name, _ in layer.named_parameters()) == ["bias", "weight_g", "weight_v"]
    with pytest.raises(RuntimeError, match="Cannot register two weight_norm hooks"), pytest.warns(FutureWarning):
        lib.nn.utils.weight_norm(layer)
    lib.nn.utils.remove_weight_norm(layer)
    assert sorted(name for name, _ in layer.named_parameters()) == ["bias", "weight"]
    close(layer.weight, lib.tensor(before))
    with pytest.raises(ValueError, match="weight_norm of 'weight' not found in Linear"):
        lib.nn.utils.remove_weight_norm(layer)


def test_old_spectral_norm_can_be_removed(lib: Lib) -> None:
    layer = lib.nn.utils.spectral_norm(lib.nn.Linear(4, 3), n_power_iterations=30)
    layer(lib.ones(1, 4))
    lib.nn.utils.remove_spectral_norm(layer)
    assert lib.linalg.svdvals(layer.weight.detach())[0].item() == pytest.approx(1.0, abs=1e-3)
    assert sorted(layer.state_dict()) == ["bias", "weight"]


def test_a_spectral_norm_needs_iterations(lib: Lib) -> None:
    with pytest.raises(ValueError, match="Expected n_power_iterations to be positive"):
        lib.nn.utils.parametrizations.spectral_norm(lib.nn.Linear(2, 2), n_power_iterations=0)


# Orthogonal


@pytest.mark.parametrize("follows", [True, False], ids=["from a base", "plain"])
@pytest.mark.parametrize("how", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("sizes", [(3, 3), (5, 3), (3, 5)], ids=str)
def test_an_orthogonal_weight_stays_so_through_training(
    lib: Lib, sizes: tuple[int, int], how: str, follows: bool
) -> None:
    layer = lib.nn.Linear(*sizes)
    lib.nn.utils.parametrizations.orthogonal(layer, "weight", how, use_trivialization=follows)
    optimizer = lib.optim.SGD(layer.parameters(), lr=0.1)
    first = layer.weight.tolist()
    for _ in range(3):
        optimizer.zero_grad()
        (layer(lib.ones(2, sizes[0])) ** 3).sum().backward()
        optimizer.step()
    Q = layer.weight.detach()
    assert Q.tolist() != first
    gram = Q @ Q.t() if sizes[0] >= sizes[1] else Q.t() @ Q
    close(gram, lib.eye(min(sizes)), 1e-4)


@pytest.mark.parity
@pytest.mark.parametrize("how", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("sizes", [(3, 3), (5, 3), (3, 5)], ids=str)
def test_orthogonal_weights_and_their_gradients_are_pytorchs(sizes: tuple[int, int], how: str) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = mg.nn.Linear(*sizes), torch.nn.Linear(*sizes)
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    results = []
    for lib, layer in ((mg, ours), (torch, theirs)):
        lib.nn.utils.parametrizations.orthogonal(layer, orthogonal_map=how)
        start = layer.weight.detach()
        results.append([start])
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    for found, layer in zip(results, (ours, theirs), strict=True):
        weight = layer.weight
        (weight**3).sum().backward()
        found += [weight.detach(), layer.parametrizations.weight.original.grad]
    for one, other in zip(*results, strict=True):
        close(one, other, 1e-4)


def test_an_orthogonal_start_is_kept(lib: Lib) -> None:
    layer = lib.nn.Linear(2, 2)
    with lib.no_grad():
        layer.weight.copy_(lib.tensor([[0.6, -0.8], [0.8, 0.6]]))
    lib.nn.utils.parametrizations.orthogonal(layer)
    close(layer.weight, lib.tensor([[0.6, -0.8], [0.8, 0.6]]))
    layer.weight = lib.tensor([[0.0, 1.0], [1.0, 0.0]])
    close(layer.weight, lib.tensor([[0.0, 1.0], [1.0, 0.0]]))


def test_what_cannot_be_orthogonal_is_refused(lib: Lib) -> None:
    orthogonal = lib.nn.utils.parametrizations.orthogonal
    with pytest.raises(ValueError, match="Expected a matrix or batch of matrices. Got a tensor of 1 dimensions"):
        orthogonal(lib.nn.Linear(2, 2), "bias")
    with pytest.raises(ValueError, match="orthogonal_map has to be one of"):
        orthogonal(lib.nn.Linear(2, 2), orthogonal_map="qr")
    with pytest.raises(ValueError, match="has no parameter or buffer with name 'weigth'"):
        orthogonal(lib.nn.Linear(2, 2), "weigth")


def test_a_parametrized_module_is_kept_by_its_state_dict_and_copied_deeply_but_not_pickled(lib: Lib) -> None:
    parametrize = lib.nn.utils.parametrize
    layer, other = (
        parametrize.register_parametrization(lib.nn.Linear(2, 2), "weight", symmetric(lib)) for _ in range(2)
    )
    with pytest.raises(RuntimeError, match=r"only supported through state_dict\(\)"):
        pickle.dumps(lib.nn.Sequential(layer))
    twin = copy.deepcopy(layer)
    assert type(twin) is type(layer) and twin.weight.tolist() == layer.weight.tolist()
    assert twin.parametrizations.weight.original is not layer.parametrizations.weight.original
    other.load_state_dict(layer.state_dict())
    assert other.weight.tolist() == layer.weight.tolist()
    parametrize.remove_parametrizations(layer, "weight")
    plain = pickle.loads(pickle.dumps(layer))
    assert type(plain) is lib.nn.Linear and plain.weight.tolist() == layer.weight.tolist()


def function_with(lib: Lib, forward: Any, right_inverse: Any = None) -> Any:
    """A module that does these two things."""
    members = {"forward": lambda self, *x: forward(*x)}
    if right_inverse is not None:
        members["right_inverse"] = lambda self, x: right_inverse(x)
    return type("Function", (lib.nn.Module,), members)()


def same(x: Any) -> Any:
    return x


@pytest.mark.parametrize(
    ("right_inverse", "error"),
    [
        (
            lambda x: None,
            r"'right_inverse' must return a Tensor or a Sequence of tensors \(list, tuple...\). Got NoneType",
        ),
        (lambda x: 3, "must return a Tensor or a Sequence of tensors .*Got int"),
        (lambda x: (x, None), "Got element 1 of the sequence with type NoneType"),
        (lambda x: x > 0, "outputs one tensor, it may not change the dtype"),
        (lambda x: x[1:], "may not change the shape of the tensor"),
    ],
)
def test_a_right_inverse_that_returns_something_else_is_refused(lib: Lib, right_inverse: Any, error: str) -> None:
    layer = lib.nn.Linear(3, 4)
    parametrize = lib.nn.utils.parametrize
    with pytest.raises(ValueError, match=error):
        parametrize.register_parametrization(layer, "weight", function_with(lib, same, right_inverse))
    assert not parametrize.is_parametrized(layer)


@pytest.mark.parametrize(
    ("forward", "right_inverse", "error"),
    [
        (lambda x: (x, x), None, "A parametrization must return a tensor. Got tuple"),
        (lambda x: x > 0, None, r"may not change the dtype of the tensor, unless the[^:]*\nmodule.weight.dtype: "),
        (lambda x: x[1:], None, r"may not change the shape.*\n.*\nparametrization\(module.weight\).shape: "),
        (same, lambda x: (x, x), "parametrization.right_inverse must return a tensor. Got: tuple"),
        (same, lambda x: x > 0, "must have the same dtype as module.weight"),
        (same, lambda x: x[1:], r"must have the same shape as module.weight[^:]*\nmodule.weight.shape: "),
    ],
)
def test_a_second_function_that_does_not_fit_is_refused(lib: Lib, forward: Any, right_inverse: Any, error: str) -> None:
    layer = lib.nn.Linear(3, 4)
    parametrize = lib.nn.utils.parametrize
    parametrize.register_parametrization(layer, "weight", doubled(lib))
    with pytest.raises(ValueError, match=error):
        parametrize.register_parametrization(layer, "weight", function_with(lib, forward, right_inverse))
    assert len(layer.parametrizations.weight) == 1


@pytest.mark.parametrize(
    ("first", "then", "error"),
    [
        (same, lambda x: None, "`right_inverse` should return a tensor. Got NoneType"),
        (same, lambda x: x > 0, "The tensor returned by `right_inverse` has dtype .* while `original` has dtype"),
        (lambda x: (x, x), same, "'right_inverse' must return a sequence of tensors. Got "),
        (lambda x: (x, x), lambda x: [x], "a sequence of tensors of length 2. Got a sequence of length 1"),
        (lambda x: (x, x), lambda x: (x, 3), "Got element 1 of type int"),
        (lambda x: (x, x), lambda x: (x, x > 0), "Tensor 1 returned by `right_inverse` has dtype"),
    ],
)
def test_an_assignment_needs_what_fits_the_originals(lib: Lib, first: Any, then: Any, error: str) -> None:
    rules = [first, then]
    layer = lib.nn.Linear(3, 4)
    function = function_with(lib, lambda x, *others: x, lambda x: rules[0](x))
    lib.nn.utils.parametrize.register_parametrization(layer, "weight", function)
    del rules[0]
    with pytest.raises(ValueError, match=error):
        layer.weight = lib.ones(4, 3)


def test_a_list_of_functions_is_not_empty(lib: Lib) -> None:
    with pytest.raises(ValueError, match="ParametrizationList requires one or more modules"):
        lib.nn.utils.parametrize.ParametrizationList([], lib.ones(2))


@pytest.mark.filterwarnings("ignore:.*weight_norm.*is deprecated:FutureWarning")
def test_weight_norm_reads_what_the_older_one_stored(lib: Lib) -> None:
    old = lib.nn.Sequential(lib.nn.utils.weight_norm(lib.nn.Linear(4, 5)))
    new = lib.nn.Sequential(lib.nn.utils.parametrizations.weight_norm(lib.nn.Linear(4, 5)))
    stored = old.state_dict()
    new.load_state_dict(stored)
    assert "0.weight_g" in stored
    x = lib.ones(2, 4)
    close(new(x), old(x))


def test_another_module_takes_over_functions_and_originals(lib: Lib) -> None:
    parametrize = lib.nn.utils.parametrize
    given, taken = lib.nn.Linear(3, 3), lib.nn.Linear(3, 3)
    parametrize.register_parametrization(given, "weight", symmetric(lib))
    parametrize.register_parametrization(given, "weight", doubled(lib))
    assert parametrize.transfer_parametrizations_and_params(given, taken) is taken
    close(taken.weight, given.weight)
    assert taken.parametrizations.weight.original is given.parametrizations.weight.original
    with lib.no_grad():
        given.parametrizations.weight.original.fill_(1.0)
    close(taken.weight, given.weight)


def test_one_tensor_of_several_originals_is_taken_over(lib: Lib) -> None:
    parametrize = lib.nn.utils.parametrize
    given, taken = lib.nn.Linear(3, 3), lib.nn.Module()
    lib.nn.utils.parametrizations.weight_norm(given)
    parametrize.register_parametrization(given, "bias", doubled(lib))
    parametrize.transfer_parametrizations_and_params(given, taken, "weight")
    close(taken.weight, given.weight)
    assert not hasattr(taken, "bias")
    assert len(list(taken.parameters())) == 2
    plain = lib.nn.Linear(2, 2)
    assert parametrize.transfer_parametrizations_and_params(lib.nn.Linear(2, 2), plain) is plain
    assert not parametrize.is_parametrized(plain)
