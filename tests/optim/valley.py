"""A curved valley with parameters of two shapes, on which tests follow every optimiser step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

STEPS = 100


def start(lib: Any) -> list[Any]:
    """The parameters: a matrix and a vector."""
    w = lib.tensor([[1.0, -0.5], [0.25, 2.0]], dtype=lib.float64, requires_grad=True)
    b = lib.tensor([0.3, -1.2], dtype=lib.float64, requires_grad=True)
    return [w, b]


def loss_of(lib: Any, parameters: list[Any]) -> Any:
    """A loss that is neither quadratic nor equal in all directions."""
    w, b = parameters
    x = lib.tensor([[1.0, 2.0], [-0.5, 0.75], [0.1, -1.0]], dtype=lib.float64)
    out = lib.tanh(x @ w + b)
    return ((out - 0.25) ** 2).sum() + 0.01 * (w**4).sum() + 0.1 * (b * b).sum()


def trajectory(lib: Any, make: Callable[[Any, list[Any]], Any], steps: int = STEPS) -> list[list[float]]:
    """All parameters after each step."""
    parameters = start(lib)
    optimizer = make(lib.optim, parameters)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = loss_of(lib, parameters)
        loss.backward()
        return loss

    points = []
    for _ in range(steps):
        if type(optimizer).__name__ == "LBFGS":
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()
        points.append([number for each in parameters for number in each.detach().reshape(-1).tolist()])
    return points


OPTIMIZERS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "sgd": lambda optim, p: optim.SGD(p, lr=0.05),
    "sgd momentum": lambda optim, p: optim.SGD(p, lr=0.05, momentum=0.9),
    "sgd dampened": lambda optim, p: optim.SGD(p, lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.01),
    "sgd nesterov": lambda optim, p: optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    "sgd maximize": lambda optim, p: optim.SGD(p, lr=0.001, maximize=True),
    "adam": lambda optim, p: optim.Adam(p, lr=0.02),
    "adam decay": lambda optim, p: optim.Adam(p, lr=0.02, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1),
    "adam amsgrad": lambda optim, p: optim.Adam(p, lr=0.02, amsgrad=True),
    "adamw": lambda optim, p: optim.AdamW(p, lr=0.02, weight_decay=0.1),
    "adamw maximize": lambda optim, p: optim.AdamW(p, lr=0.001, maximize=True, amsgrad=True),
    "adafactor": lambda optim, p: optim.Adafactor(p, lr=0.05),
    "adafactor decay": lambda optim, p: optim.Adafactor(p, lr=0.05, eps=(1e-6, 1e-2), d=1.5, weight_decay=0.1),
    "rmsprop": lambda optim, p: optim.RMSprop(p, lr=0.01),
    "rmsprop centered": lambda optim, p: optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True, weight_decay=0.01),
    "adagrad": lambda optim, p: optim.Adagrad(p, lr=0.1, lr_decay=0.01, weight_decay=0.01),
    "adagrad warm": lambda optim, p: optim.Adagrad(p, lr=0.1, initial_accumulator_value=0.5),
    "lbfgs": lambda optim, p: optim.LBFGS(p, lr=0.1, max_iter=2, history_size=3),
    "lbfgs wolfe": lambda optim, p: optim.LBFGS(p, max_iter=3, line_search_fn="strong_wolfe"),
    "adadelta": lambda optim, p: optim.Adadelta(p, lr=0.5, rho=0.8, weight_decay=0.01),
    "adamax": lambda optim, p: optim.Adamax(p, lr=0.02, weight_decay=0.01),
    "adamax maximize": lambda optim, p: optim.Adamax(p, lr=0.001, betas=(0.7, 0.9), maximize=True),
    "nadam": lambda optim, p: optim.NAdam(p, lr=0.02, weight_decay=0.01, momentum_decay=0.01),
    "nadam decoupled": lambda optim, p: optim.NAdam(p, lr=0.02, weight_decay=0.1, decoupled_weight_decay=True),
    "radam": lambda optim, p: optim.RAdam(p, lr=0.02, weight_decay=0.01),
    "radam decoupled": lambda optim, p: optim.RAdam(p, lr=0.02, weight_decay=0.1, decoupled_weight_decay=True),
    "asgd": lambda optim, p: optim.ASGD(p, lr=0.05, lambd=0.01, alpha=0.6, t0=20, weight_decay=0.01),
    "rprop": lambda optim, p: optim.Rprop(p, lr=0.01, etas=(0.4, 1.3), step_sizes=(1e-5, 0.5)),
    "muon": lambda optim, p: optim.Muon(p[:1], lr=0.02),
    "muon plain": lambda optim, p: optim.Muon(
        p[:1], lr=0.01, weight_decay=0.01, momentum=0.8, nesterov=False, ns_steps=4, adjust_lr_fn="match_rms_adamw"
    ),
    "adam foreach": lambda optim, p: optim.Adam(p, lr=0.02, foreach=True, capturable=False, differentiable=False),
    "adam decoupled": lambda optim, p: optim.Adam(p, lr=0.02, weight_decay=0.1, decoupled_weight_decay=True),
    "groups": lambda optim, p: optim.SGD(
        [{"params": [p[0]], "lr": 0.01}, {"params": [p[1]], "momentum": 0.9}], lr=0.05
    ),
}
