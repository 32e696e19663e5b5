"""Training loops put together at random, each with the losses that its record must have.

A loop trains one to three nets. They take their steps one after the other, or all backwards come before all steps; in
micro-batches or not; with an optimiser or by hand; with evaluations, clipping, schedules, frozen layers and resets of
the gradients at any place where a program may have them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

STEPS = 6


class Step(NamedTuple):
    """What a program knows of a step that it takes: its optimiser, its loss, and the norm of its gradients."""

    optimizer: str | None
    loss: float
    norm: float


class Net:
    """A net, and how it is trained."""

    def __init__(self, lib: Any, chance: random.Random) -> None:
        self.lib = lib
        self.layers = lib.nn.Sequential(
            lib.nn.Linear(3, 4), getattr(lib.nn, chance.choice(["ReLU", "Tanh"]))(), lib.nn.Linear(4, 1)
        )
        self.parameters = list(self.layers.parameters())
        if chance.random() < 0.3:
            self.layers[0].requires_grad_(False)
        self.way = chance.choice(["SGD", "Adam", "AdamW", "RMSprop", "SGD"])
        trained = self.parameters if chance.random() < 0.5 else [p for p in self.parameters if p.requires_grad]
        self.optimizer = getattr(lib.optim, self.way)(trained, lr=0.01)
        self.batches = chance.choice([1, 1, 2, 3])
        self.clipped = chance.random() < 0.3
        self.to_none = chance.random() < 0.7
        self.returned = chance.random() < 0.2
        self.schedule = lib.optim.lr_scheduler.StepLR(self.optimizer, 2) if chance.random() < 0.3 else None
        self.evaluated = chance.random() < 0.3

    def clear(self) -> None:
        """Reset the gradients."""
        self.optimizer.zero_grad(set_to_none=self.to_none)

    def backward(self) -> float:
        """All backwards of a step; the last loss."""
        found = 0.0
        for _ in range(self.batches):
            x = self.lib.randn(5, 3)
            loss = ((self.layers(x) - x.sum(1, keepdim=True)) ** 2).mean() / self.batches
            found = loss.item()
            if self.returned:
                open_ones = [p for p in self.parameters if p.requires_grad]
                for p, grad in zip(open_ones, self.lib.autograd.grad(loss, open_ones), strict=True):
                    p.grad = grad if p.grad is None else p.grad + grad
            else:
                loss.backward()
        return found

    def step(self, loss: float) -> Step:
        """Take the step, and look at the net."""
        if self.clipped:
            self.lib.nn.utils.clip_grad_norm_(self.parameters, 0.5)
        grads = [p.grad.detach() for p in self.parameters if p.grad is not None]
        norm = sum((g * g).sum().item() for g in grads) ** 0.5
        self.optimizer.step()
        if self.schedule is not None:
            self.schedule.step()
        if self.evaluated:
            with self.lib.no_grad():
                self.layers(self.lib.randn(7, 3)).mean().item()
        return Step(self.way, loss, norm)


def by_hand(lib: Any, chance: random.Random) -> Iterator[Step]:
    """A loop without an optimiser."""
    w, b = lib.randn(3, 1).requires_grad_(), lib.zeros(1).requires_grad_()
    data, returned, batches = chance.random() < 0.3, chance.random() < 0.3, chance.choice([1, 2])
    for _ in range(STEPS):
        found, norm = 0.0, 0.0
        grads: Any = (None, None)
        for _ in range(batches):
            x = lib.randn(5, 3)
            loss = ((x @ w + b - x.sum(1, keepdim=True)) ** 2).mean()
            found = loss.item()
            if returned:
                grads = lib.autograd.grad(loss, (w, b))
            else:
                loss.backward()
                grads = (w.grad, b.grad)
        norm = sum((g * g).sum().item() for g in grads) ** 0.5
        for p, grad in zip((w, b), grads, strict=True):
            if data:
                p.data -= 0.01 * grad
            else:
                with lib.no_grad():
                    p -= 0.01 * grad
            if not returned:
                p.grad = None if chance.random() < 0.5 else lib.zeros_like(p)
        yield Step(None, found, norm)


def with_optimisers(lib: Any, chance: random.Random) -> Iterator[Step]:
    """A loop of nets with an optimiser each."""
    nets = [Net(lib, chance) for _ in range(chance.choice([1, 1, 2, 3]))]
    all_backwards_first = chance.random() < 0.5
    cleared_last = chance.random() < 0.3
    for _ in range(STEPS):
        losses = []
        for net in nets:
            if not cleared_last:
                net.clear()
            losses.append(net.backward())
            if not all_backwards_first:
                yield net.step(losses[-1])
        if all_backwards_first:
            for net, loss in zip(nets, losses, strict=True):
                yield net.step(loss)
        for net in nets if cleared_last else ():
            net.clear()


def loop(lib: Any, seed: int) -> list[Step]:
    """The loop of this seed, and what it knows of its steps."""
    chance = random.Random(seed)
    lib.manual_seed(seed)
    return list((by_hand if chance.random() < 0.25 else with_optimisers)(lib, chance))
