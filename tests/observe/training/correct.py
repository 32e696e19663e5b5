"""Training programs without a fault, in which nothing must be found."""

from __future__ import annotations

from typing import Any

from .loops import STEPS, data, fit, layers


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
    """Skip connections, as in a U-Net: layers in the middle have almost no gradient."""
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


def one_wide_op(lib: Any) -> None:
    """One op saves most of the memory, but only 4 MiB, which must not be reported."""
    net = lib.nn.Linear(6, 4)
    fit(lib, net, lambda x: (net(x)[:, None] * lib.ones(1, 8192, 1)).exp().mean((1, 2)).reshape(-1, 1), lr=1e-3)


CORRECT = [
    plain_training, adam_with_decay, accumulation_over_batches, set_to_zero, target_net, detached_target, frozen_layer,
    two_nets, state_cut_off, by_hand, masked_attention, batch_norm_and_dropout, losses_as_numbers, gradient_penalty,
    shared_weights, nearly_converged, recurrent_net, lengths_of_gradients_logged, head_first_then_all,
    evaluated_in_between, past_the_middle, one_wide_op,
]  # fmt: skip
