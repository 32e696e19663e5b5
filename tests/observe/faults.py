"""Programs with a fault each, and programs without: written once for both libraries, which are given as `lib`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

STEPS = 6


def data(lib: Any, rows: int = 32, inputs: int = 6) -> tuple[Any, Any]:
    lib.manual_seed(0)
    return lib.randn(rows, inputs), lib.randn(rows, 1)


def layers(lib: Any, *sizes: int, activation: str = "ReLU") -> Any:
    made: list[Any] = []
    for inner, outer in pairwise(sizes):
        made += [lib.nn.Linear(inner, outer), getattr(lib.nn, activation)()]
    return lib.nn.Sequential(*made[:-1])


def fit(lib: Any, net: Any, predict: Callable[[Any], Any] | None = None, lr: float = 0.05, steps: int = STEPS) -> None:
    """A training loop without a fault."""
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=lr)
    for _ in range(steps):
        loss = lib.nn.functional.mse_loss((predict or net)(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# Faults, by what must be found --------------------------------------------------------------------------------------


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
        return (made[:, None, None] * made[None, :, None] * lib.ones(1, 1, 40)).exp().mean() + lib.zeros(32, 1)

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
    """A net with a parameter that its forward forgets."""

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


# Without a fault ----------------------------------------------------------------------------------------------------


def plain_training(lib: Any) -> None:
    fit(lib, layers(lib, 6, 16, 8, 1))


def adam_with_decay(lib: Any) -> None:
    x, y = data(lib)
    net = layers(lib, 6, 16, 1, activation="GELU")
    optimizer = lib.optim.AdamW(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()
        lib.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()


def accumulation_over_batches(lib: Any) -> None:
    x, y = data(lib)
    net = layers(lib, 6, 16, 1)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(STEPS):
        optimizer.zero_grad()
        for half in (slice(0, 16), slice(16, 32)):
            (lib.nn.functional.mse_loss(net(x[half]), y[half]) / 2).backward()
        optimizer.step()


def set_to_zero(lib: Any) -> None:
    x, y = data(lib)
    net = layers(lib, 6, 16, 1)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for _ in range(STEPS):
        lib.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)


def target_net(lib: Any) -> None:
    net, target = layers(lib, 6, 8, 1), layers(lib, 6, 8, 1)
    x, _ = data(lib)
    optimizer = lib.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        with lib.no_grad():
            wanted = 0.9 * target(x) + 0.1
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), wanted).backward()
        optimizer.step()
        with lib.no_grad():
            for mine, theirs in zip(target.parameters(), net.parameters(), strict=True):
                mine.mul_(0.9).add_(theirs, alpha=0.1)


def detached_target(lib: Any) -> None:
    net, target = layers(lib, 6, 8, 1), layers(lib, 6, 8, 1)
    fit(lib, net, lambda x: net(x) - target(x).detach())


def frozen_layer(lib: Any) -> None:
    net = layers(lib, 6, 8, 8, 1)
    for parameter in net[0].parameters():
        parameter.requires_grad_(False)
    fit(lib, net)


def two_nets(lib: Any) -> None:
    maker, judge = layers(lib, 6, 8, 2), layers(lib, 2, 8, 1)
    x, _ = data(lib)
    makes, judges = lib.optim.Adam(maker.parameters(), lr=0.005), lib.optim.Adam(judge.parameters(), lr=0.005)
    unlike = lib.nn.functional.binary_cross_entropy_with_logits
    yes, no = lib.ones(32, 1), lib.zeros(32, 1)
    for _ in range(STEPS):
        made = maker(x)
        judges.zero_grad()
        (unlike(judge(lib.randn(32, 2)), yes) + unlike(judge(made.detach()), no)).backward()
        judges.step()
        makes.zero_grad()
        unlike(judge(made), yes).backward()
        makes.step()


def state_cut_off(lib: Any) -> None:
    cell = lib.nn.RNNCell(6, 6)
    optimizer = lib.optim.SGD(cell.parameters(), lr=0.05)
    x, _ = data(lib)
    state = lib.zeros(32, 6)
    for _ in range(STEPS):
        state = cell(x, state.detach())
        optimizer.zero_grad()
        state.pow(2).mean().backward()
        optimizer.step()


def by_hand(lib: Any) -> None:
    w = lib.ones(6, 1, requires_grad=True)
    x, y = data(lib)
    for _ in range(STEPS):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with lib.no_grad():
            w -= 0.05 * w.grad
        w.grad = None


def masked_attention(lib: Any) -> None:
    lib.manual_seed(0)
    net = lib.nn.Linear(6, 6)
    x = lib.randn(4, 5, 6)
    hidden = lib.ones(5, 5, dtype=lib.bool).triu(1)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(STEPS):
        q = net(x)
        weights = (q @ q.transpose(1, 2)).masked_fill(hidden, float("-inf")).softmax(-1)
        optimizer.zero_grad()
        (weights @ x).pow(2).mean().backward()
        optimizer.step()


def batch_norm_and_dropout(lib: Any) -> None:
    nn = lib.nn
    lib.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
    fit(lib, net)
    net.eval()
    with lib.no_grad():
        net(data(lib)[0])


def losses_as_numbers(lib: Any) -> None:
    x, y = data(lib)
    net = layers(lib, 6, 8, 1)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.05)
    total, kept = 0.0, []
    for _ in range(STEPS):
        loss = lib.nn.functional.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        kept.append(loss.detach())


def gradient_penalty(lib: Any) -> None:
    net = layers(lib, 6, 8, 1, activation="Tanh")
    x, _ = data(lib)
    optimizer = lib.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        given = x.clone().requires_grad_()
        (grad,) = lib.autograd.grad(net(given).sum(), given, create_graph=True)
        optimizer.zero_grad()
        (((grad.pow(2).sum(1) - 1) ** 2).mean() + net(x).pow(2).mean()).backward()
        optimizer.step()


def shared_weights(lib: Any) -> None:
    layer = lib.nn.Linear(6, 6)
    fit(lib, lib.nn.ModuleList([layer]), lambda x: layer(layer(x).tanh()).sum(1, keepdim=True), lr=0.01)


def nearly_converged(lib: Any) -> None:
    net = lib.nn.Linear(6, 1)
    fit(lib, net, lr=0.3, steps=30)


def recurrent_net(lib: Any) -> None:
    lib.manual_seed(0)
    net = lib.nn.ModuleList([lib.nn.LSTM(6, 8), lib.nn.Linear(8, 1)])
    fit(lib, net, lambda x: net[1](net[0](x.reshape(4, 8, 6))[0]).reshape(32, 1))


def lengths_of_gradients_logged(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.Adam(net.parameters(), lr=0.005)
    lengths = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()
        lengths.append([parameter.grad.norm().item() for parameter in net.parameters()])
        optimizer.step()


def past_the_middle(lib: Any) -> None:
    """Gradients go past the layers in the middle, which have next to none, as in a U-Net."""
    lib.manual_seed(0)
    net = layers(lib, 6, 8, 8, 8, 8, 1, activation="Tanh")
    with lib.no_grad():
        net[8].weight.mul_(0.5)
    x, y = data(lib)
    optimizer = lib.optim.Adam(net.parameters(), lr=0.005)
    for _ in range(STEPS):
        hidden = net[1](net[0](x))
        hidden = hidden + 1e-5 * net[7](net[6](net[5](net[4](net[3](net[2](hidden))))))
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net[8](hidden), y).backward()
        optimizer.step()


def head_first_then_all(lib: Any) -> None:
    """The body is frozen in the first steps, and learns in the later ones."""
    lib.manual_seed(0)
    net = layers(lib, 6, 16, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.05)
    for step in range(STEPS):
        net[0].requires_grad_(step > 2)
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()


def evaluated_in_between(lib: Any) -> None:
    lib.manual_seed(0)
    net = lib.nn.Sequential(lib.nn.Linear(6, 16), lib.nn.ReLU(), lib.nn.Dropout(0.1), lib.nn.Linear(16, 1))
    x, y = data(lib)
    optimizer = lib.optim.AdamW(net.parameters(), lr=0.01)
    best = None
    for _ in range(STEPS):
        net.train()
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
        net.eval()
        with lib.no_grad():
            found = lib.nn.functional.mse_loss(net(x), y).item()
        best = found if best is None else min(best, found)


CORRECT = [
    plain_training, adam_with_decay, accumulation_over_batches, set_to_zero, target_net, detached_target, frozen_layer,
    two_nets, state_cut_off, by_hand, masked_attention, batch_norm_and_dropout, losses_as_numbers, gradient_penalty,
    shared_weights, nearly_converged, recurrent_net, lengths_of_gradients_logged, head_first_then_all,
    evaluated_in_between, past_the_middle,
]  # fmt: skip
