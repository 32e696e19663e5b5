"""Programs with one fault each, by the kind that must be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .loops import STEPS, data, fit, layers


def log_of_a_negative(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    fit(lib, net, lambda x: (net(x) - 5).log(), steps=2)


def root_of_nothing(lib: Any) -> None:
    w = lib.zeros(3, requires_grad=True)
    (w * w).sqrt().sum().backward()


def detached_in_the_middle(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    fit(lib, net, lambda x: net[2](net[1](net[0](x)).detach()))


def data_in_place_of_the_tensor(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    fit(lib, net, lambda x: net[2](net[1](net[0](x).data)))


def detached_without_an_optimiser(lib: Any) -> None:
    w, v = lib.ones(3, requires_grad=True), lib.ones(3, requires_grad=True)
    ((w * 2).detach() * v).sum().backward()


def loss_detached(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    lib.nn.functional.mse_loss(net(x).detach(), y).backward()


def layer_never_used(lib: Any) -> None:
    net = lib.nn.ModuleList([lib.nn.Linear(6, 1), lib.nn.Linear(4, 4)])
    fit(lib, net, lambda x: net[0](x))


def layer_under_no_grad(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)

    def predict(x: Any) -> Any:
        with lib.no_grad():
            hidden = net[1](net[0](x))
        return net[2](hidden)

    fit(lib, net, predict)


def head_that_leads_nowhere(lib: Any) -> None:
    net = lib.nn.ModuleList([lib.nn.Linear(6, 8), lib.nn.Linear(8, 1), lib.nn.Linear(8, 3)])

    def predict(x: Any) -> Any:
        hidden = net[0](x).tanh()
        net[2](hidden)
        return net[1](hidden)

    fit(lib, net, predict)


def never_cleared(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        lib.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()


def cleared_too_early(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        lib.nn.functional.mse_loss(net(x), y).backward()
        optimizer.zero_grad()
        optimizer.step()


def leaf_overwritten(lib: Any) -> None:
    w = lib.ones(3, requires_grad=True)
    loss = (w * w).sum()
    with lib.no_grad():
        w.mul_(0.5)
    loss.backward()


def saved_overwritten(lib: Any) -> None:
    net = layers(lib, 6, 8, 1, activation="Tanh")

    def predict(x: Any) -> Any:
        hidden = net[1](net[0](x))
        hidden.mul_(2)
        return net[2](hidden)

    fit(lib, net, predict)


def many_sigmoids(lib: Any) -> None:
    lib.manual_seed(0)
    fit(lib, layers(lib, 6, *[8] * 14, 1, activation="Sigmoid"))


def weights_far_too_large(lib: Any) -> None:
    lib.manual_seed(0)
    net = layers(lib, 6, *[16] * 6, 1)
    with lib.no_grad():
        for parameter in net.parameters():
            parameter.mul_(20)
    fit(lib, net, lr=1e-30)


def relu_that_is_dead(lib: Any) -> None:
    net = layers(lib, 6, 16, 1)
    with lib.no_grad():
        net[0].bias.fill_(-100.0)
    fit(lib, net)


def units_that_are_dead(lib: Any) -> None:
    lib.manual_seed(0)
    net = layers(lib, 6, 16, 1)
    with lib.no_grad():
        net[0].bias[:12] = -100.0
    fit(lib, net)


def learning_rate_too_large(lib: Any) -> None:
    lib.manual_seed(0)
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.Adam(net.parameters(), lr=3.0)
    for _ in range(STEPS):
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()


def learning_rate_too_small(lib: Any) -> None:
    fit(lib, layers(lib, 6, 8, 1), lr=1e-9)


def losses_added_up(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
    total = 0.0
    for _ in range(STEPS):
        loss = lib.nn.functional.mse_loss(net(x), y)
        total = total + loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def state_carried_over(lib: Any) -> None:
    lib.manual_seed(0)
    net = lib.nn.Linear(6, 6)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
    x, _ = data(lib)
    state = lib.zeros(32, 6)
    for _ in range(STEPS):
        state = 0.5 * state + net(x)
        optimizer.zero_grad()
        state.mean().backward(retain_graph=True)
        optimizer.step()


def all_pairs(lib: Any) -> None:
    net = lib.nn.Linear(6, 4)

    def predict(x: Any) -> Any:
        made = net(x).reshape(-1)
        return (made[:, None, None] * made[None, :, None] * lib.ones(1, 1, 600)).exp().mean() + lib.zeros(32, 1)

    fit(lib, net, predict, lr=1e-3, steps=3)


def row_that_is_masked_whole(lib: Any) -> None:
    net = lib.nn.Linear(6, 6)
    hidden = lib.ones(32, 6, dtype=lib.bool)
    fit(lib, net, lambda x: net(x).masked_fill(hidden, float("-inf")).softmax(-1).sum(1, keepdim=True), steps=2)


def divided_by_nothing(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    fit(lib, net, lambda x: net(x) / (x * 0).sum(1, keepdim=True), steps=2)


def out_and_in_again_as_numbers(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    fit(lib, net, lambda x: net[2](lib.tensor(net[1](net[0](x)).detach().numpy())))


class Scaled:
    """A net with a parameter that its forward does not use."""

    def __init__(self, lib: Any) -> None:
        self.net = layers(lib, 6, 8, 1)
        self.scale = lib.nn.Parameter(lib.ones(1))

    def parameters(self) -> list[Any]:
        return [*self.net.parameters(), self.scale]

    def __call__(self, x: Any) -> Any:
        return self.net(x)


def parameter_that_forward_forgets(lib: Any) -> None:
    fit(lib, Scaled(lib))


def another_optimiser_cleared(lib: Any) -> None:
    net, other = layers(lib, 6, 8, 1), layers(lib, 6, 8, 1)
    x, y = data(lib)
    moves, idles = lib.optim.SGD(net.parameters(), lr=0.01), lib.optim.SGD(other.parameters(), lr=0.01)
    for _ in range(STEPS):
        idles.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()
        moves.step()


def leaf_changed_with_gradients_on(lib: Any) -> None:
    w = lib.ones(3, requires_grad=True)
    (w * w).sum().backward()
    w -= 0.1 * w.grad


def squashed_many_times(lib: Any) -> None:
    lib.manual_seed(0)
    net = layers(lib, 6, *[8] * 8, 1, activation="Tanh")
    with lib.no_grad():
        for parameter in net.parameters():
            parameter.mul_(0.05)
    fit(lib, net)


def inputs_far_too_negative(lib: Any) -> None:
    lib.manual_seed(0)
    net = layers(lib, 6, 16, 1)
    with lib.no_grad():
        net[0].weight.copy_(net[0].weight.abs())
    fit(lib, net, lambda x: net(-50 - x.abs()))


def rate_that_a_schedule_took_away(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.05)
    schedule = lib.optim.lr_scheduler.ExponentialLR(optimizer, 1e-5)
    for _ in range(20):
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
        schedule.step()


def mean_of_losses_that_hangs_on(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
    mean = lib.zeros(())
    for _ in range(STEPS):
        loss = lib.nn.functional.mse_loss(net(x), y)
        mean = 0.9 * mean + 0.1 * loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


FAULTS: list[tuple[str, Callable[[Any], None]]] = [
    ("nan", log_of_a_negative), ("nan", root_of_nothing),
    ("detached", detached_in_the_middle), ("detached", data_in_place_of_the_tensor),
    ("detached", detached_without_an_optimiser), ("detached", loss_detached),
    ("unused", layer_never_used), ("no_grad", layer_under_no_grad), ("not_in_loss", head_that_leads_nowhere),
    ("uncleared", never_cleared), ("cleared_early", cleared_too_early),
    ("in_place", leaf_overwritten), ("in_place", saved_overwritten),
    ("vanishing", many_sigmoids), ("exploding", weights_far_too_large),
    ("dead_relu", relu_that_is_dead), ("dead_relu", units_that_are_dead),
    ("step_large", learning_rate_too_large), ("step_small", learning_rate_too_small),
    ("growing_graph", losses_added_up), ("growing_graph", state_carried_over),
    ("memory", all_pairs),
    ("nan", row_that_is_masked_whole), ("nan", divided_by_nothing), ("detached", out_and_in_again_as_numbers),
    ("unused", parameter_that_forward_forgets), ("uncleared", another_optimiser_cleared),
    ("in_place", leaf_changed_with_gradients_on), ("vanishing", squashed_many_times),
    ("dead_relu", inputs_far_too_negative), ("step_small", rate_that_a_schedule_took_away),
    ("growing_graph", mean_of_losses_that_hangs_on),
]  # fmt: skip
