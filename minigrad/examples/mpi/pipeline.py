"""A net cut into two stages, one on each rank: activations go forward, gradients come back.

    mpiexec -n 2 python -m minigrad.examples.mpi.pipeline

The batch is cut into micro-batches, so that stage 1 works on one while stage 0 computes the next (GPipe, Huang et al.
2019). A stage needs nothing of autograd but a leaf and `backward(gradient)`: what came from the other rank is a leaf,
and its ``.grad`` is what the other rank passes to `backward`. Gradients of the micro-batches add up as usual.
"""

from __future__ import annotations

import minigrad as mg
from minigrad import distributed as dist
from minigrad import nn, optim
from minigrad.nn import functional as F

WIDTH = 32
MICRO_BATCHES = 4


def stages():
    """The two halves of the net; the same numbers on every rank."""
    mg.manual_seed(0)
    return nn.Sequential(nn.Linear(8, WIDTH), nn.Tanh()), nn.Sequential(
        nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, 1)
    )


def first_stage(stage, x):
    """Send each micro-batch's activations on, then take the gradients as they come back."""
    made = [stage(part) for part in x.chunk(MICRO_BATCHES)]
    for activations in made:
        dist.send(activations.detach(), 1)
    for activations in made:
        grad = mg.empty_like(activations)
        dist.recv(grad, 1)
        activations.backward(grad)


def second_stage(stage, y):
    """Finish each micro-batch, and send back the gradients of its activations. Returns the loss."""
    total = 0.0
    for part in y.chunk(MICRO_BATCHES):
        came = mg.empty(len(part), WIDTH)
        dist.recv(came, 0)
        came.requires_grad_()
        loss = F.mse_loss(stage(came), part) / MICRO_BATCHES
        loss.backward()
        dist.send(came.grad, 0)
        total += loss.item()
    return total


def train(steps=60):
    """The losses, on rank 1; rank 0 has none."""
    rank = dist.get_rank()
    stage = stages()[rank]
    optimizer = optim.SGD(stage.parameters(), lr=0.3)
    mg.manual_seed(1)
    x = mg.randn(64, 8)
    y = x[:, :2].sum(1, keepdim=True)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        if rank == 0:
            first_stage(stage, x)
        else:
            losses.append(second_stage(stage, y))
        optimizer.step()
    return losses


def train_alone(steps=60):
    """Train the same net in one process. The pipeline must give the same losses."""
    net = nn.Sequential(*stages())
    optimizer = optim.SGD(net.parameters(), lr=0.3)
    mg.manual_seed(1)
    x = mg.randn(64, 8)
    y = x[:, :2].sum(1, keepdim=True)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    dist.init_process_group()
    if dist.get_world_size() != 2:
        raise SystemExit("two stages need two ranks: mpiexec -n 2 python -m minigrad.examples.mpi.pipeline")
    losses = train()
    if dist.get_rank() == 1:
        apart = max(abs(a - b) for a, b in zip(losses, train_alone(), strict=True))
        print(f"loss {losses[0]:.4f} to {losses[-1]:.4f}; at most {apart:.0e} from one process")
