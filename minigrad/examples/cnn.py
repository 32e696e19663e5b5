"""Convolutions read digits: two layers of 3 by 3 kernels, pooled, and a linear layer on what they saw."""

import sys

import minigrad as torch
from minigrad.utils.data import digits

nn, F, dist = torch.nn, torch.nn.functional, torch.distributed

PIXELS, LABELS = (torch.tensor(each.numpy()) for each in digits().tensors)
BATCH = 64


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.edges = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.shapes = nn.Conv2d(8, 16, 3, padding=1)
        self.scores = nn.Linear(16 * 2 * 2, 10)

    def forward(self, pixels):
        seen = F.max_pool2d(F.relu(self.norm(self.edges(pixels))), 2)
        seen = F.max_pool2d(F.relu(self.shapes(seen)), 2)
        return self.scores(seen.flatten(1))


def make():
    return Net()


def batch(step):
    start = step * BATCH % (len(PIXELS) - BATCH)
    return PIXELS[start : start + BATCH].reshape(BATCH, 1, 8, 8), LABELS[start : start + BATCH]


def train(net, steps):
    share = slice(None)
    if dist.is_initialized():  # each rank takes its share of every batch
        net, share = nn.parallel.DistributedDataParallel(net), slice(dist.get_rank(), None, dist.get_world_size())
    optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
    losses = []
    for step in range(steps):
        pixels, labels = (each[share] for each in batch(step))
        loss = F.cross_entropy(net(pixels), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    if "--distributed" in sys.argv:
        dist.init_process_group("gloo")
    losses = train(make(), 200)
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
