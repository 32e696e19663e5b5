"""Unusual programs that are correct, and must not be reported."""

from __future__ import annotations

import copy
from typing import Any

from .loops import STEPS, classes, data, layers, train


def pairs_compared_on_purpose(lib: Any) -> None:
    net = layers(lib, 6, 16, 1)
    x, y = data(lib)
    rank = (y > y.T).float()

    def loss() -> Any:
        score = net(x).squeeze(1)
        return lib.nn.functional.binary_cross_entropy_with_logits(score[:, None] - score[None, :], rank)

    train(lib, net.parameters(), loss)


def frozen_body(lib: Any) -> None:
    lib.manual_seed(0)
    body, head = layers(lib, 6, 16, 16).requires_grad_(False), lib.nn.Linear(16, 3)
    x, y = classes(lib)
    train(lib, head.parameters(), lambda: lib.nn.functional.cross_entropy(head(body(x)), y))


def body_left_to_itself(lib: Any) -> None:
    """Only the head is trained, and the body is not frozen."""
    lib.manual_seed(0)
    body, head = layers(lib, 6, 16, 16), lib.nn.Linear(16, 3)
    x, y = classes(lib)
    train(lib, head.parameters(), lambda: lib.nn.functional.cross_entropy(head(body(x)), y))


def warm_up_from_zero(lib: Any) -> None:
    net = layers(lib, 6, 16, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.05)
    schedule = lib.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 4))
    for _ in range(10):
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
        schedule.step()


def arrived(lib: Any) -> None:
    """Steps are tiny because nothing is left to learn."""
    net = lib.nn.Linear(6, 6)
    x, _ = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(x), x), lr=0.05, steps=300)


def moved_by_a_closure(lib: Any) -> None:
    w = lib.tensor([-1.5, 2.0], requires_grad=True)
    optimizer = lib.optim.LBFGS([w], lr=0.1, max_iter=5)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (1 - w[0]) ** 2 + 10 * (w[1] - w[0] ** 2) ** 2
        loss.backward()
        return loss

    for _ in range(4):
        optimizer.step(closure)


def straight_through(lib: Any) -> None:
    net = lib.nn.ModuleList([lib.nn.Linear(6, 8), lib.nn.Linear(8, 1)])
    x, y = data(lib)

    def loss() -> Any:
        soft = net[0](x).softmax(-1)
        hard = lib.nn.functional.one_hot(soft.argmax(-1), 8).float()
        return lib.nn.functional.mse_loss(net[1](hard + soft - soft.detach()), y)

    train(lib, net.parameters(), loss)


def attack_on_the_inputs(lib: Any) -> None:
    lib.manual_seed(0)
    net = layers(lib, 6, 16, 3)
    x, y = classes(lib)

    def loss() -> Any:
        given = x.clone().requires_grad_()
        (grad,) = lib.autograd.grad(lib.nn.functional.cross_entropy(net(given), y), given)
        return lib.nn.functional.cross_entropy(net((given + 0.1 * grad.sign()).detach()), y)

    train(lib, net.parameters(), loss)


def slopes_of_the_inputs_alone(lib: Any) -> None:
    """Gradients are computed to be looked at, not for training."""
    net = layers(lib, 6, 16, 1)
    x, _ = data(lib)
    for _ in range(6):
        given = x.clone().requires_grad_()
        net.zero_grad()
        net(given).sum().backward()


def last_layers_begin_at_zero(lib: Any) -> None:
    lib.manual_seed(0)
    net = lib.nn.ModuleList([layers(lib, 6, 16, 6), layers(lib, 6, 16, 6), lib.nn.Linear(6, 1)])
    for block in (net[0], net[1]):
        lib.nn.init.zeros_(block[2].weight)
    x, y = data(lib)

    def loss() -> Any:
        hidden = x + net[0](x)
        return lib.nn.functional.mse_loss(net[2](hidden + net[1](hidden)), y)

    train(lib, net.parameters(), loss, steps=10)


def teacher_with_dropout(lib: Any) -> None:
    """A mean teacher, which uses dropout on purpose."""
    net = lib.nn.Sequential(lib.nn.Linear(6, 16), lib.nn.Dropout(0.2), lib.nn.Linear(16, 1))
    teacher = copy.deepcopy(net).requires_grad_(False)
    x, y = data(lib)

    def loss() -> Any:
        with lib.no_grad():
            wanted = teacher(x)
        return lib.nn.functional.mse_loss(net(x), y) + 0.1 * lib.nn.functional.mse_loss(net(x), wanted)

    train(lib, net.parameters(), loss)


def soft_labels(lib: Any) -> None:
    lib.manual_seed(0)
    net = layers(lib, 6, 16, 3)
    x, _ = data(lib)
    wanted = lib.randn(32, 3).softmax(-1)
    train(lib, net.parameters(), lambda: lib.nn.functional.cross_entropy(net(x), wanted))


def two_losses_of_one_graph(lib: Any) -> None:
    body, one, two = lib.nn.Linear(6, 8), lib.nn.Linear(8, 1), lib.nn.Linear(8, 1)
    optimizer = lib.optim.Adam([*body.parameters(), *one.parameters(), *two.parameters()], lr=0.005)
    x, y = data(lib)
    for _ in range(STEPS):
        hidden = body(x).tanh()
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(one(hidden), y).backward(retain_graph=True)
        lib.nn.functional.mse_loss(two(hidden), -y).backward()
        optimizer.step()


def weights_by_their_data(lib: Any) -> None:
    w = lib.ones(6, 1, requires_grad=True)
    x, y = data(lib)
    for _ in range(STEPS):
        lib.nn.functional.mse_loss(x @ w, y).backward()
        w.data -= 0.05 * w.grad
        w.grad.zero_()


def prompt_before_a_net_that_stays(lib: Any) -> None:
    """Only a prompt is trained: nothing is frozen, and `optimizer.zero_grad()` clears the prompt alone."""

    class Prompted(lib.nn.Module):  # type: ignore[misc, name-defined, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.prompt = lib.nn.Parameter(lib.zeros(6))
            self.net = layers(lib, 6, 16, 3)

        def forward(self, x: Any) -> Any:
            return self.net(x + self.prompt)

    lib.manual_seed(0)
    net = Prompted()
    x, y = classes(lib)
    train(lib, [net.prompt], lambda: lib.nn.functional.cross_entropy(net(x), y), lr=0.05)


def adapter_in_a_net_that_stays(lib: Any) -> None:
    lib.manual_seed(0)
    first, last = lib.nn.Linear(6, 16), lib.nn.Linear(16, 3)
    down, up = lib.nn.Linear(16, 4), lib.nn.Linear(4, 16)
    x, y = classes(lib)

    def loss() -> Any:
        h = lib.relu(first(x))
        return lib.nn.functional.cross_entropy(last(h + up(lib.relu(down(h)))), y)

    train(lib, [*down.parameters(), *up.parameters()], loss)


def only_biases_learn(lib: Any) -> None:
    lib.manual_seed(0)
    net = layers(lib, 6, 16, 16, 3)
    x, y = classes(lib)
    biases = [each for name, each in net.named_parameters() if name.endswith("bias")]
    train(lib, biases, lambda: lib.nn.functional.cross_entropy(net(x), y), lr=0.05)


def features_compared_by_another_net(lib: Any) -> None:
    """A perceptual loss whose net is not frozen."""
    lib.manual_seed(0)
    net, seen = layers(lib, 6, 16, 6), layers(lib, 6, 8, 8)
    x, _ = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(seen(net(x)), seen(x.flip(0)).detach()))


def body_without_gradients_and_a_probe(lib: Any) -> None:
    lib.manual_seed(0)
    body, probe = layers(lib, 6, 16, 16), lib.nn.Linear(16, 3)
    x, y = classes(lib)

    def loss() -> Any:
        with lib.no_grad():
            features = body(x)
        return lib.nn.functional.cross_entropy(probe(features), y)

    train(lib, probe.parameters(), loss, lr=0.02)


def head_that_follows_by_averages(lib: Any) -> None:
    """The head's copy is trained; the head itself gets a moving average, and also gradients."""
    lib.manual_seed(0)
    body, head = layers(lib, 6, 16, 16), lib.nn.Linear(16, 3)
    learns = copy.deepcopy(head)
    x, y = classes(lib)
    optimizer = lib.optim.Adam([*body.parameters(), *learns.parameters()], lr=0.005)
    for _ in range(STEPS):
        optimizer.zero_grad()
        h = lib.relu(body(x))
        loss = lib.nn.functional.cross_entropy(learns(h), y) + 0.1 * lib.nn.functional.cross_entropy(head(h), y)
        loss.backward()
        optimizer.step()
        for slow, fast in zip(head.parameters(), learns.parameters(), strict=True):
            slow.data = 0.9 * slow.data + 0.1 * fast.data
            slow.grad = None


def judge_with_an_optimiser_of_its_own(lib: Any) -> None:
    lib.manual_seed(0)
    maker, judge = layers(lib, 6, 16, 2), lib.nn.Linear(2, 1)
    makes, judges = lib.optim.Adam(maker.parameters(), 0.002), lib.optim.Adam(judge.parameters(), 0.002)
    real = lib.randn(32, 2) + 1
    bce = lib.nn.functional.binary_cross_entropy_with_logits
    for _ in range(STEPS):
        z = lib.randn(32, 6)
        judges.zero_grad()
        (bce(judge(real), lib.ones(32, 1)) + bce(judge(maker(z).detach()), lib.zeros(32, 1))).backward()
        judges.step()
        makes.zero_grad()
        bce(judge(maker(z)), lib.ones(32, 1)).backward()
        makes.step()


def read_off_after_the_step(lib: Any) -> None:
    """An unrolled net is updated by hand; then the last output, which still has its graph, is evaluated."""
    lib.manual_seed(0)
    step, read = lib.nn.Linear(10, 6), lib.nn.Linear(6, 3)
    weights = [*step.parameters(), *read.parameters()]
    x, y = lib.randn(7, 1, 4), lib.tensor([1])
    for _ in range(8):
        state = lib.zeros(1, 6)
        for part in x:
            state = lib.tanh(step(lib.cat([part, state], 1)))
        scores = read(state)
        lib.nn.functional.cross_entropy(scores, y).backward()
        for each in weights:
            each.data.add_(each.grad.data, alpha=-0.1)
            each.grad = None
        scores.topk(1)


def an_optimiser_for_each_task(lib: Any) -> None:
    """Meta-learning: a copy of the net takes a single step in each task."""
    net = layers(lib, 6, 8, 3)
    x, y = classes(lib)
    for _ in range(STEPS):
        copy = layers(lib, 6, 8, 3)
        copy.load_state_dict(net.state_dict())
        train(lib, copy.parameters(), lambda copy=copy: lib.nn.functional.cross_entropy(copy(x), y), steps=1)
        with lib.no_grad():
            for mine, moved in zip(net.parameters(), copy.parameters(), strict=True):
                mine += 0.5 * (moved - mine)


def weights_loaded_after_a_look(lib: Any) -> None:
    net = layers(lib, 6, 8, 3)
    x, y = classes(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.cross_entropy(net(x), y))
    other = layers(lib, 6, 8, 3)
    other(x).mean()
    other.load_state_dict(net.state_dict())
    lib.nn.functional.cross_entropy(net(x), y).backward()


def relu_on_few_inputs(lib: Any) -> None:
    """Of 32 units with three possible inputs, 22 are 0 from the beginning."""
    lib.manual_seed(50)
    first, second, last = lib.nn.Linear(2, 32), lib.nn.Linear(32, 32), lib.nn.Linear(32, 4)
    net = lib.nn.Sequential(first, lib.nn.ReLU(), second, lib.nn.ReLU(), last)
    x = lib.tensor([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]] * 6)
    train(lib, net.parameters(), lambda: (net(x).sum(1) - x.sum(1)).pow(2).mean())


def force_of_an_energy(lib: Any) -> None:
    """Only the slope of the energy is used, to which its last bias adds nothing."""
    energy = layers(lib, 2, 16, 1, activation="Softplus")
    x = data(lib, inputs=2)[0].requires_grad_()
    wanted = x.detach().flip(1)

    def loss() -> Any:
        (slope,) = lib.autograd.grad(energy(x).sum(), x, create_graph=True)
        return ((slope - wanted) ** 2).mean()

    train(lib, energy.parameters(), loss)


def equation_at_fixed_points(lib: Any) -> None:
    """The slopes at some points, and the value at 0, where the first weight gets no gradient."""
    net = layers(lib, 1, 8, 1, activation="Tanh")
    x = data(lib, inputs=1)[0].requires_grad_()

    def loss() -> Any:
        y = net(x)
        (slope,) = lib.autograd.grad(y.sum(), x, create_graph=True)
        return (net(lib.zeros(1, 1)) - 1).square().mean() + (slope + y).square().mean()

    train(lib, net.parameters(), loss)


def pairs_told_apart_both_ways(lib: Any) -> None:
    """A contrastive loss: each row is to be found among all columns, and each column among all rows."""
    lib.manual_seed(0)
    one, other = lib.nn.Linear(6, 4), lib.nn.Linear(6, 4)
    x, _ = data(lib, rows=12)

    def loss() -> Any:
        scores, rows = one(x) @ other(x + 0.1).T, lib.arange(12)
        both = (scores.log_softmax(1)[rows, rows], scores.log_softmax(0)[rows, rows])
        return -(both[0].mean() + both[1].mean())

    train(lib, [*one.parameters(), *other.parameters()], loss)


def signs_through_data(lib: Any) -> None:
    """A straight-through estimate: the slope of what a layer made is that of its signs."""
    lib.manual_seed(0)
    first, last = lib.nn.Linear(6, 8), lib.nn.Linear(8, 3)
    x, y = classes(lib)

    def loss() -> Any:
        h = first(x)
        h.data.sign_()
        return lib.nn.functional.cross_entropy(last(h), y)

    train(lib, [*first.parameters(), *last.parameters()], loss)


def expert_asked_now_and_then(lib: Any) -> None:
    """One of two layers takes part in a few steps in the middle; in the others zeros come to it."""
    lib.manual_seed(0)
    usual, rare = lib.nn.Linear(6, 1), lib.nn.Linear(6, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD([*usual.parameters(), *rare.parameters()], lr=0.01)
    for step in range(10):
        asked = 1.0 if step in (4, 5) else 0.0
        optimizer.zero_grad()
        ((usual(x) + asked * rare(x) - y) ** 2).mean().backward()
        optimizer.step()


def averages_that_begin_at_zero(lib: Any) -> None:
    """RMSprop as it comes: its first steps are ten times as long as its rate, and half of a weight's norm."""
    lib.manual_seed(0)
    nn = lib.nn
    net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    last = nn.Linear(128, 10)
    optimizer = lib.optim.RMSprop([*net.parameters(), *last.parameters()])
    x, y = lib.randn(32, 1, 8, 8), lib.randint(0, 10, (32,))
    for _ in range(5):
        optimizer.zero_grad()
        nn.functional.cross_entropy(last(net(x)), y).backward()
        optimizer.step()


def first_steps_without_a_scale(lib: Any) -> None:
    """RAdam divides by the root of the squares only from its sixth step on; small gradients move nothing until then."""
    net = layers(lib, 6, 16, 16, 3)
    x, y = classes(lib)
    optimizer = lib.optim.RAdam(net.parameters())
    for _ in range(12):
        optimizer.zero_grad()
        (lib.nn.functional.cross_entropy(net(x), y) * 1e-4).backward()
        optimizer.step()


def slope_that_begins_near_zero(lib: Any) -> None:
    """A straight line: its only weight happens to begin at 0.05, and its first step is many times as long."""
    line = lib.nn.Linear(1, 1)
    x = lib.linspace(0, 1, 20).unsqueeze(1)
    with lib.no_grad():
        line.weight.fill_(0.05)
    optimizer = lib.optim.SGD(line.parameters(), lr=0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        ((line(x) - 3 * x - 2) ** 2).mean().backward()
        optimizer.step()


def rows_that_begin_alike(lib: Any) -> None:
    """Each of eight curves has bins of its own, which begin even; no layer's units are the same."""
    widths, heights = lib.zeros(8, 5, requires_grad=True), lib.zeros(8, 5, requires_grad=True)
    goal = lib.linspace(0, 3, 40).reshape(8, 5).sin()
    optimizer = lib.optim.Adam([widths, heights], lr=0.05)
    for _ in range(STEPS):
        optimizer.zero_grad()
        ((lib.softmax(widths, dim=-1) * heights - goal) ** 2).mean().backward()
        optimizer.step()


EVERYDAY_CORRECT = [
    force_of_an_energy, equation_at_fixed_points, pairs_told_apart_both_ways, signs_through_data,
    pairs_compared_on_purpose, frozen_body, body_left_to_itself, warm_up_from_zero, arrived, moved_by_a_closure,
    straight_through, attack_on_the_inputs, slopes_of_the_inputs_alone, last_layers_begin_at_zero,
    teacher_with_dropout, soft_labels, two_losses_of_one_graph, weights_by_their_data,
    prompt_before_a_net_that_stays, adapter_in_a_net_that_stays, only_biases_learn, features_compared_by_another_net,
    body_without_gradients_and_a_probe, head_that_follows_by_averages, judge_with_an_optimiser_of_its_own,
    read_off_after_the_step, an_optimiser_for_each_task, weights_loaded_after_a_look, relu_on_few_inputs,
    expert_asked_now_and_then, averages_that_begin_at_zero,
    first_steps_without_a_scale, slope_that_begins_near_zero, rows_that_begin_alike,
]  # fmt: skip
