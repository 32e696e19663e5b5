"""Small programs to record: one for each feature that a recording must get right."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad import events, nn, optim


def scalar_program() -> None:
    a = mg.tensor(0.5, requires_grad=True)
    b = a * a + a
    loss = mg.tanh(b)
    loss.backward(retain_graph=True)
    loss.backward()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 5)
        self.second = nn.Linear(5, 2)

    def forward(self, x: Any) -> Any:
        hidden = self.first(x).relu()
        return self.second(hidden)


def mean_square(out: Any, y: Any) -> Any:
    return ((out - y) ** 2).mean()


def training(steps: int = 3) -> None:
    mg.manual_seed(0)
    net = Net()
    optimizer = mg.optim.SGD(net.parameters(), lr=0.1)
    x, y = mg.randn(4, 3), mg.randn(4, 2)
    for _ in range(steps):
        optimizer.zero_grad()
        out = net(x)
        loss = mean_square(out, y)
        loss.backward()
        optimizer.step()


def descent_by_hand(steps: int = 4) -> None:
    w = mg.tensor([1.0, -2.0], requires_grad=True)
    for _ in range(steps):
        loss = (w * w).sum()
        loss.backward()
        with mg.no_grad():
            w -= 0.1 * w.grad
        w.grad = None


def third_derivative() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    y = x**3
    (first,) = mg.autograd.grad(y, x, create_graph=True)
    (second,) = mg.autograd.grad(first, x, create_graph=True)
    second.backward()


def in_place() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y *= y
    y[0] = 7.0
    y.sum().backward()


def a_hook() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda grad: grad * 10)
    (x * x).sum().backward()


def broken() -> None:
    x = mg.tensor([0.5, -1.0], requires_grad=True)
    mg.log(x).sum().backward()


def hidden_state() -> None:
    """The graph of one step is used again in the next."""
    w = mg.tensor(0.5, requires_grad=True)
    state = mg.tensor(1.0)
    optimizer = optim.SGD([w], lr=0.1)
    for _ in range(3):
        state = state * w
        state.backward(retain_graph=True)
        events.emit(events.StepTaken(optimizer, 1))


def cut_off() -> None:
    """Computation after detach(), detach_() and .data, and with NumPy."""
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    hidden = w * 3
    kept = outside(hidden)
    hidden.data.mul_(2)
    left = w.exp()
    left.detach_()
    loss = ((w + 1).detach().numpy().sum() * w * kept * left).sum()
    loss.backward()


def outside(h: Any) -> Any:
    return h.detach()


PROGRAMS = [
    scalar_program,
    training,
    descent_by_hand,
    third_derivative,
    in_place,
    a_hook,
    broken,
    hidden_state,
    cut_off,
]


def energy_model(lib: Any) -> list[float]:
    """A net is trained on samples that are drawn by the gradients of their energy. Returns the losses."""
    lib.manual_seed(0)
    energy = lib.nn.Sequential(lib.nn.Linear(2, 6), lib.nn.Tanh(), lib.nn.Linear(6, 1))
    optimizer = lib.optim.Adam(energy.parameters(), lr=1e-2)
    losses = []
    for _ in range(4):
        drawn = lib.randn(5, 2)
        for _ in range(3):
            drawn = drawn.detach().requires_grad_()
            (slope,) = lib.autograd.grad(energy(drawn).sum(), drawn)
            drawn = drawn - 0.1 * slope
        loss = energy(lib.randn(5, 2)).mean() - energy(drawn.detach()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
